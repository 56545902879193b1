/*
 * Student's t: robust weights, and what a residual costs. Source: Lange, Little, Taylor, Robust
 * statistical modeling using the t distribution, JASA 84 (1989).
 */
#pragma once

#include <math.h>

#define ROBUST_FREEDOM 4.0

/* @square: of a residual over its scale. */
static inline double student_weight(double square)
{
	return (ROBUST_FREEDOM + 1) / (ROBUST_FREEDOM + square);
}

/* By how much the weighted residual grows with the residual. */
static inline double student_slope(double square)
{
	const double below = ROBUST_FREEDOM + square;

	return (ROBUST_FREEDOM + 1) * (ROBUST_FREEDOM - square) / (below * below);
}

/* -2 log likelihood, without what does not depend on the residual. */
static inline double student_loss(double square)
{
	return (ROBUST_FREEDOM + 1) * log1p(square / ROBUST_FREEDOM);
}
