/*
 * The kinds of features, on the programs of fixtures/dwarf/kinds.c and kinds.cc. The first argument
 * is the directory of the compiled fixtures.
 */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/feature_list.h"
#include "dwarf/feature/range_pairs.h"

/* In unoptimised programs the parameters' slots differ; what is behind a pointer does not. */
static const char *plan_behind(const struct feature *feature, char **printed)
{
	size_t size;
	FILE *out = open_memstream(printed, &size);
	const char *nonnull;

	read_plan_print(&feature->plan, out);
	fclose(out);
	nonnull = strstr(*printed, "nonnull; ");
	return nonnull ? nonnull + strlen("nonnull; ") : *printed;
}

static void assert_behind(const struct function *function, const char *expression,
			  enum feature_type type, const char *plan)
{
	const struct feature *feature = find_feature(function, expression);
	char *printed = NULL;

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	assert_int_equal(feature->absence, PRESENT);
	assert_int_equal(feature->type, type);
	if (strcmp(plan_behind(feature, &printed), plan) != 0)
		fail_msg("%s is read by %s", expression, printed);
	free(printed);
}

static void assert_says(const struct function *function, const char *expression, const char *part)
{
	const struct feature *feature = find_feature(function, expression);

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	if (!strstr(feature->explanation, part))
		fail_msg("%s is said to be %s", expression, feature->explanation);
}

/* Every compiler lays structures out alike, so these tests hold for all builds of kinds.c. */
static const char *const c_builds[] = {"kinds-c-O0", "kinds-c-O2", "kinds-c-O1-dwarf3",
				       "kinds-clang-O0", "kinds-clang-O2"};
static const char *const cc_builds[] = {"kinds-cc-O0", "kinds-cc-O2", "kinds-clangxx-O0",
					"kinds-clangxx-O2"};

#define for_each_build(state, builds, name, pattern, catalogue)                          \
	for (size_t build_##name = 0; build_##name < sizeof(builds) / sizeof(*(builds)); \
	     build_##name++)                                                             \
		for (struct catalogue *catalogue =                                       \
			     has_fixture(state, builds[build_##name])                    \
				     ? must_build(state, builds[build_##name], pattern)  \
				     : NULL;                                             \
		     catalogue; catalogue_destroy(catalogue), catalogue = NULL)

static void members_of_unions_are_features_and_say_so(void **state)
{
	for_each_build(state, c_builds, c, "unions", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_behind(f, "tagged->small", FEATURE_INT, "add 8; load 4; signed 4");
		assert_behind(f, "tagged->large", FEATURE_INT, "add 8; load 8; signed 8");
		assert_behind(f, "tagged->high", FEATURE_INT, "add 10; load 2; signed 2");
		assert_behind(f, "tagged->value.as_double", FEATURE_FLOAT,
			      "add 16; load 8; float 8");
		assert_behind(f, "number->as_point.y", FEATURE_INT, "add 4; load 4; signed 4");
		assert_behind(f, "strlen(number->as_text)", FEATURE_INT,
			      "load 8; nonnull; strlen; unsigned 8");
		assert_int_equal(find_feature(f, "tagged->high")->depth, 1);
		assert_int_equal(find_feature(f, "number->as_point.y")->depth, 2);
		assert_says(f, "tagged->small", ", in a union: ");
		assert_says(f, "number->as_int", ", in a union: ");
		assert_says(f, "number->as_point.y", ", in a union: ");
		assert_says(f, "strlen(number->as_text)", ", in a union: ");
		assert_null(strstr(find_feature(f, "tagged->tag")->explanation, "union"));
	}
}

static void arrays_are_summed_and_small_ones_looked_into(void **state)
{
	for_each_build(state, c_builds, c, "arrays", catalogue)
	{
		const struct function *f = only_function(catalogue);
		const struct plan_array three = {3, 4, PLAN_SIGNED}, many = {20, 2, PLAN_UNSIGNED};
		char plan[64];

		snprintf(plan, sizeof(plan), "sum %lld; signed 8",
			 (long long)read_plan_pack_array(&three));
		assert_behind(f, "arrays->three[0] + arrays->three[1] + arrays->three[2]",
			      FEATURE_INT, plan);
		snprintf(plan, sizeof(plan), "add 12; sum %lld; signed 8",
			 (long long)read_plan_pack_array(&many));
		assert_behind(f, "sum(arrays->many)", FEATURE_INT, plan);
		assert_int_equal(find_feature(f, "arrays->huge[0] + arrays->huge[1]")->plan.result,
				 PLAN_UNSIGNED);
		assert_null(find_feature(f, "arrays->many[0]"));
		assert_non_null(find_feature(f, "sum(arrays->flags)"));
		assert_behind(f, "arrays->three[2]", FEATURE_INT, "add 8; load 4; signed 4");
		assert_int_equal(find_feature(f, "arrays->three[2]")->depth, 2);
		assert_behind(f, "arrays->flags[3]", FEATURE_BOOL, "add 75; load 1; bool 1");
		assert_behind(f, "arrays->reals[1]", FEATURE_FLOAT, "add 64; load 8; float 8");
		assert_behind(f, "arrays->levels[1]", FEATURE_ENUM, "add 212; load 4; signed 4");
		assert_behind(f, "arrays->corners[3].y", FEATURE_INT, "add 148; load 4; signed 4");
		assert_null(find_feature(f, "arrays->corners[4].y"));
		assert_behind(f, "arrays->matrix[1][2]", FEATURE_INT, "add 188; load 4; signed 4");
		assert_int_equal(find_feature(f, "arrays->matrix[1][2]")->depth, 2);
		assert_behind(f, "arrays->pointers[1] != 0", FEATURE_BOOL,
			      "add 200; load 8; bool 8");
		assert_behind(f, "*arrays->pointers[1]", FEATURE_INT,
			      "add 200; load 8; nonnull; load 4; signed 4");
		assert_behind(f, "(*row)[1]", FEATURE_INT, "add 4; load 4; signed 4");
	}
}

static void arrays_of_characters_are_strings_within_their_bounds(void **state)
{
	for_each_build(state, c_builds, c, "arrays", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_behind(f, "strlen(arrays->name)", FEATURE_INT,
			      "add 76; strnlen 16; unsigned 8");
		assert_behind(f, "strlen(arrays->names[2])", FEATURE_INT,
			      "add 108; strnlen 8; unsigned 8");
		assert_behind(f, "arrays->bytes[1]", FEATURE_INT, "add 117; load 1; signed 1");
		assert_null(find_feature(f, "arrays->name[0]"));
	}
}

static void arrays_that_cannot_be_read_say_why(void **state)
{
	for_each_build(state, c_builds, c, "arrays", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_says(f, "arrays->flexible", "an array ");
		assert_int_equal(find_feature(f, "arrays->flexible")->absence, ABSENT_UNSUPPORTED);
		assert_says(f, "arrays->none", "an array ");
		assert_int_equal(find_feature(f, "sum(arrays->big)")->absence, ABSENT_TOO_LONG);
		assert_says(f, "sum(arrays->big)", "160000 bytes");
		assert_int_equal(find_feature(f, "sum(arrays->big)")->plan.n_steps, 0);
	}
}

static void ends_of_ranges_make_a_distance_in_elements(void **state)
{
	for_each_build(state, c_builds, c, "ranges", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_true(find_feature(f, "range->m_end - range->m_begin"));
		assert_true(find_feature(f, "range->buf_end - range->buf_start"));
		assert_true(find_feature(f, "range->bufStop - range->bufStart"));
		assert_true(find_feature(f, "range->last - range->first"));
		assert_true(find_feature(f, "range->Stop - range->Start"));
		assert_true(find_feature(f, "range->Finish - range->Start"));
		assert_int_equal(find_feature(f, "range->last - range->first")->depth, 1);
		for (size_t i = 0; i < f->n_features; i++) {
			const char *text = f->features[i].expression;

			assert_null(strstr(text, "bend -"));
			assert_null(strstr(text, "last_error -"));
			assert_null(strstr(text, "last_a -"));
			assert_null(strstr(text, "opaque_last -"));
			assert_null(strstr(text, "range->end -"));
		}
	}
}

static void parameters_can_be_ends_of_a_range(void **state)
{
	struct catalogue *catalogue = must_build(state, "kinds-c-O2", "two_ends");

	assert_parameter(only_function(catalogue), "last - first", FEATURE_INT, 0,
			 "reg 4; reg 5; minus; const 4; div; signed 8");
	assert_parameter(only_function(catalogue), "end_index - start_index", FEATURE_INT, 0,
			 "reg 2; sext 4; reg 1; sext 4; minus; signed 8");
	catalogue_destroy(catalogue);
}

static void assert_partners(const char *name, const char *expected)
{
	struct arena *arena = arena_create();
	const char *names[PAIRS_NAMES_MAX], *all = "";
	const size_t n = range_pairs_names(name, arena, names);

	for (size_t i = 0; i < n; i++)
		all = arena_printf(arena, "%s%s%s", all, i ? " " : "", names[i]);
	assert_string_equal(all, expected);
	arena_destroy(arena);
}

static void ends_of_ranges_are_told_by_whole_words(void **state)
{
	(void)state;
	assert_partners("begin", "end");
	assert_partners("__begin_", "__end_");
	assert_partners("_M_start", "_M_finish _M_stop _M_end");
	assert_partners("bufStart", "bufFinish bufStop bufEnd");
	assert_partners("Begin", "End");
	assert_partners("ROW_FIRST", "ROW_LAST");
	assert_partners("first2", "last2");
	assert_partners("HTTPBegin", "HTTPEnd");
	assert_partners("first_begin", "last_begin first_end");
	assert_partners("minLen", "maxLen");
	assert_partners("lo", "hi");
	assert_partners("left_index", "right_index");
	assert_partners("minutes", "");
	assert_partners("local", "");
	assert_partners("restart", "");
	assert_partners("beginning", "");
	assert_partners("started", "");
	assert_partners("", "");
}

static void bit_fields_are_read_wherever_they_are(void **state)
{
	for_each_build(state, c_builds, c, "bit_fields", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_behind(f, "bits->a", FEATURE_INT,
			      "load 4; const 61; shl; const 61; shr; unsigned 4");
		assert_behind(f, "bits->b", FEATURE_INT,
			      "load 4; const 54; shl; const 57; shra; signed 4");
		assert_int_equal(find_feature(f, "bits->c")->type, FEATURE_BOOL);
		assert_behind(f, "bits->d", FEATURE_ENUM,
			      "load 4; const 41; shl; const 52; shra; signed 4");
		/*
		 * 37 bits from the 13th on, which no aligned word of its type's size holds with
		 * those of others.
		 */
		assert_behind(f, "packed->crosses", FEATURE_INT,
			      "load 8; const 14; shl; const 27; shr; unsigned 8");
		/*
		 * The last field lies in the last bytes of the structure; none behind it are read.
		 */
		assert_behind(f, "packed->b", FEATURE_INT,
			      "add 6; load 4; const 32; shl; const 34; shr; unsigned 4");
	}
}

static void wide_numbers_and_both_parts_of_complex_ones_are_read(void **state)
{
	for_each_build(state, c_builds, c, "wide", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_int_equal(find_feature(f, "*u")->type, FEATURE_INT);
		assert_int_equal(find_feature(f, "*p")->type, FEATURE_FLOAT);
		assert_non_null(find_feature(f, "$_creal(*w)"));
		assert_behind(f, "$_cimag(*w)", FEATURE_FLOAT, "add 4; load 4; float 4");
		assert_int_equal(find_feature(f, "l")->absence, PRESENT);
	}
}

static void pointers_tell_whether_they_are_null(void **state)
{
	for_each_build(state, c_builds, c, "words", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_int_equal(find_feature(f, "argv != 0")->depth, 0);
		assert_int_equal(find_feature(f, "*argv != 0")->depth, 1);
		assert_int_equal(find_feature(f, "strlen(*argv)")->depth, 2);
		assert_behind(f, "*argv != 0", FEATURE_BOOL, "load 8; bool 8");
		assert_says(f, "nothing != 0", "void");
		assert_says(f, "call != 0", "function");
		assert_says(f, "opaque != 0", "incomplete");
	}
}

static void neither_references_nor_this_can_be_null(void **state)
{
	for_each_build(state, cc_builds, cc, "scoped", catalogue)
	{
		assert_null(find_feature(only_function(catalogue), "moved != 0"));
		assert_non_null(find_feature(only_function(catalogue),
					     "reference != 0")); /* the pointer behind it */
		assert_behind(only_function(catalogue), "*reference", FEATURE_INT,
			      "load 8; nonnull; load 4; signed 4");
	}
	for_each_build(state, cc_builds, cc, "zoo::Counter::next", catalogue)
	{
		assert_null(find_feature(only_function(catalogue), "this != 0"));
		assert_non_null(find_feature(only_function(catalogue), "this->value"));
	}
}

static void enumerations_have_their_enumerators_as_labels(void **state)
{
	for_each_build(state, c_builds, c, "levels", catalogue)
	{
		const struct feature *level = find_feature(only_function(catalogue), "level");

		assert_int_equal(level->n_labels, 3);
		assert_string_equal(level->labels[0].name, "LOW");
		assert_true(level->labels[0].number == -5);
		assert_string_equal(level->labels[2].name, "HIGH");
		assert_true(level->labels[2].number == 1000);
		assert_int_equal(find_feature(only_function(catalogue), "*more")->n_labels, 3);
	}
	for_each_build(state, cc_builds, cc, "scoped", catalogue)
	{
		const struct feature *mode = find_feature(only_function(catalogue), "mode");

		assert_int_equal(mode->n_labels, 2);
		assert_true(mode->labels[1].number == 200);
	}
}

static void cycles_end_at_the_depth_limit(void **state)
{
	for_each_build(state, c_builds, c, "cycles", catalogue)
	{
		assert_non_null(find_feature(only_function(catalogue), "node->next->next->value"));
		assert_null(
			find_feature(only_function(catalogue), "node->next->next->next->value"));
		assert_int_equal(only_function(catalogue)->features_deep, 1);
	}
}

static void a_base_that_is_there_twice_is_reached_by_casts(void **state)
{
	for_each_build(state, cc_builds, cc, "zoo::Diamonds", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_behind(f, "d->hidden", FEATURE_INT, "add 24; load 4; signed 4");
		assert_behind(f, "d->right", FEATURE_INT, "add 20; load 4; signed 4");
		assert_behind(f, "static_cast<zoo::Top *>(static_cast<zoo::Right *>(d))->shared",
			      FEATURE_INT, "add 12; load 4; signed 4");
		assert_behind(f, "static_cast<zoo::Top *>(static_cast<zoo::Left *>(&r))->hidden",
			      FEATURE_INT, "add 4; load 4; signed 4");
		assert_null(find_feature(f, "d->shared"));
		assert_non_null(find_feature(f, "v->shared")); /* virtual: there is one */
	}
}

static void containers_have_a_number_of_elements(void **state)
{
	for_each_build(state, cc_builds, cc, "containers", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_non_null(find_feature(f, "v._M_impl._M_finish - v._M_impl._M_start"));
		assert_non_null(
			find_feature(f, "empty->_M_impl._M_finish - empty->_M_impl._M_start"));
	}
	for_each_build(state, cc_builds, cc, "between", catalogue) assert_int_equal(
		find_feature(only_function(catalogue), "last._M_current - first._M_current")->depth,
		1);
}

static void ends_of_lists_have_no_distance(void **state)
{
	for_each_build(state, cc_builds, cc, "not_arrays", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_int_equal(find_feature(f, "last._M_node - first._M_node")->absence,
				 ABSENT_UNSUPPORTED);
		assert_int_equal(find_feature(f, "chain->last - chain->first")->absence,
				 ABSENT_UNSUPPORTED);
		assert_int_equal(find_feature(f, "stop._M_current - start._M_current")->absence,
				 PRESENT);
		assert_int_equal(find_feature(f, "chain->end - chain->begin")->absence, PRESENT);
	}
}

static void iterators_of_several_members_get_on_by_one(void **state)
{
	for_each_build(state, cc_builds, cc, "blocks", catalogue)
	{
		const struct function *f = only_function(catalogue);

		assert_non_null(find_feature(
			f, "d._M_impl._M_finish._M_node - d._M_impl._M_start._M_node"));
		assert_non_null(find_feature(
			f, "bits._M_impl._M_finish._M_p - bits._M_impl._M_start._M_p"));
	}
}

static void strings_by_value_are_read_or_clang_is_told_to_describe_them(void **state)
{
	for_each_build(state, cc_builds, cc, "containers", catalogue)
	{
		const struct feature *string = find_feature(only_function(catalogue), "s");

		if (!string)
			assert_parameter(only_function(catalogue), "s._M_string_length",
					 FEATURE_INT, 1, NULL);
		else
			assert_string_equal(string->explanation,
					    "an incomplete type, which is not read (clang "
					    "describes more with -fstandalone-debug)");
	}
}

static void parameters_of_a_pack_are_numbered(void **state)
{
	for_each_build(state, cc_builds, cc, "pack", catalogue)
	{
		const struct function *f = only_function(catalogue);
		const struct feature *third = find_feature(f, "<parameter 3>");

		assert_null(find_feature(f, "rest"));
		if (third) /* gcc */
			assert_string_equal(third->explanation,
					    "one of a pack, whose names gcc does not tell");
		else
			assert_parameter(f, "rest#0", FEATURE_FLOAT, 0, NULL);
		assert_true(third || find_feature(f, "rest#1")->type == FEATURE_INT);
	}
}

static size_t count_shared(const struct function *one, const struct function *other)
{
	size_t shared = 0;

	for (size_t i = 0; i < one->n_features; i++) {
		const struct feature *feature = &one->features[i], *same;

		if (feature->provenance != FROM_GLOBAL)
			continue;
		same = find_feature(other, feature->expression);
		if (!same)
			continue;
		assert_ptr_equal(feature->expression, same->expression);
		assert_ptr_equal(feature->plan.steps, same->plan.steps);
		shared++;
	}
	return shared;
}

static void functions_share_what_they_say_of_the_same_variable(void **state)
{
	const struct catalogue_request request = {
		.features = true, .max_depth = 3, .max_features = 512, .globals = GLOBALS_UNIT};
	struct catalogue *catalogue;
	size_t shared = 0;
	struct err err;

	assert_true(catalogue_build(fixture(state, "c-O0"), &request, &catalogue, &err));
	for (size_t i = 1; i < catalogue->n_functions; i++)
		shared += count_shared(&catalogue->functions[i - 1], &catalogue->functions[i]);
	assert_true(shared > 0);
	catalogue_destroy(catalogue);
}

static void what_a_lambda_has_captured_is_a_feature(void **state)
{
	struct catalogue *catalogue =
		must_build(state, "kinds-cc-O0", "main::{lambda(int)#1}::operator()");

	assert_parameter(only_function(catalogue), "__closure->__number", FEATURE_INT, 1, NULL);
	assert_parameter(only_function(catalogue), "__closure->__counter.value", FEATURE_INT, 2,
			 NULL);
	assert_null(find_feature(only_function(catalogue), "__closure != 0"));
	catalogue_destroy(catalogue);
}

static void local_variables_are_counted(void **state)
{
	struct catalogue *catalogue = must_build(state, "kinds-c-O0", "with_locals");

	assert_int_equal(only_function(catalogue)->n_locals,
			 3); /* total, i, square; not the static one */
	catalogue_destroy(catalogue);
}

static void the_system_comes_last_and_is_always_there(void **state)
{
	static const char *const pattern = "cycles";
	struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.features = true,
		.max_depth = 3,
		.max_features = 1,
	};
	struct catalogue *catalogue;
	const struct function *f;
	struct err err;

	assert_true(catalogue_build(fixture(state, "kinds-c-O0"), &request, &catalogue, &err));
	f = only_function(catalogue);
	assert_int_equal(f->n_features, 1 + SYSTEM_CALL + 1);
	for (size_t i = 0; i < SYSTEM_CALL + 1; i++) {
		const struct feature *feature = &f->features[1 + i];

		assert_string_equal(feature->expression, feature_system_info(i)->expression);
		assert_int_equal(feature->provenance, FROM_SYSTEM);
		assert_int_equal(feature->system, i);
		assert_int_equal(feature->absence, PRESENT);
		assert_int_equal(feature->plan.n_steps, 0);
	}
	assert_true(f->features_cut >= 6); /* the other members, and what it returns */
	catalogue_destroy(catalogue);
}

static void without_debug_information_the_registers_of_arguments_are_features(void **state)
{
	struct arena *arena = arena_create();
	struct function function = {.name = "bare"};

	(void)state;
	feature_list_bare(&(struct feature_limits){0}, arena, &function);
	assert_int_equal(function.n_features, 6 + SYSTEM_CALL + 1);
	assert_parameter(&function, "$rdi", FEATURE_INT, 0, "reg 5; signed 8");
	assert_parameter(&function, "$rdx", FEATURE_INT, 0, "reg 1; signed 8");
	assert_parameter(&function, "$r9", FEATURE_INT, 0, "reg 9; signed 8");
	assert_says(&function, "$rdi",
		    "in rdi; what it means is not known: there is no debug information");
	arena_destroy(arena);
}

static void no_expression_is_there_twice(void **state)
{
	for_each_build(state, cc_builds, cc, NULL, catalogue)
	{
		for (size_t i = 0; i < catalogue->n_functions; i++) {
			const struct function *f = &catalogue->functions[i];

			for (size_t k = 0; k < f->n_features; k++)
				assert_ptr_equal(find_feature(f, f->features[k].expression),
						 &f->features[k]);
		}
	}
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_unions_are_features_and_say_so),
		cmocka_unit_test(arrays_are_summed_and_small_ones_looked_into),
		cmocka_unit_test(arrays_of_characters_are_strings_within_their_bounds),
		cmocka_unit_test(arrays_that_cannot_be_read_say_why),
		cmocka_unit_test(ends_of_ranges_make_a_distance_in_elements),
		cmocka_unit_test(parameters_can_be_ends_of_a_range),
		cmocka_unit_test(ends_of_ranges_are_told_by_whole_words),
		cmocka_unit_test(bit_fields_are_read_wherever_they_are),
		cmocka_unit_test(wide_numbers_and_both_parts_of_complex_ones_are_read),
		cmocka_unit_test(pointers_tell_whether_they_are_null),
		cmocka_unit_test(neither_references_nor_this_can_be_null),
		cmocka_unit_test(enumerations_have_their_enumerators_as_labels),
		cmocka_unit_test(cycles_end_at_the_depth_limit),
		cmocka_unit_test(a_base_that_is_there_twice_is_reached_by_casts),
		cmocka_unit_test(containers_have_a_number_of_elements),
		cmocka_unit_test(strings_by_value_are_read_or_clang_is_told_to_describe_them),
		cmocka_unit_test(parameters_of_a_pack_are_numbered),
		cmocka_unit_test(ends_of_lists_have_no_distance),
		cmocka_unit_test(iterators_of_several_members_get_on_by_one),
		cmocka_unit_test(functions_share_what_they_say_of_the_same_variable),
		cmocka_unit_test(what_a_lambda_has_captured_is_a_feature),
		cmocka_unit_test(local_variables_are_counted),
		cmocka_unit_test(the_system_comes_last_and_is_always_there),
		cmocka_unit_test(without_debug_information_the_registers_of_arguments_are_features),
		cmocka_unit_test(no_expression_is_there_twice),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
