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
#include "model/screen.h"
#include "model/select.h"
#include "model/short_name.h"

/* The part of the plain residual squares that may be left by a second feature. */
#define SECOND_MOST 0.95

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
	const char *names[2];
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
		basis_factors(fit->terms[i], &terms[i]);
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
		.growth = basis_growth(fit->candidate.mask),
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

/*
 * Candidates are chosen with weights, in which small calls count as much as large ones. A second feature
 * must explain some of the plain residuals too, or it is about a few small calls.
 */
static bool earns_second(const struct fit *pair, const struct fit *single)
{
	return 1 - pair->r2 < SECOND_MOST * (1 - single->r2);
}

static bool is_pair(const struct candidate *candidate)
{
	return candidate->basis.n_features == 2;
}

/* Fit @pair, and the best candidate with one feature behind it; the pair's verdict may suffer. */
static void fit_pair(const struct data *data, const struct selection *selection, unsigned pair,
		     double min_r2, struct fit *ret)
{
	struct fit single;
	unsigned i;

	fit_candidate(data, &selection->candidates[pair], min_r2, ret);
	for (i = pair + 1; i < selection->n && is_pair(&selection->candidates[i]); i++)
		;
	if (i == selection->n || ret->verdict != VERDICT_BELIEVED || !is_pair(&ret->candidate))
		return;
	fit_candidate(data, &selection->candidates[i], min_r2, &single);
	if (single.verdict == VERDICT_BELIEVED && !earns_second(ret, &single))
		ret->verdict = VERDICT_REFUSED;
}

/*
 * The first selected candidate that is believed, else the constant; @loose: one that explains too
 * little.
 */
static void find_fit(const struct data *data, double min_r2, struct fit *ret, struct fit *loose,
		     bool *is_loose)
{
	struct selection selection = {.n = 0};
	unsigned i;

	*is_loose = false;
	if (data->n_rows >= ROWS_MIN && data->y_max > 0)
		select_candidates(data, &selection);
	for (i = 0; i < selection.n; i++) {
		struct fit fit;

		fit_pair(data, &selection, i, min_r2, &fit);
		if (fit.verdict == VERDICT_BELIEVED) {
			*ret = fit;
			return;
		}
		if (fit.verdict == VERDICT_LOOSE) {
			*loose = fit;
			*is_loose = true;
		}
	}
	fit_constant(data, ret);
}

struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct annotation *annotation = annotation_create();
	struct data *data = data_create(samples, metric);
	struct fit fit, loose;
	const struct fit *const fits[] = {&fit};
	bool is_loose = false;

	write_head(annotation, samples, metric);
	screen_predictors(data);
	if (data->n_rows) {
		find_fit(data, options->min_r2, &fit, &loose, &is_loose);
		write_features(annotation, data, &fit);
		write_case(annotation, &fit);
	}
	notes_write(annotation, data, fits, data->n_rows ? 1 : 0, is_loose ? &loose : NULL);
	data_destroy(data);
	gsl_set_error_handler(handler);
	return annotation;
}
