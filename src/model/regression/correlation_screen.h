/*
 * Cheap correlations of all predictors with a metric, or with what a model leaves of it, make short
 * lists for real models.
 */
#pragma once

#include "candidate.h"

enum {
	STRENGTH_TOP = 6, /* per measure */
	STRENGTH_TOP_RETURNED = 3,
	STRENGTH_MEASURES = 2,
	STRENGTH_LIST =
		(STRENGTH_TOP + STRENGTH_TOP_RETURNED) * STRENGTH_MEASURES + SYSTEM_VALUE_COUNT,
	STRENGTH_SECONDS = STRENGTH_TOP + STRENGTH_TOP_RETURNED + SYSTEM_VALUE_COUNT,
};

/*
 * The predictors most correlated with the metric, in @ret ([STRENGTH_LIST]); returns their number.
 */
size_t correlation_screen_list(const struct dataset *data, size_t *ret);

/*
 * The predictors most correlated with the residuals of @candidate, alone or times one of its
 * features, in @ret ([STRENGTH_SECONDS]); returns their number. The chooser must hold @candidate.
 */
size_t correlation_screen_seconds(const struct chooser *chooser, const struct candidate *candidate,
				  size_t *ret);

/*
 * The products of two of the @n predictors @list most, and considerably, correlated with the
 * residuals of @candidate, in @ret ([@max]), if together they may leave so little as a score of
 * @best says; returns their number. The chooser must hold @candidate.
 */
size_t correlation_screen_products(const struct chooser *chooser, const struct candidate *candidate,
				   double best, const size_t *list, size_t n, size_t max,
				   size_t (*ret)[2]);

/* Correlation of two predictors in the choice rows; 0: too few in common. */
double correlation_screen_between(const struct dataset *data, size_t a, size_t b);
