/* Batches of samples, a table a function, added to the profile in periods. */
#include "recorder.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "core/samples.h"

static const int64_t PERIOD_NS = 1000000000;
/* A batch; and what is kept at most if batches cannot be added, about 600 MB. */
enum { BATCH_CELLS = 4 << 20, KEPT_CELLS = 64 << 20 };

struct recorded_image {
	const struct catalogue *catalogue;
	const char *const *modules;
	struct label *classes;   /* of the catalogue, sorted by number */
	struct samples **tables; /* a function's, NULL until it is called */
};

struct recorder {
	struct recorded_image *images;
	size_t n_images, images_capacity;
	struct profile *profile;
	struct recorder_options options;
	struct value *row;
	size_t row_capacity;
	size_t cells; /* not flushed yet */
	int64_t flushed_ns;
	bool failing; /* the last flush failed: wait for the next period */
	uint64_t lost;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
	const struct label *x = a;
	const struct label *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static struct label *sort_classes(const struct catalogue *catalogue)
{
	struct label *labels = mem_alloc(catalogue->n_classes * sizeof(*labels));
	size_t i;

	for (i = 0; i < catalogue->n_classes; i++)
		labels[i] =
			(struct label){catalogue->classes[i].number, catalogue->classes[i].name};
	qsort(labels, catalogue->n_classes, sizeof(*labels), by_number);
	return labels;
}

struct recorder *recorder_create(struct profile *profile, const struct recorder_options *options)
{
	struct recorder *recorder = mem_alloc(sizeof(*recorder));

	recorder->profile = profile;
	recorder->options = *options;
	recorder->options.metrics |= 1u << METRIC_TIME;
	recorder->flushed_ns = now_ns();
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
		.tables = mem_alloc(catalogue->n_functions * sizeof(struct samples *)),
	};
}

static void image_deinit(struct recorded_image *image)
{
	size_t i;

	for (i = 0; i < image->catalogue->n_functions; i++)
		samples_destroy(image->tables[i]);
	free(image->tables);
	free(image->classes);
}

void recorder_destroy(struct recorder *recorder)
{
	size_t i;

	if (!recorder)
		return;
	for (i = 0; i < recorder->n_images; i++)
		image_deinit(&recorder->images[i]);
	free(recorder->images);
	free(recorder->row);
	free(recorder);
}

static struct samples *make_table(const struct recorder *recorder,
				  const struct recorded_image *image,
				  const struct function *function)
{
	struct samples *table =
		samples_create(function->name, function->linkage, function->file, function->line);
	enum metric metric;
	size_t i;

	samples_set_module(table, image->modules[function->module]);
	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (recorder->options.metrics & 1u << metric)
			samples_add_column(table,
					   &(struct column){.name = metric_info(metric)->keyword,
							    .role = COLUMN_METRIC,
							    .metric = metric});
	for (i = 0; i < function->n_features; i++) {
		const struct feature *feature = &function->features[i];

		samples_add_column(table, &(struct column){.name = feature->expression,
							   .role = COLUMN_FEATURE,
							   .type = feature->type,
							   .provenance = feature->provenance,
							   .depth = feature->depth});
	}
	return table;
}

/* Only numbers that occur are labelled: a catalogue may have thousands of classes. */
static void label(const struct recorded_image *image, struct samples *table, size_t index,
		  const struct feature *feature, double number)
{
	const struct label key = {.number = number};
	const struct label *labels = image->classes;
	size_t n = image->catalogue->n_classes;
	const struct label *found;

	if (column_label(&table->columns[index], number))
		return;
	if (feature->type == FEATURE_ENUM) {
		labels = feature->labels;
		n = feature->n_labels;
	}
	found = n ? bsearch(&key, labels, n, sizeof(*labels), by_number) : NULL;
	if (found)
		samples_add_label(table, index, number, found->name);
}

static void label_row(const struct recorder *recorder, struct samples *table,
		      const struct call_record *call)
{
	const struct recorded_image *image = &recorder->images[call->image];
	const struct function *function = &image->catalogue->functions[call->function];
	const size_t first = table->n_columns - function->n_features;
	size_t i;

	for (i = first; i < table->n_columns; i++) {
		const struct feature *feature = &function->features[i - first];
		const struct value *value = &recorder->row[i];

		if ((feature->type == FEATURE_ENUM || feature->type == FEATURE_CLASS) &&
		    value->absence == PRESENT)
			label(image, table, i, feature, value->number);
	}
}

static void append(struct recorder *recorder, struct samples *table, const struct call_record *call)
{
	const struct sample_key key = {.id = call->id,
				       .parent = call->parent,
				       .process = call->process,
				       .thread = call->thread,
				       .start_ns = call->start_ns,
				       .stops = call->stops,
				       .stopped_ns = call->stopped_ns};
	const struct recorded_image *image = &recorder->images[call->image];
	const size_t n_features = image->catalogue->functions[call->function].n_features;
	enum metric metric;
	size_t n = 0;
	size_t i;

	recorder->row = mem_grow(recorder->row, &recorder->row_capacity, table->n_columns,
				 sizeof(*recorder->row));
	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (recorder->options.metrics & 1u << metric)
			recorder->row[n++] = call->metrics[metric];
	for (i = 0; i < n_features; i++)
		recorder->row[n++] = call->features[i];
	samples_append(table, &key, recorder->row);
	label_row(recorder, table, call);
	recorder->cells += table->n_columns;
}

static bool is_due(const struct recorder *recorder)
{
	return now_ns() - recorder->flushed_ns >= PERIOD_NS ||
	       (recorder->cells >= BATCH_CELLS && !recorder->failing);
}

bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err)
{
	struct recorded_image *image = &recorder->images[call->image];
	struct samples **table = &image->tables[call->function];

	if (!*table)
		*table = make_table(recorder, image, &image->catalogue->functions[call->function]);
	if (recorder->cells < KEPT_CELLS)
		append(recorder, *table, call);
	else
		recorder->lost++;
	return !is_due(recorder) || recorder_flush(recorder, err);
}

static bool flush_table(struct recorder *recorder, struct samples *table, struct err *err)
{
	if (!profile_add(recorder->profile, table, err))
		return false;
	recorder->cells -= table->n_rows * table->n_columns;
	samples_clear(table);
	return true;
}

static bool flush_image(struct recorder *recorder, const struct recorded_image *image,
			struct err *err)
{
	size_t i;

	for (i = 0; i < image->catalogue->n_functions; i++) {
		struct samples *table = image->tables[i];

		if (table && table->n_rows && !flush_table(recorder, table, err))
			return false;
	}
	return true;
}

bool recorder_flush(struct recorder *recorder, struct err *err)
{
	size_t i;

	recorder->failing = false;
	for (i = 0; i < recorder->n_images && !recorder->failing; i++)
		recorder->failing = !flush_image(recorder, &recorder->images[i], err);
	recorder->flushed_ns = now_ns();
	return !recorder->failing;
}

void recorder_redirect(struct recorder *recorder, struct profile *profile)
{
	recorder->profile = profile;
}

uint64_t recorder_lost(const struct recorder *recorder)
{
	return recorder->lost;
}
