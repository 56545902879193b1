/*
 * Opens and checks the ELF file, and finds its debug information (also in a separate file) through
 * libdwfl. The other files of this folder interpret the debug information.
 */
#include "elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "debug_servers.h"
#include "elf_check.h"
#include "static_debuginfo.h"
#include "zstd_sections.h"

#ifdef FATHOM_STATIC
#define FIND_DEBUGINFO static_debuginfo_find
#else
#define FIND_DEBUGINFO dwfl_standard_find_debuginfo
#endif

/*
 * libdwfl's default search path: beside the file, in its .debug folder, and where packages install
 * it.
 */
#define OWN_PATH ":.debug:/usr/lib/debug"

/*
 * libdwfl searches for DIEs, then for symbols: what is nowhere is asked for once. It keeps the file
 * that it has checked, so a copy without zstd is only taken in a second opening.
 */
static int find_debuginfo_once(Dwfl_Module *module, void **data, const char *name, GElf_Addr base,
			       const char *file, const char *link, GElf_Word crc, char **ret)
{
	struct elf_file *image = *data;
	int fd = image->unpacked;

	if (fd >= 0) {
		image->unpacked = -1;
		return fd;
	}
	if (!image->is_nowhere)
		fd = FIND_DEBUGINFO(module, data, name, base, file, link, crc, ret);
	if (fd >= 0)
		image->unpacked = zstd_sections_copy(fd);
	image->is_nowhere = fd < 0;
	return fd;
}

static bool file_open(const char *path, int *ret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno,
				     "%s: cannot be opened: give the path of a program", path);
	if (fstat(fd, &status) != 0)
		err_set_errno(err, ERR_IO, errno, "%s", path);
	else if (S_ISDIR(status.st_mode))
		err_set(err, ERR_IO, "%s: a directory: give the program itself", path);
	else if (!S_ISREG(status.st_mode))
		err_set(err, ERR_IO, "%s: not a regular file: give the program itself", path);
	else {
		*ret = fd;
		return true;
	}
	close(fd);
	return false;
}

static void callbacks_fill(struct elf_file *image, const char *debuginfo_path)
{
	image->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo_once,
		.section_address = dwfl_offline_section_address,
	};
	if (!debuginfo_path)
		return;
	image->debuginfo_path = mem_alloc(strlen(debuginfo_path) + sizeof(":" OWN_PATH));
	stpcpy(stpcpy(image->debuginfo_path, debuginfo_path), ":" OWN_PATH);
	image->callbacks.debuginfo_path = &image->debuginfo_path;
}

static bool module_open(struct elf_file *image, const char *path, int fd, struct err *err)
{
	GElf_Addr bias = 0;
	GElf_Ehdr header;
	void **data;

	image->dwfl = dwfl_begin(&image->callbacks);
	if (!image->dwfl) {
		close(fd);
		return err_set(err, ERR_IO, "%s: %s", path, dwfl_errmsg(-1));
	}
	dwfl_report_begin(image->dwfl);
	image->module = dwfl_report_elf(image->dwfl, path, path, fd, 0, true);
	if (image->module) {
		dwfl_module_info(image->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
		*data = image;
	} else {
		close(fd);
	}
	dwfl_report_end(image->dwfl, NULL, NULL);
	image->elf = image->module ? dwfl_module_getelf(image->module, &bias) : NULL;
	if (!image->elf || bias != 0 || !gelf_getehdr(image->elf, &header))
		return err_set(err, ERR_FORMAT, "%s: a broken ELF file (%s): build it again", path,
			       dwfl_errmsg(-1));
	image->relocatable = header.e_type == ET_DYN;
	image->entry_addr = header.e_entry;
	return true;
}

static bool debug_information_open(struct elf_file *image, const char *path, struct err *err)
{
	Dwarf_Addr bias = 0;
	Dwarf_CU *unit = NULL;

	/* Without debug information, functions of the symbol table can still be measured. */
	image->dwarf = debug_servers_getdwarf(image->dwfl, image->module, path, &bias);
	if (image->dwarf && bias != 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: its separate debug file has other addresses: build it again "
			       "with -g",
			       path);
	if (image->dwarf && dwarf_get_units(image->dwarf, NULL, &unit, NULL, NULL, NULL, NULL) == 0)
		return unit_check_run(image->dwarf, path, &image->units, err);
	if (!image->dwarf && elf_check_has_zstd(image->elf))
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: its debug information is compressed with zstd, which the "
			       "elfutils of this fathom cannot read (0.189 and later can), nor is "
			       "there a libzstd.so.1 that can: objcopy "
			       "--decompress-debug-sections makes a copy that it can read",
			       path);
	if (elf_check_has_section(image->elf, ".debug_info"))
		return err_set(err, ERR_FORMAT,
			       "%s: its debug information is broken at offset 0x0 of .debug_info "
			       "(%s): build it again",
			       path, image->dwarf ? dwarf_errmsg(-1) : dwfl_errmsg(-1));
	image->dwarf = NULL;
	return true;
}

static int symbol_order(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int symbol_name_order(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	if (names)
		return names;
	if (x->is_local != y->is_local)
		return x->is_local ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void symbols_read(struct elf_file *image)
{
	const int n = dwfl_module_getsymtab(image->module);
	size_t functions = 0, objects = 0, resolvers = 0;

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr addr;
		const char *name =
			dwfl_module_getsym_info(image->module, i, &symbol, &addr, NULL, NULL, NULL);
		const unsigned type = GELF_ST_TYPE(symbol.st_info);
		const struct elf_symbol ours = {
			.addr = type == STT_TLS ? symbol.st_value : addr,
			.size = symbol.st_size,
			.name = name,
			.is_tls = type == STT_TLS,
			.is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
		};

		if (!name || !*name || symbol.st_shndx == SHN_UNDEF)
			continue;
		if (type == STT_FUNC) {
			image->symbols = mem_grow(image->symbols, &functions, image->n_symbols + 1,
						  sizeof(ours));
			image->symbols[image->n_symbols++] = ours;
		} else if (type == STT_GNU_IFUNC) {
			image->resolvers = mem_grow(image->resolvers, &resolvers,
						    image->n_resolvers + 1, sizeof(ours));
			image->resolvers[image->n_resolvers++] = ours;
		} else if (type == STT_OBJECT || type == STT_TLS) {
			image->objects = mem_grow(image->objects, &objects, image->n_objects + 1,
						  sizeof(ours));
			image->objects[image->n_objects++] = ours;
		}
	}
	if (image->n_symbols)
		qsort(image->symbols, image->n_symbols, sizeof(*image->symbols), symbol_order);
	if (image->n_objects)
		qsort(image->objects, image->n_objects, sizeof(*image->objects), symbol_name_order);
}

/* Also with debug information in a separate file that is compressed with zstd. */
static bool information_open(struct elf_file *image, const char *path, int fd, struct err *err)
{
	if (!module_open(image, path, fd, err) || !debug_information_open(image, path, err))
		return false;
	if (image->dwarf || image->unpacked < 0)
		return true;
	dwfl_end(image->dwfl);
	image->dwfl = NULL;
	return file_open(path, &fd, err) && module_open(image, path, fd, err) &&
	       debug_information_open(image, path, err);
}

bool elf_file_open_any(const char *path, const char *debuginfo_path, struct elf_file **ret,
		       struct err *err)
{
	struct elf_file *image;
	int fd = -1, copy;
	bool has_zstd;

	elf_version(EV_CURRENT);
	if (!file_open(path, &fd, err))
		return false;
	if (!elf_check_file(path, fd, &has_zstd, err)) {
		close(fd);
		return false;
	}
	copy = has_zstd ? zstd_sections_copy(fd) : -1;
	if (copy >= 0) {
		close(fd);
		fd = copy;
	}
	image = mem_alloc(sizeof(*image));
	callbacks_fill(image, debuginfo_path);
	image->unpacked = -1;
	if (!information_open(image, path, fd, err)) {
		elf_file_close(image);
		return false;
	}
	symbols_read(image);
	*ret = image;
	return true;
}

bool elf_file_check(const struct elf_file *image, const char *path, struct err *err)
{
	if (image->dwarf || image->n_symbols)
		return true;
	return err_set(err, ERR_UNSUPPORTED,
		       "%s: has no debug information: build it with -g, or install its "
		       "-dbgsym package",
		       path);
}

bool elf_file_open(const char *path, struct elf_file **ret, struct err *err)
{
	struct elf_file *image;

	if (!elf_file_open_any(path, NULL, &image, err))
		return false;
	if (!elf_file_check(image, path, err)) {
		elf_file_close(image);
		return false;
	}
	*ret = image;
	return true;
}

void elf_file_close(struct elf_file *image)
{
	if (!image)
		return;
	if (image->dwfl)
		dwfl_end(image->dwfl);
	if (image->unpacked >= 0)
		close(image->unpacked);
	free(image->symbols);
	free(image->resolvers);
	free(image->objects);
	free(image->debuginfo_path);
	free(image);
}

/* FNV-1a: distinguishes builds without a build-id; does not resist forgery. */
static bool file_sum(const char *path, uint64_t *ret, struct err *err)
{
	FILE *file = fopen(path, "rbe");
	uint64_t sum = 0xcbf29ce484222325;
	unsigned char piece[65536];
	size_t n;
	bool ok;

	if (!file)
		return err_set_errno(err, ERR_IO, errno, "%s: cannot be read", path);
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0) {
		for (size_t i = 0; i < n; i++)
			sum = (sum ^ piece[i]) * 0x100000001b3;
	}
	ok = !ferror(file);
	fclose(file);
	*ret = sum;
	return ok || err_set(err, ERR_IO, "%s: cannot be read to its end", path);
}

static const char *hex(struct arena *arena, const unsigned char *bytes, size_t n)
{
	char *text = arena_alloc(arena, 2 * n + 1);

	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

uint64_t elf_file_first_page(const struct elf_file *image)
{
	const uint64_t page = 4096;
	size_t n = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(image->elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n && i < INT_MAX; i++) {
		if (gelf_getphdr(image->elf, (int)i, &header) && header.p_type == PT_LOAD)
			return header.p_vaddr & ~(page - 1);
	}
	return 0;
}

bool elf_file_describe(const struct elf_file *image, const char *path, struct arena *arena,
		       struct module *ret, struct err *err)
{
	const unsigned char *bits = NULL;
	GElf_Addr vaddr;
	const int n = dwfl_module_build_id(image->module, &bits, &vaddr);
	uint64_t sum;

	*ret = (struct module){
		.path = arena_strdup(arena, path),
		.relocatable = image->relocatable,
		.entry_addr = image->entry_addr,
		.base_addr = elf_file_first_page(image),
		.symbols_only = !image->dwarf,
	};
	if (n > 0 && bits) {
		ret->build_id = hex(arena, bits, n);
		return true;
	}
	if (!file_sum(path, &sum, err))
		return false;
	ret->build_id = arena_printf(arena, "sum:%016" PRIx64, sum);
	return true;
}

/* The bytes from @addr to the end of its section, if that has all of @flags. */
static const uint8_t *section_bytes(const struct elf_file *image, uint64_t addr, uint64_t flags,
				    size_t *ret_size)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		uint64_t offset;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    (header.sh_flags & flags) != flags || addr < header.sh_addr ||
		    addr - header.sh_addr >= header.sh_size)
			continue;
		offset = addr - header.sh_addr;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || offset >= data->d_size)
			return NULL;
		*ret_size = data->d_size - offset;
		return (const uint8_t *)data->d_buf + offset;
	}
	return NULL;
}

const uint8_t *elf_file_code(const struct elf_file *image, uint64_t addr, size_t *ret_size)
{
	return section_bytes(image, addr, SHF_EXECINSTR, ret_size);
}

const uint8_t *elf_file_data(const struct elf_file *image, uint64_t addr, size_t *ret_size)
{
	return section_bytes(image, addr, SHF_ALLOC, ret_size);
}

bool elf_file_word(const struct elf_file *image, uint64_t addr, uint64_t *ret)
{
	size_t size;
	const uint8_t *bytes = elf_file_data(image, addr, &size);

	if (!bytes || size < sizeof(*ret))
		return false;
	memcpy(ret, bytes, sizeof(*ret));
	return true;
}

const char *elf_file_symbol(const struct elf_file *image, uint64_t addr, const char *prefix)
{
	size_t low = BISECT_FIRST(i, image->n_symbols, image->symbols[i].addr < addr);
	const char *found = NULL;

	for (; low < image->n_symbols && image->symbols[low].addr == addr; low++) {
		const char *name = image->symbols[low].name;

		if (!found || (prefix && !strncmp(name, prefix, strlen(prefix))))
			found = name;
	}
	return found;
}

const struct elf_symbol *elf_file_object(const struct elf_file *image, const char *name)
{
	const struct elf_symbol key = {.name = name};
	const size_t low =
		BISECT_FIRST(i, image->n_objects, symbol_name_order(&image->objects[i], &key) < 0);

	if (low == image->n_objects || strcmp(image->objects[low].name, name) != 0 ||
	    image->objects[low].is_local)
		return NULL;
	return &image->objects[low];
}
