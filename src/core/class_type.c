/* Numbers of classes: a hash of the name, so that every run and build agrees. */
#include "class_type.h"

/* FNV-1a, folded to 52 bits. */
uint64_t class_type_number(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return (hash ^ hash >> 52) & ((UINT64_C(1) << 52) - 1);
}
