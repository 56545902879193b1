/*
 * Gains from experiments whose truth is known, with random numbers of fixed seeds.
 *
 * Tolerances: the standard error of a slope from n pairs whose logarithms have the deviation σ at
 * the speedups s is (1 - gain) σ / sqrt(Σ s²), at most; 4 of those are allowed.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/causal/causal_curve.h"
#include "model/causal/causal_model.h"

enum { UNITS = 3, VISITS = 1000 };

static const double SPEEDUPS[] = {0.15, 0.3, 0.45, 0.6, 0.75, 0.9};

/* What one pair is drawn from. */
struct truth {
	double slope, knee;
	double deviation;      /* of the logarithm of a cost */
	double drift;          /* of that for each pair */
	double samples[UNITS]; /* a second, without speedup */
	double beyond[UNITS];  /* and with one beyond the knee */
};

static double uniform(struct random_state *random)
{
	return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static double normal(struct random_state *random)
{
	return sqrt(-2 * log(1 - uniform(random))) * cos(2 * M_PI * uniform(random));
}

static void add_one(struct experiments *all, unsigned unit, const struct truth *truth,
		    unsigned pair, double speedup, struct random_state *random)
{
	const double *rates = speedup > truth->knee ? truth->beyond : truth->samples;
	const double noise = truth->deviation * normal(random) + truth->drift * pair;
	const double gain = truth->slope * fmin(speedup, truth->knee);
	const double effective_s = VISITS * 0.001 * (1 - gain) * exp(noise);
	const double pauses = speedup > 0 ? 0.5 : 0;
	double samples[UNITS];

	for (unsigned i = 0; i < UNITS; i++)
		samples[i] = rates[i] * effective_s;
	experiment_table_add(all,
			     &(struct experiment){.unit = unit,
						  .pair = pair,
						  .speedup = speedup,
						  .elapsed_s = effective_s * (1 + pauses),
						  .inserted_s = effective_s * pauses,
						  .seen = &(struct progress_seen){.visits = VISITS},
						  .samples = samples,
						  .n_samples = UNITS});
}

static struct experiments *make(void)
{
	static const char *const names[UNITS] = {"parse", "emit", "log"};
	const struct causal_progress push = {.name = "push"};
	struct experiments *all = experiment_table_create(&push, 1);

	for (unsigned i = 0; i < UNITS; i++) {
		experiment_table_add_unit(all, names[i], "queue.c", 10 + i);
		all->units[i].samples = 1e6;
	}
	all->calm_s = 1;
	return all;
}

static void add_pairs(struct experiments *all, unsigned unit, const struct truth *truth, unsigned n,
		      struct random_state *random)
{
	unsigned i, pair;

	for (i = 0; i < n; i++) {
		pair = (unsigned)all->n / 2;
		add_one(all, unit, truth, pair, 0, random);
		add_one(all, unit, truth, pair, SPEEDUPS[i % 6], random);
	}
}

static struct causal_gains *build(const struct experiments *all)
{
	return causal_model_build(all, &(struct causal_model_options){.seed = 7});
}

static void done(struct causal_gains *gains, struct experiments *all)
{
	causal_gains_destroy(gains);
	experiment_table_destroy(all);
}

static void exact_pairs_give_the_exact_slope(void **state)
{
	const struct truth truth = {.slope = 0.6, .knee = 1, .samples = {600, 300, 100}};
	struct random_state random = {1};
	struct experiments *all = make();
	struct causal_gains *gains;

	(void)state;
	add_pairs(all, 0, &truth, 6, &random);
	gains = build(all);
	assert_int_equal(gains->n, 1);
	assert_float_equal(gains->list[0].slope, 0.6, 1e-5);
	assert_true(gains->list[0].certain);
	assert_true(isnan(gains->list[0].upto));
	assert_int_equal(gains->list[0].n_points, 6);
	for (int i = 0; i < 6; i++)
		assert_float_equal(gains->list[0].points[i].gain, 0.6 * SPEEDUPS[i], 1e-9);
	/* Visits are whole: even so it is not known without an error. */
	assert_true(gains->list[0].low < 0.6 && gains->list[0].high > 0.6);
	done(gains, all);
}

static void a_slope_is_found_in_noise_and_drift(void **state)
{
	const struct truth truth = {
		.slope = 0.5, .knee = 1, .deviation = 0.05, .drift = 0.05, .samples = {1, 1, 1}};
	struct random_state random = {2};
	struct experiments *all = make();
	struct causal_gains *gains;

	(void)state;
	add_pairs(all, 1, &truth, 30, &random);
	gains = build(all);
	/* σ = 0.05 √2, Σ s² = 5 · 2.05: 4 · 0.0221 · (1 - gain in the mean of 0.74) */
	assert_float_equal(gains->list[0].slope, 0.5, 0.088);
	assert_true(gains->list[0].certain);
	assert_true(gains->list[0].low > 0.4 && gains->list[0].high < 0.6);
	done(gains, all);
}

/* Of 100 intervals of 95 %, 95 ± 2.2 hold the truth. */
static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
	const struct truth truth = {
		.slope = 0.4, .knee = 1, .deviation = 0.1, .samples = {1, 1, 1}};
	struct random_state random = {3};
	unsigned held = 0, i;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct experiments *all = make();
		struct causal_gains *gains;

		add_pairs(all, 0, &truth, 12, &random);
		gains = build(all);
		held += gains->list[0].low <= 0.4 && gains->list[0].high >= 0.4;
		done(gains, all);
	}
	assert_in_range(held, 95 - 4 * 3, 100);
}

/* 5 % of tables of three units without effect may have one that seems certain: 5 ± 2.2 of 100. */
static void what_has_no_effect_is_hardly_ever_certain(void **state)
{
	const struct truth none = {.knee = 1, .deviation = 0.1, .samples = {1, 1, 1}};
	struct random_state random = {4};
	unsigned alarms = 0, i;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct experiments *all = make();
		struct causal_gains *gains;

		for (unsigned unit = 0; unit < UNITS; unit++)
			add_pairs(all, unit, &none, 12, &random);
		gains = build(all);
		assert_int_equal(gains->n, UNITS);
		alarms += gains->list[0].certain;
		done(gains, all);
	}
	assert_in_range(alarms, 0, 5 + 4 * 3);
}

static void a_plateau_is_seen_and_what_takes_over(void **state)
{
	const struct truth truth = {.slope = 1,
				    .knee = 0.45,
				    .deviation = 0.02,
				    .samples = {900, 500, 100},
				    .beyond = {900, 980, 110}};
	struct random_state random = {5};
	struct experiments *all = make();
	struct causal_gains *gains;
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	add_pairs(all, 0, &truth, 24, &random);
	gains = build(all);
	assert_float_equal(gains->list[0].upto, 0.45, 1e-9);
	assert_int_equal(gains->list[0].then, 1);
	/* Σ min(s, 0.45)² = 4 · 0.92; (1 - gain) ≤ 0.85 */
	assert_float_equal(gains->list[0].slope, 1, 4 * 0.85 * 0.02 * M_SQRT2 / sqrt(3.7));
	out = open_memstream(&text, &size);
	causal_gains_print(gains, out);
	fclose(out);
	assert_non_null(strstr(text, "parse  queue.c:10  +"));
	assert_non_null(strstr(text, "up to 45 %; then flat: emit takes over"));
	free(text);
	done(gains, all);
}

static void a_straight_line_has_no_knee(void **state)
{
	struct causal_pair pairs[24];
	struct random_state random = {6};
	unsigned knees = 0, i, j;

	(void)state;
	for (i = 0; i < 100; i++) {
		for (j = 0; j < 24; j++)
			pairs[j] =
				(struct causal_pair){.speedup = SPEEDUPS[j % 6],
						     .log_ratio = log(1 - 0.3 * SPEEDUPS[j % 6]) +
								  0.05 * normal(&random),
						     .weight = 1};
		knees += isfinite(causal_curve_fit(pairs, 24).knee);
	}
	assert_in_range(knees, 0, 10);
}

static void code_that_is_in_the_way_of_others_has_a_falling_curve(void **state)
{
	const struct truth truth = {
		.slope = -0.5, .knee = 1, .deviation = 0.03, .samples = {1, 1, 1}};
	struct random_state random = {8};
	struct experiments *all = make();
	struct causal_gains *gains;
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	add_pairs(all, 0, &truth, 18, &random);
	gains = build(all);
	assert_true(gains->list[0].certain);
	assert_true(gains->list[0].high < 0);
	out = open_memstream(&text, &size);
	causal_gains_print(gains, out);
	fclose(out);
	assert_non_null(strstr(text, "contention"));
	free(text);
	done(gains, all);
}

/*
 * It runs in the first of two phases, for half of each of its rounds of 10 ms. Of a pair each half
 * takes a second and a half, in which as many rounds are done, by the clock of the thread that is
 * never paused; a third of that does not count yet. The other phase is as long, and all of it calm.
 */
static void an_effect_in_a_phase_counts_for_the_whole_run(void **state)
{
	const double pairs = 12, samples[] = {500, 500};
	const struct progress_seen seen = {.visits = 100};
	struct experiment one = {.elapsed_s = 1, .seen = &seen, .samples = samples, .n_samples = 2};
	struct experiments *all = make();
	struct causal_gains *gains;

	(void)state;
	for (one.pair = 0; one.pair < pairs; one.pair++) {
		one.speedup = one.inserted_s = 0;
		experiment_table_add(all, &one);
		one.speedup = 0.5;
		one.inserted_s = 0.5 * samples[0] / 1000;
		experiment_table_add(all, &one);
	}
	all->calm_s = 1.5 * pairs + 3 * pairs;
	all->units[0].samples = 1.5 * samples[0] * pairs;
	gains = build(all);
	assert_float_equal(gains->list[0].active, 0.5, 1e-6);
	assert_float_equal(gains->list[0].slope, 0.25, 1e-5);
	done(gains, all);
}

/* One that works a quarter of the time has four times as much in it, n have n times that. */
static void by_arithmetic_loads_are_served_until_threads_work_all_the_time(void **state)
{
	static const double loads[] = {2, 4, 8};
	struct experiments *all = make();
	struct causal_gains *gains = build(all);

	(void)state;
	for (int i = 0; i < 3; i++) {
		all->bringing = all->serving = (struct causal_busy){0};
		assert_float_equal(causal_gains_served(gains, loads[i]), loads[i], 0);
		for (unsigned n = 1; n <= 4; n++) {
			all->serving = (struct causal_busy){n, 0.5};
			assert_float_equal(causal_gains_served(gains, loads[i]),
					   fmin(loads[i], 2 * n), 1e-12);
		}
		all->bringing = (struct causal_busy){1, 1 / 3.0};
		assert_float_equal(causal_gains_served(gains, loads[i]), fmin(loads[i], 3), 1e-12);
	}
	all->serving = (struct causal_busy){1, 1.1}; /* as measured, which is inexact */
	assert_float_equal(causal_gains_served(gains, 8), 1, 0);
	done(gains, all);
}

static void names_of_others_do_not_reach_a_terminal_as_they_are(void **state)
{
	const struct truth truth = {.slope = 0.5, .knee = 1, .samples = {1, 1, 1}};
	const struct causal_progress progress = {.name = "push\x1b[2J"};
	struct random_state random = {1};
	struct experiments *all = experiment_table_create(&progress, 1);
	struct causal_gains *gains;
	char name[2 * CAUSAL_NAME_MOST], *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	experiment_table_add_unit(all, "parse\r\xff", "qu\x07.c", 1);
	experiment_table_add_unit(all, name, "\x9b.c", 2);
	all->units[0].samples = all->units[1].samples = 1e6;
	all->calm_s = 1;
	add_pairs(all, 0, &truth, 6, &random);
	add_pairs(all, 1, &truth, 6, &random);
	gains = build(all);
	gains->list[0].upto = 0.5;
	gains->list[0].then = 1;
	out = open_memstream(&text, &size);
	causal_gains_print(gains, out);
	fclose(out);
	assert_non_null(strstr(text, "throughput of push?[2J gains"));
	assert_non_null(strstr(text, "parse??  qu?.c:1  +0.50 % per 1 %"));
	assert_non_null(strstr(text, "nnn...  ?.c:2  +0.50 % per 1 %"));
	assert_non_null(strstr(text, "nnn... takes over\n"));
	for (size_t i = 0; i < size; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	assert_true(size < 3 * CAUSAL_NAME_MOST); /* the name twice, and all others */
	free(text);
	done(gains, all);
}

/* Little: 5 of 10 visits a second are open for 0.5 s each; half of that makes a latency half. */
static void a_shorter_latency_is_a_positive_gain(void **state)
{
	const double samples[UNITS] = {1, 1, 1};
	const struct causal_progress request = {.name = "request", .latency = true};
	struct experiments *all = experiment_table_create(&request, 1);
	struct progress_seen seen = {.visits = 100, .open = 5};
	struct causal_gains *gains;
	struct experiment one = {
		.elapsed_s = 10, .seen = &seen, .samples = samples, .n_samples = UNITS};

	(void)state;
	assert_float_equal(experiment_cost_s(all, &one, 0), 0.5, 1e-12);
	experiment_table_add_unit(all, "serve", NULL, 0);
	all->units[0].samples = 1e6;
	all->calm_s = 1;
	for (unsigned pair = 0; pair < 6; pair++) {
		one.pair = pair;
		one.speedup = 0;
		seen.open = 5;
		experiment_table_add(all, &one);
		one.speedup = 0.5;
		seen.open = 2.5;
		experiment_table_add(all, &one);
	}
	gains = build(all);
	assert_float_equal(gains->list[0].slope, 1, 1e-5);
	assert_true(gains->list[0].certain);
	causal_gains_destroy(gains);
	seen.grown = 11; /* of 100, so that there is no latency */
	one.pair = 6;
	experiment_table_add(all, &one);
	one.speedup = 0;
	experiment_table_add(all, &one);
	gains = build(all);
	assert_int_equal(gains->unstable, 1);
	assert_int_equal(gains->list[0].pairs, 6);
	done(gains, all);
}

static void experiments_that_say_nothing_are_counted_and_not_used(void **state)
{
	const double samples[UNITS] = {1, 1, 1};
	struct experiments *all = make();
	struct progress_seen seen = {.visits = 4};
	struct experiment one = {
		.elapsed_s = 10, .seen = &seen, .samples = samples, .n_samples = UNITS};
	struct causal_gains *gains;

	(void)state;
	experiment_table_add(all, &one);
	seen.visits = 100;
	one.speedup = 0.9;
	one.inserted_s = 9.5;
	experiment_table_add(all, &one);
	one.inserted_s = 5;
	one.flaw = EXPERIMENT_UNBALANCED;
	experiment_table_add(all, &one);
	one.flaw = EXPERIMENT_USABLE; /* but its partner is not */
	experiment_table_add(all, &one);
	gains = build(all);
	assert_int_equal(gains->n, 0);
	assert_int_equal(gains->flaws[EXPERIMENT_FEW_VISITS], 1);
	assert_int_equal(gains->flaws[EXPERIMENT_PAUSES], 1);
	assert_int_equal(gains->flaws[EXPERIMENT_UNBALANCED], 1);
	done(gains, all);
}

static void the_same_experiments_give_the_same_gains(void **state)
{
	const struct truth truth = {
		.slope = 0.5, .knee = 1, .deviation = 0.1, .samples = {1, 1, 1}};
	struct random_state random = {10};
	struct experiments *all = make();
	struct causal_gains *first, *second;

	(void)state;
	add_pairs(all, 0, &truth, 12, &random);
	first = build(all);
	second = build(all);
	assert_memory_equal(&first->list[0].slope, &second->list[0].slope, 3 * sizeof(double));
	causal_gains_destroy(second);
	done(first, all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_pairs_give_the_exact_slope),
		cmocka_unit_test(a_slope_is_found_in_noise_and_drift),
		cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
		cmocka_unit_test(what_has_no_effect_is_hardly_ever_certain),
		cmocka_unit_test(a_plateau_is_seen_and_what_takes_over),
		cmocka_unit_test(a_straight_line_has_no_knee),
		cmocka_unit_test(code_that_is_in_the_way_of_others_has_a_falling_curve),
		cmocka_unit_test(an_effect_in_a_phase_counts_for_the_whole_run),
		cmocka_unit_test(by_arithmetic_loads_are_served_until_threads_work_all_the_time),
		cmocka_unit_test(names_of_others_do_not_reach_a_terminal_as_they_are),
		cmocka_unit_test(a_shorter_latency_is_a_positive_gain),
		cmocka_unit_test(experiments_that_say_nothing_are_counted_and_not_used),
		cmocka_unit_test(the_same_experiments_give_the_same_gains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
