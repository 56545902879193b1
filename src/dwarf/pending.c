/* Stands in for the files that are still to come. */
#include "dwarf/features.h"

void features_bare(struct arena *arena, struct function *ret)
{
	(void)arena;
	(void)ret;
}

struct variables *variables_create(const struct image *image, struct arena *arena)
{
	(void)image;
	(void)arena;
	return NULL;
}

void variables_destroy(struct variables *variables)
{
	(void)variables;
}

struct classes *classes_create(const struct image *image, unsigned module, unsigned first_cast,
			       struct arena *arena)
{
	(void)image;
	(void)module;
	(void)first_cast;
	(void)arena;
	return NULL;
}

void classes_destroy(struct classes *classes)
{
	(void)classes;
}

void classes_publish(struct classes *classes, struct catalogue *catalogue)
{
	(void)classes;
	(void)catalogue;
}

struct definitions *definitions_create(const struct image *image)
{
	(void)image;
	return NULL;
}

void definitions_destroy(struct definitions *definitions)
{
	(void)definitions;
}
