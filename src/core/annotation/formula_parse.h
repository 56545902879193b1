/* Formulas of the annotation language. Private to core/. */
#pragma once

#include "scan.h"

/* The formula that stands there, in which the features of @annotation may occur. */
bool formula_parse(struct scanner *scanner, const struct annotation *annotation,
		   struct formula *ret);
