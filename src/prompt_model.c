/* What samples and annotations say: models, predictions, checks, pictures. Other commands of fathom do what takes a screen or prints much. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate.h"
#include "call_table.h"
#include "core/derived.h"
#include "core/expectation.h"
#include "core/name.h"
#include "host.h"
#include "interrupt.h"
#include "message.h"
#include "model/annotated.h"
#include "model/story.h"
#include "prompt.h"
#include "trace/session_halt.h"

/* As annotations are modelled from. */
enum { MODEL_CELLS = 64 << 20 };

/*
 * Models for predictions are made from so many samples on, and again when there are twice as many, up to about SAMPLES_ENOUGH. The program
 * waits meanwhile, so that this may take a small part of its time only.
 */
enum { SAMPLES_MIN = 20, SAMPLES_ENOUGH = 640 };
static const double FITTING_MAX = 0.05;

void prompt_forget_models(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_models; i++)
		annotation_list_deinit(&prompt->models[i].list);
	prompt->n_models = 0;
}

static bool is_key_of(const char *key, const struct function *function)
{
	const char *linkage = function->linkage ? function->linkage : function->name;
	const size_t n = strlen(linkage);

	return !strncmp(key, linkage, n) && (!key[n] || key[n] == '@');
}

/* The samples of the function so far; NULL: there are none. */
static struct samples *load_samples(struct prompt *prompt, const struct function *function)
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
	struct samples *samples = load_samples(prompt, function);
	size_t n;

	if (!samples)
		return;
	model->kept = samples->n_rows;
	samples_derive(samples);
	n = story_build(samples, 1u << model->metric, &options, made);
	samples_destroy(samples);
	annotation_list_deinit(&model->list);
	model->list = (struct annotation_list){.n = 0};
	for (size_t i = 0; i < n; i++) {
		model->list.list = mem_grow(model->list.list, &model->list.capacity,
					    model->list.n + 1, sizeof(*model->list.list));
		model->list.list[model->list.n++] = made[i];
	}
	if (n)
		message_note("%s.%s is predicted by a model of %lu samples", function->name,
			     metric_info(model->metric)->keyword, model->kept);
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

/* As the process waits for it, that is no cost of measuring. */
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

/* A model of the samples so far; NULL: there are too few. */
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

/* The call as the only row of a table, with what follows from it for @annotation. */
static struct samples *tabulate(const struct prompt_call *call, const struct annotation *annotation)
{
	const struct catalogue *catalogue = call->catalogue;
	struct label *classes = mem_alloc((catalogue->n_classes + 1) * sizeof(*classes));
	struct call_table table = {.function = call->function,
				   .classes = classes,
				   .n_classes = catalogue->n_classes,
				   .metrics = 1u << annotation->metric};
	struct call_record record = {.id = 1, .features = call->features};
	struct samples *samples;

	for (size_t i = 0; i < catalogue->n_classes; i++)
		classes[i] =
			(struct label){catalogue->classes[i].number, catalogue->classes[i].name};
	qsort(classes, catalogue->n_classes, sizeof(*classes), by_number);
	call_table_init(&table);
	samples = call_table_make(&table);
	call_table_put(&table, samples, 0, &record);
	samples_derive_for(samples, annotation);
	call_table_deinit(&table);
	free(classes);
	return samples;
}

static bool expect_by(const struct prompt_call *call, const struct annotation *annotation,
		      const struct annotation_list *all, struct expectation *ret)
{
	struct samples *samples = tabulate(call, annotation);
	struct arena *arena = arena_create();
	struct annotated annotated;
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	struct err ignored;
	bool ok = annotated_find(annotation, samples, arena, &annotated);

	if (ok) {
		annotated_arguments(&annotated, 0, x);
		ok = expectation_find(annotation, all, x, ret, &ignored);
	}
	samples_destroy(samples);
	arena_destroy(arena);
	return ok;
}

bool prompt_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
		   double *ret, const char **ret_source)
{
	const struct annotation_list *all = &prompt->annotations;
	const struct annotation *annotation = annotation_find(all, call->function->name, metric);
	struct expectation expectation;
	struct prompt_model *model;

	*ret_source = prompt->annotations_path;
	if (!annotation) {
		annotation = model_of(prompt, call, metric);
		if (!annotation)
			return false;
		model = find_model(prompt, call->function, metric);
		all = &model->list;
		*ret_source = "the model of the samples so far";
	}
	if (!expect_by(call, annotation, all, &expectation))
		return false;
	*ret = expectation.mean;
	return true;
}

/* The functions that the argument names, as `annotate -f` has them; "": all. */
static struct options narrowed(struct prompt *prompt, const char *const *pattern)
{
	struct options options = prompt->options;

	options.functions = (const char **)pattern;
	options.n_functions = **pattern ? 1 : 0;
	options.metrics = 0;
	options.json = false;
	return options;
}

/* Ctrl-C gives the prompt when the model that is being made is done. */
static bool annotate(struct prompt *prompt, const struct options *options, struct output *output,
		     struct err *err)
{
	bool ok;

	prompt_note_interrupts(prompt, 0);
	ok = annotate_profile(prompt->profile, options, NULL, output, err);
	interrupt_stop();
	return ok;
}

bool prompt_annotate(struct prompt *prompt, const struct prompt_arguments *arguments,
		     struct err *err)
{
	const char *pattern = arguments->text;
	const struct options options = narrowed(prompt, &pattern);
	struct output output = {.file = stdout};

	return prompt_needs_samples(prompt, err) && annotate(prompt, &options, &output, err);
}

/* A file of ours that nobody else can open, gone when @path is unlinked. */
static bool temporary(struct prompt *prompt, const char *suffix, const char **ret, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char *path = arena_printf(prompt->spare, "%s/fathom-XXXXXX%s",
				  folder && *folder ? folder : "/tmp", suffix);
	const int fd = mkostemps(path, strlen(suffix), O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make a file in %s",
				     folder && *folder ? folder : "/tmp");
	close(fd);
	*ret = path;
	return true;
}

/* A command of fathom's own, in the terminal that we have. Its exit status; 127: there was none. */
static int run_self(struct prompt *prompt, char *const *words)
{
	const char *command = host_quote(prompt->spare, words);
	int status;

	fflush(stdout);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static char *self(struct prompt *prompt)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return arena_strdup(prompt->spare, n > 0 ? path : "fathom");
}

/* A copy of the samples, for another process; the caller unlinks it. */
static bool copy_samples(struct prompt *prompt, const char **ret, struct err *err)
{
	if (!prompt_needs_samples(prompt, err) || !temporary(prompt, ".fathom", ret, err))
		return false;
	if (profile_save(prompt->profile, *ret, err))
		return true;
	unlink(*ret);
	return false;
}

/* It has said what was wrong, so that nothing is left to say. */
static bool judge(int status, struct err *err)
{
	return status <= EXIT_VIOLATED || err_set(err, ERR_USAGE, "%s", "");
}

bool prompt_explore(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	char *words[] = {self(prompt), "explore", NULL, "-f", NULL, NULL};
	const char *path;
	int status;

	if (!line_is_terminal(prompt->reader))
		return err_set(err, ERR_USAGE,
			       "the explorer needs a terminal: annotate prints models");
	if (!copy_samples(prompt, &path, err))
		return false;
	words[2] = (char *)path;
	if (arguments->n)
		words[4] = (char *)arguments->text;
	else
		words[3] = NULL;
	status = run_self(prompt, words);
	unlink(path);
	return judge(status, err);
}

bool prompt_check(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *file = arguments->n ? arguments->words[0].text : prompt->annotations_path;
	char *words[] = {self(prompt), "check", (char *)file, NULL, NULL};
	const char *path;
	int status;

	if (!file || arguments->n > 1)
		return err_set(
			err, ERR_USAGE,
			"which annotations? as in check parser.annotations, or load them first");
	if (!copy_samples(prompt, &path, err))
		return false;
	words[3] = (char *)path;
	status = run_self(prompt, words);
	unlink(path);
	return judge(status, err);
}

/* Models of the samples so far, as a file of annotations. */
static bool write_annotations(struct prompt *prompt, const char **ret, struct err *err)
{
	const char *all = "";
	const struct options options = narrowed(prompt, &all);
	struct output output;
	bool ok;

	if (!prompt_needs_samples(prompt, err) || !temporary(prompt, ".annotations", ret, err) ||
	    !output_open(*ret, NULL, 0, &output, err))
		return false;
	ok = annotate(prompt, &options, &output, err);
	return output_close(&output, err) && ok;
}

bool prompt_predict(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	char **words = arena_array(prompt->spare, char *, arguments->n + 4);
	const char *path = prompt->annotations_path;
	int status;

	if (!arguments->n)
		return err_set(err, ERR_USAGE, "of which function? as in predict parse n=100");
	if (!path && !write_annotations(prompt, &path, err))
		return false;
	words[0] = self(prompt);
	words[1] = "predict";
	words[2] = (char *)path;
	for (size_t i = 0; i < arguments->n; i++)
		words[3 + i] = (char *)arguments->words[i].text;
	status = run_self(prompt, words);
	if (path != prompt->annotations_path)
		unlink(path);
	return judge(status, err);
}
