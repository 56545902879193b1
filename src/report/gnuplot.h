/*
 * Figures for gnuplot: a script and its data file, which users can restyle for a paper. Names are
 * quoted so that gnuplot reads no code or markup in them.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/figure.h"

/* First line of both files. */
#define GNUPLOT_MARK "# made by fathom"

/*
 * The data: a block for each series, in the figure's order, separated by two empty lines. ERR_IO.
 */
bool gnuplot_data(const struct figure *figure, FILE *out, struct err *err);

/*
 * The script. @data names the data file in it, and does not begin with '<'. It draws to the
 * terminal and output set before, or else shows a window. ERR_IO.
 */
bool gnuplot_script(const struct figure *figure, const char *data, FILE *out, struct err *err);
