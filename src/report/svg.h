/*
 * Figures as SVG: one element <svg>, no scripts, no fonts of its own, colours by classes so that a
 * page may restyle them for dark and for paper. Groups differ in shapes and dashes, too. All text
 * is escaped; what is no character of XML is made visible.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/figure.h"

struct svg_options {
	unsigned width,
		/*
		 * in px; 0: 720, 440. The legend and the caption, if any, come below, and add to
		 * the height.
		 */
		height;
	/* in an HTML page: without declaration and styles, which the page has (figure.css) */
	bool is_embedded;
};

/* ERR_IO if @out cannot be written. */
bool svg_figure(const struct figure *figure, const struct svg_options *options, FILE *out,
		struct err *err);
