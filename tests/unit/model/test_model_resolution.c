/*
 * Models do not pretend below what the measurement can tell from nothing. Costs are a + b n for n
 * from 1 to 100, with normal noise of a tenth of the whole effect, so that without a limit the
 * dependence is beyond doubt.
 */
#include "model_table.h"

static void fill(struct table *table, enum metric metric, double a, double b)
{
	const struct column column = {
		.name = metric_info(metric)->keyword, .role = COLUMN_METRIC, .metric = metric};
	size_t i;

	memset(table, 0, sizeof(*table));
	table->samples = samples_create("f(int)", "_Z1fi", "f.cc", 7);
	samples_add_column(table->samples, &column);
	srand48_r(17, &table->random);
	add_feature(table, "n", FEATURE_INT, 0);
	for (i = 0; i < 300; i++) {
		double n = floor(uniform(table, 1, 101));

		set(table, 0, a + b * n + 10 * b * normal(table));
		set(table, 1, n);
		add_row(table);
	}
}

static struct annotation *model_of(const struct table *table, enum metric metric)
{
	return model_build(table->samples, metric, &(struct model_options){.min_r2 = 0.75});
}

static double deviation_of(const struct annotation *annotation)
{
	return only_model(annotation)->deviation.terms[0].coefficient;
}

static void a_dependence_whose_whole_effect_cannot_be_told_is_not_claimed(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, METRIC_TIME, 1, 0.001);
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_LINEAR);
	annotation_destroy(annotation);
	table.samples->resolution[METRIC_TIME] = 0.2; /* the effect is 0.1 */
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_features(annotation, 0, NULL, NULL);
	assert_false(has_note(annotation, "explains part"));
	annotation_destroy(annotation);
	table.samples->resolution[METRIC_TIME] = 0.05;
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_LINEAR);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/*
 * The noise is 0.01, numbers have six digits, the measurement's own deviation 0.2 / 3 in the
 * constant and 0.06 / 3 in the line.
 */
static void a_deviation_is_at_least_that_of_the_measurement(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, METRIC_TIME, 1, 0.001);
	table.samples->resolution[METRIC_TIME] = 0.2;
	annotation = model_of(&table, METRIC_TIME);
	assert_float_equal(deviation_of(annotation), 0.2 / 3, 1e-6);
	annotation_destroy(annotation);
	table.samples->resolution[METRIC_TIME] = 0.06;
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_float_equal(deviation_of(annotation), 0.06 / 3, 1e-6);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void assert_says(enum metric metric, double a, double resolution, const char *note)
{
	struct annotation *annotation;
	struct table table;

	fill(&table, metric, a, a / 1000);
	table.samples->resolution[metric_total(metric)] = resolution;
	annotation = model_of(&table, metric);
	if (note && !has_note(annotation, note))
		fail_msg("no note says \"%s\"", note);
	if (!note)
		assert_false(has_note(annotation, "from nothing"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_typical_cost_that_cannot_be_told_from_nothing_is_said(void **state)
{
	(void)state;
	assert_says(METRIC_TIME, 0.1, 0.3,
		    "Calls shorter than 0.3 µs cannot be told from nothing here.");
	assert_says(METRIC_CPU, 0.1, 0.3, "Less than 0.3 µs cannot be told from nothing here.");
	assert_says(METRIC_INSTRUCTIONS, 10, 120,
		    "Fewer than 120 instructions cannot be told from nothing here.");
	assert_says(METRIC_TIME, 1, 0.3, NULL);
	assert_says(METRIC_TIME, 1, 0, NULL);
}

/* A function without features but for a flag. */
static void fill_with(struct table *table, double (*cost)(struct table *table, bool flag), size_t n)
{
	const struct column column = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};
	size_t i;

	memset(table, 0, sizeof(*table));
	table->samples = samples_create("f(bool)", "_Z1fb", "f.cc", 7);
	samples_add_column(table->samples, &column);
	srand48_r(5, &table->random);
	add_feature(table, "flag", FEATURE_BOOL, 0);
	for (i = 0; i < n; i++) {
		const bool flag = uniform(table, 0, 1) < 0.5;

		set(table, 0, cost(table, flag));
		set(table, 1, flag);
		add_row(table);
	}
}

static double two_modes(struct table *table, bool flag)
{
	(void)flag;
	return (uniform(table, 0, 1) < 0.5 ? 0.05 : 0.2) + 0.002 * normal(table);
}

static double two_scopes(struct table *table, bool flag)
{
	return (flag ? 0.05 : 0.2) + 0.002 * normal(table);
}

static double with_outliers(struct table *table, bool flag)
{
	(void)flag;
	return 0.05 + 0.001 * normal(table) + (uniform(table, 0, 1) < 0.03 ? 0.15 : 0);
}

/* Nothing but a constant and the bound is told; where all can be told, the law is. */
static void below_the_resolution_only_the_bound_is_told(void **state)
{
	static double (*const costs[])(struct table *, bool) = {two_modes, two_scopes,
								with_outliers};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		struct annotation *annotation;
		struct table table;

		fill_with(&table, costs[i], 300);
		annotation = model_of(&table, METRIC_TIME);
		assert_true(annotation->n_cases > 1 || annotation->cases[0].n_models > 1 ||
			    annotation->left_out.n_far);
		annotation_destroy(annotation);
		table.samples->resolution[METRIC_TIME] = 0.3;
		annotation = model_of(&table, METRIC_TIME);
		assert_growth(annotation, GROWTH_CONSTANT);
		assert_int_equal(only_model(annotation)->n_samples, 300);
		assert_false(only_model(annotation)->is_unexplained);
		assert_int_equal(annotation->n_notes, 1);
		assert_true(has_note(annotation,
				     "Calls shorter than 0.3 µs cannot be told from nothing"));
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static double two_modes_and_a_third(struct table *table, bool flag)
{
	return uniform(table, 0, 1) < 0.3 ? 5 + 0.05 * normal(table) : two_modes(table, flag);
}

static void modes_that_cannot_be_told_apart_are_one(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill_with(&table, two_modes_and_a_third, 400);
	table.samples->resolution[METRIC_TIME] = 0.3;
	annotation = model_of(&table, METRIC_TIME);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 2);
	assert_float_equal(annotation->cases[0].models[0].mean.terms[0].coefficient, 0.125, 0.02);
	assert_float_equal(annotation->cases[0].models[1].mean.terms[0].coefficient, 5, 0.02);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static double with_a_second(struct table *table, bool flag)
{
	(void)flag;
	return table->samples->n_rows == 66 ? 1e6 : 0.05 + 0.02 * normal(table);
}

/* One call of many that cost the same, by a clock of few digits, costs a third of a second. */
static double with_a_third(struct table *table, bool flag)
{
	if (table->samples->n_rows == 150)
		return 3e5;
	return flag && table->samples->n_rows % 40 == 39 ? 1.4 : 1.0835;
}

static void assert_told(double (*cost)(struct table *, bool), double resolution)
{
	struct annotation *annotation;
	struct table table;

	fill_with(&table, cost, 200);
	table.samples->resolution[METRIC_TIME] = resolution;
	annotation = model_of(&table, METRIC_TIME);
	assert_int_equal(annotation->left_out.n_far, 1);
	assert_true(has_note(annotation, " % of the whole cost."));
	assert_true(annotation->left_out.share > 0.99);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_call_above_the_resolution_is_told_among_those_below(void **state)
{
	(void)state;
	assert_told(with_a_second, 0.3);
	assert_told(with_a_third, 0.01);
	assert_told(with_a_third, 0.5);
}

static void what_is_left_without_callees_is_as_good_as_its_total(void **state)
{
	const enum metric self = METRIC_SELF + METRIC_TIME;
	struct annotation *annotation;
	struct table table;

	(void)state;
	assert_says(self, 0.1, 0.3, "Less than 0.3 µs cannot be told from nothing here.");
	fill(&table, self, 1, 0.001);
	table.samples->resolution[METRIC_TIME] = 0.2;
	annotation = model_of(&table, self);
	assert_growth(annotation, GROWTH_CONSTANT);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_limit_that_is_no_number_is_none(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, METRIC_TIME, 1, 0.001);
	table.samples->resolution[METRIC_TIME] = NAN;
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_finite(annotation);
	annotation_destroy(annotation);
	table.samples->resolution[METRIC_TIME] = INFINITY;
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_finite(annotation);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static double next_to_nothing_or(struct table *table, double dear)
{
	if (uniform(table, 0, 1) < 0.9)
		return 0.05 + 0.01 * normal(table);
	return dear * uniform(table, 0.5, 1.5);
}

static double next_to_nothing_disturbed(struct table *table, bool flag)
{
	(void)flag;
	return next_to_nothing_or(table, 0.6);
}

static double next_to_nothing_or_dear(struct table *table, bool flag)
{
	(void)flag;
	return next_to_nothing_or(table, 20);
}

static void what_disturbs_next_to_nothing_is_no_mode(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill_with(&table, next_to_nothing_disturbed, 300);
	table.samples->resolution[METRIC_TIME] = 0.3;
	annotation = model_of(&table, METRIC_TIME);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_int_equal(annotation->cases[0].n_models, 1);
	assert_false(only_model(annotation)->is_unexplained);
	assert_true(has_note(annotation, "Calls shorter than 0.3 µs cannot be told from nothing"));
	annotation_destroy(annotation);
	table_deinit(&table);

	fill_with(&table, next_to_nothing_or_dear, 300);
	table.samples->resolution[METRIC_TIME] = 0.3;
	annotation = model_of(&table, METRIC_TIME);
	assert_int_equal(annotation->cases[0].n_models, 2);
	annotation_destroy(annotation);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dependence_whose_whole_effect_cannot_be_told_is_not_claimed),
		cmocka_unit_test(a_deviation_is_at_least_that_of_the_measurement),
		cmocka_unit_test(a_typical_cost_that_cannot_be_told_from_nothing_is_said),
		cmocka_unit_test(below_the_resolution_only_the_bound_is_told),
		cmocka_unit_test(modes_that_cannot_be_told_apart_are_one),
		cmocka_unit_test(what_disturbs_next_to_nothing_is_no_mode),
		cmocka_unit_test(a_call_above_the_resolution_is_told_among_those_below),
		cmocka_unit_test(what_is_left_without_callees_is_as_good_as_its_total),
		cmocka_unit_test(a_limit_that_is_no_number_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
