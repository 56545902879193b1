/*
 * From a table of samples to numbers in canonical order. equivalents.c merges equivalent
 * predictors.
 */
#include "dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "call_drift.h"
#include "core/samples/run_places.h"
#include "doubtful_values.h"
#include "lanes.h"
#include "row_order.h"

/* Fewer values one after another say nothing of what varies with the machine. */
enum { STRETCHES_LEAST = 8 };

/* Minimum share of rows that have a predictor, or its model would describe a few calls. */
#define PRESENT_MIN 0.5
#define OPAQUE_MIN  0x1p40
/* Rank correlation with the metric at which doubtful values are believed. */
#define DOUBTFUL_RANKED 0.98
/* Caches and interrupts disturb calls that take next to nothing by so many resolutions. */
#define DISTURBED 5

bool dataset_column_is_ordered(const struct column *column)
{
	return column->type == FEATURE_BOOL || column->type == FEATURE_INT ||
	       column->type == FEATURE_FLOAT;
}

size_t dataset_column_range(const struct column *column, const size_t *rows, size_t n,
			    double *ret_min, double *ret_max)
{
	size_t n_present = 0, i;

	*ret_min = *ret_max = NAN;
	for (i = 0; i < n; i++) {
		if (column->absence[rows[i]] != PRESENT)
			continue;
		*ret_min = fmin(*ret_min, column->numbers[rows[i]]);
		*ret_max = fmax(*ret_max, column->numbers[rows[i]]);
		n_present++;
	}
	return n_present;
}

size_t dataset_count_present(const struct dataset *data, const struct column *column)
{
	double ignored;

	return dataset_column_range(column, data->order, data->n_rows, &ignored, &ignored);
}

static void find_rows(struct dataset *data)
{
	const struct samples *samples = data->samples;
	size_t row;

	data->order = arena_array(data->arena, size_t, samples->n_rows);
	for (row = 0; row < samples->n_rows; row++) {
		double y = data->metric->numbers[row];

		if (data->metric->absence[row] != PRESENT || !isfinite(y))
			continue;
		data->order[data->n_rows++] = row;
		data->y_max = fmax(data->y_max, fabs(y));
		data->y_negative |= y < 0;
	}
}

int dataset_compare_names(const void *a, const void *b)
{
	const struct column *const *left = a;
	const struct column *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* The ordered features by name; returns their number. */
static size_t sort_columns(const struct dataset *data, const struct column **ret)
{
	const struct samples *samples = data->samples;
	size_t n = 0;
	size_t i;

	for (i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE &&
		    dataset_column_is_ordered(&samples->columns[i]))
			ret[n++] = &samples->columns[i];
	qsort(ret, n, sizeof(*ret), dataset_compare_names);
	return n;
}

static void predictor_find_range(const struct dataset *data, struct predictor *predictor)
{
	const struct column *column = predictor->column;
	size_t i;

	predictor->min = INFINITY;
	predictor->max = -INFINITY;
	for (i = 0; i < data->n_rows; i++) {
		size_t row = data->order[i];
		double x = column->numbers[row];

		if (column->absence[row] != PRESENT || !isfinite(x))
			continue;
		if (x < predictor->min)
			predictor->min = x;
		if (x > predictor->max)
			predictor->max = x;
		predictor->n_present++;
	}
}

static bool is_sparse(const struct dataset *data, const struct predictor *predictor)
{
	return predictor->n_present < ROWS_MIN || predictor->n_present < PRESENT_MIN * data->n_rows;
}

/*
 * Costs do not grow with numbers that all exceed 2^40: unknown pointers, nanosecond times, hashes.
 */
static bool is_opaque(const struct predictor *predictor)
{
	return predictor->min >= OPAQUE_MIN && predictor->column->type == FEATURE_INT &&
	       !predictor->of_system && predictor->column->provenance != FROM_IMPORT;
}

static bool is_doubtful(const struct dataset *data, const struct predictor *predictor)
{
	return predictor->min < predictor->max &&
	       (doubtful_values_are(predictor->column, predictor->min, predictor->max, data->order,
				    data->n_rows) ||
		run_places_doubt(data->samples, data->metric, predictor->column));
}

/*
 * A value of the machine that changed a few times only goes along with anything that drifts or
 * happens once. The threads of the process are the program's own doing.
 */
static bool is_seldom_changed(const struct samples *samples, const struct column *column)
{
	const double *last = NULL;
	size_t stretches = 0;

	if (!strcmp(column->name, feature_system_info(SYSTEM_THREADS)->expression))
		return false;
	for (size_t row = 0; row < samples->n_rows && stretches < STRETCHES_LEAST; row++) {
		if (column->absence[row] != PRESENT)
			continue;
		stretches += !last || *last != column->numbers[row];
		last = &column->numbers[row];
	}
	return stretches < STRETCHES_LEAST;
}

/* A value of the machine or of whole runs (where they lie) of which these say nothing? */
static bool is_chance(const struct dataset *data, const struct column *column)
{
	struct run_places places = {0};
	struct run_parting parting;
	bool found;

	if (column->provenance != FROM_SYSTEM)
		return false;
	if (data->samples->keys[0].run == data->samples->keys[data->samples->n_rows - 1].run ||
	    !run_places_are(data->samples, column))
		return is_seldom_changed(data->samples, column);
	run_places_add(&places, data->samples, data->metric, column);
	found = run_places_part(&places, &parting) && parting.p <= RUN_PLACES_CHANCE;
	run_places_deinit(&places);
	return !found;
}

/* Sort the columns into predictors, constant, opaque and sparse ones. */
static void sort_out(struct dataset *data)
{
	size_t n = data->samples->n_columns;
	const struct column **columns = arena_array(data->arena, const struct column *, n);
	size_t i;

	data->predictors = arena_array(data->arena, struct predictor, n);
	data->constant = arena_array(data->arena, const struct column *, n);
	data->opaque = arena_array(data->arena, const struct column *, n);
	data->sparse = arena_array(data->arena, const struct column *, n);
	data->doubtful = arena_array(data->arena, const struct column *, n);
	for (i = 0; i < n; i++)
		if (doubtful_values_of_enum(&data->samples->columns[i], data->samples->n_rows))
			data->doubtful[data->n_doubtful++] = &data->samples->columns[i];
	n = sort_columns(data, columns);
	for (i = 0; i < n; i++) {
		struct predictor predictor = {.column = columns[i],
					      .ranked = NAN,
					      .of_system = columns[i]->provenance == FROM_SYSTEM,
					      .returned = columns[i]->provenance == FROM_RETURN};

		predictor_find_range(data, &predictor);
		if (!predictor.n_present)
			continue;
		predictor.doubtful = is_doubtful(data, &predictor);
		if ((predictor.min >= predictor.max && predictor.of_system) ||
		    is_chance(data, columns[i]))
			continue;
		if (predictor.min >= predictor.max && !is_sparse(data, &predictor))
			data->constant[data->n_constant++] = columns[i];
		else if (is_opaque(&predictor))
			data->opaque[data->n_opaque++] = columns[i];
		else if (is_sparse(data, &predictor))
			data->sparse[data->n_sparse++] = columns[i];
		else
			data->predictors[data->n_predictors++] = predictor;
	}
}

static int compare_cells(const struct column *column, size_t a, size_t b)
{
	if (column->absence[a] != column->absence[b])
		return column->absence[a] < column->absence[b] ? -1 : 1;
	if (column->numbers[a] != column->numbers[b])
		return column->numbers[a] < column->numbers[b] ? -1 : 1;
	return 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct dataset *data = context;
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;
	int order = compare_cells(data->metric, left, right);
	size_t i;

	for (i = 0; !order && i < data->n_predictors; i++)
		order = compare_cells(data->predictors[i].column, left, right);
	for (i = 0; !order && i < data->n_sparse; i++)
		order = compare_cells(data->sparse[i], left, right);
	return order;
}

static unsigned count_distinct(const struct dataset *data, const struct predictor *predictor)
{
	double seen[DISTINCT_MAX];
	unsigned distinct = 0;
	size_t i;
	unsigned j;

	for (i = 0; i < data->n_choice && distinct < DISTINCT_MAX; i++) {
		if (!predictor->present[i])
			continue;
		for (j = 0; j < distinct && seen[j] != predictor->x[i]; j++)
			;
		if (j == distinct)
			seen[distinct++] = predictor->x[i];
	}
	return distinct;
}

/* Predictors that all rows have share @everywhere. */
static void read_choice(struct dataset *data, struct predictor *predictor, bool *everywhere)
{
	const struct column *column = predictor->column;
	const bool is_whole = predictor->n_present == data->n_rows;
	size_t i;

	predictor->x = arena_array(data->columns, double, data->n_choice);
	predictor->present =
		is_whole ? everywhere : arena_array(data->columns, bool, data->n_choice);
	for (i = 0; i < data->n_choice; i++) {
		const size_t row = data->choice[i];

		predictor->x[i] = column->numbers[row];
		if (is_whole)
			continue;
		predictor->present[i] =
			column->absence[row] == PRESENT && isfinite(predictor->x[i]);
		if (!predictor->present[i])
			predictor->x[i] = 0;
	}
	if (!predictor->distinct)
		predictor->distinct = count_distinct(data, predictor);
}

static void mark_cold(struct dataset *data, const struct call_drift *calls)
{
	bool *cold = arena_array(data->arena, bool, data->samples->n_rows);

	call_drift_mark_cold(data->samples, calls, cold);
	data->cold = cold;
}

/* Evenly spaced warm rows, in canonical order. */
static void choose_rows(struct dataset *data)
{
	size_t *warm = mem_alloc((data->n_rows + 1) * sizeof(*warm));
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_rows; i++)
		if (!data->cold[data->order[i]])
			warm[n++] = data->order[i];
	data->n_choice = n < CHOICE_ROWS ? n : CHOICE_ROWS;
	data->choice = arena_array(data->arena, size_t, data->n_choice);
	for (i = 0; i < data->n_choice; i++)
		data->choice[i] = warm[(size_t)((double)i * n / data->n_choice)];
	free(warm);
}

static void read_choices(struct dataset *data)
{
	size_t i;

	data->y = arena_array(data->arena, double, data->n_choice);
	for (i = 0; i < data->n_choice; i++)
		data->y[i] =
			data->y_max > 0 ? data->metric->numbers[data->choice[i]] / data->y_max : 0;
	dataset_recall(data);
}

void dataset_recall(struct dataset *data)
{
	bool *everywhere;
	size_t i;

	if (data->columns)
		return;
	data->columns = arena_create();
	everywhere = arena_array(data->columns, bool, data->n_choice);
	memset(everywhere, true, data->n_choice);
	for (i = 0; i < data->n_predictors; i++)
		read_choice(data, &data->predictors[i], everywhere);
}

void dataset_forget(struct dataset *data)
{
	size_t i;

	arena_destroy(data->columns);
	data->columns = NULL;
	for (i = 0; i < data->n_predictors; i++) {
		data->predictors[i].x = NULL;
		data->predictors[i].present = NULL;
		data->predictors[i].places = NULL;
	}
}

static void find_followers(struct dataset *data, const struct call_drift *calls)
{
	size_t i;

	for (i = 0; i < data->n_predictors; i++)
		data->predictors[i].follows =
			data->predictors[i].of_system ||
			call_drift_follows(data->samples, calls, data->predictors[i].column);
}

struct dataset *dataset_create(const struct samples *samples, enum metric metric)
{
	struct arena *arena = arena_create();
	struct dataset *data = arena_new(arena, struct dataset);
	struct arena *scratch;
	struct call_drift calls;

	data->arena = arena;
	data->samples = samples;
	data->tried = 1;
	data->metric = samples_metric(samples, metric);
	if (!data->metric)
		return data;
	data->resolution = samples_resolution(samples, metric);
	find_rows(data);
	sort_out(data);
	qsort_r(data->order, data->n_rows, sizeof(*data->order), compare_rows, data);
	scratch = arena_create();
	calls = call_drift_in_order(scratch, samples, data->order, data->n_rows);
	mark_cold(data, &calls);
	choose_rows(data);
	read_choices(data);
	find_followers(data, &calls);
	arena_destroy(scratch);
	return data;
}

const struct place *dataset_order(const struct dataset *data, size_t number, size_t *ret_n)
{
	struct predictor *predictor = &data->predictors[number];
	struct row_key *keys = NULL;
	size_t n = 0;
	size_t i;

	if (!predictor->places)
		keys = mem_alloc((2 * data->n_choice + 1) * sizeof(*keys));
	for (i = 0; i < data->n_choice; i++) {
		if (!predictor->present[i])
			continue;
		if (keys)
			keys[n] = (struct row_key){predictor->x[i], i};
		n++;
	}
	*ret_n = n;
	if (!keys)
		return predictor->places;
	row_order_sort(keys, n, keys + n);
	predictor->places = arena_array(data->columns, struct place, n);
	for (i = 0; i < n; i++)
		predictor->places[i] = (struct place){keys[i].row, !i || keys[i].x > keys[i - 1].x};
	free(keys);
	return predictor->places;
}

double dataset_cost_quantile(const struct dataset *data, double share)
{
	return data_cost(data, (size_t)(share * (data->n_rows - 1)));
}

/* What nine of ten calls differ by is less than so many times the resolution. */
static bool dataset_differs_by_less(const struct dataset *data, double times)
{
	return data->n_rows && data->resolution > 0 &&
	       dataset_cost_quantile(data, 0.95) - dataset_cost_quantile(data, 0.05) <
		       times * data->resolution;
}

bool dataset_is_flat(const struct dataset *data)
{
	return dataset_differs_by_less(data, 1);
}

bool dataset_is_nothing(const struct dataset *data)
{
	return dataset_differs_by_less(data, DISTURBED) &&
	       fabs(dataset_cost_quantile(data, 0.5)) < data->resolution;
}

const struct predictor *dataset_find_predictor(const struct dataset *data,
					       const struct column *column)
{
	size_t i;

	for (i = 0; i < data->n_predictors; i++)
		if (data->predictors[i].column == column)
			return &data->predictors[i];
	return NULL;
}

bool dataset_is_pinned(const struct dataset *data, const struct column *column)
{
	size_t i;

	for (i = 0; i < data->n_pinned; i++)
		if (!strcmp(data->pinned[i], column->name))
			return true;
	return false;
}

double dataset_rank_correlation(const struct dataset *data, size_t number)
{
	struct predictor *predictor = &data->predictors[number];
	double *ranks, *of_metric;
	size_t n, i, first, end;
	const struct place *places;

	if (!isnan(predictor->ranked))
		return predictor->ranked;
	ranks = mem_alloc((2 * data->n_choice + 1) * sizeof(*ranks));
	of_metric = ranks + data->n_choice;
	places = dataset_order(data, number, &n);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && !places[end].rises; end++)
			;
		for (i = first; i < end; i++) {
			ranks[i] = (first + end) / 2.0;
			of_metric[i] = places[i].row;
		}
	}
	predictor->ranked = fabs(lanes_correlation(ranks, of_metric, n));
	free(ranks);
	return predictor->ranked;
}

void dataset_drop_doubtful(struct dataset *data)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < data->n_predictors; i++) {
		const struct predictor *one = &data->predictors[i];

		if (one->doubtful && !one->preferred && !dataset_is_pinned(data, one->column) &&
		    !(dataset_rank_correlation(data, i) >= DOUBTFUL_RANKED))
			data->doubtful[data->n_doubtful++] = one->column;
		else
			data->predictors[kept++] = *one;
	}
	data->n_predictors = kept;
	qsort(data->doubtful, data->n_doubtful, sizeof(*data->doubtful), dataset_compare_names);
}

static void take_rows(struct dataset *data, const size_t *rows, size_t n)
{
	size_t i;

	data->order = arena_copy(data->arena, rows, n * sizeof(*rows));
	data->n_rows = n;
	for (i = 0; i < n; i++) {
		double y = data->metric->numbers[rows[i]];

		data->y_max = fmax(data->y_max, fabs(y));
		data->y_negative |= y < 0;
	}
}

/* Add @like as it is in the rows of @data, if it varies there. False: it is sparse there. */
static bool take_predictor(struct dataset *data, const struct predictor *like)
{
	struct predictor predictor = *like;

	predictor.n_present = predictor.distinct = 0;
	predictor.places = NULL;
	predictor.ranked = NAN;
	predictor_find_range(data, &predictor);
	if (!predictor.n_present || predictor.min >= predictor.max)
		return true;
	if (is_sparse(data, &predictor))
		return false;
	if (!like->n_present && is_doubtful(data, &predictor))
		return true;
	data->predictors[data->n_predictors++] = predictor;
	return true;
}

static void take_predictors(struct dataset *data, const struct dataset *whole)
{
	const size_t n = whole->n_predictors + whole->n_sparse;
	size_t i;

	data->predictors = arena_array(data->arena, struct predictor, n);
	data->sparse = arena_array(data->arena, const struct column *, n);
	for (i = 0; i < whole->n_predictors; i++) {
		const struct predictor *like = &whole->predictors[i];

		if (!take_predictor(data, like) && !like->follows)
			data->sparse[data->n_sparse++] = like->column;
	}
	for (i = 0; i < whole->n_sparse; i++) {
		take_predictor(data, &(struct predictor){.column = whole->sparse[i],
							 .returned = whole->sparse[i]->provenance ==
								     FROM_RETURN});
		data->sparse[data->n_sparse++] = whole->sparse[i];
	}
}

struct dataset *dataset_part(const struct dataset *whole, const size_t *rows, size_t n)
{
	struct arena *arena = arena_create();
	struct dataset *data = arena_new(arena, struct dataset);

	*data = (struct dataset){.arena = arena,
				 .samples = whole->samples,
				 .metric = whole->metric,
				 .resolution = whole->resolution,
				 .cold = whole->cold,
				 .tried = whole->tried,
				 .pinned = whole->pinned,
				 .n_pinned = whole->n_pinned};
	take_rows(data, rows, n);
	take_predictors(data, whole);
	choose_rows(data);
	read_choices(data);
	return data;
}

struct dataset *dataset_marked(const struct dataset *whole, const unsigned char *marks,
			       unsigned mark)
{
	size_t *rows = mem_alloc((whole->n_rows + 1) * sizeof(*rows));
	struct dataset *part;
	size_t n = 0;
	size_t i;

	for (i = 0; i < whole->n_rows; i++)
		if (marks[i] == mark)
			rows[n++] = whole->order[i];
	part = dataset_part(whole, rows, n);
	free(rows);
	return part;
}

void dataset_destroy(struct dataset *data)
{
	if (!data)
		return;
	arena_destroy(data->columns);
	arena_destroy(data->arena);
}
