/*
 * Modes of calls that no feature tells apart: mixtures with formulas inside, main trends and lower
 * envelopes; and none where there is none. How often families of laws are recovered model_truth
 * says (bench/truth.c).
 */
#include "core/verdict/check.h"
#include "core/metric.h"
#include "model/compare/check_samples.h"
#include "model/density/density_clusters.h"
#include "drawn.h"
#include "model_table.h"

static const double sizes_low = 10, sizes_high = 2000;

static double exponential(struct table *table)
{
	return -log(1 - uniform(table, 0, 1));
}

static void add_columns(struct table *table)
{
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "quick", FEATURE_BOOL, 0);
	add_feature(table, "p->state", FEATURE_INT, 1);
	add_feature(table, "p->weight", FEATURE_FLOAT, 1);
}

static double draw_features(struct table *table)
{
	double n = floor(uniform(table, sizes_low, sizes_high));

	set(table, 1, n);
	set(table, 2, uniform(table, 0, 1) < 0.5);
	set(table, 3, floor(uniform(table, 0, 9)));
	set(table, 4, normal(table));
	return n;
}

typedef double (*cost_law)(struct table *table, double n);

static void fill(struct table *table, cost_law cost, size_t rows, long seed)
{
	size_t i;

	table_init(table, seed);
	add_columns(table);
	for (i = 0; i < rows; i++) {
		double n = draw_features(table);

		set(table, 0, cost(table, n));
		add_row(table);
	}
}

static double two_lines(struct table *table, double n)
{
	double mean = uniform(table, 0, 1) < 0.3 ? 20 + 4 * n : 10 + 1 * n;

	return mean * (1 + 0.05 * normal(table));
}

static double line_or_constant(struct table *table, double n)
{
	return (uniform(table, 0, 1) < 0.5 ? 50 : 500 + 2 * n) * (1 + 0.05 * normal(table));
}

/* As far as numbers can tell. */
static double nothing_or_line(struct table *table, double n)
{
	return uniform(table, 0, 1) < 0.5 ? -1e-30 : 500 + 2 * n * (1 + 0.05 * normal(table));
}

static double two_lines_or_quick(struct table *table, double n)
{
	return table->cells[2].number ? 30 * (1 + 0.05 * normal(table)) : two_lines(table, n);
}

static double line_with_positive_noise(struct table *table, double n)
{
	return 100 + n + 200 * exponential(table);
}

static double line_with_growing_noise(struct table *table, double n)
{
	return (10 + n) * (1 + 0.2 * normal(table));
}

static double buried_line(struct table *table, double n)
{
	return 100 + n + 1500 * exponential(table);
}

static double noise_alone(struct table *table, double n)
{
	(void)n;
	return 100 + 1500 * exponential(table);
}

static double line_with_many_far(struct table *table, double n)
{
	double mean = (10 + n) * (1 + 0.05 * normal(table));

	return uniform(table, 0, 1) < 0.33 ? mean * uniform(table, 3, 20) : mean;
}

/* Three constants by chance, and one call in 66 somewhere between two of them. */
static double three_and_between(struct table *table, double n)
{
	static const double costs[] = {300, 600, 900};

	(void)n;
	if (uniform(table, 0, 1) < 0.015)
		return uniform(table, 700, 800);
	return costs[(int)uniform(table, 0, 3)] + 0.3 * normal(table);
}

/* The same, and one in seven anywhere: more than are left out. */
static double three_and_scattered(struct table *table, double n)
{
	return uniform(table, 0, 1) < 1 / 7.0 ? uniform(table, 100, 2200)
					      : three_and_between(table, n);
}

/* Student's t with 3 degrees of freedom: its tails are far by most, not by the deviation of all. */
static double two_with_tails(struct table *table, double n)
{
	double squares = 0;

	(void)n;
	for (int i = 0; i < 3; i++)
		squares += pow(normal(table), 2) / 3;
	return (uniform(table, 0, 1) < 0.5 ? 1000 : 5000) + 10 * normal(table) / sqrt(squares);
}

/* As many calls of each order of magnitude, from 1 to 2^30. */
static double of_all_sizes(struct table *table, double n)
{
	const double least = exp2(floor(uniform(table, 0, 30)));

	(void)n;
	return floor(uniform(table, least, 2 * least));
}

/* The coefficient of n alone. */
static double slope(const struct formula *formula)
{
	size_t i;

	for (i = 0; i < formula->n_terms; i++)
		if (formula->terms[i].n_factors == 1 && formula->terms[i].factors[0].power == 1 &&
		    formula->terms[i].factors[0].log == 0)
			return formula->terms[i].coefficient;
	return 0;
}

static void assert_near(double value, double expected, double part)
{
	if (!(fabs(value - expected) <= part * fabs(expected)))
		fail_msg("%g is not %g", value, expected);
}

/*
 * Tolerances are 4 standard errors or more: of a share of 200 calls 0.13, of a slope with 5 % noise
 * in 60 calls 3 %.
 */
static void two_lines_by_chance_are_two_formulas(void **state)
{
	struct annotation *annotation;
	const struct model *models;
	struct table table;

	(void)state;
	fill(&table, two_lines, 200, 1);
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 2);
	models = annotation->cases[0].models;
	assert_in_range(100 * models[0].probability, 57, 83);
	assert_near(models[0].probability + models[1].probability, 1, 1e-5);
	assert_near(slope(&models[0].mean), 1, 0.05);
	assert_near(slope(&models[1].mean), 4, 0.05);
	assert_near(slope(&models[0].deviation), 0.05, 0.3);
	assert_near(slope(&models[1].deviation), 0.2, 0.4);
	assert_int_equal(models[0].n_samples + models[1].n_samples, 200);
	assert_true(has_note(annotation, "2 kinds of calls"));
	assert_finite(annotation);
	assert_same_in_any_order(&table, 5);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_line_or_a_constant_by_chance_are_both_told(void **state)
{
	struct annotation *annotation;
	const struct model *models;
	struct table table;

	(void)state;
	fill(&table, line_or_constant, 200, 2);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 2);
	models = annotation->cases[0].models;
	assert_int_equal(models[0].growth, GROWTH_CONSTANT);
	assert_near(models[0].mean.terms[0].coefficient, 50, 0.05);
	assert_int_equal(models[1].growth, GROWTH_LINEAR);
	assert_near(slope(&models[1].mean), 2, 0.06);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_constant_that_rounding_left_is_told_as_nothing(void **state)
{
	struct annotation *annotation;
	const struct model *models;
	struct table table;

	(void)state;
	fill(&table, nothing_or_line, 200, 2);
	table.samples->resolution[METRIC_TIME] = 0.01;
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 2);
	models = annotation->cases[0].models;
	assert_true(models[0].deviation.terms[0].coefficient > 0);
	assert_float_equal(models[0].mean.terms[0].coefficient, 0, 0);
	assert_near(slope(&models[1].mean), 2, 0.06);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void one_side_of_a_condition_may_be_a_mixture(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	fill(&table, two_lines_or_quick, 400, 3);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 2);
	for (i = 0; i < 2; i++) {
		const struct annotation_case *one = &annotation->cases[i];

		assert_int_equal(one->n_conditions, 1);
		if (one->n_models == 1) {
			assert_int_equal(one->models[0].growth, GROWTH_CONSTANT);
			continue;
		}
		assert_int_equal(one->n_models, 2);
		assert_near(slope(&one->models[0].mean), 1, 0.05);
		assert_near(slope(&one->models[1].mean), 4, 0.05);
	}
	assert_int_not_equal(annotation->cases[0].n_models, annotation->cases[1].n_models);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* One formula, without a heuristic, for every seed. */
static void assert_one_line(cost_law cost, long seeds)
{
	long seed;

	for (seed = 1; seed <= seeds; seed++) {
		struct annotation *annotation;
		struct table table;

		fill(&table, cost, 150, seed);
		annotation = build(&table);
		assert_features(annotation, 1, "n", NULL);
		assert_int_equal(only_model(annotation)->heuristic, HEURISTIC_NONE);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void noise_of_one_hump_is_no_mixture(void **state)
{
	const unsigned tables = draws_few() ? 5 : 20;

	(void)state;
	assert_one_line(line_with_positive_noise, tables);
	assert_one_line(line_with_growing_noise, tables);
}

/* They are a model of their own, and R2 is that of all calls. */
static void calls_far_from_a_law_are_left_out_of_the_main_trend(void **state)
{
	struct annotation *annotation;
	const struct model *models;
	struct table table;

	(void)state;
	fill(&table, line_with_many_far, 300, 4);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 2);
	models = annotation->cases[0].models;
	assert_int_equal(models[0].heuristic, HEURISTIC_TREND);
	assert_near(slope(&models[0].mean), 1, 0.05);
	assert_true(models[0].r2 < 0.9);
	assert_int_equal(models[1].mean.terms[0].n_factors, 0);
	assert_int_equal(models[0].n_samples + models[1].n_samples, 300);
	assert_float_equal(models[1].probability, models[1].n_samples / 300.0, 0.02);
	assert_true(models[1].n_samples > 0.05 * 300);
	assert_int_equal(annotation->left_out.n_far, 0);
	assert_false(has_note(annotation, "left out"));
	assert_finite(annotation);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/*
 * They widen a mode until it has them: then its mean would be off by some of their distance. (More
 * than a tenth of its calls would be too many.) Of the mean of 30 costs 6 standard errors are 0.33.
 */
static void calls_between_modes_are_none_of_theirs(void **state)
{
	struct annotation *annotation;
	const struct annotation_case *only;
	struct table table;

	(void)state;
	for (long seed = 1; seed <= 10; seed++) {
		fill(&table, three_and_between, 150, seed);
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 1);
		only = &annotation->cases[0];
		assert_in_range(only->n_models, 3, 4);
		for (size_t i = 0, found = 0; i < only->n_models; i++) {
			const double mean = only->models[i].mean.terms[0].coefficient;
			const double mode = 300 * round(mean / 300);

			found += fabs(mean - mode) < 0.33;
			if (i + 1 == only->n_models)
				assert_int_equal(found, 3);
		}
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/*
 * They stand last and are no kind. Of 300 calls 45 are such on average, six deviations are 37; a
 * few are near a mode.
 */
static void calls_of_no_kind_stand_as_the_rest(void **state)
{
	struct annotation *annotation;
	const struct annotation_case *only;
	struct table table;

	(void)state;
	for (long seed = 1; seed <= 10; seed++) {
		fill(&table, three_and_scattered, 300, seed);
		annotation = build(&table);
		only = &annotation->cases[0];
		assert_int_equal(annotation->n_cases, 1);
		assert_int_equal(only->n_models, 4);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(only->models[i].is_rest, i == 3);
		for (size_t i = 0; i < 3; i++)
			assert_true(only->models[i].spread < 1);
		assert_in_range(only->models[3].n_samples, 16, 82);
		assert_true(has_note(annotation, "Of 3 kinds of calls"));
		assert_true(has_note(annotation, "they stand last, as the rest"));
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* What is far by most of a mode may be near by all of it: then none is left out of it. */
static void what_is_left_out_of_modes_is_some_of_the_cost(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	for (long seed = 1; seed <= 20; seed++) {
		fill(&table, two_with_tails, 400, seed);
		annotation = build(&table);
		assert_finite(annotation);
		assert_false(has_note(annotation, "100 % of the whole cost"));
		assert_true(annotation->left_out.n_far < 40);
		for (size_t i = 0; i < annotation->n_cases; i++)
			for (size_t j = 0; j < annotation->cases[i].n_models; j++)
				assert_true(annotation->cases[i].models[j].spread < 100);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* The lowest of 20 calls is 75 above the law, give or take as much. */
/* Whatever the kinds are, and however many of them: more than a twentieth is no outlier. */
static void calls_of_all_sizes_are_left_out_of_none(void **state)
{
	struct annotation *annotation;
	size_t kinds = 0;

	(void)state;
	for (long seed = 1; seed <= 4; seed++) {
		struct table table;

		fill(&table, of_all_sizes, 20000, seed);
		annotation = build(&table);
		assert_finite(annotation);
		assert_true(annotation->left_out.n_far <= 1000);
		if (kinds < annotation->cases[0].n_models)
			kinds = annotation->cases[0].n_models;
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	assert_int_equal(kinds, CLUSTERS_MAX + 1); /* or too few were tried here */
}

static void noise_that_is_only_added_leaves_a_lower_envelope(void **state)
{
	struct annotation *annotation;
	const struct model *model;
	struct table table;

	(void)state;
	fill(&table, buried_line, 400, 5);
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_growth(annotation, GROWTH_LINEAR);
	model = only_model(annotation);
	assert_int_equal(model->heuristic, HEURISTIC_ENVELOPE);
	assert_near(slope(&model->mean), 1, 0.15);
	/* The root mean square of exponential noise is its mean times the root of 2. */
	assert_near(model->spread, 1500 * sqrt(2), 0.2);
	assert_near(model->deviation.terms[0].coefficient, model->spread, 1e-9);
	assert_true(has_note(annotation, "Of 400 calls the 19 lowest at each n were modelled"));
	assert_finite(annotation);
	assert_same_in_any_order(&table, 5);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void an_envelope_is_of_time_only(void **state)
{
	const struct column mem = {.name = "mem", .role = COLUMN_METRIC, .metric = METRIC_MEM};
	const struct model_options options = {.min_r2 = 0.75};
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	samples_destroy(table.samples);
	table.samples = samples_create("f(int)", "_Z1fi", "f.cc", 7);
	samples_add_column(table.samples, &mem);
	add_columns(&table);
	for (i = 0; i < 400; i++) {
		double n = draw_features(&table);

		set(&table, 0, buried_line(&table, n));
		add_row(&table);
	}
	annotation = model_build(table.samples, METRIC_MEM, &options);
	assert_int_equal(only_model(annotation)->heuristic, HEURISTIC_NONE);
	assert_int_equal(annotation->n_features, 0);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/*
 * Small sizes come more often, and the lowest of many calls is lower: by itself that would be a
 * law.
 */
static void sizes_that_come_more_often_are_not_cheaper(void **state)
{
	const unsigned tables = drawn(200);
	unsigned invented = 0;
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation;
		struct table table;
		size_t i;

		table_init(&table, seed);
		add_columns(&table);
		for (i = 0; i < 300; i++) {
			draw_features(&table);
			set(&table, 1, floor(1 + 20 * pow(uniform(&table, 0, 1), 2)));
			set(&table, 0, noise_alone(&table, 0));
			add_row(&table);
		}
		annotation = build(&table);
		invented += annotation->n_features > 0;
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	/* One in a hundred is promised. */
	assert_in_range(invented, 0, most_by_chance(tables, 0.01, 0.005));
}

static size_t count_violated(struct annotation *annotation, const struct table *table)
{
	const struct check_options options = {.alpha = 0.01, .tolerance = 0.1};
	struct annotation_list list = {.list = &annotation, .n = 1};
	struct check *check = check_create();
	size_t violated;

	check_samples_add(check, annotation, &list, table->samples, &options);
	violated = check_samples_decide(check, &options);
	check_destroy(check);
	return violated;
}

static void fresh_calls_conform_to_an_envelope(void **state)
{
	struct annotation *built;
	struct table table, fresh;
	unsigned failed = 0;
	long seed;

	(void)state;
	fill(&table, buried_line, 400, 5);
	built = build(&table);
	for (seed = 100; seed < 120; seed++) {
		fill(&fresh, buried_line, 400, seed);
		failed += count_violated(built, &fresh) > 0;
		table_deinit(&fresh);
	}
	assert_int_equal(failed, 0);
	annotation_destroy(built);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_lines_by_chance_are_two_formulas),
		cmocka_unit_test(a_line_or_a_constant_by_chance_are_both_told),
		cmocka_unit_test(a_constant_that_rounding_left_is_told_as_nothing),
		cmocka_unit_test(one_side_of_a_condition_may_be_a_mixture),
		cmocka_unit_test(noise_of_one_hump_is_no_mixture),
		cmocka_unit_test(calls_far_from_a_law_are_left_out_of_the_main_trend),
		cmocka_unit_test(calls_between_modes_are_none_of_theirs),
		cmocka_unit_test(calls_of_no_kind_stand_as_the_rest),
		cmocka_unit_test(what_is_left_out_of_modes_is_some_of_the_cost),
		cmocka_unit_test(calls_of_all_sizes_are_left_out_of_none),
		cmocka_unit_test(noise_that_is_only_added_leaves_a_lower_envelope),
		cmocka_unit_test(an_envelope_is_of_time_only),
		cmocka_unit_test(sizes_that_come_more_often_are_not_cheaper),
		cmocka_unit_test(fresh_calls_conform_to_an_envelope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
