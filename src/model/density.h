/*
 * Density: the clusters of one series of numbers.
 *
 * An adaptive kernel density estimate on a grid, by FFT: its minima are borders between clusters, its maxima
 * their centres. Series of positive numbers that span decades are looked at in logarithms.
 * Sources: Silverman, Density Estimation for Statistics and Data Analysis (1986), sections 3.5 and 5.3; Botev, Grotowski, Kroese, Kernel
 * density estimation via diffusion, Annals of Statistics 38 (2010).
 */
#ifndef FATHOM_MODEL_DENSITY_H
#define FATHOM_MODEL_DENSITY_H

#include <stddef.h>

enum { CLUSTERS_MAX = 8 };

struct clusters {
	unsigned n; /* at least 1 */
	double borders
		[CLUSTERS_MAX -
		 1]; /* n - 1, rising: a number equal to a border is in the cluster above it */
	double centres[CLUSTERS_MAX];
	size_t sizes[CLUSTERS_MAX];
};

/*
 * The clusters of the @n finite numbers @y, at least one. A dip that chance explains is no border, a cluster of a few numbers is
 * none of its own. The time is that of sorting; @y's order does not matter.
 */
void density_find(const double *y, size_t n, struct clusters *ret);

#endif
