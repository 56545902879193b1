/*
 * Strengths: which predictors may explain a metric, or what a model leaves of it. Cheap measures
 * for all predictors make short lists for real models.
 */
#pragma once

#include "candidate.h"

enum {
	STRENGTH_TOP = 6, /* of each measure */
	STRENGTH_TOP_RETURNED = 3,
	STRENGTH_MEASURES = 3,
	STRENGTH_LIST =
		(STRENGTH_TOP + STRENGTH_TOP_RETURNED) * STRENGTH_MEASURES + SYSTEM_VALUE_COUNT,
	STRENGTH_SECONDS = STRENGTH_TOP + STRENGTH_TOP_RETURNED + SYSTEM_VALUE_COUNT,
};

/* The predictors that go with the metric most, in @ret ([STRENGTH_LIST]); returns how many. */
size_t correlation_screen_list(const struct dataset *data, size_t *ret);

/*
 * The predictors that the residuals of @candidate depend on most, alone or times a feature of the
 * candidate, in @ret ([STRENGTH_SECONDS]); returns how many. The chooser has visited the candidate
 * last.
 */
size_t correlation_screen_seconds(const struct chooser *chooser, const struct candidate *candidate,
				  size_t *ret);

/*
 * The products of two of the @n predictors @list that the residuals of @candidate depend on most,
 * and considerably, at most @max, in @ret; returns how many. The chooser has visited the candidate
 * last.
 */
size_t correlation_screen_products(const struct chooser *chooser, const struct candidate *candidate,
				   const size_t *list, size_t n, size_t max, size_t (*ret)[2]);

/* The correlation of two predictors in the choice rows, 0 if they have few in common. */
double correlation_screen_between(const struct dataset *data, size_t a, size_t b);
