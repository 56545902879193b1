/*
 * Reads the number that an object is.
 */
#pragma once

#include "dwarf/location/location.h"
#include "type.h"

/* Is it a number that a feature can be: type_is_scalar(), TYPE_INT128 or TYPE_LONG_DOUBLE? */
bool scalar_is(const struct type *type);

/*
 * Append to @at's steps those that leave its value of type @type (scalar_is()) on the stack, and
 * describe that word in @ret (result and size; the steps stay @at's). @at may be memory, register,
 * value or pieces. False: unreadable; @at is LOCATION_ABSENT with the reason.
 */
bool scalar_load(const struct type *type, struct location *at, struct arena *arena,
		 struct read_plan *ret);
