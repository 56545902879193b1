/*
 * Catalogues of the programs in fixtures/dwarf: names, probe addresses, exits, features. The first
 * argument is the directory of the compiled fixtures.
 */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_exits(const struct function *function, enum exit_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < function->n_exits; i++)
		n += function->exits[i].kind == kind;
	return n;
}

/* The registers are those of the calling convention, so every compiler must give these plans. */
static void optimised_parameters_are_read_at_the_entry(void **state)
{
	static const char *const names[] = {"c-O2",        "c-O2-fixed", "c-debug-frame",
					    "c-O1-dwarf4", "c-split",    "clang-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct function *function;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "scalars");
		function = only_function(catalogue);
		assert_null(function->unmeasurable);
		assert_int_equal(function->probe_addr, function->entry_addr);
		assert_false(function->probe_in_loop);
		assert_plan_text(&function->cfa, "reg 7; add 8; unsigned 8");
		assert_parameter(function, "a", FEATURE_INT, 0, "reg 5; signed 4");
		assert_parameter(function, "b", FEATURE_INT, 0, "reg 4; unsigned 1");
		assert_parameter(function, "c", FEATURE_BOOL, 0, NULL); /* clang converts it */
		assert_parameter(function, "d", FEATURE_ENUM, 0, "reg 2; signed 4");
		assert_parameter(function, "e", FEATURE_FLOAT, 0, "reg 17; float 8");
		assert_parameter(function, "f", FEATURE_FLOAT, 0, "reg 18; float 4");
		assert_parameter(function, "g", FEATURE_INT, 0, "reg 8; signed 8");
		assert_parameter(function, "h", FEATURE_INT, 0, "reg 9; signed 2");
		assert_parameter(function, "i", FEATURE_INT, 0, "reg 7; add 8; load 8; signed 8");
		assert_string_equal(find_feature(function, "a")->explanation, "in rdi");
		catalogue_destroy(catalogue);
	}
}

static void pointers_are_followed_breadth_first(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "pointers");
	const struct function *f = only_function(catalogue);

	assert_parameter(f, "strlen(name)", FEATURE_INT, 1, "reg 5; nonnull; strlen; unsigned 8");
	assert_parameter(f, "*number", FEATURE_INT, 1, "reg 4; nonnull; load 4; signed 4");
	assert_parameter(f, "strlen(*names)", FEATURE_INT, 2,
			 "reg 1; nonnull; load 8; nonnull; strlen; unsigned 8");
	assert_parameter(f, "shape->small", FEATURE_INT, 1,
			 "reg 2; nonnull; add 24; load 1; unsigned 1");
	assert_parameter(f, "shape->negative", FEATURE_INT, 1,
			 "reg 2; nonnull; add 26; load 2; signed 2");
	assert_parameter(
		f, "shape->flags", FEATURE_INT, 1,
		"reg 2; nonnull; add 28; load 4; const 61; shl; const 61; shr; unsigned 4");
	assert_parameter(f, "shape->delta", FEATURE_INT, 1,
			 "reg 2; nonnull; add 28; load 4; const 56; shl; const 59; shra; signed 4");
	assert_parameter(f, "shape->ready", FEATURE_BOOL, 1,
			 "reg 2; nonnull; add 29; load 1; bool 1");
	assert_parameter(f, "shape->colour", FEATURE_ENUM, 1, NULL);
	assert_parameter(f, "shape->area", FEATURE_FLOAT, 1,
			 "reg 2; nonnull; add 40; load 8; float 8");
	assert_parameter(f, "shape->anonymous_member", FEATURE_INT, 1, NULL);
	assert_parameter(f, "shape->inner.weight", FEATURE_INT, 2,
			 "reg 2; nonnull; load 8; signed 8");
	assert_parameter(f, "strlen(shape->inner.label)", FEATURE_INT, 3, NULL);
	assert_parameter(f, "shape->next->next->small", FEATURE_INT, 3, NULL);
	assert_null(find_feature(f, "shape->next->next->inner.weight"));
	assert_string_equal(find_feature(f, "shape->small")->explanation, "at rcx+24");
	for (size_t i = 1; i < f->n_features; i++)
		if (f->features[i].provenance == f->features[i - 1].provenance)
			assert_true(f->features[i - 1].depth <= f->features[i].depth);
	catalogue_destroy(catalogue);
}

static void of_pointers_to_what_cannot_be_read_it_is_known_whether_they_are_null(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "pointers");
	const struct function *f = only_function(catalogue);

	assert_parameter(f, "anything != 0", FEATURE_BOOL, 0, "reg 8; bool 8");
	assert_parameter(f, "opaque != 0", FEATURE_BOOL, 0, "reg 9; bool 8");
	assert_parameter(f, "callback != 0", FEATURE_BOOL, 0, NULL);
	assert_parameter(f, "shape->callback != 0", FEATURE_BOOL, 1, NULL);
	assert_string_equal(find_feature(f, "anything != 0")->explanation,
			    "in r8; its target is void, which is not read");
	assert_string_equal(find_feature(f, "opaque != 0")->explanation,
			    "in r9; its target type is incomplete: no debug information that is "
			    "here defines it");
	assert_non_null(
		strstr(find_feature(f, "callback != 0")->explanation, "its target is a function"));
	catalogue_destroy(catalogue);
}

static void unoptimised_parameters_are_read_behind_the_prologue(void **state)
{
	static const char *const names[] = {"c-O0", "c-O0-pg", "clang-O0", "clang-O0-pg"};
	static const char *const functions[] = {"scalars", "pointers", "one_line", "two_exits"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t k = 0;
		     has_fixture(state, names[i]) && k < sizeof(functions) / sizeof(*functions);
		     k++) {
			struct catalogue *catalogue = must_build(state, names[i], functions[k]);
			const struct function *function = only_function(catalogue);

			assert_true(function->probe_addr > function->entry_addr);
			assert_true(catalogue_contains(function, function->probe_addr));
			assert_plan_text(&function->cfa, "reg 6; add 16; unsigned 8");
			for (size_t f = 0; f < function->n_features; f++) {
				const struct feature *feature = &function->features[f];

				if (feature->plan.n_steps && feature->provenance == FROM_PARAMETER)
					assert_int_equal(feature->plan.steps[0].arg, 6);
			}
			catalogue_destroy(catalogue);
		}
	}
}

static bool read_code(const char *path, uint64_t offset, uint8_t *to, size_t n)
{
	FILE *file = fopen(path, "rb");
	bool ok = file && fseek(file, (long)offset, SEEK_SET) == 0 && fread(to, 1, n, file) == n;

	if (file)
		fclose(file);
	return ok;
}

/*
 * clang marks the end of the prologue before the call of mcount, and stores the parameter behind
 * it.
 */
static void the_probe_lies_behind_the_store_that_fills_the_slot(void **state)
{
	static const uint8_t store_edi[] = {0x89, 0x7d}; /* mov %edi,disp8(%rbp) */
	static const char *const names[] = {"clang-O0", "clang-O0-pg", "c-O0"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct function *function;
		uint8_t code[3];

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "one_line");
		function = only_function(catalogue);
		assert_parameter(function, "n", FEATURE_INT, 0, NULL);
		assert_int_equal(function->features[0].plan.steps[1].op, PLAN_ADD);
		/* The first segments of these programs lie at their file offsets. */
		assert_true(read_code(fixture(state, names[i]), function->probe_addr - 3, code, 3));
		assert_memory_equal(code, store_edi, 2);
		assert_int_equal((int8_t)code[2], function->features[0].plan.steps[1].arg);
		catalogue_destroy(catalogue);
	}
}

/* -fstack-protector-all makes gcc copy the structure below the guard. */
static void the_probe_waits_for_a_structure_that_the_function_copies(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2-guarded", "by_value");
	const struct function *function = only_function(catalogue);
	const struct feature *weight = find_feature(function, "shape.inner.weight");

	if (!weight) { /* gcc 14 fills the slot when the other parameter is gone */
		weight = find_feature(function, "shape");
		assert_non_null(weight);
		assert_int_equal(weight->absence, ABSENT_OPTIMIZED_OUT);
		assert_non_null(strstr(weight->explanation, "filled later"));
		assert_non_null(find_feature(function, "pair.first"));
	} else if (weight->explanation[6] == '-') { /* at CFA-… */
		assert_int_equal(weight->absence, PRESENT);
		assert_true(function->probe_addr > function->entry_addr + 16);
	}
	catalogue_destroy(catalogue);
}

static void exits_are_found(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "hand_over");

	assert_int_equal(count_exits(only_function(catalogue), EXIT_TAIL_JUMP), 1);
	assert_int_equal(only_function(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2", "hand_over_indirectly");
	assert_int_equal(count_exits(only_function(catalogue), EXIT_INDIRECT_JUMP), 1);
	assert_int_equal(only_function(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2", "never_returns");
	assert_int_equal(only_function(catalogue)->n_exits, 0);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O0", "two_exits");
	assert_int_equal(count_exits(only_function(catalogue), EXIT_RETURN), 1);
	assert_int_equal(only_function(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
}

static void jump_tables_are_no_exits(void **state)
{
	static const char *const names[] = {"c-O0",    "c-O2",     "c-O2-fixed",
					    "c-O0-pg", "clang-O0", "clang-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "choose");
		assert_int_equal(count_exits(only_function(catalogue), EXIT_INDIRECT_JUMP), 0);
		assert_true(count_exits(only_function(catalogue), EXIT_RETURN) > 0);
		catalogue_destroy(catalogue);
	}
}

static void a_probe_that_a_loop_passes_is_marked(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O0", "loop");

	assert_true(only_function(catalogue)->probe_in_loop);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O0", "two_exits");
	assert_false(only_function(catalogue)->probe_in_loop);
	catalogue_destroy(catalogue);
}

/* How they are numbered is the compiler's matter. */
static void generic_lambdas_are_found_by_their_names(void **state)
{
	struct catalogue *listed = must_build(state, "cc-O0", "*{lambda(auto:1)*");
	const char *name = only_function(listed)->name;
	struct catalogue *catalogue = must_build(state, "cc-O0", name);

	assert_non_null(strstr(name, "::operator()<int>(int) const"));
	assert_string_equal(only_function(catalogue)->name, name);
	catalogue_destroy(catalogue);
	catalogue_destroy(listed);
}

static void functions_are_found_by_the_names_that_programmers_write(void **state)
{
	static const struct {
		const char *pattern, *name;
	} cases[] = {
		{"std::list<int>::sort", "std::list<int>::sort()"},
		{"std::__cxx11::list<int, std::allocator<int> >::sort()", "std::list<int>::sort()"},
		{"list<int>::sort", "std::list<int>::sort()"},
		{"_ZNSt7__cxx114listIiSaIiEE4sortEv", "std::list<int>::sort()"},
		{"zoo::Derived::operator()", "zoo::Derived::operator()(int)"},
		{"zoo::Derived::operator<", "zoo::Derived::operator<(const zoo::Derived&) const"},
		{"zoo::Derived::operator long", "zoo::Derived::operator long() const"},
		{"in_anonymous", "zoo::(anonymous namespace)::in_anonymous(long)"},
		{"zoo::overloaded(double)", "zoo::overloaded(double)"},
		{"_ZN3zoo10overloadedEi", "zoo::overloaded(int)"},
		{"zoo::measure<std::string>", "zoo::measure<std::string>(const std::string&, int)"},
		{"zoo::measure<std::map<std::string, int>>",
		 "zoo::measure<std::map<std::string, int>>(const std::map<std::string, int>&, int)"},
		{"main::{lambda(int)#1}::operator()",
		 "main::{lambda(int)#1}::operator()(int) const"},
		{"shapes.cc:{lambda(int)#1}::operator()",
		 "main::{lambda(int)#1}::operator()(int) const"},
		{"main", "main"},
	};
	static const char *const names[] = {"cc-O0", "cc-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			struct catalogue *catalogue = must_build(state, names[i], cases[k].pattern);

			/* Optimised, it may be a clone: `… [clone .isra.0]`. */
			if (strncmp(only_function(catalogue)->name, cases[k].name,
				    strlen(cases[k].name)))
				fail_msg("%s found %s", cases[k].pattern,
					 only_function(catalogue)->name);
			assert_null(only_function(catalogue)->unmeasurable);
			catalogue_destroy(catalogue);
		}
	}
}

static void a_glob_names_several_functions_in_order(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O2", "zoo::over*");

	assert_int_equal(catalogue->n_functions, 2);
	assert_string_equal(catalogue->functions[0].name, "zoo::overloaded(double)");
	assert_string_equal(catalogue->functions[1].name, "zoo::overloaded(int)");
	catalogue_destroy(catalogue);
}

static void a_name_of_several_functions_is_refused_with_the_list(void **state)
{
	assert_error(fixture(state, "cc-O2"), "overloaded", ERR_USAGE,
		     "zoo::overloaded(double); zoo::overloaded(int)");
	assert_error(fixture(state, "cc-O0"), "std::list<int>::begin*x", ERR_NOT_FOUND,
		     "no function");
}

static void a_name_of_several_functions_means_all_of_them_if_that_is_asked_for(void **state)
{
	static const char *const pattern = "overloaded";
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.ambiguous = true,
	};
	struct catalogue *catalogue;
	struct err err;

	assert_true(catalogue_build(fixture(state, "cc-O2"), &request, &catalogue, &err));
	assert_int_equal(catalogue->n_functions, 2);
	catalogue_destroy(catalogue);
}

static void a_name_that_is_not_there_brings_the_nearest(void **state)
{
	assert_error(fixture(state, "c-O2"), "two_exit", ERR_NOT_FOUND, "two_exits");
	assert_error(fixture(state, "c-O2"), "TWO_EXITS", ERR_NOT_FOUND, "two_exits");
	assert_error(fixture(state, "c-O2"), "indirectly", ERR_NOT_FOUND, "hand_over_indirectly");
	assert_error(fixture(state, "cc-O2"), "std::lst<int>::srt", ERR_NOT_FOUND,
		     "std::list<int>::sort()");
	assert_error(fixture(state, "c-O2"), "qqqqqqqqqqqq", ERR_NOT_FOUND, "fathom list");
}

static void functions_without_code_are_there_with_the_reason(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "only_inlined");

	assert_non_null(only_function(catalogue)->unmeasurable);
	assert_non_null(strstr(only_function(catalogue)->unmeasurable, "2 places"));
	assert_non_null(strstr(only_function(catalogue)->unmeasurable, "shapes.c:"));
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "std::list<int>::push_front(const int&)");
	assert_non_null(only_function(catalogue)->unmeasurable);
	assert_non_null(strstr(only_function(catalogue)->unmeasurable, "only declared"));
	catalogue_destroy(catalogue);
}

static void class_members_are_found_through_bases_and_references(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O2", "std::list<int>::sort");

	assert_parameter(only_function(catalogue), "this->_M_impl._M_node._M_size", FEATURE_INT, 3,
			 "reg 5; nonnull; add 16; load 8; unsigned 8");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "zoo::Derived::feed");
	assert_parameter(only_function(catalogue), "this->hidden", FEATURE_INT, 1,
			 "reg 5; nonnull; add 20; load 4; signed 4");
	assert_parameter(only_function(catalogue), "this->base_value", FEATURE_INT, 1,
			 "reg 5; nonnull; add 8; load 8; signed 8");
	assert_parameter(only_function(catalogue), "static_cast<zoo::Base *>(this)->hidden",
			 FEATURE_INT, 1, "reg 5; nonnull; add 16; load 4; signed 4");
	assert_parameter(only_function(catalogue), "this->weight", FEATURE_FLOAT, 1, NULL);
	assert_parameter(only_function(catalogue), "amount", FEATURE_INT, 0, "reg 4; signed 4");
	assert_null(find_feature(only_function(catalogue), "this->everywhere"));
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "references");
	assert_parameter(only_function(catalogue), "number", FEATURE_INT, 0,
			 "reg 5; nonnull; load 4; signed 4");
	assert_parameter(only_function(catalogue), "text._M_string_length", FEATURE_INT, 1,
			 "reg 4; nonnull; add 8; load 8; unsigned 8");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "through_nested");
	assert_parameter(only_function(catalogue), "keeper->cage->bars", FEATURE_INT, 2,
			 "reg 5; nonnull; load 8; nonnull; load 4; signed 4");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "through_virtual");
	assert_parameter(only_function(catalogue), "v->base_value", FEATURE_INT, 1, NULL);
	catalogue_destroy(catalogue);
}

static void depth_and_number_of_features_are_limited(void **state)
{
	static const char *const pattern = "pointers";
	struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.features = true,
		.max_depth = 1,
		.max_features = 512,
	};
	struct catalogue *catalogue;
	struct err err;

	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_non_null(find_feature(only_function(catalogue), "shape->small"));
	assert_null(find_feature(only_function(catalogue), "shape->inner.weight"));
	catalogue_destroy(catalogue);
	request.max_depth = 3;
	request.max_features = 4;
	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_int_equal(only_function(catalogue)->n_features, 4 + SYSTEM_CALL + 1);
	assert_true(only_function(catalogue)->features_cut > 20);
	catalogue_destroy(catalogue);
	request.features = false;
	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_int_equal(only_function(catalogue)->n_features, 0);
	catalogue_destroy(catalogue);
}

static void the_module_is_described(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "main");

	assert_int_equal(catalogue->n_modules, 1);
	assert_true(catalogue->modules[0].relocatable);
	assert_true(catalogue->modules[0].entry_addr > 0);
	assert_true(strlen(catalogue->modules[0].build_id) > 8);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2-fixed", "main");
	assert_false(catalogue->modules[0].relocatable);
	catalogue_destroy(catalogue);
}

static void every_function_is_listed_once_and_always_the_same(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O0", NULL);
	char *first = print(catalogue), *second;

	for (size_t i = 1; i < catalogue->n_functions; i++) {
		const struct function *a = &catalogue->functions[i - 1],
				      *b = &catalogue->functions[i];
		const int order = strcmp(a->name, b->name);

		assert_true(order < 0 || (order == 0 && a->entry_addr < b->entry_addr));
	}
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O0", NULL);
	second = print(catalogue);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "std::list<int>::sort()"));
	assert_non_null(strstr(first, "zoo::Base::feed(int)"));
	free(first);
	free(second);
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(optimised_parameters_are_read_at_the_entry),
		cmocka_unit_test(pointers_are_followed_breadth_first),
		cmocka_unit_test(
			of_pointers_to_what_cannot_be_read_it_is_known_whether_they_are_null),
		cmocka_unit_test(unoptimised_parameters_are_read_behind_the_prologue),
		cmocka_unit_test(the_probe_lies_behind_the_store_that_fills_the_slot),
		cmocka_unit_test(the_probe_waits_for_a_structure_that_the_function_copies),
		cmocka_unit_test(exits_are_found),
		cmocka_unit_test(jump_tables_are_no_exits),
		cmocka_unit_test(a_probe_that_a_loop_passes_is_marked),
		cmocka_unit_test(generic_lambdas_are_found_by_their_names),
		cmocka_unit_test(functions_are_found_by_the_names_that_programmers_write),
		cmocka_unit_test(a_glob_names_several_functions_in_order),
		cmocka_unit_test(a_name_of_several_functions_is_refused_with_the_list),
		cmocka_unit_test(
			a_name_of_several_functions_means_all_of_them_if_that_is_asked_for),
		cmocka_unit_test(a_name_that_is_not_there_brings_the_nearest),
		cmocka_unit_test(functions_without_code_are_there_with_the_reason),
		cmocka_unit_test(class_members_are_found_through_bases_and_references),
		cmocka_unit_test(depth_and_number_of_features_are_limited),
		cmocka_unit_test(the_module_is_described),
		cmocka_unit_test(every_function_is_listed_once_and_always_the_same),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
