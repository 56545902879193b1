/*
 * What the files of the plots share.
 */
#pragma once

#include "tui/screen/canvas.h"
#include "explorer_state.h"

/* The plot that is shown; of the call's view: that which it was called from. */
enum view plot_view_of(const struct explorer *explorer);
struct plot_view *plot_part_of(struct explorer *explorer);
bool plot_same_part(const struct plot_view *a, const struct plot_view *b);

/* The look of a series; it has a letter where there are several groups. */
struct ink plot_ink(const struct figure_series *series, bool has_groups);
bool plot_has_groups(const struct figure *figure);
/*
 * Where the point @i of @series is on the x axis. Those of a category are spread, as they would
 * hide each other.
 */
double plot_place_x(const struct figure *figure, const struct figure_series *series, size_t i);

void plot_draw_series(const struct opened_study *opened, const struct figure *figure,
		      struct canvas *canvas);
/* Where there are several groups, a letter at the end of each curve. */
void plot_draw_letters(const struct opened_study *opened, const struct figure *figure,
		       struct pane region);

/* Draw the axes, their titles, legend and caption; returns the place inside of the axes. */
struct pane plot_draw_axes(const struct figure *figure, struct pane region);

/* Where the cursor is, in parts of the axes; unchanged if there is none in the picture. */
bool plot_cursor_place(const struct explorer *explorer, const struct figure *figure, double *x,
		       double *y);
void plot_draw_cursor(const struct explorer *explorer, const struct figure *figure,
		      struct pane region);
