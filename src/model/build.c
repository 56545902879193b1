/*
 * From samples to an annotation: screen, select, fit, name. Each step is its own file's matter.
 *
 * GSL reports errors by ending the process unless told otherwise; the handler is turned off while
 * a model is built and put back after. It is the process's, so models are built by one thread at a
 * time.
 */
#include "model/build.h"

#include <math.h>

#include <gsl/gsl_errno.h>

#include "model/fit.h"
#include "model/notes.h"
#include "model/regress.h"
#include "model/screen.h"
#include "model/short_name.h"

static void write_head(struct annotation *annotation, const struct samples *samples,
		       enum metric metric)
{
	struct arena *arena = annotation->arena;

	annotation->function = arena_strdup(arena, samples->function ? samples->function : "");
	annotation->linkage = arena_strdup(arena, samples->linkage ? samples->linkage : "");
	annotation->file = samples->file ? arena_strdup(arena, samples->file) : NULL;
	annotation->line = samples->line;
	annotation->module = samples->module ? arena_strdup(arena, samples->module) : NULL;
	annotation->metric = metric;
}

static const char *const *copy_aliases(struct arena *arena, const struct predictor *predictor)
{
	const char **copy = arena_array(arena, const char *, predictor->n_aliases);
	size_t i;

	for (i = 0; i < predictor->n_aliases; i++)
		copy[i] = arena_strdup(arena, predictor->aliases[i]);
	return copy;
}

static void write_features(struct annotation *annotation, const struct data *data,
			   const struct fit *fit)
{
	unsigned n = fit->candidate.basis.n_features;
	struct annotation_feature *features =
		arena_array(annotation->arena, struct annotation_feature, n);
	const char *names[BASIS_FEATURES];
	unsigned i;

	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[fit->candidate.predictors[i]];

		names[i] = short_name(annotation->arena, predictor->column->name, names, i);
		features[i] = (struct annotation_feature){
			.name = names[i],
			.type = predictor->column->type,
			.expression = arena_strdup(annotation->arena, predictor->column->name),
			.min = predictor->min,
			.max = predictor->max,
			.aliases = copy_aliases(annotation->arena, predictor),
			.n_aliases = predictor->n_aliases,
		};
	}
	annotation->features = features;
	annotation->n_features = n;
}

static struct formula make_mean(struct arena *arena, const struct fit *fit)
{
	struct term *terms = arena_array(arena, struct term, fit->n_terms);
	unsigned i;

	for (i = 0; i < fit->n_terms; i++) {
		terms[i].coefficient = annotation_number(fit->coefficients[i]);
		terms[i].std_error = fit->std_errors[i];
		basis_factors(&fit->candidate.basis, fit->terms[i], &terms[i]);
	}
	return (struct formula){terms, fit->n_terms};
}

static struct formula make_deviation(struct arena *arena, const struct fit *fit)
{
	struct term *term = arena_new(arena, struct term);

	term->coefficient = annotation_number(fit->deviation);
	term->std_error = NAN;
	return (struct formula){term, 1};
}

static void write_case(struct annotation *annotation, const struct fit *fit)
{
	struct annotation_case *only = arena_new(annotation->arena, struct annotation_case);
	struct model *model = arena_new(annotation->arena, struct model);

	*model = (struct model){
		.probability = 1,
		.heuristic = fit->is_trend ? HEURISTIC_TREND : HEURISTIC_NONE,
		.mean = make_mean(annotation->arena, fit),
		.deviation = make_deviation(annotation->arena, fit),
		.growth = basis_growth(&fit->candidate.basis, fit->candidate.mask),
		.n_samples = fit->n_used,
		.r2 = fit->r2,
		.cv_r2 = fit->cv_r2,
		.error = fit->error,
	};
	only->models = model;
	only->n_models = 1;
	annotation->cases = only;
	annotation->n_cases = 1;
	annotation->n_samples = fit->n_used;
}

struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct annotation *annotation = annotation_create();
	struct data *data = data_create(samples, metric);
	struct regression regression = {.is_loose = false};

	write_head(annotation, samples, metric);
	screen_predictors(data);
	if (data->n_rows) {
		regress(data, options, &regression);
		write_features(annotation, data, &regression.fit);
		write_case(annotation, &regression.fit);
	}
	notes_write(annotation, data, data->n_rows ? &regression.fit : NULL,
		    regression.is_loose ? &regression.loose : NULL);
	data_destroy(data);
	gsl_set_error_handler(handler);
	return annotation;
}
