/* Models and prints the selected functions. Formats are those of core/annotation/, report/. */
#include "annotate.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "selected_functions.h"
#include "core/annotation/annotation.h"
#include "core/annotation/namesakes.h"
#include "core/samples/derived_columns.h"
#include "cli/interrupt.h"
#include "model/metric_models.h"
#include "profile/profile_history.h"
#include "report/json.h"

struct annotations {
	const struct options *options;
	struct annotation **list;
	size_t n, capacity;
};

static bool model_metrics(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct annotations *ret = self;
	const struct model_options model_options = selected_functions_options(ret->options);

	(void)key;
	if (interrupt_is_pending())
		return err_set(err, ERR_USAGE, "interrupted");
	derived_columns_add(samples);
	ret->list = mem_grow(ret->list, &ret->capacity, ret->n + METRIC_COUNT, sizeof(*ret->list));
	ret->n += metric_models_build(samples, selected_functions_metrics(samples, ret->options),
				      &model_options, ret->list + ret->n);
	return true;
}

static bool annotate_print_json(const struct annotations *annotations, struct profile *profile,
				FILE *out, struct err *err)
{
	struct json_models models = {.annotations =
					     (const struct annotation *const *)annotations->list,
				     .n = annotations->n};
	struct arena *arena = arena_create();
	const bool ok = profile_probes(profile, arena, &models.probes, &models.n_probes, err) &&
			json_annotations(&models, out, err);

	arena_destroy(arena);
	return ok;
}

static bool profile_print_all(const struct annotations *annotations, struct profile *profile,
			      FILE *out, struct err *err)
{
	size_t i;

	if (annotations->options->json)
		return annotate_print_json(annotations, profile, out, err);
	for (i = 0; i < annotations->n; i++) {
		if (i)
			fputc('\n', out);
		annotation_print(annotations->list[i], out);
	}
	return true;
}

bool annotate_profile(struct profile *profile, const struct options *options,
		      const struct chosen_filter *filter, const struct output *output,
		      struct err *err)
{
	const struct chosen chosen = {profile, options, filter, 0};
	struct annotations annotations = {.options = options};
	bool ok = selected_functions_visit(&chosen, model_metrics, &annotations, err);
	size_t i;

	if (ok && interrupt_is_pending())
		ok = err_set(err, ERR_USAGE, "interrupted");
	if (ok && annotations.n == 0)
		ok = err_set(
			err, ERR_NOT_FOUND,
			"the profile holds no samples of such a function: fathom annotate without "
			"-f shows all");
	if (ok) {
		namesakes_tell_apart(annotations.list, annotations.n);
		output_begin(output);
		ok = profile_print_all(&annotations, profile, output->file, err);
	}
	for (i = 0; i < annotations.n; i++)
		annotation_destroy(annotations.list[i]);
	free(annotations.list);
	return ok;
}
