/* Whose a change is: of what a function calls directly, if that was compared, too, or its own. */
#pragma once

#include "diff.h"

/* Say that @caller's code calls @callee: of those that are being compared. */
void diff_callees_add(struct diff *diff, const char *caller, const char *callee);

/* For each subject that changed, when verdicts are decided. */
void diff_callees_find(struct diff *diff);

/* Print a line, if something can be said. */
void diff_callees_print(const struct diff_subject *subject, FILE *out);
