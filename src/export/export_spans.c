/*
 * All calls are read, since those within a selected one are of other functions; what is not within
 * a selected one is left out.
 */
#include "export_spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/figure/spans.h"
#include "report/spans/otlp.h"
#include "report/spans/timeline.h"
#include "results/selected_functions.h"

/* Numbers with reasons, of a function. */
enum { SPANS_CELLS = 16 << 20 };

struct span_reading {
	struct profile *profile;
	struct arena *arena;
	struct spans spans;
	struct span_run *runs;
	size_t n_runs, runs_capacity;
	int64_t *chosen; /* ids */
	size_t n_chosen, chosen_capacity;
};

static bool reading_know_run(struct span_reading *reading, int64_t id, struct err *err)
{
	struct run run = {.executable = NULL};

	for (size_t i = reading->n_runs; i > 0; i--)
		if (reading->runs[i - 1].id == id)
			return true;
	if (!profile_describe_run(reading->profile, id, reading->arena, &run, err))
		return false;
	reading->runs = mem_grow(reading->runs, &reading->runs_capacity, reading->n_runs + 1,
				 sizeof(*reading->runs));
	reading->runs[reading->n_runs++] =
		(struct span_run){id, run.started, run.executable ? run.executable : "unknown"};
	return true;
}

static bool reading_add(struct span_reading *reading, const struct samples *samples,
			struct err *err)
{
	for (size_t i = 0; i < samples->n_rows; i++)
		if (!reading_know_run(reading, samples->keys[i].run, err))
			return false;
	spans_add(&reading->spans, samples, reading->runs, reading->n_runs);
	return true;
}

static bool reading_all(struct span_reading *reading, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(reading->profile, &keys);

	for (size_t i = 0; i < n; i++) {
		struct samples *samples;
		bool ok;

		if (!profile_load(reading->profile, keys[i], SPANS_CELLS, &samples, err))
			return false;
		ok = reading_add(reading, samples, err);
		samples_destroy(samples);
		if (!ok)
			return false;
	}
	spans_arrange(&reading->spans);
	return true;
}

static bool reading_choose(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct span_reading *reading = self;

	(void)key;
	(void)err;
	reading->chosen = mem_grow(reading->chosen, &reading->chosen_capacity,
				   reading->n_chosen + samples->n_rows, sizeof(*reading->chosen));
	for (size_t i = 0; i < samples->n_rows; i++)
		reading->chosen[reading->n_chosen++] = samples->keys[i].id;
	samples_destroy(samples);
	return true;
}

static int compare_chosen(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* What is selected stands at the top, with all below it. */
static void reading_keep_chosen(struct span_reading *reading)
{
	struct spans *spans = &reading->spans;
	size_t kept = 0, end = 0;

	if (reading->n_chosen)
		qsort(reading->chosen, reading->n_chosen, sizeof(int64_t), compare_chosen);
	for (size_t i = 0; i < spans->n; i++) {
		const struct span span = spans->list[i];

		if (i >= end &&
		    !(reading->n_chosen && bsearch(&span.id, reading->chosen, reading->n_chosen,
						   sizeof(span.id), compare_chosen)))
			continue;
		if (i >= end) {
			end = i + span.n_below + 1;
			spans->list[i].parent_id = 0;
		}
		spans->list[kept++] = spans->list[i];
	}
	spans->n = kept;
	spans_arrange(spans);
}

static bool reading_begin(struct profile *profile, const struct options *options,
			  struct span_reading *ret, struct err *err)
{
	const struct chosen chosen = {.profile = profile, .options = options};
	bool ok;

	*ret = (struct span_reading){.profile = profile, .arena = arena_create()};
	spans_init(&ret->spans);
	ok = reading_all(ret, err);
	if (ok && (options->n_functions || options->where)) {
		ok = selected_functions_visit(&chosen, reading_choose, ret, err);
		if (ok && !ret->n_chosen)
			ok = selected_functions_refuse(profile, options, "the profile", err);
		if (ok)
			reading_keep_chosen(ret);
	}
	if (ok && !ret->spans.n)
		ok = err_set(
			err, ERR_NOT_FOUND,
			"no selected call of the profile has a time: there is nothing to show");
	return ok;
}

static void reading_end(struct span_reading *reading)
{
	spans_deinit(&reading->spans);
	arena_destroy(reading->arena);
	free(reading->runs);
	free(reading->chosen);
}

bool export_spans_otlp(const struct options *options, struct profile *profile, FILE *out,
		       struct err *err)
{
	struct span_reading reading;
	const bool ok = reading_begin(profile, options, &reading, err) &&
			otlp_print(&reading.spans, out, err);

	reading_end(&reading);
	return ok;
}

bool export_spans_timeline(const struct options *options, struct profile *profile, FILE *out,
			   struct err *err)
{
	struct span_reading reading;
	const bool ok = reading_begin(profile, options, &reading, err) &&
			timeline_print(&reading.spans, spans_longest(&reading.spans), out, err);

	reading_end(&reading);
	return ok;
}
