/*
 * Points, and their running means and squares. Source: Welford, Note on a method for calculating
 * corrected sums of squares and products, Technometrics 4 (1962).
 */
#pragma once

#include <math.h>
#include <stddef.h>

struct point {
	double x, y;
};

/* By x, then y. */
void moments_sort_points(struct point *points, size_t n);

struct moments {
	double weight;
	double x, y;       /* means */
	double xx, xy, yy; /* sums of squares and products around them */
};

static inline void moments_add(struct moments *moments, double weight, double x, double y)
{
	const double dx = x - moments->x, dy = y - moments->y;

	moments->weight += weight;
	moments->x += dx * weight / moments->weight;
	moments->y += dy * weight / moments->weight;
	moments->xx += weight * dx * (x - moments->x);
	moments->xy += weight * dx * (y - moments->y);
	moments->yy += weight * dy * (y - moments->y);
}

/* 0 if one does not vary. */
static inline double moments_correlation(const struct moments *moments)
{
	const double spread = sqrt(moments->xx) * sqrt(moments->yy);

	return spread > 0 ? moments->xy / spread : 0;
}
