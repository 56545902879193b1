/*
 * Kernel densities: the bandwidth against a solution of the same equations by plain sums in R,
 * the estimates against sums of kernels, and humps of those.
 */
#include "numbers.h"

#include "model/density/density_modes.h"
#include "model/density/kde.h"
#include "textbook_data.h"

/*
 * The middle of the @i-th of @n equal parts of the exponential distribution. R: qexp(ppoints(n, a
 * = .5))
 */
static double exponential_at(size_t i, size_t n)
{
	return -log1p(-(i + 0.5) / n);
}

static double normal_kernel(double z)
{
	return exp(-0.5 * z * z) / sqrt(2 * M_PI);
}

/*
 * Botev's equations have their solution between two tries, which are 4^(1/32) apart, and the
 * upper one is taken.
 * R: n <- length(x); N <- length(unique(x)); d <- outer(x, x, "-")
 *    hermite <- function(z, k) if (k < 2) z^k else
 *      z * hermite(z, k - 1) - (k - 1) * hermite(z, k - 2)
 *    phi <- function(v, k) hermite(d / sqrt(v), k) * dnorm(d, sd = sqrt(v)) / v^(k / 2)
 *    norm2 <- function(s, t) (-1)^s * sum(phi(2 * t, 2 * s)) / n^2
 *    odd <- function(s) prod(seq(1, 2 * s - 1, 2)) * (1 + .5^(s + .5)) / 3 * 2 / sqrt(2 * pi)
 *    plug <- function(t) { f <- norm2(7, t)
 *      for (s in 6:2) f <- norm2(s, (odd(s) / (N * f))^(2 / (3 + 2 * s)))
 *      (2 * N * sqrt(pi) * f)^(-.4) }
 *    thumb <- .9 * min(sd(x), diff(quantile(x, c(.25, .75))) / 1.349) * n^-.2
 *    h <- .3 * thumb * 4^((0:32) / 32); h[sapply(h, function(h) plug(h^2) <= h^2)][1]
 */
static void the_bandwidth_is_botevs(void **state)
{
	struct kde kde;
	double x[100];
	size_t i;

	(void)state;
	kde_estimate(faithful_eruptions, FAITHFUL_ROWS, 126, &kde);
	assert_near_part(kde.bandwidth, 0.184195136505303, 1e-9);
	for (i = 0; i < 100; i++)
		x[i] = exponential_at(i, 100);
	kde_estimate(x, 100, 100, &kde);
	assert_near_part(kde.bandwidth, 0.214815524000603, 1e-9);
}

/*
 * Numbers are shared between two cells, a step apart: as if each kernel had a chord of that
 * length in place of its curve, which is off by step^2 / 8 times the second derivative, at most
 * 0.4 / h^3.
 */
static void the_first_estimate_is_a_sum_of_kernels(void **state)
{
	struct kde kde;
	size_t cell, i;
	double chord;

	(void)state;
	kde_estimate(faithful_eruptions, FAITHFUL_ROWS, 126, &kde);
	assert_near(kde.low, 1.6, 0);
	assert_near(kde.step, 3.5 / (KDE_GRID - 1), 1e-15);
	chord = kde.step * kde.step * kde.step / 8 * 0.4 / pow(kde.bandwidth, 3);
	for (cell = 0; cell < KDE_GRID; cell += 97) {
		const double at = kde.low + cell * kde.step;
		double sum = 0;

		for (i = 0; i < FAITHFUL_ROWS; i++)
			sum += normal_kernel((at - faithful_eruptions[i]) / kde.bandwidth);
		assert_near(kde.even[cell], sum / FAITHFUL_ROWS / kde.bandwidth * kde.step, chord);
	}
}

/* The logarithm of the first estimate at a number, between cells. */
static double log_even(const struct kde *kde, double x)
{
	const double at = (x - kde->low) / kde->step;
	const size_t cell = fmin(at, KDE_GRID - 2);

	return log(kde->even[cell] + (at - cell) * (kde->even[cell + 1] - kde->even[cell]));
}

/*
 * Kernels as wide as Abramson says. Widths between two classes, half an octave apart, are shared
 * between the classes: linear interpolation in the logarithm of the width, which is off by
 * (log(2) / 2)^2 / 8 times the second derivative of a kernel by it, at most 1.1 times its top;
 * 1.7 % of the mean top.
 */
static void assert_abramson(const double *x, size_t n, size_t distinct)
{
	double width[FAITHFUL_ROWS], mean = 0, top = 0;
	struct kde kde;
	size_t cell, i;

	kde_estimate(x, n, distinct, &kde);
	for (i = 0; i < n; i++)
		mean += log_even(&kde, x[i]) / n;
	for (i = 0; i < n; i++) {
		width[i] = kde.bandwidth * fmax(exp(0.5 * (mean - log_even(&kde, x[i]))), 0.5);
		top += normal_kernel(0) / width[i] / n * kde.step;
	}
	for (cell = 0; cell < KDE_GRID; cell += 97) {
		const double at = kde.low + cell * kde.step;
		double sum = 0;

		for (i = 0; i < n; i++)
			sum += normal_kernel((at - x[i]) / width[i]) / width[i];
		assert_near(kde.density[cell], sum / n * kde.step, 0.017 * top);
	}
}

/* The squares are so dense near 0 that kernels are narrower there by half, which is the least. */
static void the_second_estimate_has_wider_kernels_where_numbers_are_sparse(void **state)
{
	double squares[100];
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		squares[i] = pow(exponential_at(i, 100), 2);
	assert_abramson(faithful_eruptions, FAITHFUL_ROWS, 126);
	assert_abramson(squares, 100, 100);
}

static void symmetric_numbers_have_a_symmetric_density(void **state)
{
	static const double x[] = {-9, -5, -4, -3.5, -1, 1, 3.5, 4, 5, 9};
	struct kde kde;
	double sum = 0, inside = 0;
	size_t i;

	(void)state;
	kde_estimate(x, 10, 10, &kde);
	for (i = 0; i < KDE_GRID; i++) {
		assert_near(kde.density[i], kde.density[KDE_GRID - 1 - i], 1e-12);
		assert_near(kde.even[i], kde.even[KDE_GRID - 1 - i], 1e-12);
		sum += kde.even[i];
	}
	for (i = 0; i < 10; i++)
		inside += (erf((9 - x[i]) / kde.bandwidth / sqrt(2)) -
			   erf((-9 - x[i]) / kde.bandwidth / sqrt(2))) /
			  20;
	/* The cells at the ends reach beyond them by a half. */
	assert_near(sum, inside, kde.even[0]);
}

/* R: sum(faithful$eruptions < 3) is 97, and no eruption takes from 2.9 to 3.067 minutes. */
static void old_faithful_has_two_humps(void **state)
{
	struct density_view view = {.z = faithful_eruptions, .n = FAITHFUL_ROWS};
	struct density_modes humps;

	(void)state;
	kde_estimate(view.z, view.n, 126, &view.kde);
	density_modes_find(&view, 8, &humps);
	assert_int_equal(humps.n, 2);
	assert_int_equal(humps.of[0].begin, 0);
	assert_int_equal(humps.of[1].begin, 97);
	assert_near(density_modes_place(&view, humps.of[0].top), 1.9, 0.1);
	assert_near(density_modes_place(&view, humps.of[1].bottom), 3, 0.1);
	assert_near(density_modes_place(&view, humps.of[1].top), 4.4, 0.15);
	density_modes_find(&view, 1, &humps);
	assert_int_equal(humps.n, 1);
	assert_near(density_modes_place(&view, humps.of[0].top), 4.4, 0.15);
}

/*
 * Two thirds of the numbers are spread evenly, one third in a bunch of @n beyond a gap as wide as
 * they are.
 */
static unsigned count_humps(size_t n, double from)
{
	double x[100];
	struct density_view view = {.z = x, .n = 60 + n};
	struct density_modes humps;
	size_t i;

	for (i = 0; i < 60; i++)
		x[i] = i;
	for (; i < 60 + n; i++)
		x[i] = from + (i - 60.0);
	kde_estimate(x, view.n, view.n, &view.kde);
	density_modes_find(&view, 8, &humps);
	return humps.n;
}

static void a_few_numbers_or_a_narrow_gap_are_no_hump(void **state)
{
	(void)state;
	assert_int_equal(count_humps(30, 120), 2);
	assert_int_equal(count_humps(30, 60), 1);
	assert_int_equal(count_humps(2, 120), 1);
}

/*
 * A density of two plateaus of 1000 cells with a dip of 48, and @k numbers on each, evenly, and
 * @low in the dip.
 */
static unsigned count_plateaus(size_t k, size_t low)
{
	static struct density_view view;
	double z[1000];
	struct density_modes humps;
	size_t i;

	view = (struct density_view){.z = z, .n = 2 * k + low, .kde = {.low = 0, .step = 1}};
	for (i = 0; i < KDE_GRID; i++)
		view.kde.density[i] = view.kde.even[i] = i < 1000 || i >= 1048 ? 1 : 0.1;
	for (i = 0; i < k; i++) {
		z[i] = 1000 * (i + 0.5) / k - 0.5;
		z[k + low + i] = 1048 + z[i];
	}
	for (i = 0; i < low; i++)
		z[k + i] = 1000 + 48 * (i + 0.5) / low - 0.5;
	density_modes_find(&view, 8, &humps);
	if (humps.n == 2)
		assert_int_equal(humps.of[1].begin, k);
	return humps.n;
}

/*
 * That the dip is one by chance is judged by k numbers in 1000 cells and l in 48, as log
 * likelihood. Two normal distributions are none. It is 8.95 and 9.002 of 191 and 192 and no number
 * in the dip, 8.99 and 9.02 of 366 and 367 and three.
 * R: p <- 1000 / 1048; times <- function(k, e) if (k) k * log(k / e) else 0
 *    f <- function(k, l) times(k, (k + l) * p) + times(l, (k + l) * (1 - p))
 */
static void a_dip_is_a_border_if_it_is_improbable(void **state)
{
	(void)state;
	assert_int_equal(count_plateaus(191, 0), 1);
	assert_int_equal(count_plateaus(192, 0), 2);
	assert_int_equal(count_plateaus(366, 3), 1);
	assert_int_equal(count_plateaus(367, 3), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bandwidth_is_botevs),
		cmocka_unit_test(the_first_estimate_is_a_sum_of_kernels),
		cmocka_unit_test(the_second_estimate_has_wider_kernels_where_numbers_are_sparse),
		cmocka_unit_test(symmetric_numbers_have_a_symmetric_density),
		cmocka_unit_test(old_faithful_has_two_humps),
		cmocka_unit_test(a_dip_is_a_border_if_it_is_improbable),
		cmocka_unit_test(a_few_numbers_or_a_narrow_gap_are_no_hump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
