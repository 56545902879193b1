/* Diffs: what changed is found and named, what did not is left alone as often as is said, and a moved workload is no regression. */
#include "model_table.h"

#include "core/annotation_parse.h"
#include "model/diff.h"

/* What a call with the size x costs, and which sizes there are. */
struct cost_law {
	double constant, linear, nlogn, quadratic;
	double even, relative; /* standard deviation of the noise, and as a part of the cost */
	double low, high;      /* sizes, spread evenly over their logarithms */
	double alike;          /* correlation of a call's noise with that of the one before */
	double dear;           /* this part of the calls costs ten times as much */
};

static const struct cost_law usual = {
	.constant = 100, .linear = 2, .even = 20, .low = 10, .high = 1000};
static const struct cost_law sorting = {
	.constant = 50, .nlogn = 0.3, .relative = 0.2, .low = 10, .high = 2000};

/* What they are, without finding out first. */
static const char linear[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(100 + 2*n, 20);\n}\n";
static const char nlogn[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(50 + 0.3*n*log(n), 20);\n}\n";

enum { N_COLUMN = 1, OTHER_COLUMN = 2, ROWS = 200, PAIRS = 200 };

static double cost_at(const struct cost_law *law, double x)
{
	return law->constant + law->linear * x + law->nlogn * x * log(x) + law->quadratic * x * x;
}

static void fill(struct table *table, long seed, size_t n, const struct cost_law *law)
{
	double noise = 0;
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "flags", FEATURE_INT, 0);
	for (i = 0; i < n; i++) {
		const double x = floor(law->low * pow(law->high / law->low, uniform(table, 0, 1)));
		const double cost = cost_at(law, x);

		noise = law->alike * noise + sqrt(1 - law->alike * law->alike) * normal(table);
		set(table, N_COLUMN, x);
		set(table, OTHER_COLUMN, floor(uniform(table, 0, 4)));
		set(table, 0,
		    (cost + noise * (law->even + law->relative * cost)) *
			    (uniform(table, 0, 1) < law->dear ? 10 : 1));
		add_row(table);
	}
}

static struct annotation *parsed(const char *text)
{
	struct annotation_list list = {.n = 0};
	struct annotation *annotation;
	struct err err = {0};

	if (!annotations_parse(text, strlen(text), &list, &err))
		fail_msg("%s", err.text);
	annotation = list.list[0];
	free(list.list);
	return annotation;
}

/* The diff of two tables; @model: of both, NULL: each has its own. */
static struct diff *compare(const struct table *old, const struct table *new, const char *model,
			    double alpha, double tolerance)
{
	const struct diff_options options = {alpha, tolerance};
	struct diff *diff = diff_create();

	diff_add(diff, old->samples, new->samples, model ? parsed(model) : build(old),
		 model ? parsed(model) : build(new), &options);
	diff_decide(diff, &options);
	return diff;
}

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

/* How many of PAIRS pairs of tables by the two laws get each verdict. */
struct verdicts {
	unsigned counts[DIFF_SAME + 1];
	unsigned moved;
};

static struct verdicts judge(const struct cost_law *old, const struct cost_law *new,
			     const char *model, size_t n, double alpha, double tolerance)
{
	struct verdicts verdicts = {{0}, 0};
	unsigned i;

	for (i = 0; i < PAIRS; i++) {
		struct table tables[2];
		struct diff *diff;

		fill(&tables[0], 1000 + 2 * i, n, old);
		fill(&tables[1], 1001 + 2 * i, n, new);
		diff = compare(&tables[0], &tables[1], model, alpha, tolerance);
		verdicts.counts[diff->subjects[0].verdict]++;
		verdicts.moved += diff->subjects[0].moved;
		diff_destroy(diff);
		table_deinit(&tables[0]);
		table_deinit(&tables[1]);
	}
	return verdicts;
}

static struct cost_law slower(struct cost_law law, double times)
{
	law.constant *= times;
	law.linear *= times;
	law.nlogn *= times;
	law.quadratic *= times;
	return law;
}

static void samples_with_themselves_are_the_same(void **state)
{
	struct table table;
	struct diff *diff;
	size_t i;

	(void)state;
	fill(&table, 1, ROWS, &usual);
	diff = compare(&table, &table, NULL, 0.01, 0);
	assert_int_equal(diff->subjects[0].verdict, DIFF_SAME);
	assert_false(diff->subjects[0].moved);
	assert_true(diff->subjects[0].n_tests > 0);
	for (i = 0; i < diff->subjects[0].n_tests; i++)
		assert_true(diff->subjects[0].tests[i].p == 1);
	assert_says(diff, "unchanged");
	diff_destroy(diff);
	table_deinit(&table);
}

/*
 * With next to no tolerance the rate of false alarms is alpha itself, or less: at 5 % of 200 that is 10, and more than 23 come by
 * accident less than once in 10,000 times (binomial). None at all would show that nothing can alarm.
 */
static void the_rate_of_false_alarms_is_what_is_said(void **state)
{
	const struct cost_law *const laws[] = {&usual, &sorting};
	const char *const models[] = {NULL, nlogn};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct verdicts v = judge(laws[i], laws[i], models[i], ROWS, 0.05, 1e-9);

		assert_in_range(v.counts[DIFF_WORSE] + v.counts[DIFF_BETTER], 1, 23);
		assert_int_equal(v.counts[DIFF_UNKNOWN], 0);
	}
}

/* At 1 % of 200 more than 8 come by accident about once in 1,000 times. */
static void calls_that_are_alike_do_not_alarm(void **state)
{
	struct cost_law drifting = usual;
	struct verdicts v;

	(void)state;
	drifting.alike = 0.8;
	drifting.even = 50;
	v = judge(&drifting, &drifting, linear, ROWS, 0.01, 1e-9);
}

/* Of 200 that are found in 99 %, fewer than 193 are by accident about once in 1,000 times. */
static void what_is_a_fifth_slower_is_caught(void **state)
{
	const struct cost_law *const laws[] = {&usual, &sorting};
	const char *const models[] = {NULL, nlogn};
	const size_t rows[] = {ROWS, 800}; /* 20 % of noise needs more samples */
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const struct cost_law now = slower(*laws[i], 1.2);
		struct verdicts v = judge(laws[i], &now, models[i], rows[i], 0.01, 0.1);

	}
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

/* 2 of 200 are 1 %; more than 8 come by accident about once in 1,000 times. */
static void another_workload_is_no_regression(void **state)
{
	struct cost_law laws[] = {usual, sorting, usual};
	size_t i;

	(void)state;
	laws[2] = (struct cost_law){
		.constant = 10, .quadratic = 0.01, .relative = 0.05, .low = 10, .high = 1000};
	for (i = 0; i < 3; i++) {
		struct cost_law now = laws[i];
		struct verdicts v;

		now.low = laws[i].low * 10;
		now.high = laws[i].high * 3;
		v = judge(&laws[i], &now, NULL, ROWS, 0.01, 0.1);
		assert_in_range(v.counts[DIFF_WORSE] + v.counts[DIFF_BETTER], 0, 8);
		assert_in_range(v.moved, 193, PAIRS);
	}
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
	assert_int_equal(diff->subjects[0].verdict, DIFF_UNKNOWN);
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
	assert_int_equal(diff->subjects[0].verdict, DIFF_SAME);
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
	assert_int_equal(diff->subjects[0].verdict, DIFF_SAME);
	diff_destroy(diff);
}

static void a_parameter_that_changed_with_the_profile_is_told(void **state)
{
	struct table tables[2];
	struct diff *diff;
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++) {
		table_init(&tables[i], 5 + i);
		add_feature(&tables[i], "n", FEATURE_INT, 0);
		for (j = 0; j < 100; j++) {
			set(&tables[i], 1, i ? 1000 : 100);
			set(&tables[i], 0, (i ? 2100 : 300) + 5 * normal(&tables[i]));
			add_row(&tables[i]);
		}
	}
	diff = compare(&tables[0], &tables[1], NULL, 0.01, 0.1);
	assert_int_equal(diff->subjects[0].verdict, DIFF_UNKNOWN);
	assert_says(diff, "n was always 100 and is 1000 now");
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
	assert_int_equal(diff->subjects[0].verdict, DIFF_UNKNOWN);
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

static struct diff *compare_mixtures(double part, double centre)
{
	static const char model[] = "f(int).time {\nfeatures:\nannotations:\n  {\n"
				    "    {0.7} Norm(100, 5);\n    {0.3} Norm(200, 5);\n  }\n}\n";
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
	struct diff *diff = compare_mixtures(0.3, 200);

	(void)state;
	assert_int_equal(diff->subjects[0].verdict, DIFF_SAME);
	diff_destroy(diff);
	diff = compare_mixtures(0.8, 200);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_true(find_test(diff, DIFF_SHARE, 1)->certain);
	assert_false(find_test(diff, DIFF_CENTRE, 1)->certain);
	assert_float_equal(find_test(diff, DIFF_SHARE, 1)->pair.new, 0.8, 0.04);
	diff_destroy(diff);
	diff = compare_mixtures(0.3, 300);
	assert_int_equal(diff->subjects[0].verdict, DIFF_WORSE);
	assert_true(find_test(diff, DIFF_CENTRE, 1)->certain);
	assert_false(find_test(diff, DIFF_SHARE, 1)->certain);
	assert_false(find_test(diff, DIFF_CENTRE, 0)->certain);
	assert_float_equal(find_test(diff, DIFF_CENTRE, 1)->pair.new, 300, 2);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_with_themselves_are_the_same),
		cmocka_unit_test(the_rate_of_false_alarms_is_what_is_said),
		cmocka_unit_test(calls_that_are_alike_do_not_alarm),
		cmocka_unit_test(what_is_a_fifth_slower_is_caught),
		cmocka_unit_test(what_is_a_fifth_faster_is_better),
		cmocka_unit_test(another_workload_is_no_regression),
		cmocka_unit_test(the_term_that_changed_is_named_with_an_interval),
		cmocka_unit_test(terms_that_are_alike_do_not_hide_a_change),
		cmocka_unit_test(another_class_of_growth_is_shown_beside_the_old_one),
		cmocka_unit_test(nothing_is_claimed_of_sizes_that_only_one_has_seen),
		cmocka_unit_test(one_size_is_compared_there),
		cmocka_unit_test(what_only_some_calls_pay_is_found),
		cmocka_unit_test(a_few_calls_far_away_are_none),
		cmocka_unit_test(a_parameter_that_changed_with_the_profile_is_told),
		cmocka_unit_test(a_feature_that_the_new_profile_lacks_is_named),
		cmocka_unit_test(mixtures_are_compared_by_shares_and_centres),
		cmocka_unit_test(cases_are_compared_one_by_one),
		cmocka_unit_test(strange_numbers_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
