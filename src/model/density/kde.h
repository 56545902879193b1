/*
 * Kernel density on a grid; the data alone set the bandwidth, wider where they are sparse.
 *
 * The bandwidth is the fixed point of the improved Sheather-Jones equation, near the rule of thumb;
 * kernel widths go with the inverse square root of a pilot estimate (Abramson). All sums are over
 * binned data in the frequency domain. Sources: Botev, Grotowski, Kroese, Kernel density estimation
 * via diffusion, Annals of Statistics 38 (2010), section 5; Abramson, On bandwidth variation in
 * kernel estimates, Annals of Statistics 10 (1982); Silverman, Density Estimation for Statistics
 * and Data Analysis (1986), sections 3.4, 3.5 and 5.3.
 */
#pragma once

#include <stddef.h>

enum { KDE_GRID = 2048 };

struct kde {
	double low, step;         /* cell i is at low + i * step */
	double density[KDE_GRID]; /* sums to about 1 */
	double even[KDE_GRID];    /* the pilot estimate, with kernels of one width */
	double bandwidth;         /* of the pilot */
};

/* The density of the @n rising numbers @x, @distinct >= 2 of them different. */
void kde_estimate(const double *x, size_t n, size_t distinct, struct kde *ret);
