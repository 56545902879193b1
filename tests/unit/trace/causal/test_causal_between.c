/*
 * Which pauses come too late, of threads whose switches on and off a processor are written here.
 * Lengths are known to a quarter of a power of 2: 19 %.
 */
#include "check.h"

#include "trace/causal/causal_between.h"

static const uint64_t US = 1000;
static const double LENGTHS = 0.19;

/* It has the processor @n times for @us, and waits for another thread after each. */
static void run_and_wait(struct causal_between *between, struct causal_stretch *stretch, unsigned n,
			 uint64_t us)
{
	static uint64_t now_ns = 1;

	while (n-- > 0) {
		causal_between_on(stretch, now_ns);
		now_ns += us * US;
		causal_between_off(stretch, now_ns);
		causal_between_waited(between, stretch);
		now_ns += 50 * US; /* waiting is no time between waits */
	}
}

static void assert_median_us(const struct causal_between *between, double us)
{
	assert_float_equal((double)causal_between_median_ns(between) / (double)US, us,
			   LENGTHS * us);
}

static void what_never_waited_has_no_time_between_waits(void **state)
{
	struct causal_between between = {0};

	(void)state;
	assert_int_equal(causal_between_median_ns(&between), 0);
	assert_false(causal_between_is_late(0, 1e9));
}

/* Turns of a tenth of a millisecond: 0.9 ms of pause are too long, 0.03 ms are not. */
static void pauses_longer_than_a_third_of_the_time_between_waits_are_late(void **state)
{
	struct causal_stretch one = {0}, other = {0};
	struct causal_between between = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		run_and_wait(&between, &one, 1, 100);
		run_and_wait(&between, &other, 1, 100);
	}
	assert_median_us(&between, 100);
	assert_true(causal_between_is_late(causal_between_median_ns(&between), 900.0 * US));
	assert_true(causal_between_is_late(causal_between_median_ns(&between), 41.0 * US));
	assert_false(causal_between_is_late(causal_between_median_ns(&between), 26.0 * US));
}

/* A thousand short ones are a tenth of the time. */
static void long_stretches_count_by_their_time(void **state)
{
	struct causal_stretch stretch = {0};
	struct causal_between between = {0};

	(void)state;
	run_and_wait(&between, &stretch, 1000, 10);
	run_and_wait(&between, &stretch, 9, 10000);
	assert_median_us(&between, 10000);
}

/* Preempted, or waiting for a disk: it goes on afterwards without having waited for a thread. */
static void what_no_thread_ended_does_not_end_a_stretch(void **state)
{
	struct causal_stretch stretch = {0};
	struct causal_between between = {0};

	(void)state;
	for (uint64_t ms = 1; ms <= 9; ms += 2) {
		causal_between_on(&stretch, ms * 1000 * US);
		causal_between_off(&stretch, (ms + 1) * 1000 * US);
	}
	causal_between_waited(&between, &stretch);
	assert_median_us(&between, 5000);
}

static void what_still_runs_counts_and_what_was_before_a_restart_does_not(void **state)
{
	struct causal_stretch stretch = {0};
	struct causal_between between = {0};

	(void)state;
	causal_between_on(&stretch, 1 * US);
	causal_between_restart(&stretch, 70000 * US);
	causal_between_add(&between, &stretch, 72000 * US);
	assert_median_us(&between, 2000);
	assert_int_equal(stretch.on_ns, 70000 * US); /* it goes on */
	causal_between_off(&stretch, 72000 * US);
	causal_between_restart(&stretch, 80000 * US);
	assert_int_equal(stretch.on_ns, 0);
	assert_int_equal(stretch.ran_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_never_waited_has_no_time_between_waits),
		cmocka_unit_test(pauses_longer_than_a_third_of_the_time_between_waits_are_late),
		cmocka_unit_test(long_stretches_count_by_their_time),
		cmocka_unit_test(what_no_thread_ended_does_not_end_a_stretch),
		cmocka_unit_test(what_still_runs_counts_and_what_was_before_a_restart_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
