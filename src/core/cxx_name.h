/*
 * Names of functions, as programmers write them.
 *
 * The canonical form of a demangled C++ name leaves out what nobody types: inline namespaces of the
 * standard library (std::__cxx11, std::__1), ABI tags ([abi:cxx11]), default template arguments of
 * the standard library (std::allocator, std::char_traits, std::less, …), the return type of
 * templates, and blanks without meaning: "std::__cxx11::list<int, std::allocator<int> >::sort()" is
 * "std::list<int>::sort()". Of Rust's names, `<path::Type>::method` is `path::Type::method`, and
 * `f::<T>` is `f<T>`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The canonical form, in @arena, of a C name, a demangled C++ name or a pattern of either. */
const char *cxx_name_canonical(struct arena *arena, const char *name);

/*
 * Does @pattern name the function? @canonical is the function's canonical name with parameters (if
 * any), @linkage its linkage name or NULL. A canonical pattern is a linkage name; or a name with
 * any of these left out: the parameters, leading scopes, template arguments, all or the last of a
 * template; or a glob (* ? [) over the name with or without parameters, or the linkage name.
 */
bool cxx_name_matches(const char *canonical, const char *linkage, const char *pattern);

bool cxx_name_is_glob(const char *pattern);

/* The last component without parameters and template arguments ("sort"), within @canonical. */
const char *cxx_name_plain(const char *canonical, size_t *ret_length);

/* The edit distance of two strings in bytes, at most @limit + 1. */
size_t cxx_name_distance(const char *a, const char *b, size_t limit);

/*
 * Is the last component of the canonical @name nearer to @wanted than *@ret_distance (SIZE_MAX at
 * first), and near at all? It is set then.
 */
bool cxx_name_is_nearer(const char *name, const char *wanted, size_t *ret_distance);
