/*
 * The cost functions of a file (see core/catalogue/cost_call.h), found by symbols.
 *
 * Reads the symbol tables directly: a millisecond, where debug information would take seconds.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/file/request.h"

struct cost_symbols {
	struct cost_function *list;
	size_t n, capacity;
};

void cost_symbols_deinit(struct cost_symbols *symbols);

/*
 * Add the cost functions in the file @path that @request requires, as those of module @module,
 * sorted by address. @image is the file where it is open, or NULL. Functions chosen at start
 * (ifunc) or not callable from outside are left out. *@ret is the module's row. Both live in
 * @arena. Returns their number, 0 for an unreadable file.
 */
size_t cost_symbols_find(struct cost_symbols *symbols, const char *path,
			 const struct elf_file *image, const struct catalogue_request *request,
			 struct insn_decoder *decoder, unsigned module, struct arena *arena,
			 struct module *ret);
