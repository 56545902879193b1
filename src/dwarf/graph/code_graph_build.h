/*
 * Makes the call graph of a program or library from its machine code.
 */
#pragma once

#include "base/err.h"
#include "core/catalogue/code_graph.h"

/*
 * The functions are those of the symbol table, also of a separate debug file. @debuginfo_path: as
 * in struct catalogue_request. The caller owns *@ret, which is finished. Errors as of
 * catalogue_build(); ERR_UNSUPPORTED: it is stripped.
 */
bool code_graph_build(const char *path, const char *debuginfo_path, enum code_sameness sameness,
		      struct code_graph **ret, struct err *err);
