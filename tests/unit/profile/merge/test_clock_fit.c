/* The clocks of two hosts: what bounds allow, and which contradict the others. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "profile/merge/clock_fit.h"

enum { PAIRS = 1000, EVERY_NS = 1000000 };

static const double AHEAD_NS = 3.7e9, DRIFT = 50e-6;

static double drawn(struct random_state *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* By how much the other clock is ahead: at the middle of what is measured AHEAD_NS. */
static int64_t ahead_at(int64_t at)
{
	return (int64_t)(AHEAD_NS + DRIFT * (double)(at - PAIRS / 2 * (int64_t)EVERY_NS));
}

/* Requests and answers are on their way for 20 to 520 µs each. */
static void draw_pairs(uint64_t seed, struct clock_bound *ret)
{
	struct random_state random = {.state = seed};

	for (int64_t i = 0; i < PAIRS; i++) {
		const int64_t sent = i * EVERY_NS;
		const int64_t taken = sent + 20000 + (int64_t)(500000 * drawn(&random));
		const int64_t answered = taken + 100000;
		const int64_t heard = answered + 20000 + (int64_t)(500000 * drawn(&random));

		ret[i] = (struct clock_bound){
			.low_at = heard,
			.low = answered + ahead_at(answered) - heard,
			.high_at = sent,
			.high = taken + ahead_at(taken) - sent,
		};
	}
}

static void offset_and_drift_are_within_what_is_told(void **state)
{
	const int64_t middle = PAIRS / 2 * (int64_t)EVERY_NS;
	struct clock_bound bounds[PAIRS];
	struct clock_fit fit;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		draw_pairs(seed, bounds);
		assert_true(clock_fit(bounds, PAIRS, &fit));
		assert_int_equal(fit.n_against, 0);
		assert_true(fabs(clock_fit_ahead(&fit, middle) - AHEAD_NS) < 2 * fit.width + 1000);
		assert_true(fit.width > 10000 && fit.width < 40000); /* 20 µs, of the fastest */
		assert_true(fit.drift_low <= DRIFT && DRIFT <= fit.drift_high);
		assert_true(fit.drift_high - fit.drift_low < 200e-6);
	}
}

/* Every hundredth pair is that of other calls, 5 to 45 ms away. */
static void wrong_pairs_are_found(void **state)
{
	struct clock_bound bounds[PAIRS], right[PAIRS];
	struct clock_fit fit, without;

	(void)state;
	draw_pairs(1, right);
	draw_pairs(1, bounds);
	for (size_t i = 0; i < PAIRS; i += 100) {
		const int64_t away =
			(int64_t)(i / 100 % 2 ? 5 : -5) * (1 + (int64_t)i / 100) * 1000000;

		bounds[i].low += away;
		bounds[i].high += away;
	}
	assert_true(clock_fit(bounds, PAIRS, &fit) && clock_fit(right, PAIRS, &without));
	assert_int_equal(fit.n_against, PAIRS / 100);
	for (size_t i = 0; i < PAIRS; i++)
		assert_int_equal(clock_fit_contradicts(&fit, &bounds[i]), i % 100 == 0);
	assert_true(fabs(fit.offset - without.offset) < without.width);
}

static void one_pair_says_nothing_of_the_drift(void **state)
{
	const struct clock_bound bound = {
		.low_at = 1000000, .low = 5000, .high_at = 0, .high = 9000};
	struct clock_fit fit;

	(void)state;
	assert_false(clock_fit(&bound, 0, &fit));
	assert_true(clock_fit(&bound, 1, &fit));
	assert_true(fabs(fit.drift) < 1e-6 && fit.drift_low < -9e-4);
	assert_true(fabs(fit.offset - 7000) < 100 && fabs(fit.width - 2000) < 100);
	assert_false(clock_fit_contradicts(&fit, &bound));
}

/* Moments of a damaged profile may be anything below 2^63. */
static void any_numbers_are_survived(void **state)
{
	const struct clock_bound bounds[] = {
		{.low_at = INT64_MAX, .low = -INT64_MAX, .high_at = 0, .high = INT64_MAX},
		{.low_at = 0, .low = INT64_MAX, .high_at = INT64_MAX, .high = -INT64_MAX},
		{.low_at = 1, .low = 1, .high_at = 1, .high = -1},
	};
	struct clock_fit fit;

	(void)state;
	clock_fit(bounds, 3, &fit);
	assert_int_equal(fit.n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offset_and_drift_are_within_what_is_told),
		cmocka_unit_test(wrong_pairs_are_found),
		cmocka_unit_test(one_pair_says_nothing_of_the_drift),
		cmocka_unit_test(any_numbers_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
