/* Private to plot*.c: what these files share. */
#pragma once

#include "tui/screen/canvas.h"
#include "views.h"

/* The plot that is shown; for the view of a call, the plot below it. */
enum view plot_view_of(const struct explorer *explorer);
struct plot_view *plot_part_of(struct explorer *explorer);
bool plot_same_part(const struct plot_view *a, const struct plot_view *b);

/* The look of a series; a letter if there are several groups. */
struct ink plot_ink(const struct figure_series *series, bool has_groups);
bool plot_has_groups(const struct figure *figure);
/* The x of point @i of @series. Points of one category are spread, so that none hides another. */
double plot_place_x(const struct figure *figure, const struct figure_series *series, size_t i);

void plot_draw_series(const struct opened_study *opened, const struct figure *figure,
		      struct canvas *canvas);
/* Draw the group's letter at the end of each curve, if there are several groups. */
void plot_draw_letters(const struct opened_study *opened, const struct figure *figure,
		       struct pane region);

/* Draw axes, titles, legend and caption; returns the place inside the axes. */
struct pane plot_draw_axes(const struct figure *figure, struct pane region);

/* The cursor's place, in parts of the axes; unchanged if it is outside the picture. */
bool plot_cursor_place(const struct explorer *explorer, const struct figure *figure, double *x,
		       double *y);
void plot_draw_cursor(const struct explorer *explorer, const struct figure *figure,
		      struct pane region);
