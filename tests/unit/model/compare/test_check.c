/* Checks: samples that conform are left alone as often as is said, changes are found and named. */
#include "model_table.h"

#include "model/compare/check_samples.h"

static const char linear[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
			     "  Norm(100 + 2*n, 20);\n}\n";

static struct annotation_list parsed(const char *text)
{
	struct annotation_list list = {.n = 0};
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s", err.text);
	return list;
}

/* What a call costs, when the law is this. */
struct cost_law {
	double constant, slope, deviation;
	double alike; /* correlation of a call's noise with that of the one before */
};

static void fill(struct table *table, long seed, size_t n, const struct cost_law *law)
{
	double noise = 0;
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	for (i = 0; i < n; i++) {
		double x = floor(uniform(table, 10, 1000));

		noise = law->alike * noise + sqrt(1 - law->alike * law->alike) * normal(table);
		set(table, 1, x);
		set(table, 0, law->constant + law->slope * x + law->deviation * noise);
		add_row(table);
	}
}

static struct check *check_table(const struct table *table, const struct annotation_list *list,
				 double alpha, double tolerance, size_t *ret_violated)
{
	const struct check_options options = {.alpha = alpha, .tolerance = tolerance};
	struct check *check = check_create();

	check_samples_add(check, list->list[0], list, table->samples, &options);
	*ret_violated = check_samples_decide(check, &options);
	return check;
}

/* In how many of @runs tables that follow @law anything is violated. */
static unsigned count_alarms(const struct cost_law *law, size_t n, unsigned runs, double alpha,
			     double tolerance)
{
	struct annotation_list list = parsed(linear);
	unsigned alarms = 0;
	unsigned i;

	for (i = 0; i < runs; i++) {
		struct table table;
		size_t violated;

		fill(&table, 1000 + i, n, law);
		check_destroy(check_table(&table, &list, alpha, tolerance, &violated));
		alarms += violated > 0;
		table_deinit(&table);
	}
	annotation_parse_deinit(&list);
	return alarms;
}

/*
 * With next to no tolerance the rate of false alarms is alpha itself, or less: at 5 % of 400 that
 * is 20, and more than 37 come by accident less than once in 10,000 times (binomial). Far fewer
 * than 1 would show that the tests cannot fail.
 */
static void the_rate_of_false_alarms_is_what_is_said(void **state)
{
	const struct cost_law same = {100, 2, 20, 0};
	const unsigned alarms = count_alarms(&same, 200, 400, 0.05, 1e-9);

	(void)state;
	assert_in_range(alarms, 1, 37);
}

/*
 * The same of calls whose noise drifts: without care there would be hundreds. The estimate of the
 * drift adds some.
 */
static void calls_that_are_alike_do_not_alarm(void **state)
{
	const struct cost_law same = {100, 2, 20, 0.8};

	(void)state;
	assert_in_range(count_alarms(&same, 200, 400, 0.05, 1e-9), 0, 60);
}

static void a_difference_within_the_tolerance_conforms(void **state)
{
	const struct cost_law dearer = {104, 2.08, 20, 0};

	(void)state;
	assert_int_equal(count_alarms(&dearer, 2000, 20, 0.01, 0.1), 0);
	assert_int_equal(count_alarms(&dearer, 2000, 20, 0.01, 0.01), 20);
}

static const struct check_test *find(const struct check *check, enum check_kind kind)
{
	size_t i;

	for (i = 0; i < check->n_tests; i++)
		if (check->tests[i].kind == kind)
			return &check->tests[i];
	return NULL;
}

static void a_steeper_slope_is_found_and_its_term_named(void **state)
{
	const struct cost_law steeper = {100, 3, 20, 0};
	struct annotation_list list = parsed(linear);
	struct table table;
	struct check *check;
	size_t violated;

	(void)state;
	fill(&table, 1, 500, &steeper);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_true(find(check, CHECK_SLOPE)->violated && find(check, CHECK_LOCATION)->violated);
	assert_float_equal(find(check, CHECK_SLOPE)->observed, 1.5, 0.02);
	assert_int_equal(find(check, CHECK_SLOPE)->term->n_factors, 1);
	assert_float_equal(find(check, CHECK_SLOPE)->coefficient, 3, 0.02);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

static void a_dearer_constant_is_a_location_and_no_slope(void **state)
{
	const struct cost_law dearer = {600, 2, 20, 0};
	struct annotation_list list = parsed(linear);
	struct table table;
	struct check *check;
	size_t violated;

	(void)state;
	fill(&table, 1, 500, &dearer);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 1);
	assert_true(find(check, CHECK_LOCATION)->violated);
	assert_int_equal(find(check, CHECK_LOCATION)->term->n_factors, 0);
	assert_float_equal(find(check, CHECK_LOCATION)->coefficient, 600, 10);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

static size_t count_changed(const struct check *check)
{
	size_t changed = 0;
	size_t i;

	for (i = 0; i < check->n_tests; i++)
		changed += check->tests[i].changed;
	return changed;
}

/* It is told; the machine may have done it, so it violates only if any change does. */
static void a_wider_spread_is_found_alone(void **state)
{
	const struct cost_law wider = {100, 2, 60, 0};
	struct annotation_list list = parsed(linear);
	const struct check_options strict = {.alpha = 0.01, .tolerance = 0.1, .strict = true};
	struct table table;
	struct check *check;
	size_t tests, violated;

	(void)state;
	fill(&table, 1, 500, &wider);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 0);
	assert_int_equal(count_changed(check), 1);
	assert_true(find(check, CHECK_SPREAD)->changed);
	assert_int_equal(check_verdict(check, &check->subjects[0], &tests, &violated),
			 CHECK_CONFORMS);
	assert_int_equal(check_samples_decide(check, &strict), 1);
	assert_true(find(check, CHECK_SPREAD)->violated);
	assert_float_equal(find(check, CHECK_SPREAD)->observed, 60, 8);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

/* Ten calls of a thousand that cost a thousand times more. */
static void calls_far_away_are_left_out_and_counted(void **state)
{
	const struct cost_law same = {100, 2, 20, 0};
	struct annotation_list list = parsed(linear);
	struct table table;
	struct check *check;
	size_t violated;
	int i;

	(void)state;
	fill(&table, 1, 990, &same);
	for (i = 0; i < 10; i++) {
		set(&table, 1, 500);
		set(&table, 0, 1e6);
		add_row(&table);
	}
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 0);
	assert_int_equal(check->subjects[0].n_far, 10);
	assert_int_equal(check->subjects[0].n_samples, 1000);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

static void calls_outside_of_all_scopes_are_found(void **state)
{
	struct annotation_list list =
		parsed("f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
		       "  [n < 500] Norm(100 + 2*n, 20);\n  [n >= 500 && n < 900] Norm(100 + 2*n, "
		       "20);\n}\n");
	const struct cost_law same = {100, 2, 20, 0};
	struct table table;
	struct check *check;
	size_t violated;

	(void)state;
	fill(&table, 1, 1000, &same);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 1);
	assert_true(find(check, CHECK_OUTSIDE)->violated);
	assert_float_equal(find(check, CHECK_OUTSIDE)->observed, 0.1, 0.04);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

/* More of the dearer calls are worse, fewer are better. */
static void shares_of_a_mixture_that_move_are_found(void **state)
{
	struct annotation_list list = parsed(
		"f(int).time {\nfeatures:\nannotations:\n  {\n    {0.5} Norm(100, 5);\n    {0.5} "
		"Norm(200, 5);\n  }\n}\n");
	const double cheap[] = {0.5, 0.55, 0.2, 0.8};
	const size_t changed[] = {0, 0, 2, 2};
	const size_t worse[] = {0, 0, 2, 0};
	size_t i, j;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct check *check;
		struct table table;
		size_t violated;

		table_init(&table, 5);
		for (j = 0; j < 1000; j++) {
			double center = uniform(&table, 0, 1) < cheap[i] ? 100 : 200;

			set(&table, 0, center + 5 * normal(&table));
			add_row(&table);
		}
		check = check_table(&table, &list, 0.01, 0.1, &violated);
		assert_int_equal(count_changed(check), changed[i]);
		assert_int_equal(violated, worse[i]);
		check_destroy(check);
		table_deinit(&table);
	}
	annotation_parse_deinit(&list);
}

/* How often calls waited, and how long, is the machine's; the kinds' shares are of the others. */
static void the_rest_of_a_mixture_is_not_judged(void **state)
{
	struct annotation_list list = parsed(
		"f(int).time {\nfeatures:\nannotations:\n  {\n    {0.45} Norm(100, 5);\n    {0.45} "
		"Norm(200, 5);\n    {0.1} Norm(900, 300);  // the rest: 100 samples\n  }\n}\n");
	const struct {
		double rest, longest, cheap; /* the part of the rest, and that of the others */
		size_t changed;
	} calls[] = {
		{0.1, 1400, 0.5, 0}, {0, 1400, 0.5, 0}, {0.5, 4000, 0.5, 0}, {0.5, 4000, 0.2, 2}};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct check *check;
		struct table table;
		size_t violated;

		table_init(&table, 5);
		for (j = 0; j < 1000; j++) {
			double center = uniform(&table, 0, 1) < calls[i].cheap ? 100 : 200;

			set(&table, 0,
			    uniform(&table, 0, 1) < calls[i].rest
				    ? uniform(&table, 400, calls[i].longest)
				    : center + 5 * normal(&table));
			add_row(&table);
		}
		check = check_table(&table, &list, 0.01, 0.1, &violated);
		assert_int_equal(count_changed(check), calls[i].changed);
		assert_int_equal(violated, calls[i].changed);
		check_destroy(check);
		table_deinit(&table);
	}
	annotation_parse_deinit(&list);
}

/* Cheaper, slower to grow, and with less noise: only the first two are changes. */
static void a_change_for_the_better_is_told_and_violates_only_if_that_is_wanted(void **state)
{
	const struct cost_law better = {50, 1, 5, 0};
	struct check_options options = {.alpha = 0.01, .tolerance = 0.1};
	struct annotation_list list = parsed(linear);
	struct table table;
	struct check *check;

	(void)state;
	fill(&table, 1, 500, &better);
	for (;;) {
		check = check_create();
		check_samples_add(check, list.list[0], &list, table.samples, &options);
		assert_int_equal(check_samples_decide(check, &options), options.strict ? 2 : 0);
		assert_int_equal(count_changed(check), 2);
		assert_true(find(check, CHECK_LOCATION)->changed);
		assert_true(find(check, CHECK_SLOPE)->changed);
		check_destroy(check);
		if (options.strict)
			break;
		options.strict = true;
	}
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

/* A third more, and three times the noise: both are beyond chance, and below the resolution. */
static void what_the_resolution_hides_is_no_difference(void **state)
{
	const struct cost_law dearer = {133, 2.66, 60, 0};
	struct annotation_list list = parsed(linear);
	struct table table;
	struct check *check;
	size_t violated;

	(void)state;
	fill(&table, 1, 500, &dearer);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 2);
	assert_int_equal(count_changed(check), 3);
	check_destroy(check);
	table.samples->resolution[METRIC_TIME] = 5000;
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(violated, 0);
	assert_int_equal(count_changed(check), 0);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

/*
 * Sizes over three decades and noise of 20 %: in plain means the few largest calls drown all
 * others.
 */
static void a_fifth_more_is_caught_where_noise_grows(void **state)
{
	struct annotation_list list =
		parsed("f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
		       "  Norm(10 + n*n, 2 + 0.2*n*n);\n}\n");
	const double times[] = {1, 1.2};
	unsigned caught[2] = {0}, i, j;

	(void)state;
	for (j = 0; j < 2; j++)
		for (i = 0; i < 200; i++) {
			struct table table;
			size_t violated, row;

			table_init(&table, 3000 + i);
			add_feature(&table, "n", FEATURE_INT, 0);
			for (row = 0; row < 150; row++) {
				double x = floor(10 * pow(1000, uniform(&table, 0, 1)));

				set(&table, 1, x);
				set(&table, 0,
				    (10 + x * x) * times[j] * (1 + 0.2 * normal(&table)));
				add_row(&table);
			}
			check_destroy(check_table(&table, &list, 0.01, 0.1, &violated));
			caught[j] += violated > 0;
			table_deinit(&table);
		}
	/*
	 * At 1 % of 200 more than 8 come by accident less than once in 1,000 times; at 99 % fewer
	 * than 193.
	 */
	assert_in_range(caught[0], 0, 8);
	assert_in_range(caught[1], 193, 200);
	annotation_parse_deinit(&list);
}

/*
 * Parts that overlap: whoever takes each call for one of them would see other centres and spreads
 * than those that are told.
 */
static void a_mixture_whose_parts_overlap_conforms(void **state)
{
	struct annotation_list list = parsed(
		"f(int).time {\nfeatures:\nannotations:\n  {\n    {0.6} Norm(100, 20);\n    {0.4} "
		"Norm(150, 20);\n  }\n}\n");
	unsigned alarms = 0, i, row;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct table table;
		size_t violated;

		table_init(&table, 4000 + i);
		for (row = 0; row < 1000; row++) {
			double center = uniform(&table, 0, 1) < 0.6 ? 100 : 150;

			set(&table, 0, center + 20 * normal(&table));
			add_row(&table);
		}
		check_destroy(check_table(&table, &list, 0.01, 0.01, &violated));
		alarms += violated > 0;
		table_deinit(&table);
	}
	assert_in_range(alarms, 0, 6);
	annotation_parse_deinit(&list);
}

static void what_cannot_be_tested_is_said(void **state)
{
	struct annotation_list list =
		parsed("f(int).time {\nfeatures:\n  int m = p->m;\nannotations:\n"
		       "  Norm(100 + 2*m, 20);\n}\n");
	const struct cost_law same = {100, 2, 20, 0};
	struct table table;
	struct check *check;
	size_t violated;

	(void)state;
	fill(&table, 1, 100, &same);
	check = check_table(&table, &list, 0.01, 0.1, &violated);
	assert_int_equal(check->n_tests, 0);
	assert_string_equal(check->subjects[0].missing, "p->m");
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

/* What never varied has no deviation; then everything beyond the tolerance is a change. */
/* Calls that cost @least and @step more for each step of a counter from 0 to 9, twice. */
static enum check_verdict verdict_of_counting(double least, double step)
{
	struct annotation_list list = parsed("f(int).time {\nfeatures:\nannotations:\n"
					     "  Norm(26, 67);  // unexplained: 19 samples\n}\n");
	const struct check_options options = {.alpha = 0.01, .tolerance = 0.1, .run_spread = 0.08};
	struct check *check = check_create();
	enum check_verdict verdict;
	struct table table;
	size_t n, violated;
	unsigned i;

	table_init(&table, 1);
	for (i = 0; i < 20; i++) {
		set(&table, 0, least + step * (i % 10));
		add_row(&table);
	}
	check_samples_add(check, list.list[0], &list, table.samples, &options);
	check_samples_decide(check, &options);
	verdict = check_verdict(check, check->subjects, &n, &violated);
	assert_int_equal(n, 2);
	check_destroy(check);
	table_deinit(&table);
	annotation_parse_deinit(&list);
	return verdict;
}

/* Only two or three of them are independent, by how alike neighbours are. */
static void calls_that_depend_on_each_other_far_away_do_not_conform(void **state)
{
	(void)state;
	assert_int_equal(verdict_of_counting(600, 3200), CHECK_WORSE);
	assert_int_equal(verdict_of_counting(200, 300), CHECK_INCONCLUSIVE);
	assert_int_equal(verdict_of_counting(1, 10), CHECK_CONFORMS);
	/* Some are as before: what is new may be a kind of calls that come in rows. */
	assert_int_equal(verdict_of_counting(30, 3200), CHECK_INCONCLUSIVE);
}

static void an_exact_cost_is_checked_exactly(void **state)
{
	struct annotation_list list =
		parsed("f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
		       "  Norm(8*n, 0);\n}\n");
	const struct cost_law same = {0, 8, 0, 0};
	const struct cost_law more = {0, 16, 0, 0};
	struct table table;
	size_t violated;

	(void)state;
	fill(&table, 1, 100, &same);
	check_destroy(check_table(&table, &list, 0.01, 0.1, &violated));
	assert_int_equal(violated, 0);
	table_deinit(&table);
	fill(&table, 1, 100, &more);
	check_destroy(check_table(&table, &list, 0.01, 0.1, &violated));
	assert_true(violated >= 2);
	table_deinit(&table);
	annotation_parse_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_of_false_alarms_is_what_is_said),
		cmocka_unit_test(calls_that_are_alike_do_not_alarm),
		cmocka_unit_test(a_difference_within_the_tolerance_conforms),
		cmocka_unit_test(a_steeper_slope_is_found_and_its_term_named),
		cmocka_unit_test(a_dearer_constant_is_a_location_and_no_slope),
		cmocka_unit_test(a_wider_spread_is_found_alone),
		cmocka_unit_test(calls_far_away_are_left_out_and_counted),
		cmocka_unit_test(calls_outside_of_all_scopes_are_found),
		cmocka_unit_test(shares_of_a_mixture_that_move_are_found),
		cmocka_unit_test(the_rest_of_a_mixture_is_not_judged),
		cmocka_unit_test(
			a_change_for_the_better_is_told_and_violates_only_if_that_is_wanted),
		cmocka_unit_test(what_the_resolution_hides_is_no_difference),
		cmocka_unit_test(a_fifth_more_is_caught_where_noise_grows),
		cmocka_unit_test(a_mixture_whose_parts_overlap_conforms),
		cmocka_unit_test(what_cannot_be_tested_is_said),
		cmocka_unit_test(calls_that_depend_on_each_other_far_away_do_not_conform),
		cmocka_unit_test(an_exact_cost_is_checked_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
