/*
 * Figures for gnuplot: a script that draws one from its data file, so that people can restyle it
 * for a paper. Names in the script are quoted such that gnuplot takes nothing in them for code or
 * markup.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/figure.h"

/* What both begin with. */
#define GNUPLOT_MARK "# made by fathom"

/* The data: a block a series, in the figure's order, two empty lines between them. ERR_IO. */
bool gnuplot_data(const struct figure *figure, FILE *out, struct err *err);

/*
 * The script; @data is the data file's name as the script is to name it, and does not begin with
 * '<'. It draws to whatever terminal and output are set before, and shows without. ERR_IO.
 */
bool gnuplot_script(const struct figure *figure, const char *data, FILE *out, struct err *err);
