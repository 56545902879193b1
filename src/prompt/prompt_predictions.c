/*
 * Predictions for a call: from loaded annotations, else from models that are made of the samples so
 * far while the process runs. model/metric_models.c makes the models.
 */
#include "prompt_predictions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/call_table.h"
#include "core/samples/derived_columns.h"
#include "core/annotation/expectation.h"
#include "core/cxx_name.h"
#include "cli/message.h"
#include "core/annotation/quote_head.h"
#include "model/data/annotated_rows.h"
#include "results/kept_models.h"
#include "trace/session_halt.h"

/* The sample limit (in table cells) that annotate uses, too. */
enum { MODEL_CELLS = 64 << 20 };

/*
 * The first model needs SAMPLES_MIN samples; each doubling makes a new one, up to about
 * SAMPLES_ENOUGH. The process waits meanwhile, so fitting may take at most the share FITTING_MAX of
 * its run time.
 */
enum { SAMPLES_MIN = 20, SAMPLES_ENOUGH = 640 };
static const double FITTING_MAX = 0.05;

/*
 * A twentieth of all calls lies beyond a 95 % interval; beyond three times as far from the mean,
 * about six deviations, almost none does.
 */
enum { SURPRISE = 3 };

void prompt_forget_models(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_models; i++)
		annotation_parse_deinit(&prompt->models[i].list);
	prompt->n_models = 0;
}

static bool is_key_of(const char *key, const struct function *function)
{
	const char *linkage = function->linkage ? function->linkage : function->name;
	const size_t n = strlen(linkage);

	return !strncmp(key, linkage, n) && (!key[n] || key[n] == '@');
}

/* The samples of the function so far, and its key; NULL: none. The caller destroys them. */
static struct samples *load_samples(struct prompt *prompt, const struct function *function,
				    const char **ret_key)
{
	const char *const *keys;
	struct samples *samples;
	struct err ignored;
	size_t n;

	if (!prompt_needs_samples(prompt, &ignored))
		return NULL;
	n = profile_functions(prompt->profile, &keys);
	for (size_t i = 0; i < n; i++) {
		if (!is_key_of(keys[i], function) ||
		    !profile_load(prompt->profile, keys[i], MODEL_CELLS, &samples, &ignored))
			continue;
		*ret_key = keys[i];
		if (samples->line == function->line)
			return samples;
		samples_destroy(samples);
	}
	return NULL;
}

static void fit(struct prompt *prompt, const struct function *function, struct prompt_model *model)
{
	const struct model_options options = {.min_r2 = prompt->options.min_r2,
					      .correlation = prompt->options.correlation};
	struct annotation *made[METRIC_COUNT];
	const char *key;
	struct samples *samples = load_samples(prompt, function, &key);
	size_t n;

	if (!samples)
		return;
	model->kept = samples->n_rows;
	derived_columns_add(samples);
	n = kept_models_build(prompt->profile, key, samples, METRIC_BIT(model->metric), &options,
			      made);
	samples_destroy(samples);
	annotation_parse_deinit(&model->list);
	model->list = (struct annotation_list){.n = 0};
	for (size_t i = 0; i < n; i++) {
		model->list.list = mem_grow(model->list.list, &model->list.capacity,
					    model->list.n + 1, sizeof(*model->list.list));
		model->list.list[model->list.n++] = made[i];
	}
	if (n)
		message_note("%s is predicted by a model of %lu samples",
			     quote_head(prompt->arena, function->name, model->metric), model->kept);
}

static struct prompt_model *find_model(struct prompt *prompt, const struct function *function,
				       enum metric metric)
{
	struct prompt_model *model;

	for (size_t i = 0; i < prompt->n_models; i++) {
		model = &prompt->models[i];
		if (model->metric == metric && !strcmp(model->function, function->name))
			return model;
	}
	prompt->models = mem_grow(prompt->models, &prompt->models_capacity, prompt->n_models + 1,
				  sizeof(*prompt->models));
	model = &prompt->models[prompt->n_models++];
	*model = (struct prompt_model){.function = arena_strdup(prompt->arena, function->name),
				       .metric = metric};
	return model;
}

static bool may_fit(const struct prompt *prompt)
{
	const uint64_t run_us = prompt->run_us + (prompt_now_us() - prompt->followed_us);

	return (double)prompt->fitting_us <= FITTING_MAX * (double)run_us;
}

/* The process waits, but fitting must not count as overhead of measuring. */
static void fit_on_the_way(struct prompt *prompt, const struct function *function,
			   struct prompt_model *model)
{
	const uint64_t began_us = prompt_now_us();
	uint64_t us;

	fit(prompt, function, model);
	us = prompt_now_us() - began_us;
	prompt->fitting_us += us;
	session_excuse(prompt_session(prompt), us * 1000);
}

/* A model of the samples so far; NULL: too few. */
static const struct annotation *model_of(struct prompt *prompt, const struct prompt_call *call,
					 enum metric metric)
{
	struct prompt_model *model = find_model(prompt, call->function, metric);
	const uint64_t kept = recorder_kept(prompt->m->recorder, call->image, call->index);

	if (kept >= SAMPLES_MIN && kept >= 2 * model->kept && 2 * model->kept <= SAMPLES_ENOUGH &&
	    may_fit(prompt))
		fit_on_the_way(prompt, call->function, model);
	return model->list.n ? model->list.list[0] : NULL;
}

static int by_number(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* A table with the call as its only row, and the derived columns of @annotation. */
static struct samples *tabulate(const struct prompt_call *call, const struct annotation *annotation)
{
	const struct catalogue *catalogue = call->catalogue;
	struct label *classes = mem_alloc((catalogue->n_classes + 1) * sizeof(*classes));
	struct call_table table = {.function = call->function,
				   .classes = classes,
				   .n_classes = catalogue->n_classes,
				   .metrics = METRIC_BIT(annotation->metric)};
	struct call_record record = {.id = 1, .features = call->features};
	struct samples *samples;

	for (size_t i = 0; i < catalogue->n_classes; i++)
		classes[i] =
			(struct label){catalogue->classes[i].number, catalogue->classes[i].name};
	qsort(classes, catalogue->n_classes, sizeof(*classes), by_number);
	call_table_init(&table);
	samples = call_table_make(&table);
	call_table_put(&table, samples, 0, &record);
	derived_columns_add_for(samples, annotation);
	call_table_deinit(&table);
	free(classes);
	return samples;
}

static bool expect_by(const struct prompt_call *call, const struct annotation *annotation,
		      const struct annotation_list *all, struct expectation *ret)
{
	struct samples *samples = tabulate(call, annotation);
	struct arena *arena = arena_create();
	struct annotated_rows annotated;
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	struct err ignored;
	bool ok = annotated_rows_find(annotation, samples, arena, &annotated);

	if (ok) {
		annotated_rows_arguments(&annotated, 0, x);
		ok = expectation_find_interval(annotation, all, x, ret, &ignored);
	}
	samples_destroy(samples);
	arena_destroy(arena);
	return ok;
}

/* False: nothing is predicted of @call. */
static bool call_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
			struct expectation *ret, const char **ret_source)
{
	const struct annotation_list *all = &prompt->annotations;
	const struct annotation *annotation =
		expectation_annotation(all, call->function->name, metric);

	*ret_source = prompt->annotations_path;
	if (!annotation) {
		annotation = model_of(prompt, call, metric);
		if (!annotation)
			return false;
		all = &find_model(prompt, call->function, metric)->list;
		*ret_source = "the model of the samples so far";
	}
	return expect_by(call, annotation, all, ret);
}

bool prompt_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
		   double *ret, const char **ret_source)
{
	struct expectation expectation;

	if (!call_expect(prompt, call, metric, &expectation, ret_source))
		return false;
	*ret = expectation.mean;
	return true;
}

bool prompt_surprise(struct prompt *prompt, const struct prompt_call *call, double *ret)
{
	const struct value time = call->metrics[METRIC_TIME];
	struct expectation expected;
	const char *source;

	if (time.absence != PRESENT || call->was_halted ||
	    !call_expect(prompt, call, METRIC_TIME, &expected, &source) || isnan(expected.high))
		return false;
	*ret = time.number > expected.mean + SURPRISE * (expected.high - expected.mean) ||
	       time.number < expected.mean - SURPRISE * (expected.mean - expected.low);
	return true;
}
