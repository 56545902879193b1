/*
 * Figures: what a picture of a study shows, before anybody decides how it is drawn. Terminal
 * (tui/), SVG, gnuplot and HTML (report/) draw the same figure, so that they cannot say different
 * things.
 *
 * Plain data in one arena. Numbers are in the units of the axes, not transformed; all are finite.
 * On a logarithmic axis all are above 0.
 */
#pragma once

#include "study.h"

struct figure_axis {
	const char *title; /* expression of a feature or keyword of a metric */
	const char *unit;  /* for people ("µs"); NULL: none */
	bool is_log;
	double low, high; /* low < high; what the data span, with a little room */
	/*
	 * Of categorical features and booleans: the names of places, which are the whole numbers
	 * from 0 on. Coordinates are these places; `low` and `high` are halfway before and after.
	 * NULL: it has numbers.
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
	const char
		*name; /* for a legend: scope of the case, "no case"; NULL: it belongs to another */
	unsigned
		/*
		 * what belongs together (points, curve, band of one case and model) has one colour,
		 * counted from 0
		 */
		group;
	bool is_outside; /* points of no case, or that the reader marked out */
	const double *x, *y;
	const double *x2, *y2; /* as the kind has it; else NULL */
	const size_t *points;  /* FIGURE_POINTS: of the study; NULL: they are none of its */
	size_t n;
};

struct figure {
	struct arena *arena; /* owns everything below */
	const char *title;   /* "std::list<int>::sort().time" */
	struct figure_axis x, y;
	const struct figure_series
		*series; /* bands first, then points, curves last: the order of drawing */
	size_t n_series;
	const char *
		/*
		 * what is not shown, or held fixed for the curves ("curves at n = 12"); NULL:
		 * nothing
		 */
		caption;
};

struct figure_options {
	bool log_x,
		/*
		 * refused where a value is not above 0: those are left out, and the caption says
		 * how many
		 */
		log_y;
	double x_low, x_high, y_low, y_high; /* the part to show; NAN: all */
	unsigned n_curve;                    /* steps of a curve; 0: 200 */
	size_t max_points;                   /* more are thinned evenly, outliers kept; 0: all */
};

/* All of it: linear axes, everything in view. */
extern const struct figure_options figure_default;

void figure_destroy(struct figure *figure); /* NULL is fine */

/*
 * The metric over the feature @feature (of the study's), with for each case and model its curve and
 * the interval in which 95 % of its calls are. Where other features have a part in the formula,
 * curves hold them at their median among the case's points, and the caption says so. STUDY_NONE:
 * over the calls in the order in which they came, from 1; then only models that do not depend on
 * features have curves.
 */
struct figure *figure_scatter(const struct study *study, unsigned feature,
			      const struct figure_options *options);

/*
 * What the models leave over (cost - expected), over the feature, or over what is expected
 * (STUDY_NONE). What is left over goes both ways, so `log_y` means nothing here. The curve is 0.
 */
struct figure *figure_residuals(const struct study *study, unsigned feature,
				const struct figure_options *options);

/*
 * How the calls distribute over the metric, and what the models (a mixture's each) say of that.
 * Counts on the y axis. The group of the bars is that of no case, unless there is one model only.
 */
struct figure *figure_histogram(const struct study *study, const struct figure_options *options);

/*
 * Round numbers of the axis between its ends, at most @max, ascending, in @ret; returns how many.
 * On a logarithmic axis powers of ten, and 2 and 5 times them where there is room.
 */
size_t figure_ticks(const struct figure_axis *axis, size_t max, double *ret);

/* Where @number is on the axis: 0 at its low end, 1 at the high one, beyond outside. And back. */
double figure_place(const struct figure_axis *axis, double number);
double figure_number(const struct figure_axis *axis, double place);

enum { FIGURE_TEXT = 24 };
/* @number short, for an axis or a table: "1.2e6", "0.5", "1500". */
void figure_text(double number, char ret[FIGURE_TEXT]);
