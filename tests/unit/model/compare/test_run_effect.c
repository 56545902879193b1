/*
 * The spread between runs: its estimate, and verdicts on runs that differ. A build costs 2 n, its
 * runs differ by a factor, and calls by 5 %.
 */
#include <gsl/gsl_cdf.h>

#include "diff_table.h"
#include "drawn.h"
#include "model/compare/decision.h"
#include "model/data/run_effect.h"
#include "random_numbers.h"

/* What is asserted fails by accident about once in a thousand times, at most. */
#define ACCIDENT 0.001

enum { PAIRS = 200, CALLS = 500 };

static const char law[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(2*n, 0.1*n);\n}\n";

/* Two builds, of which the new one costs `change` times as much. */
struct builds {
	size_t runs[2];
	double between, change;
	double tolerance, assumed;
	bool grows;    /* the new one costs n times as much */
	double alpha;  /* 0: 0.01 */
	double slower; /* how much the machine gets slower from one run to the next */
	bool by_turns; /* runs of both are, else the old ones come first */
	bool recorded; /* runs differ as some did */
};

/*
 * What each of 65 runs of one program cost beside their mean, 13 times five, on two processors with
 * up to 16 threads for each: half of them had a processor to themselves.
 */
static const double recorded[] = {
	0.993, 0.898, 1.152, 1.560, 0.887, 1.094, 0.929, 1.376, 1.206, 1.197, 1.489, 1.378, 1.484,
	1.622, 1.178, 1.474, 0.849, 1.435, 1.431, 1.458, 1.479, 0.816, 0.797, 0.807, 0.838, 0.786,
	0.872, 0.872, 0.850, 0.951, 1.222, 0.808, 1.248, 0.860, 0.865, 0.859, 0.877, 0.843, 0.824,
	0.871, 1.395, 0.975, 1.246, 1.455, 0.836, 0.854, 0.840, 1.059, 0.854, 0.845, 0.799, 0.791,
	1.321, 0.814, 0.794, 0.774, 0.790, 0.802, 0.814, 0.808, 0.864, 0.812, 1.299, 0.800, 0.850};

/* Of run @run, from 1 on. */
static double run_factor(struct table *table, const struct builds *builds, size_t run, bool is_new)
{
	const size_t n = sizeof(recorded) / sizeof(*recorded);
	const size_t before = builds->by_turns ? 2 * run + is_new
			      : is_new         ? builds->runs[0] + run
					       : run;

	if (builds->recorded)
		return recorded[(size_t)uniform(table, 0, (double)n - 0.5)];
	return exp(builds->between * normal(table) + builds->slower * (double)before);
}

static void fill_runs(struct table *table, long seed, const struct builds *builds, bool is_new)
{
	size_t run, i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	for (run = 1; run <= builds->runs[is_new]; run++) {
		const double shift =
			run_factor(table, builds, run, is_new) * (is_new ? builds->change : 1);

		table->run = (int64_t)run;
		for (i = 0; i < CALLS; i++) {
			const double n = floor(uniform(table, 100, 1000));
			const double more = is_new && builds->grows ? n / 100 : 1;

			set(table, 1, n);
			set(table, 0, 2 * n * more * shift * (1 + 0.05 * normal(table)));
			add_row(table);
		}
	}
}

/* How many of @pairs get each verdict. */
static void judge_builds(const struct builds *builds, unsigned pairs, unsigned *ret)
{
	const struct diff_options options = {.alpha = builds->alpha > 0 ? builds->alpha : 0.01,
					     .tolerance = builds->tolerance,
					     .run_spread = builds->assumed};
	unsigned i;

	memset(ret, 0, (DIFF_CONFORMS + 1) * sizeof(*ret));
	for (i = 0; i < pairs; i++) {
		struct diff *diff = diff_create();
		struct table tables[2];

		fill_runs(&tables[0], 2000 + 2 * i, builds, false);
		fill_runs(&tables[1], 2001 + 2 * i, builds, true);
		diff_profiles_add(diff, tables[0].samples, tables[1].samples, parsed(law),
				  builds->grows ? build(&tables[1]) : parsed(law), &options);
		diff_profiles_decide(diff, &options);
		ret[diff->subjects[0].verdict]++;
		diff_destroy(diff);
		table_deinit(&tables[0]);
		table_deinit(&tables[1]);
	}
}

/* The rows of a published table of false verdicts of comparisons by calls, and some more. */
static void runs_that_differ_are_no_regression(void **state)
{
	static const struct builds rows[] = {
		{{1, 1}, 0.03, 1, 0.1, 0.08},     {{1, 1}, 0.05, 1, 0.1, 0.08},
		{{1, 1}, 0.08, 1, 0.1, 0.08},     {{1, 1}, 0.03, 1, 0.05, 0.08},
		{{1, 1}, 0.03, 1, 0.02, 0.08},    {{1, 1}, 0.015, 1, 0.02, 0.08},
		{{5, 5}, 0.05, 1, 0.02, 0.08},    {{2, 2}, 0.05, 1, 0.02, 0.08},
		{{3, 3}, 0.08, 1, 0.02, 0.08},    {{1, 5}, 0.05, 1, 0.02, 0.08},
		{{10, 10}, 0.08, 1, 0.001, 0.08}, {{5, 5}, 0, 1, 0.001, 0.08},
	};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		judge_builds(&rows[i], pairs, found);
		print_message(
			"%zu and %zu runs that differ by %.3g %%, tolerance %.3g %%: %u worse, %u better, "
			"%u inconclusive of %u\n",
			rows[i].runs[0], rows[i].runs[1], 100 * rows[i].between,
			100 * rows[i].tolerance, found[DIFF_WORSE], found[DIFF_BETTER],
			found[DIFF_INCONCLUSIVE], pairs);
		assert_in_range(found[DIFF_WORSE] + found[DIFF_BETTER], 0,
				most_by_chance(pairs, 0.01, ACCIDENT));
	}
}

static const char mixed[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
			    "  {0.8} Norm(20, 1);\n  {0.2} Norm(200, 10);\n}\n";

/* Ten runs of a mixture that differ by 8 %. */
static void fill_mixture(struct table *table, long seed)
{
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	for (table->run = 1; table->run <= 10; table->run++) {
		const double shift = 1 + 0.08 * normal(table);

		for (i = 0; i < 200; i++) {
			const double cost = uniform(table, 0, 1) < 0.2 ? 200 : 20;

			set(table, 1, floor(uniform(table, 10, 1000)));
			set(table, 0, cost * shift * (1 + 0.05 * normal(table)));
			add_row(table);
		}
	}
}

/* How much its runs differ shows in its parts, not in the mean of them all. */
static void runs_of_a_mixture_are_no_regression(void **state)
{
	const struct diff_options options = {0.01, 0.02, 0.08};
	const unsigned pairs = drawn(PAIRS);
	unsigned i, wrong = 0;

	(void)state;
	for (i = 0; i < pairs; i++) {
		struct diff *diff = diff_create();
		struct table tables[2];

		fill_mixture(&tables[0], 5000 + 2 * i);
		fill_mixture(&tables[1], 5001 + 2 * i);
		diff_profiles_add(diff, tables[0].samples, tables[1].samples, parsed(mixed),
				  parsed(mixed), &options);
		diff_profiles_decide(diff, &options);
		wrong += diff->subjects[0].verdict == DIFF_WORSE ||
			 diff->subjects[0].verdict == DIFF_BETTER;
		diff_destroy(diff);
		table_deinit(&tables[0]);
		table_deinit(&tables[1]);
	}
	print_message("a mixture, 10 runs that differ by 8 %%: %u of %u wrong\n", wrong, pairs);
	assert_in_range(wrong, 0, most_by_chance(pairs, 0.01, ACCIDENT));
}

/* The same, if runs were left out of account: that the table above is not empty. */
static void calls_alone_would_call_runs_regressions(void **state)
{
	static const struct builds blind = {{1, 1}, 0.03, 1, 0.02, 0};
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&blind, drawn(PAIRS), found);
	assert_true(found[DIFF_WORSE] + found[DIFF_BETTER] > drawn(PAIRS) / 3);
}

static void what_is_a_fifth_dearer_is_found_by_five_runs(void **state)
{
	static const struct builds dearer = {{5, 5}, 0.04, 1.2, 0.1, 0.08};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&dearer, pairs, found);
	print_message("a fifth dearer, 5 runs that differ by 4 %%: found %u of %u\n",
		      found[DIFF_WORSE], pairs);
	assert_in_range(found[DIFF_WORSE], least_by_chance(pairs, 0.99, ACCIDENT), pairs);
}

static void another_law_is_found_by_one_run(void **state)
{
	static const struct builds steeper = {{1, 1}, 0.08, 1, 0.1, 0.08, true};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&steeper, pairs, found);
	assert_int_equal(found[DIFF_WORSE], pairs);
}

/* As many runs as it says tell 5 % in 99 pairs of 100, and are not ten times too many. */
static void as_many_runs_as_are_said_tell(void **state)
{
	const struct run_spread spread = {.runs = {1, 1}, .deviation = 0.02, .freedom = INFINITY};
	const size_t enough = run_effect_enough(&spread, log(1.05), 0, 0.01);
	const struct builds little = {{enough, enough}, 0.02, 1.05, 0.01, 0.08};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&little, pairs, found);
	print_message("5 %% dearer, %zu runs: found %u of %u\n", enough, found[DIFF_WORSE], pairs);
	assert_in_range(found[DIFF_WORSE], least_by_chance(pairs, 0.99, ACCIDENT), pairs);
	assert_in_range(enough, 3, 12);
}

/*
 * The same where the first runs say how much they differ: three a side, whose deviation may be far
 * too small.
 */
static void as_many_as_few_runs_say_tell(void **state)
{
	const unsigned pairs = drawn(40 * PAIRS);
	const double deviation = 0.04, away = 0.05;
	unsigned i, missed = 0;
	struct random random;

	(void)state;
	random_init(&random, 5);
	for (i = 0; i < pairs; i++) {
		struct run_spread spread = {.runs = {3, 3}, .freedom = 4};
		size_t enough;
		double error;

		spread.deviation = deviation * sqrt(random_chi_square(&random, 4) / 4);
		enough = run_effect_enough(&spread, away, 0, 0.01);
		if (!enough)
			continue;
		error = deviation * sqrt(2 / (double)enough);
		missed += away + error * random_normal(&random) <
			  error *
				  sqrt(random_chi_square(&random, 2 * (unsigned)enough - 2) /
				       (2 * (double)enough - 2)) *
				  gsl_cdf_tdist_Pinv(0.995, 2 * (double)enough - 2);
	}
	assert_in_range(missed, least_by_chance(pairs, 0.005, ACCIDENT),
			most_by_chance(pairs, 0.01, ACCIDENT));
}

static void runs_as_they_were_recorded_are_no_regression(void **state)
{
	static const struct builds same = {{10, 10}, 0, 1, 0.02, 0.08, .recorded = true};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&same, pairs, found);
	print_message("recorded runs: %u worse, %u better of %u\n", found[DIFF_WORSE],
		      found[DIFF_BETTER], pairs);
	assert_in_range(found[DIFF_WORSE] + found[DIFF_BETTER], 0,
			most_by_chance(pairs, 0.01, ACCIDENT));
}

/* 3 % at alpha 0.05, 8 runs a side that differ by 3 %: Student's t with 14 degrees has 46 %. */
static void runs_find_as_much_as_they_should(void **state)
{
	static const struct builds little = {{8, 8}, 0.03, 1.03, 0.001, 0.08, .alpha = 0.05};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&little, pairs, found);
	print_message("3 %% dearer, 8 runs that differ by 3 %%: found %u of %u\n",
		      found[DIFF_WORSE], pairs);
	assert_in_range(found[DIFF_WORSE], least_by_chance(pairs, 0.36, ACCIDENT),
			most_by_chance(pairs, 0.56, ACCIDENT));
}

/* Each run 1 % slower than that before it: turns share that, one side after the other does not. */
static void a_machine_that_gets_slower_is_no_regression_by_turns(void **state)
{
	static const struct builds turns = {{10, 10},        0.01, 1, 0.05, 0.08, .slower = 0.01,
					    .by_turns = true};
	static const struct builds in_sequence = {{10, 10}, 0.01, 1, 0.05, 0.08, .slower = 0.01};
	const unsigned pairs = drawn(PAIRS);
	unsigned found[DIFF_CONFORMS + 1];

	(void)state;
	judge_builds(&turns, pairs, found);
	assert_in_range(found[DIFF_WORSE] + found[DIFF_BETTER], 0,
			most_by_chance(pairs, 0.01, ACCIDENT));
	judge_builds(&in_sequence, pairs, found);
	assert_true(found[DIFF_WORSE] > pairs / 2);
}

/* By hand: weights of 10^4 make Q 8 with 4 degrees of freedom and the scale 40,000; Hartung's factor is 1. */
static void the_variance_between_runs_is_that_of_moments(void **state)
{
	double means[] = {-0.02, 0, 0.02, 0, 0}, errors[] = {0.01, 0.01, 0.01, 0.01, 0.01};
	const struct run_means sides[2] = {{.n = 1}, {5, means, errors}};
	struct run_spread spread;

	(void)state;
	run_effect_find(sides, 0.08, &spread);
	assert_float_equal(spread.deviation, 0.01, 1e-6);
	assert_float_equal(spread.error, 0.01 * sqrt(1.2), 1e-6);
	assert_float_equal(spread.freedom, 4, 0);
	assert_false(spread.is_assumed);
}

static void few_runs_are_taken_to_differ_as_is_said(void **state)
{
	double means[] = {0, 0.001}, errors[] = {0.001, 0.001};
	const struct run_means sides[2] = {{.n = 1}, {2, means, errors}};
	struct run_spread spread;

	(void)state;
	run_effect_find(sides, 0.08, &spread);
	assert_true(spread.is_assumed);
	assert_float_equal(spread.error, 0.08 * sqrt(1.5), 1e-9);
	/* Ten and none: 10 % is far within 9.8 %. */
	assert_true(run_effect_chance(&spread, log(1.1), 0.001, 100) > 0.2);
	assert_true(run_effect_chance(&spread, log(1.5), 0.001, 100) < 0.001);
}

/* On a busy machine, where both were measured one after the other, and where by turns. */
static void minutes_of_a_busy_machine_differ(void **state)
{
	const struct machine_load busy = {.threads = 1e6};
	struct run_spread apart = {.runs = {5, 5}, .deviation = 0.01, .error = 0.01, .freedom = 8};
	struct run_spread by_turns = apart;

	(void)state;
	by_turns.by_turns = true;
	run_effect_add_load(&apart, &busy, &busy);
	run_effect_add_load(&by_turns, &busy, &busy);
	assert_float_equal(apart.error, hypot(0.01, RUN_EFFECT_MINUTE), 1e-9);
	assert_float_equal(by_turns.error, 0.01, 0);
	/* However many runs there are. */
	assert_int_equal(run_effect_enough(&apart, log(1.2), 0, 0.01), 0);
	assert_true(run_effect_enough(&apart, log(2), 0, 0.01) > 0);
	assert_true(run_effect_enough(&by_turns, log(1.2), 0, 0.01) > 0);
}

/* Tests of one subject share what runs say; those of others do not. */
static void both_calls_and_runs_must_tell(void **state)
{
	struct decision list[] = {{0, 1e-6, 0.5, false, false},
				  {0, 1e-6, 0.001, false, false},
				  {1, 1e-6, 0.02, false, false},
				  {1, 0.5, 1e-6, false, false}};

	(void)state;
	decision_make(list, 4, 2, 0.01, 0.01);
	assert_true(list[0].by_calls && !list[0].certain);
	assert_true(list[1].certain);
	assert_true(list[2].by_calls && !list[2].certain);
	assert_false(list[3].by_calls || list[3].certain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_differ_are_no_regression),
		cmocka_unit_test(runs_of_a_mixture_are_no_regression),
		cmocka_unit_test(calls_alone_would_call_runs_regressions),
		cmocka_unit_test(what_is_a_fifth_dearer_is_found_by_five_runs),
		cmocka_unit_test(another_law_is_found_by_one_run),
		cmocka_unit_test(as_many_runs_as_are_said_tell),
		cmocka_unit_test(as_many_as_few_runs_say_tell),
		cmocka_unit_test(runs_as_they_were_recorded_are_no_regression),
		cmocka_unit_test(runs_find_as_much_as_they_should),
		cmocka_unit_test(a_machine_that_gets_slower_is_no_regression_by_turns),
		cmocka_unit_test(minutes_of_a_busy_machine_differ),
		cmocka_unit_test(the_variance_between_runs_is_that_of_moments),
		cmocka_unit_test(few_runs_are_taken_to_differ_as_is_said),
		cmocka_unit_test(both_calls_and_runs_must_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
