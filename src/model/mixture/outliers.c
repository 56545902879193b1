/*
 * Sets the most expensive calls aside, fits the rest, takes back the near ones; keeps that if BIC
 * improves.
 */
#include "outliers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "model/regression/far_rows.h"
#include "model/regression/score.h"

enum { ROUNDS = 5, ROWS_MIN = 20, MODE_ROWS_MIN = 5 };

#define MODE_PART_MIN 0.05
/* Outliers are the factor DEARER above the highest mode, too. */
#define DEARER 1.2
/* The spread of outliers, in parts of their mean, and against that of the modes. */
#define WIDE       0.1
#define WIDER_THAN 5.0

static double outlier_limit(const struct mixture *mixture)
{
	double limit = 0;
	unsigned i;

	for (i = 0; i < mixture->n; i++) {
		const struct mixture_component *one = &mixture->components[i];

		limit = fmax(limit, fmax(one->coefficients[0] + FAR_ROWS_ABOVE * one->deviation,
					 DEARER * one->coefficients[0]));
	}
	return limit;
}

/* How many of the rising numbers are at most @limit. */
static size_t count_near(const double *rising, size_t n, double limit)
{
	while (n && rising[n - 1] > limit)
		n--;
	return n;
}

/*
 * Fit modes without the largest numbers and take back those near them. Returns how many these are;
 * 0: no convergence.
 */
static size_t outlier_settle(const double *rising, size_t n, double resolution, struct mixture *ret,
			     double *limit)
{
	size_t kept = n - (size_t)(FAR_ROWS_OF_NONE * n);
	unsigned round;

	for (round = 0; round < ROUNDS && kept >= ROWS_MIN; round++) {
		size_t near;

		mixture_find(rising, kept, resolution, ret);
		*limit = outlier_limit(ret);
		near = count_near(rising, n, *limit);
		if (near == kept)
			return kept;
		kept = near;
	}
	return 0;
}

/* Are the numbers @far, above the modes, no mode themselves? @all: count including them. */
static bool are_unlike(const double *far, size_t n, const struct mixture *modes, size_t all)
{
	double mean = 0, square = 0, widest = 0;
	size_t i;

	if (n < fmax(MODE_ROWS_MIN, MODE_PART_MIN * all))
		return true;
	for (i = 0; i < n; i++)
		mean += far[i] / n;
	for (i = 0; i < n; i++)
		square += (far[i] - mean) * (far[i] - mean) / n;
	for (i = 0; i < modes->n; i++)
		widest = fmax(widest, modes->components[i].deviation /
					      modes->components[i].coefficients[0]);
	return sqrt(square) > mean * fmax(WIDE, WIDER_THAN * widest);
}

/* Outliers are uniform above the limit. */
static double bic_of_far(const double *rising, size_t n, size_t near, double limit)
{
	const double far = n - near;
	const double shares = near * log(near / (double)n) + far * log(far / n);

	return score_bic(-2 * (shares - far * log(rising[n - 1] - limit)), 2, n);
}

/* @modes: of the numbers that are none, which the mixture of all numbers does not separate. */
static bool outlier_find(const double *rising, size_t n, double resolution,
			 const struct mixture *all, struct mixture *modes, struct outliers *ret)
{
	double limit, bic;
	const size_t near = outlier_settle(rising, n, resolution, modes, &limit);
	const size_t far = n - near;

	if (!near || !far || far >= FAR_ROWS_OF_NONE * n || (modes->n < 2 && all->n < 2) ||
	    !are_unlike(rising + near, far, modes, n))
		return false;
	bic = bic_of_far(rising, n, near, limit);
	if (modes->bic + bic >= all->bic + (all->n > modes->n ? SCORE_CLEARLY : 0))
		return false;
	*ret = (struct outliers){far, bic, limit};
	return true;
}

void outliers_leave_out(const double *y, size_t n, double resolution, struct mixture *mixture,
			struct outliers *ret)
{
	double *rising = mem_alloc((n + 1) * sizeof(*rising));
	struct mixture modes;

	*ret = (struct outliers){.limit = INFINITY};
	memcpy(rising, y, n * sizeof(*rising));
	gsl_sort(rising, 1, n);
	if (n >= ROWS_MIN && rising[0] > 0 &&
	    outlier_find(rising, n, resolution, mixture, &modes, ret))
		*mixture = modes;
	free(rising);
}
