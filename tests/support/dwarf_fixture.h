/* What the tests of catalogues share: the compiled fixtures, and building a catalogue of one. */
#ifndef FATHOM_TESTS_DWARF_FIXTURE_H
#define FATHOM_TESTS_DWARF_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "dwarf/catalogue_build.h"

/*
 * The path of the fixture @name, until the next call; and is it there? (Those of clang may not be.)
 */
const char *fixture(void **state, const char *name);
bool has_fixture(void **state, const char *name);

/* A file that a test may write. */
const char *scratch_file(void **state);

/* A catalogue with features of what @pattern names; all functions if it is NULL. */
bool build(const char *path, const char *pattern, struct catalogue **ret, struct err *err);
struct catalogue *must_build(void **state, const char *name, const char *pattern);

/* Building fails with @code and a line that says @part. */
void assert_error(const char *path, const char *pattern, enum err_code code, const char *part);

/* The catalogue's text with features; the caller frees it. */
char *print(const struct catalogue *catalogue);

/* The one function of the catalogue. */
const struct function *only_function(const struct catalogue *catalogue);

/* A function's feature, NULL if it has none of that expression. */
const struct feature *find_feature(const struct function *function, const char *expression);

void assert_plan_text(const struct read_plan *plan, const char *expected);

/* A parameter's feature that can be read; @plan NULL: however. */
void assert_parameter(const struct function *function, const char *expression,
		      enum feature_type type, unsigned depth, const char *plan);

/* Run the tests with the directory of the fixtures, the only argument of main(). */
int run_with_fixtures(int argc, char **argv, struct CMUnitTest *tests, size_t n);

#endif
