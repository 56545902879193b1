/* Studies of tables with known laws: points, tree, and what each feature explains. */
#include "study_check.h"

/* The means and deviations of the two kinds of calls below. */
#define LIST_EACH 2.0
#define TREE_EACH 0.2
#define NOISE     0.05

enum { N = 1, KIND, TWICE, OTHER, NEVER, ROWS = 300 };
enum { LIST = 0, TREE = 7 };

/*
 * Two kinds of calls, each a line; a feature that is the same as the size, one that is chance, one
 * that never varies.
 */
static void fill_kinds(struct table *table)
{
	size_t i;

	table_init(table, 1);
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "kind", FEATURE_ENUM, 0);
	add_feature(table, "p->twice", FEATURE_INT, 1);
	add_feature(table, "other", FEATURE_INT, 0);
	add_feature(table, "never", FEATURE_INT, 0);
	samples_add_label(table->samples, KIND, LIST, "LIST");
	samples_add_label(table->samples, KIND, TREE, "TREE");
	for (i = 0; i < ROWS; i++) {
		const double n = floor(uniform(table, 1, 1000));
		const bool is_list = uniform(table, 0, 1) < 0.5;

		set(table, 0,
		    (20 + (is_list ? LIST_EACH : TREE_EACH) * n) * (1 + NOISE * normal(table)));
		set(table, N, n);
		set(table, KIND, is_list ? LIST : TREE);
		set(table, TWICE, 2 * n);
		set(table, OTHER, floor(uniform(table, 0, 9)));
		set(table, NEVER, 5);
		add_row(table);
	}
}

static void each_point_has_what_its_case_expects(void **state)
{
	struct table table;
	struct study *study;
	size_t i;

	(void)state;
	fill_kinds(&table);
	study = build_study(&table);
	assert_study_sound(study);
	assert_int_equal(study->n_points, ROWS);
	assert_int_equal(study->n_outside, 0);
	for (i = 0; i < ROWS; i++) {
		const double n = table.samples->columns[N].numbers[i];
		const bool is_list = table.samples->columns[KIND].numbers[i] == LIST;
		const double law = 20 + (is_list ? LIST_EACH : TREE_EACH) * n;

		/*
		 * 150 calls of 5 % tell a line to less than 4 of its standard errors, 5 % /
		 * sqrt(150), twice that at its ends.
		 */
		assert_true(fabs(study->expected[i] - law) < 8 * NOISE / sqrt(150) * law);
		assert_true(study->deviation[i] > 0.5 * NOISE * law);
		assert_true(study->deviation[i] < 2 * NOISE * law);
	}
	study_destroy(study);
	table_deinit(&table);
}

static void the_tree_has_the_cases_for_leaves(void **state)
{
	struct table table;
	struct study *study;
	double sum = 0;
	size_t i;

	(void)state;
	fill_kinds(&table);
	study = build_study(&table);
	for (i = 0; i < ROWS; i++)
		sum += study->costs[i];
	assert_int_equal(study->n_nodes, 3);
	assert_true(fabs(study->nodes[0].mean - sum / ROWS) < 1e-9 * sum / ROWS);
	for (i = 1; i < 3; i++) {
		const struct study_node *node = &study->nodes[i];

		assert_int_equal(node->in_case, i - 1);
		assert_ptr_equal(node->condition, &study->annotation->cases[i - 1].scope[0]);
		/*
		 * The noise is 5 % of a cost that is spread evenly: it is 0.0025 * 4 of the
		 * variance.
		 */
		assert_true(node->r2 > 0.98 && node->r2 < 1);
	}
	assert_true(study->nodes[0].r2 > study->nodes[2].r2);
	study_destroy(study);
	table_deinit(&table);
}

static void values_and_labels_of_a_point_are_those_of_its_row(void **state)
{
	struct table table;
	struct study *study;
	double x[8];
	size_t kind, n;

	(void)state;
	fill_kinds(&table);
	table.samples->columns[0].absence[0] = ABSENT_NOT_MEASURED;
	study = build_study(&table);
	kind = feature_called(study, "kind");
	n = feature_called(study, "n");
	assert_int_equal(study->n_points, ROWS - 1);
	assert_int_equal(study->rows[4], 5);
	assert_true(study_value(study, n, 4).number == table.samples->columns[N].numbers[5]);
	assert_string_equal(study_label(study, kind, 4),
			    table.samples->columns[KIND].numbers[5] == LIST ? "LIST" : "TREE");
	assert_null(study_label(study, n, 4));
	study_arguments(study, 4, x);
	assert_true(x[study->features[n].in_annotation] == table.samples->columns[N].numbers[5]);
	/*
	 * The first feature of the annotation is that of the condition; people want to see the
	 * formula's.
	 */
	assert_int_equal(study_main_feature(study), n);
	study_destroy(study);
	table_deinit(&table);
}

static void equivalent_features_are_one_and_what_never_varied_is_last(void **state)
{
	struct table table;
	struct study *study;
	const struct study_feature *last;
	size_t n;

	(void)state;
	fill_kinds(&table);
	study = build_study(&table);
	n = feature_called(study, "n");
	last = &study->features[study->n_features - 1];
	assert_int_equal(study->n_features, 4);
	assert_string_equal(study->features[n].expression, "n");
	assert_int_equal(study->features[n].n_aliases, 1);
	assert_string_equal(study->features[n].aliases[0], "p->twice");
	assert_string_equal(last->expression, "never");
	assert_true(isnan(last->explains));
	assert_true(last->min == 5 && last->max == 5);
	study_destroy(study);
	table_deinit(&table);
}

/* Metrics with less noise may have had a say in which of the equivalent ones is named. */
static void a_feature_is_called_as_the_annotation_calls_it(void **state)
{
	const char *preferred = "p->twice";
	const struct model_options options = {
		.min_r2 = 0.75, .preferred = &preferred, .n_preferred = 1};
	struct annotation *annotation;
	struct study *study;
	struct table table;
	size_t at;

	(void)state;
	fill_kinds(&table);
	annotation = model_build(table.samples, METRIC_TIME, &options);
	study = study_build(table.samples, METRIC_TIME, &(struct model_options){.min_r2 = 0.75},
			    annotation);
	assert_study_sound(study);
	assert_ptr_equal(study->annotation, annotation);
	at = study_main_feature(study);
	assert_string_equal(study->features[at].expression, "p->twice");
	assert_string_equal(study->features[at].aliases[0], "n");
	assert_int_equal(study->n_outside, 0);
	study_destroy(study);
	table_deinit(&table);
}

/* A line with noise everywhere explains that part of the variance that is not noise. */
static void a_feature_explains_its_part_of_the_variance(void **state)
{
	enum { CALLS = 1000 };
	const double squares = 1000.0 * 1000 / 12; /* of n, around its mean */
	const double noise = 150;
	const double part = squares / (squares + noise * noise);
	/*
	 * The standard error of R2: see Olkin and Finn, Correlations redux, Psychological Bulletin
	 * 118 (1995).
	 */
	const double error = 2 * sqrt(part) * (1 - part) / sqrt(CALLS);
	struct study *study;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 2);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "chance", FEATURE_FLOAT, 0);
	add_feature(&table, "row", FEATURE_ENUM, 0);
	add_feature(&table, "some", FEATURE_ENUM, 0);
	for (i = 0; i < CALLS; i++) {
		const double n = floor(uniform(&table, 0, 1000));

		set(&table, 0, 2000 + n + noise * normal(&table));
		set(&table, 1, n);
		set(&table, 2, normal(&table));
		set(&table, 3, i);
		set(&table, 4, floor(uniform(&table, 0, 200)));
		add_row(&table);
	}
	study = build_study(&table);
	assert_study_sound(study);
	assert_string_equal(study->features[0].expression, "n");
	assert_true(fabs(study->features[0].explains - part) < 5 * error);
	/*
	 * Chance explains about as many parts in a thousand as terms were tried: seven, and of the
	 * enumeration none of its 199 beyond sqrt(2 * 199).
	 */
	assert_true(study->features[feature_called(study, "chance")].explains < 0.02);
	assert_true(study->features[feature_called(study, "some")].explains < 0.08);
	assert_true(study->features[feature_called(study, "row")].explains == 0);
	study_destroy(study);
	table_deinit(&table);
}

static double explains_of(const struct table *table, const char *expression)
{
	struct study *study = build_study(table);
	const double explains = study->features[feature_called(study, expression)].explains;

	assert_study_sound(study);
	study_destroy(study);
	return explains;
}

/*
 * A cost with 1 % noise that is @mean of x: what x explains is all but 0.0001 parts of the mean
 * square, over its variance.
 */
static double explains_law(double (*mean)(double), double low, double high)
{
	struct table table;
	double explains;
	size_t i;

	table_init(&table, 3);
	add_feature(&table, "x", FEATURE_INT, 0);
	add_feature(&table, "other", FEATURE_INT, 0);
	for (i = 0; i < ROWS; i++) {
		const double x = floor(exp(uniform(&table, log(low), log(high))));

		set(&table, 0, mean(x) * (1 + 0.01 * normal(&table)));
		set(&table, 1, x);
		set(&table, 2, floor(uniform(&table, 0, 100)));
		add_row(&table);
	}
	explains = explains_of(&table, "x");
	table_deinit(&table);
	return explains;
}

static double jump(double x)
{
	return x > 100 ? 200 : 20;
}

static double bend(double x)
{
	return x > 100 ? 20 + 3 * (x - 100) : 20;
}

static void laws_of_every_shape_are_seen(void **state)
{
	double (*const laws[])(double) = {linear_law, nlogn_law, quadratic_law, log,
					  sqrt,       jump,      bend};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		assert_true(explains_law(laws[i], 2, 5000) > 0.98);
}

/*
 * Two calls in a hundred that waited for a processor, a hundred times as dear, say nothing about
 * features, nor about the model.
 */
static void far_calls_do_not_decide_what_explains_most(void **state)
{
	struct table table;
	struct study *study;
	size_t i;

	(void)state;
	table_init(&table, 4);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "other", FEATURE_INT, 0);
	for (i = 0; i < 500; i++) {
		const double n = floor(uniform(&table, 1, 1000));
		const bool is_far = i % 50 == 7;

		set(&table, 0, (20 + n) * (1 + NOISE * normal(&table)) + (is_far ? 5e4 : 0));
		set(&table, 1, n);
		set(&table, 2, floor(uniform(&table, 0, 100)));
		add_row(&table);
	}
	study = build_study(&table);
	assert_study_sound(study);
	assert_true(study->features[feature_called(study, "n")].explains > 0.9);
	assert_true(study->features[feature_called(study, "other")].explains < 0.1);
	assert_true(study->nodes[0].r2 > 0.9);
	assert_true(study->costs[7] > 5e4 && study_usual_cost(study, 7) < 2000);
	study_destroy(study);
	table_deinit(&table);
}

/*
 * What can be read in some calls only explains by that, too; what can be read in few is no feature.
 */
static void calls_without_a_feature_are_of_no_case(void **state)
{
	struct table table;
	struct study *study;
	size_t i, n = 0;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "p->n", FEATURE_INT, 1);
	add_feature(&table, "rare", FEATURE_INT, 0);
	for (i = 0; i < 200; i++) {
		const double x = floor(uniform(&table, 1, 1000));

		set(&table, 0, (20 + x) * (1 + NOISE * normal(&table)));
		set(&table, 1, x);
		set(&table, 2, x);
		if (i % 40 == 3)
			set_absent(&table, 1);
		if (i % 40)
			set_absent(&table, 2);
		n += i % 40 == 3;
		add_row(&table);
	}
	study = build_study(&table);
	assert_study_sound(study);
	assert_int_equal(study->n_outside, n);
	assert_string_equal(study->features[0].expression, "p->n");
	assert_int_equal(study->features[0].n_present, 200 - n);
	assert_true(isnan(study->features[feature_called(study, "rare")].explains));
	study_destroy(study);
	table_deinit(&table);
}

/* Calls of two modes, ten deviations apart, belong to the one that they are near. */
static void a_point_of_a_mixture_is_of_the_nearest_model(void **state)
{
	struct table table;
	struct study *study;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "other", FEATURE_INT, 0);
	for (i = 0; i < 200; i++) {
		set(&table, 0, (i % 3 ? 100 : 200) + 10 * normal(&table));
		set(&table, 1, floor(uniform(&table, 0, 100)));
		add_row(&table);
	}
	study = build_study(&table);
	assert_study_sound(study);
	assert_int_equal(study->annotation->n_cases, 1);
	assert_int_equal(study->annotation->cases[0].n_models, 2);
	for (i = 0; i < 200; i++)
		assert_true(fabs(study->expected[i] - (i % 3 ? 100 : 200)) < 10);
	study_destroy(study);
	table_deinit(&table);
}

static void the_total_is_that_of_all_calls_that_were_seen(void **state)
{
	struct table table;
	struct study *study;
	double sum = 0;
	size_t i;

	(void)state;
	fill_kinds(&table);
	table.samples->n_calls = 10 * ROWS;
	study = build_study(&table);
	for (i = 0; i < ROWS; i++)
		sum += study->costs[i];
	assert_true(fabs(study->total - 10 * sum) < 1e-9 * sum);
	study_destroy(study);
	/* If the time of each was noted, nothing needs to be estimated. */
	table.samples->total_us = 123;
	study = build_study(&table);
	assert_true(study->total == 123);
	study_destroy(study);
	table_deinit(&table);
}

static void assert_same_studies(const struct study *one, const struct study *other)
{
	size_t i;

	assert_int_equal(one->n_features, other->n_features);
	for (i = 0; i < one->n_features; i++) {
		assert_string_equal(one->features[i].expression, other->features[i].expression);
		assert_memory_equal(&one->features[i].explains, &other->features[i].explains,
				    sizeof(double));
	}
	assert_int_equal(one->n_nodes, other->n_nodes);
	for (i = 0; i < one->n_nodes; i++) {
		assert_int_equal(one->nodes[i].n_points, other->nodes[i].n_points);
		/* Sums of as many numbers in another order. */
		assert_true(fabs(one->nodes[i].mean - other->nodes[i].mean) <
			    1e-12 * fabs(one->nodes[i].mean));
	}
}

static void the_order_of_rows_and_columns_does_not_matter(void **state)
{
	struct table table, shuffled;
	struct study *study, *other;
	long seed;

	(void)state;
	fill_kinds(&table);
	study = build_study(&table);
	for (seed = 1; seed <= 3; seed++) {
		shuffle(&table, &shuffled, seed);
		other = build_study(&shuffled);
		assert_same_studies(study, other);
		study_destroy(other);
		table_deinit(&shuffled);
	}
	study_destroy(study);
	table_deinit(&table);
}

static void without_samples_or_the_metric_there_is_an_empty_study(void **state)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct study *study;
	struct table table;

	(void)state;
	table_init(&table, 7);
	add_feature(&table, "n", FEATURE_INT, 0);
	study = build_study(&table);
	assert_study_sound(study);
	assert_int_equal(study->n_points, 0);
	assert_true(isnan(study->total));
	assert_int_equal(study->n_features, 1);
	study_destroy(study);
	set(&table, 0, 1);
	set(&table, 1, 1);
	add_row(&table);
	study = study_build(table.samples, METRIC_MEM, &options, NULL);
	assert_study_sound(study);
	assert_int_equal(study->n_points, 0);
	study_destroy(study);
	study_destroy(NULL);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_point_has_what_its_case_expects),
		cmocka_unit_test(the_tree_has_the_cases_for_leaves),
		cmocka_unit_test(values_and_labels_of_a_point_are_those_of_its_row),
		cmocka_unit_test(equivalent_features_are_one_and_what_never_varied_is_last),
		cmocka_unit_test(a_feature_is_called_as_the_annotation_calls_it),
		cmocka_unit_test(a_feature_explains_its_part_of_the_variance),
		cmocka_unit_test(laws_of_every_shape_are_seen),
		cmocka_unit_test(far_calls_do_not_decide_what_explains_most),
		cmocka_unit_test(calls_without_a_feature_are_of_no_case),
		cmocka_unit_test(a_point_of_a_mixture_is_of_the_nearest_model),
		cmocka_unit_test(the_total_is_that_of_all_calls_that_were_seen),
		cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter),
		cmocka_unit_test(without_samples_or_the_metric_there_is_an_empty_study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
