/*
 * The image: an executable's ELF file with its debug information, opened and checked.
 *
 * All addresses are link-time addresses; libdwfl is told to add nothing to them.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/catalogue/catalogue.h"
#include "unit_check.h"

struct elf_symbol {
	uint64_t addr;    /* of thread-local objects: the offset in the module's block */
	uint64_t size;    /* 0: unknown */
	const char *name; /* in the ELF file */
	bool is_tls;
	bool is_local; /* STB_LOCAL: others may have its name */
};

struct elf_file {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks; /* of dwfl, which borrows them */
	char *debuginfo_path;     /* and this */
	Dwfl_Module *module;
	Elf *elf;
	/* NULL without debug information; then symbols tell of functions, if any are left */
	Dwarf *dwarf;
	bool relocatable;
	uint64_t entry_addr;
	struct elf_symbol *symbols; /* of functions, sorted by address */
	size_t n_symbols;
	struct elf_symbol
		*resolvers; /* STT_GNU_IFUNC: they choose the function of that name at run time */
	size_t n_resolvers;
	struct elf_symbol *objects; /* variables and vtables, sorted by name */
	size_t n_objects;
	struct unit_check units;
};

/* Errors as catalogue_build() promises; the texts start with @path. */
bool elf_file_open(const char *path, struct elf_file **ret, struct err *err);

/*
 * The same, but the file may have neither debug information nor symbols of functions.
 * @debuginfo_path: of struct catalogue_request.
 */
bool elf_file_open_any(const char *path, const char *debuginfo_path, struct elf_file **ret,
		       struct err *err);

/* ERR_UNSUPPORTED if the file has neither. */
bool elf_file_check(const struct elf_file *image, const char *path, struct err *err);
void elf_file_close(struct elf_file *image); /* NULL is fine */

/* The module's row in a catalogue; strings live in @arena. */
bool elf_file_describe(const struct elf_file *image, const char *path, struct arena *arena,
		       struct module *ret, struct err *err);

/* Where the first segment that is loaded starts, down to its page. */
uint64_t elf_file_first_page(const struct elf_file *image);

/* The code from @addr to the end of its section, *@ret_size bytes; NULL if no code is there. */
const uint8_t *elf_file_code(const struct elf_file *image, uint64_t addr, size_t *ret_size);

/* The 8 bytes at @addr as the file has them, before relocation. False: there is no data. */
bool elf_file_word(const struct elf_file *image, uint64_t addr, uint64_t *ret);

/*
 * The name of the function symbol at exactly @addr; NULL if there is none. Of several, one that
 * starts with @prefix.
 */
const char *elf_file_symbol(const struct elf_file *image, uint64_t addr, const char *prefix);

/* The object called @name that other units can refer to; NULL if there is none. */
const struct elf_symbol *elf_file_object(const struct elf_file *image, const char *name);
