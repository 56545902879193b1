/* The last run stands for all. */
#include "measured_key.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "baseline.h"
#include "profile/profile_history.h"

/* FNV-1a; the zero byte counts, so that texts do not run together. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (text = text ? text : "";; text++) {
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
		if (!*text)
			return hash;
	}
}

/* All functions of a run have the same metrics. */
static bool hash_metrics(struct profile *profile, uint64_t *hash, struct err *err)
{
	const char *const *keys;
	struct samples *samples;

	if (!profile_functions(profile, &keys))
		return true;
	if (!profile_load(profile, keys[0], 1, &samples, err))
		return false;
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_METRIC)
			*hash = hash_text(*hash, samples->columns[i].name);
	samples_destroy(samples);
	return true;
}

bool measured_key(const char *path, const char *build, struct arena *arena, const char **ret,
		  struct err *err)
{
	uint64_t hash = 0xcbf29ce484222325;
	struct profile *profile;
	struct past_run *runs;
	const char *name, *arguments;
	char *safe;
	size_t n;
	bool ok;

	if (!baseline_program(path, arena, &name, err) || !profile_open(path, &profile, err))
		return false;
	ok = profile_history(profile, 1, arena, &runs, &n, err) &&
	     hash_metrics(profile, &hash, err);
	profile_close(profile);
	if (!ok)
		return false;
	if (n && runs[0].run.command && runs[0].run.executable) {
		arguments = strchr(runs[0].run.command, ' ');
		hash = hash_text(hash, arguments);
		hash = hash_text(hash, runs[0].run.cpu);
	}
	hash = hash_text(hash, build);
	safe = arena_printf(arena, "%.64s-%08" PRIx32, name, (uint32_t)(hash ^ hash >> 32));
	for (name = safe; *safe; safe++)
		if (!isalnum((unsigned char)*safe) && !strchr("+-_", *safe))
			*safe = '_';
	*ret = name;
	return true;
}
