/*
 * What the kinds of figures have in common while they are made (figure_*.c).
 */
#ifndef FATHOM_CORE_FIGURE_DRAW_H
#define FATHOM_CORE_FIGURE_DRAW_H

#include <stdio.h>

#include "core/figure.h"

/* So many deviations to either side hold 95 % of the calls. */
#define DRAW_DEVIATIONS 1.96

/* A figure being made. */
struct drawing {
	const struct study *study;
	struct figure_options options;
	struct figure *figure;
	struct arena *arena; /* the figure's */
	struct figure_series *series;
	size_t n_groups; /* cases' models; what belongs to none is one group more */
	char *text;      /* of the caption */
	size_t text_size;
	FILE *caption;
};

void draw_begin(struct drawing *drawing, const struct study *study,
		const struct figure_options *options);
struct figure *draw_end(struct drawing *drawing);

/* One more sentence in the caption. */
void draw_say(struct drawing *drawing, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Add a series; what it has is the arena's. */
struct figure_series *draw_series(struct drawing *drawing, enum figure_kind kind, unsigned group);

/* The group of the model @model of the case @in; n_groups: of no case. */
unsigned draw_group(const struct drawing *drawing, unsigned in, unsigned model);
/* The conditions of the case, "calls" if it has none. */
const char *draw_scope(const struct drawing *drawing, unsigned in);
/* What a legend calls the model. */
const char *draw_name(const struct drawing *drawing, unsigned in, unsigned model);

/* What is asked of an axis: where it is to begin and end. NAN: with the data. */
struct draw_view {
	bool is_log;
	double low, high;
};

/* Such a view; what no axis can have is not asked for. */
struct draw_view draw_view_of(bool is_log, double low, double high);

/* Set the ends of @axis so that all @n numbers have room, unless the view says others. */
void draw_span(struct figure_axis *axis, const struct draw_view *view, const double *numbers,
	       size_t n);
/* Set them to @low and @high, unless the view asks for others, and something is between these. */
void draw_ends(struct figure_axis *axis, const struct draw_view *view, double low, double high);
/* Can @number be on the axis? */
bool draw_has_room(const struct draw_view *view, double number);

/* Points with their numbers on the axes. */
struct dots {
	double *x, *y;
	size_t *points;
	size_t n;
};

struct dots dots_create(size_t most);
void dots_deinit(struct dots *dots);
void dots_add(struct dots *dots, double x, double y, size_t point);

/* Leave out what no axis has, or what is not in view, and say so. */
void dots_choose(struct drawing *drawing, const struct draw_view *x, const struct draw_view *y,
		 struct dots *dots);
/* Say so if a few numbers are so far from the others that they take most of the axis. */
void dots_warn(struct drawing *drawing, const struct figure_axis *axis, const double *numbers,
	       size_t n);
/* Thin them to what the options allow, and add them as series, by group. */
void dots_draw(struct drawing *drawing, struct dots *dots);

/* The number that a part @share of the @n numbers is not above, which are reordered; NAN: there are none. */
double draw_quantile(double *numbers, size_t n, double share);

/* What becomes of the numbers of a feature on its axis: places of names, or themselves. */
struct draw_places {
	double *numbers; /* [n] that the names are of, ascending; NULL: they are themselves */
	size_t n;
};

/* Set title, unit and labels of @axis for the feature. */
struct draw_places draw_feature(struct drawing *drawing, unsigned feature,
				struct figure_axis *axis);
void draw_places_deinit(struct draw_places *places);
/* The place of @number, which is one of the feature's; and the number at a place. */
double draw_place(const struct draw_places *places, double number);
double draw_number(const struct draw_places *places, double place);

/* "call" or "calls". */
const char *draw_calls(size_t n);

enum draw_curve {
	DRAW_EXPECTED, /* the mean and the interval */
	DRAW_LEFT,     /* the interval around 0 */
};

/* The models over one feature. */
struct draw_models {
	unsigned feature; /* of the study; STUDY_NONE: none */
	unsigned own;     /* the same, of the annotation */
	const struct draw_places *places;
	double *held; /* [n_cases * n_features] what the annotation's other features are; NAN: not used */
	double *low, *high; /* [n_cases] the place where the points of a case begin and end */
};

void draw_models_init(struct draw_models *models, const struct drawing *drawing, unsigned feature,
		      const struct draw_places *places);
void draw_models_deinit(struct draw_models *models);
/* Curves go as far as these points do. */
void draw_models_reach(struct draw_models *models, const struct study *study,
		       const struct dots *dots);
/* Say what is held fixed. */
void draw_models_say(struct drawing *drawing, const struct draw_models *models);
/* Add the bands or the curves of all models, as far as the figure's axes show them. */
void draw_models_bands(struct drawing *drawing, const struct draw_models *models,
		       enum draw_curve what);
void draw_models_curves(struct drawing *drawing, const struct draw_models *models,
			enum draw_curve what);

/* So many steps a curve has. */
unsigned draw_steps(const struct drawing *drawing);

#endif
