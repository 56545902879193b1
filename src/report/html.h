/*
 * A report as one self-contained HTML page: no network or other files; one script, one style sheet,
 * and a policy that allows nothing else.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/call_graph.h"
#include "core/figure/figure.h"
#include "core/verdict/findings.h"

/* How the samples were measured: a line of name and text. Name NULL: a heading. */
struct html_fact {
	const char *name, *text;
};

struct html_report;

/*
 * Begin a page on @out. Sections go to a temporary file until the contents are known, so memory
 * holds about one function. html_end() returns errors of writing. @title and @facts are copied.
 */
struct html_report *html_begin(const char *title, const struct html_fact *facts, size_t n_facts,
			       FILE *out);

/*
 * Who calls whom, before the first study: the page opens on a picture of it, and sliders predict
 * callers, too. Borrowed until html_end().
 */
void html_calls(struct html_report *report, const struct call_graph *graph);

/* Add the section of a function's metric: annotation, figures, tree, features, notes. */
void html_study(struct html_report *report, const struct study *study);

/* Add the section of a finding: what it says, curves and annotations before and now. */
void html_finding(struct html_report *report, const struct finding *finding);

/* Add a section called after @figure, with @text and it. */
void html_figure(struct html_report *report, const struct figure *figure, const char *text);

/* ERR_IO. Takes @report. */
bool html_end(struct html_report *report, struct err *err);
