/* Moments of the TSC and of CLOCK_MONOTONIC: errors of the rate do not grow with the time. */
#include "check.h"

#include "base/clock.h"
#include "trace/state/tsc_clock.h"

static const uint64_t WHILE_NS = 20000000, SLACK_NS = 5000;

static void begin(struct tsc_clock *clock)
{
	const char *why;

	if (!tsc_clock_is_invariant(NULL, &why) || !tsc_clock_init(clock, &why))
		skip();
}

static void assert_moments_agree(const struct tsc_clock *clock)
{
	const uint64_t before_ns = clock_now_ns();
	const uint64_t ticks = tsc_clock_ticks_now();
	const uint64_t after_ns = clock_now_ns();

	assert_in_range(tsc_clock_moment_ns(clock, ticks), before_ns - SLACK_NS,
			after_ns + SLACK_NS);
}

/* What 2 ms tell of the rate is wrong by 10^-3 here: 20 µs after 20 ms. */
static void the_rate_follows_the_time(void **state)
{
	struct tsc_clock clock;

	(void)state;
	begin(&clock);
	clock.ns_per_tick *= 1.001;
	while (clock_now_ns() < clock.first_ns + WHILE_NS)
		;
	tsc_clock_follow(&clock);
	assert_moments_agree(&clock);
}

static void a_rate_of_long_ago_is_kept_for_long(void **state)
{
	struct tsc_clock clock;

	(void)state;
	begin(&clock);
	clock.ns_per_tick = 1;
	clock.rated_ticks = UINT64_MAX / 4;
	tsc_clock_follow(&clock);
	assert_true(clock.ns_per_tick == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_follows_the_time),
		cmocka_unit_test(a_rate_of_long_ago_is_kept_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
