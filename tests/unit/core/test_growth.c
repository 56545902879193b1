/*
 * The classes of growth: their table, and their values against pow() and log().
 *
 * Tolerance: a value has at most three factors, each a quotient, and a logarithm; what is expected
 * has two powers, a logarithm and a quotient. That is fewer than 16 roundings, of at most
 * DBL_EPSILON each.
 */
#include "numbers.h"

#include <float.h>

#include "core/growth.h"

#define CLOSE (16 * DBL_EPSILON)

static const double points[] = {0.03, 0.5, 1, 2, 3, 10, 12345.6, 1e9};

enum { POINTS = sizeof(points) / sizeof(*points) };

static const struct {
	const char *name;
	double power;
	unsigned log;
} rows[] = {
	{"constant", 0, 0}, {"log", 0, 1},       {"sqrt", 0.5, 0}, {"linear", 1, 0},
	{"nlogn", 1, 1},    {"quadratic", 2, 0}, {"cubic", 3, 0},
};

static double expected_product(enum growth growth, double x, double log_x)
{
	return pow(x, rows[growth].power) * pow(log_x, rows[growth].log);
}

static void names_and_powers_are_in_order(void **state)
{
	enum growth growth;

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(*rows), GROWTH_FIXED);
	for (growth = 0; growth < GROWTH_FIXED; growth++) {
		const struct growth_info *info = growth_info(growth);

		assert_string_equal(growth_name(growth), rows[growth].name);
		assert_string_equal(info->name, rows[growth].name);
		assert_string_equal(growth_phrase(growth), info->phrase);
		assert_true(info->symbol && *info->symbol);
		assert_near(info->power, rows[growth].power, 0);
		assert_int_equal(info->log, rows[growth].log);
	}
}

static void each_rises_faster_than_the_one_before(void **state)
{
	enum growth growth;

	(void)state;
	for (growth = 1; growth < GROWTH_FIXED; growth++) {
		const struct growth_info *before = growth_info(growth - 1);
		const struct growth_info *info = growth_info(growth);

		assert_true(info->power > before->power ||
			    (info->power == before->power && info->log > before->log));
		assert_true(growth_product(growth, 1e6, log(1e6)) >
			    growth_product(growth - 1, 1e6, log(1e6)));
	}
}

static void the_class_of_a_row_is_that_row(void **state)
{
	enum growth growth;

	(void)state;
	for (growth = 0; growth < GROWTH_FIXED; growth++)
		assert_int_equal(growth_of(rows[growth].power, rows[growth].log), growth);
}

static void what_is_between_is_rounded_up(void **state)
{
	(void)state;
	assert_int_equal(growth_of(-1, 0), GROWTH_CONSTANT);
	assert_int_equal(growth_of(0, 2), GROWTH_SQRT);
	assert_int_equal(growth_of(0.25, 3), GROWTH_SQRT);
	assert_int_equal(growth_of(0.5, 1), GROWTH_LINEAR);
	assert_int_equal(growth_of(1, 2), GROWTH_QUADRATIC);
	assert_int_equal(growth_of(2, 1), GROWTH_CUBIC);
	assert_int_equal(growth_of(3, 1), GROWTH_CUBIC);
}

static void a_power_that_is_no_class_is_a_class_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(growth_of(0.25, 0), GROWTH_POWER);
	assert_int_equal(growth_of(0.75, 0), GROWTH_POWER);
	assert_int_equal(growth_of(1.585, 0), GROWTH_POWER);
	assert_int_equal(growth_of(2.5, 0), GROWTH_POWER);
	assert_int_equal(growth_of(7, 0), GROWTH_POWER);
	assert_int_equal(growth_of(-0.3, 0), GROWTH_CONSTANT);
	assert_string_equal(growth_name(GROWTH_POWER), "power");
	assert_string_equal(growth_name(GROWTH_EXPONENTIAL), "exponential");
	assert_true(GROWTH_CUBIC < GROWTH_POWER && GROWTH_POWER < GROWTH_EXPONENTIAL);
}

/* x log x is, at 0; a root and a logarithm are not, below. */
static void logarithms_and_roots_have_a_domain(void **state)
{
	static const bool at_zero[] = {true, false, true, true, true, true, true};
	static const bool below[] = {true, false, false, true, false, true, true};
	enum growth growth;

	(void)state;
	for (growth = 0; growth < GROWTH_FIXED; growth++) {
		assert_true(growth_is_defined(growth, DBL_MIN));
		assert_true(growth_is_defined(growth, 1));
		assert_true(growth_is_defined(growth, 1e300));
		assert_int_equal(growth_is_defined(growth, 0), at_zero[growth]);
		assert_int_equal(growth_is_defined(growth, -2), below[growth]);
	}
}

static void a_product_is_a_power_and_a_logarithm(void **state)
{
	enum growth growth;
	unsigned i;

	(void)state;
	for (growth = 0; growth < GROWTH_FIXED; growth++)
		for (i = 0; i < POINTS; i++)
			assert_near_part(growth_product(growth, points[i], log(points[i])),
					 expected_product(growth, points[i], log(points[i])),
					 CLOSE);
	assert_near(growth_product(GROWTH_NLOGN, 5, 7), 35, 0);
	assert_near(growth_product(GROWTH_CONSTANT, 0, 0), 1, 0);
}

/* Up to 2^53: 208063³ is the last cube below. */
static void whole_powers_are_exact(void **state)
{
	(void)state;
	assert_near(growth_product(GROWTH_QUADRATIC, 94906265, 0), 9007199136250225, 0);
	assert_near(growth_product(GROWTH_CUBIC, 208063, 0), 9007091372906047, 0);
	assert_near(growth_product(GROWTH_LINEAR, -3, 0), -3, 0);
	assert_near(growth_product(GROWTH_QUADRATIC, -3, 0), 9, 0);
	assert_near(growth_product(GROWTH_CUBIC, -3, 0), -27, 0);
}

static void a_scaled_value_is_that_of_the_quotients(void **state)
{
	const double scale = 700, log_scale = log(700);
	enum growth growth;
	unsigned i;

	(void)state;
	for (growth = 0; growth < GROWTH_FIXED; growth++) {
		for (i = 0; i < POINTS; i++)
			assert_near_part(growth_scaled(growth, points[i], scale, log_scale),
					 expected_product(growth, points[i], log(points[i])) /
						 expected_product(growth, scale, log_scale),
					 CLOSE);
		assert_near_part(growth_scaled(growth, scale, scale, log_scale), 1, CLOSE);
		assert_near(growth_scaled(growth, 0, scale, log_scale), growth == GROWTH_CONSTANT,
			    0);
	}
	assert_near(growth_scaled(GROWTH_LOG, -5, scale, log_scale), 0, 0);
	assert_near(growth_scaled(GROWTH_NLOGN, -5, scale, log_scale), 0, 0);
}

/* A coefficient times the scaled value is the unscaled one times the plain value. */
static void unscaling_divides_by_the_value_of_the_scale(void **state)
{
	const double scale = 700, log_scale = log(700);
	enum growth growth;
	unsigned i;

	(void)state;
	for (growth = 0; growth < GROWTH_FIXED; growth++) {
		const double plain = growth_unscale(growth, -4.5, scale, log_scale);

		assert_near_part(plain, -4.5 / expected_product(growth, scale, log_scale), CLOSE);
		for (i = 0; i < POINTS; i++)
			assert_near_part(plain * growth_product(growth, points[i], log(points[i])),
					 -4.5 * growth_scaled(growth, points[i], scale, log_scale),
					 CLOSE);
	}
	/* The cube of the scale has no double. */
	assert_near_part(growth_unscale(GROWTH_CUBIC, 1e200, 1e110, 1), 1e-130, CLOSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_powers_are_in_order),
		cmocka_unit_test(each_rises_faster_than_the_one_before),
		cmocka_unit_test(the_class_of_a_row_is_that_row),
		cmocka_unit_test(what_is_between_is_rounded_up),
		cmocka_unit_test(a_power_that_is_no_class_is_a_class_of_its_own),
		cmocka_unit_test(logarithms_and_roots_have_a_domain),
		cmocka_unit_test(a_product_is_a_power_and_a_logarithm),
		cmocka_unit_test(whole_powers_are_exact),
		cmocka_unit_test(a_scaled_value_is_that_of_the_quotients),
		cmocka_unit_test(unscaling_divides_by_the_value_of_the_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
