/*
 * Private to report/: what a figure shows of its data, as elements of SVG in a plot area of so many
 * px.
 */
#pragma once

#include <stdio.h>

#include "core/figure/figure.h"

struct svg_area {
	double width, height;
};

/* Coordinates in the area, from its upper left corner. */
double svg_marks_x(const struct svg_area *area, const struct figure_axis *axis, double number);
double svg_marks_y(const struct svg_area *area, const struct figure_axis *axis, double number);

/* One series. */
void svg_marks_print(const struct svg_area *area, const struct figure *figure,
		     const struct figure_series *series, FILE *out);

/*
 * What stands for a series in a legend, in a field 28 px wide and 14 px high with its upper left
 * corner there.
 */
void svg_marks_key(const struct figure_series *series, double x, double y, FILE *out);
