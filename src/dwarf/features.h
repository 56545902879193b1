/*
 * Features: what can be read at a function's probe address, starting from its parameters.
 */
#ifndef FATHOM_DWARF_FEATURES_H
#define FATHOM_DWARF_FEATURES_H

#include "dwarf/build.h"
#include "dwarf/classes.h"
#include "dwarf/definition.h"
#include "dwarf/frame.h"
#include "dwarf/variables.h"

struct feature_limits {
	unsigned max_depth;
	size_t max_features;
	enum globals globals;
};

/* What is known of the image, kept from function to function. */
struct feature_sources {
	const struct image *image;
	struct variables *variables;
	struct classes *classes;
	struct definitions *definitions;
};

/*
 * Fill in the features of @ret, breadth first: parameters in their order, then what is one step
 * away from them, and so on. A step is a member or a dereference; `p->m` is one step, the length of
 * a string is one. References, base classes and anonymous structures cost none. A parameter that
 * yields nothing is a feature without a plan that says why.
 */
void features_find(Dwarf_Die *die, const struct frame *frame, const struct feature_sources *sources,
		   const struct feature_limits *limits, struct arena *arena, struct function *ret);

/* Fill in the features of @ret, a function that only the symbol table knows. */
void features_bare(struct arena *arena, struct function *ret);

#endif
