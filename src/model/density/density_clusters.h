/*
 * Clusters of a series of numbers.
 *
 * Minima of an adaptive kernel density estimate (kde.h) that chance does not explain
 * (density_modes.h) are borders between clusters, maxima their centres. Positive numbers that span
 * decades are viewed in logarithms, heavy tails in logarithms of the distance from the middle.
 */
#pragma once

#include <stddef.h>

enum { CLUSTERS_MAX = 8 };

struct clusters {
	unsigned n; /* at least 1 */
	/* [n - 1], rising: a number equal to a border is in the cluster above. */
	double borders[CLUSTERS_MAX - 1];
	double centres[CLUSTERS_MAX];
	size_t sizes[CLUSTERS_MAX];
};

/*
 * The clusters of the @n finite numbers @y, in any order; at least one (empty if @n is 0). A dip
 * that chance explains is no border; a few numbers, or the numbers of a lattice, are no clusters,
 * but two or three distinct numbers seen often are one each. Time: that of sorting.
 */
void density_clusters_find(const double *y, size_t n, struct clusters *ret);
