/*
 * Least squares: results that NIST certifies, and what R prints of subsets and weights.
 *
 * Tolerances: a solution by Householder is as good as rounding times the condition of the scaled
 * columns. That is below 1e5 for all that is here, but for Longley's, where it is 4e7; so 1e-10
 * (1e-7 for Longley) has a margin of ten, and is far from any error in a formula.
 */
#include "numbers.h"

#include <string.h>

#include "model/regression/lsq.h"
#include "nist.h"

enum { ROWS_MOST = 82, COLUMNS = 11 };

struct problem {
	double columns[COLUMNS][ROWS_MOST], y[ROWS_MOST], weights[ROWS_MOST];
	struct lsq_design design;
	struct lsq *lsq;
};

static void problem_init(struct problem *problem, size_t n, unsigned p)
{
	unsigned j;
	size_t i;

	memset(problem, 0, sizeof(*problem));
	problem->design = (struct lsq_design){.n = n, .p = p, .y = problem->y};
	for (j = 0; j < p; j++)
		problem->design.columns[j] = problem->columns[j];
	for (i = 0; i < n; i++)
		problem->weights[i] = 1;
	problem->lsq = lsq_create();
}

static void problem_reduce(struct problem *problem)
{
	assert_true(lsq_reduce(problem->lsq, &problem->design, problem->weights));
}

static void problem_deinit(struct problem *problem)
{
	lsq_destroy(problem->lsq);
}

/* Powers of @x, from 0 on. */
static void fill_powers(struct problem *problem, size_t row, double x)
{
	unsigned j;

	for (j = 0; j < problem->design.p; j++)
		problem->columns[j][row] = j ? problem->columns[j - 1][row] * x : 1;
}

static void fill_norris(struct problem *problem)
{
	size_t i;

	problem_init(problem, NORRIS_ROWS, 2);
	for (i = 0; i < NORRIS_ROWS; i++) {
		fill_powers(problem, i, norris_x[i] / 1000);
		problem->y[i] = norris_y[i] / 1000;
	}
}

/* The standard error of coefficient @j when the squares @sse are left. */
static double std_error(struct problem *problem, unsigned j, double sse)
{
	double inverse[LSQ_COLUMNS][LSQ_COLUMNS];
	double sum = 0;
	unsigned k;

	assert_true(lsq_inverse(problem->lsq, inverse));
	for (k = 0; k < problem->design.p; k++)
		sum += inverse[j][k] * inverse[j][k];
	return sqrt(sum * sse / (problem->design.n - problem->design.p));
}

static void the_line_of_norris_is_the_certified_one(void **state)
{
	struct lsq_solution solution;
	struct problem problem;

	(void)state;
	fill_norris(&problem);
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 3, &solution));
	assert_near_part(solution.coefficients[0] * 1000, -0.262323073774029, 1e-10);
	assert_near_part(solution.coefficients[1], 1.00211681802045, 1e-10);
	assert_near_part(solution.sse * 1e6, 26.6173985294224, 1e-10);
	assert_near_part(std_error(&problem, 0, solution.sse) * 1000, 0.232818234301152, 1e-10);
	assert_near_part(std_error(&problem, 1, solution.sse), 0.429796848199937e-3, 1e-10);
	problem_deinit(&problem);
}

static void the_parabola_of_pontius_is_the_certified_one(void **state)
{
	const double unit = 3e6;
	struct lsq_solution solution;
	struct problem problem;
	size_t i;

	(void)state;
	problem_init(&problem, PONTIUS_ROWS, 3);
	for (i = 0; i < PONTIUS_ROWS; i++) {
		fill_powers(&problem, i, (i % 20 + 1) * 150000 / unit);
		problem.y[i] = pontius_y[i];
	}
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 7, &solution));
	assert_near_part(solution.coefficients[0], 0.673565789473684e-3, 1e-10);
	assert_near_part(solution.coefficients[1] / unit, 0.732059160401003e-6, 1e-10);
	assert_near_part(solution.coefficients[2] / unit / unit, -0.316081871345029e-14, 1e-10);
	assert_near_part(solution.sse, 0.155761768796992e-5, 1e-10);
	assert_near_part(std_error(&problem, 2, solution.sse) / unit / unit, 0.486652849992036e-16,
			 1e-10);
	problem_deinit(&problem);
}

/* Powers of z = (x + 6) / 3: the leading coefficient is 3^10 times that of x. */
static void the_polynomial_of_filip_is_the_certified_one(void **state)
{
	struct lsq_solution solution;
	struct problem problem;
	size_t i;

	(void)state;
	problem_init(&problem, FILIP_ROWS, 11);
	for (i = 0; i < FILIP_ROWS; i++) {
		fill_powers(&problem, i, (filip_x[i] + 6) / 3);
		problem.y[i] = filip_y[i];
	}
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 0x7ff, &solution));
	assert_near_part(solution.sse, 0.795851382172941e-3, 1e-10);
	assert_near_part(solution.coefficients[10] / pow(3, 10), -0.402962525080404e-4, 1e-10);
	assert_near_part(std_error(&problem, 10, solution.sse) / pow(3, 10), 0.896632837373868e-5,
			 1e-10);
	problem_deinit(&problem);
}

static const double longley_units[7] = {200, 1e6, 1e4, 1e4, 2e5, 2e3, 1e5};

/* The constant, and the six regressors in those units. */
static void fill_longley(struct problem *problem)
{
	unsigned j;
	size_t i;

	problem_init(problem, LONGLEY_ROWS, 7);
	for (i = 0; i < LONGLEY_ROWS; i++) {
		problem->columns[0][i] = 1;
		for (j = 0; j < 6; j++)
			problem->columns[j + 1][i] = longley[i][j] / longley_units[j];
		problem->y[i] = longley[i][6] / longley_units[6];
	}
}

static void the_employment_of_longley_is_the_certified_one(void **state)
{
	static const double coefficients[] = {
		-3482258.63459582, 15.0618722713733,      -0.358191792925910e-1, -2.02022980381683,
		-1.03322686717359, -0.511041056535807e-1, 1829.15146461355};
	static const double errors[] = {890420.383607373,  84.9149257747669,  0.334910077722432e-1,
					0.488399681651699, 0.214274163161675, 0.226073200069370,
					455.478499142212};
	struct lsq_solution solution;
	struct problem problem;
	unsigned j;

	(void)state;
	fill_longley(&problem);
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 0x7f, &solution));
	assert_near_part(solution.sse * 1e10, 836424.055505915, 1e-7);
	for (j = 0; j < 7; j++) {
		const double unit = longley_units[6] / (j ? longley_units[j - 1] : 1);

		assert_near_part(solution.coefficients[j] * unit, coefficients[j], 1e-7);
		assert_near_part(std_error(&problem, j, solution.sse) * unit, errors[j], 1e-7);
	}
	problem_deinit(&problem);
}

/* R: m <- lm(Employed ~ GNP + Year, longley); coef(m); deviance(m) */
static void a_subset_of_the_columns_has_its_own_solution(void **state)
{
	struct lsq_solution solution;
	struct problem problem;

	(void)state;
	fill_longley(&problem);
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 1 | 1 << 2 | 1 << 6, &solution));
	assert_near_part(solution.coefficients[0] * 100, 1198.70811085308787, 1e-7);
	assert_near_part(solution.coefficients[2] / 10, 0.06299295722577139, 1e-7);
	assert_near_part(solution.coefficients[6] / 20, -0.59238341363163149, 1e-7);
	assert_near_part(solution.sse * 1e4, 4.9109439003921533, 1e-7);
	assert_true(solution.coefficients[1] == 0 && solution.coefficients[5] == 0);
	problem_deinit(&problem);
}

/*
 * R: x <- c(4, 7, 9, 12, 15, 18, 20, 24, 25); y <- c(2, 22, 10, 20, 54, 42, 64, 93, 85)
 * m <- lm(y ~ x, weights = 1 / x); coef(m); deviance(m)
 */
static void weights_are_square_roots(void **state)
{
	static const double x[] = {4, 7, 9, 12, 15, 18, 20, 24, 25};
	static const double y[] = {2, 22, 10, 20, 54, 42, 64, 93, 85};
	struct lsq_solution solution;
	struct problem problem;
	size_t i;

	(void)state;
	problem_init(&problem, 9, 2);
	for (i = 0; i < 9; i++) {
		fill_powers(&problem, i, x[i]);
		problem.y[i] = y[i];
		problem.weights[i] = 1 / sqrt(x[i]);
	}
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 3, &solution));
	assert_near_part(solution.coefficients[0], -14.7832690296397598, 1e-10);
	assert_near_part(solution.coefficients[1], 3.9182792631847598, 1e-10);
	assert_near_part(solution.sse, 62.68360978639388, 1e-10);
	problem_deinit(&problem);
}

/* The third column is the sum of the first two: their solution is one of three columns, too. */
static void dependent_columns_are_refused_or_left_out(void **state)
{
	struct lsq_solution two, all;
	struct problem problem;
	size_t i;

	(void)state;
	fill_norris(&problem);
	problem.design.p = 3;
	problem.design.columns[2] = problem.columns[2];
	for (i = 0; i < NORRIS_ROWS; i++)
		problem.columns[2][i] = problem.columns[0][i] + problem.columns[1][i];
	lsq_destroy(problem.lsq);
	problem.lsq = lsq_create();
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 3, &two));
	assert_false(lsq_solve(problem.lsq, 7, &all));
	assert_true(lsq_solve_all(problem.lsq, &all));
	assert_near_part(all.sse, two.sse, 1e-10);
	assert_near_part(all.coefficients[0] + all.coefficients[2], two.coefficients[0], 1e-10);
	assert_near_part(all.coefficients[1] + all.coefficients[2], two.coefficients[1], 1e-10);
	assert_int_equal((all.coefficients[0] == 0) + (all.coefficients[1] == 0) +
				 (all.coefficients[2] == 0),
			 1);
	problem_deinit(&problem);
}

static void what_has_no_solution_is_refused(void **state)
{
	double inverse[LSQ_COLUMNS][LSQ_COLUMNS];
	struct lsq_solution solution;
	struct problem problem;
	size_t i;

	(void)state;
	fill_norris(&problem);
	problem_reduce(&problem);
	assert_false(lsq_solve(problem.lsq, 0, &solution));
	for (i = 0; i < NORRIS_ROWS; i++)
		problem.columns[1][i] = 0;
	problem_reduce(&problem);
	assert_false(lsq_solve(problem.lsq, 3, &solution));
	assert_false(lsq_inverse(problem.lsq, inverse));
	assert_true(lsq_solve_all(problem.lsq, &solution));
	problem.y[5] = NAN;
	assert_false(lsq_reduce(problem.lsq, &problem.design, problem.weights));
	problem_deinit(&problem);
}

/* Fewer rows than columns: rows of zeros make up for them, and nothing is left. */
static void fewer_rows_than_columns_are_met_exactly(void **state)
{
	struct lsq_solution solution;
	struct problem problem;
	size_t i;

	(void)state;
	problem_init(&problem, 2, 3);
	for (i = 0; i < 2; i++) {
		fill_powers(&problem, i, i + 1);
		problem.y[i] = 3 + 2 * (i + 1.0);
	}
	problem_reduce(&problem);
	assert_true(lsq_solve(problem.lsq, 3, &solution));
	assert_near(solution.coefficients[0], 3, 1e-12);
	assert_near(solution.coefficients[1], 2, 1e-12);
	assert_near(solution.sse, 0, 1e-24);
	assert_false(lsq_solve(problem.lsq, 7, &solution));
	problem_deinit(&problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_of_norris_is_the_certified_one),
		cmocka_unit_test(the_parabola_of_pontius_is_the_certified_one),
		cmocka_unit_test(the_polynomial_of_filip_is_the_certified_one),
		cmocka_unit_test(the_employment_of_longley_is_the_certified_one),
		cmocka_unit_test(a_subset_of_the_columns_has_its_own_solution),
		cmocka_unit_test(weights_are_square_roots),
		cmocka_unit_test(dependent_columns_are_refused_or_left_out),
		cmocka_unit_test(what_has_no_solution_is_refused),
		cmocka_unit_test(fewer_rows_than_columns_are_met_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
