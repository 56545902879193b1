/*
 * Histograms, and how many calls the models expect in each bin: the sum over calls of normal
 * probabilities. The probability of a bin is a difference of cumulated ones, so a deviation of 0
 * needs no special case. Source: Freedman and Diaconis, On the histogram as a density estimator,
 * Zeitschrift für Wahrscheinlichkeitstheorie 57 (1981).
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "figure.h"
#include "figure_draw.h"

enum { BINS_MAX = 120, BINS_USUAL = 40, CALLS_MAX = 1500 /* sampled for a curve */ };

/* Larger whole numbers may have no neighbour at distance 1. */
#define WHOLE_MOST 0x1p50
/* A bin of one number extends by this share of it to either side, or at least by this much. */
#define AROUND       0.01
#define LEAST_AROUND (16 * DBL_MIN)
#define ROUNDING     1e-12
/* A mode with a smaller share of the calls does not narrow the bins. */
#define MODE_PART 0.05

struct histogram {
	struct drawing drawing;
	struct draw_view view;
	double *costs; /* [n] those shown */
	size_t n;
	bool is_whole;
	double low, high; /* ends of the bins; logarithms on a logarithmic axis */
	size_t n_bins;
};

static double histogram_scale_of(const struct histogram *histogram, double cost)
{
	return histogram->view.is_log ? log10(cost) : cost;
}

static double edge_of(const struct histogram *histogram, double bin)
{
	const double part = bin / histogram->n_bins;
	const double edge = histogram->low * (1 - part) + histogram->high * part;

	if (histogram->view.is_log)
		return fmin(fmax(pow(10, edge), DBL_TRUE_MIN), DBL_MAX);
	/* Exactly between whole numbers. */
	if (histogram->is_whole)
		return histogram->low +
		       (histogram->high - histogram->low) / histogram->n_bins * bin;
	return edge;
}

static void histogram_read_costs(struct histogram *histogram)
{
	struct drawing *drawing = &histogram->drawing;
	const struct study *study = drawing->study;
	struct figure_dots dots = figure_dots_create(study->n_points);
	const struct draw_view any = {.low = NAN, .high = NAN};

	for (size_t i = 0; i < study->n_points; i++)
		figure_dots_add(&dots, study->costs[i], 0, i);
	figure_dots_choose(drawing, &histogram->view, &any, &dots);
	histogram->costs = dots.x;
	histogram->n = dots.n;
	dots.x = NULL;
	figure_dots_deinit(&dots);
	histogram->is_whole = true;
	for (size_t i = 0; i < histogram->n; i++)
		histogram->is_whole &= histogram->costs[i] == floor(histogram->costs[i]) &&
				       fabs(histogram->costs[i]) < WHOLE_MOST;
}

/*
 * The number of bins by Freedman and Diaconis, who assume one mode; BINS_USUAL if half of the calls
 * cost the same.
 */
static double advised_bins(const struct histogram *histogram, double low, double high)
{
	double *scaled = mem_alloc((histogram->n + 1) * sizeof(*scaled));
	double first, third, bins;

	for (size_t i = 0; i < histogram->n; i++)
		scaled[i] = histogram_scale_of(histogram, histogram->costs[i]);
	third = figure_dots_quantile(scaled, histogram->n, 0.75);
	first = figure_dots_quantile(scaled, histogram->n, 0.25);
	free(scaled);
	bins = (high / 2 - low / 2) / (third - first) * cbrt(histogram->n);
	if (!isfinite(bins))
		bins = BINS_USUAL;
	return fmax(bins, 1);
}

/* The number of calls that most likely belong to @model of case @in. */
static size_t histogram_count_calls(const struct study *study, unsigned in, unsigned model)
{
	size_t n = 0;

	for (size_t i = 0; i < study->n_points; i++)
		n += study->cases[i] == in && study->models[i] == model;
	return n;
}

/*
 * The width of a model's mode on the axis, one deviation; INFINITY: none, its mean is a curve or
 * its deviation 0.
 */
static double mode_width(const struct histogram *histogram, const struct model *model)
{
	double mean, deviation;

	if (model->mean.n_terms != 1 || model->mean.terms[0].n_factors ||
	    model->deviation.n_terms != 1 || model->deviation.terms[0].n_factors)
		return INFINITY;
	mean = model->mean.terms[0].coefficient;
	deviation = model->deviation.terms[0].coefficient;
	if (histogram->view.is_log)
		deviation = mean > 0 ? deviation / mean * M_LOG10E : 0;
	return deviation > 0 ? deviation : INFINITY;
}

/* The narrowest of several modes; INFINITY: none. */
static double narrowest_mode(const struct histogram *histogram)
{
	const struct study *study = histogram->drawing.study;
	const struct annotation *annotation = study->annotation;
	double narrowest = INFINITY;
	unsigned n = 0;

	for (unsigned i = 0; i < annotation->n_cases; i++)
		for (unsigned k = 0; k < annotation->cases[i].n_models; k++) {
			n++;
			if (histogram_count_calls(study, i, k) >= MODE_PART * study->n_points)
				narrowest = fmin(
					narrowest,
					mode_width(histogram, &annotation->cases[i].models[k]));
		}
	return n > 1 ? narrowest : INFINITY;
}

/* Bins of whole numbers hold equally many of them, with edges in between. */
static void choose_whole_bins(struct histogram *histogram, double low, double high, double bins)
{
	const double width = ceil((high - low + 1) / bins);

	histogram->n_bins = (size_t)floor((high - low) / width) + 1;
	histogram->low = low - 0.5;
	histogram->high = histogram->low + width * histogram->n_bins;
}

static void choose_bins(struct histogram *histogram)
{
	double low = INFINITY;
	double high = -INFINITY;
	double bins;

	for (size_t i = 0; i < histogram->n; i++) {
		low = fmin(low, histogram_scale_of(histogram, histogram->costs[i]));
		high = fmax(high, histogram_scale_of(histogram, histogram->costs[i]));
	}
	bins = fmax(advised_bins(histogram, low, high), (high - low) / narrowest_mode(histogram));
	bins = fmin(ceil(bins), BINS_MAX);
	if (histogram->is_whole && !histogram->view.is_log) {
		choose_whole_bins(histogram, low, high, bins);
		return;
	}
	/* Edges this close would be rounded away: one bin. */
	if (!(high / 2 - low / 2 > ROUNDING * fmax(fabs(low), fabs(high)))) {
		const double around =
			histogram->view.is_log ? AROUND : fmax(fabs(low) * AROUND, LEAST_AROUND);

		low = fmax(low - around, -DBL_MAX);
		high = fmin(high + around, DBL_MAX);
		bins = 1;
	}
	histogram->low = low;
	histogram->high = high;
	histogram->n_bins = (size_t)bins;
}

/* Count the calls of each bin in @ret[n_bins]. */
static void histogram_count(const struct histogram *histogram, double *ret)
{
	for (size_t i = 0; i < histogram->n; i++) {
		const double cost = histogram_scale_of(histogram, histogram->costs[i]);
		const double part = (cost / 2 - histogram->low / 2) /
				    (histogram->high / 2 - histogram->low / 2);

		ret[(size_t)fmin(fmax(floor(part * histogram->n_bins), 0),
				 histogram->n_bins - 1)]++;
	}
}

/* A logarithmic axis cannot show empty bins. */
static void histogram_draw_bars(struct histogram *histogram)
{
	struct drawing *drawing = &histogram->drawing;
	const size_t n = histogram->n_bins;
	double *counts = mem_alloc(n * sizeof(*counts));
	double *x = arena_array(drawing->arena, double, n);
	double *x2 = arena_array(drawing->arena, double, n);
	double *y = arena_array(drawing->arena, double, n);
	struct figure_series *series = figure_draw_series(
		drawing, FIGURE_BARS, drawing->n_groups == 1 ? 0 : drawing->n_groups);

	histogram_count(histogram, counts);
	for (size_t i = 0; i < n; i++) {
		if (drawing->options.log_y && !(counts[i] > 0))
			continue;
		x[series->n] = edge_of(histogram, i);
		x2[series->n] = edge_of(histogram, i + 1);
		y[series->n++] = counts[i];
	}
	series->name = "calls";
	series->x = x;
	series->x2 = x2;
	series->y = y;
	free(counts);
}

static double normal_below(double cost, double mean, double deviation)
{
	if (deviation > 0)
		return 0.5 * erfc((mean - cost) / deviation * M_SQRT1_2);
	return cost >= mean;
}

/* A model of the calls of its case. */
struct part {
	const struct study *study;
	unsigned in;
	const struct model *model;
	size_t n;                   /* calls of the case */
	double *means, *deviations; /* [n_taken] of the calls sampled for all */
	size_t n_taken;
};

static void take_calls(struct part *part)
{
	const struct study *study = part->study;
	double *x = mem_alloc((study->annotation->n_features + 1) * sizeof(*x));
	size_t seen = 0;

	for (size_t i = 0; i < study->n_points; i++)
		part->n += study->cases[i] == part->in;
	for (size_t i = 0; i < study->n_points; i++) {
		const size_t wanted = part->n < CALLS_MAX ? part->n : CALLS_MAX;
		double mean, deviation;

		if (study->cases[i] != part->in)
			continue;
		if ((size_t)((double)(seen++) * wanted / part->n) < part->n_taken)
			continue;
		study_arguments(study, i, x);
		mean = annotation_value(&part->model->mean, x);
		deviation = annotation_value(&part->model->deviation, x);
		part->means[part->n_taken] = isfinite(mean) ? mean : study->expected[i];
		part->deviations[part->n_taken++] = isfinite(deviation) ? deviation : 0;
	}
	free(x);
}

/* The expected number of calls that cost from @low to @high. */
static double histogram_expect(const struct part *part, double low, double high)
{
	double sum = 0;

	for (size_t i = 0; i < part->n_taken; i++) {
		const double mean = part->means[i];
		const double deviation = part->deviations[i];

		/* Far from the mean it is practically 0. */
		if (low > mean + 9 * deviation || high < mean - 9 * deviation)
			continue;
		sum += normal_below(high, mean, deviation) - normal_below(low, mean, deviation);
	}
	return part->n_taken ? sum * part->model->probability * part->n / part->n_taken : 0;
}

/* Draw the expected number of calls in a bin's width around each step. */
static void draw_part(struct histogram *histogram, const struct part *part, unsigned group,
		      const char *name)
{
	struct drawing *drawing = &histogram->drawing;
	const unsigned steps = figure_models_steps(drawing);
	double *x = arena_array(drawing->arena, double, steps);
	double *y = arena_array(drawing->arena, double, steps);
	struct figure_series *series;
	size_t n = 0;

	for (unsigned i = 0; i < steps; i++) {
		const double bin = (double)i / (steps - 1) * histogram->n_bins;

		x[n] = edge_of(histogram, bin);
		y[n] = histogram_expect(part, edge_of(histogram, bin - 0.5),
					edge_of(histogram, bin + 0.5));
		n += isfinite(x[n]) && isfinite(y[n]) && (!n || x[n] > x[n - 1]) &&
		     (!drawing->options.log_y || y[n] > 0);
	}
	if (!n)
		return;
	series = figure_draw_series(drawing, FIGURE_CURVE, group);
	series->name = strcmp(name, "calls") != 0 ? name : "expected";
	series->x = x;
	series->y = y;
	series->n = n;
}

static void draw_parts(struct histogram *histogram)
{
	struct drawing *drawing = &histogram->drawing;
	const struct study *study = drawing->study;
	struct part part = {.study = study,
			    .means = mem_alloc(CALLS_MAX * sizeof(double)),
			    .deviations = mem_alloc(CALLS_MAX * sizeof(double))};
	unsigned model;

	for (part.in = 0; part.in < study->annotation->n_cases; part.in++)
		for (model = 0; model < study->annotation->cases[part.in].n_models; model++) {
			part.model = &study->annotation->cases[part.in].models[model];
			part.n = part.n_taken = 0;
			take_calls(&part);
			if (part.n)
				draw_part(histogram, &part,
					  figure_draw_group(drawing, part.in, model),
					  figure_draw_name(drawing, part.in, model));
		}
	free(part.means);
	free(part.deviations);
}

/* The highest value drawn. */
static double highest(const struct figure *figure)
{
	double most = 1;

	for (size_t i = 0; i < figure->n_series; i++)
		for (size_t j = 0; j < figure->series[i].n; j++)
			most = fmax(most, figure->series[i].y[j]);
	return most;
}

static void histogram_set_axes(struct histogram *histogram, const struct draw_view *counts)
{
	struct figure *figure = histogram->drawing.figure;
	double ends[2] = {0, 0};

	if (histogram->n) {
		ends[0] = edge_of(histogram, 0);
		ends[1] = edge_of(histogram, histogram->n_bins);
	}
	figure_draw_span(&figure->x, &histogram->view, ends, histogram->n ? 2 : 0);
	ends[0] = counts->is_log ? 0.5 : 0;
	ends[1] = highest(figure);
	figure_draw_span(&figure->y, counts, ends, 2);
}

struct figure *figure_histogram(const struct study *study, const struct figure_options *options)
{
	const struct metric_info *metric = metric_info(study->metric);
	const struct draw_view counts =
		figure_draw_view(options->log_y, options->y_low, options->y_high);
	struct histogram histogram = {
		.view = figure_draw_view(options->log_x, options->x_low, options->x_high)};
	struct drawing *drawing = &histogram.drawing;

	figure_draw_begin(drawing, study, options);
	drawing->figure->title =
		arena_printf(drawing->arena, "%s: how calls distribute", drawing->figure->title);
	drawing->figure->x.title = metric->keyword;
	drawing->figure->x.unit = *metric->unit_text ? metric->unit_text : NULL;
	drawing->figure->y.title = "calls";
	histogram_read_costs(&histogram);
	if (histogram.n) {
		choose_bins(&histogram);
		histogram_draw_bars(&histogram);
		draw_parts(&histogram);
	} else if (!study->n_points) {
		figure_draw_say(drawing, "no call has a %s", metric->keyword);
	}
	histogram_set_axes(&histogram, &counts);
	figure_dots_warn(drawing, &drawing->figure->x, histogram.costs, histogram.n);
	free(histogram.costs);
	return figure_draw_end(drawing);
}
