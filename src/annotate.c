/* Loading samples, modelling and printing, for every function that was asked for. */
#include "annotate.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/annotation.h"
#include "core/derived.h"
#include "core/name.h"
#include "model/story.h"
#include "report/json.h"

/* Of doubles and their reasons: about 600 MB. Beyond it evenly spaced samples are modelled. */
enum { MODEL_CELLS = 64 << 20 };

struct annotations {
	struct annotation **list;
	size_t n, capacity;
};

bool annotate_is_asked_for(const struct samples *samples, const struct options *options,
			   struct arena *arena)
{
	size_t i;

	for (i = 0; i < options->n_functions; i++)
		if (name_matches(samples->function, samples->linkage,
				 name_canonical(arena, options->functions[i])))
			return true;
	return options->n_functions == 0;
}

/* Without -m: all that were measured. */
static bool is_wanted(const struct samples *samples, const struct options *options,
		      enum metric metric)
{
	if (options->metrics)
		return options->metrics & 1u << metric;
	return samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword) <
	       samples->n_columns;
}

static void model_metrics(struct samples *samples, const struct options *options,
			  struct annotations *ret)
{
	const struct model_options model_options = {.min_r2 = options->min_r2,
						    .correlation = options->correlation};
	unsigned metrics = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (is_wanted(samples, options, metric))
			metrics |= 1u << metric;
	samples_derive(samples);
	ret->list = mem_grow(ret->list, &ret->capacity, ret->n + METRIC_COUNT, sizeof(*ret->list));
	ret->n += story_build(samples, metrics, &model_options, ret->list + ret->n);
}

static bool model_all(struct profile *profile, const struct options *options,
		      const struct programs *programs, struct annotations *ret, struct err *err)
{
	struct arena *arena = arena_create();
	const char *const *functions;
	size_t n = profile_functions(profile, &functions);
	bool ok = true;
	size_t i;

	for (i = 0; i < n && ok; i++) {
		struct samples *samples;

		ok = profile_load(profile, functions[i], MODEL_CELLS, &samples, err);
		if (!ok)
			break;
		if (programs ? programs_have(programs, samples)
			     : annotate_is_asked_for(samples, options, arena))
			model_metrics(samples, options, ret);
		samples_destroy(samples);
	}
	arena_destroy(arena);
	return ok;
}

static bool print_all(const struct annotations *annotations, const struct options *options,
		      FILE *out, struct err *err)
{
	size_t i;

	if (options->json)
		return json_annotations((const struct annotation *const *)annotations->list,
					annotations->n, NULL, 0, out, err);
	for (i = 0; i < annotations->n; i++) {
		if (i)
			fputc('\n', out);
		annotation_print(annotations->list[i], out);
	}
	return true;
}

bool annotate_profile(struct profile *profile, const struct options *options,
		      const struct programs *programs, const struct output *output, struct err *err)
{
	struct annotations annotations = {0};
	bool ok = model_all(profile, options, programs, &annotations, err);
	size_t i;

	if (ok && annotations.n == 0)
		ok = err_set(
			err, ERR_NOT_FOUND,
			"the profile holds no samples of such a function: fathom annotate without -f shows all");
	if (ok) {
		output_begin(output);
		ok = print_all(&annotations, options, output->file, err);
	}
	for (i = 0; i < annotations.n; i++)
		annotation_destroy(annotations.list[i]);
	free(annotations.list);
	return ok;
}
