/*
 * Outliers: calls that cost far more than others, or what no kind of calls does, each for a reason
 * of its own, such as preemption or a page fault.
 */
#pragma once

#include "model/data/dataset.h"

struct outliers {
	size_t n;
	double limit; /* numbers above are outliers; INFINITY: there are none */
};

/* With fewer of @n calls a component is no mode, however alike they are. */
double outliers_mode_least(size_t n);

/*
 * What the calls @is_far ([n_rows], canonical order) add to the BIC of the others, if they are
 * anywhere between the least and the largest cost.
 */
double outliers_bic(const struct dataset *data, const unsigned char *is_far);

/*
 * Outliers beyond all comparison: a hundredth of the numbers @y at most (but one of a few), each
 * many times farther from the median than the farthest other, and than @resolution. Whatever else
 * there is, they would be most of its mean and of its deviation.
 */
void outliers_find_alone(const double *y, size_t n, double resolution, struct outliers *ret);
