/* Lines of words; a function's name is the rest of its line. */
#include "watch_store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "results/atomic_file.h"

static const char first_line[] = "fathom watch 1\n";

/* Longer lines are none of ours. */
enum { LINE_MAX_BYTES = 1 << 16 };

static struct watch_subject *find_subject(const struct watch_store *store,
					  const struct watch_state *state, const char *metric,
					  const char *function)
{
	for (size_t i = 0; i < store->annotations->n; i++) {
		const struct annotation *annotation = store->annotations->list[i];

		if (!strcmp(annotation->function, function) &&
		    !strcmp(metric_info(annotation->metric)->keyword, metric))
			return &state->subjects[i];
	}
	return NULL;
}

/* What is no state that watch_state.c makes is none. */
static bool is_sane(const struct watch_subject *subject)
{
	return subject->verdict <= WATCH_VIOLATED && subject->reason <= WATCH_BY_DRIFT &&
	       isfinite(subject->level) && isfinite(subject->level_weight) &&
	       subject->level_weight >= 0 && isfinite(subject->drift) && subject->drift >= 0 &&
	       isfinite(subject->ratio) &&
	       (subject->level_periods > 0) == (subject->level_weight > 0);
}

static bool store_read_subject(const struct watch_store *store, const struct watch_state *state,
			       const char *line)
{
	struct watch_subject read;
	struct watch_subject *subject;
	char metric[32];
	unsigned verdict, reason;
	int at = -1;

	if (sscanf(line,
		   "subject %1u %1u %9u %9u %lf %lf %9u %lf %lf %18" SCNu64 " %18" SCNd64
		   " %31s %n",
		   &verdict, &reason, &read.bad, &read.good, &read.level, &read.level_weight,
		   &read.level_periods, &read.drift, &read.ratio, &read.samples, &read.since,
		   metric, &at) != 12 ||
	    at < 0)
		return false;
	read.verdict = verdict;
	read.reason = reason;
	if (!is_sane(&read))
		return false;
	subject = find_subject(store, state, metric, line + at);
	if (subject)
		*subject = read;
	return true;
}

static bool store_read_periods(struct watch_store *store, struct watch_state *state,
			       const char *line, struct arena *arena)
{
	int at = -1;

	if (sscanf(line, "periods %15" SCNu64 " %15" SCNu64 " %n", &state->periods,
		   &state->generation, &at) != 2 ||
	    at < 0)
		return false;
	store->processes = arena_strdup(arena, line + at);
	return true;
}

static bool read_lines(struct watch_store *store, struct watch_state *state, FILE *file,
		       struct arena *arena, unsigned *number)
{
	char *line = arena_alloc(arena, LINE_MAX_BYTES);
	bool ok;

	*number = 1;
	ok = fgets(line, LINE_MAX_BYTES, file) && !strcmp(line, first_line);
	while (ok && fgets(line, LINE_MAX_BYTES, file)) {
		++*number;
		ok = strchr(line, '\n') != NULL;
		line[strcspn(line, "\n")] = '\0';
		ok = ok && (*number == 2 ? store_read_periods(store, state, line, arena)
					 : store_read_subject(store, state, line));
	}
	return ok && *number > 1;
}

bool watch_store_read(struct watch_store *store, struct watch_state *state, struct arena *arena,
		      struct err *err)
{
	FILE *file = fopen(store->path, "re");
	unsigned number;
	bool ok;

	store->processes = "";
	if (!file)
		return errno == ENOENT ||
		       err_set_errno(err, ERR_IO, errno, "%s cannot be read", store->path);
	ok = read_lines(store, state, file, arena, &number);
	fclose(file);
	return ok || err_set(err, ERR_FORMAT,
			     "%s: line %u is not as fathom watch writes it; remove the file, or "
			     "give --state another name",
			     store->path, number);
}

bool watch_store_write(const struct watch_store *store, const struct watch_state *state,
		       struct err *err)
{
	struct atomic_file file;

	if (!atomic_file_begin(store->path, NULL, 0, &file, err))
		return false;
	fprintf(file.file, "%speriods %" PRIu64 " %" PRIu64 " %s\n", first_line, state->periods,
		state->generation, store->processes);
	for (size_t i = 0; i < state->n; i++) {
		const struct watch_subject *subject = &state->subjects[i];
		const struct annotation *annotation = store->annotations->list[i];

		fprintf(file.file,
			"subject %u %u %u %u %.17g %.17g %u %.17g %.17g %" PRIu64 " %" PRId64
			" %s %s\n",
			subject->verdict, subject->reason, subject->bad, subject->good,
			subject->level, subject->level_weight, subject->level_periods,
			subject->drift, subject->ratio, subject->samples, subject->since,
			metric_info(annotation->metric)->keyword, annotation->function);
	}
	return atomic_file_finish(&file, err);
}
