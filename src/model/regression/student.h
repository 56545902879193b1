/*
 * Student's t: robust weights. Source: Lange, Little, Taylor, Robust statistical modeling
 * using the t distribution, JASA 84 (1989).
 */
#pragma once

#include <math.h>

#define ROBUST_FREEDOM 4.0

/* @square: (residual / scale)^2. */
static inline double student_weight(double square)
{
	return (ROBUST_FREEDOM + 1) / (ROBUST_FREEDOM + square);
}

/* The derivative of the weighted residual by the residual. */
static inline double student_slope(double square)
{
	const double below = ROBUST_FREEDOM + square;

	return (ROBUST_FREEDOM + 1) * (ROBUST_FREEDOM - square) / (below * below);
}
