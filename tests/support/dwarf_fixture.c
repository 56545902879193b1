/* What the tests of catalogues share. */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };

struct context {
	const char *fixtures;
	char scratch[64];
};

static struct context *context_of(void **state)
{
	return *state;
}

const char *fixture(void **state, const char *name)
{
	static char path[TEXT_MAX];

	snprintf(path, sizeof(path), "%s/%s", context_of(state)->fixtures, name);
	return path;
}

const char *scratch_file(void **state)
{
	return context_of(state)->scratch;
}

bool has_fixture(void **state, const char *name)
{
	return access(fixture(state, name), R_OK) == 0;
}

bool build(const char *path, const char *pattern, struct catalogue **ret, struct err *err)
{
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.features = true,
		.max_depth = 3,
		.max_features = 512,
	};

	*ret = NULL;
	*err = (struct err){0};
	return catalogue_build(path, &request, ret, err);
}

struct catalogue *must_build(void **state, const char *name, const char *pattern)
{
	struct catalogue *catalogue;
	struct err err;

	if (!build(fixture(state, name), pattern, &catalogue, &err))
		fail_msg("%s: %s", name, err.text);
	return catalogue;
}

void assert_error(const char *path, const char *pattern, enum err_code code, const char *part)
{
	struct catalogue *catalogue;
	struct err err;

	if (build(path, pattern, &catalogue, &err))
		fail_msg("%s %s: no error", path, pattern ? pattern : "");
	assert_null(catalogue);
	assert_int_equal(err.code, code);
	assert_null(strchr(err.text, '\n'));
	if (!strstr(err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

char *print(const struct catalogue *catalogue)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	catalogue_print(catalogue, CATALOGUE_FEATURES, out);
	fclose(out);
	return text;
}

/* The one function that @pattern names. */
const struct function *only_function(const struct catalogue *catalogue)
{
	if (catalogue->n_functions != 1)
		fail_msg("%zu functions instead of one", catalogue->n_functions);
	return &catalogue->functions[0];
}

const struct feature *find_feature(const struct function *function, const char *expression)
{
	for (size_t i = 0; i < function->n_features; i++) {
		if (!strcmp(function->features[i].expression, expression))
			return &function->features[i];
	}
	return NULL;
}

void assert_plan_text(const struct read_plan *plan, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	read_plan_print(plan, out);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

void assert_parameter(const struct function *function, const char *expression,
		      enum feature_type type, unsigned depth, const char *plan)
{
	const struct feature *feature = find_feature(function, expression);

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	assert_int_equal(feature->absence, PRESENT);
	assert_int_equal(feature->type, type);
	assert_int_equal(feature->depth, depth);
	assert_int_equal(feature->provenance, FROM_PARAMETER);
	if (plan)
		assert_plan_text(&feature->plan, plan);
}

int run_with_fixtures(int argc, char **argv, struct CMUnitTest *tests, size_t n)
{
	struct context context = {.scratch = "/tmp/fathom-test-dwarf-XXXXXX"};
	int fd, failed;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	context.fixtures = argv[1];
	fd = mkstemp(context.scratch);
	if (fd < 0)
		return 2;
	close(fd);
	for (size_t i = 0; i < n; i++)
		tests[i].initial_state = &context;
	failed = _cmocka_run_group_tests("dwarf", tests, n, NULL, NULL);
	unlink(context.scratch);
	return failed;
}
