/* What is not within a selected call is left out. */
#include "export_spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/spans/otlp.h"
#include "report/spans/timeline.h"
#include "profile/graph/profile_spans.h"
#include "results/selected_functions.h"

struct span_reading {
	struct profile_spans all;
	int64_t *chosen; /* ids */
	size_t n_chosen, chosen_capacity;
};

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
	struct spans *spans = &reading->all.spans;
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

	*ret = (struct span_reading){.n_chosen = 0};
	ok = profile_spans_read(profile, SIZE_MAX, &ret->all, err);
	if (ok && (options->n_functions || options->where)) {
		ok = selected_functions_visit(&chosen, reading_choose, ret, err);
		if (ok && !ret->n_chosen)
			ok = selected_functions_refuse(profile, options, "the profile", err);
		if (ok)
			reading_keep_chosen(ret);
	}
	if (ok && !ret->all.spans.n)
		ok = err_set(
			err, ERR_NOT_FOUND,
			"no selected call of the profile has a time: there is nothing to show");
	return ok;
}

static void reading_end(struct span_reading *reading)
{
	profile_spans_deinit(&reading->all);
	free(reading->chosen);
}

bool export_spans_otlp(const struct options *options, struct profile *profile, FILE *out,
		       struct err *err)
{
	struct span_reading reading;
	const bool ok = reading_begin(profile, options, &reading, err) &&
			otlp_print(&reading.all.spans, out, err);

	reading_end(&reading);
	return ok;
}

bool export_spans_timeline(const struct options *options, struct profile *profile, FILE *out,
			   struct err *err)
{
	struct span_reading reading;
	const bool ok =
		reading_begin(profile, options, &reading, err) &&
		timeline_print(&reading.all.spans, spans_longest(&reading.all.spans), out, err);

	reading_end(&reading);
	return ok;
}
