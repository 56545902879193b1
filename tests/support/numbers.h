/*
 * Comparing numbers with those of a book, a closed form or R: cmocka compares them as floats
 * only.
 */
#ifndef FATHOM_TESTS_NUMBERS_H
#define FATHOM_TESTS_NUMBERS_H

#include <math.h>

#include "check.h"

static inline void assert_near_at(double value, double expected, double tolerance, const char *text,
				  const char *file, int line)
{
	if (fabs(value - expected) <= tolerance)
		return;
	print_error("%s is %.17g, not %.17g to %.3g\n", text, value, expected, tolerance);
	_fail(file, line);
}

/* @value is @expected to an absolute, or to a relative tolerance; NAN is near nothing. */
#define assert_near(value, expected, tolerance) \
	assert_near_at(value, expected, tolerance, #value, __FILE__, __LINE__)
#define assert_near_part(value, expected, part) \
	assert_near_at(value, expected, (part)*fabs(1.0 * (expected)), #value, __FILE__, __LINE__)

#endif
