/*
 * Kernel density on a grid: a bandwidth by the data alone, wider where they are sparse.
 *
 * The bandwidth is the fixed point of the improved Sheather-Jones equation, kept near the rule of
 * thumb; the widths of the kernels go with the inverse square root of a first estimate (Abramson).
 * All is done on binned data in the frequency domain: sums over the data never appear. Sources:
 * Botev, Grotowski, Kroese, Kernel density estimation via diffusion, Annals of Statistics 38
 * (2010), section 5; Abramson, On bandwidth variation in kernel estimates, Annals of Statistics 10
 * (1982); Silverman, Density Estimation for Statistics and Data Analysis (1986), sections 3.4, 3.5
 * and 5.3.
 */
#pragma once

#include <stddef.h>

enum { KDE_GRID = 2048 };

struct kde {
	double low, step;         /* cell i is at low + i * step */
	double density[KDE_GRID]; /* sums to about 1 */
	double even[KDE_GRID];    /* the first estimate, with kernels of one width */
	double bandwidth;         /* of the first estimate */
};

/*
 * The density of the @n rising numbers @x, @distinct of which are different; the last is greater
 * than the first.
 */
void kde_estimate(const double *x, size_t n, size_t distinct, struct kde *ret);
