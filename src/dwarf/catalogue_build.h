/*
 * Building the catalogue from an executable's ELF and DWARF.
 */
#pragma once

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "dwarf/file/request.h"

/*
 * The functions of the executable @path that @request asks for, unmeasurable ones included, with
 * the reason. What it does not have is looked for in the libraries that it needs. Cost
 * functions are looked for in all of them. A pattern that names
 * no function of the debug information may name one of the symbol table.
 *
 * Errors, each with what to do: ERR_IO (no such file, not readable, a directory), ERR_FORMAT (not
 * ELF, broken), ERR_UNSUPPORTED (not x86-64, not an executable, neither debug
 * information nor symbols of functions),
 * ERR_NOT_FOUND (a pattern that names no function; the nearest names are given), ERR_USAGE (a
 * pattern without glob characters that names functions of several names; they are listed).
 */
bool catalogue_build(const char *path, const struct catalogue_request *request,
		     struct catalogue **ret, struct err *err);
