/*
 * Robust fits: Student's t regression against a maximum of its likelihood that R's optim() finds,
 * and what the spread of the noise becomes.
 *
 * Iterations end when the deviance of n rows changes by less than 1e-6 n. They converge like the
 * part of the information that the t distribution's hidden weights take, 3 / 7, so the deviance
 * is within 1e-6 n of its minimum; a coefficient whose deviance is so much off is off by
 * sqrt(1e-6 n) standard errors, 0.7 % for the 50 rows here. The scale is refined by eight steps
 * from the median residual: (3 / 7)^8 of its first error, 0.1 %.
 */
#include "numbers.h"

#include <stdlib.h>

#include "model/regression/robust.h"
#include "textbook_data.h"

enum { MOST = 200 };

struct line {
	double ones[MOST], x[MOST], y[MOST];
	struct lsq_design design;
	struct lsq *lsq;
	struct robust *robust;
};

static struct line *line_create(size_t n)
{
	struct line *line = calloc(1, sizeof(*line));
	size_t i;

	line->design =
		(struct lsq_design){.n = n, .p = 2, .columns = {line->ones, line->x}, .y = line->y};
	for (i = 0; i < n; i++)
		line->ones[i] = 1;
	line->lsq = lsq_create();
	line->robust = robust_create(n);
	return line;
}

static void line_destroy(struct line *line)
{
	lsq_destroy(line->lsq);
	robust_destroy(line->robust);
	free(line);
}

static struct line *line_of_cars(void)
{
	struct line *line = line_create(CARS_ROWS);
	size_t i;

	for (i = 0; i < CARS_ROWS; i++) {
		line->x[i] = cars_speed[i] / 25;
		line->y[i] = cars_dist[i] / 120;
	}
	return line;
}

/*
 * R: x <- cars$speed / 25; y <- cars$dist / 120
 * f <- function(p) { r <- (y - p[1] - p[2] * x) / exp(p[3]); sum(2 * p[3] + 5 * log1p(r^2 / 4)) }
 * o <- optim(c(-.14, .8, -2), f, method = "BFGS", control = list(reltol = 1e-16)); o$par; o$value
 * The standard errors of the coefficients are 0.055 and 0.094 (test_standard_errors.c).
 */
static void a_line_is_the_likeliest_of_students_t(void **state)
{
	struct line *line = line_of_cars();
	struct lsq_solution solution;

	(void)state;
	assert_true(robust_fit(line->robust, line->lsq, &line->design, NULL, &solution));
	assert_near(solution.coefficients[0], -0.131285648080, 0.007 * 0.055);
	assert_near(solution.coefficients[1], 0.765914115098, 0.007 * 0.094);
	assert_near_part(line->robust->scale, 0.095214694928, 1e-3);
	assert_near(line->robust->deviance, -165.835469910882, 1e-6 * CARS_ROWS);
	assert_near(line->robust->residual[48], 1 - 24. / 25 * 0.765914 + 0.131286, 0.002);
	line_destroy(line);
}

/* The same of the constant alone; its deviance is what that of the line is compared with. */
static void a_constant_is_the_likeliest_of_students_t(void **state)
{
	struct line *line = line_of_cars();
	struct lsq_solution solution;

	(void)state;
	line->design.p = 1;
	assert_true(robust_fit(line->robust, line->lsq, &line->design, NULL, &solution));
	assert_near(solution.coefficients[0], 0.33098288847827895, 0.007 * 0.03);
	assert_near_part(line->robust->scale, 0.17302898188993823, 1e-3);
	assert_near(line->robust->deviance, -109.49590627798347, 1e-6 * CARS_ROWS);
	line_destroy(line);
}

/*
 * Of residuals that are all s or -s the scale is s: the mean of 5 s^2 / (4 + s^2 / s^2) is s^2.
 * So -2 log likelihood is 2 n log s + 5 n log(5 / 4).
 */
static void residuals_of_one_size_have_that_scale(void **state)
{
	struct line *line = line_create(10);
	const struct lsq_solution solution = {.coefficients = {1, 2}};
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++) {
		line->x[i] = i;
		line->y[i] = 1 + 2 * (double)i + (i % 2 ? 0.5 : -0.5);
		line->robust->spread[i] = 1;
	}
	robust_judge(line->robust, &line->design, &solution);
	assert_near(line->robust->fitted[3], 7, 1e-14);
	assert_near(line->robust->residual[3], 0.5, 1e-14);
	/* From 1.4826 s, in eight steps that shrink the error to less than a half each. */
	assert_near(line->robust->scale, 0.5, 0.5 * 0.4826 / 256);
	assert_near(line->robust->deviance, 20 * log(0.5) + 50 * log(1.25), 1e-4);
	line_destroy(line);
}

/* Where a spread is twice as wide, twice the residual is as likely, but for the density's width. */
static void residuals_count_over_their_spread(void **state)
{
	struct line *line = line_create(10);
	const struct lsq_solution solution = {.coefficients = {1, 2}};
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++) {
		line->robust->spread[i] = i < 5 ? 1 : 2;
		line->y[i] = 1 + (i % 2 ? 0.5 : -0.5) * line->robust->spread[i];
	}
	robust_judge(line->robust, &line->design, &solution);
	assert_near(line->robust->scale, 0.5, 0.5 * 0.4826 / 256);
	assert_near(line->robust->deviance, 20 * log(0.5) + 10 * log(2) + 50 * log(1.25), 1e-4);
	line_destroy(line);
}

/*
 * The standard errors are 0.029 and 0.060.
 * R: f <- function(p) { r <- (y - p[1] - p[2] * x) / exp(p[3]) / x
 *      sum(2 * p[3] + 2 * log(x) + 5 * log1p(r^2 / 4)) }
 *    o <- optim(c(-.14, .8, -2), f, method = "BFGS", control = list(reltol = 1e-16))
 *    sqrt(diag(solve(optimHess(o$par, f) / 2)))
 */
static void a_refinement_keeps_the_spread(void **state)
{
	struct line *line = line_of_cars();
	struct lsq_solution solution;
	size_t i;

	(void)state;
	for (i = 0; i < CARS_ROWS; i++) {
		line->robust->spread[i] = line->x[i];
		line->robust->weights[i] = 1 / line->x[i];
	}
	assert_true(robust_refine(line->robust, line->lsq, &line->design, 20, &solution));
	assert_near(solution.coefficients[0], -0.0842571148213064, 0.007 * 0.029);
	assert_near(solution.coefficients[1], 0.6837227907461243, 0.007 * 0.060);
	assert_near_part(line->robust->scale, 0.1626114383343081, 1e-3);
	assert_near(line->robust->deviance, -170.5546096985512747, 1e-6 * CARS_ROWS);
	line_destroy(line);
}

/*
 * 20 of 200 calls cost ten times the dearest: the line of the others is found to a tenth of their
 * noise.
 */
static void wild_calls_do_not_move_the_line(void **state)
{
	struct line *line = line_create(200);
	struct lsq_solution solution;
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		line->x[i] = (i + 1) / 200.;
		line->y[i] = (1 + 2 * line->x[i] + (i % 2 ? 0.1 : -0.1) + (i % 10 ? 0 : 30)) / 33;
	}
	assert_true(robust_fit(line->robust, line->lsq, &line->design, NULL, &solution));
	/*
	 * Plain least squares is off by 3 of 33. A tenth of all rows pull with a weight of 5 s /
	 * r.
	 */
	assert_near(solution.coefficients[0] * 33, 1, 0.02);
	assert_near(solution.coefficients[1] * 33, 2, 0.02);
	line_destroy(line);
}

static void assert_spread(double noise_even, double noise_relative, double phi)
{
	struct line *line = line_create(200);
	struct lsq_solution solution;
	double typical;
	size_t i;

	for (i = 0; i < 200; i++) {
		/* Three sizes of noise, which have nothing to do with the place. */
		const double noise = (i % 3 - 1.0) * (i % 7 < 3 ? 1 : 0.4);
		double mean;

		line->x[i] = (i + 1) / 200.;
		mean = line->x[i];
		line->y[i] = mean + noise * (noise_even + noise_relative * mean);
	}
	assert_true(robust_fit(line->robust, line->lsq, &line->design, line->x, &solution));
	typical = (line->robust->level[99] + line->robust->level[100]) / 2;
	for (i = 0; i < 200; i++)
		assert_near(line->robust->spread[i],
			    isfinite(phi) ? hypot(line->robust->level[i], phi * typical) : 1, 1e-6);
	assert_near(solution.coefficients[1], 1, 0.02);
	line_destroy(line);
}

/*
 * The median of rows that rise evenly is the one in the middle; the level is a line between
 * those.
 */
static void the_level_is_the_running_median(void **state)
{
	struct line *line = line_create(200);
	struct lsq_solution solution;
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		line->x[i] = (i * 37 % 200 + 1) / 200.;
		line->y[i] = line->x[i] + (i % 25 == 3 ? 5 : 0);
	}
	assert_true(robust_fit(line->robust, line->lsq, &line->design, line->x, &solution));
	/* 13 bins of 15: a wild row moves a median by a place; what lies between two moves less. */
	for (i = 0; i < 200; i++)
		if (line->x[i] > 0.05 && line->x[i] < 0.95)
			assert_near(line->robust->level[i], line->x[i], 1.0 / 200 + 1e-12);
	line_destroy(line);
}

static void the_spread_follows_the_noise(void **state)
{
	(void)state;
	assert_spread(0.05, 0, INFINITY);
	assert_spread(0, 0.1, 0.03);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_the_likeliest_of_students_t),
		cmocka_unit_test(a_constant_is_the_likeliest_of_students_t),
		cmocka_unit_test(residuals_of_one_size_have_that_scale),
		cmocka_unit_test(residuals_count_over_their_spread),
		cmocka_unit_test(a_refinement_keeps_the_spread),
		cmocka_unit_test(wild_calls_do_not_move_the_line),
		cmocka_unit_test(the_level_is_the_running_median),
		cmocka_unit_test(the_spread_follows_the_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
