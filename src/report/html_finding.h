/* Private to report/: a finding as a section of a page. */
#pragma once

#include "base/err.h"
#include "core/verdict/finding.h"

/* Its line in the contents; and its section, number @number: curves before and now, and its text. */
void html_finding_contents(const struct finding *finding, unsigned number, FILE *out);
bool html_finding_section(const struct finding *finding, unsigned number, FILE *out,
			  struct err *err);
