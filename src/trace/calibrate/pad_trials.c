/*
 * The clock may advance in steps longer than what is measured: means tell more than medians, but
 * calls that were interrupted must be left out.
 */
#include "pad_trials.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"

enum { TRIALS_MIN = 50, REFINEMENTS = 3 };

/* Standard deviation over median absolute deviation, for a normal distribution. */
#define NORMAL_MEDIAN 1.4826
/* Nearer readings are of the same tick. */
#define SAME_NS 0.1

void pad_trials_add(struct pad_trials *trials, const struct pad_trial *trial)
{
	trials->list =
		mem_grow(trials->list, &trials->capacity, trials->n + 1, sizeof(*trials->list));
	trials->list[trials->n++] = *trial;
}

void pad_trials_deinit(struct pad_trials *trials)
{
	free(trials->list);
	*trials = (struct pad_trials){0};
}

static double part_below(double *numbers, size_t n, double part)
{
	numbers_sort(numbers, n);
	return n ? numbers[(size_t)((double)n * part)] : 0;
}

static double trials_median(double *numbers, size_t n)
{
	return part_below(numbers, n, 0.5);
}

double pad_trials_typical(const struct pad_trials *trials)
{
	double *numbers = mem_alloc((trials->n + 1) * sizeof(*numbers));
	double typical;

	for (size_t i = 0; i < trials->n; i++)
		numbers[i] = trials->list[i].ns;
	typical = trials_median(numbers, trials->n);
	free(numbers);
	return typical;
}

/* ns = base + slope * records */
struct line {
	double base, slope;
};

static double distance(const struct line *line, const struct pad_trial *trial)
{
	return trial->ns - line->base - line->slope * trial->records;
}

/* Where chance chose, or there was nothing to choose. */
static bool is_of_line(const struct pad_trial *trial)
{
	return trial->drawn || !trial->records;
}

/* Robust standard deviation around @line; 0 if most are alike. */
static double spread(const struct pad_trials *trials, const struct line *line)
{
	double *distances = mem_alloc((trials->n + 1) * sizeof(*distances));
	double middle;
	size_t n = 0;

	for (size_t i = 0; i < trials->n; i++)
		if (is_of_line(&trials->list[i]))
			distances[n++] = fabs(distance(line, &trials->list[i]));
	middle = trials_median(distances, n);
	free(distances);
	return NORMAL_MEDIAN * middle;
}

/* A line that no odd trial moves: through those without records, and what others have more. */
static struct line first_line(const struct pad_trials *trials)
{
	double *numbers = mem_alloc((trials->n + 1) * sizeof(*numbers));
	struct line line;
	size_t n = 0;

	for (size_t i = 0; i < trials->n; i++)
		if (!trials->list[i].records)
			numbers[n++] = trials->list[i].ns;
	line.base = trials_median(numbers, n);
	n = 0;
	for (size_t i = 0; i < trials->n; i++)
		if (trials->list[i].drawn)
			numbers[n++] = (trials->list[i].ns - line.base) / trials->list[i].records;
	line.slope = trials_median(numbers, n);
	free(numbers);
	return line;
}

/* The line of least squares through those that are within @width of @line. */
static struct line refine(const struct pad_trials *trials, const struct line *line, double width)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0;
	struct line better = {0};
	double determinant;

	for (size_t i = 0; i < trials->n; i++) {
		const struct pad_trial *trial = &trials->list[i];

		if (!is_of_line(trial) || fabs(distance(line, trial)) > width)
			continue;
		n++;
		x += trial->records;
		y += trial->ns;
		xx += (double)trial->records * trial->records;
		xy += trial->records * trial->ns;
	}
	determinant = n * xx - x * x;
	if (determinant > 0)
		better.slope = (n * xy - x * y) / determinant;
	better.base = (y - better.slope * x) / n;
	return better;
}

static struct line trials_line(const struct pad_trials *trials, double step)
{
	struct line line = first_line(trials);

	for (int i = 0; i < REFINEMENTS; i++) {
		const double width = fmax(3 * spread(trials, &line), fmax(2 * step, SAME_NS));

		line = refine(trials, &line, width);
	}
	return line;
}

/*
 * What records cost where each call becomes one. Such trials are few, and the first ones: many meet
 * memory that nobody has touched yet, which is no cost of a record. On some machines all do: what
 * is foreseen costs no more than what is not.
 */
static double record_of_all(const struct pad_trials *trials, double base)
{
	double *numbers = mem_alloc((trials->n + 1) * sizeof(*numbers));
	size_t n = 0;
	double typical;

	for (size_t i = 0; i < trials->n; i++)
		if (trials->list[i].records && !trials->list[i].drawn)
			numbers[n++] = (trials->list[i].ns - base) / trials->list[i].records;
	typical = part_below(numbers, n, 0.25);
	free(numbers);
	return typical;
}

bool pad_trials_are_enough(const struct pad_trials *trials)
{
	size_t n = 0;

	for (size_t i = 0; i < trials->n; i++)
		n += !trials->list[i].records;
	return n >= TRIALS_MIN;
}

bool pad_trials_find(const struct pad_trials_shape *shape, const struct pad_trials *work,
		     const struct pad_trials *bare, const struct pad_trials *apart,
		     const struct pad_trials *outer, const struct pad_trials *rich,
		     struct pad_calibration *ret)
{
	struct line alone, in_pads, with, with_rich;
	double all, pair, record, word;

	if (!pad_trials_are_enough(work) || !pad_trials_are_enough(bare) ||
	    !pad_trials_are_enough(apart) || !pad_trials_are_enough(outer) ||
	    !pad_trials_are_enough(rich))
		return false;
	alone = trials_line(bare, shape->step_ns);
	in_pads = trials_line(work, shape->step_ns);
	with = trials_line(outer, shape->step_ns);
	with_rich = trials_line(rich, shape->step_ns);
	/* An outer call has a pair of its own. */
	pair = (in_pads.base * shape->inner - alone.base) / (shape->inner - 1);
	all = (with.base - trials_line(apart, shape->step_ns).base) / shape->inner;
	word = fmax(with_rich.slope - with.slope, 0) / (shape->rich_words - shape->work_words);
	record = fmin(record_of_all(outer, with.base), with.slope) - word * shape->work_words;
	record = fmax(record, 0);
	*ret = (struct pad_calibration){
		.pair = pair / 1000,
		.call = (fmax(all, 0) - pair) / 1000,
		.record = record / 1000,
		.drawn = fmax(with.slope - record - word * shape->work_words, 0) / 1000,
		.word = word / 1000};
	/* The difference of two readings of a clock that has steps: a triangle. */
	ret->resolution = RESOLUTION_DEVIATIONS *
			  fmax(spread(work, &in_pads), shape->step_ns / sqrt(6)) / 1000;
	return true;
}
