/*
 * What containers have in them, as text: `{size 3: 1, 2, 3}`, from the values of their sizes and
 * first elements.
 */
#pragma once

#include "core/verdict/stack.h"

/*
 * Set `text` of those of @values [n] that are sizes of containers, whose `object` is set, and mark
 * what it says `is_part`. Texts live in @arena.
 */
void shown_objects_write(struct stack_value *values, size_t n, struct arena *arena);
