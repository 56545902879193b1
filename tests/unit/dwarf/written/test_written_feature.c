/*
 * Features that are written: what the search finds is the oracle. An expression in parentheses is no
 * name of its own, so it is compiled. On fixtures/dwarf; the first argument is their directory.
 */
#include "dwarf_fixture.h"
#include "dwarf/feature_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct catalogue *build_requiring(void **state, const char *name,
					 const struct required_feature *required, size_t n)
{
	const struct catalogue_request request = {
		.features = true,
		.max_depth = 3,
		.max_features = 200,
		.globals = GLOBALS_UNIT,
		.required = required,
		.n_required = n,
	};
	struct catalogue *catalogue;
	struct err err;

	if (!catalogue_build(fixture(state, name), &request, &catalogue, &err))
		fail_msg("%s: %s", name, err.text);
	return catalogue;
}

/* Does C read it as the search does? It sums by loading each element, and compares by a step. */
static bool is_plain(const char *expression)
{
	return !strpbrk(expression, " <>$") && strncmp(expression, "sum(", 4) != 0 &&
	       strncmp(expression, "typeid(", 7) != 0;
}

static char *plan_text(const struct read_plan *plan)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	read_plan_print(plan, out);
	fclose(out);
	return printed;
}

static size_t compare_all(const struct function *found, const struct function *written,
			  struct arena *arena)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n_features; i++) {
		const struct feature *feature = &found->features[i], *again;
		const char *name = arena_printf(arena, "(%s)", feature->expression);
		char *x, *y;

		if (feature->absence != PRESENT || feature->provenance == FROM_SYSTEM ||
		    !is_plain(feature->expression))
			continue;
		again = find_feature(written, name);
		if (!again)
			fail_msg("%s has no %s", written->name, name);
		assert_int_equal(again->type, feature->type);
		assert_int_equal(again->provenance, feature->provenance);
		assert_int_equal(again->n_labels, feature->n_labels);
		x = plan_text(&feature->plan);
		y = plan_text(&again->plan);
		assert_string_equal(x, y);
		free(x);
		free(y);
		n++;
	}
	return n;
}

static size_t functions_compare(void **state, const char *name)
{
	struct catalogue *found = build_requiring(state, name, NULL, 0), *written;
	struct arena *arena = arena_create();
	struct required_feature *required;
	size_t n = 0, n_same = 0;

	for (size_t i = 0; i < found->n_functions; i++)
		n += found->functions[i].n_features;
	required = arena_array(arena, struct required_feature, n + 1);
	n = 0;
	for (size_t i = 0; i < found->n_functions; i++)
		for (size_t j = 0; j < found->functions[i].n_features; j++)
			required[n++] = (struct required_feature){
				found->functions[i].name,
				arena_printf(arena, "(%s)",
					     found->functions[i].features[j].expression)};
	written = build_requiring(state, name, required, n);
	assert_int_equal(written->n_functions, found->n_functions);
	for (size_t i = 0; i < found->n_functions; i++)
		n_same += compare_all(&found->functions[i], &written->functions[i], arena);
	arena_destroy(arena);
	catalogue_destroy(written);
	catalogue_destroy(found);
	return n_same;
}

static void what_the_search_finds_can_be_written(void **state)
{
	static const char *const names[] = {"kinds-c-O0",  "kinds-c-O2",     "kinds-cc-O0",
					    "kinds-cc-O2", "kinds-clang-O2", "kinds-clangxx-O2"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (has_fixture(state, names[i]))
			n += functions_compare(state, names[i]);
	assert_true(n > 500);
}

static void names_of_features_that_are_expressions_print_as_they_are(void **state)
{
	static const char *const names[] = {"kinds-c-O0", "kinds-cc-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *found = build_requiring(state, names[i], NULL, 0);
		struct arena *arena = arena_create();

		for (size_t j = 0; j < found->n_functions; j++)
			for (size_t k = 0; k < found->functions[j].n_features; k++) {
				const char *name = found->functions[j].features[k].expression;
				const struct required_feature required = {NULL, name};
				struct feature_limits limits;

				feature_list_require(&required, 1, NULL, arena, &limits);
				assert_string_equal(limits.required[0], name);
			}
		arena_destroy(arena);
		catalogue_destroy(found);
	}
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_search_finds_can_be_written),
		cmocka_unit_test(names_of_features_that_are_expressions_print_as_they_are),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
