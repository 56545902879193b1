/* Formulas of the annotation language. Private to annotation_parse.c. */
#pragma once

#include "scan.h"

/* Parse a formula over the features of @annotation. Errors: as scan_fail(). */
bool formula_parse(struct scanner *scanner, const struct annotation *annotation,
		   struct formula *ret);
