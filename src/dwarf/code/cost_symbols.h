/*
 * Cost functions: those of a file whose calls are cost calls (core/catalogue/cost_call.h), by their
 * symbols.
 *
 * Symbols are read by themselves: that takes a millisecond where debug information would take
 * seconds.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/request.h"

struct cost_symbols {
	struct cost_function *list;
	size_t n, capacity;
};

void cost_symbols_deinit(struct cost_symbols *symbols);

/*
 * Add the functions of the file @path that @request wants, as those of module number @module,
 * sorted by address. What is chosen when the program starts (ifunc) and what others cannot call is
 * left out. *@ret is the module's row. Both live in @arena. Returns how many; a file that cannot be
 * read has none.
 */
size_t cost_symbols_find(struct cost_symbols *symbols, const char *path,
			 const struct catalogue_request *request, struct insn_decoder *decoder,
			 unsigned module, struct arena *arena, struct module *ret);
