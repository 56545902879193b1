/* What pads cost is found from trials whose true costs are known: on clocks fine and coarse. */
#include "check.h"

#include <math.h>

#include "trace/calibrate/pad_trials.h"

enum { ROUNDS = 600 };

struct truth {
	double work, pair, call, record, drawn, word; /* ns */
	double cold; /* ns that each of the first records takes more */
	double step; /* of the clock */
};

struct lists {
	struct pad_trials work, bare, outer, rich;
};

static const struct truth usual = {
	.work = 50, .pair = 8, .call = 20, .record = 6, .drawn = 12, .word = 1.5};

static const struct pad_trials_shape shape = {.inner = 10, .work_words = 2, .rich_words = 10};

/* The same numbers in each run, in [0, 1). */
static double chance(void)
{
	static uint64_t state;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(state >> 32) / 4294967296.0;
}

/* @ns as a clock with steps shows it; one of 16 is interrupted. */
static double seen(const struct truth *truth, double ns, unsigned i)
{
	const double begin = chance() * truth->step;

	if (i % 16 == 7)
		ns += 2000 + 1000 * chance();
	if (!truth->step)
		return ns;
	return (floor((begin + ns) / truth->step) - floor(begin / truth->step)) * truth->step;
}

static void add(struct pad_trials *trials, double ns, unsigned records, bool drawn)
{
	const struct pad_trial trial = {.ns = ns, .records = records, .drawn = drawn};

	pad_trials_add(trials, &trial);
}

/* First all inner calls become records, then fewer and fewer. */
static void add_outer(struct pad_trials *trials, const struct truth *truth, unsigned words)
{
	const double inner = 10 * (truth->work + truth->pair + truth->call) + truth->pair;
	const double record = truth->record + words * truth->word;

	for (unsigned i = 0; i < 12; i++)
		add(trials, seen(truth, inner + 10 * (record + truth->cold), i), 10, false);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned n = i < 20 ? 5 : i < 60 ? 3 : i < 300 ? i % 3 : 0;

		add(trials, seen(truth, inner + n * (record + truth->drawn), i), n, n > 0);
	}
}

static bool find(const struct truth *truth, struct lists *lists, struct pad_calibration *ret)
{
	struct pad_trials_shape of = shape;

	of.step_ns = truth->step ? truth->step : 0.4;
	for (unsigned i = 0; i < ROUNDS; i++) {
		add(&lists->work, seen(truth, truth->work + truth->pair, i), 0, false);
		add(&lists->bare, seen(truth, 10 * truth->work + truth->pair, i), 0, false);
	}
	add_outer(&lists->outer, truth, shape.work_words);
	add_outer(&lists->rich, truth, shape.rich_words);
	return pad_trials_find(&of, &lists->work, &lists->bare, &lists->bare, &lists->outer,
			       &lists->rich, ret);
}

static void deinit(struct lists *lists)
{
	pad_trials_deinit(&lists->work);
	pad_trials_deinit(&lists->bare);
	pad_trials_deinit(&lists->outer);
	pad_trials_deinit(&lists->rich);
}

static void assert_near(double us, double ns, double within_ns)
{
	if (fabs(us * 1000 - ns) > within_ns)
		fail_msg("%g ns, not %g", us * 1000, ns);
}

static void all_costs_are_found(void **state)
{
	struct lists lists = {0};
	struct pad_calibration found;

	(void)state;
	assert_true(find(&usual, &lists, &found));
	assert_near(found.pair, 8, 0.01);
	assert_near(found.call, 20, 0.01);
	assert_near(found.record, 6, 0.01);
	assert_near(found.drawn, 12, 0.01);
	assert_near(found.word, 1.5, 0.01);
	/* Nothing but the clock's ticks: 3 / √6 of one. */
	assert_near(found.resolution, 0.49, 0.01);
	deinit(&lists);
}

/* Chance makes none cheaper: what the first ones have more, on memory of another processor, is no cost of a record. */
static void the_first_records_cost_no_more_than_those_by_chance(void **state)
{
	struct truth truth = usual;
	struct lists lists = {0};
	struct pad_calibration found;

	(void)state;
	truth.cold = 50;
	assert_true(find(&truth, &lists, &found));
	assert_near(found.record, 18, 0.01);
	assert_near(found.drawn, 0, 0.01);
	deinit(&lists);
}

static void a_coarse_clock_shows_them_in_the_mean(void **state)
{
	struct truth truth = usual;
	struct lists lists = {0};
	struct pad_calibration found;

	(void)state;
	truth.work = 53;
	truth.step = 10;
	assert_true(find(&truth, &lists, &found));
	assert_near(found.pair, 8, 1);
	assert_near(found.call, 20, 1);
	assert_near(found.record + found.drawn + 2 * found.word, 21, 2);
	assert_near(found.word, 1.5, 0.5);
	assert_in_range(found.resolution * 1000, 12, 25);
	deinit(&lists);
}

/* Pads are so quick where they are foreseen that calls in them overlap. */
static void a_pair_may_be_shorter_than_nothing(void **state)
{
	const struct truth truth = {.work = 50, .pair = -4, .call = 14};
	struct lists lists = {0};
	struct pad_calibration found;

	(void)state;
	assert_true(find(&truth, &lists, &found));
	assert_near(found.pair, -4, 0.01);
	assert_near(found.call, 14, 0.01);
	assert_near(found.record, 0, 0.01);
	assert_near(found.drawn, 0, 0.01);
	deinit(&lists);
}

static void few_trials_tell_nothing(void **state)
{
	struct lists lists = {0};
	struct pad_calibration found;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		add(&lists.work, 50, 0, false);
	assert_false(pad_trials_find(&shape, &lists.work, &lists.work, &lists.work, &lists.outer,
				     &lists.work, &found));
	/* Of outer calls those without records count. */
	for (unsigned i = 0; i < 1000; i++)
		add(&lists.outer, 500, 10, false);
	assert_false(pad_trials_find(&shape, &lists.work, &lists.work, &lists.work, &lists.outer,
				     &lists.work, &found));
	deinit(&lists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_costs_are_found),
		cmocka_unit_test(the_first_records_cost_no_more_than_those_by_chance),
		cmocka_unit_test(a_coarse_clock_shows_them_in_the_mean),
		cmocka_unit_test(a_pair_may_be_shorter_than_nothing),
		cmocka_unit_test(few_trials_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
