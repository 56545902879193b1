/*
 * Smooth curves and the test of lack of fit. Noise is uniform in -1 to 1 (standard deviation
 * 0.577), of a fixed seed; the band of a mean of k calls is about 1.13 / sqrt(k).
 */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/smooth.h"

/* They span less than what has its logarithm taken. */
enum { CALLS = 400, FIRST = 11, LAST = FIRST + CALLS - 1 };

struct calls {
	double x[CALLS], y[CALLS];
	struct random_state random;
	struct arena *arena;
};

static double noise(struct calls *calls)
{
	return (double)(random_next(&calls->random) >> 11) * 0x1p-52 - 1;
}

static double line(double x)
{
	return 2 * x;
}

static double wave(double x)
{
	return 100 + 30 * sin(x / 40);
}

static void fill(struct calls *calls, double (*law)(double), double scale)
{
	for (size_t i = 0; i < CALLS; i++) {
		calls->x[i] = FIRST + (double)(i * 37 % CALLS);
		calls->y[i] = law(calls->x[i]) + scale * noise(calls);
	}
}

static void a_line_is_reproduced_within_one_percent(void **state)
{
	struct calls *calls = *state;
	struct smooth curve;
	double at[3];

	fill(calls, line, 0);
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_KERNEL, 40, calls->arena, &curve));
	for (double x = FIRST; x <= LAST; x++) {
		assert_true(smooth_at(&curve, x, at));
		assert_true(fabs(at[0] - 2 * x) <= 0.01 * 2 * x);
	}
}

/* The Nadaraya-Watson estimate, a weighted mean without a slope, of @k calls on either side of @x. */
static double weighted_mean(const struct calls *calls, double x, double k)
{
	double weights = 0, sum = 0;

	for (size_t i = 0; i < CALLS; i++) {
		const double u = fabs(calls->x[i] - x) / k;
		const double weight = u < 1 ? pow(1 - u * u * u, 3) : 0;

		weights += weight;
		sum += weight * calls->y[i];
	}
	return sum / weights;
}

/*
 * Why the curve is made of lines: at an end, where all calls lie on one side, a mean is off by the
 * slope times their mean distance, some 0.31 of the width, which is far more than 1 % of the cost.
 */
static void a_mean_bends_at_the_ends_and_the_curve_does_not(void **state)
{
	enum { WIDTH = 40 };
	const double ends[] = {FIRST, LAST};
	struct calls *calls = *state;
	struct smooth curve;
	double at[3];

	fill(calls, line, 0);
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_KERNEL, 40, calls->arena, &curve));
	for (size_t i = 0; i < 2; i++) {
		const double off = weighted_mean(calls, ends[i], WIDTH) - line(ends[i]);

		assert_true(smooth_at(&curve, ends[i], at));
		assert_true(fabs(off) > 2 * 0.25 * WIDTH && fabs(off) < 2 * 0.37 * WIDTH);
		assert_true(fabs(at[0] - line(ends[i])) < fabs(off) / 100);
	}
	/* In the middle both are right, as the calls are even. */
	assert_true(fabs(weighted_mean(calls, 200, WIDTH) - line(200)) < 1e-9);
}

/* The bias of a twentieth of the calls at a peak of the wave: below 30 * (10 / 40)^2 / 6 = 0.32. */
static void every_kind_follows_a_wave(void **state)
{
	struct calls *calls = *state;
	enum smooth_kind kind;
	struct smooth curve;

	fill(calls, wave, 1);
	for (kind = SMOOTH_KERNEL; kind < SMOOTH_EXPONENTIAL; kind++) {
		assert_true(smooth_fit(calls->x, calls->y, CALLS, kind, 40, calls->arena, &curve));
		for (size_t i = 0; i < curve.n; i++) {
			const double within = kind >= SMOOTH_BINS && kind <= SMOOTH_FD ? 6 : 1.5;

			assert_true(fabs(curve.y[i] - wave(curve.x[i])) < within);
			assert_true(curve.low[i] < curve.y[i] && curve.y[i] < curve.high[i]);
		}
	}
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_EXPONENTIAL, 40, calls->arena,
			       &curve));
	/* It is late by about ten calls, in which the wave rises by at most 30 / 40 each. */
	for (size_t i = 0; i < curve.n; i++)
		assert_true(fabs(curve.y[i] - wave(curve.x[i])) < 10 * 0.75 + 1);
}

/*
 * With even x there is no skew, and Doane's rule is Sturges's: 1 + log2(400) = 9.6. The cube root
 * of 400 is 7.37, the deviation 115.5, the quartiles are 200 apart: 2 * 7.37, sqrt(400),
 * 399 * 7.37 / (3.49 * 115.5) = 7.3 and 399 * 7.37 / (2 * 200) = 7.35.
 */
static void bins_are_as_many_as_their_rule_has(void **state)
{
	static const size_t counts[] = {10, 10, 15, 20, 7, 7};
	struct calls *calls = *state;
	struct smooth curve;

	fill(calls, line, 1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_BINS + i, 0, calls->arena,
				       &curve));
		assert_int_equal(curve.n, counts[i]);
	}
	/* Where most calls have one value the quartiles are one: as many as there may be. */
	for (size_t i = 0; i < CALLS; i++)
		calls->x[i] = i < 380 ? 50 : 50 + (double)i;
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_FD, 0, calls->arena, &curve));
	assert_in_range(curve.n, 2, SMOOTH_POINTS_MAX);
}

static void beyond_what_was_seen_nothing_is_said(void **state)
{
	struct calls *calls = *state;
	struct smooth curve;
	double at[3];

	fill(calls, line, 1);
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_KERNEL, 40, calls->arena, &curve));
	assert_true(smooth_at(&curve, FIRST, at) && smooth_at(&curve, LAST, at));
	assert_false(smooth_at(&curve, FIRST - 0.1, at));
	assert_false(smooth_at(&curve, LAST + 0.1, at));
	assert_false(smooth_fit(calls->x, calls->y, 11, SMOOTH_KERNEL, 40, calls->arena, &curve));
	for (size_t i = 0; i < CALLS; i++)
		calls->x[i] = 5;
	assert_false(
		smooth_fit(calls->x, calls->y, CALLS, SMOOTH_KERNEL, 40, calls->arena, &curve));
}

/* At a level of 1 %, more than 6 of 100 are by chance in one of 3,000 tries. */
static void a_right_formula_is_hardly_ever_found_wrong(void **state)
{
	struct calls *calls = *state;
	struct smooth_misfit misfit;
	unsigned wrong = 0;

	for (unsigned i = 0; i < 100; i++) {
		for (size_t k = 0; k < CALLS; k++) {
			calls->x[k] = (double)(k % 100);
			/* skewed, and wider where x is large, as costs are */
			calls->y[k] = pow(1 + noise(calls), 3) * (1 + calls->x[k] / 50);
			calls->y[k] -= 2 * (1 + calls->x[k] / 50); /* the mean of (1 + u)^3 */
		}
		wrong += smooth_find_misfit(calls->x, calls->y, CALLS, &misfit);
	}
	assert_in_range(wrong, 0, 6);
}

static void where_a_formula_is_wrong_is_said(void **state)
{
	struct calls *calls = *state;
	struct smooth_misfit misfit;

	for (size_t i = 0; i < CALLS; i++) {
		calls->x[i] = (double)i;
		calls->y[i] = noise(calls) + (i >= 150 && i < 250 ? 1 : 0);
	}
	assert_true(smooth_find_misfit(calls->x, calls->y, CALLS, &misfit));
	/* Places are 13 calls apart, and a neighbourhood has 66. */
	assert_true(misfit.low > 150 - 66 && misfit.low < 200);
	assert_true(misfit.high > 200 && misfit.high < 250 + 66);
	assert_true(misfit.probability <= 0.01);
}

static void what_is_printed_is_read(void **state)
{
	struct calls *calls = *state;
	struct smooth curve, back;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill(calls, wave, 1);
	assert_true(smooth_fit(calls->x, calls->y, CALLS, SMOOTH_MEDIAN, 40, calls->arena, &curve));
	curve.over = "v->size() - at[0], in all";
	smooth_print(&curve, out);
	fclose(out);
	assert_true(smooth_read(text, calls->arena, &back));
	assert_int_equal(back.kind, SMOOTH_MEDIAN);
	assert_int_equal(back.n, curve.n);
	assert_string_equal(back.over, curve.over);
	for (size_t i = 0; i < back.n; i++)
		assert_true(fabs(back.high[i] - curve.high[i]) < 0.001 * curve.high[i]);
	for (size_t cut = 0; cut < strlen(text) - strlen(curve.over); cut++)
		assert_false(smooth_read(arena_printf(calls->arena, "%.*s", (int)cut, text),
					 calls->arena, &back));
	free(text);
}

static int begin(void **state)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	calls->arena = arena_create();
	calls->random.state = 27;
	*state = calls;
	return 0;
}

static int end(void **state)
{
	struct calls *calls = *state;

	arena_destroy(calls->arena);
	free(calls);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_line_is_reproduced_within_one_percent, begin,
						end),
		cmocka_unit_test_setup_teardown(a_mean_bends_at_the_ends_and_the_curve_does_not,
						begin, end),
		cmocka_unit_test_setup_teardown(every_kind_follows_a_wave, begin, end),
		cmocka_unit_test_setup_teardown(bins_are_as_many_as_their_rule_has, begin, end),
		cmocka_unit_test_setup_teardown(beyond_what_was_seen_nothing_is_said, begin, end),
		cmocka_unit_test_setup_teardown(a_right_formula_is_hardly_ever_found_wrong, begin,
						end),
		cmocka_unit_test_setup_teardown(where_a_formula_is_wrong_is_said, begin, end),
		cmocka_unit_test_setup_teardown(what_is_printed_is_read, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
