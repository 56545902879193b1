/*
 * Terms and their models: values, scaling, which models there are, and which sums of terms can be
 * a cost. Closed forms, so what differs is rounding: 1e-12.
 */
#include "numbers.h"

#include "model/regression/basis.h"

/* A basis of features from @min to @max. */
static struct basis basis_of(unsigned n, double min, double max, bool products)
{
	struct basis basis = {.n_features = n};
	unsigned i;

	for (i = 0; i < n; i++)
		basis.features[i] = (struct basis_feature){.min = min, .max = max, .whole = true};
	basis_init(&basis, products);
	return basis;
}

/* The mask of the term of @feature alone that grows so; 0: there is none. */
static basis_mask term_of(const struct basis *basis, unsigned feature, enum growth growth)
{
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		if (basis->terms[i].n == 1 && basis->terms[i].factors[0].feature == feature &&
		    basis->terms[i].factors[0].growth == growth)
			return (basis_mask)1 << i;
	return 0;
}

static basis_mask product_of(const struct basis *basis, enum growth growth, enum growth other)
{
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		if (basis->terms[i].n == 2 && basis->terms[i].factors[0].growth == growth &&
		    basis->terms[i].factors[1].growth == other)
			return (basis_mask)1 << i;
	return 0;
}

static unsigned number_of(basis_mask mask)
{
	assert_true(mask);
	return __builtin_ctzll(mask);
}

/* A term's value over its coefficient's unit is the growth itself. */
static void terms_are_growths_in_plain_units(void **state)
{
	static const struct {
		enum growth growth;
		double at_80, power;
		unsigned log;
	} growths[] = {
		{GROWTH_LOG, 4.382026634673881, 0, 1},
		{GROWTH_SQRT, 8.944271909999159, 0.5, 0},
		{GROWTH_LINEAR, 80, 1, 0},
		{GROWTH_NLOGN, 350.5621307739105, 1, 1},
		{GROWTH_QUADRATIC, 6400, 2, 0},
		{GROWTH_CUBIC, 512000, 3, 0},
	};
	const struct basis basis = basis_of(1, 2, 400, false);
	const double x = 80;
	size_t i;

	(void)state;
	assert_int_equal(basis.n_terms, 7);
	assert_true(basis_value(&basis, 0, &x) == 1);
	for (i = 0; i < 6; i++) {
		const unsigned term = number_of(term_of(&basis, 0, growths[i].growth));
		struct term ret;
		double unit;

		assert_true(basis_coefficient(&basis, term, 1, 1, &unit));
		assert_near_part(basis_value(&basis, term, &x) / unit, growths[i].at_80, 1e-12);
		basis_factors(&basis, term, &ret);
		assert_int_equal(ret.n_factors, 1);
		assert_true(ret.factors[0].power == growths[i].power);
		assert_int_equal(ret.factors[0].log, growths[i].log);
		/* About unit size: of the largest value at most 1 where no logarithm is. */
		assert_true(basis_value(&basis, term, &basis.features[0].max) <= 1 + 1e-12);
	}
}

static void a_product_multiplies_its_factors(void **state)
{
	const struct basis basis = basis_of(2, 1, 100, true);
	const unsigned term = number_of(product_of(&basis, GROWTH_QUADRATIC, GROWTH_LOG));
	const double x[] = {50, 20};
	struct term ret;
	double unit;

	(void)state;
	assert_true(basis_coefficient(&basis, term, 3, 7, &unit));
	/* 3 * 7 of the scaled column. */
	assert_near_part(21 * basis_value(&basis, term, x) / unit, 2500 * log(20), 1e-12);
	basis_factors(&basis, term, &ret);
	assert_int_equal(ret.n_factors, 2);
	assert_true(ret.factors[0].feature == 0 && ret.factors[0].power == 2);
	assert_true(ret.factors[1].feature == 1 && ret.factors[1].log == 1);
}

static void a_coefficient_that_is_no_number_is_refused(void **state)
{
	const struct basis basis = basis_of(1, 1, 1e150, false);
	double ret;

	(void)state;
	assert_true(basis_coefficient(&basis, number_of(term_of(&basis, 0, GROWTH_LINEAR)), 1, 1,
				      &ret));
	assert_false(
		basis_coefficient(&basis, number_of(term_of(&basis, 0, GROWTH_CUBIC)), 1, 1, &ret));
	assert_true(
		basis_coefficient(&basis, number_of(term_of(&basis, 0, GROWTH_CUBIC)), 0, 1, &ret));
	assert_false(basis_coefficient(&basis, 0, INFINITY, 1, &ret));
}

/*
 * No logarithm of a real number that may be 0, that of no elements is 0; nothing but a line of what
 * is negative, or has few values.
 */
static void growths_need_features_that_can_grow(void **state)
{
	struct basis basis = basis_of(1, 0, 10, false);
	const double zero = 0;

	(void)state;
	assert_int_equal(basis.n_terms, 7);
	assert_true(basis_value(&basis, number_of(term_of(&basis, 0, GROWTH_LOG)), &zero) == 0);
	basis.features[0] = (struct basis_feature){.min = 0, .max = 10};
	basis_init(&basis, false);
	assert_int_equal(basis.n_terms, 6);
	assert_false(term_of(&basis, 0, GROWTH_LOG));
	assert_true(basis_value(&basis, number_of(term_of(&basis, 0, GROWTH_NLOGN)), &zero) == 0);
	basis = basis_of(1, -1, 10, false);
	assert_int_equal(basis.n_terms, 2);
	basis.features[0] = (struct basis_feature){.min = 1, .max = 3, .linear_only = true};
	basis_init(&basis, true);
	assert_int_equal(basis.n_terms, 2);
}

/*
 * One feature: six growths and three with a line beside them, with a constant and without: 18.
 * Two: 9 * 9 sums, and a product of lines with none or a line of each, 4, also twice. The factors
 * of products of all growths have powers of at most 3 in sum, and none is cubed: of the 25 pairs
 * of log, sqrt, x, x log x and x^2 all but the square with itself.
 */
static void models_are_counted(void **state)
{
	basis_mask models[BASIS_MODELS];
	struct basis basis = basis_of(0, 0, 0, false);

	(void)state;
	assert_int_equal(basis_models(&basis, models), 1);
	basis = basis_of(1, 1, 100, false);
	assert_int_equal(basis_models(&basis, models), 18);
	basis = basis_of(2, 1, 100, false);
	assert_int_equal(basis.n_terms, 1 + 12 + 1);
	assert_int_equal(basis_models(&basis, models), 2 * (81 + 4));
	basis = basis_of(2, 1, 100, true);
	assert_int_equal(basis.n_terms, 1 + 12 + 24);
	/*
	 * A factor that is a line has two ways to lower terms, another three: 4 products of
	 * lines, 8 with one, 15 with none.
	 */
	assert_int_equal(basis_models(&basis, models), 2 * (81 + 4 + 8 * 6 + 15 * 9));
}

/*
 * What is extended keeps its terms; the new feature adds 6, and a product of each with a factor
 * of each of the old.
 */
static void an_extended_basis_has_its_terms_first(void **state)
{
	const struct basis basis = basis_of(1, 1, 100, false);
	const struct basis_feature other = {.min = 1, .max = 50, .whole = true};
	const basis_mask square = term_of(&basis, 0, GROWTH_QUADRATIC);
	basis_mask models[BASIS_MODELS];
	struct basis wider;
	size_t n, i;

	(void)state;
	basis_extend(&basis, 1 | square, &other, 1, &wider);
	assert_int_equal(wider.n_features, 2);
	assert_int_equal(wider.n_fixed, 2);
	assert_true(term_of(&wider, 0, GROWTH_QUADRATIC) == 2);
	/* x^2 times log, sqrt, x and x log x. */
	assert_int_equal(wider.n_terms, 2 + 6 + 4);
	n = basis_models(&wider, models);
	/*
	 * 9 sums; log, sqrt and x log x with 3 lower terms of the new, x with 2; of the old none
	 * is new.
	 */
	assert_int_equal(n, 9 + 3 * 3 + 2);
	for (i = 0; i < n; i++)
		assert_true((models[i] & 3) == 3 && basis_is_model(&wider, models[i]));
	assert_false(basis_is_model(&wider, 3));
	assert_false(basis_is_model(&wider, 0));
}

/*
 * A product with a square root by a third feature: with its logarithm and itself, and the plain
 * product of all three, which keep none of the old terms, the constant, the product or both.
 */
static void a_product_is_extended_to_one_of_three(void **state)
{
	const struct basis basis = basis_of(2, 1, 100, true);
	const struct basis_feature other = {.min = 1, .max = 50, .whole = true};
	const basis_mask product = product_of(&basis, GROWTH_LINEAR, GROWTH_SQRT);
	const double x[] = {4, 100, 25};
	basis_mask models[BASIS_MODELS];
	struct basis wider;
	unsigned found = 0, alone = 0, j;
	size_t n, i;

	(void)state;
	basis_extend(&basis, 1 | product, &other, 1, &wider);
	assert_int_equal(wider.n_terms, 2 + 6 + 3);
	n = basis_models(&wider, models);
	for (j = 2 + 6; j < wider.n_terms; j++) {
		const struct basis_term *term = &wider.terms[j];
		double unit = 1;

		assert_int_equal(term->n, 3);
		assert_true(basis_coefficient(&wider, j, 1, 1, &unit));
		if (term->factors[2].growth == GROWTH_LINEAR)
			assert_near(basis_value(&wider, j, x) / unit,
				    (term->factors[1].growth == GROWTH_SQRT ? 10 : 100) * 4 * 25,
				    1e-9);
		for (i = 0; i < n; i++) {
			found += models[i] >> j & 1;
			alone += models[i] == basis_bit(j);
		}
	}
	/* Each with a constant, that and a line of the new feature, or neither; twice. */
	assert_int_equal(found, 3 * 3 * 2);
	assert_int_equal(alone, 3);
}

static void growth_and_products_of_a_model(void **state)
{
	const struct basis basis = basis_of(2, 1, 100, true);
	const basis_mask line = term_of(&basis, 0, GROWTH_LINEAR);
	const basis_mask nlogn = term_of(&basis, 0, GROWTH_NLOGN);
	const basis_mask other = term_of(&basis, 1, GROWTH_SQRT);
	const basis_mask product = product_of(&basis, GROWTH_LINEAR, GROWTH_LINEAR);

	(void)state;
	assert_int_equal(basis_growth(&basis, 1), GROWTH_CONSTANT);
	assert_int_equal(basis_growth(&basis, 1 | line | other), GROWTH_LINEAR);
	assert_int_equal(basis_growth(&basis, nlogn | other), GROWTH_NLOGN);
	assert_int_equal(basis_products(&basis, line | product), 1);
	assert_int_equal(basis_products(&basis, line | other), 0);
	assert_false(basis_leads(&basis, 1 | line, 0));
	assert_true(basis_leads(&basis, 1 | line | other, number_of(line)));
	assert_true(basis_leads(&basis, 1 | line | other, number_of(other)));
	assert_false(basis_leads(&basis, line | nlogn, number_of(line)));
	assert_true(basis_leads(&basis, line | nlogn, number_of(nlogn)));
	assert_false(basis_leads(&basis, line | other | product, number_of(other)));
	assert_false(basis_leads(&basis, line | other | product, number_of(line)));
	assert_true(basis_leads(&basis, line | other | product, number_of(product)));
}

/* Is constant + a * one + b * other, in scaled columns of x from 1 to 100, a cost? */
static bool believe(basis_mask one, double a, basis_mask other, double b, double constant)
{
	const struct basis basis = basis_of(1, 1, 100, false);
	double coefficients[BASIS_TERMS] = {constant};

	coefficients[number_of(one)] = a;
	if (other)
		coefficients[number_of(other)] = b;
	return basis_believable(&basis, 1 | one | other, coefficients, false);
}

static void a_cost_is_not_negative_and_rises(void **state)
{
	const struct basis basis = basis_of(1, 1, 100, false);
	const basis_mask line = term_of(&basis, 0, GROWTH_LINEAR);
	const basis_mask square = term_of(&basis, 0, GROWTH_QUADRATIC);
	double coefficients[BASIS_TERMS] = {-0.5, 0};

	(void)state;
	assert_true(believe(line, 1, 0, 0, 0));
	/* A line may fall, as far as 0; and begin 2 % below 0: at x = 1 it has risen by 0.01. */
	assert_true(believe(line, -0.9, 0, 0, 1));
	assert_false(believe(line, -1.03, 0, 0, 1));
	assert_true(believe(line, 1, 0, 0, -0.0299));
	assert_false(believe(line, 1, 0, 0, -0.0301));
	/* What grows faster may not fall: u^2 - c u falls up to u = c / 2, and u begins at 0.01. */
	assert_false(believe(square, -0.5, 0, 0, 1));
	assert_false(believe(square, 1, line, -0.5, 0.5));
	assert_true(believe(square, 1, line, -0.019, 0.5));
	assert_false(believe(square, -0.2, line, 1, 0.5));
	/* Where metrics can be negative a model can be. */
	coefficients[number_of(line)] = 0.1;
	assert_true(basis_believable(&basis, 1 | line, coefficients, true));
	assert_false(basis_believable(&basis, 1 | line, coefficients, false));
}

static void only_lines_fall(void **state)
{
	const struct basis basis = basis_of(1, 1, 100, false);
	const basis_mask line = term_of(&basis, 0, GROWTH_LINEAR);
	const basis_mask square = term_of(&basis, 0, GROWTH_QUADRATIC);
	double coefficients[BASIS_TERMS] = {1};

	(void)state;
	coefficients[number_of(line)] = -0.5;
	coefficients[number_of(square)] = 1;
	assert_true(basis_falls(&basis, 1 | line, coefficients));
	assert_false(basis_falls(&basis, 1 | line | square, coefficients));
	coefficients[number_of(line)] = 0.5;
	assert_false(basis_falls(&basis, 1 | line, coefficients));
}

/*
 * Over the last decade, from 100 to 1000, log n rises by 1.5. The cost per element of u + b u^2
 * rises by (1 + b) / (1 + b / 10), which is less than 2 * 1.5 if b < 2 / 0.7.
 */
static void a_slow_square_is_a_drift(void **state)
{
	const struct basis basis = basis_of(1, 1, 1000, false);
	const basis_mask line = term_of(&basis, 0, GROWTH_LINEAR);
	const basis_mask square = term_of(&basis, 0, GROWTH_QUADRATIC);
	double coefficients[BASIS_TERMS] = {0};

	(void)state;
	coefficients[number_of(line)] = 1;
	coefficients[number_of(square)] = 2 / 0.7 - 0.01;
	assert_true(basis_drifts(&basis, line | square, coefficients, 2));
	assert_false(basis_drifts(&basis, line, coefficients, 2));
	coefficients[number_of(square)] = 2 / 0.7 + 0.01;
	assert_false(basis_drifts(&basis, line | square, coefficients, 2));
}

/*
 * The same of u + b u log(x) / log(1000): (1 + b) / (1 + 2 b / 3) - 1, b / 3 / (1 + 2 b / 3), is
 * less than 0.3 * (1.5 - 1) if b < 0.15 / (1 / 3 - 0.1) = 9 / 14.
 */
static void a_little_n_log_n_is_nearly_linear(void **state)
{
	const struct basis basis = basis_of(1, 1, 1000, false);
	const basis_mask line = term_of(&basis, 0, GROWTH_LINEAR);
	const basis_mask nlogn = term_of(&basis, 0, GROWTH_NLOGN);
	double coefficients[BASIS_TERMS] = {0};

	(void)state;
	coefficients[number_of(line)] = 1;
	coefficients[number_of(nlogn)] = 9 / 14. - 0.001;
	assert_true(basis_is_nearly_linear(&basis, line | nlogn, coefficients));
	assert_false(basis_is_nearly_linear(&basis, nlogn, coefficients));
	coefficients[number_of(nlogn)] = 9 / 14. + 0.001;
	assert_false(basis_is_nearly_linear(&basis, line | nlogn, coefficients));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_are_growths_in_plain_units),
		cmocka_unit_test(a_product_multiplies_its_factors),
		cmocka_unit_test(a_coefficient_that_is_no_number_is_refused),
		cmocka_unit_test(growths_need_features_that_can_grow),
		cmocka_unit_test(models_are_counted),
		cmocka_unit_test(an_extended_basis_has_its_terms_first),
		cmocka_unit_test(a_product_is_extended_to_one_of_three),
		cmocka_unit_test(growth_and_products_of_a_model),
		cmocka_unit_test(a_cost_is_not_negative_and_rises),
		cmocka_unit_test(only_lines_fall),
		cmocka_unit_test(a_slow_square_is_a_drift),
		cmocka_unit_test(a_little_n_log_n_is_nearly_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
