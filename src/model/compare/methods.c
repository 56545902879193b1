/* Detectors over the calls of both sides, ordered by one feature; see methods.h. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/data/stats.h"

/* Points of a curve. */
struct method_points {
	const double *x, *y; /* [n] */
	size_t n;
};

#define SOME  0.10
#define MUCH  0.25
#define R2_OF 0.9 /* of a class that is compared */
enum { WINDOWS = 20, STATISTICS = 8 };

/* What both have in one window. */
struct windows {
	double low, width;
};

static bool windows_find(const struct method_points *old, const struct method_points *new,
			 struct windows *ret)
{
	double low, high;

	if (!old->n || !new->n)
		return false;
	low = fmax(stats_quantile(old->x, old->n, 0), stats_quantile(new->x, new->n, 0));
	high = fmin(stats_quantile(old->x, old->n, 1), stats_quantile(new->x, new->n, 1));
	if (!(low <= high))
		return false;
	*ret = (struct windows){low, (high - low) / WINDOWS};
	return true;
}

/* The points of a window, in @ret; the last one has its upper end, too. */
static size_t window_points(const struct method_points *points, const struct windows *windows,
			    int at, double *ret)
{
	size_t n = 0, i;

	for (i = 0; i < points->n; i++) {
		const double place =
			windows->width > 0 ? (points->x[i] - windows->low) / windows->width : 0;
		const int in =
			place == WINDOWS ? WINDOWS - 1 : (int)floor(fmax(fmin(place, 1e6), -1));

		if (in == at)
			ret[n++] = points->y[i];
	}
	return n;
}

/* Both sides' points of each window, one after the other. False: one has none there. */
static bool windows_read(const struct method_points *const sides[2], const struct windows *windows,
			 int at, double *const values[2], size_t n[2])
{
	n[0] = window_points(sides[0], windows, at, values[0]);
	n[1] = window_points(sides[1], windows, at, values[1]);
	return n[0] && n[1];
}

static double relative(double old, double new)
{
	if (old == new)
		return 0;
	return old != 0 ? (new - old) / fabs(old) : copysign(INFINITY, new);
}

/*
 * The relative difference of the integrals over the x that both have, by the trapezoidal rule over
 * the means of 20 windows. NAN: they have none in common.
 */
static double integral_change(const struct method_points *old, const struct method_points *new)
{
	const struct method_points *const sides[2] = {old, new};
	struct arena *arena = arena_create();
	double *const values[2] = {arena_array(arena, double, old->n + 1),
				   arena_array(arena, double, new->n + 1)};
	double sums[2] = {0, 0}, before[2] = {0, 0};
	struct windows windows;
	int at, last = -1;
	size_t n[2], i;

	if (windows_find(old, new, &windows))
		for (at = 0; at < WINDOWS; at++) {
			if (!windows_read(sides, &windows, at, values, n))
				continue;
			for (i = 0; i < 2; i++) {
				const double mean = stats_mean(values[i], n[i]);
				const double ends = last < 0 ? 1 : at - last;

				sums[i] += last < 0 ? mean / 2 : ends * (mean + before[i]) / 2;
				before[i] = mean;
			}
			last = at;
		}
	arena_destroy(arena);
	return last < 0 ? NAN : relative(sums[0] + before[0] / 2, sums[1] + before[1] / 2);
}

static void statistics_of(const double *values, size_t n, double ret[STATISTICS])
{
	ret[0] = ret[1] = ret[2] = stats_mean(values, n);
	ret[3] = stats_median(values, n);
	ret[4] = stats_quantile(values, n, 0);
	ret[5] = stats_quantile(values, n, 1);
	ret[6] = stats_quantile(values, n, 0.25);
	ret[7] = stats_quantile(values, n, 0.75);
}

static enum method_grade grade_of(double difference)
{
	return fabs(difference) <= SOME   ? GRADE_NONE
	       : fabs(difference) <= MUCH ? GRADE_MAYBE
					  : GRADE_CHANGE;
}

/* The window's mean difference, and its grade by the score of its statistics. */
static double judge_window(double *const values[2], const size_t n[2], enum method_grade *ret)
{
	double old[STATISTICS], new[STATISTICS], score = 0, sum = 0;
	size_t i;

	statistics_of(values[0], n[0], old);
	statistics_of(values[1], n[1], new);
	for (i = 0; i < STATISTICS; i++) {
		const double e = relative(old[i], new[i]);

		score += copysign(grade_of(e) / 2.0, e);
		sum += e;
	}
	*ret = fabs(score) <= 0.2 * STATISTICS   ? GRADE_NONE
	       : fabs(score) <= 0.5 * STATISTICS ? GRADE_MAYBE
						 : GRADE_CHANGE;
	return sum / STATISTICS;
}

/*
 * The mean relative difference over the windows that both have points in, of the statistics of each
 * (mean, median, least, most, quartiles; the mean counts thrice). @ret: the window that differs
 * most and its grade: a statistic counts 0 up to 10 %, a half up to 25 %, else 1; up to a fifth of
 * all is none, up to a half perhaps.
 */
static double local_changes(const struct method_points *old, const struct method_points *new,
			    struct method_result *ret)
{
	const struct method_points *const sides[2] = {old, new};
	struct arena *arena = arena_create();
	double *const values[2] = {arena_array(arena, double, old->n + 1),
				   arena_array(arena, double, new->n + 1)};
	struct windows windows;
	double sum = 0;
	size_t n[2], seen = 0;
	int at;

	ret->grade = GRADE_NONE;
	for (at = 0; windows_find(old, new, &windows) && at < WINDOWS; at++) {
		enum method_grade grade;
		double e;

		if (!windows_read(sides, &windows, at, values, n))
			continue;
		e = judge_window(values, n, &grade);
		sum += e;
		seen++;
		if (seen > 1 &&
		    (grade < ret->grade || (grade == ret->grade && fabs(e) <= fabs(ret->window))))
			continue;
		ret->grade = grade;
		ret->window = e;
		ret->where[0] = windows.low + at * windows.width;
		ret->where[1] = windows.low + (at + 1) * windows.width;
	}
	arena_destroy(arena);
	return seen ? sum / (double)seen : NAN;
}

static double spread_without(const struct method_result *results, size_t n)
{
	double sum = 0, squares = 0;
	size_t kept = 0, i;

	for (i = 0; i < n; i++)
		if (results[i].grade == GRADE_NONE) {
			sum += results[i].value;
			squares += results[i].value * results[i].value;
			kept++;
		}
	if (kept < 2)
		return INFINITY;
	return sqrt(fmax(squares - sum * sum / (double)kept, 0) / (double)(kept - 1));
}

/*
 * Grade the values of @results: severe if 0.6745 |value - median| / MAD > 3.5 (Iglewicz and
 * Hoaglin, 1993), a change if it is outside of the quartiles by more than 1.5 of their distance
 * (Tukey, 1977), perhaps if it is above 2 standard deviations of those that are neither. MAD is
 * @floors at least, what chance adds to each; a value within its floor is none.
 */
static void grade_outliers(struct method_result *results, const double *floors, size_t n)
{
	struct arena *arena = arena_create();
	double *values = arena_array(arena, double, n + 1);
	double *away = arena_array(arena, double, n + 1);
	double middle, mad, low, high, deviation;
	size_t i;

	for (i = 0; i < n; i++)
		values[i] = results[i].value;
	middle = stats_median(values, n);
	for (i = 0; i < n; i++)
		away[i] = fabs(values[i] - middle);
	mad = stats_median(away, n);
	low = stats_quantile(values, n, 0.25);
	high = stats_quantile(values, n, 0.75);
	for (i = 0; i < n; i++) {
		const double least = fmax(mad, floors[i]);
		const double beyond = fmax(values[i] - high, low - values[i]);

		results[i].grade = GRADE_NONE;
		if (!(fabs(values[i]) > floors[i]))
			continue;
		if (0.6745 * away[i] > 3.5 * least)
			results[i].grade = GRADE_SEVERE;
		else if (beyond > 1.5 * (high - low))
			results[i].grade = GRADE_CHANGE;
	}
	deviation = spread_without(results, n);
	for (i = 0; i < n; i++)
		if (results[i].grade == GRADE_NONE && fabs(values[i]) > floors[i] &&
		    fabs(values[i]) > 2 * deviation)
			results[i].grade = GRADE_MAYBE;
	arena_destroy(arena);
}

static enum growth growth_and_r2(const struct annotation *annotation, double *ret_r2)
{
	enum growth most = GROWTH_CONSTANT;
	size_t i, j;

	*ret_r2 = annotation->n_cases ? 1 : 0;
	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++) {
			const struct model *model = &annotation->cases[i].models[j];

			most = model->growth > most ? model->growth : most;
			/* Of a constant there is nothing to explain. */
			if (model->is_unexplained)
				*ret_r2 = 0;
			else if (model->r2 < *ret_r2)
				*ret_r2 = model->r2;
		}
	return most;
}

static void judge_order(const struct annotation *old, const struct annotation *new,
			struct method_result *ret)
{
	double r2[2];
	const enum growth before = growth_and_r2(old, &r2[0]), now = growth_and_r2(new, &r2[1]);

	ret->value = (double)now - (double)before;
	ret->grade = ret->value != 0 ? GRADE_CHANGE : GRADE_NONE;
	if (fmin(r2[0], r2[1]) < R2_OF)
		ret->reason = "a formula explains less than R² 0.9";
}

/* The column of the first feature of the old formula's fastest case; NULL: it has none. */
static const char *find_x(const struct annotation *annotation)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (annotation->features[i].type == FEATURE_INT ||
		    annotation->features[i].type == FEATURE_FLOAT)
			return annotation->features[i].expression;
	return NULL;
}

/* Costs by @x; if that is NULL or not there, all at one place. */
static struct method_points read_points(const struct samples *samples, enum metric metric,
					const char *x, struct arena *arena)
{
	const struct column *cost = samples_metric(samples, metric);
	const size_t x_at =
		x ? samples_find_column(samples, COLUMN_FEATURE, x) : samples->n_columns;
	double *points[2] = {arena_array(arena, double, samples->n_rows + 1),
			     arena_array(arena, double, samples->n_rows + 1)};
	size_t n = 0, row;

	for (row = 0; row < samples->n_rows; row++) {
		if (cost->absence[row] != PRESENT ||
		    (x_at < samples->n_columns && samples->columns[x_at].absence[row] != PRESENT))
			continue;
		points[0][n] = x_at < samples->n_columns ? samples->columns[x_at].numbers[row] : 0;
		points[1][n++] = cost->numbers[row];
	}
	return (struct method_points){points[0], points[1], n};
}

/* The cost of all calls of a run, and what resolution may add to it. */
static double run_total(const struct samples *samples, enum metric metric, double *ret_floor)
{
	struct arena *arena = arena_create();
	struct method_points points;
	size_t runs = 1, row;
	double calls, total;

	if (!samples) {
		arena_destroy(arena);
		return 0;
	}
	points = read_points(samples, metric, NULL, arena);
	for (row = 1; row < samples->n_rows; row++)
		runs += samples->keys[row].run != samples->keys[row - 1].run;
	calls = (double)samples->n_calls / (double)runs;
	total = stats_mean(points.y, points.n) * calls;
	*ret_floor = hypot(*ret_floor, samples_resolution(samples, metric) * sqrt(calls));
	arena_destroy(arena);
	return total;
}

void methods_add_total(struct diff *diff, const struct samples *old, const struct samples *new,
		       enum metric metric)
{
	struct method_result *result = diff_add_result(diff, (old ? old : new)->function, metric);
	double floor = 0;
	const double before = run_total(old, metric, &floor), now = run_total(new, metric, &floor);

	result->value = now - before;
	result->share = now;
	result->window = floor;
}

void methods_add(struct diff *diff, enum method method, const struct samples *old,
		 const struct samples *new, struct annotation *old_model,
		 struct annotation *new_model)
{
	const enum metric metric = old_model->metric;
	struct arena *arena = arena_create();
	const char *x = find_x(old_model);
	const struct method_points before = read_points(old, metric, x, arena);
	const struct method_points now = read_points(new, metric, x, arena);
	struct method_result *result;

	if (method == METHOD_OUTLIERS)
		methods_add_total(diff, old, new, metric);
	else
		diff_add_result(diff, old->function, metric);
	result = &diff->results[diff->n_results - 1];
	result->old = old_model;
	result->now = new_model;
	switch (method) {
	case METHOD_AVERAGE:
		result->value = relative(stats_mean(before.y, before.n), stats_mean(now.y, now.n));
		result->grade =
			result->value >= 1 || result->value <= -0.5 ? GRADE_CHANGE : GRADE_NONE;
		break;
	case METHOD_ORDER:
		judge_order(old_model, new_model, result);
		break;
	case METHOD_INTEGRAL:
		result->value = integral_change(&before, &now);
		result->grade = grade_of(result->value);
		break;
	case METHOD_LOCAL:
		result->value = local_changes(&before, &now, result);
		result->x = x ? arena_strdup(diff->arena, x) : NULL;
		break;
	case METHOD_TESTS:
	case METHOD_OUTLIERS:
		break;
	}
	if (isnan(result->value))
		result->reason = "the calls have no range in common";
	arena_destroy(arena);
}

/* Totals of one metric and comparison are judged together. */
static void decide_totals(struct diff *diff, size_t first, size_t n)
{
	struct method_result *results = &diff->results[first];
	double *floors = arena_array(diff->arena, double, n + 1);
	double whole = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		floors[i] = results[i].window;
		whole += results[i].share;
		results[i].window = 0;
	}
	grade_outliers(results, floors, n);
	for (i = 0; i < n; i++)
		results[i].share = whole > 0 ? results[i].value / whole : NAN;
}

static int by_kind(const void *a, const void *b)
{
	const struct method_result *x = a, *y = b;

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return (x->side && y->side) ? strcmp(x->side, y->side) : 0;
}

static int method_by_gravity(const void *a, const void *b)
{
	const struct method_result *x = a, *y = b;

	if (x->grade != y->grade)
		return x->grade > y->grade ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return strcmp(x->function, y->function);
}

size_t methods_decide(struct diff *diff, enum method method)
{
	size_t first, end, i, worse = 0;

	if (!diff->n_results)
		return 0;
	qsort(diff->results, diff->n_results, sizeof(*diff->results), by_kind);
	for (first = 0; first < diff->n_results && method == METHOD_OUTLIERS; first = end) {
		for (end = first;
		     end < diff->n_results && !by_kind(&diff->results[first], &diff->results[end]);
		     end++)
			continue;
		decide_totals(diff, first, end - first);
	}
	qsort(diff->results, diff->n_results, sizeof(*diff->results), method_by_gravity);
	for (i = 0; i < diff->n_results; i++)
		worse += method_is_worse(&diff->results[i]);
	return worse;
}
