/* Two passes: by what is certainly meant, then by what may be another clone now. */
#include "annotated_functions.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/annotation/namesakes.h"
#include "profile/profile_layout.h"

/* The sample limit (in table cells) that annotate uses, too. */
enum { CHECK_CELLS = 64 << 20 };

bool annotated_functions_load(struct profile *profile, int64_t run, const char *key,
			      struct samples **ret, struct err *err)
{
	if (!profile_load(profile, key, CHECK_CELLS, ret, err))
		return false;
	if (!profile_layout_add_texts(profile, *ret, err)) {
		samples_destroy(*ret);
		return false;
	}
	if (run)
		samples_keep_run(*ret, run);
	return true;
}

/* @alike[at]: the key of another one of its name; NULL: none. */
static bool take_function(struct annotated_functions *functions, const char *key,
			  struct samples *samples, const char **alike, struct err *err)
{
	const struct namesake namesake = {samples->function, samples->linkage, samples->file,
					  samples->line};
	const struct annotation_list *annotations = functions->annotations;
	bool is_taken = false;

	for (size_t i = 0; i < annotations->n; i++) {
		const enum namesakes match =
			functions->found[i]
				? NAMESAKES_OTHER
				: namesakes_match(annotations->list[i]->function, &namesake);

		if (match == NAMESAKES_ALIKE && !alike[i])
			alike[i] = key;
		if (match != NAMESAKES_SAME)
			continue;
		functions->found[i] = is_taken = true;
		if (!functions->take(functions->context, i, key, samples, err))
			return false;
	}
	for (size_t i = 0; is_taken && i < annotations->n; i++)
		if (alike[i] == key)
			alike[i] = NULL;
	return true;
}

static bool take_same(struct annotated_functions *functions, struct profile *profile,
		      const char **alike, struct err *err)
{
	const char *const *keys;
	struct samples *samples;
	bool ok = true;
	size_t n;

	if (!profile_subjects(profile, &keys, &n, err))
		return false;
	for (size_t i = 0; ok && i < n; i++) {
		if (!annotated_functions_load(profile, functions->run, keys[i], &samples, err))
			return false;
		ok = take_function(functions, keys[i], samples, alike, err);
		samples_destroy(samples);
	}
	return ok;
}

static bool take_alike(struct annotated_functions *functions, struct profile *profile,
		       const char *const *alike, struct err *err)
{
	struct samples *samples;
	bool ok = true;

	for (size_t i = 0; ok && i < functions->annotations->n; i++) {
		if (functions->found[i] || !alike[i])
			continue;
		if (!annotated_functions_load(profile, functions->run, alike[i], &samples, err))
			return false;
		functions->found[i] = true;
		ok = functions->take(functions->context, i, alike[i], samples, err);
		samples_destroy(samples);
	}
	return ok;
}

bool annotated_functions_each(struct annotated_functions *functions, struct profile *profile,
			      struct err *err)
{
	const size_t n = functions->annotations->n;
	const char **alike = mem_alloc((n + 1) * sizeof(*alike));
	bool ok;

	functions->found = mem_alloc(n + 1);
	ok = take_same(functions, profile, alike, err) &&
	     take_alike(functions, profile, alike, err);
	free(alike);
	return ok;
}
