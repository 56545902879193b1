/* Searches the shape of the noise, from constant to proportional, on a grid. */
#include "deviation.h"

#include <math.h>

#include "score.h"

enum { ROWS_MIN_NOISE = 30 };

/* Beyond the penalty of a parameter. */
#define MARGIN 10.0
/* The least deviation, as a part of the typical one. */
#define LEAST 1e-6

/*
 * -2 log likelihood, without constants, of a deviation @scale * ((1 - @share) * @typical + @share *
 * mean); infinite if that is about 0 for a row.
 */
static double deviance(const double *residual, const double *mean, size_t n, double typical,
		       double share, double *scale)
{
	double squares = 0;
	double logs = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double shape = (1 - share) * typical + share * mean[i];

		if (!(shape > LEAST * typical))
			return INFINITY;
		squares += residual[i] / shape * (residual[i] / shape);
		logs += log(shape);
	}
	*scale = sqrt(squares / n);
	return *scale > 0 ? 2 * logs + 2 * n * log(*scale) : INFINITY;
}

bool deviation_find(const double *residual, const double *mean, size_t n, double *base,
		    double *part)
{
	static const double shares[] = {0.2,   0.4,   0.6,   0.75,  0.87,   0.94,   0.97,
					0.985, 0.993, 0.997, 0.999, 0.9997, 0.9999, 1};
	double typical = 0;
	double best, scale = NAN;
	double found = 0;
	size_t i;

	if (n < ROWS_MIN_NOISE)
		return false;
	for (i = 0; i < n; i++)
		typical += fabs(mean[i]) / n;
	if (!(typical > 0))
		return false;
	best = deviance(residual, mean, n, typical, 0, &scale) - MARGIN - score_penalty(1, n);
	for (i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		const double other = deviance(residual, mean, n, typical, shares[i], &scale);

		if (!(other < best))
			continue;
		best = other;
		found = shares[i];
		*part = scale * found;
		*base = scale * (1 - found) * typical;
	}
	return found > 0;
}

struct formula deviation_formula(struct arena *arena, const struct formula *mean, double base,
				 double part)
{
	struct term *terms = arena_array(arena, struct term, mean->n_terms + 1);
	size_t n = 0;

	terms[n++] = (struct term){.coefficient = annotation_number(base), .std_error = NAN};
	for (size_t i = 0; i < mean->n_terms && part > 0; i++) {
		terms[n] = mean->terms[i];
		terms[n].std_error = NAN;
		terms[n].coefficient = annotation_number(part * mean->terms[i].coefficient);
		if (mean->terms[i].n_factors)
			n++;
		else
			terms[0].coefficient =
				annotation_number(base + part * mean->terms[i].coefficient);
	}
	return (struct formula){terms, n};
}
