/*
 * Which functions of two builds of a program differ, by their machine code.
 */
#pragma once

#include "base/err.h"
#include "code_graph.h"

enum code_change {
	CODE_SAME,
	CODE_RENAMED, /* the same code under another name */
	CODE_CHANGED,
	CODE_NEW,
};

struct code_changes {
	enum code_change *of; /* [functions of the new graph] */
	size_t *old;          /* [the same] its function in the old one, CODE_NONE: none */
	size_t n_changed, n_new, n_gone;
};

/*
 * Functions are the same by linkage name; of several of one name those with equal code first, then
 * in their order. Those left over are renamed if their code is equal, and no other's is; or changed
 * under another name if their callers and callees are the same functions, and no other's are. What
 * is in @ret lives in @arena. ERR_USAGE: the two are no builds of one program, as hardly any names
 * are in both.
 */
bool code_change_find(const struct code_graph *old, const struct code_graph *new,
		      struct arena *arena, struct code_changes *ret, struct err *err);

/* Those that changed or are new, and their callers: set @marks, [functions of @graph]. */
void code_change_mark(const struct code_graph *graph, const struct code_changes *changes,
		      bool *marks);

/* Is it the compiler's or the linker's, in any program? */
bool code_change_is_helper(const char *linkage);
