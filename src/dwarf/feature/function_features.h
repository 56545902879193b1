/*
 * Features: what can be read at a function's probe address and when it returns.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/class/classes.h"
#include "dwarf/type/type_definitions.h"
#include "dwarf/location/frame_base.h"
#include "interned.h"
#include "variables.h"

struct feature_limits {
	unsigned max_depth;
	size_t max_features; /* those without a plan and those of the system are not counted */
	enum globals globals;
	/* Expressions of features that the limits do not hold for, and the way to them. */
	const char *const *wished;
	size_t n_wished;
};

/*
 * What is known of the image, kept from function to function. Without debug information all but the
 * image is NULL.
 */
struct function_features {
	const struct elf_file *image;
	struct interned *interned; /* what features are made of, in the arena that they live in */
	struct variables *variables;
	struct classes *classes;
	struct type_definitions *definitions;
	struct type_names *names; /* that both share */
};

/*
 * Of @image, the module with that index in a catalogue that has so many casts already; features
 * live in
 * @arena.
 */
void function_features_init(const struct elf_file *image, unsigned module, unsigned n_casts,
			    struct arena *arena, struct function_features *ret);
void function_features_deinit(struct function_features *sources); /* all zero is fine */

/*
 * Fill in the features of @ret: what is reached from parameters, then from what the function
 * returns, then from globals, and last what the system says. Each of them breadth first: the
 * variables in their order, then what is one step away from them, and so on. A step is a member, an
 * element or a dereference; `p->m` is one step, the length of a string and the sum of an array are
 * one. References, base classes and anonymous structures cost none.
 *
 * What cannot be read is a feature without a plan that says why: a variable that yields nothing, a
 * member or an array. @ret's counts of features cut and places too deep, and of local variables,
 * are filled in too.
 */
void function_features_find(Dwarf_Die *die, const struct frame_base *frame,
			    const struct function_features *sources,
			    const struct feature_limits *limits, struct arena *arena,
			    struct function *ret);

/*
 * The features of a function of which nothing but its symbol is known: the registers that arguments
 * are passed in, and what the system says.
 */
void function_features_bare(struct arena *arena, struct function *ret);
