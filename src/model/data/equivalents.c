/*
 * Representatives of equivalent predictors, and exact maps between features.
 *
 * Two predictors are equivalent when one is nearly an increasing affine function of the other, with
 * a correlation of 0.9999: they differ by less than 1.5 % of their spread, below the noise of any
 * measured time. Columns that only rank the calls alike (n and n squared) are not: their formulas
 * differ, and the fit decides. Nor are decreasing ones (used and left): growth shows in one of them
 * only. Equivalents are no names of each other: only an exact map makes one's value the other's. If
 * the costs tell which of them is their cause, that stands for all, whatever their names.
 */
#include "equivalents.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lanes.h"
#include "moments.h"

#define SAME_CORRELATION 0.9999
/* From here on they differ by rounding alone, and nothing tells which of them costs. */
#define ROUNDED_CORRELATION (1 - 1e-10)
/* A part of the cost that so many standard errors say, and the least part of it that is less. */
#define TOLD_ERRORS 5
#define TOLD_LESS   0.5
#define GLANCE_ROWS 64
#define GLANCE_MIN  0.99
#define COVERED     0.95 /* as good as present in all rows */
#define OVERLAP     0.9
/* Maps are exact up to this part of the largest number in them. */
#define MAP_ROUNDING 1e-12

static const char *const counting_words[] = {
	"size", "sz", "len", "length", "strlen", "count", "cnt", "n", "num", "nr", "number",
};

static bool is_counting_word(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(counting_words) / sizeof(*counting_words); i++)
		if (strlen(counting_words[i]) == length &&
		    !strncasecmp(counting_words[i], word, length))
			return true;
	return false;
}

/* The start of the last identifier of @expression; of a call, the function. */
static const char *last_identifier(const char *expression)
{
	size_t n = strlen(expression);

	if (!strncmp(expression, "strlen(", 7))
		return expression;
	while (n && !isalnum((unsigned char)expression[n - 1]) && expression[n - 1] != '_')
		n--;
	while (n && (isalnum((unsigned char)expression[n - 1]) || expression[n - 1] == '_'))
		n--;
	return expression + n;
}

/* Words end at underscores and at capitals. */
bool equivalents_names_a_count(const char *expression)
{
	const char *word = last_identifier(expression);

	while (isalnum((unsigned char)*word) || *word == '_') {
		size_t length = 0;

		while (isupper((unsigned char)word[length]))
			length++;
		while (islower((unsigned char)word[length]) || isdigit((unsigned char)word[length]))
			length++;
		if (is_counting_word(word, length))
			return true;
		word += length ? length : 1;
	}
	return false;
}

static unsigned provenance_rank(enum provenance provenance)
{
	switch (provenance) {
	case FROM_PARAMETER:
	case FROM_IMPORT:
		return 0;
	case FROM_GLOBAL:
		return 1;
	case FROM_RETURN:
	case FROM_SYSTEM:
	case PROVENANCE_COUNT:
		break;
	}
	return 2;
}

static int order_of(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* The rule of representatives, the better first; system features come last unless pinned. */
static int compare_predictors(const void *a, const void *b, void *context)
{
	const struct predictor *left = a;
	const struct predictor *right = b;
	const struct dataset *data = context;
	double covered = COVERED * data->n_rows;
	int order = order_of(dataset_is_pinned(data, right->column),
			     dataset_is_pinned(data, left->column));

	if (!order)
		order = order_of(left->of_system, right->of_system);
	if (!order)
		order = order_of(right->preferred, left->preferred);
	if (!order) /* a returned value fills nobody's place */
		order = order_of(left->returned, right->returned);
	if (!order)
		order = order_of(left->n_present < covered, right->n_present < covered);
	if (!order)
		order = order_of(provenance_rank(left->column->provenance),
				 provenance_rank(right->column->provenance));
	if (!order)
		order = order_of(left->column->depth, right->column->depth);
	if (!order)
		order = equivalents_names_a_count(right->column->name) -
			equivalents_names_a_count(left->column->name);
	if (!order)
		order = order_of(strlen(left->column->name), strlen(right->column->name));
	return order ? order : strcmp(left->column->name, right->column->name);
}

static bool both_present(const struct predictor *a, const struct predictor *b, size_t i)
{
	return a->present[i] && b->present[i];
}

/* Moments over every @step-th row with both, each scaled to at most 1. */
static struct moments moments_of(const struct predictor *a, const struct predictor *b, size_t n,
				 size_t step)
{
	double scale_a = fmax(fabs(a->min), fabs(a->max));
	double scale_b = fmax(fabs(b->min), fabs(b->max));
	struct moments m = {0};
	size_t i;

	for (i = 0; i < n; i += step)
		if (both_present(a, b, i))
			moments_add(&m, 1, a->x[i] / scale_a, b->x[i] / scale_b);
	return m;
}

/*
 * A few rows of a predictor, less their mean and of unit length, so that products are
 * correlations.
 */
struct glance {
	double values[GLANCE_ROWS];
	bool is_usable; /* all are present, and they vary */
};

static size_t glance_step(const struct dataset *data)
{
	return data->n_choice / GLANCE_ROWS + 1;
}

static void glance_at(const struct dataset *data, const struct predictor *predictor,
		      struct glance *ret)
{
	const double scale = fmax(fabs(predictor->min), fabs(predictor->max));
	const size_t step = glance_step(data);
	double mean, length;
	size_t i, n = 0;

	*ret = (struct glance){.is_usable = step > 1};
	for (i = 0; i < data->n_choice && ret->is_usable; i += step) {
		ret->is_usable = predictor->present[i];
		ret->values[n++] = predictor->x[i] / scale;
	}
	mean = lanes_sum(ret->values, n) / n;
	for (i = 0; i < n; i++)
		ret->values[i] -= mean;
	length = sqrt(lanes_dot(ret->values, ret->values, n));
	ret->is_usable &= length > 0;
	for (i = 0; i < n && ret->is_usable; i++)
		ret->values[i] /= length;
}

/* Could they be equivalent? */
static bool glance_is_alike(const struct dataset *data, const struct predictor *first,
			    const struct predictor *other, const struct glance *left,
			    const struct glance *right)
{
	const size_t step = glance_step(data);
	struct moments m;

	if (step == 1)
		return true;
	if (left->is_usable && right->is_usable)
		return lanes_dot(left->values, right->values, GLANCE_ROWS) >= GLANCE_MIN;
	m = moments_of(first, other, data->n_choice, step);
	return !(m.xx > 0 || m.yy > 0) || moments_correlation(&m) >= GLANCE_MIN;
}

/* @ret: their correlation. */
static bool is_equivalent(const struct dataset *data, const struct predictor *first,
			  const struct predictor *other, double *ret)
{
	const size_t n = data->n_choice;
	const struct moments m = moments_of(first, other, n, 1);

	*ret = moments_correlation(&m);
	return m.weight >= ROWS_MIN && m.weight >= OVERLAP * other->n_present * n / data->n_rows &&
	       *ret >= SAME_CORRELATION;
}

/*
 * What predictor @other tells of the cost beyond @by, in standard errors: does the cost change with
 * what they differ by, from each call to the next in the order of @by? So by any smooth law.
 */
static double told_beyond(const struct dataset *data, size_t by, size_t other)
{
	const struct predictor *a = &data->predictors[by], *b = &data->predictors[other];
	const double wide_a = a->max - a->min, wide_b = b->max - b->min;
	struct moments m = {0};
	size_t n, i;
	const struct place *places = dataset_order(data, by, &n);

	for (i = 1; i < n; i++) {
		const size_t from = places[i - 1].row, to = places[i].row;

		if (b->present[from] && b->present[to])
			moments_add(&m, 1,
				    (b->x[to] - b->x[from]) / wide_b -
					    (a->x[to] - a->x[from]) / wide_a,
				    data->y[to] - data->y[from]);
	}
	return fabs(moments_correlation(&m)) * sqrt(m.weight);
}

/*
 * Equivalents that go along as a cause and its companion do: is predictor @other the cause, by all
 * that the costs tell, and @first, though it has the better name, the companion?
 */
static bool is_cause(const struct dataset *data, size_t first, size_t other)
{
	const struct predictor *a = &data->predictors[first], *b = &data->predictors[other];
	double beyond;

	if (dataset_is_pinned(data, a->column) || a->preferred || b->of_system || b->returned ||
	    b->n_present < a->n_present)
		return false;
	beyond = told_beyond(data, first, other);
	return beyond >= TOLD_ERRORS && told_beyond(data, other, first) < TOLD_LESS * beyond;
}

static void add_alike(struct dataset *data, struct predictor *to, const struct predictor *from)
{
	if (!to->alike)
		to->alike = arena_array(data->arena, const struct column *, data->n_predictors);
	to->alike[to->n_alike++] = from->column;
}

/* Rows with the least and the largest value of @of that have both; false: none, or no others. */
static bool find_ends(const struct dataset *data, const struct column *of,
		      const struct column *other, size_t *ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];

		if (of->absence[row] != PRESENT || other->absence[row] != PRESENT)
			continue;
		if (!n++)
			ret[0] = ret[1] = row;
		if (of->numbers[row] < of->numbers[ret[0]])
			ret[0] = row;
		if (of->numbers[row] > of->numbers[ret[1]])
			ret[1] = row;
	}
	return n >= ROWS_MIN && of->numbers[ret[0]] < of->numbers[ret[1]];
}

static bool map_holds(const struct dataset *data, const struct column *of,
		      const struct column *other, const struct annotation_affine *map)
{
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];
		const double x = of->numbers[row], y = other->numbers[row];
		const double part = map->scale * x;
		const double size = fmax(fabs(y), fmax(fabs(part), fabs(map->offset)));

		if (of->absence[row] == PRESENT && other->absence[row] == PRESENT &&
		    !(fabs(map->offset + part - y) <= MAP_ROUNDING * size))
			return false;
	}
	return true;
}

static bool has_values(const struct dataset *data, const struct column *column, size_t least)
{
	double seen[EQUIVALENTS_VALUES];
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < data->n_rows && n < least; i++) {
		const size_t row = data->order[i];

		if (column->absence[row] != PRESENT)
			continue;
		for (j = 0; j < n && seen[j] != column->numbers[row]; j++)
			;
		if (j == n)
			seen[n++] = column->numbers[row];
	}
	return n == least;
}

static double round_to(double number, int digits)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*g", digits, number);
	return strtod(text, NULL);
}

/* The roundest map through both ends that holds everywhere. */
static bool find_map(const struct dataset *data, const struct column *of,
		     const struct column *other, const size_t *ends, struct annotation_affine *ret)
{
	static const int digits[] = {6, 12, 17};
	const double x[] = {of->numbers[ends[0]], of->numbers[ends[1]]};
	const double y[] = {other->numbers[ends[0]], other->numbers[ends[1]]};
	const double scale = (y[1] - y[0]) / (x[1] - x[0]);
	size_t i;

	for (i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
		const double round = round_to(scale, digits[i]);
		const double offset = round_to(y[0] - round * x[0], digits[i]);
		const bool is_rounding = fabs(offset) <= MAP_ROUNDING * fabs(y[0]);

		*ret = (struct annotation_affine){other->name, round, is_rounding ? 0 : offset};
		if (round != 0 && isfinite(round) && isfinite(offset) &&
		    map_holds(data, of, other, ret))
			return true;
	}
	return false;
}

bool equivalents_map(const struct dataset *data, const struct column *of,
		     const struct column *other, struct annotation_affine *ret)
{
	size_t ends[2];

	*ret = (struct annotation_affine){other->name, 1, 0};
	if (!find_ends(data, of, other, ends))
		return false;
	return map_holds(data, of, other, ret) ||
	       (has_values(data, of, EQUIVALENTS_VALUES) && find_map(data, of, other, ends, ret));
}

/* The first of a group and the next: one stands for both. */
static void join_equivalents(struct dataset *data, size_t first, size_t other, double correlation)
{
	struct predictor *stands = &data->predictors[first];
	struct predictor before;

	if (correlation < ROUNDED_CORRELATION && is_cause(data, first, other)) {
		before = *stands; /* with its order */
		*stands = data->predictors[other];
		stands->alike = before.alike;
		stands->n_alike = before.n_alike;
		add_alike(data, stands, &before);
	} else {
		add_alike(data, stands, &data->predictors[other]);
	}
}

static void mark_preferred(struct dataset *data, const struct model_options *options)
{
	size_t i, j;

	for (i = 0; i < data->n_predictors; i++)
		for (j = 0; j < options->n_preferred; j++)
			data->predictors[i].preferred |=
				!strcmp(data->predictors[i].column->name, options->preferred[j]);
}

void equivalents_screen(struct dataset *data, const struct model_options *options)
{
	struct glance *glances; /* of those that are kept, and the next */
	size_t kept = 0;
	size_t i, j;
	double r;

	if (!data->n_predictors)
		return;
	glances = mem_alloc((data->n_predictors + 1) * sizeof(*glances));
	data->pinned = options->pinned;
	data->n_pinned = options->n_pinned;
	mark_preferred(data, options);
	dataset_drop_doubtful(data);
	qsort_r(data->predictors, data->n_predictors, sizeof(*data->predictors), compare_predictors,
		data);
	for (i = 0; i < data->n_predictors; i++) {
		struct predictor *predictor = &data->predictors[i];

		glance_at(data, predictor, &glances[kept]);
		for (j = 0; j < kept; j++)
			if (glance_is_alike(data, &data->predictors[j], predictor, &glances[j],
					    &glances[kept]) &&
			    is_equivalent(data, &data->predictors[j], predictor, &r))
				break;
		if (j < kept)
			join_equivalents(data, j, i, r);
		else
			data->predictors[kept++] = *predictor;
	}
	data->n_predictors = kept;
	free(glances);
}
