/*
 * Scalars: reading the number that an object is.
 */
#pragma once

#include "dwarf/location/location.h"
#include "type.h"

/* Is it a number that a feature can be: type_is_scalar(), TYPE_INT128 or TYPE_LONG_DOUBLE? */
bool scalar_is(const struct type *type);

/*
 * Append to @at's steps what makes its value of type @type, which is scalar_is(), the top of the
 * stack, and say in @ret what that word is (result and size; the steps stay @at's). Wherever it is:
 * memory, register, value, pieces. False: it cannot be read; @at is LOCATION_ABSENT and says why.
 */
bool scalar_load(const struct type *type, struct location *at, struct arena *arena,
		 struct read_plan *ret);
