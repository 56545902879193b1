/* Private to report/: what a page says of one study. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/study.h"

/* Its line in the contents, with a link to section @number. */
void html_study_contents(const struct study *study, unsigned number, FILE *out);

/* ERR_IO if @out cannot be written. */
bool html_study_section(const struct study *study, unsigned number, FILE *out, struct err *err);
