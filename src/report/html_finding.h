/* Private to report/: a finding as a section of a page. */
#pragma once

#include "base/err.h"
#include "core/figure/figure.h"
#include "core/verdict/findings.h"

/* Its line in the contents; its section, number @number: its text, and curves before and now. */
void html_finding_contents(const struct finding *finding, unsigned number, FILE *out);
bool html_finding_figure(const struct figure *figure, const char *text, unsigned number, FILE *out,
			 struct err *err);
bool html_finding_section(const struct finding *finding, unsigned number, FILE *out,
			  struct err *err);
