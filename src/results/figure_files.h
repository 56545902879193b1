/*
 * Pictures in a folder: of each an SVG, a script for gnuplot with its data, and, where gnuplot is
 * installed, PNG and PDF.
 *
 * Files that were not made by fathom are never overwritten: what is ours begins with a mark, and a
 * PNG or PDF is if the script beside it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/figure/figure.h"

struct figure_files {
	const char *folder; /* borrowed */
	size_t n;           /* pictures that were written */
	/* Why some have no PNG and PDF; told by the caller. */
	bool is_gnuplot_missing;
	size_t n_failed;
	struct err failure; /* the last one's */
};

/* Into @folder, which is made unless it is there. ERR_IO. */
bool figure_files_begin(const char *folder, struct figure_files *ret, struct err *err);

/*
 * Write @figure's files, called @name and what they are. @name as picture_names_give() makes it.
 * ERR_IO; ERR_USAGE: there is a file that is not ours, and nothing was written.
 */
bool figure_files_write(struct figure_files *files, const char *name, const struct figure *figure,
			struct err *err);
