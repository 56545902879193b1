/* Stands in for variables.c until that exists. */
#include "dwarf/variables.h"

__attribute__((weak)) void variables_thread_local(const struct image *image, uint64_t offset,
						  struct arena *arena, struct location *ret)
{
	(void)image;
	(void)offset;
	(void)arena;
	location_absent(ret, ABSENT_UNSUPPORTED, "a thread-local object, which is not supported");
}
