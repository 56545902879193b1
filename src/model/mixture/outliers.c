/*
 * Set the most expensive calls aside, fit the rest, take back the near ones; keep that if BIC
 * improves.
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

enum { ALONE_OF = 100, ALONE_TIMES = 20 };

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

/* Is @deviation, relative to @mean, far above those of the modes? */
static bool outlier_is_wide(double deviation, double mean, const struct mixture *modes)
{
	double widest = 0;
	unsigned i;

	for (i = 0; i < modes->n; i++)
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
	return outlier_is_wide(sqrt(square), mean, modes);
}

/* Outliers are uniform above the limit. */
static double bic_of_far(const double *rising, size_t n, size_t near, double limit)
{
	const double far = n - near;
	const double shares = near * log(near / (double)n) + far * log(far / n);

	return score_bic(-2 * (shares - far * log(rising[n - 1] - limit)), 2, n);
}

/* The numbers @rising above modes that the mixture of all of them does not separate. */
static void find_hiding(const double *rising, size_t n, double resolution, struct mixture *mixture,
			struct outliers *ret)
{
	struct mixture modes;
	double limit, bic;
	const size_t near = outlier_settle(rising, n, resolution, &modes, &limit);
	const size_t far = n - near;

	if (!near || !far || far >= FAR_ROWS_OF_NONE * n || (modes.n < 2 && mixture->n < 2) ||
	    !are_unlike(rising + near, far, &modes, n))
		return;
	bic = bic_of_far(rising, n, near, limit);
	if (modes.bic + bic >= mixture->bic + (mixture->n > modes.n ? SCORE_CLEARLY : 0))
		return;
	*ret = (struct outliers){far, bic, limit};
	*mixture = modes;
}

void outliers_find_alone(const double *y, size_t n, double resolution, struct outliers *ret)
{
	const size_t most = n / ALONE_OF > 1 ? n / ALONE_OF : 1;
	double *rising = mem_alloc((n + 1) * sizeof(*rising));
	const double *median = &rising[n / 2];

	*ret = (struct outliers){.limit = INFINITY};
	memcpy(rising, y, n * sizeof(*rising));
	row_order_sort_numbers(rising, n);
	for (size_t k = 1; k <= most && n >= ROWS_MIN; k++) {
		const double farthest = fmax(rising[n - k - 1] - *median, resolution);

		if (farthest > 0 && rising[n - k] - *median > ALONE_TIMES * farthest) {
			*ret = (struct outliers){.n = k, .limit = rising[n - k - 1]};
			break;
		}
	}
	free(rising);
}

void outliers_leave_out(const double *y, size_t n, double resolution, struct mixture *mixture,
			struct outliers *ret)
{
	double *rising = mem_alloc((n + 1) * sizeof(*rising));

	*ret = (struct outliers){.limit = INFINITY};
	memcpy(rising, y, n * sizeof(*rising));
	row_order_sort_numbers(rising, n);
	if (n >= ROWS_MIN && rising[0] > 0)
		find_hiding(rising, n, resolution, mixture, ret);
	free(rising);
}
