/*
 * Short names for features: what a formula calls `this->_M_impl._M_node._M_size`.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/*
 * A C identifier for @expression, neither a word of the annotation language nor one of the @n names
 * @taken; lives in @arena.
 */
const char *short_name(struct arena *arena, const char *expression, const char *const *taken,
		       size_t n);
