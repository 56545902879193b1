/*
 * What a fit is worth (fit_quality.c, refit.c): R2, cross-validation, and standard errors by the
 * sandwich HC3, as R's matrices give them. Plain results are as good as rounding, 1e-9 being far
 * above it.
 *
 * R: x <- cbind(1, cars$speed); y <- cars$dist; m <- lm(y ~ x - 1); r <- resid(m)
 *    h <- hatvalues(m); B <- solve(crossprod(x))
 *    V <- B %*% crossprod(x * (r / (1 - h))) %*% B; sqrt(diag(V))
 */
#include "numbers.h"

#include <stdlib.h>

#include "model/regression/fit_quality.h"
#include "model/compare/refit.h"
#include "textbook_data.h"

static double ones[CARS_ROWS];

static int fill_ones(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < CARS_ROWS; i++)
		ones[i] = 1;
	return 0;
}

static bool refit_cars(bool plain, struct refit *ret)
{
	const struct refit_rows rows = {.n = CARS_ROWS,
					.p = 2,
					.columns = {ones, cars_speed},
					.y = cars_dist,
					.plain = plain};

	return refit_terms(&rows, ret);
}

/* R: e <- 35.9323325652 independent rows (test_series.c); sqrt(diag(V) * 50 / e) */
static void a_plain_refit_has_the_errors_of_hc3(void **state)
{
	static const double at[] = {1, 15}, to[] = {1, 25};
	struct refit refit;
	double error;

	(void)state;
	assert_true(refit_cars(true, &refit));
	assert_near_part(refit.coefficients[0], -17.5790948905109, 1e-9);
	assert_near_part(refit.coefficients[1], 3.93240875912409, 1e-9);
	assert_near_part(refit.std_errors[0], 6.99727656463, 1e-9);
	assert_near_part(refit.std_errors[1], 0.504331651489, 1e-9);
	assert_near_part(refit.freedom, 33.9323325652, 1e-9);
	assert_near_part(refit.r2, 0.651079380758, 1e-9);
	assert_near_part(refit_value(&refit, at, &error), 41.4070364964, 1e-9);
	assert_near_part(error, 2.53475890766, 1e-9);
	assert_near_part(refit_step_error(&refit, at, to), 5.04331651489, 1e-9);
}

/*
 * With z the residuals of test_robust.c's fit over its scale and w <- 5 / (4 + z^2), the x and r
 * above are x * sqrt(w) and r * sqrt(w). The correction is 1.40446, the rows are 37.4847631465.
 * R: sqrt(diag(V) * 50 / 37.4847631465) *
 *      sum(5 / (4 + z^2)) / sum(5 * (4 - z^2) / (4 + z^2)^2)
 * The fit's own iterations stop 0.7 % of an error away from the maximum, so weights differ by as
 * much of their part: 1 %.
 */
static void a_robust_refit_has_the_errors_of_its_weights(void **state)
{
	struct refit refit;

	(void)state;
	assert_true(refit_cars(false, &refit));
	assert_near(refit.coefficients[0], -15.75427776961, 0.007 * 6.56);
	assert_near(refit.coefficients[1], 3.67638775247, 0.007 * 0.451);
	assert_near_part(refit.std_errors[0], 6.56022341398, 0.01);
	assert_near_part(refit.std_errors[1], 0.451085406117, 0.01);
	assert_near_part(refit.freedom, 35.4847631465, 0.01);
	assert_near_part(refit.r2, 0.641427098248, 0.001);
}

/* The rows of a plain fit of cars, in parts of the largest. */
struct cars {
	double speed[CARS_ROWS], dist[CARS_ROWS];
	struct fit_rows rows;
	struct fit fit;
};

static struct cars *cars_create(void)
{
	struct cars *cars = calloc(1, sizeof(*cars));
	struct lsq_solution solution;
	size_t i;

	cars->rows.design = (struct lsq_design){
		.n = CARS_ROWS, .p = 2, .columns = {ones, cars->speed}, .y = cars->dist};
	cars->rows.y = cars->dist;
	cars->rows.lsq = lsq_create();
	cars->rows.robust = robust_create(CARS_ROWS);
	cars->fit.n_terms = 2;
	for (i = 0; i < CARS_ROWS; i++) {
		cars->speed[i] = cars_speed[i] / 25;
		cars->dist[i] = cars_dist[i] / 120;
		cars->rows.robust->weights[i] = cars->rows.robust->spread[i] = 1;
	}
	assert_true(
		robust_refine(cars->rows.robust, cars->rows.lsq, &cars->rows.design, 1, &solution));
	return cars;
}

static void cars_destroy(struct cars *cars)
{
	lsq_destroy(cars->rows.lsq);
	robust_destroy(cars->rows.robust);
	free(cars);
}

/*
 * R, in those parts: the errors above times sum(5 / (4 + z^2)) / sum(5 * (4 - z^2) / (4 +
 * z^2)^2), z <- r / 0.1; that is 1.4193
 */
static void errors_are_corrected_for_the_weights(void **state)
{
	struct cars *cars = cars_create();

	(void)state;
	cars->rows.robust->scale = 0.1;
	fit_quality_measure(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.std_errors[0], 0.070158331643743521, 1e-9);
	assert_near_part(cars->fit.std_errors[1], 0.126417281555279898, 1e-9);
	/*
	 * Where nothing is far the weights do not follow the residuals; where much is (2.4 by the
	 * formula), the correction ends at 2.
	 */
	cars->rows.robust->scale = 1e6;
	fit_quality_measure(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.std_errors[1], 0.089070253994186929, 1e-9);
	cars->rows.robust->scale = 0.04;
	fit_quality_measure(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.std_errors[1], 2 * 0.089070253994186929, 1e-9);
	cars_destroy(cars);
}

/*
 * R: m <- lm(y ~ cars$speed); summary(m)$r.squared; summary(m)$sigma; f <- fitted(m)
 *    rho <- cor(rank(cars$speed), rank(y)); pt(rho * sqrt(48 / (1 - rho^2)), 48, lower = FALSE)
 *    p <- sort((f - mean(f))^2, decreasing = TRUE); which(cumsum(p) >= .8 * sum(p))[1]
 */
static void r2_deviation_and_ranks_are_those_of_r(void **state)
{
	struct cars *cars = cars_create();

	(void)state;
	fit_quality_measure(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.r2, 0.65107938075825089, 1e-9);
	assert_near_part(cars->fit.deviation, 0.12816322290683257, 1e-9);
	assert_near_part(cars->fit.rank_p, 4.412279218809954e-14, 1e-6);
	assert_int_equal(cars->fit.n_deciding, 18);
	cars_destroy(cars);
}

/*
 * R: e <- y; for (k in 0:9) { i <- seq(k + 1, 50, 10)
 *      b <- coef(lm(y[-i] ~ x[-i, ] - 1)); e[i] <- y[i] - x[i, ] %*% b }
 *    1 - sum(e^2) / sum((y - mean(y))^2); median(abs(e / y))
 */
static void folds_are_predicted_by_the_other_rows(void **state)
{
	struct cars *cars = cars_create();

	(void)state;
	fit_quality_measure(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.cv_r2, 0.63892444266637338, 1e-9);
	assert_near_part(cars->fit.error, 0.27500338791784662, 1e-9);
	cars_destroy(cars);
}

/* R: mean(y); sd(y); sd(y) / sqrt(50); and the median of abs(e / y) by ten means in the same way */
static void a_constant_is_the_mean(void **state)
{
	struct cars *cars = cars_create();

	(void)state;
	cars->rows.design.p = cars->fit.n_terms = 1;
	fit_quality_measure_constant(&cars->rows, &cars->fit);
	assert_near_part(cars->fit.coefficients[0], 0.35816666666666669, 1e-9);
	assert_near_part(cars->fit.deviation, 0.21474481243354909, 1e-9);
	assert_near_part(cars->fit.std_errors[0], 0.030369502619279155, 1e-9);
	assert_near_part(cars->fit.error, 0.40773133814929474, 1e-9);
	assert_true(isnan(cars->fit.r2) && isnan(cars->fit.cv_r2));
	cars_destroy(cars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_refit_has_the_errors_of_hc3),
		cmocka_unit_test(a_robust_refit_has_the_errors_of_its_weights),
		cmocka_unit_test(errors_are_corrected_for_the_weights),
		cmocka_unit_test(r2_deviation_and_ranks_are_those_of_r),
		cmocka_unit_test(folds_are_predicted_by_the_other_rows),
		cmocka_unit_test(a_constant_is_the_mean),
	};

	return cmocka_run_group_tests(tests, fill_ones, NULL);
}
