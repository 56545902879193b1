/*
 * Functions known only by the symbol table: where they are, not what they work on.
 */
#pragma once

#include "dwarf/search/pattern_resolve.h"
#include "describe_function.h"

struct symbol_function {
	const char *name; /* canonical */
	const char *linkage;
	uint64_t addr;
	/* from the symbol, else up to the next one or the section's end; 0: chosen at run time */
	uint64_t size;
};

struct symbol_functions {
	struct symbol_function *list;
	size_t n, capacity;
};

void symbol_function_deinit(struct symbol_functions *functions);

/*
 * Add the functions that @pattern (NULL: every function) names, one per address, none twice. *@ret:
 * there are some. @ambiguous: a name may match several. Errors: ERR_USAGE (a name that matches
 * several).
 */
bool symbol_function_find(struct symbol_functions *functions, const struct elf_file *image,
			  const struct pattern *pattern, bool ambiguous, struct arena *arena,
			  bool *ret, struct err *err);

/* Describe the function. */
void symbol_function_describe(const struct describer *describer,
			      const struct symbol_function *symbol, struct function *ret);
