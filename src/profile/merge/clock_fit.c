/* What is left between the bounds is concave in the drift, what they are violated by convex. */
#include "clock_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* No clock of a machine is farther off. */
static const double DRIFT_MOST = 1e-3;
enum { SEARCH_STEPS = 100, TAKEN_BACK_MOST = 64 };

/* Moments of profiles are numbers of 53 bits. */
static const double ROUNDING_NS = 8;

struct fitting {
	const struct clock_bound *bounds;
	size_t n;
	int64_t since, ahead; /* everything is relative to these, as differences are small */
	bool *is_against;     /* [n] */
	double *all;          /* [2 n] for sorting */
};

static double low_of(const struct fitting *fitting, size_t i, double drift)
{
	const struct clock_bound *bound = &fitting->bounds[i];

	return (double)bound->low - (double)fitting->ahead -
	       drift * ((double)bound->low_at - (double)fitting->since);
}

static double high_of(const struct fitting *fitting, size_t i, double drift)
{
	const struct clock_bound *bound = &fitting->bounds[i];

	return (double)bound->high - (double)fitting->ahead -
	       drift * ((double)bound->high_at - (double)fitting->since);
}

/* How much room the bounds leave with that drift, and in @ret_middle the middle of it. */
static double room_at(const struct fitting *fitting, double drift, double *ret_middle)
{
	double low = -INFINITY, high = INFINITY;

	for (size_t i = 0; i < fitting->n; i++) {
		if (fitting->is_against[i])
			continue;
		low = fmax(low, low_of(fitting, i, drift));
		high = fmin(high, high_of(fitting, i, drift));
	}
	*ret_middle = low + (high - low) / 2;
	return high - low;
}

static int compare_bounds(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * By how much bounds are violated in sum, negative, at the offset for which that is least: the
 * median of all.
 */
static double agreement_at(const struct fitting *fitting, double drift, double *ret_middle)
{
	const size_t n = fitting->n;
	double sum = 0, middle;

	for (size_t i = 0; i < n; i++) {
		fitting->all[2 * i] = low_of(fitting, i, drift);
		fitting->all[2 * i + 1] = high_of(fitting, i, drift);
	}
	qsort(fitting->all, 2 * n, sizeof(double), compare_bounds);
	middle = (fitting->all[n - 1] + fitting->all[n]) / 2;
	for (size_t i = 0; i < n; i++)
		sum += fmax(0, low_of(fitting, i, drift) - middle) +
		       fmax(0, middle - high_of(fitting, i, drift));
	*ret_middle = middle;
	return -sum;
}

/* The drift for which @quality, which is concave, is best. */
static double best_drift(const struct fitting *fitting,
			 double (*quality)(const struct fitting *, double, double *))
{
	double from = -DRIFT_MOST, to = DRIFT_MOST, middle;

	for (int i = 0; i < SEARCH_STEPS; i++) {
		const double a = from + (to - from) / 3, b = to - (to - from) / 3;

		if (quality(fitting, a, &middle) < quality(fitting, b, &middle))
			from = a;
		else
			to = b;
	}
	return (from + to) / 2;
}

/* From @inside, where there is room, towards @end: where it ends. */
static double room_ends(const struct fitting *fitting, double inside, double end)
{
	double middle;

	if (room_at(fitting, end, &middle) >= 0)
		return end;
	for (int i = 0; i < SEARCH_STEPS; i++) {
		const double half = (inside + end) / 2;

		if (room_at(fitting, half, &middle) >= 0)
			inside = half;
		else
			end = half;
	}
	return inside;
}

/* Of the drifts that leave room, of which @drift is one, the middle. */
static void fitting_finish(const struct fitting *fitting, double drift, struct clock_fit *ret)
{
	double middle;

	ret->drift_low = room_ends(fitting, drift, -DRIFT_MOST);
	ret->drift_high = room_ends(fitting, drift, DRIFT_MOST);
	ret->drift = (ret->drift_low + ret->drift_high) / 2;
	ret->since = fitting->since;
	ret->width = fmax(0, room_at(fitting, ret->drift, &middle) / 2);
	ret->offset = (double)fitting->ahead + middle;
}

/*
 * The line of the least sum may violate some bounds a little, as wrong ones draw it: those that go
 * with the others after all, the least violated first, are not against them.
 */
static void take_back(struct fitting *fitting, const double *violated)
{
	double middle;

	for (int taken = 0; taken < TAKEN_BACK_MOST; taken++) {
		size_t least = fitting->n;

		for (size_t i = 0; i < fitting->n; i++)
			if (fitting->is_against[i] &&
			    (least == fitting->n || violated[i] < violated[least]))
				least = i;
		if (least == fitting->n)
			return;
		fitting->is_against[least] = false;
		if (room_at(fitting, best_drift(fitting, room_at), &middle) < -ROUNDING_NS) {
			fitting->is_against[least] = true;
			return;
		}
	}
}

/* Leaves out what contradicts the others. */
static void find_against(struct fitting *fitting, struct clock_fit *ret)
{
	double middle, drift;

	fitting->all = mem_alloc(2 * fitting->n * sizeof(double));
	drift = best_drift(fitting, agreement_at);
	agreement_at(fitting, drift, &middle);
	for (size_t i = 0; i < fitting->n; i++) {
		fitting->all[i] = fmax(low_of(fitting, i, drift) - middle,
				       middle - high_of(fitting, i, drift));
		fitting->is_against[i] = fitting->all[i] > 0;
	}
	take_back(fitting, fitting->all);
	for (size_t i = 0; i < fitting->n; i++)
		ret->n_against += fitting->is_against[i];
	free(fitting->all);
}

bool clock_fit(const struct clock_bound *bounds, size_t n, struct clock_fit *ret)
{
	struct fitting fitting = {.bounds = bounds, .n = n};
	double drift, middle;

	*ret = (struct clock_fit){.n = n};
	if (!n)
		return false;
	fitting.since = bounds[n / 2].low_at;
	fitting.ahead = bounds[n / 2].low;
	fitting.is_against = mem_alloc(n * sizeof(bool));
	drift = best_drift(&fitting, room_at);
	if (room_at(&fitting, drift, &middle) < -ROUNDING_NS) {
		find_against(&fitting, ret);
		drift = best_drift(&fitting, room_at);
	}
	fitting_finish(&fitting, drift, ret);
	free(fitting.is_against);
	return ret->n_against < n;
}

double clock_fit_ahead(const struct clock_fit *fit, int64_t at)
{
	return fit->offset + fit->drift * ((double)at - (double)fit->since);
}

bool clock_fit_contradicts(const struct clock_fit *fit, const struct clock_bound *bound)
{
	return (double)bound->low - clock_fit_ahead(fit, bound->low_at) > ROUNDING_NS ||
	       clock_fit_ahead(fit, bound->high_at) - (double)bound->high > ROUNDING_NS;
}
