/* Diffs: what changed is found and named. How often they are wrong is test_diff_rates.c's. */
#include "diff_table.h"

static struct diff *compare_laws(const struct cost_law *old, const struct cost_law *new, size_t n,
				 const char *model)
{
	struct table tables[2];
	struct diff *diff;

	fill(&tables[0], 1, n, old);
	fill(&tables[1], 2, n, new);
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
	return diff;
}

static char *text_of_diff(const struct diff *diff, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	diff_print(&diff->subjects[0], all, out);
	fclose(out);
	return text;
}

static void assert_says(const struct diff *diff, const char *words)
{
	char *text = text_of_diff(diff, false);

	if (!strstr(text, words))
		fail_msg("it does not say '%s' but:\n%s", words, text);
	free(text);
}

static void samples_with_themselves_are_the_same(void **state)
{
	struct table table;
	struct diff *diff;
	size_t i;

	(void)state;
	fill(&table, 1, ROWS, &usual);
	diff = compare(&table, &table, NULL, 0.01, 0);
	assert_int_equal(diff->subjects[0].verdict, DIFF_CONFORMS);
	assert_false(diff->subjects[0].moved);
	assert_true(diff->subjects[0].n_tests > 0);
	for (i = 0; i < diff->subjects[0].n_tests; i++)
		assert_true(diff->subjects[0].tests[i].p == 1);
	assert_says(diff, "unchanged");
	diff_destroy(diff);
	table_deinit(&table);
}

static void what_is_a_fifth_faster_is_better(void **state)
{
	const struct cost_law now = slower(usual, 0.8);
	struct diff *diff = compare_laws(&usual, &now, ROWS, NULL);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_BETTER);
	assert_says(diff, "better, 0.79");
	diff_destroy(diff);
}

static void the_term_that_changed_is_named_with_an_interval(void **state)
{
	struct cost_law now = usual;
	struct diff *diff;

	(void)state;
	now.linear = 11.4;
	diff = compare_laws(&usual, &now, 500, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_int_equal(diff->subjects[0].n_terms, 2);
	assert_int_equal(diff->subjects[0].terms[1].term->n_factors, 1);
	assert_true(diff->subjects[0].terms[1].certain);
	assert_false(diff->subjects[0].terms[0].certain);
	assert_float_equal(diff->subjects[0].terms[1].pair.old, 2, 0.05);
	assert_float_equal(diff->subjects[0].terms[1].pair.new, 11.4, 0.05);
	assert_in_range(diff->subjects[0].terms[1].pair.low * 1000, 5600, 5700);
	assert_in_range(diff->subjects[0].terms[1].pair.high * 1000, 5700, 5800);
	assert_says(diff, "per n: 1.996 → 11.4 µs, 5.71 times (95 %: 5.69 to 5.73)");
	diff_destroy(diff);
}

/* Terms n and n log n say little one by one; what they say together of calls does. */
static void terms_that_are_alike_do_not_hide_a_change(void **state)
{
	static const char model[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
				    "  Norm(50 + 0.5*n + 0.3*n*log(n), 20);\n}\n";
	const struct cost_law law = {.constant = 50,
				     .linear = 0.5,
				     .nlogn = 0.3,
				     .relative = 0.05,
				     .low = 100,
				     .high = 1000};
	const struct cost_law now = slower(law, 1.3);
	struct diff *diff = compare_laws(&law, &now, ROWS, model);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_in_range(diff_change(&diff->subjects[0]) * 100, 125, 138);
	assert_false(diff->subjects[0].terms[1].certain);
	diff_destroy(diff);
}

static void another_class_of_growth_is_shown_beside_the_old_one(void **state)
{
	const struct cost_law now = {
		.constant = 100, .quadratic = 0.05, .even = 20, .low = 10, .high = 1000};
	struct diff *diff = compare_laws(&usual, &now, 500, NULL);

	(void)state;
	assert_true(diff->subjects[0].other_form);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_says(diff, "the old formula does not describe the new calls");
	assert_says(diff, "n^2");
	diff_destroy(diff);
}

/* Where both have seen nothing alike, anything may be true. */
static void nothing_is_claimed_of_sizes_that_only_one_has_seen(void **state)
{
	struct cost_law now = slower(usual, 3);
	struct diff *diff;

	(void)state;
	now.low = 2000;
	now.high = 9000;
	diff = compare_laws(&usual, &now, 500, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_INCONCLUSIVE);
	assert_says(diff, "outside of what the old profile observed");
	assert_says(diff, "workload: n: median");
	diff_destroy(diff);
}

/* A size that is always the same leaves one cost to compare, at that size. */
static void one_size_is_compared_there(void **state)
{
	struct cost_law now = usual;
	struct diff *diff;

	(void)state;
	now.low = now.high = 500;
	diff = compare_laws(&usual, &now, 500, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_CONFORMS);
	assert_true(diff->subjects[0].moved);
	diff_destroy(diff);
	now = slower(now, 1.5);
	diff = compare_laws(&usual, &now, 500, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_int_equal(diff->subjects[0].n_terms, 0);
	assert_in_range(diff_change(&diff->subjects[0]) * 100, 145, 155);
	diff_destroy(diff);
}

/* The main trend is the same; every tenth call is ten times as dear. */
static void what_only_some_calls_pay_is_found(void **state)
{
	struct cost_law now = usual;
	struct diff *diff;

	(void)state;
	now.dear = 0.1;
	diff = compare_laws(&usual, &now, 1000, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_says(diff, "the new calls in the mean");
	diff_destroy(diff);
}

/* Two calls of a thousand that had to wait for a processor are no regression. */
static void a_few_calls_far_away_are_none(void **state)
{
	struct cost_law now = usual;
	struct diff *diff;

	(void)state;
	now.dear = 0.002;
	diff = compare_laws(&usual, &now, 1000, NULL);
	assert_int_equal(diff->subjects[0].verdict, DIFF_CONFORMS);
	diff_destroy(diff);
}

/* Calls that have a step in their cost, of which the formula knows nothing. */
static void fill_step(struct table *table, long seed, double low, double high)
{
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	for (i = 0; i < 300; i++) {
		const double x = floor(uniform(table, low, high));

		set(table, 1, x);
		set(table, 0, (x < 500 ? 100 + 2 * x : 3000 + x) * (1 + 0.02 * normal(table)));
		add_row(table);
	}
}

static void what_is_not_seen_in_calls_is_not_claimed(void **state)
{
	static const char model[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
				    "  Norm(100 + 4*n, 20);\n}\n";
	struct table tables[2];
	struct diff *diff;
	unsigned unseen = 0;
	size_t i;

	(void)state;
	fill_step(&tables[0], 1, 10, 1000);
	fill_step(&tables[1], 2, 420, 580);
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	assert_int_equal(diff->subjects[0].verdict, DIFF_CONFORMS);
	for (i = 0; i < diff->subjects[0].n_tests; i++)
		unseen += diff->subjects[0].tests[i].kind == DIFF_CALL &&
			  fabs(log(diff->subjects[0].tests[i].pair.new /
				   diff->subjects[0].tests[i].pair.old)) > 0.2;
	assert_true(unseen > 0); /* the formulas alone would say so */
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
}

/* Of profiles in which a parameter was always one number, and costs are others with it. */
static struct diff *compare_constants(struct table tables[2], const double numbers[2],
				      bool of_threads)
{
	for (size_t i = 0; i < 2; i++) {
		table_init(&tables[i], 5 + i);
		add_feature(&tables[i], "n", FEATURE_INT, 0);
		for (size_t j = 0; j < 100; j++) {
			set(&tables[i], 1, numbers[i]);
			set(&tables[i], 0, (i ? 2100 : 300) + 5 * normal(&tables[i]));
			add_row(&tables[i]);
			if (of_threads)
				tables[i].samples->keys[j].thread = (int64_t)numbers[i];
		}
	}
	return compare(&tables[0], &tables[1], NULL, 0.01, 0.1);
}

static void a_parameter_that_changed_with_the_profile_is_told(void **state)
{
	static const double numbers[2] = {100, 1000};
	struct table tables[2];
	struct diff *diff = compare_constants(tables, numbers, false);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_INCONCLUSIVE);
	assert_says(diff, "n was always 100 and is 1000 now");
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
}

static void the_number_of_a_thread_is_no_parameter_that_changed(void **state)
{
	static const double numbers[2] = {3001, 4002};
	struct table tables[2];
	struct diff *diff = compare_constants(tables, numbers, true);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
}

static void a_feature_that_the_new_profile_lacks_is_named(void **state)
{
	static const char model[] = "f(int).time {\nfeatures:\n  int m = p->m;\nannotations:\n"
				    "  Norm(100 + 2*m, 20);\n}\n";
	struct table tables[2];
	struct diff *diff;
	size_t i;

	(void)state;
	fill(&tables[0], 1, ROWS, &usual);
	fill(&tables[1], 2, ROWS, &usual);
	add_feature(&tables[0], "p->m", FEATURE_INT, 1);
	for (i = 0; i < ROWS; i++) {
		tables[0].samples->columns[3].absence[i] = PRESENT;
		tables[0].samples->columns[3].numbers[i] = (double)i;
	}
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	assert_int_equal(diff->subjects[0].verdict, DIFF_INCONCLUSIVE);
	assert_says(diff, "the new profile has no p->m");
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
}

static const struct diff_test *find_test(const struct diff *diff, enum diff_kind kind,
					 unsigned model)
{
	size_t i;

	for (i = 0; i < diff->subjects[0].n_tests; i++)
		if (diff->subjects[0].tests[i].kind == kind &&
		    diff->subjects[0].tests[i].model == model)
			return &diff->subjects[0].tests[i];
	return NULL;
}

/* Costs around 100 and, for a part of the calls, around another centre. */
static void fill_mixture(struct table *table, long seed, double part, double centre)
{
	size_t i;

	table_init(table, seed);
	for (i = 0; i < 1000; i++) {
		set(table, 0, (uniform(table, 0, 1) < part ? centre : 100) + 5 * normal(table));
		add_row(table);
	}
}

static const char mixture[] = "f(int).time {\nfeatures:\nannotations:\n  {\n"
			      "    {0.7} Norm(100, 5);\n    {0.3} Norm(200, 5);\n  }\n}\n";

/* What is not around 100 waited for something. */
static const char rest[] = "f(int).time {\nfeatures:\nannotations:\n  {\n    {0.7} Norm(100, 5);\n"
			   "    {0.3} Norm(200, 5);  // the rest: 300 samples\n  }\n}\n";

static struct diff *compare_mixtures(const char *model, double part, double centre)
{
	struct table tables[2];
	struct diff *diff;

	fill_mixture(&tables[0], 1, 0.3, 200);
	fill_mixture(&tables[1], 2, part, centre);
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
	return diff;
}

static void mixtures_are_compared_by_shares_and_centres(void **state)
{
	struct diff *diff = compare_mixtures(mixture, 0.3, 200);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_CONFORMS);
	diff_destroy(diff);
	diff = compare_mixtures(mixture, 0.8, 200);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_true(find_test(diff, DIFF_SHARE, 1)->certain);
	assert_false(find_test(diff, DIFF_CENTRE, 1)->certain);
	assert_float_equal(find_test(diff, DIFF_SHARE, 1)->pair.new, 0.8, 0.04);
	diff_destroy(diff);
	diff = compare_mixtures(mixture, 0.3, 300);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_true(find_test(diff, DIFF_CENTRE, 1)->certain);
	assert_false(find_test(diff, DIFF_SHARE, 1)->certain);
	assert_false(find_test(diff, DIFF_CENTRE, 0)->certain);
	assert_float_equal(find_test(diff, DIFF_CENTRE, 1)->pair.new, 300, 2);
	diff_destroy(diff);
}

/* The typical call is, and the mean of all. */
static void the_rest_is_not_compared_as_a_kind(void **state)
{
	struct diff *diff = compare_mixtures(rest, 0.3, 300);

	(void)state;
	assert_null(find_test(diff, DIFF_SHARE, 0));
	assert_null(find_test(diff, DIFF_SHARE, 1));
	assert_null(find_test(diff, DIFF_CENTRE, 1));
	assert_non_null(find_test(diff, DIFF_MEAN, 0));
	diff_destroy(diff);
}

/* Each case has its own terms, and only one of them changed; there are calls that no case has. */
static void cases_are_compared_one_by_one(void **state)
{
	static const char model[] =
		"f(int).time {\nfeatures:\n  int n = n;\n  int flags = flags;\nannotations:\n"
		"  [flags < 2] Norm(100 + 2*n, 20);\n  [flags == 2] Norm(100 + 2*n, 20);\n}\n";
	struct table tables[2];
	struct diff *diff;
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct samples *samples;

		fill(&tables[i], 1 + i, 1000, &usual);
		samples = tables[i].samples;
		for (j = 0; j < samples->n_rows; j++) {
			double *flags = &samples->columns[OTHER_COLUMN].numbers[j];

			if (!i && *flags == 3)
				*flags = 2;
			if (i && *flags == 2)
				samples->columns[0].numbers[j] +=
					4 * samples->columns[N_COLUMN].numbers[j];
		}
	}
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_says(diff, "[flags == 2] per n: 1.998 → 6.006 µs");
	assert_int_equal(diff->subjects[0].n_terms, 4);
	assert_false(diff->subjects[0].terms[1].certain);
	assert_true(diff->subjects[0].terms[3].certain);
	assert_true(find_test(diff, DIFF_OUTSIDE, 0)->certain);
	assert_says(diff, "in no case of the old model: 0 → 27.2 % of the calls");
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
}

/* Nothing crashes, and no number is printed that is none. */
static void strange_numbers_are_survived(void **state)
{
	const struct cost_law laws[] = {
		{.low = 1, .high = 1},
		{.constant = -100, .linear = -2, .even = 20, .low = 1, .high = 100},
		{.constant = 1e300, .linear = 1e295, .low = 1, .high = 100},
		{.constant = 1e-300, .linear = 1e-300, .low = 1, .high = 100},
		{.linear = 2, .low = 1, .high = 1000},
		{.constant = 5, .even = 100, .low = 1, .high = 1e15},
	};
	const size_t n = sizeof(laws) / sizeof(*laws);
	const size_t rows[] = {1, 2, 9, 40};
	size_t i, j, k;

	(void)state;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			for (k = 0; k < 4; k++) {
				struct diff *diff = compare_laws(&laws[i], &laws[j], rows[k], NULL);
				char *text = text_of_diff(diff, true);

				if (strstr(text, "nan") || strstr(text, "inf"))
					fail_msg("laws %zu and %zu, %zu rows:\n%s", i, j, rows[k],
						 text);
				if (i == j && diff->subjects[0].verdict == DIFF_WORSE)
					fail_msg("law %zu, %zu rows:\n%s", i, rows[k], text);
				free(text);
				diff_destroy(diff);
			}
}

/* Of calls that cost @least and @step more for each step of a counter from 0 to 19, twice. */
static enum diff_verdict verdict_of_counting(double least, double step)
{
	static const char model[] = "f(int).time {\nfeatures:\nannotations:\n"
				    "  Norm(105, 58);  // unexplained: 40 samples\n}\n";
	struct table tables[2];
	enum diff_verdict verdict;
	struct diff *diff;
	unsigned i, j;

	for (i = 0; i < 2; i++) {
		table_init(&tables[i], 1 + i);
		for (j = 0; j < 40; j++) {
			set(&tables[i], 0, (i ? least : 10) + (i ? step : 10) * (j % 20));
			add_row(&tables[i]);
		}
	}
	diff = compare(&tables[0], &tables[1], model, 0.01, 0.1);
	verdict = diff->subjects[0].verdict;
	diff_destroy(diff);
	table_deinit(&tables[0]);
	table_deinit(&tables[1]);
	return verdict;
}

/* Two of them are independent, by how alike neighbours are: that is no proof of sameness. */
static void calls_that_depend_on_each_other_far_away_are_not_unchanged(void **state)
{
	(void)state;
	assert_int_equal(verdict_of_counting(600, 3200), DIFF_WORSE);
	assert_int_equal(verdict_of_counting(20, 20), DIFF_INCONCLUSIVE);
	assert_int_equal(verdict_of_counting(10, 10), DIFF_CONFORMS);
	assert_int_equal(verdict_of_counting(10, 10.2), DIFF_CONFORMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_with_themselves_are_the_same),
		cmocka_unit_test(what_is_a_fifth_faster_is_better),
		cmocka_unit_test(the_term_that_changed_is_named_with_an_interval),
		cmocka_unit_test(terms_that_are_alike_do_not_hide_a_change),
		cmocka_unit_test(another_class_of_growth_is_shown_beside_the_old_one),
		cmocka_unit_test(nothing_is_claimed_of_sizes_that_only_one_has_seen),
		cmocka_unit_test(one_size_is_compared_there),
		cmocka_unit_test(what_only_some_calls_pay_is_found),
		cmocka_unit_test(a_few_calls_far_away_are_none),
		cmocka_unit_test(what_is_not_seen_in_calls_is_not_claimed),
		cmocka_unit_test(a_parameter_that_changed_with_the_profile_is_told),
		cmocka_unit_test(the_number_of_a_thread_is_no_parameter_that_changed),
		cmocka_unit_test(a_feature_that_the_new_profile_lacks_is_named),
		cmocka_unit_test(mixtures_are_compared_by_shares_and_centres),
		cmocka_unit_test(the_rest_is_not_compared_as_a_kind),
		cmocka_unit_test(cases_are_compared_one_by_one),
		cmocka_unit_test(calls_that_depend_on_each_other_far_away_are_not_unchanged),
		cmocka_unit_test(strange_numbers_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
