/*
 * Whose the change is: of the functions that an annotation refers to, or of its own part.
 */
#pragma once

#include "check.h"

/*
 * Print a line on the parts of @subject, if it does not conform and its annotation refers to
 * others: those that do not either, or that it is its own part's matter.
 */
void check_parts_print(const struct check *check, const struct check_subject *subject, FILE *out);
