/* Annotations: growth, values of formulas, and their text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/annotation/annotation.h"

/* If inlined, gcc 12 warns of the stream's buffer as if it were the local variable. */
__attribute__((noinline)) static char *print(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	annotation_print(annotation, out);
	fclose(out);
	return text;
}

static void assert_prints(const struct annotation *annotation, const char *expected)
{
	char *text = print(annotation);

	assert_string_equal(text, expected);
	free(text);
}

static const struct term deviation_of_sort[] = {{.coefficient = 812.4}};

static struct model model_of(const struct term *terms, size_t n)
{
	return (struct model){
		.probability = 1,
		.mean = {terms, n},
		.deviation = {deviation_of_sort, 1},
		.growth = GROWTH_NLOGN,
		.n_samples = 150,
		.r2 = 0.9934,
		.cv_r2 = 0.9921,
		.error = 0.0213,
	};
}

static void sorting_a_list_prints_as_in_the_language(void **state)
{
	static const struct term terms[] = {
		{.coefficient = 0.0178, .n_factors = 1, .factors = {{0, 1, 1}}},
		{.coefficient = 53.35},
	};
	static const char *const aliases[] = {"a.n", "b.n", "c.n", "d.n", "e.n", "f.n"};
	const struct annotation_feature size = {
		.name = "size",
		.type = FEATURE_INT,
		.expression = "this->_M_impl._M_node._M_size",
		.min = 1000,
		.max = 199864,
		.aliases = aliases,
		.n_aliases = 6,
	};
	const struct model model = model_of(terms, 2);
	const struct annotation_case one = {.models = &model, .n_models = 1};
	static const char *const notes[] = {"One sample was left out."};
	const struct annotation annotation = {
		.function = "std::list<int>::sort()",
		.features = &size,
		.n_features = 1,
		.cases = &one,
		.n_cases = 1,
		.notes = notes,
		.n_notes = 1,
	};

	(void)state;
	assert_prints(&annotation,
		      "std::list<int>::sort().time {\n"
		      "features:\n"
		      "  int size = this->_M_impl._M_node._M_size;  // 1000 .. 199864\n"
		      "    // the same as a.n, b.n, c.n, d.n and 2 more\n"
		      "annotations:\n"
		      "  Norm(53.35 + 0.0178*size*log(size), 812.4);  // n log n: 150 samples, "
		      "R² 0.993, cross-validated 0.992, median error 2.1 %\n"
		      "  // One sample was left out.\n"
		      "}\n");
}

/* The text between "Norm(" and the first comma. */
static void assert_mean(const struct term *terms, size_t n, const char *expected)
{
	static const struct annotation_feature features[] = {{.name = "a", .expression = "a"},
							     {.name = "b", .expression = "b"}};
	const struct model model = model_of(terms, n);
	const struct annotation_case one = {.models = &model, .n_models = 1};
	const struct annotation annotation = {.function = "f",
					      .features = features,
					      .n_features = 2,
					      .cases = &one,
					      .n_cases = 1};
	char *text = print(&annotation);
	char *mean = strstr(text, "Norm(") + strlen("Norm(");

	*strstr(mean, ", 812.4)") = 0;
	assert_string_equal(mean, expected);
	free(text);
}

static void terms_are_ordered_by_growth_with_minus_signs(void **state)
{
	static const struct term terms[] = {
		{.coefficient = 2, .n_factors = 1, .factors = {{1, 2, 0}}},
		{.coefficient = -0.5, .n_factors = 1, .factors = {{0, 1, 1}}},
		{.coefficient = -3e-7, .n_factors = 2, .factors = {{0, 1, 0}, {1, 1, 0}}},
		{.coefficient = -40},
	};

	(void)state;
	assert_mean(terms, 4, "-40 - 3e-07*a*b - 0.5*a*log(a) + 2*b^2");
}

static void numbers_are_short_and_read_back(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{0.1 + 0.2, "0.30000000000000004"},
		{0.3, "0.3"},
		{1990, "1990"},
		{123456789, "123456789"},
		{-0.0, "0"},
		{1e-300, "1e-300"},
		{200000, "200000"},
		{1.0 / 3, "0.3333333333333333"},
		{INFINITY, "1.7976931348623157e+308"},
		{NAN, "0"},
		{1000000, "1000000"},
		{0.0178, "0.0178"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct term term = {.coefficient = cases[i].number};

		assert_mean(&term, 1, cases[i].text);
	}
}

static void other_powers_stay_within_the_grammar(void **state)
{
	static const struct term terms[] = {
		{.coefficient = 1, .n_factors = 1, .factors = {{0, 0, 2}}},
		{.coefficient = 2, .n_factors = 1, .factors = {{0, 0.5, 0}}},
		{.coefficient = 3, .n_factors = 2, .factors = {{0, 3, 0}, {1, -1, 0}}},
	};

	(void)state;
	assert_mean(terms, 3, "log(a)^2 + 2*sqrt(a) + 3*a^3/b");
}

static void a_formula_without_terms_is_zero(void **state)
{
	(void)state;
	assert_mean(NULL, 0, "0");
}

static void a_mixture_in_a_scope_prints_probabilities(void **state)
{
	static const struct annotation_feature flag = {
		.name = "flag", .type = FEATURE_BOOL, .expression = "flag", .min = NAN, .max = NAN};
	static const struct term ten = {.coefficient = 10};
	static const struct condition scope[] = {{.comparison = IS_FALSE},
						 {.comparison = LESS_EQUAL, .number = 0.5}};
	struct model models[2];
	const struct annotation_case one = {
		.scope = scope, .n_conditions = 2, .models = models, .n_models = 2};
	const struct annotation annotation = {
		.function = "f", .features = &flag, .n_features = 1, .cases = &one, .n_cases = 1};
	char *text;

	(void)state;
	models[0] = models[1] = model_of(&ten, 1);
	models[0].probability = 0.25;
	models[1].probability = 0.75;
	models[1].heuristic = HEURISTIC_ENVELOPE;
	text = print(&annotation);
	assert_non_null(strstr(text, "  bool flag = flag;\n"));
	assert_non_null(strstr(text, "  [!flag && flag <= 0.5] {\n    {0.25} Norm(10, 812.4);"));
	assert_non_null(strstr(text, "\n    {0.75} R Norm(10, 812.4);"));
	assert_non_null(strstr(text, "\n  }\n}\n"));
	free(text);
}

static void control_characters_never_reach_the_output(void **state)
{
	static const struct annotation_feature feature = {
		.name = "a", .expression = "a\n\x1b[2J", .min = NAN, .max = NAN};
	static const char *const notes[] = {"bell\a \xc2\x9b"
					    "and \xc3\xa9."};
	const struct annotation annotation = {.function = "f\x7f\r()",
					      .features = &feature,
					      .n_features = 1,
					      .notes = notes,
					      .n_notes = 1};

	(void)state;
	assert_prints(&annotation, "\"f\\x7f\\x0d()\".time {\nfeatures:\n"
				   "  bool a = \"a\\n\\x1b[2J\";\nannotations:\n"
				   "  // \"bell\\x07 \\xc2\\x9band \xc3\xa9.\"\n}\n");
}

static void unknown_support_is_left_out(void **state)
{
	static const struct term ten = {.coefficient = 10};
	struct model model = model_of(&ten, 1);
	const struct annotation_case one = {.models = &model, .n_models = 1};
	const struct annotation annotation = {.function = "f", .cases = &one, .n_cases = 1};

	(void)state;
	model.growth = GROWTH_CONSTANT;
	model.n_samples = 1;
	model.r2 = model.cv_r2 = model.error = NAN;
	assert_prints(&annotation, "f.time {\nfeatures:\nannotations:\n"
				   "  Norm(10, 812.4);  // constant: 1 sample\n}\n");
}

static void growth_is_rounded_up_to_the_next_class(void **state)
{
	static const struct {
		struct factor factor;
		enum growth growth;
	} cases[] = {
		{{0, 0, 0}, GROWTH_CONSTANT},
		{{0, -1, 1}, GROWTH_CONSTANT},
		{{0, 0, 1}, GROWTH_LOG},
		{{0, 0, 2}, GROWTH_SQRT},
		{{0, 0.5, 0}, GROWTH_SQRT},
		{{0, 0.5, 1}, GROWTH_LINEAR},
		{{0, 1, 0}, GROWTH_LINEAR},
		{{0, 1, 1}, GROWTH_NLOGN},
		{{0, 1, 2}, GROWTH_QUADRATIC},
		{{0, 1.5, 0}, GROWTH_POWER},
		{{0, 2, 0}, GROWTH_QUADRATIC},
		{{0, 2, 1}, GROWTH_CUBIC},
		{{0, 3, 0}, GROWTH_CUBIC},
		{{0, 4, 0}, GROWTH_POWER},
		{{.kind = FACTOR_EXPONENTIAL, .power = 1, .base = 2}, GROWTH_EXPONENTIAL},
		{{.kind = FACTOR_EXPONENTIAL, .power = 1, .base = 0.5}, GROWTH_CONSTANT},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(annotation_factor_growth(&cases[i].factor), cases[i].growth);
	assert_string_equal(growth_name(GROWTH_NLOGN), "nlogn");
	assert_string_equal(growth_phrase(GROWTH_NLOGN), "n log n");
}

static void a_formula_is_the_sum_of_its_terms(void **state)
{
	static const struct term terms[] = {
		{.coefficient = 5},
		{.coefficient = 2, .n_factors = 1, .factors = {{0, 1, 1}}},
		{.coefficient = 0.5, .n_factors = 2, .factors = {{0, 1, 0}, {1, 2, 0}}},
	};
	const struct formula formula = {terms, 3};
	const double x[] = {8, 3};

	(void)state;
	assert_float_equal(annotation_value(&formula, x), 5 + 2 * 8 * log(8) + 0.5 * 8 * 9, 1e-12);
}

/* But not what grows faster than the logarithm falls. */
static void a_logarithm_is_zero_at_zero(void **state)
{
	static const struct term terms[] = {
		{.coefficient = 2, .n_factors = 1, .factors = {{0, 1, 1}}},
		{.coefficient = 3, .n_factors = 1, .factors = {{0, 0, 1}}},
		{.coefficient = 1, .n_factors = 1, .factors = {{0, -1, 1}}},
	};
	const struct formula formula = {terms, 2}, falling = {&terms[2], 1};
	const double zero = 0;

	(void)state;
	assert_true(annotation_value(&formula, &zero) == 0);
	assert_false(isfinite(annotation_value(&falling, &zero)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_a_list_prints_as_in_the_language),
		cmocka_unit_test(terms_are_ordered_by_growth_with_minus_signs),
		cmocka_unit_test(numbers_are_short_and_read_back),
		cmocka_unit_test(other_powers_stay_within_the_grammar),
		cmocka_unit_test(a_formula_without_terms_is_zero),
		cmocka_unit_test(a_mixture_in_a_scope_prints_probabilities),
		cmocka_unit_test(control_characters_never_reach_the_output),
		cmocka_unit_test(unknown_support_is_left_out),
		cmocka_unit_test(growth_is_rounded_up_to_the_next_class),
		cmocka_unit_test(a_formula_is_the_sum_of_its_terms),
		cmocka_unit_test(a_logarithm_is_zero_at_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
