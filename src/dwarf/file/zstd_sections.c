/* What was compressed is appended to the copy, and its section's header leads there. */
#include "zstd_sections.h"

#include <dlfcn.h>
#include <elf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_check.h"

enum { SIZE_MAX_MB = 2048, ALIGNMENT = 16 }; /* of all sections: a few bytes can claim any size */

struct zstd {
	void *library;
	size_t (*decompress)(void *to, size_t room, const void *from, size_t size);
	unsigned (*is_error)(size_t result);
};

static bool zstd_load(struct zstd *ret)
{
	ret->library = dlopen("libzstd.so.1", RTLD_LAZY);
	if (!ret->library)
		return false;
	*(void **)&ret->decompress = dlsym(ret->library, "ZSTD_decompress");
	*(void **)&ret->is_error = dlsym(ret->library, "ZSTD_isError");
	if (ret->decompress && ret->is_error)
		return true;
	dlclose(ret->library);
	return false;
}

static bool write_all(int fd, const char *bytes, size_t n, off_t at)
{
	while (n) {
		const ssize_t done = pwrite(fd, bytes, n, at);

		if (done <= 0)
			return false;
		bytes += done;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

/* @data: of a section that begins with a compression header. */
static bool section_unpack(const struct zstd *zstd, const Elf_Data *data, int copy, off_t at,
			   size_t size)
{
	const char *packed = (const char *)data->d_buf + sizeof(Elf64_Chdr);
	char *bytes = malloc(size ? size : 1);
	size_t done;
	bool ok;

	if (!bytes)
		return false;
	done = zstd->decompress(bytes, size, packed, data->d_size - sizeof(Elf64_Chdr));
	ok = !zstd->is_error(done) && done == size && write_all(copy, bytes, size, at);
	free(bytes);
	return ok;
}

/* Its bytes at the end of the copy; others stay as they are. */
static bool section_copy(const struct zstd *zstd, Elf *elf, Elf_Scn *section, int copy, off_t *end)
{
	const size_t number = elf_ndxscn(section);
	Elf64_Ehdr *file = elf64_getehdr(elf);
	Elf64_Shdr header;
	GElf_Chdr packed;
	Elf_Data *data;

	if (!file || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED) ||
	    !gelf_getchdr(section, &packed) || packed.ch_type != ELF_CHECK_ZSTD)
		return true;
	data = elf_rawdata(section, NULL);
	if (!data || data->d_size < sizeof(Elf64_Chdr) || *end > (off_t)SIZE_MAX_MB << 20 ||
	    packed.ch_size > ((uint64_t)SIZE_MAX_MB << 20) - (uint64_t)*end)
		return false;
	if (!section_unpack(zstd, data, copy, *end, packed.ch_size))
		return false;
	header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	header.sh_offset = (uint64_t)*end;
	header.sh_size = packed.ch_size;
	header.sh_addralign = packed.ch_addralign;
	*end += (off_t)((packed.ch_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	return write_all(copy, (const char *)&header, sizeof(header),
			 (off_t)(file->e_shoff + number * sizeof(header)));
}

static bool file_copy(int fd, int copy, off_t *ret_end)
{
	struct stat status;
	off_t from = 0;

	if (fstat(fd, &status) != 0 || status.st_size >= (off_t)SIZE_MAX_MB << 20)
		return false;
	while (from < status.st_size)
		if (sendfile(copy, fd, &from, (size_t)(status.st_size - from)) <= 0)
			return false;
	*ret_end = (from + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return true;
}

static bool sections_copy(const struct zstd *zstd, Elf *elf, int fd, int copy)
{
	Elf_Scn *section = NULL;
	off_t end;

	if (!file_copy(fd, copy, &end))
		return false;
	while ((section = elf_nextscn(elf, section)))
		if (!section_copy(zstd, elf, section, copy, &end))
			return false;
	return true;
}

int zstd_sections_copy(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct zstd zstd;
	int copy = -1;

	if (elf && gelf_getclass(elf) == ELFCLASS64 && elf_check_has_zstd(elf) &&
	    zstd_load(&zstd)) {
		copy = memfd_create("zstd", MFD_CLOEXEC);
		if (copy >= 0 && !sections_copy(&zstd, elf, fd, copy)) {
			close(copy);
			copy = -1;
		}
		dlclose(zstd.library);
	}
	elf_end(elf);
	return copy;
}
