/*
 * Density: the clusters of one series of numbers.
 *
 * The minima of an adaptive kernel density estimate (kde.h) are borders between clusters, its
 * maxima their centres, where they stand out beyond chance (density_modes.h). Series of positive
 * numbers that span decades are looked at in logarithms, those with heavy tails in logarithms of
 * their distance from the middle.
 */
#pragma once

#include <stddef.h>

enum { CLUSTERS_MAX = 8 };

struct clusters {
	unsigned n; /* at least 1 */
	/* n - 1, rising: a number equal to a border is in the cluster above it. */
	double borders[CLUSTERS_MAX - 1];
	double centres[CLUSTERS_MAX];
	size_t sizes[CLUSTERS_MAX];
};

/*
 * The clusters of the @n finite numbers @y, at least one (of no numbers it is empty). A dip that
 * chance explains is no border, a cluster of a few numbers is none of its own, nor are the numbers
 * of a lattice; but two or three different numbers that are seen often are a cluster each. The time
 * is that of sorting; @y's order does not matter.
 */
void density_clusters_find(const double *y, size_t n, struct clusters *ret);
