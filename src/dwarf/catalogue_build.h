/*
 * Builds the catalogue from a program's ELF and DWARF.
 */
#pragma once

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "dwarf/file/request.h"

/*
 * The functions of the executable @path that @request selects; unmeasurable ones too, with the
 * reason. Functions that it lacks are looked for in the libraries that it needs, cost functions in
 * all of them. A pattern that names no function of the debug information may name one of the symbol
 * table. The caller owns *@ret.
 *
 * Errors, each with what to do: ERR_IO (no such file, not readable, a directory), ERR_FORMAT (not
 * ELF, broken), ERR_UNSUPPORTED (not x86-64, not an executable, neither debug information nor
 * symbols of functions), ERR_NOT_FOUND (a pattern that names no function; lists the nearest names),
 * ERR_USAGE (a pattern without glob characters that matches functions of several names; lists
 * them; a feature required of every function that none can have).
 */
bool catalogue_build(const char *path, const struct catalogue_request *request,
		     struct catalogue **ret, struct err *err);

/* Has the executable @path functions with names? Errors as above, but for patterns. */
bool catalogue_build_check(const char *path, const char *debuginfo_path, struct err *err);
