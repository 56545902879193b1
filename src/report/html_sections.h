/* Private to report/: parts of a page: a study, a finding, the whole program, a model as data. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/annotation/annotation.h"
#include "core/figure/call_graph.h"
#include "core/figure/figure.h"
#include "core/verdict/findings.h"

/* html_study.c */
/* The fastest growth of its models. */
enum growth html_study_growth(const struct annotation *annotation);

/* Its row of the contents, with a link to section @number. @graph: of the whole, or NULL. */
void html_study_contents(const struct study *study, const struct call_graph *graph, unsigned number,
			 FILE *out);

/* ERR_IO if @out cannot be written. */
bool html_study_section(const struct study *study, const struct call_graph *graph, unsigned number,
			FILE *out, struct err *err);

/* html_finding.c */
/* Its line in the contents; its section, number @number: its text, and curves before and now. */
void html_finding_contents(const struct finding *finding, unsigned number, FILE *out);
bool html_finding_figure(const struct figure *figure, const char *text, unsigned number, FILE *out,
			 struct err *err);
bool html_finding_section(const struct finding *finding, unsigned number, FILE *out,
			  struct err *err);

/* html_icicle.c: the whole program, callees below callers, as wide as their time. */
/* What a page has of a function's time; the order of html_study(). */
struct html_function {
	char *name;
	unsigned number;    /* of its section */
	enum growth growth; /* of its fastest model */
};

/* Nothing where no share is known. */
void html_icicle(const struct call_graph *graph, const struct html_function *functions, size_t n,
		 FILE *out);

/* html_model.c */
/*
 * Where sliders of the formula's features appear. Nothing if no formula has one, or if it is one
 * that the script cannot compute.
 */
void html_model(const struct study *study, const struct call_graph *graph, FILE *out);
