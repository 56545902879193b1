/*
 * Candidates and the final fit: scores against R's likelihoods, coefficients against residuals
 * that are made orthogonal, and what is correlated with what.
 */
#include "numbers.h"

#include "model_table.h"

#include "model/data/dataset.h"
#include "model/regression/fit.h"
#include "model/regression/feature_selection.h"
#include "model/regression/correlation_screen.h"
#include "textbook_data.h"

/*
 * A residual of row @i: four of them in turn, equal in size, have nothing in common with a
 * constant or a line.
 */
static double orthogonal(size_t i)
{
	return i % 4 == 0 || i % 4 == 3 ? 1 : -1;
}

/*
 * Each call is a run of its own, or the first few would be cold ones, which no model is chosen
 * by.
 */
static void add_run(struct table *table)
{
	const struct sample_key key = {.id = table->samples->n_rows + 1,
				       .run = table->samples->n_rows + 1};

	samples_append(table->samples, &key, table->cells);
}

/* Every third car: as few rows have the same spread everywhere. */
static struct dataset *some_cars(struct table *table, double more)
{
	size_t i;

	table_init(table, 1);
	add_feature(table, "speed", FEATURE_INT, 0);
	for (i = 1; i < CARS_ROWS; i += 3) {
		set(table, 0, cars_dist[i] + more);
		set(table, 1, cars_speed[i]);
		add_run(table);
	}
	return dataset_create(table->samples, METRIC_TIME);
}

/*
 * -2 log likelihood of y ~ x * log(x) - 1, where residuals are Student's t, less that of y ~ 1 is
 * -22.93375, and that growth must earn 3.17 of it; of y ~ x - 1 it is -19.58275; of y ~ x, which
 * has one term more, -21.99922 + log(17).
 * R: i <- seq(2, 50, 3); x <- cars$speed[i]; y <- cars$dist[i] / 92; by optim() as in
 * test_robust.c.
 * The weights by which terms are chosen are those of a larger model, so that the coefficients may
 * be off by a part of their errors: 0.3 is what a shift by 0.55 errors costs. A wrong sign or
 * factor of the penalty is 1.4 and more.
 */
static void a_score_is_a_difference_of_bic(void **state)
{
	struct candidate candidate;
	struct chooser *chooser;
	struct table table;
	struct dataset *data = some_cars(&table, 0);
	const size_t first = 0;

	(void)state;
	chooser = candidate_chooser_create(data);
	assert_true(candidate_chooser_rows(chooser) == 17);
	assert_true(candidate_evaluate(chooser, &first, 1, false, &candidate));
	assert_int_equal(basis_growth(&candidate.basis, candidate.mask), GROWTH_NLOGN);
	assert_false(candidate.mask & 1);
	assert_true(candidate.score >= -22.93375 + 3.17 - 1e-4);
	assert_near(candidate.score, -22.93375 + 3.17, 0.3);
	candidate_chooser_destroy(chooser);
	dataset_destroy(data);
	table_deinit(&table);
}

/*
 * The same with 100 feet more, which only a constant explains: -21.99922 + log(17), whatever the
 * cost is divided by.
 */
static void a_term_more_costs_the_logarithm_of_the_rows(void **state)
{
	struct candidate candidate;
	struct chooser *chooser;
	struct table table;
	struct dataset *data = some_cars(&table, 100);
	const size_t first = 0;

	(void)state;
	chooser = candidate_chooser_create(data);
	assert_true(candidate_evaluate(chooser, &first, 1, false, &candidate));
	assert_int_equal(basis_growth(&candidate.basis, candidate.mask), GROWTH_LINEAR);
	assert_true(candidate.mask & 1);
	assert_true(candidate.score >= -19.16601);
	assert_near(candidate.score, -19.16601, 0.3);
	candidate_chooser_destroy(chooser);
	dataset_destroy(data);
	table_deinit(&table);
}

/* 10 + 3 x, and 1 to either side, for x from 1 to 40; a call in the middle costs @far more. */
static struct dataset *a_line(struct table *table, double far)
{
	size_t i;

	table_init(table, 1);
	add_feature(table, "x", FEATURE_INT, 0);
	for (i = 0; i < 40; i++) {
		set(table, 0, 10 + 3 * (i + 1.0) + orthogonal(i) + (i == 20 ? far : 0));
		set(table, 1, i + 1);
		add_row(table);
	}
	return dataset_create(table->samples, METRIC_TIME);
}

static void fit_best(const struct dataset *data, struct fit *ret)
{
	struct selection selection;

	feature_selection_candidates(data, 0.9, &selection);
	assert_true(selection.n >= 1);
	fit_candidate(data, &selection.candidates[0], 0.75, ret);
}

/*
 * Residuals of one size have one weight, so the line is the one of least squares: 10 and 3; that
 * the weights are equal is met by iterations, to 1e-3 of an error. The residual squares are 40,
 * those of the line 9 * 40 * (40^2 - 1) / 12. Standard errors are HC3's, residuals being 1:
 * R: x <- 1:40; X <- cbind(1, x); h <- hatvalues(lm(x^2 ~ x)); B <- solve(crossprod(X))
 *    sqrt(diag(B %*% crossprod(X / (1 - h)) %*% B))
 * times the correction for the weights, 5 * 5 / (5 * 3) where z^2 is 1. A scale is found by eight
 * steps, to 0.1 % (test_robust.c), and z^2 and the correction with it to 0.2 and 0.4 %.
 */
static void a_fit_is_in_plain_units(void **state)
{
	const double total = 40 + 9 * 40 * (40 * 40 - 1) / 12.;
	const double at = 25;
	struct table table;
	struct dataset *data = a_line(&table, 0);
	struct fit fit;

	(void)state;
	fit_best(data, &fit);
	assert_int_equal(fit.verdict, VERDICT_BELIEVED);
	assert_int_equal(fit.n_terms, 2);
	assert_near(fit.coefficients[0], 10, 1e-4);
	assert_near(fit.coefficients[1], 3, 1e-5);
	assert_near(fit.r2, 1 - 40 / total, 1e-9);
	assert_near(fit.deviation, sqrt(40 / 38.), 1e-6);
	assert_near(fit.effect, 3 * 39, 40e-5);
	assert_near(fit_value(&fit, &at), 85, 3e-4);
	assert_near_part(fit.std_errors[0], 0.3449966451158163 * 5 / 3, 4e-3);
	assert_near_part(fit.std_errors[1], 0.0147374317659112 * 5 / 3, 4e-3);
	assert_true(fit.n_used == 40 && fit.n_far == 0 && fit.deviation_part == 0);
	dataset_destroy(data);
	table_deinit(&table);
}

/* The likelihood of all rows in plain units: scale 1, so 5 * 40 * log(5 / 4). */
static void the_deviance_is_in_plain_units(void **state)
{
	struct table table;
	struct dataset *data = a_line(&table, 0);
	struct fit fit;

	(void)state;
	fit_best(data, &fit);
	assert_near(fit.deviance, 200 * log(1.25), 1e-3);
	dataset_destroy(data);
	table_deinit(&table);
}

static void assert_left_out(double far)
{
	struct table table;
	struct dataset *data = a_line(&table, far);
	struct fit fit;

	fit_best(data, &fit);
	assert_int_equal(fit.verdict, VERDICT_BELIEVED);
	assert_true(fit.n_far == 1 && fit.n_used == 39);
	assert_near(fit.coefficients[1], 3, 0.01);
	assert_near(fit_value(&fit, (double[]){20}), 70, 0.1);
	assert_true(fit.r2 > 0.99 && fit.r2_far < 0.95);
	dataset_destroy(data);
	table_deinit(&table);
}

/*
 * One call far away is left out and counted; the three that are left of its four pull by 1 in 40:
 * less than a third of the coefficients' errors.
 */
static void a_far_call_is_left_out(void **state)
{
	(void)state;
	assert_left_out(1000);
	assert_left_out(-70);
}

/* R: mean(cars$dist); sd(cars$dist); sd(cars$dist) / sqrt(50) */
/*
 * One far call alone at an end, where a formula of many terms bends to it and leaves nothing that
 * would give it away: the others are a line through 0.
 */
static void a_far_call_at_the_end_bends_no_formula(void **state)
{
	struct dataset *data;
	struct table table;
	struct fit fit;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "a", FEATURE_INT, 0);
	for (i = 0; i < 80; i++) {
		const double a = i ? 2 + i % 23 : 1;

		set(&table, 0, i ? 67.5 * a * (1 + 0.003 * normal(&table)) : 1752);
		set(&table, 1, a);
		add_run(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	fit_best(data, &fit);
	assert_int_equal(basis_growth(&fit.candidate.basis, fit.candidate.mask), GROWTH_LINEAR);
	assert_int_equal(fit.n_far, 1);
	dataset_destroy(data);
	table_deinit(&table);
}

static void a_constant_is_the_mean_of_all_rows(void **state)
{
	struct table table;
	struct dataset *data;
	struct fit fit;
	size_t i;

	(void)state;
	table_init(&table, 1);
	for (i = 0; i < CARS_ROWS; i++) {
		set(&table, 0, cars_dist[i]);
		add_row(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	fit_constant(data, &fit);
	assert_near_part(fit.coefficients[0], 42.98, 1e-12);
	assert_near_part(fit.deviation, 25.7693774920259, 1e-12);
	assert_near_part(fit.std_errors[0], 3.6443403143135, 1e-12);
	dataset_destroy(data);
	table_deinit(&table);
}

/*
 * With a middle of 3 and tenths at 1.4 and 4.6: far values end 5 * 1.6 away from the middle. R:
 * quantile(1:5, c(.1, .9))
 */
static void far_values_are_clipped(void **state)
{
	static const double values[] = {1, 2, 3, 4, 5},
			    same[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9};
	static const double wild[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000};
	double ret[12];

	(void)state;
	candidate_clip(values, 5, CANDIDATE_CLIP, ret);
	assert_memory_equal(values, ret, sizeof(values));
	/* The middle is 6, the tenths 2 and 10. */
	candidate_clip(wild, 11, CANDIDATE_CLIP, ret);
	assert_near(ret[10], 6 + 5 * 4, 1e-12);
	assert_near(ret[0], 1, 0);
	candidate_clip(same, 12, CANDIDATE_CLIP, ret);
	assert_true(ret[11] == 9);
}

/* R: cor(mtcars$disp, mtcars$hp), and the absolute value where one of them is turned round. */
static void strength_is_correlation(void **state)
{
	static const double disp[] = {160,   160,   108,   258,   360,   225,   360, 146.7,
				      140.8, 167.6, 167.6, 275.8, 275.8, 275.8, 472, 460,
				      440,   78.7,  75.7,  71.1,  120.1, 318,   304, 350,
				      400,   79,    120.3, 95.1,  351,   145,   301, 121};
	static const double hp[] = {110, 110, 93,  110, 175, 105, 245, 62,  95,  123, 123,
				    180, 180, 180, 205, 215, 230, 66,  52,  65,  97,  150,
				    150, 245, 175, 66,  91,  113, 264, 175, 335, 109};
	struct table table;
	struct dataset *data;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "a_disp", FEATURE_FLOAT, 0);
	add_feature(&table, "b_hp", FEATURE_FLOAT, 0);
	add_feature(&table, "c_hp", FEATURE_FLOAT, 0);
	for (i = 0; i < 32; i++) {
		set(&table, 0, i + 1);
		set(&table, 1, disp[i]);
		set(&table, 2, hp[i]);
		set(&table, 3, -hp[i]);
		add_run(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	assert_int_equal(data->n_predictors, 3);
	assert_near(correlation_screen_between(data, 0, 1), 0.790948586369806, 1e-12);
	assert_near(correlation_screen_between(data, 0, 2), 0.790948586369806, 1e-12);
	assert_near(correlation_screen_between(data, 1, 2), 1, 1e-12);
	dataset_destroy(data);
	table_deinit(&table);
}

/* A product of two features that alone say little, among three that say nothing. */
static struct dataset *a_product(struct table *table)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	size_t i, j;

	table_init(table, 1);
	for (j = 0; j < 5; j++)
		add_feature(table, names[j], FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		/* The 10 by 10 squares, and digits of products with primes. */
		const double cells[] = {i % 10 + 1, i / 10 + 1, i * 37 % 11, i * 53 % 13,
					i * 71 % 17};

		for (j = 0; j < 5; j++)
			set(table, j + 1, cells[j]);
		set(table, 0, 5 + 2 * (i % 10 + 1.0) * (i / 10 + 1) + orthogonal(i));
		add_row(table);
	}
	return dataset_create(table->samples, METRIC_TIME);
}

static void a_product_is_selected_with_both_features(void **state)
{
	struct selection selection;
	struct table table;
	struct dataset *data = a_product(&table);
	struct fit fit;

	(void)state;
	feature_selection_candidates(data, 0.9, &selection);
	assert_true(selection.n >= 1);
	assert_int_equal(selection.candidates[0].basis.n_features, 2);
	assert_int_equal(
		basis_products(&selection.candidates[0].basis, selection.candidates[0].mask), 1);
	fit_candidate(data, &selection.candidates[0], 0.75, &fit);
	assert_int_equal(fit.verdict, VERDICT_BELIEVED);
	/* Noise of 1 on products with a deviation of 2 * 24: an error of 0.004. */
	assert_near(fit_value(&fit, (double[]){10, 10}), 205, 4 * 0.5);
	assert_near(fit_value(&fit, (double[]){1, 1}), 7, 4 * 0.5);
	dataset_destroy(data);
	table_deinit(&table);
}

/* The second of three features explains it all; the others are no use beside it. */
static void the_feature_that_explains_is_selected_alone(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct selection selection;
	struct table table;
	struct dataset *data;
	size_t i, j;

	(void)state;
	table_init(&table, 1);
	for (j = 0; j < 3; j++)
		add_feature(&table, names[j], FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 0, 50 + 3 * (i * 61 % 100) + orthogonal(i));
		set(&table, 1, i * 37 % 11);
		set(&table, 2, i * 61 % 100);
		set(&table, 3, i * 53 % 13);
		add_row(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	feature_selection_candidates(data, 0.9, &selection);
	assert_int_equal(selection.n, 1);
	assert_int_equal(selection.candidates[0].basis.n_features, 1);
	assert_int_equal(selection.candidates[0].predictors[0], 1);
	dataset_destroy(data);
	table_deinit(&table);
}

static void what_says_nothing_is_not_selected(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct selection selection;
	struct table table;
	struct dataset *data;
	size_t i, j;

	(void)state;
	table_init(&table, 1);
	for (j = 0; j < 3; j++)
		add_feature(&table, names[j], FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 0, 50 + orthogonal(i));
		set(&table, 1, i * 37 % 11);
		set(&table, 2, i + 1);
		set(&table, 3, i * 53 % 13);
		add_row(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	feature_selection_candidates(data, 0.9, &selection);
	assert_int_equal(selection.n, 0);
	dataset_destroy(data);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_score_is_a_difference_of_bic),
		cmocka_unit_test(a_term_more_costs_the_logarithm_of_the_rows),
		cmocka_unit_test(a_fit_is_in_plain_units),
		cmocka_unit_test(the_deviance_is_in_plain_units),
		cmocka_unit_test(a_far_call_is_left_out),
		cmocka_unit_test(a_far_call_at_the_end_bends_no_formula),
		cmocka_unit_test(a_constant_is_the_mean_of_all_rows),
		cmocka_unit_test(far_values_are_clipped),
		cmocka_unit_test(strength_is_correlation),
		cmocka_unit_test(a_product_is_selected_with_both_features),
		cmocka_unit_test(the_feature_that_explains_is_selected_alone),
		cmocka_unit_test(what_says_nothing_is_not_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
