/*
 * An executable's ELF file with its debug information, opened and checked.
 *
 * All addresses are link-time addresses: libdwfl adds no load bias.
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
	uint64_t addr;    /* thread-local objects: the offset in the module's block */
	uint64_t size;    /* 0: unknown */
	const char *name; /* as in the ELF file */
	bool is_tls;
	bool is_local; /* STB_LOCAL: not unique */
};

struct elf_file {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks; /* borrowed by dwfl */
	bool is_nowhere;          /* the separate debug file */
	int unpacked;             /* a copy of that without zstd, to be opened; -1: none */
	char *debuginfo_path;     /* this too */
	Dwfl_Module *module;
	Elf *elf;
	/* NULL without debug information; functions then come from symbols, if any are left */
	Dwarf *dwarf;
	bool relocatable;
	uint64_t entry_addr;
	struct elf_symbol *symbols; /* functions, sorted by address */
	size_t n_symbols;
	struct elf_symbol
		*resolvers; /* STT_GNU_IFUNC: each selects the function of its name at run time */
	size_t n_resolvers;
	struct elf_symbol *objects; /* variables and vtables, sorted by name */
	size_t n_objects;
	struct unit_check units;
};

/* Errors as for catalogue_build(); their texts start with @path. The caller closes *@ret. */
bool elf_file_open(const char *path, struct elf_file **ret, struct err *err);

/*
 * The same, but debug information and function symbols may both be missing. @debuginfo_path: see
 * struct catalogue_request.
 */
bool elf_file_open_any(const char *path, const char *debuginfo_path, struct elf_file **ret,
		       struct err *err);

/* ERR_UNSUPPORTED if the file has neither debug information nor function symbols. */
bool elf_file_check(const struct elf_file *image, const char *path, struct err *err);
void elf_file_close(struct elf_file *image); /* NULL is fine */

/* The module's row in a catalogue; strings live in @arena. Errors: ERR_IO. */
bool elf_file_describe(const struct elf_file *image, const char *path, struct arena *arena,
		       struct module *ret, struct err *err);

/* The first loaded segment's address, rounded down to its page. */
uint64_t elf_file_first_page(const struct elf_file *image);

/* The code from @addr to the end of its section, *@ret_size bytes; NULL if @addr is not in code. */
const uint8_t *elf_file_code(const struct elf_file *image, uint64_t addr, size_t *ret_size);

/* The same for any section that is loaded from the file. */
const uint8_t *elf_file_data(const struct elf_file *image, uint64_t addr, size_t *ret_size);

/* The 8 bytes at @addr as the file has them, before relocation. False: no data there. */
bool elf_file_word(const struct elf_file *image, uint64_t addr, uint64_t *ret);

/*
 * The name of the function symbol at exactly @addr, preferably one that starts with @prefix; NULL
 * if there is none.
 */
const char *elf_file_symbol(const struct elf_file *image, uint64_t addr, const char *prefix);

/* The object @name that other units can refer to; NULL if there is none. */
const struct elf_symbol *elf_file_object(const struct elf_file *image, const char *name);
