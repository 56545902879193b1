/*
 * Figures: what a picture of a study shows, however it is drawn. Terminal (tui/), SVG, gnuplot and
 * HTML (report/) draw the same figure, so they cannot say different things.
 *
 * Plain data in one arena. Numbers are in the units of the axes, not transformed; all are finite,
 * and above 0 on a logarithmic axis.
 */
#pragma once

#include "study.h"

struct figure_axis {
	const char *title; /* expression of a feature or keyword of a metric */
	const char *unit;  /* for people ("µs"); NULL: none */
	bool is_log;
	double low, high; /* low < high; the range of the data and a margin */
	/*
	 * Of categorical features and booleans: names of the places 0, 1, …, which are the
	 * coordinates; `low` and `high` are half a place outside. NULL: numbers.
	 */
	const struct label *labels;
	size_t n_labels;
};

enum figure_kind {
	FIGURE_POINTS, /* (x, y) */
	FIGURE_CURVE,  /* a line through (x, y), x ascending */
	FIGURE_BAND,   /* between y and y2 over x, ascending */
	FIGURE_BARS,   /* from 0 to y, over [x, x2] */
};

struct figure_series {
	enum figure_kind kind;
	const char *name; /* for a legend: scope of the case, "no case"; NULL: not listed */
	/* points, curve and band of one case and model share a group, and so a colour; from 0 */
	unsigned group;
	bool is_outside; /* points of no case, or excluded by the reader */
	const double *x, *y;
	const double *x2, *y2; /* [n] if the kind has them, else NULL */
	const size_t *points;  /* FIGURE_POINTS: [n] points of the study; NULL: not its points */
	size_t n;
};

struct figure {
	struct arena *arena; /* owns everything below */
	const char *title;   /* "std::list<int>::sort().time" */
	/* of the case with most calls, and R²: "5 + 2*n, R² 0.98"; NULL: there is none */
	const char *formula;
	struct figure_axis x, y;
	const struct figure_series
		*series; /* [n_series] in the order of drawing: bands, points, curves */
	size_t n_series;
	/* what is not shown, or held fixed ("curves at n = 12"); NULL: nothing */
	const char *caption;
};

struct figure_options {
	bool log_x, log_y; /* leaves out values not above 0; the caption says how many */
	double x_low, x_high, y_low, y_high; /* the part to show; NAN: all */
	unsigned n_curve;                    /* steps of a curve; 0: 200 */
	size_t max_points;                   /* more are thinned evenly, keeping outliers; 0: all */
};

/* Linear axes, everything in view. */
extern const struct figure_options figure_default;

void figure_destroy(struct figure *figure); /* NULL is fine */

/*
 * The metric over feature @feature of the study, with each model's curve and the interval that
 * holds 95 % of its calls. Curves hold other features of the formula at their median among the
 * case's points; the caption says so. STUDY_NONE: over the calls in the order of their start, from
 * 1; then only models that use no feature have curves.
 */
struct figure *figure_scatter(const struct study *study, unsigned feature,
			      const struct figure_options *options);

/*
 * Add the curve of @before, an older annotation of the same metric, to a scatter plot over one of
 * its features. False: it has no such feature, or expects nothing there.
 */
bool figure_compare_add(struct figure *figure, const struct annotation *before);

/*
 * The curve that the study asks for, over @feature as above, in @arena; a curve is drawn in
 * scatters, too, also where the study asks for none and there is no formula. *@ret_misfit: where
 * the formula is wrong, a sentence; NULL: calls do not say that it is. False: names have no curve,
 * and few calls none.
 */
bool figure_smooth(const struct study *study, unsigned feature, struct arena *arena,
		   struct smooth *ret, const char **ret_misfit);

/*
 * The residuals (cost - expected) over the feature, or over the expected cost (STUDY_NONE).
 * Residuals have both signs, so `log_y` is ignored. The curve is 0.
 */
struct figure *figure_residuals(const struct study *study, unsigned feature,
				const struct figure_options *options);

/*
 * The distribution of the metric, with the count that each model expects. Counts are on the y axis.
 * The bars have the group of no case, unless there is only one model.
 */
struct figure *figure_histogram(const struct study *study, const struct figure_options *options);

/*
 * At most @max round numbers within the axis, ascending, in @ret[@max]; returns how many. On a
 * logarithmic axis: powers of ten, and 2 and 5 times those if there is room.
 */
size_t figure_ticks(const struct figure_axis *axis, size_t max, double *ret);

/* The place of @number on the axis (0: low end, 1: high end), and the number at a place. */
double figure_place(const struct figure_axis *axis, double number);
double figure_number(const struct figure_axis *axis, double place);

enum { FIGURE_TEXT = 24 };
/* @number short, for an axis or a table: "1.2e6", "0.5", "1500". */
void figure_text(double number, char ret[FIGURE_TEXT]);
