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

/* What a call costs whose features are drawn, and which of these it lacks; @how: the law's own. */
typedef void call_law(struct table *table, size_t call, const double *how);

/* The model of @rows calls with the features @n, @k and "m". */
static struct annotation *build_calls(const char *n, const char *k, size_t rows, call_law *law,
				      const double *how)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	table_init(&table, 7);
	add_feature(&table, n, FEATURE_INT, 1);
	add_feature(&table, k, FEATURE_INT, 1);
	add_feature(&table, "m", FEATURE_INT, 0);
	for (i = 0; i < rows; i++) {
		set(&table, N, log_uniform(&table, 3));
		set(&table, K, floor(uniform(&table, 0, 1000)));
		set(&table, M, floor(uniform(&table, 0, 1000)));
		law(&table, i, how);
		add_row(&table);
	}
	derived_columns_add(table.samples);
	annotation = build(&table);
	assert_reads_back(annotation);
	table_deinit(&table);
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

/* list is null in the share how[0] of the calls; these cost how[1], or, if that is 0, anything. */
static void null_list(struct table *table, size_t call, const double *how)
{
	(void)call;
	set_cost(table, 10 + 2 * table->cells[N].number);
	if (uniform(table, 0, 1) >= how[0])
		return;
	set_cost(table, how[1] > 0 ? how[1] : log_uniform(table, 3));
	set_absent(table, N);
	set_absent(table, K);
}

static void a_null_pointer_is_a_case_whatever_such_calls_cost(void **state)
{
	static const double shares[] = {0.1, 0.5, 0.95};
	static const double costs[] = {5, 2000, 0};
	size_t i, j;

	(void)state;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			const double how[] = {shares[i], costs[j]};
			struct annotation *annotation =
				build_calls("list->n", "list->k", ROWS, null_list, how);

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
	const double how[] = {0.005, 5};
	struct annotation *annotation = build_calls("list->n", "list->k", 3000, null_list, how);

	(void)state;
	assert_int_equal(annotation->n_cases, 1);
	assert_slope(annotation, 0, 2);
	assert_true(annotation->left_out.n_unread > 0);
	assert_law(annotation, 0, "were left out: list->n could not be read there");
	annotation_destroy(annotation);
}

static void nested_pointers(struct table *table, size_t call, const double *how)
{
	const double u = uniform(table, 0, 1);

	(void)call, (void)how;
	set_cost(table,
		 u < 0.5 ? 50 + 20 * table->cells[K].number : 10 + 2 * table->cells[N].number);
	if (u >= 0.5)
		set_absent(table, K);
	if (u >= 0.8) {
		set_absent(table, N);
		set_cost(table, 5);
	}
}

static void nested_pointers_are_nested_cases(void **state)
{
	struct annotation *annotation = build_calls("a->n", "a->b->k", ROWS, nested_pointers, NULL);

	(void)state;
	assert_int_equal(annotation->n_cases, 3);
	assert_law(annotation, 2, "*k, ");
	assert_law(annotation, 2, "*n, ");
	assert_int_equal(annotation->left_out.n_unread, 0);
	annotation_destroy(annotation);
}

static void threshold_behind_a_pointer(struct table *table, size_t call, const double *how)
{
	(void)call, (void)how;
	set_cost(table, table->cells[K].number < 400 ? 1000 : 5000);
	if (uniform(table, 0, 1) < 0.8) {
		set_cost(table, 1000);
		set_absent(table, N);
		set_absent(table, K);
	}
}

static void a_threshold_behind_a_pointer_is_found_where_it_can_be_read(void **state)
{
	struct annotation *annotation =
		build_calls("list->n", "list->k", ROWS, threshold_behind_a_pointer, NULL);

	(void)state;
	assert_int_equal(annotation->n_cases, 3);
	assert_law(annotation, 2, "[list && k <= 400]");
	assert_law(annotation, 2, "[!list] Norm(");
	annotation_destroy(annotation);
}

static void absence_without_meaning(struct table *table, size_t call, const double *how)
{
	(void)call, (void)how;
	set(table, M, log_uniform(table, 3));
	set_cost(table, 10 + 2 * table->cells[M].number);
	if (uniform(table, 0, 1) < 0.3) {
		set_absent(table, N);
		set_absent(table, K);
	}
}

static void absence_that_says_nothing_is_no_condition(void **state)
{
	struct annotation *annotation =
		build_calls("list->n", "list->k", ROWS, absence_without_meaning, NULL);

	(void)state;
	assert_int_equal(annotation->n_features, 1);
	assert_string_equal(annotation->features[0].expression, "m");
	assert_int_equal(annotation->n_cases, 1);
	annotation_destroy(annotation);
}

/* how[0]: the reason. */
static void absent_for_a_reason(struct table *table, size_t call, const double *how)
{
	(void)call;
	set_cost(table, 10 + 2 * table->cells[N].number);
	if (uniform(table, 0, 1) < 0.1) {
		table->cells[N] = (struct value){0, (enum absence) * how};
		set_cost(table, 700);
	}
}

/* Without a pointer that tells it, the feature's own absence is the condition. */
static void other_reasons_of_absence_are_conditions_too(void **state)
{
	static const double reasons[] = {ABSENT_UNREADABLE, ABSENT_OTHER_CLASS, ABSENT_TOO_LONG};
	struct argument x[2] = {{.absent = true}};
	size_t j;

	(void)state;
	for (j = 0; j < 3; j++) {
		struct annotation *annotation =
			build_calls("n", "k", ROWS, absent_for_a_reason, &reasons[j]);

		assert_int_equal(annotation->n_cases, 2);
		assert_int_equal(annotation->n_features, 1);
		assert_law(annotation, 0, "[defined(n)] Norm(");
		assert_law(annotation, 1, "[!defined(n)] Norm(");
		assert_true(expectation_case_holds(&annotation->cases[1], x));
		assert_false(expectation_case_holds(&annotation->cases[0], x));
		annotation_destroy(annotation);
	}
}

/* Each class has a size of its own. */
static void two_classes_of(struct table *table, bool is_told)
{
	size_t i;

	table_init(table, 7);
	add_feature(table, "dynamic_cast<const disc *>(s)->radius", FEATURE_INT, 1);
	add_feature(table, "dynamic_cast<const square *>(s)->side", FEATURE_INT, 1);
	add_feature(table, is_told ? "typeid(*s)" : "other", is_told ? FEATURE_CLASS : FEATURE_INT,
		    1);
	if (is_told) {
		samples_add_label(table->samples, M, 17, "disc");
		samples_add_label(table->samples, M, 42, "square");
	}
	for (i = 0; i < ROWS; i++) {
		const bool is_disc = uniform(table, 0, 1) < 0.4;
		const double size = log_uniform(table, 3);

		set(table, N, size);
		set(table, K, size);
		set(table, M, is_disc ? 17 : 42);
		set_cost(table, is_disc ? 10 + 2 * size : 500 + 9 * size);
		table->cells[is_disc ? K : N] = (struct value){0, ABSENT_OTHER_CLASS};
		add_row(table);
	}
}

static void a_class_that_tells_what_is_there_is_the_scope(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct annotation *annotation;
		struct table table;

		two_classes_of(&table, i);
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 2);
		assert_law(annotation, 0, i ? "== disc] Norm(" : "defined(");
		assert_law(annotation, 1, i ? "== square] Norm(" : "defined(");
		assert_same_in_any_order(&table, 2);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void not_read_by_a_run(struct table *table, size_t call, const double *how)
{
	(void)how;
	set_cost(table, 10 + 2 * table->cells[N].number);
	if (call >= 300)
		table->cells[N] = (struct value){0, ABSENT_NOT_MEASURED};
}

/* A run that did not read a feature says nothing of it. */
static void what_a_run_did_not_read_is_no_kind_of_calls(void **state)
{
	struct annotation *annotation = build_calls("n", "k", ROWS, not_read_by_a_run, NULL);

	(void)state;
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
		cmocka_unit_test(a_class_that_tells_what_is_there_is_the_scope),
		cmocka_unit_test(what_a_run_did_not_read_is_no_kind_of_calls),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
