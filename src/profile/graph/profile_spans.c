/* All calls are read, since those within a call are of other functions. */
#include "profile_spans.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"

/* Numbers with reasons, of a function. */
enum { SPANS_CELLS = 16 << 20 };

static bool spans_know_run(struct profile_spans *reading, int64_t id, struct err *err)
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

static bool spans_add_table(struct profile_spans *reading, const struct samples *samples,
			    struct err *err)
{
	for (size_t i = 0; i < samples->n_rows; i++)
		if (!spans_know_run(reading, samples->keys[i].run, err))
			return false;
	spans_add(&reading->spans, samples, reading->runs, reading->n_runs);
	return true;
}

static bool spans_add_all(struct profile_spans *reading, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(reading->profile, &keys);

	for (size_t i = 0; i < n; i++) {
		struct samples *samples;
		bool ok;

		if (!profile_load(reading->profile, keys[i], SPANS_CELLS, &samples, err))
			return false;
		ok = spans_add_table(reading, samples, err);
		samples_destroy(samples);
		if (!ok)
			return false;
	}
	spans_arrange(&reading->spans);
	return true;
}

static bool spans_are_few(struct profile *profile, size_t most, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(profile, &keys);
	size_t all = 0;

	for (size_t i = 0; i < n; i++) {
		size_t calls;

		if (!profile_count(profile, keys[i], &calls, err))
			return false;
		all += calls;
	}
	return all <= most ||
	       err_set(err, ERR_UNSUPPORTED,
		       "%zu calls are too many to be shown so at once (%zu at most): fathom "
		       "export --timeline draws one that --where selects",
		       all, most);
}

bool profile_spans_read(struct profile *profile, size_t most, struct profile_spans *ret,
			struct err *err)
{
	*ret = (struct profile_spans){.profile = profile, .arena = arena_create()};
	spans_init(&ret->spans);
	return spans_are_few(profile, most, err) && spans_add_all(ret, err);
}

void profile_spans_deinit(struct profile_spans *reading)
{
	spans_deinit(&reading->spans);
	arena_destroy(reading->arena);
	free(reading->runs);
}
