/* Formulas of the annotation language. Private to core/. */
#ifndef FATHOM_CORE_FORMULA_PARSE_H
#define FATHOM_CORE_FORMULA_PARSE_H

#include "core/annotation_scan.h"

/* The formula that stands there, in which the features of @annotation may occur. */
bool formula_parse(struct scanner *scanner, const struct annotation *annotation,
		   struct formula *ret);

#endif
