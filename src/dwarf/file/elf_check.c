/* Rejects files that are not x86-64 programs, or are broken, before libdw reads them. */
#include "elf_check.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libelf's own messages for these say nothing useful. */
static bool ident_check(const char *path, const unsigned char ident[EI_NIDENT], struct err *err)
{
	static const struct {
		size_t at;
		unsigned char most;
		const char *what;
	} fields[] = {
		{EI_CLASS, ELFCLASS64, "class"},
		{EI_DATA, ELFDATA2MSB, "byte order"},
		{EI_VERSION, EV_CURRENT, "version"},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const unsigned char value = ident[fields[i].at];

		if (value == 0 || value > fields[i].most)
			return err_set(err, ERR_FORMAT,
				       "%s: a broken ELF file: the %s at offset 0x%zx of its "
				       "header is %u: build it again",
				       path, fields[i].what, fields[i].at, value);
	}
	return true;
}

static bool header_check(const char *path, const GElf_Ehdr *header, struct err *err)
{
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != EM_X86_64)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: not built for x86-64: build it with -m64 for this machine",
			       path);
	if (header->e_type == ET_REL)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: an object file, not an executable: give the linked program",
			       path);
	if (header->e_type == ET_CORE)
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s: a core file, not an executable: give the program that dumped it",
			path);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: not an executable: give the program itself", path);
	return true;
}

static bool elf_is_within(uint64_t offset, uint64_t size, uint64_t file_size)
{
	return offset <= file_size && size <= file_size - offset;
}

static bool segments_check(const char *path, const GElf_Ehdr *file, uint64_t size, struct err *err)
{
	if (file->e_phnum == PN_XNUM) /* the first section has the count */
		return true;
	if (file->e_phnum && file->e_phoff >= sizeof(Elf64_Ehdr) &&
	    elf_is_within(file->e_phoff, (uint64_t)file->e_phnum * sizeof(Elf64_Phdr), size))
		return true;
	return err_set(err, ERR_FORMAT,
		       "%s: broken: its %u program headers, at offset 0x%" PRIx64
		       ", are not in the file: build it again",
		       path, file->e_phnum, file->e_phoff);
}

/* Only broken and truncated files have sections that extend past the end. */
static bool sections_check(const char *path, uint64_t size, const GElf_Ehdr *file, Elf *elf,
			   struct err *err)
{
	Elf_Scn *section = NULL;

	if (file->e_shoff &&
	    !elf_is_within(file->e_shoff, (uint64_t)file->e_shnum * sizeof(Elf64_Shdr), size))
		return err_set(err, ERR_FORMAT,
			       "%s: broken: its section headers, at offset 0x%" PRIx64
			       ", are not in the file: build it again",
			       path, file->e_shoff);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    header.sh_type == SHT_NULL)
			continue;
		if (!elf_is_within(header.sh_offset, header.sh_size, size))
			return err_set(err, ERR_FORMAT,
				       "%s: broken: section %zu, of 0x%" PRIx64
				       " bytes at offset 0x%" PRIx64
				       ", is not in the file: build it again",
				       path, elf_ndxscn(section), header.sh_size, header.sh_offset);
	}
	return true;
}

bool elf_check_file(const char *path, int fd, bool *ret_zstd, struct err *err)
{
	unsigned char ident[EI_NIDENT] = {0};
	struct stat status;
	GElf_Ehdr header;
	uint64_t size;
	Elf *elf;
	bool ok;

	if (pread(fd, ident, sizeof(ident), 0) < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_FORMAT,
			       "%s: not an ELF file: give the program itself, not a script", path);
	if (fstat(fd, &status) != 0)
		return err_set_errno(err, ERR_IO, errno, "%s", path);
	size = (uint64_t)status.st_size;
	if (!ident_check(path, ident, err))
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		ok = err_set(err, ERR_FORMAT, "%s: a broken ELF file (%s): build it again", path,
			     elf_errmsg(-1));
	else
		ok = header_check(path, &header, err) && segments_check(path, &header, size, err) &&
		     sections_check(path, size, &header, elf, err);
	*ret_zstd = ok && elf_check_has_zstd(elf);
	elf_end(elf);
	return ok;
}

bool elf_check_has_zstd(Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Chdr compressed;

		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_COMPRESSED &&
		    gelf_getchdr(section, &compressed) && compressed.ch_type == ELF_CHECK_ZSTD)
			return true;
	}
	return false;
}

bool elf_check_has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *its = gelf_getshdr(section, &header)
					  ? elf_strptr(elf, names, header.sh_name)
					  : NULL;

		if (its && !strcmp(its, name))
			return true;
	}
	return false;
}
