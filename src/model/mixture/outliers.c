/*
 * Outliers are a component of the mixture of all calls, or hide its modes. To find the latter: set
 * the most expensive calls aside, fit the rest, take back the near ones; keep that if BIC improves.
 */
#include "outliers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/data/row_order.h"
#include "model/regression/far_rows.h"
#include "model/regression/score.h"

enum { ROUNDS = 5, ROWS_MIN = 20, MODE_ROWS_MIN = 5 };

#define MODE_PART_MIN 0.05
/* Outliers are the factor DEARER above the highest mode, too. */
#define DEARER 1.2
/* The spread of outliers, in parts of their mean, and against that of the modes. */
#define WIDE       0.1
#define WIDER_THAN 5.0

double outliers_mode_least(size_t n)
{
	return fmax(MODE_ROWS_MIN, MODE_PART_MIN * n);
}

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

		mixture_find(rising, kept, resolution, 0, ret);
		*limit = outlier_limit(ret);
		near = count_near(rising, n, *limit);
		if (near == kept)
			return kept;
		kept = near;
	}
	return 0;
}

/* Is @deviation, relative to @mean, far above those of the first @n components? */
static bool outlier_is_wide(double deviation, double mean, const struct mixture *modes, unsigned n)
{
	double widest = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		widest = fmax(widest, modes->components[i].deviation /
					      modes->components[i].coefficients[0]);
	return deviation > mean * fmax(WIDE, WIDER_THAN * widest);
}

/* Are the numbers @far, above the modes, no mode themselves? @all: count including them. */
static bool are_unlike(const double *far, size_t n, const struct mixture *modes, size_t all)
{
	double mean = 0, square = 0;
	size_t i;

	if (n < outliers_mode_least(all))
		return true;
	for (i = 0; i < n; i++)
		mean += far[i] / n;
	for (i = 0; i < n; i++)
		square += (far[i] - mean) * (far[i] - mean) / n;
	return outlier_is_wide(sqrt(square), mean, modes, modes->n);
}

/* Outliers are uniform above the limit. */
static double bic_of_far(const double *rising, size_t n, size_t near, double limit)
{
	const double far = n - near;
	const double shares = near * log(near / (double)n) + far * log(far / n);

	return score_bic(-2 * (shares - far * log(rising[n - 1] - limit)), 2, n);
}

/* Is the last of the first @n components one of outliers? */
static bool is_of_far(const struct mixture *mixture, unsigned n, size_t rows)
{
	const struct mixture_component *last = &mixture->components[n - 1];
	const struct mixture_component *before = &mixture->components[n - 2];

	if (last->coefficients[0] < DEARER * before->coefficients[0])
		return false;
	return last->probability * rows < outliers_mode_least(rows) ||
	       outlier_is_wide(last->deviation, last->coefficients[0], mixture, n - 1);
}

/* The number of components that are modes; the others are of a few outliers. */
static unsigned count_modes(const struct mixture *mixture, size_t rows)
{
	unsigned n = mixture->n;
	double part = 0;

	while (n > 1) {
		part += mixture->components[n - 1].probability;
		if (part >= FAR_ROWS_OF_NONE || !is_of_far(mixture, n, rows))
			break;
		n--;
	}
	return n;
}

bool outliers_has(const struct outliers *far, double y)
{
	return y > far->limit || mixture_most_likely(&far->all, y) >= far->n_modes;
}

/* Numbers in components that are no modes; @modes: of the others. */
static void find_components(const double *rising, size_t n, double resolution,
			    struct mixture *modes, struct outliers *ret)
{
	double *near = mem_alloc(n * sizeof(*near));
	size_t n_near = 0;
	size_t i;

	ret->limit = INFINITY;
	ret->n_modes = count_modes(&ret->all, n);
	for (i = 0; i < n && ret->n_modes < ret->all.n; i++)
		if (!outliers_has(ret, rising[i]))
			near[n_near++] = rising[i];
	if (n_near > (1 - FAR_ROWS_OF_NONE) * n && n_near < n) {
		mixture_find(near, n_near, resolution, 0, modes);
		ret->n = n - n_near;
		ret->bic = ret->all.bic - modes->bic;
	}
	free(near);
}

/* Numbers above modes that the mixture of all numbers does not separate. */
static void find_hiding(const double *rising, size_t n, double resolution, struct mixture *modes,
			struct outliers *ret)
{
	double limit, bic;
	const size_t near = outlier_settle(rising, n, resolution, modes, &limit);
	const size_t far = n - near;

	if (!near || !far || far >= FAR_ROWS_OF_NONE * n || (modes->n < 2 && ret->all.n < 2) ||
	    !are_unlike(rising + near, far, modes, n))
		return;
	bic = bic_of_far(rising, n, near, limit);
	if (modes->bic + bic < ret->all.bic + (ret->all.n > modes->n ? SCORE_CLEARLY : 0)) {
		ret->n = far;
		ret->bic = bic;
		ret->limit = limit;
		ret->n_modes = ret->all.n;
	}
}

void outliers_leave_out(const double *y, size_t n, double resolution, struct mixture *mixture,
			struct outliers *ret)
{
	double *rising = mem_alloc((n + 1) * sizeof(*rising));
	struct mixture modes;

	*ret = (struct outliers){.all = *mixture};
	memcpy(rising, y, n * sizeof(*rising));
	row_order_sort_numbers(rising, n);
	if (n >= ROWS_MIN && rising[0] > 0) {
		find_components(rising, n, resolution, &modes, ret);
		if (!ret->n)
			find_hiding(rising, n, resolution, &modes, ret);
	}
	if (ret->n)
		*mixture = modes;
	free(rising);
}
