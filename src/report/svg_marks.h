/* Private to report/: a figure's data as SVG elements in a plot area. */
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

/* A series' mark in a legend, 28 px wide and 14 px high, upper left corner at (@x, @y). */
void svg_marks_key(const struct figure_series *series, double x, double y, FILE *out);
