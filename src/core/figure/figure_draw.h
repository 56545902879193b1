/* What all kinds of figures share while they are made (figure_*.c). Private to core/figure. */
#pragma once

#include <stdio.h>

#include "figure.h"

/* 95 % of the calls are within so many deviations of the mean. */
#define DRAW_DEVIATIONS 1.96

/* A figure being made. */
struct drawing {
	const struct study *study;
	struct figure_options options;
	struct figure *figure;
	struct arena *arena; /* the figure's */
	struct figure_series *series;
	size_t n_groups; /* models of all cases; points of no case are one more group */
	char *text;      /* of the caption */
	size_t text_size;
	FILE *caption;
};

void figure_draw_begin(struct drawing *drawing, const struct study *study,
		       const struct figure_options *options);
struct figure *figure_draw_end(struct drawing *drawing);

/* Add a sentence to the caption. */
void figure_draw_say(struct drawing *drawing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a series; its arrays must live in the figure's arena. */
struct figure_series *figure_draw_series(struct drawing *drawing, enum figure_kind kind,
					 unsigned group);

/* The group of model @model of case @in; n_groups for no case. */
unsigned figure_draw_group(const struct drawing *drawing, unsigned in, unsigned model);
/* The conditions of the case; "calls" if it has none. */
const char *figure_draw_scope(const struct drawing *drawing, unsigned in);
/* What a legend calls the model. */
const char *figure_draw_name(const struct drawing *drawing, unsigned in, unsigned model);

/* The requested ends of an axis; NAN: those of the data. */
struct draw_view {
	bool is_log;
	double low, high;
};

/* Make a view; impossible requests are ignored. */
struct draw_view figure_draw_view(bool is_log, double low, double high);

/* Fit @axis around @numbers[@n], except for the ends that @view requests. */
void figure_draw_span(struct figure_axis *axis, const struct draw_view *view, const double *numbers,
		      size_t n);
/* Set its ends to @low and @high, except for those that @view requests if data remain between. */
void figure_draw_ends(struct figure_axis *axis, const struct draw_view *view, double low,
		      double high);
/* Can @number be on the axis? */
bool figure_draw_has_room(const struct draw_view *view, double number);

/* Points with their coordinates. */
struct figure_dots {
	double *x, *y;
	size_t *points;
	size_t n;
};

struct figure_dots figure_dots_create(size_t most);
void figure_dots_deinit(struct figure_dots *dots);
void figure_dots_add(struct figure_dots *dots, double x, double y, size_t point);

/* Leave out points that no axis can show or that are out of view; the caption says so. */
void figure_dots_choose(struct drawing *drawing, const struct draw_view *x,
			const struct draw_view *y, struct figure_dots *dots);
/* Add a warning to the caption if a few far numbers take most of the axis. */
void figure_dots_warn(struct drawing *drawing, const struct figure_axis *axis,
		      const double *numbers, size_t n);
/* Thin them to `max_points`, and add them as one series per group. */
void figure_dots_draw(struct drawing *drawing, struct figure_dots *dots);

/* The @share quantile of @numbers[@n], which get reordered; NAN: there are none. */
double figure_dots_quantile(double *numbers, size_t n, double share);

/* Maps the values of a feature to its axis: to places of names, or to themselves. */
struct figure_places {
	double *numbers; /* [n] the values with names, ascending; NULL: identity */
	size_t n;
};

/* Set title, unit and labels of @axis for the feature. */
struct figure_places figure_places_init(struct drawing *drawing, unsigned feature,
					struct figure_axis *axis);
void figure_places_deinit(struct figure_places *places);
/* The place of @number, a value of the feature, and the number at a place. */
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
	unsigned own;     /* its index in the annotation */
	const struct figure_places *places;
	/*
	 * [n_cases * n_features] the fixed values of the annotation's other features; NAN: unused
	 */
	double *held;
	double *low, *high; /* [n_cases] the range of the case's points on the axis */
};

void figure_models_init(struct figure_models *models, const struct drawing *drawing,
			unsigned feature, const struct figure_places *places);
void figure_models_deinit(struct figure_models *models);
/* Extend curves as far as these points reach. */
void figure_models_reach(struct figure_models *models, const struct study *study,
			 const struct figure_dots *dots);
/* Add the fixed values to the caption. */
void figure_models_say(struct drawing *drawing, const struct figure_models *models);
/* Add the bands or curves of all models, within the figure's axes. */
void figure_models_bands(struct drawing *drawing, const struct figure_models *models,
			 enum draw_curve what);
void figure_models_curves(struct drawing *drawing, const struct figure_models *models,
			  enum draw_curve what);

/* How many steps a curve has. */
unsigned figure_models_steps(const struct drawing *drawing);
