/* Reservoirs: every position of a stream has the same chance to be kept. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/reservoir.h"

enum { SIZE_MAX_TESTED = 64, LENGTH_MAX = 256 };

/* Which items of a stream of @length are kept, in their places. Returns how many. */
static size_t keep(struct reservoir *reservoir, struct random_state *chance, size_t length,
		   size_t kept[SIZE_MAX_TESTED])
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		int64_t place = reservoir_place(reservoir, chance);

		if (place == RESERVOIR_NOT_KEPT)
			continue;
		assert_in_range(place, 0, n);
		assert_in_range(place, 0, SIZE_MAX_TESTED - 1);
		kept[place] = i;
		n += (size_t)place == n;
	}
	return n;
}

/*
 * Chi-square of @counts, which positions were kept so often in @rounds rounds, @size of @n in each.
 * A position is kept with the probability p = size / n; its count has the variance rounds p (1 -
 * p), and as the counts of a round sum to size, sum of (count - rounds p)^2 / (rounds p (1 - p))
 * times (n - 1) / n is chi-square with n - 1 degrees of freedom.
 */
static double chi_square(const size_t *counts, size_t n, size_t size, size_t rounds)
{
	double p = (double)size / n;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (counts[i] - rounds * p) * (counts[i] - rounds * p) / (rounds * p * (1 - p));
	return sum * (n - 1) / n;
}

/*
 * Mean n - 1, standard deviation sqrt(2 (n - 1)). More than 5 of them above the mean are by chance
 * with a probability of 0.5 % for n = 2, 0.03 % for n = 11, and less beyond; the seeds are fixed,
 * so a test that passes goes on to. Far too little is as wrong: it would be chance of another kind.
 */
static void assert_fair(const size_t *counts, size_t n, size_t size, size_t rounds)
{
	double expected = n - 1;
	double tolerance = 5 * sqrt(2 * expected);
	double found = chi_square(counts, n, size, rounds);

	if (fabs(found - expected) > tolerance)
		fail_msg("chi-square %.1f, not %.1f +- %.1f, of %zu in %zu", found, expected,
			 tolerance, size, n);
}

static void every_position_of_a_stream_has_the_same_chance(void **state)
{
	static const struct {
		size_t size, length;
	} cases[] = {{1, 2}, {1, 100}, {10, 11}, {10, 30}, {10, 200}, {64, 200}, {3, 250}};
	enum { ROUNDS = 20000 };
	size_t i, j, round;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct random_state chance = {.state = i};
		size_t counts[LENGTH_MAX] = {0};
		size_t kept[SIZE_MAX_TESTED];

		for (round = 0; round < ROUNDS; round++) {
			struct reservoir reservoir;

			reservoir_begin(&reservoir, cases[i].size);
			assert_int_equal(keep(&reservoir, &chance, cases[i].length, kept),
					 cases[i].size);
			for (j = 0; j < cases[i].size; j++)
				counts[kept[j]]++;
		}
		assert_fair(counts, cases[i].length, cases[i].size, ROUNDS);
	}
}

/* Two that are both early, or both late, are kept together as often as any two. */
static void every_pair_of_positions_has_the_same_chance(void **state)
{
	enum { SIZE = 4, LENGTH = 12, PAIRS = LENGTH * (LENGTH - 1) / 2, ROUNDS = 50000 };
	const double p = SIZE * (SIZE - 1.0) / (LENGTH * (LENGTH - 1.0));
	size_t counts[LENGTH][LENGTH] = {0};
	struct random_state chance = {.state = 7};
	size_t kept[SIZE_MAX_TESTED];
	size_t i, j, round;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		struct reservoir reservoir;

		reservoir_begin(&reservoir, SIZE);
		keep(&reservoir, &chance, LENGTH, kept);
		for (i = 0; i < SIZE; i++)
			for (j = 0; j < SIZE; j++)
				counts[kept[i]][kept[j]]++;
	}
	/* Of 66 counts none is further away than 5 standard deviations, but by a chance of 4e-5. */
	for (i = 0; i < LENGTH; i++)
		for (j = 0; j < i; j++)
			if (fabs(counts[i][j] - ROUNDS * p) > 5 * sqrt(ROUNDS * p * (1 - p)))
				fail_msg("%zu and %zu: %zu times, not %.0f", i, j, counts[i][j],
					 ROUNDS * p);
}

/*
 * As several functions have it, whose calls come in turns, for several periods of different
 * lengths.
 */
static void streams_that_share_their_chance_are_all_fair(void **state)
{
	enum { STREAMS = 3, ROUNDS = 20000 };
	static const size_t sizes[STREAMS] = {5, 20, 5};
	static const size_t lengths[2][STREAMS] = {{40, 50, 100}, {100, 25, 7}};
	size_t counts[2][STREAMS][LENGTH_MAX] = {0};
	struct random_state chance = {.state = 3};
	size_t period, round, stream, i;

	(void)state;
	for (round = 0; round < 2 * ROUNDS; round++) {
		struct reservoir reservoirs[STREAMS];
		size_t kept[STREAMS][SIZE_MAX_TESTED];

		period = round % 2;
		for (stream = 0; stream < STREAMS; stream++)
			reservoir_begin(&reservoirs[stream], sizes[stream]);
		for (i = 0; i < LENGTH_MAX; i++)
			for (stream = 0; stream < STREAMS; stream++) {
				int64_t place;

				if (i >= lengths[period][stream])
					continue;
				place = reservoir_place(&reservoirs[stream], &chance);
				if (place != RESERVOIR_NOT_KEPT)
					kept[stream][place] = i;
			}
		for (stream = 0; stream < STREAMS; stream++)
			for (i = 0; i < sizes[stream]; i++)
				counts[period][stream][kept[stream][i]]++;
	}
	for (period = 0; period < 2; period++)
		for (stream = 0; stream < STREAMS; stream++)
			assert_fair(counts[period][stream], lengths[period][stream], sizes[stream],
				    ROUNDS);
}

static void a_stream_that_is_short_is_kept_in_order(void **state)
{
	struct random_state chance = {.state = 1};
	struct reservoir reservoir;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		size_t size = i ? 1000 : 0;
		int64_t item;

		reservoir_begin(&reservoir, size);
		for (item = 0; item < 1000; item++)
			assert_int_equal(reservoir_place(&reservoir, &chance), item);
		assert_int_equal(reservoir.seen, 1000);
	}
}

static void a_reservoir_that_is_closed_early_is_fair_to_all(void **state)
{
	enum { ROUNDS = 20000, SIZE = 6, LENGTH = 60 };
	size_t counts[LENGTH] = {0};
	struct random_state chance = {.state = 11};
	size_t round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		struct reservoir reservoir;
		size_t kept[SIZE];

		reservoir_begin(&reservoir, 1000);
		for (i = 0; i < LENGTH; i++) {
			int64_t place;

			if (i >= SIZE)
				reservoir_close(&reservoir);
			place = reservoir_place(&reservoir, &chance);
			if (place != RESERVOIR_NOT_KEPT)
				kept[place] = i;
		}
		for (i = 0; i < SIZE; i++)
			counts[kept[i]]++;
	}
	assert_fair(counts, LENGTH, SIZE, ROUNDS);
}

static void one_that_is_closed_at_once_keeps_one(void **state)
{
	struct random_state chance = {.state = 1};
	struct reservoir reservoir;
	int i;

	(void)state;
	reservoir_begin(&reservoir, 100);
	reservoir_close(&reservoir);
	assert_int_equal(reservoir_place(&reservoir, &chance), 0);
	for (i = 0; i < 100; i++)
		assert_true(reservoir_place(&reservoir, &chance) <= 0);
}

static void the_same_seed_keeps_the_same(void **state)
{
	struct random_state chances[] = {{.state = 5}, {.state = 5}, {.state = 6}};
	size_t kept[3][SIZE_MAX_TESTED] = {0};
	struct reservoir reservoir;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		reservoir_begin(&reservoir, 20);
		keep(&reservoir, &chances[i], 200, kept[i]);
	}
	assert_memory_equal(kept[0], kept[1], sizeof(kept[0]));
	assert_memory_not_equal(kept[0], kept[2], sizeof(kept[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_position_of_a_stream_has_the_same_chance),
		cmocka_unit_test(every_pair_of_positions_has_the_same_chance),
		cmocka_unit_test(streams_that_share_their_chance_are_all_fair),
		cmocka_unit_test(a_stream_that_is_short_is_kept_in_order),
		cmocka_unit_test(a_reservoir_that_is_closed_early_is_fair_to_all),
		cmocka_unit_test(one_that_is_closed_at_once_keeps_one),
		cmocka_unit_test(the_same_seed_keeps_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
