/*
 * What is reached beside parameters and from them: run-time classes, globals, what a function
 * returns, types that other units define. On the programs of fixtures/dwarf/kinds.c and kinds.cc;
 * the first argument is the directory of the compiled fixtures.
 */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct catalogue *build_with(void **state, const char *name, const char *pattern,
				    size_t max_features)
{
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.features = true,
		.max_depth = 3,
		.max_features = max_features,
		.globals = GLOBALS_UNIT,
	};
	struct catalogue *catalogue;
	struct err err;

	if (!catalogue_build(fixture(state, name), &request, &catalogue, &err))
		fail_msg("%s: %s", name, err.text);
	return catalogue;
}

static const struct feature *must_find(const struct function *function, const char *expression,
				       enum feature_type type, enum provenance provenance,
				       unsigned depth)
{
	const struct feature *feature = find_feature(function, expression);

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	if (feature->absence != PRESENT)
		fail_msg("%s is absent: %s", expression, feature->explanation);
	assert_int_equal(feature->type, type);
	assert_int_equal(feature->provenance, provenance);
	assert_int_equal(feature->depth, depth);
	return feature;
}

static void assert_plan_has(const struct feature *feature, const char *part)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	read_plan_print(&feature->plan, out);
	fclose(out);
	if (!strstr(printed, part))
		fail_msg("%s is read by %s", feature->expression, printed);
	free(printed);
}

static void what_a_pointer_is_returned_to_is_known_at_return(void **state)
{
	static const char *const names[] = {"kinds-c-O0", "kinds-c-O2", "kinds-clang-O0",
					    "kinds-clang-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct feature *feature;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = build_with(state, names[i], "returns_pointer", 512);
		feature = must_find(only_function(catalogue), "return != 0", FEATURE_BOOL,
				    FROM_RETURN, 0);
		assert_plan_text(&feature->plan, "reg 0; bool 8");
		assert_string_equal(feature->explanation, "in rax, when it returns");
		feature = must_find(only_function(catalogue), "return->y", FEATURE_INT, FROM_RETURN,
				    1);
		assert_plan_text(&feature->plan, "reg 0; nonnull; add 4; load 4; signed 4");
		catalogue_destroy(catalogue);
		catalogue = build_with(state, names[i], "returns_text", 512);
		feature = must_find(only_function(catalogue), "strlen(return)", FEATURE_INT,
				    FROM_RETURN, 1);
		assert_plan_text(&feature->plan, "reg 0; nonnull; strlen; unsigned 8");
		catalogue_destroy(catalogue);
	}
}

static void returned_numbers_and_structures_are_features(void **state)
{
	struct catalogue *catalogue = build_with(state, "kinds-c-O2", "cycles", 512);
	const struct feature *feature =
		must_find(only_function(catalogue), "return", FEATURE_INT, FROM_RETURN, 0);

	assert_plan_text(&feature->plan, "reg 0; signed 8");
	catalogue_destroy(catalogue);
	catalogue = build_with(state, "kinds-c-O2", "returns_point", 512);
	must_find(only_function(catalogue), "return.x", FEATURE_INT, FROM_RETURN, 1);
	must_find(only_function(catalogue), "return.y", FEATURE_INT, FROM_RETURN, 1);
	catalogue_destroy(catalogue);
	catalogue = build_with(state, "kinds-cc-O2", "returns_string", 512);
	feature = must_find(only_function(catalogue), "return._M_string_length", FEATURE_INT,
			    FROM_RETURN, 1);
	assert_plan_text(&feature->plan, "reg 0; add 8; load 8; unsigned 8");
	catalogue_destroy(catalogue);
	catalogue = build_with(state, "kinds-cc-O2", "returns_animal", 512);
	must_find(only_function(catalogue), "typeid(*return)", FEATURE_CLASS, FROM_RETURN, 1);
	catalogue_destroy(catalogue);
	catalogue = build_with(state, "kinds-c-O2", "returns_nothing", 512);
	for (size_t i = 0; i < only_function(catalogue)->n_features; i++)
		assert_int_not_equal(only_function(catalogue)->features[i].provenance, FROM_RETURN);
	catalogue_destroy(catalogue);
}

static void globals_come_behind_parameters_and_results_and_are_cut_first(void **state)
{
	static const enum provenance order[] = {FROM_PARAMETER, FROM_RETURN, FROM_GLOBAL,
						FROM_SYSTEM};
	struct catalogue *catalogue = build_with(state, "kinds-c-O0", "with_locals", 512);
	const struct function *f = only_function(catalogue);
	size_t at = 0;

	must_find(f, "calls", FEATURE_INT, FROM_GLOBAL, 0);
	must_find(f, "file_static", FEATURE_INT, FROM_GLOBAL, 0);
	must_find(f, "thread_local_count", FEATURE_INT, FROM_GLOBAL, 0);
	for (size_t i = 0; i < f->n_features; i++) {
		while (at < 4 && order[at] != f->features[i].provenance)
			at++;
		assert_true(at < 4);
	}
	catalogue_destroy(catalogue);
	catalogue = build_with(state, "kinds-c-O0", "with_locals", 2);
	f = only_function(catalogue);
	assert_int_equal(f->n_features, 2 + SYSTEM_CALL + 1);
	assert_string_equal(f->features[0].expression, "n");
	assert_string_equal(f->features[1].expression, "return");
	assert_true(f->features_cut >= 4);
	catalogue_destroy(catalogue);
}

static void a_parameter_hides_a_global_of_its_name(void **state)
{
	struct catalogue *catalogue = build_with(state, "kinds-c-O0", "hides", 512);

	must_find(only_function(catalogue), "global_count", FEATURE_INT, FROM_PARAMETER, 0);
	catalogue_destroy(catalogue);
}

static void objects_with_virtual_functions_have_a_class(void **state)
{
	static const char *const names[] = {"kinds-cc-O0", "kinds-cc-O2", "kinds-clangxx-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct function *f;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = build_with(state, names[i], "zoo::pet", 512);
		f = only_function(catalogue);
		assert_plan_has(must_find(f, "typeid(*animal)", FEATURE_CLASS, FROM_PARAMETER, 1),
				"nonnull; load 8; class; unsigned 8");
		assert_plan_has(must_find(f, "typeid(other)", FEATURE_CLASS, FROM_PARAMETER, 1),
				"nonnull; load 8; class; unsigned 8");
		catalogue_destroy(catalogue);
		catalogue = build_with(state, names[i], "zoo::Counter::next", 512);
		assert_null(find_feature(only_function(catalogue), "typeid(*this)"));
		catalogue_destroy(catalogue);
	}
}

static void members_of_derived_classes_are_features(void **state)
{
	struct catalogue *catalogue = build_with(state, "kinds-cc-O0", "zoo::pet", 512);
	const struct function *f = only_function(catalogue);
	const struct feature *feature =
		must_find(f, "dynamic_cast<const zoo::Dog *>(animal)->tricks", FEATURE_INT,
			  FROM_PARAMETER, 1);

	assert_plan_has(feature, "nonnull; dup; load 8; dup; cast ");
	assert_plan_has(feature, "; swap; add -16; load 8; plus; plus; add 16; load 4; signed 4");
	must_find(f, "dynamic_cast<const zoo::Puppy *>(animal)->hours_asleep", FEATURE_INT,
		  FROM_PARAMETER, 1);
	must_find(f, "dynamic_cast<zoo::Cat &>(other).lives", FEATURE_INT, FROM_PARAMETER, 1);
	must_find(f, "dynamic_cast<const zoo::Cat *>(animal)->age", FEATURE_INT, FROM_PARAMETER, 1);
	must_find(f, "strlen(dynamic_cast<const zoo::Cat *>(animal)->label)", FEATURE_INT,
		  FROM_PARAMETER, 2);
	/* Both bases of Parrot have an age. */
	must_find(f,
		  "static_cast<const zoo::Named *>(dynamic_cast<const zoo::Parrot *>(animal))->age",
		  FEATURE_INT, FROM_PARAMETER, 1);
	must_find(f, "static_cast<zoo::Named *>(&dynamic_cast<zoo::Parrot &>(other))->age",
		  FEATURE_INT, FROM_PARAMETER, 1);
	/* Members of bases are known by the expressions of those. */
	assert_null(find_feature(f, "dynamic_cast<const zoo::Puppy *>(animal)->tricks"));
	assert_null(find_feature(f, "dynamic_cast<const zoo::Dog *>(animal)->age"));
	catalogue_destroy(catalogue);
}

static void structures_that_another_unit_defines_are_looked_into(void **state)
{
	struct catalogue *catalogue = build_with(state, "kinds-c-elsewhere", "words", 512);
	const struct function *f = only_function(catalogue);

	must_find(f, "opaque->inside", FEATURE_INT, FROM_PARAMETER, 1);
	assert_int_equal(must_find(f, "opaque->state", FEATURE_ENUM, FROM_PARAMETER, 1)->n_labels,
			 2);
	must_find(f, "opaque->next->inside", FEATURE_INT, FROM_PARAMETER, 2);
	assert_null(strstr(find_feature(f, "opaque != 0")->explanation, "incomplete"));
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_pointer_is_returned_to_is_known_at_return),
		cmocka_unit_test(returned_numbers_and_structures_are_features),
		cmocka_unit_test(globals_come_behind_parameters_and_results_and_are_cut_first),
		cmocka_unit_test(a_parameter_hides_a_global_of_its_name),
		cmocka_unit_test(objects_with_virtual_functions_have_a_class),
		cmocka_unit_test(members_of_derived_classes_are_features),
		cmocka_unit_test(structures_that_another_unit_defines_are_looked_into),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
