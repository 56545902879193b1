/*
 * Parts: the files that have functions that were asked for. The first is the program, even if it
 * has none.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/search/function_search.h"
#include "symbol_function.h"

struct object_file {
	const char *path;
	struct elf_file *image;
	struct function_search search;   /* its candidates, of which some are chosen */
	struct symbol_functions symbols; /* those that only the symbol table knows */
	bool used;                       /* it has some that were asked for */
};

struct object_files {
	const struct catalogue_request *request; /* borrowed, as is the path */
	struct arena *scratch;                   /* names of candidates, and of the files */
	struct pattern_outcome *wishes;
	struct object_file *list;
	size_t n, capacity;
};

/* Open the program. Errors as catalogue_build() promises, here and below. */
bool object_files_init(struct object_files *ret, const char *path,
		       const struct catalogue_request *request, struct err *err);
void object_files_deinit(struct object_files *parts);

/* Find the functions that the patterns ask for, and the libraries that have them. */
bool object_files_search(struct object_files *parts, struct err *err);

/*
 * All files whose code the program has or will have when it starts: the parts themselves in their
 * order, what is preloaded, what is needed, and what else is mapped; each once. Paths are the
 * scratch arena's.
 */
size_t object_files_list(struct object_files *parts, const char *const **ret);
