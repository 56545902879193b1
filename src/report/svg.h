/*
 * Figures as SVG: one element <svg>, without scripts and fonts; colours by classes, which a page
 * may restyle for dark or paper. Groups differ in shapes and dashes, too. All text is escaped,
 * characters that XML forbids made visible.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/figure.h"

struct svg_options {
	unsigned width,
		/* in px; 0: 720, 440. A legend and a caption below add to the height. */
		height;
	/* in an HTML page, which has the declaration and the styles (figure.css) */
	bool is_embedded;
	/* whose points are the figure's, for a page that tells what is pointed at; or NULL */
	const struct study *study;
};

/* ERR_IO. */
bool svg_figure(const struct figure *figure, const struct svg_options *options, FILE *out,
		struct err *err);
