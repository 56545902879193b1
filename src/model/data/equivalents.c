/*
 * Representatives of equivalent predictors.
 *
 * Two predictors are equivalent when one is an increasing affine function of the other, up to a
 * correlation of 0.9999: they differ by less than 1.5 % of their spread, below the noise of any
 * measured time. Columns that only rank the calls alike (n and n squared) are not: their formulas
 * differ, and the fit decides. Nor are decreasing ones (used and left): growth shows in one of them
 * only.
 */
#include "equivalents.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lanes.h"
#include "moments.h"

#define SAME_CORRELATION 0.9999
#define GLANCE_ROWS      64
#define GLANCE_MIN       0.99
#define COVERED          0.95 /* as good as present in all rows */
#define OVERLAP          0.9

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
	case FROM_RETURN: /* unknown before the call */
		return 2;
	case FROM_SYSTEM:
	case PROVENANCE_COUNT:
		break;
	}
	return 3;
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

static bool is_equivalent(const struct dataset *data, const struct predictor *first,
			  const struct predictor *other)
{
	const size_t n = data->n_choice;
	const struct moments m = moments_of(first, other, n, 1);

	return m.weight >= ROWS_MIN && m.weight >= OVERLAP * other->n_present * n / data->n_rows &&
	       moments_correlation(&m) >= SAME_CORRELATION;
}

static void add_alias(struct dataset *data, struct predictor *to, const struct predictor *from)
{
	if (!to->aliases)
		to->aliases = arena_array(data->arena, const char *, data->n_predictors);
	to->aliases[to->n_aliases++] = from->column->name;
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

	if (!data->n_predictors)
		return;
	glances = mem_alloc((data->n_predictors + 1) * sizeof(*glances));
	data->pinned = options->pinned;
	data->n_pinned = options->n_pinned;
	mark_preferred(data, options);
	qsort_r(data->predictors, data->n_predictors, sizeof(*data->predictors), compare_predictors,
		data);
	for (i = 0; i < data->n_predictors; i++) {
		struct predictor *predictor = &data->predictors[i];

		glance_at(data, predictor, &glances[kept]);
		for (j = 0; j < kept; j++)
			if (glance_is_alike(data, &data->predictors[j], predictor, &glances[j],
					    &glances[kept]) &&
			    is_equivalent(data, &data->predictors[j], predictor))
				break;
		if (j < kept)
			add_alias(data, &data->predictors[j], predictor);
		else
			data->predictors[kept++] = *predictor;
	}
	data->n_predictors = kept;
	free(glances);
}
