/*
 * Reservoirs: every call of a period has the same chance to be in the sample, and every two calls
 * have, however the limit of ranks moved. Calls are only ranks here, and bins of positions count
 * who is kept.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/reservoir.h"

static const uint64_t ALL = UINT64_C(1) << 32;

/* How the limit moves while calls come, as probes inside the inferior would do it. */
enum movement {
	STAYS,
	FALLS,       /* to less and less, at fixed times */
	RISES_AGAIN, /* and goes back up in between */
	BUDGET,      /* halves each time that many calls were seen: as ranks have it */
	OVERFLOW,    /* now and then a call finds no room, and lowers it to its rank */
	MOVEMENTS,
};

enum { BUDGET_CALLS = 128 };

struct stream {
	struct reservoir reservoir;
	struct random_state ranks, chance;
	enum movement movement;
	uint64_t limit;
	unsigned seen; /* since the limit was halved */
	size_t *kept;  /* [rows] position of the call in each row */
	bool *is_kept;
	size_t n; /* rows that are in the sample */
};

static void stream_init(struct stream *stream, size_t rows, uint64_t seed)
{
	*stream = (struct stream){.ranks = {seed}, .chance = {~seed}};
	stream->kept = calloc(rows, sizeof(*stream->kept));
	stream->is_kept = calloc(rows, sizeof(*stream->is_kept));
}

static void stream_deinit(struct stream *stream)
{
	reservoir_deinit(&stream->reservoir);
	free(stream->kept);
	free(stream->is_kept);
}

/* The limit when @i of @n calls have come; at fixed times, so of no rank. */
static uint64_t planned_limit(const struct stream *stream, size_t i, size_t n)
{
	const size_t tenth = 10 * i / n;

	if (stream->movement == FALLS)
		return ALL >> tenth / 3;
	if (stream->movement == RISES_AGAIN)
		return tenth % 4 == 1 ? ALL / 3 : tenth % 4 == 2 ? ALL / 7 : ALL;
	return stream->limit;
}

static void stream_lower(struct stream *stream, uint32_t rank)
{
	if (stream->movement == BUDGET && ++stream->seen == BUDGET_CALLS) {
		stream->seen = 0;
		stream->limit /= 2;
	} else if (stream->movement == OVERFLOW && ++stream->seen % 1000 == 0) {
		stream->limit = rank ? rank : 1;
	}
	reservoir_limit(&stream->reservoir, stream->limit);
}

static void stream_take(struct stream *stream, size_t i, uint32_t rank)
{
	const int64_t row = reservoir_place(&stream->reservoir, rank, &stream->chance);

	if (row != RESERVOIR_NOT_KEPT)
		stream->kept[row] = i;
}

/* Compact kept[] to the sample's positions. */
static void stream_end(struct stream *stream)
{
	const size_t n = reservoir_end(&stream->reservoir, stream->is_kept);
	size_t i;

	stream->n = 0;
	for (i = 0; i < stream->reservoir.n; i++)
		if (stream->is_kept[i])
			stream->kept[stream->n++] = stream->kept[i];
	assert_int_equal(stream->n, n);
}

/* A period of @n calls, of which at most @size become samples. */
static void stream_period(struct stream *stream, size_t size, size_t n)
{
	size_t i;

	stream->limit = ALL;
	stream->seen = 0;
	reservoir_begin(&stream->reservoir, size, ALL);
	for (i = 0; i < n; i++) {
		const uint32_t rank = (uint32_t)(random_next(&stream->ranks) >> 32);

		stream->limit = planned_limit(stream, i, n);
		reservoir_limit(&stream->reservoir, stream->limit);
		if (rank >= stream->limit)
			continue;
		stream_take(stream, i, rank);
		stream_lower(stream, rank);
	}
	stream_end(stream);
}

enum { BINS = 10 };

/* Counts of many periods of equal length, which is a multiple of BINS. */
struct tally {
	double counts[BINS]; /* of positions in each tenth of the period */
	double kept;
	double variance; /* of the counts, sum over bins */
	double same;     /* pairs of samples in the same bin */
	double same_expected, same_variance;
};

/*
 * m of n calls are kept. The counts of bins of n / B are hypergeometric: each has the mean m / B and
 * the variance m (1 / B) (1 - 1 / B) (n - m) / (n - 1). Two of the samples are in the same bin with
 * the probability p = (n / B - 1) / (n - 1), and whether two are tells nothing of two others, or of
 * one of them and another, but that calls are not drawn twice, which makes the variance smaller
 * than that of m (m - 1) / 2 independent pairs.
 */
static void tally_add(struct tally *tally, const struct stream *stream, size_t length)
{
	const double n = length, m = stream->n, pairs = m * (m - 1) / 2;
	const double p = (n / BINS - 1) / (n - 1);
	double counts[BINS] = {0};
	size_t i;

	for (i = 0; i < stream->n; i++)
		counts[stream->kept[i] * BINS / length]++;
	for (i = 0; i < BINS; i++) {
		tally->counts[i] += counts[i];
		tally->same += counts[i] * (counts[i] - 1) / 2;
	}
	tally->kept += m;
	tally->variance += m * (n - m) / (n - 1);
	tally->same_expected += pairs * p;
	tally->same_variance += pairs * p * (1 - p);
}

/*
 * The sum over bins of (count - mean)^2 / (variance / (1 - 1 / B)) is chi-square with B - 1 = 9
 * degrees of freedom: mean 9, standard deviation sqrt(18). More than 5 of them above the mean (30.2)
 * are by chance with a probability of 4e-4, and the seeds are fixed, so a test that passes goes on
 * to. Pairs are within 5 standard deviations but by a chance of 6e-7.
 */
static void tally_assert_fair(const struct tally *tally, const char *what)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < BINS; i++)
		sum += pow(tally->counts[i] - tally->kept / BINS, 2) / (tally->variance / BINS);
	if (tally->variance > 0 && sum > 9 + 5 * sqrt(18))
		fail_msg("%s: chi-square %.1f", what, sum);
	if (fabs(tally->same - tally->same_expected) > 5 * sqrt(tally->same_variance))
		fail_msg("%s: %.0f pairs in the same tenth, not %.0f +- %.0f", what, tally->same,
			 tally->same_expected, 5 * sqrt(tally->same_variance));
}

static void check_rate(enum movement movement, size_t size, size_t length, size_t rounds)
{
	struct tally tally = {0};
	struct stream stream;
	char what[80];
	size_t i;

	stream_init(&stream, size, 100 * length + movement);
	stream.movement = movement;
	for (i = 0; i < rounds; i++) {
		stream_period(&stream, size, length);
		assert_true(stream.n <= size);
		tally_add(&tally, &stream, length);
	}
	snprintf(what, sizeof(what), "%zu of %zu calls, movement %d", size, length, (int)movement);
	assert_true(tally.kept > 0);
	tally_assert_fair(&tally, what);
	stream_deinit(&stream);
}

/* From 10 to 10^7 calls a period: fewer than are kept, and far more. */
static void at_any_rate_every_call_has_the_same_chance(void **state)
{
	static const struct {
		size_t length, size, rounds;
	} cases[] = {{10, 4, 20000},    {10, 50, 5000},     {100, 10, 20000},
		     {1000, 60, 5000},  {1000, 5000, 2000}, {10000, 5000, 500},
		     {100000, 300, 60}, {1000000, 300, 8},  {10000000, 5000, 1}};
	enum movement movement;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (movement = 0; movement < MOVEMENTS; movement++)
			check_rate(movement, cases[i].size, cases[i].length, cases[i].rounds);
}

/*
 * The test of the test: a limit that is forgotten when it rises again leaves too few of the calls
 * while it was low.
 */
static void a_limit_that_is_forgotten_would_be_noticed(void **state)
{
	enum { LENGTH = 1000, SIZE = 5000, ROUNDS = 2000 };
	double counts[BINS] = {0}, kept = 0, sum = 0;
	struct stream stream;
	size_t i, round;

	(void)state;
	stream_init(&stream, SIZE, 8);
	stream.movement = RISES_AGAIN;
	for (round = 0; round < ROUNDS; round++) {
		reservoir_begin(&stream.reservoir, SIZE, ALL);
		for (i = 0; i < LENGTH; i++) {
			const uint32_t rank = (uint32_t)(random_next(&stream.ranks) >> 32);

			if (rank < planned_limit(&stream, i, LENGTH))
				stream_take(&stream, i, rank);
		}
		stream_end(&stream);
		for (i = 0; i < stream.n; i++)
			counts[stream.kept[i] * BINS / LENGTH]++;
		kept += (double)stream.n;
	}
	for (i = 0; i < BINS; i++)
		sum += pow(counts[i] - kept / BINS, 2) / (kept / BINS);
	assert_true(sum > 1000);
	stream_deinit(&stream);
}

/* Each two of twelve calls, counted for themselves. */
static void every_pair_of_positions_has_the_same_chance(void **state)
{
	enum { SIZE = 4, LENGTH = 12, ROUNDS = 50000 };
	double counts[LENGTH][LENGTH] = {{0}};
	double expected = 0, variance = 0, p;
	struct stream stream;
	size_t i, j, round;

	(void)state;
	stream_init(&stream, SIZE, 7);
	stream.movement = FALLS;
	for (round = 0; round < ROUNDS; round++) {
		stream_period(&stream, SIZE, LENGTH);
		for (i = 0; i < stream.n; i++)
			for (j = 0; j < stream.n; j++)
				counts[stream.kept[i]][stream.kept[j]]++;
		p = stream.n * (stream.n - 1.0) / (LENGTH * (LENGTH - 1.0));
		expected += p;
		variance += p * (1 - p);
	}
	/* Of 66 counts none is further away than 5 standard deviations, but by a chance of 4e-5. */
	for (i = 0; i < LENGTH; i++)
		for (j = 0; j < i; j++)
			if (fabs(counts[i][j] - expected) > 5 * sqrt(variance))
				fail_msg("%zu and %zu: %.0f times, not %.0f", i, j, counts[i][j],
					 expected);
	stream_deinit(&stream);
}

/* Ranks of which there are only three: who came first must not matter. */
static void equal_ranks_are_chosen_from_by_chance(void **state)
{
	enum { SIZE = 20, LENGTH = 100, ROUNDS = 20000 };
	struct tally tally = {0};
	struct stream stream;
	size_t i, round;

	(void)state;
	stream_init(&stream, SIZE, 2);
	for (round = 0; round < ROUNDS; round++) {
		reservoir_begin(&stream.reservoir, SIZE, ALL);
		for (i = 0; i < LENGTH; i++)
			stream_take(&stream, i, (uint32_t)(random_next(&stream.ranks) % 3));
		stream_end(&stream);
		assert_int_equal(stream.n, SIZE);
		tally_add(&tally, &stream, LENGTH);
	}
	tally_assert_fair(&tally, "ties");
	stream_deinit(&stream);
}

/* Rows are given out in order, and a displaced call's row is the next one's. */
static void a_stream_that_is_short_is_kept_in_order(void **state)
{
	struct random_state chance = {.state = 1};
	struct reservoir reservoir = {0};
	bool kept[1000];
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		int64_t item;

		reservoir_begin(&reservoir, i ? 1000 : 0, ALL);
		for (item = 0; item < 1000; item++)
			assert_int_equal(reservoir_place(&reservoir,
							 (uint32_t)(random_next(&chance) >> 32),
							 &chance),
					 item);
		assert_int_equal(reservoir_end(&reservoir, kept), 1000);
	}
	reservoir_deinit(&reservoir);
}

static void the_lowest_ranks_are_kept_below_the_least_limit(void **state)
{
	static const uint32_t ranks[] = {70, 10, 60, 20, 50, 30, 40};
	struct random_state chance = {.state = 1};
	struct reservoir reservoir = {0};
	uint32_t rows[3] = {0};
	bool kept[3];
	size_t i;

	(void)state;
	reservoir_begin(&reservoir, 3, ALL);
	for (i = 0; i < 7; i++) {
		const int64_t row = reservoir_place(&reservoir, ranks[i], &chance);

		if (row != RESERVOIR_NOT_KEPT)
			rows[row] = ranks[i];
	}
	for (i = 0; i < 3; i++)
		assert_true(rows[i] <= 30);
	assert_int_equal(rows[0] + rows[1] + rows[2], 60);
	assert_int_equal(reservoir_end(&reservoir, kept), 3);
	reservoir_limit(&reservoir, 30);
	reservoir_limit(&reservoir, ALL);
	assert_int_equal(reservoir_end(&reservoir, kept), 2);
	for (i = 0; i < 3; i++)
		assert_int_equal(kept[i], rows[i] < 30);
	assert_int_equal(reservoir_place(&reservoir, 30, &chance), RESERVOIR_NOT_KEPT);
	reservoir_deinit(&reservoir);
}

/* What is missing is missing; what is there was asked for. */
static void one_of_all_calls_keeps_them_whatever_the_limit(void **state)
{
	struct random_state chance = {.state = 1};
	struct reservoir reservoir = {0};
	bool kept[2] = {false, false};

	(void)state;
	reservoir_begin(&reservoir, 0, ALL);
	assert_int_equal(reservoir_place(&reservoir, 900, &chance), 0);
	reservoir_limit(&reservoir, 100);
	assert_int_equal(reservoir_place(&reservoir, 50, &chance), 1);
	assert_int_equal(reservoir_end(&reservoir, kept), 2);
	assert_true(kept[0] && kept[1]);
}

static void a_reservoir_that_is_closed_early_is_fair_to_all(void **state)
{
	enum { ROUNDS = 20000, SIZE = 6, LENGTH = 60 };
	struct tally tally = {0};
	struct stream stream;
	size_t round, i;

	(void)state;
	stream_init(&stream, SIZE, 11);
	for (round = 0; round < ROUNDS; round++) {
		reservoir_begin(&stream.reservoir, 1000, ALL);
		for (i = 0; i < LENGTH; i++) {
			if (i >= SIZE)
				reservoir_close(&stream.reservoir);
			stream_take(&stream, i, (uint32_t)(random_next(&stream.ranks) >> 32));
		}
		stream_end(&stream);
		assert_int_equal(stream.n, SIZE);
		tally_add(&tally, &stream, LENGTH);
	}
	tally_assert_fair(&tally, "closed");
	stream_deinit(&stream);
}

static void one_that_is_closed_at_once_keeps_one(void **state)
{
	struct random_state chance = {.state = 1};
	struct reservoir reservoir = {0};
	bool kept[1];
	uint32_t rank;

	(void)state;
	reservoir_begin(&reservoir, 100, ALL);
	reservoir_close(&reservoir);
	assert_int_equal(reservoir_place(&reservoir, 1000, &chance), 0);
	for (rank = 999; rank; rank -= 9)
		assert_int_equal(reservoir_place(&reservoir, rank, &chance), 0);
	assert_int_equal(reservoir_place(&reservoir, 1000, &chance), RESERVOIR_NOT_KEPT);
	assert_int_equal(reservoir_end(&reservoir, kept), 1);
	reservoir_deinit(&reservoir);
}

/*
 * The other way: each n-th call, with n by how many calls there were. J. Pavela, 2020, section
 * 7.5: of a function that is new by its level and growth, else by its last run.
 */
static double nth_first(double step, int level, double by_growth)
{
	return pow(step, level) * by_growth;
}

static double nth_next(double nth, double calls, double threshold)
{
	return fabs(calls - threshold) <= threshold / 10 ? nth
							 : fmax(1, round(nth * calls / threshold));
}

/* Each 64th call costs 100, the others 1: the mean is (63 + 100) / 64 = 2.55. */
static double cost_of(size_t call)
{
	return call % 64 == 63 ? 100 : 1;
}

static void calls_in_step_are_seen_as_they_are_and_by_each_nth_call_are_not(void **state)
{
	enum { CALLS = 640000, KEPT = 10000 };
	const size_t nth = (size_t)nth_first(2, 5, 2);
	const double mean = (63 + 100) / 64.0, deviation = 99 * sqrt(63) / 64;
	struct stream stream;
	double least = INFINITY, most = 0, sum = 0;

	(void)state;
	assert_int_equal(nth, 64);
	assert_int_equal(nth_next(100, 20, 10), 200);
	assert_int_equal(nth_next(100, 11000, 10000), 100);
	assert_int_equal(nth_next(nth, CALLS / 64, KEPT), 64); /* it stays so */
	for (size_t first = 0; first < nth; first++) {
		double seen = 0;

		for (size_t i = first; i < CALLS; i += nth)
			seen += cost_of(i) / (CALLS / 64);
		least = fmin(least, seen);
		most = fmax(most, seen);
	}
	/* Wherever it begins it is 39 times too high, or 2.5 times too low. */
	assert_true(fabs(least - 1) < 1e-6 && fabs(most - 100) < 1e-6);
	stream_init(&stream, KEPT, 64);
	reservoir_begin(&stream.reservoir, KEPT, ALL);
	for (size_t i = 0; i < CALLS; i++)
		stream_take(&stream, i, (uint32_t)(random_next(&stream.ranks) >> 32));
	stream_end(&stream);
	for (size_t row = 0; row < KEPT; row++)
		sum += cost_of(stream.kept[row]);
	assert_int_equal(stream.n, KEPT);
	assert_true(fabs(sum / KEPT - mean) < 4 * deviation / sqrt(KEPT));
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_any_rate_every_call_has_the_same_chance),
		cmocka_unit_test(a_limit_that_is_forgotten_would_be_noticed),
		cmocka_unit_test(every_pair_of_positions_has_the_same_chance),
		cmocka_unit_test(equal_ranks_are_chosen_from_by_chance),
		cmocka_unit_test(a_stream_that_is_short_is_kept_in_order),
		cmocka_unit_test(the_lowest_ranks_are_kept_below_the_least_limit),
		cmocka_unit_test(one_of_all_calls_keeps_them_whatever_the_limit),
		cmocka_unit_test(a_reservoir_that_is_closed_early_is_fair_to_all),
		cmocka_unit_test(one_that_is_closed_at_once_keeps_one),
		cmocka_unit_test(calls_in_step_are_seen_as_they_are_and_by_each_nth_call_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
