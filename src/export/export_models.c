/* Makes a study of each model; figure_files.c and report/html.c write it. */
#include "export_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "results/selected_functions.h"
#include "core/samples/derived_columns.h"
#include "core/figure/figure_gains.h"
#include "results/figure_files.h"
#include "kept_gains.h"
#include "results/measured_facts.h"
#include "cli/message.h"
#include "results/model_crew.h"
#include "model/study_build.h"
#include "picture_names.h"
#include "results/atomic_file.h"
#include "report/html.h"

/* More cannot be seen in a picture, and makes viewers slow. */
enum { POINTS_MOST = 20000, CALLS_CELLS = 1 << 16 };

struct exporter {
	const struct options *options;
	struct profile *profile;
	struct picture_names *names;
	struct figure_files files;
	struct html_report *page; /* NULL: none */
	struct call_graph *graph; /* its */
	struct model_crew *crew;
	size_t n_models;
	bool ok;
	struct err err; /* unless it is */
};

/* Takes @figure. */
static bool write_figure(struct exporter *exporter, struct arena *arena, const char *name,
			 const char *what, struct figure *figure, struct err *err)
{
	const bool ok = figure_files_write(&exporter->files,
					   arena_printf(arena, "%s.%s", name, what), figure, err);

	figure_destroy(figure);
	return ok;
}

static bool write_figures(struct exporter *exporter, const struct study *study, struct err *err)
{
	const unsigned feature = study_main_feature(study);
	const char *name = picture_names_give(exporter->names, study->annotation->function,
					      metric_info(study->metric)->keyword);
	struct figure_options options = figure_default;
	struct arena *arena = arena_create();
	bool ok;

	options.max_points = POINTS_MOST;
	ok = write_figure(exporter, arena, name, "scatter",
			  figure_scatter(study, feature, &options), err) &&
	     write_figure(exporter, arena, name, "residuals",
			  figure_residuals(study, feature, &options), err) &&
	     write_figure(exporter, arena, name, "histogram", figure_histogram(study, &options),
			  err);
	arena_destroy(arena);
	return ok;
}

/* Takes @annotation. */
static bool export_study(struct exporter *exporter, const struct samples *samples,
			 struct annotation *annotation, struct err *err)
{
	const struct model_options options = selected_functions_options(exporter->options);
	struct study *study = study_build(samples, annotation->metric, &options, annotation);
	bool ok = true;

	if (exporter->options->plots && study->n_points)
		ok = write_figures(exporter, study, err);
	if (exporter->page)
		html_study(exporter->page, study);
	study_destroy(study);
	return ok;
}

static void export_modelled(void *self, struct modelled *modelled)
{
	struct exporter *exporter = self;

	for (size_t i = 0; i < modelled->n; i++)
		if (exporter->ok)
			exporter->ok = export_study(exporter, modelled->samples,
						    modelled->annotations[i], &exporter->err);
		else
			annotation_destroy(modelled->annotations[i]);
	exporter->n_models += modelled->n;
	samples_destroy(modelled->samples);
}

static bool export_function(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct exporter *exporter = self;

	derived_columns_add(samples);
	model_crew_add(exporter->crew, &(struct model_task){exporter->profile, key, samples,
							    selected_functions_metrics(
								    samples, exporter->options)});
	if (!exporter->ok)
		*err = exporter->err;
	return exporter->ok;
}

static void export_say(const struct exporter *exporter)
{
	const struct figure_files *files = &exporter->files;

	if (!exporter->options->plots || exporter->options->quiet)
		return;
	if (files->is_gnuplot_missing)
		message_note("there are no PNG and PDF, as gnuplot is not installed: install it, "
			     "or draw the .gp files elsewhere");
	if (files->n_failed)
		message_note("%zu pictures have no PNG and PDF: %s", files->n_failed,
			     files->failure.text);
	message_note("%zu pictures in %s", files->n, files->folder);
}

static bool export_visit(struct exporter *exporter, struct profile *profile, struct err *err)
{
	const struct chosen chosen = {profile, exporter->options, NULL, 0, true};
	bool ok;

	exporter->ok = true;
	exporter->profile = profile;
	exporter->crew = model_crew_create(exporter->options, export_modelled, exporter);
	ok = selected_functions_visit(&chosen, export_function, exporter, err);
	model_crew_finish(exporter->crew);
	if (ok && !exporter->ok)
		*err = exporter->err;
	if (!ok || !exporter->ok)
		return false;
	return exporter->n_models ||
	       selected_functions_refuse(profile, exporter->options, "the profile", err);
}

struct calls_made {
	struct profile *profile;
	struct call_graph_maker *maker;
	double duration;
};

static bool export_calls_of(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct calls_made *made = self;
	const bool ok = profile_callers(made->profile, samples, err);

	if (ok)
		call_graph_add(
			made->maker, samples, samples->total_us,
			selected_functions_share(made->profile, made->duration, samples, key));
	samples_destroy(samples);
	return ok;
}

/* Who calls whom: a picture of the whole, of so many samples as tell the callers. */
static bool export_calls(struct exporter *exporter, struct profile *profile, struct err *err)
{
	const struct chosen chosen = {profile, exporter->options, NULL, CALLS_CELLS};
	struct calls_made made = {profile, call_graph_begin(), NAN};
	const bool ok = profile_duration(profile, &made.duration, err) &&
			selected_functions_visit(&chosen, export_calls_of, &made, err);

	exporter->graph = call_graph_end(made.maker);
	html_calls(exporter->page, exporter->graph);
	return ok;
}

static bool export_gains(void *self, const struct causal_gains *gains, struct err *err)
{
	struct exporter *exporter = self;
	struct figure *figure = figure_gains(gains);
	bool ok = true;
	char *text = NULL;
	size_t size;
	FILE *memory;

	if (!figure)
		return true;
	if (exporter->options->plots)
		ok = figure_files_write(
			&exporter->files,
			picture_names_give(exporter->names, figure->title, "causal"), figure, err);
	if (exporter->page) {
		memory = open_memstream(&text, &size);
		causal_gains_print(gains, memory);
		fclose(memory);
		html_figure(exporter->page, figure, text);
		free(text);
	}
	figure_destroy(figure);
	return ok;
}

/* A profile may have samples, causal experiments, or both. */
static bool export_all(struct exporter *exporter, struct profile *profile, struct err *err)
{
	struct err none;
	size_t n;

	if (!kept_gains_visit(profile, export_gains, exporter, &n, err))
		return false;
	if (export_visit(exporter, profile, &none) || (n && none.code == ERR_NOT_FOUND))
		return true;
	*err = none;
	return false;
}

static bool begin_page(struct exporter *exporter, struct profile *profile, const char *path,
		       FILE *out, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct arena *arena = arena_create();
	const struct html_fact *facts;
	size_t n;
	const bool ok = measured_facts(profile, arena, &facts, &n, err);

	if (ok)
		exporter->page = html_begin(slash ? slash + 1 : path, facts, n, out);
	arena_destroy(arena);
	return ok;
}

/* With a page, which is renamed to its final name only if all went well. */
static bool visit_with_page(struct exporter *exporter, struct profile *profile, const char *path,
			    struct err *err)
{
	const char *inputs[] = {path};
	struct atomic_file file;
	struct err late;
	bool ok;

	if (!atomic_file_begin(exporter->options->html, inputs, 1, &file, err))
		return false;
	ok = begin_page(exporter, profile, path, file.file, err);
	if (ok) {
		ok = export_calls(exporter, profile, err) && export_all(exporter, profile, err);
		if (!html_end(exporter->page, &late) && ok) {
			*err = late;
			ok = false;
		}
	}
	if (ok)
		return atomic_file_finish(&file, err);
	atomic_file_drop(&file);
	return false;
}

bool export_models(struct profile *profile, const char *path, const struct options *options,
		   struct err *err)
{
	struct exporter exporter = {.options = options};
	bool ok;

	if (options->plots && !figure_files_begin(options->plots, &exporter.files, err))
		return false;
	exporter.names = picture_names_create();
	ok = options->html ? visit_with_page(&exporter, profile, path, err)
			   : export_all(&exporter, profile, err);
	picture_names_destroy(exporter.names);
	call_graph_destroy(exporter.graph);
	if (ok)
		export_say(&exporter);
	return ok;
}
