/*
 * The dearest are put aside, modes are found in the rest, and what is near to these comes back. That is taken if it describes all calls
 * better, far ones being anything above the modes; and about as well where they were a mode of their own.
 */
#include "model/far.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "base/mem.h"

enum { ROUNDS = 5, ROWS_MIN = 20, FEW = 5 /* fewer are no mode, however alike */ };

/* Of the calls; more are no few. */
#define PART_MOST 0.1
/* So many deviations beyond the dearest mode calls are not its own, and this part of it at least. */
#define BEYOND 6.0
#define DEARER 1.2
/* Far calls are unlike each other: in parts of their mean, and of how unlike those of modes are. */
#define WIDE       0.1
#define WIDER_THAN 5.0
/* By BIC. */
#define CLEARLY 20.0

static double limit_of(const struct mixture *mixture)
{
	double limit = 0;
	unsigned i;

	for (i = 0; i < mixture->n; i++) {
		const struct mixture_component *one = &mixture->components[i];

		limit = fmax(limit, fmax(one->coefficients[0] + BEYOND * one->deviation,
					 DEARER * one->coefficients[0]));
	}
	return limit;
}

/* How many of the rising numbers are not above @limit. */
static size_t count_near(const double *rising, size_t n, double limit)
{
	while (n && rising[n - 1] > limit)
		n--;
	return n;
}

/* Modes without the dearest; what is near to them comes back. Returns how many numbers these are; 0: this does not settle. */
static size_t settle(const double *rising, size_t n, struct mixture *ret, double *limit)
{
	size_t kept = n - (size_t)(PART_MOST * n);
	unsigned round;

	for (round = 0; round < ROUNDS; round++) {
		size_t near;

		mixture_find(rising, kept, ret);
		*limit = limit_of(ret);
		near = count_near(rising, n, *limit);
		if (near == kept)
			return kept;
		kept = near;
		if (kept < ROWS_MIN)
			return 0;
	}
	return 0;
}

static double widest_mode(const struct mixture *mixture)
{
	double widest = 0;
	unsigned i;

	for (i = 0; i < mixture->n; i++)
		widest = fmax(widest, mixture->components[i].deviation /
					      mixture->components[i].coefficients[0]);
	return widest;
}

/* Are the rising numbers @far, which are above the modes, no mode themselves? */
static bool are_unlike(const double *far, size_t n, const struct mixture *modes)
{
	double mean = 0, square = 0;
	size_t i;

	if (n < FEW)
		return true;
	for (i = 0; i < n; i++)
		mean += far[i] / n;
	for (i = 0; i < n; i++)
		square += (far[i] / mean - 1) * (far[i] / mean - 1) / n;
	return sqrt(square) > fmax(WIDE, WIDER_THAN * widest_mode(modes));
}

/* The far ones are anything above the limit, equally likely. */
static double bic_of_far(const double *rising, size_t n, size_t near, double limit)
{
	const double far = n - near;
	const double shares = near * log(near / (double)n) + far * log(far / n);

	return -2 * (shares - far * log(rising[n - 1] - limit)) + 2 * log(n);
}

/* Which of the rising numbers are far, and the mixture of the others; none where the rest does not settle, or they are alike. */
static void find_far(const double *rising, size_t n, struct mixture *modes, struct far *ret)
{
	double limit;
	const size_t near = settle(rising, n, modes, &limit);
	const size_t far = n - near;

	if (near && far && far < PART_MOST * n && are_unlike(rising + near, far, modes))
		*ret = (struct far){far, limit, bic_of_far(rising, n, near, limit)};
}

void far_leave_out(const double *y, size_t n, struct mixture *mixture, struct far *ret)
{
	double *rising = mem_alloc((n + 1) * sizeof(*rising));
	struct mixture modes;

	*ret = (struct far){.n = 0};
	memcpy(rising, y, n * sizeof(*rising));
	gsl_sort(rising, 1, n);
	if (n >= ROWS_MIN && rising[0] > 0)
		find_far(rising, n, &modes, ret);
	free(rising);
	if (!ret->n)
		return;
	if ((modes.n > 1 || mixture->n > 1) &&
	    modes.bic + ret->bic < mixture->bic + (mixture->n > modes.n ? CLEARLY : 0))
		*mixture = modes;
	else
		ret->n = 0;
}
