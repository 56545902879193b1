/*
 * Heap memory. Running out of it ends the program (a launched inferior dies with its tracer), so
 * whoever reads sizes from outside bounds them before allocating.
 */
#pragma once

#include <stddef.h>

/*
 * mem_alloc() never returns NULL; its memory is zeroed. mem_grow() returns @array (or a larger
 * copy) with room for at least @need elements of @size bytes and updates *@capacity; new elements
 * are zeroed.
 */
void *mem_alloc(size_t size);
void *mem_copy(const void *from, size_t n, size_t size); /* n elements; if 0, @from may be NULL */
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size);

/* Report it on stderr and abort. */
_Noreturn void mem_out_of_memory(void);
