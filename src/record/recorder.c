/*
 * Keeps the samples of a period in one table per function, each a reservoir. There are two sets of
 * tables: while the writer adds one to the profile, the other is filled. record/call_table.c makes
 * the rows.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "call_table.h"
#include "core/samples/sample_key.h"
#include "dwarf/site_names.h"
#include "reservoir.h"
#include "writer.h"

static const int64_t RETRY_NS = 1000000000;
/* Of calls beside other functions' pads: the part of all that is dropped, and how many stay. */
enum { BESIDE_PART = 2, QUIET_LEAST = 30 };
/* Cells that end a period if all calls are kept; limit of all cells in memory. */
enum { BATCH_CELLS = 4 << 20, MAX_CELLS = 64 << 20 };

struct recorded_function {
	struct call_table table;
	struct samples *samples[2];
	struct reservoir reservoir; /* of the period */
	bool *beside;               /* [beside_capacity] its rows: is_beside; owned */
	size_t beside_capacity;
	uint64_t limit;    /* of ranks: calls at or above it may be missing now */
	bool was_limited;  /* some call may have been missing */
	uint64_t given;    /* rows passed to the writer */
	uint64_t left_out; /* calls whose condition does not hold */
	uint64_t halted;   /* calls halted midway */
	size_t key;        /* the feature that chooses; n_features: none */
};

struct recorded_image {
	const struct catalogue *catalogue;
	const char *const *modules;
	struct label *classes;                /* of the catalogue, sorted by number */
	struct recorded_function **functions; /* NULL until they are called */
	struct site_names *site_names;        /* NULL: they are not wanted */
};

struct recorder {
	struct recorded_image *images;
	size_t n_images, images_capacity;
	struct profile *profile;
	struct recorder_options options;
	struct random_state chance; /* breaks ties */
	struct writer *writer;
	struct samples **batch; /* last passed to the writer */
	size_t n_batch, batch_capacity;
	unsigned front;   /* the set being filled */
	size_t cells[2];  /* in the tables */
	int64_t began_ns; /* the period */
	bool writing;     /* the batch's outcome was not taken yet */
	bool failing;     /* the batch was not stored; it is tried again */
	uint64_t lost;
};

static int64_t recorder_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

static int recorder_compare_labels(const void *a, const void *b)
{
	const struct label *x = a;
	const struct label *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static struct label *sort_classes(const struct catalogue *catalogue)
{
	struct label *labels = mem_alloc(catalogue->n_classes * sizeof(*labels));

	for (size_t i = 0; i < catalogue->n_classes; i++)
		labels[i] =
			(struct label){catalogue->classes[i].number, catalogue->classes[i].name};
	qsort(labels, catalogue->n_classes, sizeof(*labels), recorder_compare_labels);
	return labels;
}

static struct site_names *names_of_sites(const struct recorder *recorder,
					 const struct catalogue *catalogue)
{
	return recorder->options.sites
		       ? site_names_create(catalogue, recorder->options.debuginfo_path)
		       : NULL;
}

struct recorder *recorder_create(struct profile *profile, const struct recorder_options *options)
{
	struct recorder *recorder = mem_alloc(sizeof(*recorder));

	recorder->profile = profile;
	recorder->options = *options;
	recorder->options.metrics |= 1u << METRIC_TIME;
	if (!options->max_cells)
		recorder->options.max_cells = MAX_CELLS;
	recorder->writer = writer_create(profile);
	recorder->began_ns = recorder_now_ns();
	return recorder;
}

void recorder_add_image(struct recorder *recorder, unsigned number,
			const struct catalogue *catalogue, const char *const *modules)
{
	if (number < recorder->n_images)
		return;
	recorder->images = mem_grow(recorder->images, &recorder->images_capacity,
				    recorder->n_images + 1, sizeof(*recorder->images));
	recorder->images[recorder->n_images++] = (struct recorded_image){
		.catalogue = catalogue,
		.modules = modules,
		.classes = sort_classes(catalogue),
		.site_names = names_of_sites(recorder, catalogue),
		.functions = mem_alloc(catalogue->n_functions * sizeof(struct recorded_function *)),
	};
}

static void function_destroy(struct recorded_function *function)
{
	if (!function)
		return;
	samples_destroy(function->samples[0]);
	samples_destroy(function->samples[1]);
	call_table_deinit(&function->table);
	reservoir_deinit(&function->reservoir);
	free(function->beside);
	free(function);
}

static void image_deinit(struct recorded_image *image)
{
	for (size_t i = 0; i < image->catalogue->n_functions; i++)
		function_destroy(image->functions[i]);
	free(image->functions);
	free(image->classes);
	site_names_destroy(image->site_names);
}

void recorder_destroy(struct recorder *recorder)
{
	if (!recorder)
		return;
	writer_destroy(recorder->writer);
	for (size_t i = 0; i < recorder->n_images; i++)
		image_deinit(&recorder->images[i]);
	free(recorder->images);
	free(recorder->batch);
	free(recorder);
}

static struct recorded_function *function_create(struct recorder *recorder,
						 const struct recorded_image *image,
						 unsigned index);

static void recorder_set_limit(struct recorded_function *function, uint64_t limit)
{
	function->limit = limit;
	function->was_limited |= limit < SESSION_RANK_ALL;
	reservoir_limit(&function->reservoir, limit);
}

/* For the rest of the period, if limits are raised again. */
static void note_limit(struct recorded_function *function, const struct call_record *call)
{
	function->was_limited |= call->limit < SESSION_RANK_ALL;
	reservoir_limit(&function->reservoir, call->limit);
}

/* Functions in both catalogues keep their counts and limits. */
static void recorder_carry_over(struct recorder *recorder, const struct recorded_image *before,
				struct recorded_image *now)
{
	size_t i, same;

	for (i = 0; i < before->catalogue->n_functions; i++) {
		same = catalogue_find_same(now->catalogue, before->catalogue, i);
		if (!before->functions[i] || same == now->catalogue->n_functions)
			continue;
		now->functions[same] = function_create(recorder, now, same);
		now->functions[same]->given = before->functions[i]->given;
		now->functions[same]->left_out = before->functions[i]->left_out;
		now->functions[same]->halted = before->functions[i]->halted;
		recorder_set_limit(now->functions[same], before->functions[i]->limit);
		now->functions[same]->was_limited = before->functions[i]->was_limited;
	}
}

void recorder_replace_image(struct recorder *recorder, unsigned number,
			    const struct catalogue *catalogue, const char *const *modules)
{
	struct recorded_image before = recorder->images[number];

	recorder_pause(recorder);
	recorder->n_batch = 0;
	recorder->images[number] = (struct recorded_image){
		.catalogue = catalogue,
		.modules = modules,
		.classes = sort_classes(catalogue),
		.site_names = names_of_sites(recorder, catalogue),
		.functions = mem_alloc((catalogue->n_functions + 1) *
				       sizeof(struct recorded_function *)),
	};
	recorder_carry_over(recorder, &before, &recorder->images[number]);
	image_deinit(&before);
}

/* The feature with that expression (NULL: none); n_features: it has none. */
static size_t recorder_key_of(const struct function *function, const char *expression)
{
	size_t i = 0;

	while (i < function->n_features &&
	       (!expression || strcmp(function->features[i].expression, expression) != 0))
		i++;
	return i;
}

static struct recorded_function *function_create(struct recorder *recorder,
						 const struct recorded_image *image, unsigned index)
{
	const struct function *function = &image->catalogue->functions[index];
	struct recorded_function *made = mem_alloc(sizeof(*made));

	made->table = (struct call_table){.function = function,
					  .module = image->modules[function->module],
					  .classes = image->classes,
					  .n_classes = image->catalogue->n_classes,
					  .texts = image->catalogue->texts,
					  .metrics = recorder->options.metrics,
					  .adapts = recorder->options.adapts,
					  .functions = image->catalogue->functions,
					  .n_functions = image->catalogue->n_functions,
					  .site_names = image->site_names};
	call_table_init(&made->table);
	made->samples[0] = call_table_make(&made->table);
	made->samples[1] = call_table_make(&made->table);
	made->key = recorder_key_of(function, recorder->options.sample_by);
	made->limit = SESSION_RANK_ALL;
	reservoir_begin(&made->reservoir, recorder->options.samples, made->limit);
	return made;
}

typedef void visit_function(struct recorder *recorder, struct recorded_function *function);

static void recorder_each_function(struct recorder *recorder, visit_function *visit)
{
	for (size_t i = 0; i < recorder->n_images; i++)
		for (size_t j = 0; j < recorder->images[i].catalogue->n_functions; j++)
			if (recorder->images[i].functions[j])
				visit(recorder, recorder->images[i].functions[j]);
}

/*
 * Drop calls that began beside other functions' pads, if they are few: windows are opened and
 * closed by time, so what is left is as uniform, and its times are certain.
 */
static size_t drop_beside(const struct recorded_function *function, size_t n_rows, bool *kept)
{
	size_t n_beside = 0, n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		n += kept[i];
		n_beside += kept[i] && function->beside[i];
	}
	if (n - n_beside < QUIET_LEAST || n_beside * BESIDE_PART > n)
		return n;
	for (size_t i = 0; i < n_rows; i++)
		kept[i] &= !function->beside[i];
	return n - n_beside;
}

/* Drop the calls beside which others may be missing. */
static void end_period(struct recorder *recorder, struct recorded_function *function)
{
	struct samples *samples = function->samples[recorder->front];
	bool *kept = mem_alloc((samples->n_rows + 1) * sizeof(*kept));
	const size_t before = samples->n_rows;
	size_t n = reservoir_end(&function->reservoir, kept);

	if (recorder->options.samples)
		n = drop_beside(function, before, kept);
	recorder->cells[recorder->front] -= (before - n) * samples->n_columns;
	samples_keep_rows(samples, kept);
	free(kept);
	reservoir_begin(&function->reservoir, recorder->options.samples, function->limit);
}

static void put_into_batch(struct recorder *recorder, struct recorded_function *function)
{
	struct samples *samples = function->samples[recorder->front];

	end_period(recorder, function);
	if (!samples->n_rows)
		return;
	function->given += samples->n_rows;
	recorder->batch = mem_grow(recorder->batch, &recorder->batch_capacity,
				   recorder->n_batch + 1, sizeof(*recorder->batch));
	recorder->batch[recorder->n_batch++] = samples;
}

static void recorder_give(struct recorder *recorder)
{
	recorder->writing = true;
	recorder->failing = false;
	writer_give(recorder->writer, recorder->batch, recorder->n_batch);
}

/* End the period: pass its tables to the writer and fill the others. The writer is idle. */
static void hand_over(struct recorder *recorder)
{
	recorder->n_batch = 0;
	recorder_each_function(recorder, put_into_batch);
	recorder->front = !recorder->front;
	if (recorder->n_batch)
		recorder_give(recorder);
}

/* Take the batch's outcome, once. The writer is idle. */
static bool take_outcome(struct recorder *recorder, struct err *err)
{
	if (!recorder->writing)
		return true;
	recorder->writing = false;
	recorder->failing = !writer_succeeded(recorder->writer, err);
	if (!recorder->failing)
		recorder->cells[!recorder->front] = 0;
	return !recorder->failing;
}

static bool is_due(const struct recorder *recorder)
{
	const struct recorder_options *options = &recorder->options;
	int64_t period_ns = options->period_ms * INT64_C(1000000);
	int64_t passed_ns = recorder_now_ns() - recorder->began_ns;

	if (recorder->failing)
		return passed_ns >= RETRY_NS;
	return (period_ns && passed_ns >= period_ns) ||
	       (!options->samples && recorder->cells[recorder->front] >= BATCH_CELLS);
}

/* Never waits: while the last batch is being written, the period goes on. */
bool recorder_tend(struct recorder *recorder, struct err *err)
{
	bool ok;

	if (!writer_is_idle(recorder->writer))
		return true;
	ok = take_outcome(recorder, err);
	if (ok && !is_due(recorder))
		return true;
	recorder->began_ns = recorder_now_ns();
	if (ok && recorder->failing)
		recorder_give(recorder);
	else if (ok)
		hand_over(recorder);
	return ok;
}

static void recorder_keep(struct recorder *recorder, struct recorded_function *function,
			  const struct call_record *call)
{
	struct samples *samples = function->samples[recorder->front];
	size_t *cells = &recorder->cells[recorder->front];
	size_t before = samples->n_rows * samples->n_columns;
	int64_t row;

	if (recorder->cells[0] + recorder->cells[1] >= recorder->options.max_cells) {
		if (!recorder->options.samples) {
			recorder->lost++;
			return;
		}
		reservoir_close(&function->reservoir);
	}
	row = reservoir_place(&function->reservoir, call->rank, &recorder->chance);
	if (row == RESERVOIR_NOT_KEPT)
		return;
	call_table_put(&function->table, samples, row, call);
	function->beside = mem_grow(function->beside, &function->beside_capacity, (size_t)row + 1,
				    sizeof(*function->beside));
	function->beside[row] = call->is_beside;
	*cells += samples->n_rows * samples->n_columns - before;
}

static struct recorded_function *recorder_function_of(struct recorder *recorder, unsigned number,
						      unsigned index)
{
	struct recorded_image *image = &recorder->images[number];
	struct recorded_function **function = &image->functions[index];

	if (!*function)
		*function = function_create(recorder, image, index);
	return *function;
}

bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err)
{
	bool ok = recorder_tend(recorder, err);
	struct recorded_function *function;

	if (call->is_adopted) /* measured only in part */
		return ok;
	function = recorder_function_of(recorder, call->image, call->function);
	if (function->key < function->table.function->n_features &&
	    !sample_key_chooses(&call->features[function->key], recorder->options.sample_share)) {
		recorder_leave_out(recorder, call);
		return ok;
	}
	call_table_note(&function->table, call);
	note_limit(function, call);
	if (call->was_halted)
		function->halted++;
	else
		recorder_keep(recorder, function, call);
	return ok;
}

void recorder_leave_out(struct recorder *recorder, const struct call_record *call)
{
	struct recorded_function *function;

	if (call->is_adopted)
		return;
	function = recorder_function_of(recorder, call->image, call->function);
	function->left_out++;
	note_limit(function, call);
}

void recorder_limit(struct recorder *recorder, unsigned image, unsigned function, uint64_t limit)
{
	recorder_set_limit(recorder_function_of(recorder, image, function), limit);
}

static bool write_and_wait(struct recorder *recorder, struct err *err)
{
	writer_wait(recorder->writer);
	return take_outcome(recorder, err);
}

bool recorder_flush(struct recorder *recorder, struct err *err)
{
	struct err earlier;

	if (!write_and_wait(recorder, &earlier) || recorder->failing)
		recorder_give(recorder);
	if (!write_and_wait(recorder, err))
		return false;
	hand_over(recorder);
	recorder->began_ns = recorder_now_ns();
	return write_and_wait(recorder, err);
}

void recorder_pause(struct recorder *recorder)
{
	writer_wait(recorder->writer);
}

void recorder_redirect(struct recorder *recorder, struct profile *profile)
{
	recorder_pause(recorder);
	recorder->profile = profile;
	writer_redirect(recorder->writer, profile);
}

uint64_t recorder_lost(const struct recorder *recorder)
{
	return recorder->lost;
}

static const struct recorded_function *recorder_find(const struct recorder *recorder,
						     unsigned image, unsigned function)
{
	return image < recorder->n_images ? recorder->images[image].functions[function] : NULL;
}

uint64_t recorder_kept(const struct recorder *recorder, unsigned image, unsigned function)
{
	const struct recorded_function *found = recorder_find(recorder, image, function);

	return found ? found->given + found->samples[recorder->front]->n_rows : 0;
}

uint64_t recorder_left_out(const struct recorder *recorder, unsigned image, unsigned function)
{
	const struct recorded_function *found = recorder_find(recorder, image, function);

	return found ? found->left_out : 0;
}

bool recorder_has_key(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->n_images; i++)
		for (size_t j = 0; j < recorder->images[i].catalogue->n_functions; j++) {
			const struct recorded_function *function = recorder->images[i].functions[j];

			if (function && function->key < function->table.function->n_features)
				return true;
		}
	return false;
}

uint64_t recorder_halted(const struct recorder *recorder, unsigned image, unsigned function)
{
	const struct recorded_function *found = recorder_find(recorder, image, function);

	return found ? found->halted : 0;
}

bool recorder_was_limited(const struct recorder *recorder, unsigned image, unsigned function)
{
	const struct recorded_function *found = recorder_find(recorder, image, function);

	return found && found->was_limited;
}

static bool add_looped(const struct recorder *recorder, const struct call_table *table,
		       struct err *err)
{
	const char *name;

	for (size_t i = 0; i < table->function->n_branches; i++) {
		if (!call_table_has_looped(table, i))
			continue;
		name = table->function->branches[i].name;
		if (!profile_add_looped(recorder->profile, table->function, table->module, name,
					err))
			return false;
	}
	return true;
}

bool recorder_add_looped(const struct recorder *recorder, struct err *err)
{
	for (size_t i = 0; i < recorder->n_images; i++)
		for (size_t j = 0; j < recorder->images[i].catalogue->n_functions; j++) {
			const struct recorded_function *function = recorder_find(recorder, i, j);

			if (function && !add_looped(recorder, &function->table, err))
				return false;
		}
	return true;
}
