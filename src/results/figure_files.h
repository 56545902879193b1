/*
 * Pictures in a folder: of each an SVG, a gnuplot script with its data, and, if gnuplot is
 * installed, PNG and PDF.
 *
 * Files that fathom did not make are never overwritten: ours begin with a mark; a PNG or PDF is
 * ours if its script is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/figure/figure.h"

struct figure_files {
	const char *folder; /* borrowed */
	size_t n;           /* pictures written */
	/* Why some have no PNG and PDF, for the caller to report. */
	bool is_gnuplot_missing;
	size_t n_failed;
	struct err failure; /* the last one */
};

/* Creates @folder unless it exists. ERR_IO. */
bool figure_files_begin(const char *folder, struct figure_files *ret, struct err *err);

/*
 * Write @figure's files: @name, from picture_names_give(), with extensions. ERR_IO; ERR_USAGE: one
 * exists and is not ours, and nothing was written.
 */
bool figure_files_write(struct figure_files *files, const char *name, const struct figure *figure,
			struct err *err);

/* May the picture @path be written? ERR_USAGE: it is there, and not ours. */
bool figure_files_check(const char *path, struct err *err);
