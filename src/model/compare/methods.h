/*
 * Detectors of Perun (github.com/Perfexionists/perun, perun/check), by the values of a feature
 * instead of by positions. Their thresholds are Perun's; none of them knows chance.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "core/verdict/diff.h"

/* Points of a curve. */
struct method_points {
	const double *x, *y; /* [n] */
	size_t n;
};

/*
 * The relative difference of the integrals over the x that both have, by the trapezoidal rule over
 * the means of 20 windows. NAN: they have none in common.
 */
double methods_integral(const struct method_points *old, const struct method_points *new);

/*
 * The mean relative difference over the windows that both have points in, of the statistics of each
 * (mean, median, least, most, quartiles; the mean counts thrice). @ret: the window that differs
 * most and its grade: a statistic counts 0 up to 10 %, a half up to 25 %, else 1; up to a fifth of
 * all is none, up to a half perhaps.
 */
double methods_local(const struct method_points *old, const struct method_points *new,
		     struct method_result *ret);

/*
 * Grade the values of @results: severe if 0.6745 |value - median| / MAD > 3.5 (Iglewicz and
 * Hoaglin, 1993), a change if it is outside of the quartiles by more than 1.5 of their distance
 * (Tukey, 1977), perhaps if it is above 2 standard deviations of those that are neither. MAD is
 * @floors at least, what chance adds to each; a value within its floor is none.
 */
void methods_outliers(struct method_result *results, const double *floors, size_t n);

/*
 * Judge a function by @method, whose models are taken; METHOD_OUTLIERS waits for methods_decide().
 */
void methods_add(struct diff *diff, enum method method, const struct samples *old,
		 const struct samples *new, struct annotation *old_model,
		 struct annotation *new_model);

/* For METHOD_OUTLIERS: what all calls of a run cost; one side may lack the function, as NULL. */
void methods_add_total(struct diff *diff, const struct samples *old, const struct samples *new,
		       enum metric metric);

/* After all functions. Returns how many are worse. */
size_t methods_decide(struct diff *diff, enum method method);
