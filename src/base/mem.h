/*
 * Heap memory.
 *
 * Running out of memory ends the program (a launched inferior dies with its tracer); sizes that
 * come from outside are bounded by whoever reads them, before memory is asked for.
 */
#pragma once

#include <stddef.h>

/*
 * Heap memory that is never NULL. mem_grow() returns @array (or its larger copy) with room for at
 * least @need elements of @size bytes and updates *@capacity; new elements are zeroed.
 */
void *mem_alloc(size_t size);
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size);

/* Say so and end the program. */
_Noreturn void mem_out_of_memory(void);
