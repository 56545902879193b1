/*
 * What the kinds of figures have in common while they are made (figure_*.c).
 */
#pragma once

#include <stdio.h>

#include "figure.h"

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

void figure_draw_begin(struct drawing *drawing, const struct study *study,
		       const struct figure_options *options);
struct figure *figure_draw_end(struct drawing *drawing);

/* One more sentence in the caption. */
void figure_draw_say(struct drawing *drawing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a series; what it has is the arena's. */
struct figure_series *figure_draw_series(struct drawing *drawing, enum figure_kind kind,
					 unsigned group);

/* The group of the model @model of the case @in; n_groups: of no case. */
unsigned figure_draw_group(const struct drawing *drawing, unsigned in, unsigned model);
/* The conditions of the case, "calls" if it has none. */
const char *figure_draw_scope(const struct drawing *drawing, unsigned in);
/* What a legend calls the model. */
const char *figure_draw_name(const struct drawing *drawing, unsigned in, unsigned model);

/* What is asked of an axis: where it is to begin and end. NAN: with the data. */
struct draw_view {
	bool is_log;
	double low, high;
};

/* Such a view; what no axis can have is not asked for. */
struct draw_view figure_draw_view(bool is_log, double low, double high);

/* Set the ends of @axis so that all @n numbers have room, unless the view says others. */
void figure_draw_span(struct figure_axis *axis, const struct draw_view *view, const double *numbers,
		      size_t n);
/* Set them to @low and @high, unless the view asks for others, and something is between these. */
void figure_draw_ends(struct figure_axis *axis, const struct draw_view *view, double low,
		      double high);
/* Can @number be on the axis? */
bool figure_draw_has_room(const struct draw_view *view, double number);

/* Points with their numbers on the axes. */
struct figure_dots {
	double *x, *y;
	size_t *points;
	size_t n;
};

struct figure_dots figure_dots_create(size_t most);
void figure_dots_deinit(struct figure_dots *dots);
void figure_dots_add(struct figure_dots *dots, double x, double y, size_t point);

/* Leave out what no axis has, or what is not in view, and say so. */
void figure_dots_choose(struct drawing *drawing, const struct draw_view *x,
			const struct draw_view *y, struct figure_dots *dots);
/* Say so if a few numbers are so far from the others that they take most of the axis. */
void figure_dots_warn(struct drawing *drawing, const struct figure_axis *axis,
		      const double *numbers, size_t n);
/* Thin them to what the options allow, and add them as series, by group. */
void figure_dots_draw(struct drawing *drawing, struct figure_dots *dots);

/*
 * The number that a part @share of the @n numbers is not above, which are reordered; NAN: there are
 * none.
 */
double figure_dots_quantile(double *numbers, size_t n, double share);

/* What becomes of the numbers of a feature on its axis: places of names, or themselves. */
struct figure_places {
	double *numbers; /* [n] that the names are of, ascending; NULL: they are themselves */
	size_t n;
};

/* Set title, unit and labels of @axis for the feature. */
struct figure_places figure_places_init(struct drawing *drawing, unsigned feature,
					struct figure_axis *axis);
void figure_places_deinit(struct figure_places *places);
/* The place of @number, which is one of the feature's; and the number at a place. */
double figure_places_place(const struct figure_places *places, double number);
double figure_places_number(const struct figure_places *places, double place);

/* "call" or "calls". */
const char *figure_dots_calls_word(size_t n);

enum draw_curve {
	DRAW_EXPECTED, /* the mean and the interval */
	DRAW_LEFT,     /* the interval around 0 */
};

/* The models over one feature. */
struct figure_models {
	unsigned feature; /* of the study; STUDY_NONE: none */
	unsigned own;     /* the same, of the annotation */
	const struct figure_places *places;
	/* [n_cases * n_features] what the annotation's other features are; NAN: not used */
	double *held;
	double *low, *high; /* [n_cases] the place where the points of a case begin and end */
};

void figure_models_init(struct figure_models *models, const struct drawing *drawing,
			unsigned feature, const struct figure_places *places);
void figure_models_deinit(struct figure_models *models);
/* Curves go as far as these points do. */
void figure_models_reach(struct figure_models *models, const struct study *study,
			 const struct figure_dots *dots);
/* Say what is held fixed. */
void figure_models_say(struct drawing *drawing, const struct figure_models *models);
/* Add the bands or the curves of all models, as far as the figure's axes show them. */
void figure_models_bands(struct drawing *drawing, const struct figure_models *models,
			 enum draw_curve what);
void figure_models_curves(struct drawing *drawing, const struct figure_models *models,
			  enum draw_curve what);

/* So many steps a curve has. */
unsigned figure_models_steps(const struct drawing *drawing);
