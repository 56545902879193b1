/*
 * Scatters and residuals: chooses points and curves; figure_dots.c and figure_models.c draw them.
 */
#include "figure.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "figure_draw.h"

const struct figure_options figure_default = {
	.x_low = NAN,
	.x_high = NAN,
	.y_low = NAN,
	.y_high = NAN,
};

void figure_destroy(struct figure *figure)
{
	if (figure)
		arena_destroy(figure->arena);
}

/* A formula that is wrong by less is right enough. */
#define MISFIT_LEAST 0.05

enum { SMOOTH_STEPS = 100 };

/* A figure of points that is being made. */
struct scatter {
	struct drawing drawing;
	unsigned feature;
	enum draw_curve what;
	struct figure_places places;
	struct draw_view x, y;
	struct figure_dots dots;
	size_t n_absent, n_outside;
	struct smooth smooth; /* no places: none */
};

static void residuals_begin(struct scatter *scatter, const struct study *study, unsigned feature,
			    enum draw_curve what, const struct figure_options *options)
{
	*scatter =
		(struct scatter){.feature = feature, .dots = figure_dots_create(study->n_points)};
	figure_draw_begin(&scatter->drawing, study, options);
	if (feature != STUDY_NONE)
		scatter->places =
			figure_places_init(&scatter->drawing, feature, &scatter->drawing.figure->x);
	/* Names have no logarithm, and residuals have both signs. */
	scatter->what = what;
	scatter->x = figure_draw_view(options->log_x && !scatter->places.numbers, options->x_low,
				      options->x_high);
	scatter->y = figure_draw_view(options->log_y && what == DRAW_EXPECTED, options->y_low,
				      options->y_high);
}

/* Add the point at its value of the feature. */
static void add_over_feature(struct scatter *scatter, double y, size_t point)
{
	const struct value value = study_value(scatter->drawing.study, scatter->feature, point);

	if (value.absence == PRESENT)
		figure_dots_add(&scatter->dots, figure_places_place(&scatter->places, value.number),
				y, point);
	else
		scatter->n_absent++;
}

static void say_left_out(struct scatter *scatter)
{
	struct drawing *drawing = &scatter->drawing;

	if (!drawing->study->n_points)
		figure_draw_say(drawing, "no call has a %s",
				metric_info(drawing->study->metric)->keyword);
	else if (scatter->n_absent == drawing->study->n_points)
		figure_draw_say(drawing, "no call has %s", drawing->figure->x.title);
	else if (scatter->n_absent)
		figure_draw_say(drawing, "%zu %s without %s", scatter->n_absent,
				figure_dots_calls_word(scatter->n_absent),
				drawing->figure->x.title);
	if (scatter->n_outside)
		figure_draw_say(drawing, "%zu %s of no case", scatter->n_outside,
				figure_dots_calls_word(scatter->n_outside));
}

static void set_axes(struct scatter *scatter)
{
	struct figure *figure = scatter->drawing.figure;
	struct figure_dots *dots = &scatter->dots;

	/* Names have whole places with a margin. */
	if (scatter->places.numbers)
		figure_draw_ends(&figure->x, &scatter->x, -0.5, fmax(scatter->places.n, 1) - 0.5);
	else
		figure_draw_span(&figure->x, &scatter->x, dots->x, dots->n);
	figure_draw_span(&figure->y, &scatter->y, dots->y, dots->n);
	figure_dots_warn(&scatter->drawing, &figure->x, dots->x, dots->n);
	figure_dots_warn(&scatter->drawing, &figure->y, dots->y, dots->n);
}

/* What the formulas of the case say, whichever of them the point is by. False: there is no case. */
static bool misfit_expected(const struct study *study, size_t point, double *x, double *ret,
			    double *ret_deviation)
{
	const struct annotation_case *in;
	double mean = 0, squares = 0;

	if (study->cases[point] == STUDY_NONE)
		return false;
	in = &study->annotation->cases[study->cases[point]];
	study_arguments(study, point, x);
	for (size_t i = 0; i < in->n_models; i++) {
		const double own = annotation_value(&in->models[i].mean, x);
		const double deviation = annotation_value(&in->models[i].deviation, x);

		mean += in->models[i].probability * own;
		squares += in->models[i].probability * (own * own + deviation * deviation);
	}
	*ret = mean;
	*ret_deviation = sqrt(squares - mean * mean);
	return isfinite(mean) && *ret_deviation > 0;
}

/* Calls with x, what formulas expect of them, and how far they are from that, in deviations. */
struct misfit_calls {
	double *x, *expected, *costs, *left;
	size_t n;
};

static struct misfit_calls misfit_collect(const struct scatter *scatter, struct arena *arena)
{
	const struct study *study = scatter->drawing.study;
	const struct figure_dots *dots = &scatter->dots;
	double *arguments = arena_array(arena, double, study->annotation->n_features + 1);
	struct misfit_calls ret = {
		arena_array(arena, double, dots->n), arena_array(arena, double, dots->n),
		arena_array(arena, double, dots->n), arena_array(arena, double, dots->n), 0};
	double deviation;

	for (size_t i = 0; i < dots->n; i++) {
		const size_t point = dots->points[i];

		if (!misfit_expected(study, point, arguments, &ret.expected[ret.n], &deviation))
			continue;
		ret.x[ret.n] = dots->x[i];
		ret.costs[ret.n] = study_usual_cost(study, point);
		ret.left[ret.n] = (ret.costs[ret.n] - ret.expected[ret.n]) / deviation;
		ret.n++;
	}
	return ret;
}

/*
 * Where the formula is wrong, by all calls that it is of; NULL: nowhere, by what these say, or by
 * less than matters.
 */
static const char *misfit_sentence(const struct scatter *scatter, struct arena *arena)
{
	const struct misfit_calls calls = misfit_collect(scatter, arena);
	double costs = 0, expected = 0;
	struct smooth_misfit misfit;

	if (!smooth_find_misfit(calls.x, calls.left, calls.n, &misfit))
		return NULL;
	for (size_t i = 0; i < calls.n; i++)
		if (calls.x[i] >= misfit.low && calls.x[i] <= misfit.high) {
			costs += calls.costs[i];
			expected += calls.expected[i];
		}
	if (fabs(costs - expected) < MISFIT_LEAST * fabs(expected))
		return NULL;
	return arena_printf(arena,
			    "Where %s is %.4g to %.4g calls cost %.2g %% %s than the formula says "
			    "(by chance: %.2g %%).",
			    scatter->drawing.figure->x.title, misfit.low, misfit.high,
			    100 * fabs(costs / expected - 1), costs > expected ? "more" : "less",
			    100 * misfit.probability);
}

/* Before dots are thinned. Names have no curve. */
static void smooth_draw_prepare(struct scatter *scatter, enum smooth_kind kind)
{
	struct drawing *drawing = &scatter->drawing;
	const char *misfit;

	if (scatter->places.numbers ||
	    !smooth_fit(scatter->dots.x, scatter->dots.y, scatter->dots.n, kind, SMOOTH_STEPS,
			drawing->arena, &scatter->smooth)) {
		scatter->smooth.n = 0;
		return;
	}
	misfit = drawing->study->curve ? misfit_sentence(scatter, drawing->arena) : NULL;
	if (misfit)
		figure_draw_say(drawing, "%s", misfit);
}

/* Cut to what the axes can show; a band below 0 has no logarithm. */
static void smooth_cut(struct scatter *scatter)
{
	const struct figure *figure = scatter->drawing.figure;
	struct smooth *smooth = &scatter->smooth;
	size_t from = 0;

	if (!smooth->n)
		return;
	while (smooth->n && !(smooth->x[smooth->n - 1] <= figure->x.high))
		smooth->n--;
	while (from < smooth->n && !(smooth->x[from] >= figure->x.low))
		from++;
	*smooth = (struct smooth){smooth->kind,       smooth->over,     smooth->n - from,
				  smooth->x + from,   smooth->y + from, smooth->low + from,
				  smooth->high + from};
	for (size_t i = 0; figure->y.is_log && i < smooth->n; i++)
		if (!(smooth->low[i] > 0))
			smooth->n = 0;
}

static void smooth_draw(struct scatter *scatter, enum figure_kind kind)
{
	const struct smooth *smooth = &scatter->smooth;
	const unsigned group = scatter->drawing.n_groups + 1;
	struct figure_series *series;

	if (smooth->n < 2)
		return;
	series = figure_draw_series(&scatter->drawing, kind, group);
	*series = (struct figure_series){
		.kind = kind,
		.name = kind == FIGURE_BAND ? NULL
					    : arena_printf(scatter->drawing.arena, "curve (%s)",
							   smooth_name(smooth->kind)),
		.group = group,
		.x = smooth->x,
		.y = kind == FIGURE_BAND ? smooth->low : smooth->y,
		.y2 = kind == FIGURE_BAND ? smooth->high : NULL,
		.n = smooth->n};
}

/* Draw what has been added. */
static struct figure *residuals_end(struct scatter *scatter)
{
	struct drawing *drawing = &scatter->drawing;
	struct figure_models models;

	say_left_out(scatter);
	figure_models_init(&models, drawing, scatter->feature, &scatter->places);
	figure_models_reach(&models, drawing->study, &scatter->dots);
	figure_dots_choose(drawing, &scatter->x, &scatter->y, &scatter->dots);
	set_axes(scatter);
	figure_models_bands(drawing, &models, scatter->what);
	smooth_cut(scatter);
	smooth_draw(scatter, FIGURE_BAND);
	figure_dots_draw(drawing, &scatter->dots);
	figure_models_curves(drawing, &models, scatter->what);
	smooth_draw(scatter, FIGURE_CURVE);
	figure_models_say(drawing, &models);
	figure_models_deinit(&models);
	figure_places_deinit(&scatter->places);
	figure_dots_deinit(&scatter->dots);
	return figure_draw_end(drawing);
}

/* A point, with its key in the order of calls. */
struct turn {
	struct sample_key key;
	size_t point;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *left = a;
	const struct turn *right = b;

	if (left->key.run != right->key.run)
		return left->key.run < right->key.run ? -1 : 1;
	if (left->key.start_ns != right->key.start_ns)
		return left->key.start_ns < right->key.start_ns ? -1 : 1;
	if (left->key.id != right->key.id)
		return left->key.id < right->key.id ? -1 : 1;
	return (left->point > right->point) - (left->point < right->point);
}

/* Add all points in the order in which their calls started, from 1. */
static void add_in_order(struct scatter *scatter)
{
	const struct study *study = scatter->drawing.study;
	struct turn *turns = mem_alloc((study->n_points + 1) * sizeof(*turns));

	for (size_t i = 0; i < study->n_points; i++)
		turns[i] = (struct turn){study->samples->keys[study->rows[i]], i};
	qsort(turns, study->n_points, sizeof(*turns), compare_turns);
	for (size_t i = 0; i < study->n_points; i++)
		figure_dots_add(&scatter->dots, i + 1, study->costs[turns[i].point],
				turns[i].point);
	free(turns);
}

static void scatter_begin(struct scatter *scatter, const struct study *study, unsigned feature,
			  const struct figure_options *options)
{
	const struct metric_info *metric = metric_info(study->metric);

	residuals_begin(scatter, study, feature, DRAW_EXPECTED, options);
	scatter->drawing.figure->y.title = metric->keyword;
	scatter->drawing.figure->y.unit = *metric->unit_text ? metric->unit_text : NULL;
	if (feature == STUDY_NONE) {
		scatter->drawing.figure->x.title = STUDY_IN_ORDER;
		add_in_order(scatter);
	} else {
		for (size_t i = 0; i < study->n_points; i++)
			add_over_feature(scatter, study->costs[i], i);
	}
}

struct figure *figure_scatter(const struct study *study, unsigned feature,
			      const struct figure_options *options)
{
	struct scatter scatter;

	scatter_begin(&scatter, study, feature, options);
	if (study->curve || annotation_is_unexplained(study->annotation))
		smooth_draw_prepare(&scatter, study->curve ? study->curve : SMOOTH_KERNEL);
	return residuals_end(&scatter);
}

bool figure_smooth(const struct study *study, unsigned feature, struct arena *arena,
		   struct smooth *ret, const char **ret_misfit)
{
	struct scatter scatter;
	bool ok;

	scatter_begin(&scatter, study, feature, &figure_default);
	ok = !scatter.places.numbers && smooth_fit(scatter.dots.x, scatter.dots.y, scatter.dots.n,
						   study->curve, SMOOTH_POINTS, arena, ret);
	if (ok) {
		ret->over = arena_strdup(arena, scatter.drawing.figure->x.title);
		*ret_misfit = misfit_sentence(&scatter, arena);
	}
	figure_places_deinit(&scatter.places);
	figure_dots_deinit(&scatter.dots);
	figure_destroy(figure_draw_end(&scatter.drawing));
	return ok;
}

struct figure *figure_residuals(const struct study *study, unsigned feature,
				const struct figure_options *options)
{
	const struct metric_info *metric = metric_info(study->metric);
	struct scatter scatter;
	struct figure *figure;

	residuals_begin(&scatter, study, feature, DRAW_LEFT, options);
	figure = scatter.drawing.figure;
	figure->title = arena_printf(figure->arena, "%s: cost - expected", figure->title);
	figure->y.title = arena_printf(figure->arena, "%s - expected", metric->keyword);
	figure->y.unit = *metric->unit_text ? metric->unit_text : NULL;
	if (feature == STUDY_NONE) {
		figure->x.title = "expected";
		figure->x.unit = figure->y.unit;
	}
	for (size_t i = 0; i < study->n_points; i++) {
		const double left = study->costs[i] - study->expected[i];

		if (study->cases[i] == STUDY_NONE || !isfinite(left))
			scatter.n_outside++;
		else if (feature == STUDY_NONE)
			figure_dots_add(&scatter.dots, study->expected[i], left, i);
		else
			add_over_feature(&scatter, left, i);
	}
	return residuals_end(&scatter);
}
