/* Costs over commits, or whatever else has names, as a picture. */
#pragma once

#include "figure.h"

struct figure_course {
	const char *title, *x_title;
	enum metric metric;
	const char *const *names; /* [n] of the places */
	const double *costs;      /* [n] */
	const double *levels;     /* [n] of the segments that they are in */
	size_t n;                 /* at least 1 */
};

struct figure *figure_course(const struct figure_course *course);
