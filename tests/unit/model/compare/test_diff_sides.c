/* Tests of several sides and of layouts: R 4.2's figures, and rates with fixed seeds. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "base/random.h"
#include "core/samples/run_places.h"
#include "model/compare/diff_profiles.h"
#include "model/compare/diff_sides.h"
#include "model/compare/run_shape.h"

static void analysis_of_variance_as_in_r(void **state)
{
	/* PlantGrowth: summary(aov(weight ~ group)). */
	const double a[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14};
	const double b[] = {4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69};
	const double c[] = {6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26};
	const struct diff_runs groups[] = {{a, 10}, {b, 10}, {c, 10}};
	const struct diff_runs same[] = {{a, 1}, {b, 1}};
	double freedom[2];
	const double f = run_shape_f(groups, 3, freedom);

	(void)state;
	assert_true(fabs(f - 4.846) < 0.0005);
	assert_true(freedom[0] == 2 && freedom[1] == 27);
	assert_true(fabs(gsl_cdf_fdist_Q(f, freedom[0], freedom[1]) - 0.01591) < 5e-6);
	assert_true(isnan(run_shape_f(same, 2, freedom)));
}

/* Stabilizer's two suites of 18 programs (Curtsinger, 2016, table 3.2). */
static void the_p_values_of_stabilizer(void **state)
{
	(void)state;
	assert_true(fabs(gsl_cdf_fdist_Q(3.235, 1, 17) - 0.0898) < 2e-4);
	assert_true(fabs(gsl_cdf_fdist_Q(1.335, 1, 17) - 0.264) < 2e-4);
}

static double uniform(struct random_state *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

static void draw_runs(struct random_state *random, double times, struct run_place *runs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const double place = 16 * floor(256 * uniform(random));
		const double noise = 1 + 0.05 * (uniform(random) - 0.5);

		runs[i] = (struct run_place){place, noise * (place >= 2048 ? times : 1)};
	}
}

static size_t count_found(double times, size_t n, size_t tables)
{
	struct random_state random = {.state = 7};
	struct run_place runs[40];
	const struct run_places places = {.runs = runs, .n = n};
	struct run_parting parting;
	size_t found = 0, i;

	for (i = 0; i < tables; i++) {
		draw_runs(&random, times, runs, n);
		found += run_places_part(&places, &parting) && parting.p <= RUN_PLACES_CHANCE;
	}
	return found;
}

/* At 0.003 each, more than 3 of 200 are drawn once in 300 series. */
static void runs_that_differ_by_chance_do_not_depend_on_their_places(void **state)
{
	(void)state;
	assert_true(count_found(1, 20, 200) <= 3);
	assert_int_equal(count_found(3, RUN_PLACES_LEAST - 1, 20), 0);
}

static void a_place_that_matters_is_found(void **state)
{
	(void)state;
	assert_true(count_found(1.2, 24, 50) >= 48);
}

/* The heap lies high where the stack does, which alone decides. */
static void what_another_place_explains_is_taken_out(void **state)
{
	struct random_state random = {.state = 7};
	struct run_place by_stack[24], by_heap[24];
	struct run_places stacks = {.runs = by_stack, .n = 24}, heaps = {.runs = by_heap, .n = 24};
	struct run_parting stack, heap, rest;
	size_t i;

	(void)state;
	draw_runs(&random, 3, by_stack, 24);
	for (i = 0; i < 24; i++)
		by_heap[i] = (struct run_place){
			fabs(by_stack[i].place - 16 * floor(100 * uniform(&random))),
			by_stack[i].cost};
	assert_true(run_places_part(&stacks, &stack) && run_places_part(&heaps, &heap));
	assert_true(heap.p <= RUN_PLACES_CHANCE && heap.between < stack.between);
	run_places_take_out(&heaps, &stacks, &stack);
	assert_true(run_places_part(&heaps, &rest));
	assert_true(rest.p > RUN_PLACES_CHANCE);
}

/* A subject whose one test says @times, on a busy machine. */
static void add_subject(struct diff *diff, const char *side, const char *function,
			enum metric metric, double times)
{
	struct diff_test *test = arena_array(diff->arena, struct diff_test, 1);
	struct diff_subject *subject;

	*test = (struct diff_test){.kind = DIFF_CALL,
				   .pair = {1, times, 0.9 * times, 1.1 * times},
				   .p = times == 1 ? 1 : 0,
				   .p_runs = times == 1 ? 1 : 0,
				   .spread = {.is_unfair = true},
				   .enough = 5};
	diff->side = side;
	subject = diff_add_subject(diff, function, metric);
	subject->tests = test;
	subject->n_tests = 1;
}

static void assert_verdict(const struct diff *diff, const char *side, const char *function,
			   enum metric metric, enum diff_verdict verdict)
{
	size_t i;

	for (i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];

		if (strcmp(subject->side, side) != 0 || subject->metric != metric ||
		    strcmp(subject->function, function) != 0)
			continue;
		assert_int_equal(subject->verdict, verdict);
		assert_int_equal(subject->tests[0].enough, verdict == DIFF_INCONCLUSIVE ? 0 : 5);
		return;
	}
	fail();
}

/* Of each comparison time has the processor time of its own, and a suite of its own. */
static void sides_are_judged_apart(void **state)
{
	static const char *const functions[] = {"f", "g", "h"};
	const struct diff_options options = {.alpha = 0.01, .tolerance = 0.1};
	struct diff *diff = diff_create();
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		const double times = i == 2 ? 0.5 : 2;

		add_subject(diff, "b", functions[i], METRIC_TIME, times);
		add_subject(diff, "b", functions[i], METRIC_CPU, 1);
		add_subject(diff, "a", functions[i], METRIC_TIME, times + 0.1 * (double)i);
		add_subject(diff, "a", functions[i], METRIC_CPU, times);
	}
	assert_int_equal(diff_profiles_decide(diff, &options), 4);
	for (i = 0; i < 3; i++) {
		assert_verdict(diff, "a", functions[i], METRIC_TIME,
			       i == 2 ? DIFF_BETTER : DIFF_WORSE);
		assert_verdict(diff, "b", functions[i], METRIC_TIME, DIFF_INCONCLUSIVE);
	}
	assert_int_equal(diff->n_suites, 3);
	for (i = 0; i < diff->n_suites; i++)
		assert_int_equal(diff->suites[i].n, 3);
	diff_destroy(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analysis_of_variance_as_in_r),
		cmocka_unit_test(the_p_values_of_stabilizer),
		cmocka_unit_test(runs_that_differ_by_chance_do_not_depend_on_their_places),
		cmocka_unit_test(a_place_that_matters_is_found),
		cmocka_unit_test(what_another_place_explains_is_taken_out),
		cmocka_unit_test(sides_are_judged_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
