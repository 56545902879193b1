/*
 * Regresses a time's residuals on another metric, with all calls and without a few outliers. Two
 * calls alone never decide the line.
 */
#include "metric_covariate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "model/data/row_expectation.h"
#include "model/data/moments.h"
#include "model_notes.h"

enum {
	ROWS_LEAST = 20,
	VARIED_LEAST = 5, /* calls that must exceed the other metric's minimum */
};

/* The part of the residual variance that the other metric must explain. */
#define R2_LEAST 0.5
/* Metrics this close in R2: the first in order is the cause. */
#define R2_SAME 0.02
/* Smaller effects, in parts of the mean, are not worth a note. */
#define EFFECT_LEAST 0.05
/* Part of the calls that may be left out, and their distance in median distances. */
#define FAR_PART 0.02
#define FAR      12
/* Waiting is a part of the time itself. */
#define SHARE_LEAST 0.2
#define SHARE_MOST  1.05
#define SHARE_SAID  0.5
#define SLOPE_ABOUT 0.3

struct line {
	double slope, r2;
	double effect; /* standard deviation of what it explains */
};

struct covariate_search {
	struct annotation *annotation;
	const struct column *time;
	double *left;               /* [rows of the table] residuals; NAN: unknown */
	double mean;                /* of the time */
	struct point *pairs, *rest; /* the other metric and the residual, over their maxima */
	size_t n;
	double left_scale, other_scale;
};

static struct moments moments_of(const struct point *pairs, size_t n)
{
	struct moments moments = {0};
	size_t i;

	for (i = 0; i < n; i++)
		moments_add(&moments, 1, pairs[i].x, pairs[i].y);
	return moments;
}

static struct line fit_line(const struct point *pairs, size_t n)
{
	const struct moments m = moments_of(pairs, n);
	const double slope = m.xy / m.xx;

	if (m.xx <= 0 || m.yy <= 0)
		return (struct line){0, 0, 0};
	return (struct line){slope, slope * m.xy / m.yy, fabs(slope) * sqrt(m.xx / n)};
}

static bool is_close(const struct line *line)
{
	return line->slope > 0 && line->r2 >= R2_LEAST;
}

/* A call's influence on the slope. */
static double covariate_leverage(const struct point *pair, const struct moments *middle)
{
	return fabs((pair->y - middle->y) * (pair->x - middle->x));
}

/* Is the line the same without its two most influential calls? */
static bool holds_without_two(const struct point *pairs, size_t n, struct point *rest)
{
	const struct moments middle = moments_of(pairs, n);
	struct line line;
	int round;
	size_t i;

	memcpy(rest, pairs, n * sizeof(*pairs));
	for (round = 0; round < 2; round++) {
		size_t most = 0;

		for (i = 1; i < n; i++)
			if (covariate_leverage(&rest[i], &middle) >
			    covariate_leverage(&rest[most], &middle))
				most = i;
		rest[most] = rest[--n];
	}
	line = fit_line(rest, n);
	return is_close(&line);
}

static double covariate_distance(const struct point *pair, const struct line *line)
{
	return fabs(pair->y - line->slope * pair->x);
}

/* Leave out calls far from @line, keeping the order; returns how many stay. */
static size_t covariate_leave_out_far(struct point *pairs, size_t n, const struct line *line)
{
	double *distances = mem_alloc(n * sizeof(*distances));
	double middle = 0, limit;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < n; i++)
		distances[i] = pairs[i].y - line->slope * pairs[i].x;
	gsl_sort(distances, 1, n);
	middle = distances[n / 2];
	for (i = 0; i < n; i++)
		distances[i] = fabs(distances[i] - middle);
	gsl_sort(distances, 1, n);
	limit = fmax(FAR * distances[n / 2], distances[(size_t)((1 - FAR_PART) * (n - 1))]);
	free(distances);
	for (i = 0; i < n; i++) {
		const struct point from_middle = {pairs[i].x, pairs[i].y - middle};

		if (covariate_distance(&from_middle, line) <= limit)
			pairs[kept++] = pairs[i];
	}
	return kept;
}

static bool find_line(struct covariate_search *following, struct line *ret)
{
	size_t n = following->n;

	*ret = fit_line(following->pairs, n);
	if (is_close(ret) && holds_without_two(following->pairs, n, following->rest))
		return true;
	n = covariate_leave_out_far(following->pairs, n, ret);
	*ret = fit_line(following->pairs, n);
	return is_close(ret) && holds_without_two(following->pairs, n, following->rest);
}

static void find_left(struct covariate_search *following, const struct samples *samples)
{
	const struct column *time = following->time;
	size_t row;

	row_expectation_find(following->annotation, samples, following->left, NULL);
	for (row = 0; row < samples->n_rows; row++)
		following->left[row] = time->absence[row] == PRESENT
					       ? time->numbers[row] - following->left[row]
					       : NAN;
}

/* The calls with both values, in an order of their own. False: too few, or one is constant. */
static bool find_pairs(struct covariate_search *following, const struct samples *samples,
		       const struct column *other)
{
	double least = INFINITY;
	size_t varied = 0;
	size_t i;

	following->n = 0;
	following->left_scale = following->other_scale = 0;
	for (i = 0; i < samples->n_rows; i++) {
		const struct point pair = {other->numbers[i], following->left[i]};

		if (!isfinite(pair.y) || other->absence[i] != PRESENT)
			continue;
		following->pairs[following->n++] = pair;
		following->left_scale = fmax(following->left_scale, fabs(pair.y));
		following->other_scale = fmax(following->other_scale, fabs(pair.x));
		least = fmin(least, pair.x);
	}
	for (i = 0; i < following->n; i++) {
		varied += following->pairs[i].x > least;
		following->pairs[i].y /= following->left_scale;
		following->pairs[i].x /= following->other_scale;
	}
	if (following->n < ROWS_LEAST || varied < VARIED_LEAST || !(following->left_scale > 0))
		return false;
	moments_sort_points(following->pairs, following->n);
	return true;
}

static double mean_of(const struct column *column, const struct samples *samples,
		      const struct column *where)
{
	double *numbers = mem_alloc(samples->n_rows * sizeof(*numbers));
	double mean = 0;
	size_t n = 0;
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT && where->absence[i] == PRESENT)
			numbers[n++] = column->numbers[i];
	gsl_sort(numbers, 1, n);
	for (i = 0; i < n; i++)
		mean += (numbers[i] - mean) / (i + 1);
	free(numbers);
	return mean;
}

/* The line in plain units, if worth a note. */
static bool covariate_follows(struct covariate_search *following, const struct samples *samples,
			      const struct column *other, struct line *ret)
{
	if (!find_pairs(following, samples, other) || !find_line(following, ret))
		return false;
	ret->slope *= following->left_scale / following->other_scale;
	ret->effect *= following->left_scale;
	return isfinite(ret->slope) && ret->slope > 0 &&
	       ret->effect >= EFFECT_LEAST * fabs(following->mean);
}

static const char *subject(const struct annotation *annotation)
{
	const bool cpu = metric_total(annotation->metric) == METRIC_CPU;

	if (metric_is_self(annotation->metric))
		return cpu ? "processor time without callees" : "time without callees";
	return cpu ? "processor time" : "time";
}

/* NULL: too little for a note. */
static const char *waiting_note(struct covariate_search *following, const struct samples *samples,
				const struct column *wait)
{
	const double time = mean_of(following->time, samples, wait);
	const double share = time > 0 ? mean_of(wait, samples, following->time) / time : 0;
	struct line line;

	if (share < SHARE_LEAST || share > SHARE_MOST)
		return NULL;
	if (share < SHARE_SAID && (!covariate_follows(following, samples, wait, &line) ||
				   fabs(line.slope - 1) > SLOPE_ABOUT))
		return NULL;
	return arena_printf(following->annotation->arena,
			    "Of the %s %.0f %% is waiting for locks, conditions or semaphores.",
			    subject(following->annotation), 100 * fmin(share, 1));
}

static const char *cause_note(const struct annotation *annotation, enum metric cause, double slope)
{
	const struct metric_info *info = metric_info(cause);
	const char *text = subject(annotation);

	if (annotation->n_features)
		text = arena_printf(annotation->arena, "What the formula leaves of the %s", text);
	return arena_printf(annotation->arena, "%c%s follows %s: %.3g µs for %s.",
			    toupper((unsigned char)*text), text + 1, info->cause.name,
			    slope * info->cause.amount, info->cause.each);
}

static const char *find_note(struct covariate_search *following, const struct samples *samples)
{
	const struct annotation *annotation = following->annotation;
	const enum metric total = metric_total(annotation->metric);
	enum metric best = METRIC_TOTALS, cause;
	struct line best_line = {0, 0, 0};
	const char *text = NULL;
	unsigned i;

	for (i = 1; !text && (cause = metric_causing(i)) < METRIC_TOTALS; i++) {
		const struct column *other =
			samples_metric(samples, cause + annotation->metric - total);
		struct line line;

		if (!other || (total == METRIC_CPU && !metric_info(cause)->cause.of_cpu))
			continue;
		if (!metric_info(cause)->cause.name)
			text = waiting_note(following, samples, other);
		else if (covariate_follows(following, samples, other, &line) &&
			 line.r2 > best_line.r2 + (best < METRIC_TOTALS ? R2_SAME : 0)) {
			best = cause;
			best_line = line;
		}
	}
	return best < METRIC_TOTALS && !text ? cause_note(annotation, best, best_line.slope) : text;
}

/* Drops the last note if there is no room. */
static void put_first(struct annotation *annotation, const char *text)
{
	const size_t n = annotation->n_notes < NOTES_MAX ? annotation->n_notes : NOTES_MAX - 1;
	const char **notes = arena_array(annotation->arena, const char *, n + 1);

	notes[0] = text;
	memcpy(notes + 1, annotation->notes, n * sizeof(*notes));
	annotation->notes = notes;
	annotation->n_notes = n + 1;
}

void metric_covariate_note(struct annotation *annotation, const struct samples *samples)
{
	const enum metric total = metric_total(annotation->metric);
	struct covariate_search following = {.annotation = annotation,
					     .time = samples_metric(samples, annotation->metric)};
	const char *text;

	if (!following.time || (total != METRIC_TIME && total != METRIC_CPU) ||
	    !annotation->n_cases)
		return;
	following.left = mem_alloc(samples->n_rows * sizeof(*following.left));
	following.pairs = mem_alloc(samples->n_rows * sizeof(*following.pairs));
	following.rest = mem_alloc(samples->n_rows * sizeof(*following.rest));
	following.mean = mean_of(following.time, samples, following.time);
	find_left(&following, samples);
	text = find_note(&following, samples);
	if (text)
		put_first(annotation, text);
	free(following.left);
	free(following.pairs);
	free(following.rest);
}
