/*
 * The files with the requested functions. The first is the program, even if it has none.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/file/elf_file.h"
#include "block.h"
#include "dwarf/search/function_search.h"
#include "symbol_function.h"

struct object_file {
	const char *path;
	struct elf_file *image;
	struct function_search search;   /* its candidates, some of them chosen */
	struct symbol_functions symbols; /* functions that only the symbol table has */
	struct block *blocks;            /* in block_order() */
	size_t n_blocks, blocks_capacity;
	bool used; /* it has requested functions */
};

struct object_files {
	const struct catalogue_request *request; /* borrowed, like the path */
	struct arena *scratch;                   /* names of candidates and files */
	struct pattern_outcome *outcomes;
	struct object_file *list;
	size_t n, capacity;
};

/* Open the program. Errors as for catalogue_build(), here and below. */
bool object_files_init(struct object_files *ret, const char *path,
		       const struct catalogue_request *request, struct err *err);
void object_files_deinit(struct object_files *objects);

/* Find the functions that match the patterns, and the libraries that contain them. */
bool object_files_search(struct object_files *objects, struct err *err);

/*
 * All files whose code the program has or will have at its start: the list's in order, preloaded,
 * needed, and otherwise mapped ones; each once. Paths live in the scratch arena. Returns their
 * number.
 */
size_t object_files_list(struct object_files *objects, const char *const **ret);
