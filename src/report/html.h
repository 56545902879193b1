/*
 * A report as one self-contained HTML page: no network, no other file, one script and one style
 * sheet in it, a policy that allows nothing else.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/study.h"

/*
 * How it was measured: a line each, name and text. A name of NULL: the text is the heading of those
 * that follow.
 */
struct html_fact {
	const char *name, *text;
};

struct html_report; /* being written */

/*
 * Begin a page on @out. Sections are written as they come, to a temporary file until the contents
 * are known, so a page of many functions needs little more memory than one. Errors of writing are
 * told by html_end(). @title and @facts are copied.
 */
struct html_report *html_begin(const char *title, const struct html_fact *facts, size_t n_facts,
			       FILE *out);

/* The section of a metric of a function: annotation, figures, tree, features, notes. */
void html_study(struct html_report *report, const struct study *study);

/* ERR_IO. Takes @report. */
bool html_end(struct html_report *report, struct err *err);
