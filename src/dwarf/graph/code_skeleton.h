/*
 * The skeleton of a function, from its machine code: loops are jumps backwards, which enclose what
 * is between their ends.
 */
#pragma once

#include "base/err.h"
#include "core/annotation/skeleton.h"
#include "core/catalogue/code_graph.h"

/*
 * Of the function @node of @graph, that of the program @path; @ret lives in @arena. Parts of a
 * function that lie elsewhere, as what is rarely executed, are not looked at. Errors as of
 * code_graph_build().
 */
bool code_skeleton_find(const char *path, const char *debuginfo_path,
			const struct code_graph *graph, size_t node, struct arena *arena,
			struct skeleton *ret, struct err *err);
