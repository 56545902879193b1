/*
 * Models of known laws: the annotation must say the law. What a test allows follows from the
 * standard error that the model itself reports, or is said where it is used.
 */
#include "drawn.h"
#include "model_table.h"

static void assert_law(const struct law *law, enum growth growth, double min_r2)
{
	const unsigned tables = drawn(20);
	long seed;

	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		fill_law(&table, law, 150);
		annotation = build(&table);
		assert_growth(annotation, growth);
		assert_features(annotation, 1, "p->n_items", NULL);
		assert_true(only_model(annotation)->r2 >= min_r2);
		assert_true(only_model(annotation)->cv_r2 >= min_r2 - 0.01);
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void a_linear_cost_is_linear_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_EVEN, 0.05}, GROWTH_LINEAR, 0.98);
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_GROWING, 0.1}, GROWTH_LINEAR, 0.93);
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_PREEMPTED, 0.05}, GROWTH_LINEAR, 0.98);
}

static void an_nlogn_cost_is_nlogn_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_EVEN, 0.02}, GROWTH_NLOGN, 0.99);
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_GROWING, 0.05}, GROWTH_NLOGN, 0.98);
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_PREEMPTED, 0.05}, GROWTH_NLOGN,
		   0.96);
}

static void an_nlogn_cost_stays_nlogn_when_caches_overflow(void **state)
{
	(void)state;
	assert_law(&(struct law){cached_law, 1000, 200000, NOISE_GROWING, 0.05}, GROWTH_NLOGN,
		   0.98);
}

static void a_quadratic_cost_is_quadratic_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_EVEN, 0.1}, GROWTH_QUADRATIC, 0.98);
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_GROWING, 0.1}, GROWTH_QUADRATIC,
		   0.93);
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_PREEMPTED, 0.05}, GROWTH_QUADRATIC,
		   0.97);
}

/*
 * Each of 40 estimates lies within 4 of its standard errors (the chance that one does not is 0.3 %
 * when all is well), and two in three within 1.5 (expected: 87 %; fewer come by accident once in a
 * thousand times).
 */
static void standard_errors_cover_the_true_slope(void **state)
{
	const unsigned estimates = draws_few() ? 10 : 40;
	unsigned close = 0;
	long seed;

	(void)state;
	for (seed = 100; seed < 100 + estimates; seed++) {
		const struct law law = {linear_law, 1, 2000, seed % 2 ? NOISE_EVEN : NOISE_GROWING,
					0.05};
		struct annotation *annotation;
		const struct model *model;
		const struct term *slope;
		struct table table;

		table_init(&table, seed);
		fill_law(&table, &law, 200);
		annotation = build(&table);
		model = only_model(annotation);
		slope = &model->mean.terms[model->mean.n_terms - 1];
		assert_true(slope->std_error > 0);
		assert_true(fabs(slope->coefficient - 0.35) < 4 * slope->std_error);
		close += fabs(slope->coefficient - 0.35) < 1.5 * slope->std_error;
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	assert_in_range(close, least_by_chance(estimates, 0.87, 0.001), estimates);
}

/*
 * The deviation estimates a standard deviation of 10 from 400 rows: its own standard error is 10 /
 * sqrt(2 * 400) = 0.35.
 */
static void the_deviation_is_that_of_the_noise(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 400; i++) {
		set(&table, 1, i);
		set(&table, 0, 100 + 2.0 * i + 10 * normal(&table));
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_float_equal(only_model(annotation)->deviation.terms[0].coefficient, 10, 4 * 0.35);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_product_of_two_features_is_found(void **state)
{
	struct annotation *annotation;
	const struct model *model;
	struct table table;

	(void)state;
	table_init(&table, 3);
	fill_two(&table, true);
	annotation = build(&table);
	model = only_model(annotation);
	assert_int_equal(annotation->n_features, 2);
	assert_int_equal(model->mean.terms[model->mean.n_terms - 1].n_factors, 2);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_true(model->r2 > 0.97);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_second_feature_that_explains_little_alone_is_found(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 4);
	fill_two(&table, false);
	annotation = build(&table);
	assert_int_equal(annotation->n_features, 2);
	assert_int_equal(only_model(annotation)->mean.n_terms, 3);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* The aim is one false feature in a hundred. */
static void noise_alone_gives_a_constant(void **state)
{
	const unsigned tables = drawn(60);
	unsigned named = 0;
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation;
		struct table table;
		char names[50][8];
		size_t i, j;

		table_init(&table, seed);
		for (j = 0; j < 50; j++) {
			snprintf(names[j], sizeof(names[j]), "f%zu", j);
			add_feature(&table, names[j], FEATURE_FLOAT, 0);
		}
		for (i = 0; i < (seed % 2 ? 12 : 100); i++) {
			double z = normal(&table);

			set(&table, 0, seed % 3 ? 100 + 10 * z : exp(2 * z));
			for (j = 0; j < 50; j++)
				set(&table, j + 1,
				    j % 2 ? normal(&table) : exp(1.5 * normal(&table)));
			add_row(&table);
		}
		annotation = build(&table);
		named += annotation->n_features > 0;
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	assert_in_range(named, 0, most_by_chance(tables, 0.01, 0.003));
}

/*
 * While it runs the machine gets a quarter slower, in a wave; a counter of calls is no cause of
 * that.
 */
static void a_counter_is_not_named_for_what_drifts(void **state)
{
	const unsigned tables = drawn(20);
	long seed;
	int i;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_feature(&table, "n", FEATURE_INT, 0);
		add_feature(&table, "c->calls", FEATURE_INT, 1);
		for (i = 0; i < 150; i++) {
			double n = floor(uniform(&table, 20, 2000));
			double drift = 1 + 0.25 * i / 150 + 0.05 * sin(i / 10.0);

			set(&table, 0, n * drift * (1 + 0.05 * normal(&table)));
			set(&table, 1, n);
			set(&table, 2, i);
			add_row(&table);
		}
		annotation = build(&table);
		assert_growth(annotation, GROWTH_LINEAR);
		assert_features(annotation, 1, "n", NULL);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Nested loops: one feature only goes up. Its effect is too large for a drift. */
static void a_product_of_loop_variables_is_found(void **state)
{
	struct annotation *annotation;
	struct table table;
	int a, b;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "rows", FEATURE_INT, 0);
	add_feature(&table, "cols", FEATURE_INT, 0);
	for (a = 10; a <= 200; a += 10) {
		for (b = 10; b <= 100; b += 10) {
			set(&table, 0, 5 + 0.02 * a * b * (1 + 0.03 * normal(&table)));
			set(&table, 1, a);
			set(&table, 2, b);
			add_row(&table);
		}
	}
	annotation = build(&table);
	assert_features(annotation, 2, "cols", "rows");
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* Searches, of which some are among none: their cost is that of no steps, and bends nothing. */
static void a_logarithm_is_found_beside_calls_of_none(void **state)
{
	unsigned each, i;

	(void)state;
	for (each = 3; each <= 400; each *= 20) {
		const double x[] = {0};
		struct annotation *annotation;
		struct table table;

		table_init(&table, each);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (i = 0; i < 400; i++) {
			const double n = i % each ? floor(exp(uniform(&table, 0, 11))) : 0;
			const double steps = n > 0 ? log(n) : 0;

			set(&table, 0, (1 + 0.3 * steps) * (1 + 0.05 * normal(&table)));
			set(&table, 1, n);
			add_row(&table);
		}
		annotation = build(&table);
		assert_features(annotation, 1, "n", NULL);
		assert_int_equal(annotation->n_cases, 1);
		assert_int_equal(annotation->cases[0].models[0].growth, GROWTH_LOG);
		/* 3 standard errors of a constant of 400 calls, of which it is the end. */
		assert_float_equal(annotation_value(&annotation->cases[0].models[0].mean, x), 1,
				   3 * 0.05 * 2 / sqrt(400));
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Of 0 and 1, 2, and 3: "more than 1 and at most 2" is 2. Of real numbers it is a range. */
static void a_whole_number_between_two_conditions_is_told_by_itself(void **state)
{
	static const double slopes[] = {0.1, 0.1, 0.5, 2};
	unsigned type, i, j;

	(void)state;
	for (type = 0; type < 2; type++) {
		struct annotation *annotation;
		unsigned only = 0, both = 0;
		struct table table;

		table_init(&table, 1);
		add_feature(&table, "n", FEATURE_INT, 0);
		add_feature(&table, "kind", type ? FEATURE_FLOAT : FEATURE_INT, 0);
		for (i = 0; i < 400; i++) {
			const unsigned kind = (unsigned)uniform(&table, 0, 4);
			const double n = floor(uniform(&table, 1, 1000));

			set(&table, 0, (10 + slopes[kind] * n) * (1 + 0.05 * normal(&table)));
			set(&table, 1, n);
			set(&table, 2, kind);
			add_row(&table);
		}
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 3);
		for (j = 0; j < 3; j++) {
			const struct annotation_case *one = &annotation->cases[j];

			both += one->n_conditions == 2;
			only += one->n_conditions == 1 && one->scope->comparison == EQUAL &&
				one->scope->number == 2;
		}
		assert_int_equal(only, !type);
		assert_int_equal(both, type);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Sizes ascend, and the first calls, the small ones, pay for cold caches. */
static void cold_first_calls_do_not_bend_a_line(void **state)
{
	static const double cold_us[] = {2.5, 1.5, 0.8};
	const unsigned tables = drawn(20);
	long seed;
	int i;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (i = 0; i < 40; i++) {
			double cost = 0.05 + 0.002 * 50 * i;

			if (i < 3)
				cost += cold_us[i];
			set(&table, 0, cost * (1 + 0.02 * normal(&table)));
			set(&table, 1, 50 * i);
			add_row(&table);
		}
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 1);
		assert_int_equal(annotation->cases[0].models[0].growth, GROWTH_LINEAR);
		/* if they are left out of the line, as a model of their own: they are 7 % */
		if (annotation->cases[0].n_models > 1)
			assert_int_equal(annotation->cases[0].models[1].n_samples, 3);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_linear_cost_is_linear_under_every_noise),
		cmocka_unit_test(an_nlogn_cost_is_nlogn_under_every_noise),
		cmocka_unit_test(an_nlogn_cost_stays_nlogn_when_caches_overflow),
		cmocka_unit_test(a_quadratic_cost_is_quadratic_under_every_noise),
		cmocka_unit_test(standard_errors_cover_the_true_slope),
		cmocka_unit_test(the_deviation_is_that_of_the_noise),
		cmocka_unit_test(a_product_of_two_features_is_found),
		cmocka_unit_test(a_second_feature_that_explains_little_alone_is_found),
		cmocka_unit_test(noise_alone_gives_a_constant),
		cmocka_unit_test(a_counter_is_not_named_for_what_drifts),
		cmocka_unit_test(a_product_of_loop_variables_is_found),
		cmocka_unit_test(a_logarithm_is_found_beside_calls_of_none),
		cmocka_unit_test(a_whole_number_between_two_conditions_is_told_by_itself),
		cmocka_unit_test(cold_first_calls_do_not_bend_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
