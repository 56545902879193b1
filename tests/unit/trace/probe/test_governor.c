/*
 * The governor in a simulated program of one thread: calls cost what stops cost, and nothing else.
 * All times are in ns, random numbers have seeds.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe/governor.h"

enum { FUNCTIONS_MAX = 500, STOP = 10000, SHORT = 1000, LONG = 300000 };

static const uint64_t SECOND = 1000000000;
static const double BUDGET = 0.05;
static const double START_CREDIT = 40e6; /* as in governor.c */

struct simulation {
	struct governor *governor;
	uint64_t now_ns, own_ns; /* the clock, and the program's own time */
	uint64_t spent[FUNCTIONS_MAX];
	uint64_t calls[FUNCTIONS_MAX], measured[FUNCTIONS_MAX];
};

static void begin(struct simulation *s, unsigned n, double budget, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->now_ns = 12345;
	s->governor = governor_create(budget, seed, s->now_ns);
	while (n--)
		governor_add(s->governor, s->now_ns);
}

/* The program runs; the alarm rings when it is due. */
static void run(struct simulation *s, uint64_t ns)
{
	const uint64_t end_ns = s->now_ns + ns;
	uint64_t due_ns;

	while ((due_ns = governor_due_ns(s->governor, s->now_ns)) && due_ns <= end_ns) {
		s->now_ns = due_ns > s->now_ns ? due_ns : s->now_ns + 1;
		governor_turn(s->governor, s->now_ns);
	}
	s->now_ns = end_ns > s->now_ns ? end_ns : s->now_ns;
	s->own_ns += ns;
}

/* Returns whether the window is still going on. */
static bool stop(struct simulation *s, unsigned function)
{
	bool goes_on;

	governor_turn(s->governor, s->now_ns);
	goes_on = governor_hit(s->governor, function, s->now_ns);
	if (!goes_on)
		governor_close(s->governor, function, s->now_ns);
	governor_spend(s->governor, function, STOP, false);
	s->spent[function] += STOP;
	s->now_ns += STOP;
	return goes_on;
}

/* Returns whether it was measured. */
static bool call(struct simulation *s, unsigned function, uint64_t ns)
{
	const bool measured = governor_is_open(s->governor, function) && stop(s, function);

	run(s, ns);
	if (measured || governor_is_open(s->governor, function))
		stop(s, function);
	s->calls[function]++;
	if (measured)
		governor_begun(s->governor, function, 1);
	s->measured[function] += measured;
	return measured;
}

static uint64_t spent(const struct simulation *s)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < FUNCTIONS_MAX; i++)
		sum += s->spent[i];
	return sum;
}

/* What the budget allows, a cycle's share more, and the credit. */
static void assert_within_budget(const struct simulation *s)
{
	const double allowed = BUDGET * ((double)s->own_ns + 2e9) + START_CREDIT;

	if ((double)spent(s) > allowed)
		fail_msg("%.3f s were spent of %.3f s", spent(s) / 1e9, allowed / 1e9);
}

/* How many calls at @period pass before a closed function may be opened. */
static uint64_t unseen(const struct simulation *s, unsigned function, double next, double period)
{
	const uint64_t due_ns = governor_due_ns(s->governor, s->now_ns);
	const double until = (double)s->own_ns + (double)due_ns - (double)s->now_ns;

	if (governor_is_open(s->governor, function) || next >= until)
		return 0;
	return (uint64_t)((until - next) / period);
}

/* Empty calls at fixed rates, until @own_ns of the program's own time are over. */
static void interleave(struct simulation *s, const double *rates, unsigned n, uint64_t own_ns)
{
	double next[FUNCTIONS_MAX];
	uint64_t skipped;
	unsigned i, first;

	for (i = 0; i < n; i++)
		next[i] = (double)s->own_ns + 1e9 / rates[i];
	for (;;) {
		for (first = 0, i = 1; i < n; i++)
			if (next[i] < next[first])
				first = i;
		if (next[first] >= (double)own_ns)
			return;
		if (next[first] > (double)s->own_ns)
			run(s, (uint64_t)next[first] - s->own_ns);
		skipped = unseen(s, first, next[first], 1e9 / rates[first]);
		s->calls[first] += skipped;
		if (!skipped)
			call(s, first, 0);
		next[first] += (skipped ? skipped : 1) * (1e9 / rates[first]);
	}
}

static void cheap_functions_are_measured_completely(void **state)
{
	static const double rates[] = {10, 100, 1000};
	struct simulation s;
	unsigned i;

	(void)state;
	begin(&s, 3, BUDGET, 1);
	interleave(&s, rates, 3, 20 * SECOND);
	for (i = 0; i < 3; i++) {
		assert_int_equal(s.measured[i], s.calls[i]);
		assert_true(governor_share(s.governor, i, s.now_ns) == 1);
	}
	governor_destroy(s.governor);
}

static void without_a_limit_nothing_is_closed(void **state)
{
	static const double rates[] = {1e6};
	struct simulation s;

	(void)state;
	begin(&s, 1, 0, 1);
	interleave(&s, rates, 1, SECOND / 2);
	assert_int_equal(s.measured[0], s.calls[0]);
	assert_true(governor_due_ns(s.governor, s.now_ns) == 0);
	assert_true(governor_overhead(s.governor, s.now_ns) > 10);
	governor_destroy(s.governor);
}

/*
 * Shares are equal apart from windows that end by chance and what was spent before rates were
 * known: a quarter.
 */
static void dear_functions_get_equal_shares_and_cheap_ones_all(void **state)
{
	static const double rates[] = {10, 100, 1e3, 1e4, 1e5, 1e6, 1e7};
	uint64_t after_start[7];
	struct simulation s;
	double mean = 0;
	unsigned i;

	(void)state;
	begin(&s, 7, BUDGET, 2);
	interleave(&s, rates, 7, 2 * SECOND);
	memcpy(after_start, s.spent, sizeof(after_start));
	interleave(&s, rates, 7, 32 * SECOND);
	for (i = 0; i < 2; i++)
		assert_int_equal(s.measured[i], s.calls[i]);
	for (i = 2; i < 7; i++)
		mean += (double)(s.spent[i] - after_start[i]) / 5;
	for (i = 2; i < 7; i++)
		if (fabs((double)(s.spent[i] - after_start[i]) - mean) > mean / 4)
			fail_msg("function %u: %.3f s, the mean is %.3f s", i,
				 (s.spent[i] - after_start[i]) / 1e9, mean / 1e9);
	assert_within_budget(&s);
	assert_true((double)spent(&s) > 0.7 * BUDGET * (double)s.own_ns); /* and it is used */
	governor_destroy(s.governor);
}

/* As above, a quarter off at most. */
static void one_of_a_tenth_of_the_weight_gets_a_tenth_of_a_share(void **state)
{
	static const double rates[] = {1e5, 1e5};
	uint64_t after_start[2];
	struct simulation s;
	double part;

	(void)state;
	begin(&s, 2, BUDGET, 2);
	governor_weigh(s.governor, 1, 0.1);
	interleave(&s, rates, 2, 4 * SECOND);
	memcpy(after_start, s.spent, sizeof(after_start));
	interleave(&s, rates, 2, 64 * SECOND);
	part = (double)(s.spent[1] - after_start[1]) / (double)(s.spent[0] - after_start[0]);
	if (fabs(part - 0.1) > 0.1 / 4)
		fail_msg("%.3f of the other's share", part);
	assert_within_budget(&s);
	governor_destroy(s.governor);
}

/*
 * Of calls that are chosen independently of their length, those of each kind are binomially
 * distributed; windows take many at once, of both kinds alternately, which only makes it more even.
 * Four deviations.
 */
static void short_and_long_calls_in_turn_have_the_same_chance(void **state)
{
	uint64_t measured[2] = {0};
	struct simulation s;
	double n;
	unsigned i;

	(void)state;
	begin(&s, 1, BUDGET, 3);
	for (i = 0; s.own_ns < 100 * SECOND; i++)
		measured[i % 2] += call(&s, 0, i % 2 ? LONG : SHORT);
	n = (double)(measured[0] + measured[1]);
	assert_true(n > 1000 && n < i / 2);
	assert_true(fabs(measured[0] - n / 2) < 4 * sqrt(n) / 2);
	assert_within_budget(&s);
	governor_destroy(s.governor);
}

/*
 * The program's own period is that of the cycles. A window of the several hundred falls into each
 * half with the same probability, and takes calls of that half alone: so windows are what is
 * binomial, not calls.
 */
static void bursts_in_step_with_the_cycles_have_the_same_chance(void **state)
{
	uint64_t measured[2] = {0}, calls[2] = {0};
	double windows, chance[2];
	struct simulation s;
	unsigned half;

	(void)state;
	begin(&s, 1, BUDGET, 4);
	while (s.own_ns < 200 * SECOND) {
		half = s.own_ns / (SECOND / 10) % 2;
		measured[half] += call(&s, 0, half ? 20 * SHORT : 5 * SHORT);
		calls[half]++;
	}
	windows = s.own_ns / 200e6;
	chance[0] = (double)measured[0] / calls[0];
	chance[1] = (double)measured[1] / calls[1];
	if (fabs(chance[0] - chance[1]) > 4 * sqrt(1 / windows) * (chance[0] + chance[1]) / 2)
		fail_msg("%f against %f", chance[0], chance[1]);
	assert_within_budget(&s);
	governor_destroy(s.governor);
}

static void a_program_that_becomes_busy_after_a_while_is_cut_short(void **state)
{
	static const double idle[] = {5}, busy[] = {5e6};
	struct simulation s;
	uint64_t before;

	(void)state;
	begin(&s, 1, BUDGET, 5);
	interleave(&s, idle, 1, 10 * SECOND);
	assert_int_equal(s.measured[0], s.calls[0]);
	before = spent(&s);
	interleave(&s, busy, 1, 10 * SECOND + SECOND / 10);
	assert_true(spent(&s) - before < 200000000);
	interleave(&s, busy, 1, 30 * SECOND);
	assert_within_budget(&s);
	governor_destroy(s.governor);
}

static void hundreds_that_become_busy_at_once_are_cut_short_together(void **state)
{
	double idle[FUNCTIONS_MAX], busy[FUNCTIONS_MAX];
	struct simulation s;
	uint64_t before;
	unsigned i;

	(void)state;
	for (i = 0; i < FUNCTIONS_MAX; i++) {
		idle[i] = i < FUNCTIONS_MAX / 2 ? 20000 : 0.01;
		busy[i] = i < FUNCTIONS_MAX / 2 ? 0.01 : 20000;
	}
	begin(&s, FUNCTIONS_MAX, BUDGET, 11);
	interleave(&s, idle, FUNCTIONS_MAX, SECOND / 10);
	assert_within_budget(&s);
	for (i = 0; i < FUNCTIONS_MAX / 2; i++)
		assert_true(s.measured[i] > 5);
	interleave(&s, idle, FUNCTIONS_MAX, 5 * SECOND);
	assert_within_budget(&s);
	before = spent(&s);
	interleave(&s, busy, FUNCTIONS_MAX, 5 * SECOND + SECOND / 10);
	assert_true(spent(&s) - before < 400000000);
	governor_destroy(s.governor);
}

static void one_that_becomes_idle_again_is_measured_completely_again(void **state)
{
	static const double busy[] = {1e6}, idle[] = {50};
	struct simulation s;
	uint64_t missed;

	(void)state;
	begin(&s, 1, BUDGET, 6);
	interleave(&s, busy, 1, 5 * SECOND);
	interleave(&s, idle, 1, 15 * SECOND);
	missed = s.calls[0] - s.measured[0];
	interleave(&s, idle, 1, 25 * SECOND);
	assert_int_equal(s.calls[0] - s.measured[0], missed);
	governor_destroy(s.governor);
}

static uint64_t measured_with(uint64_t seed)
{
	static const double rates[] = {1e5, 1e6};
	struct simulation s;

	begin(&s, 2, BUDGET, seed);
	interleave(&s, rates, 2, 5 * SECOND);
	governor_destroy(s.governor);
	return s.measured[0] * 1000003 + s.measured[1];
}

/*
 * Pads of calls that are as short as they: 10 ms of both, in which a hundred thousand begin, show
 * it. Half as many, or a tenth of the cost, may use the credit.
 */
static void a_loud_function_gets_no_credit(void **state)
{
	static const struct {
		uint64_t calls, cost_ns;
		bool stays;
	} trials[] = {{200000, 5000000, false}, {50000, 5000000, true}, {200000, 500000, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		struct simulation s;

		begin(&s, 1, BUDGET, 7);
		s.now_ns += 10000000;
		governor_begun(s.governor, 0, trials[i].calls);
		governor_spend(s.governor, 0, trials[i].cost_ns, false);
		assert_int_equal(governor_hit(s.governor, 0, s.now_ns), trials[i].stays);
		governor_destroy(s.governor);
	}
}

static void the_seed_decides(void **state)
{
	(void)state;
	assert_int_equal(measured_with(7), measured_with(7));
	assert_int_not_equal(measured_with(7), measured_with(8));
}

/* Windows stand for their cycles, also where calls are many in some and few in others. */
static void how_many_calls_there_were_follows_from_the_windows(void **state)
{
	static const double few[] = {200}, many[] = {4e4}, more[] = {1e6};
	struct simulation s;
	double calls;

	(void)state;
	begin(&s, 1, BUDGET, 9);
	interleave(&s, few, 1, 20 * SECOND);
	assert_true(governor_calls(s.governor, 0, s.now_ns, &calls));
	assert_true(fabs(calls / s.calls[0] - 1) < 0.01);
	interleave(&s, many, 1, 80 * SECOND);
	assert_true(governor_calls(s.governor, 0, s.now_ns, &calls));
	if (fabs(calls / s.calls[0] - 1) > 0.1)
		fail_msg("%.0f of %lu", calls, s.calls[0]);
	interleave(&s, more, 1, 120 * SECOND);
	assert_false(governor_calls(s.governor, 0, s.now_ns, &calls));
	governor_destroy(s.governor);
}

/*
 * It was idle in its window, became busy, and was cut: what the window saw does not stand for what
 * came behind it.
 */
static void how_many_there_were_behind_a_cut_is_not_claimed(void **state)
{
	static const double idle[] = {10}, busy[] = {1e6};
	struct simulation s;
	const uint64_t busy_ns = SECOND / 20;
	uint64_t seed, idle_ns;
	double calls;

	(void)state;
	for (seed = 0; seed < 100; seed++) {
		idle_ns = SECOND / 10 + seed * SECOND / 50;
		begin(&s, 1, BUDGET, seed);
		interleave(&s, idle, 1, idle_ns);
		interleave(&s, busy, 1, idle_ns + busy_ns);
		if (s.own_ns < idle_ns + busy_ns)
			run(&s, idle_ns + busy_ns - s.own_ns);
		if (governor_calls(s.governor, 0, s.now_ns, &calls))
			assert_true(calls > 0.5 * busy[0] * (double)busy_ns / 1e9);
		governor_destroy(s.governor);
	}
}

/* In recursion all calls return to one place. */
static void waiting_in_vain_for_ends_is_given_up_when_it_costs_a_share(void **state)
{
	struct simulation s;
	unsigned i;

	(void)state;
	begin(&s, 1, BUDGET, 10);
	governor_close(s.governor, 0, s.now_ns);
	for (i = 0; i < 100000; i++)
		governor_spend(s.governor, 0, STOP, false);
	assert_false(governor_is_tired(s.governor, 0)); /* these were ends */
	for (i = 0; i < 100000 && !governor_is_tired(s.governor, 0); i++)
		governor_spend(s.governor, 0, STOP, true);
	assert_in_range(i, 10, 2000);
	governor_destroy(s.governor);
}

/* One that is wanted whatever it costs; the other has the budget for itself. */
static void one_that_is_pinned_takes_nothing_from_the_others(void **state)
{
	static const double rates[] = {1e5, 1e4};
	struct simulation s;

	(void)state;
	begin(&s, 2, BUDGET, 11);
	interleave(&s, rates, 2, 2 * SECOND);
	governor_pin(s.governor, 0, true, s.now_ns);
	s.calls[0] = s.measured[0] = 0;
	s.spent[1] = 0;
	interleave(&s, rates, 2, 12 * SECOND);
	assert_int_equal(s.measured[0], s.calls[0]);
	assert_true((double)s.spent[1] > 0.5 * BUDGET * 10e9);
	assert_true((double)s.spent[1] < 1.1 * BUDGET * 10e9);
	governor_pin(s.governor, 0, false, s.now_ns);
	s.spent[0] = 0;
	interleave(&s, rates, 2, 22 * SECOND);
	assert_true((double)s.spent[0] < 2 * BUDGET * 10e9);
	governor_destroy(s.governor);
}

static void one_that_is_closed_opens_when_it_is_pinned(void **state)
{
	struct simulation s;

	(void)state;
	begin(&s, 1, BUDGET, 12);
	assert_false(governor_pin(s.governor, 0, true, s.now_ns));
	governor_pin(s.governor, 0, false, s.now_ns);
	governor_close(s.governor, 0, s.now_ns);
	assert_true(governor_due_ns(s.governor, s.now_ns) != 0);
	assert_true(governor_pin(s.governor, 0, true, s.now_ns));
	assert_true(governor_is_open(s.governor, 0));
	assert_true(governor_due_ns(s.governor, s.now_ns) == 0);
	governor_destroy(s.governor);
}

/* What it had the others have; its number is another's. */
static void one_that_is_removed_leaves_its_share(void **state)
{
	static const double rates[] = {1e5, 1e5};
	struct simulation s;

	(void)state;
	begin(&s, 2, BUDGET, 13);
	interleave(&s, rates, 2, 4 * SECOND);
	governor_remove(s.governor, 1);
	s.spent[0] = 0;
	interleave(&s, rates, 1, 24 * SECOND);
	assert_true((double)s.spent[0] > 0.7 * BUDGET * 20e9);
	assert_int_equal(governor_add(s.governor, s.now_ns), 1);
	assert_int_equal(governor_add(s.governor, s.now_ns), 2);
	assert_int_equal(governor_functions(s.governor), 3);
	governor_destroy(s.governor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cheap_functions_are_measured_completely),
		cmocka_unit_test(without_a_limit_nothing_is_closed),
		cmocka_unit_test(dear_functions_get_equal_shares_and_cheap_ones_all),
		cmocka_unit_test(one_of_a_tenth_of_the_weight_gets_a_tenth_of_a_share),
		cmocka_unit_test(short_and_long_calls_in_turn_have_the_same_chance),
		cmocka_unit_test(bursts_in_step_with_the_cycles_have_the_same_chance),
		cmocka_unit_test(a_program_that_becomes_busy_after_a_while_is_cut_short),
		cmocka_unit_test(hundreds_that_become_busy_at_once_are_cut_short_together),
		cmocka_unit_test(one_that_becomes_idle_again_is_measured_completely_again),
		cmocka_unit_test(a_loud_function_gets_no_credit),
		cmocka_unit_test(the_seed_decides),
		cmocka_unit_test(how_many_calls_there_were_follows_from_the_windows),
		cmocka_unit_test(how_many_there_were_behind_a_cut_is_not_claimed),
		cmocka_unit_test(waiting_in_vain_for_ends_is_given_up_when_it_costs_a_share),
		cmocka_unit_test(one_that_is_pinned_takes_nothing_from_the_others),
		cmocka_unit_test(one_that_is_closed_opens_when_it_is_pinned),
		cmocka_unit_test(one_that_is_removed_leaves_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
