/* Heap memory, and arrays that grow by doubling. Freeing is plain free(). */
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

void mem_out_of_memory(void)
{
	static const char text[] = "fathom: out of memory\n";

	fputs(text, stderr);
	abort();
}

void *mem_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		mem_out_of_memory();
	return memory;
}

void *mem_copy(const void *from, size_t n, size_t size)
{
	void *copy = calloc(size_sum(n, 1), size);

	if (!copy)
		mem_out_of_memory();
	if (n)
		memcpy(copy, from, n * size);
	return copy;
}

void *mem_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : 16;
	char *grown;

	if (need <= *capacity)
		return array;
	while (wanted < need)
		wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
	grown = reallocarray(array, wanted, size);
	if (!grown)
		mem_out_of_memory();
	memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return grown;
}
