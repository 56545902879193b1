/*
 * Calls in which features are absent: a kind of their own, where they are not rare; features are
 * used in the calls that have them, at every level of the tree. Seeds are fixed.
 */
#include "core/annotation/expectation.h"
#include "core/samples/derived_columns.h"
#include "model_table.h"

enum { ROWS = 400, TIME = 0, N, K, M };

static double log_uniform(struct table *table, double decades)
{
	return floor(10 * pow(10, uniform(table, 0, decades)));
}

static void set_cost(struct table *table, double mean)
{
	set(table, TIME, mean * (1 + 0.03 * fmax(normal(table), -4)));
}

/* Columns N, K and M. */
static void table_begin(struct table *table, const char *n, const char *k)
{
	table_init(table, 7);
	add_feature(table, n, FEATURE_INT, 1);
	add_feature(table, k, FEATURE_INT, 1);
	add_feature(table, "m", FEATURE_INT, 0);
}

static void draw_features(struct table *table)
{
	set(table, N, log_uniform(table, 3));
	set(table, K, floor(uniform(table, 0, 1000)));
	set(table, M, floor(uniform(table, 0, 1000)));
}

static struct annotation *finish(struct table *table)
{
	struct annotation *annotation;

	derived_columns_add(table->samples);
	annotation = build(table);
	assert_reads_back(annotation);
	table_deinit(table);
	return annotation;
}

static void assert_law(const struct annotation *annotation, size_t in, const char *text)
{
	char *all = text_of(annotation);

	if (in >= annotation->n_cases || !strstr(all, text))
		fail_msg("no %s in: %s", text, all);
	free(all);
}

/* Does case @in cost about slope * feature? */
static void assert_slope(const struct annotation *annotation, size_t in, double slope)
{
	const struct formula *mean = &annotation->cases[in].models[0].mean;
	const struct term *last = &mean->terms[mean->n_terms - 1];

	assert_int_equal(annotation->cases[in].n_models, 1);
	assert_int_equal(last->n_factors, 1);
	assert_true(last->factors[0].power == 1 && last->factors[0].log == 0);
	/* Noise of 3 % in at least 20 calls: five standard errors. */
	assert_true(fabs(last->coefficient / slope - 1) < 5 * 0.03 / sqrt(20));
}

/* list is null in a @share of the calls; these cost @otherwise, or, if that is 0, anything. */
static struct annotation *null_list(double share, size_t rows, double otherwise)
{
	struct table table;
	size_t i;

	table_begin(&table, "list->n", "list->k");
	for (i = 0; i < rows; i++) {
		draw_features(&table);
		set_cost(&table, 10 + 2 * table.cells[N].number);
		if (uniform(&table, 0, 1) < share) {
			set_cost(&table, otherwise > 0 ? otherwise : log_uniform(&table, 3));
			set_absent(&table, N);
			set_absent(&table, K);
		}
		add_row(&table);
	}
	return finish(&table);
}

static void a_null_pointer_is_a_case_whatever_such_calls_cost(void **state)
{
	static const double shares[] = {0.1, 0.5, 0.95};
	static const double costs[] = {5, 2000, 0};
	size_t i, j;

	(void)state;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			struct annotation *annotation = null_list(shares[i], ROWS, costs[j]);

			print_message("%g of the calls, costing %g\n", shares[i], costs[j]);
			assert_int_equal(annotation->n_cases, 2);
			assert_law(annotation, 0, "[list] Norm(");
			assert_law(annotation, 1, "[!list] Norm(");
			assert_slope(annotation, 0, 2);
			assert_int_equal(annotation->left_out.n_unread, 0);
			annotation_destroy(annotation);
		}
}

static void what_is_rarely_absent_is_left_out_and_told(void **state)
{
	struct annotation *annotation = null_list(0.005, 3000, 5);

	(void)state;
	assert_int_equal(annotation->n_cases, 1);
	assert_slope(annotation, 0, 2);
	assert_true(annotation->left_out.n_unread > 0);
	assert_law(annotation, 0, "were left out: list->n could not be read there");
	annotation_destroy(annotation);
}

static void nested_pointers_are_nested_cases(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_begin(&table, "a->n", "a->b->k");
	for (i = 0; i < ROWS; i++) {
		double u = uniform(&table, 0, 1);

		draw_features(&table);
		set_cost(&table, u < 0.5 ? 50 + 20 * table.cells[K].number
					 : 10 + 2 * table.cells[N].number);
		if (u >= 0.5)
			set_absent(&table, K);
		if (u >= 0.8) {
			set_absent(&table, N);
			set_cost(&table, 5);
		}
		add_row(&table);
	}
	annotation = finish(&table);
	assert_int_equal(annotation->n_cases, 3);
	assert_law(annotation, 2, "*k, ");
	assert_law(annotation, 2, "*n, ");
	assert_int_equal(annotation->left_out.n_unread, 0);
	annotation_destroy(annotation);
}

static void a_threshold_behind_a_pointer_is_found_where_it_can_be_read(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_begin(&table, "list->n", "list->k");
	for (i = 0; i < ROWS; i++) {
		draw_features(&table);
		set_cost(&table, table.cells[K].number < 400 ? 1000 : 5000);
		if (uniform(&table, 0, 1) < 0.8) {
			set_cost(&table, 1000);
			set_absent(&table, N);
			set_absent(&table, K);
		}
		add_row(&table);
	}
	annotation = finish(&table);
	assert_int_equal(annotation->n_cases, 3);
	assert_law(annotation, 2, "[list && k <= 400]");
	assert_law(annotation, 2, "[!list] Norm(");
	annotation_destroy(annotation);
}

static void absence_that_says_nothing_is_no_condition(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_begin(&table, "list->n", "list->k");
	for (i = 0; i < ROWS; i++) {
		draw_features(&table);
		set(&table, M, log_uniform(&table, 3));
		set_cost(&table, 10 + 2 * table.cells[M].number);
		if (uniform(&table, 0, 1) < 0.3) {
			set_absent(&table, N);
			set_absent(&table, K);
		}
		add_row(&table);
	}
	annotation = finish(&table);
	assert_int_equal(annotation->n_features, 1);
	assert_string_equal(annotation->features[0].expression, "m");
	assert_int_equal(annotation->n_cases, 1);
	annotation_destroy(annotation);
}

/* Without a pointer that tells it, the feature's own absence is the condition. */
static void other_reasons_of_absence_are_conditions_too(void **state)
{
	static const enum absence reasons[] = {ABSENT_UNREADABLE, ABSENT_OTHER_CLASS,
					       ABSENT_TOO_LONG};
	struct annotation *annotation;
	struct argument x[2] = {{.absent = true}};
	struct table table;
	size_t i, j;

	(void)state;
	for (j = 0; j < 3; j++) {
		table_begin(&table, "n", "k");
		for (i = 0; i < ROWS; i++) {
			draw_features(&table);
			set_cost(&table, 10 + 2 * table.cells[N].number);
			if (uniform(&table, 0, 1) < 0.1) {
				table.cells[N] = (struct value){0, reasons[j]};
				set_cost(&table, 700);
			}
			add_row(&table);
		}
		annotation = finish(&table);
		assert_int_equal(annotation->n_cases, 2);
		assert_int_equal(annotation->n_features, 1);
		assert_law(annotation, 0, "[defined(n)] Norm(");
		assert_law(annotation, 1, "[!defined(n)] Norm(");
		assert_true(expectation_case_holds(&annotation->cases[1], x));
		assert_false(expectation_case_holds(&annotation->cases[0], x));
		annotation_destroy(annotation);
	}
}

/* A run that did not read a feature says nothing of it. */
static void what_a_run_did_not_read_is_no_kind_of_calls(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_begin(&table, "n", "k");
	for (i = 0; i < ROWS; i++) {
		draw_features(&table);
		set_cost(&table, 10 + 2 * table.cells[N].number);
		if (i >= 300)
			table.cells[N] = (struct value){0, ABSENT_NOT_MEASURED};
		add_row(&table);
	}
	annotation = finish(&table);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_conditions, 0);
	assert_slope(annotation, 0, 2);
	assert_int_equal(annotation->left_out.n_unread, 100);
	annotation_destroy(annotation);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_null_pointer_is_a_case_whatever_such_calls_cost),
		cmocka_unit_test(what_is_rarely_absent_is_left_out_and_told),
		cmocka_unit_test(nested_pointers_are_nested_cases),
		cmocka_unit_test(a_threshold_behind_a_pointer_is_found_where_it_can_be_read),
		cmocka_unit_test(absence_that_says_nothing_is_no_condition),
		cmocka_unit_test(other_reasons_of_absence_are_conditions_too),
		cmocka_unit_test(what_a_run_did_not_read_is_no_kind_of_calls),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
