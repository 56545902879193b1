/*
 * Canvases: points, curves, bars and edges of bands in dots, eight a cell with Braille, one with
 * ASCII. Places are parts of the width and height, from the lower left corner; what is outside 0 to
 * 1 is not drawn.
 *
 * In a cell points win over curves, curves over bars, bars over edges. So a curve never hides a
 * point, however well it fits.
 */
#pragma once

#include "screen.h"

struct ink {
	enum style style;
	char letter; /* of the group */
};

struct canvas_cell;

struct canvas {
	struct pane region;
	struct canvas_cell *cells;
	bool with_letters; /* draw points as their group's letter */
};

void canvas_init(struct canvas *canvas, struct pane region, bool with_letters);
void canvas_deinit(struct canvas *canvas);

void canvas_point(struct canvas *canvas, double x, double y, struct ink ink);
/* From (x[0], y[0]) to (x[1], y[1]). */
void canvas_line(struct canvas *canvas, const double x[2], const double y[2], struct ink ink);
/* The same for the edge of a band. */
void canvas_edge(struct canvas *canvas, const double x[2], const double y[2]);
/* From the bottom to @y, over [x[0], x[1]]. */
void canvas_bar(struct canvas *canvas, const double x[2], double y, struct ink ink);

/* Draw all of it on the screen. */
void canvas_paint(const struct canvas *canvas);
