/*
 * Features: what can be read at a function's probe address and at its return.
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
	size_t max_features; /* without those that have no plan, and the system's */
	enum globals globals;
	/*
	 * [n_required] expressions of features; the limits do not apply to them, or on the way to
	 * them.
	 */
	const char *const *required;
	size_t n_required;
	const char **why; /* [n_required], out: why it is no feature; NULL: it is, or not wanted */
};

/*
 * Add those of @required [n] that are meant for @function (NULL: it has no name), in their order,
 * to the limits @ret; plain names may match other functions, too. Texts live in @arena.
 */
void function_features_require(const struct required_feature *required, size_t n,
			       const char *function, struct arena *arena,
			       struct feature_limits *ret);

/*
 * What is known of the image, shared by its functions. Without debug information all but the image
 * is NULL.
 */
struct function_features {
	const struct elf_file *image;
	struct interned *interned; /* texts and plans of features, in their arena */
	struct variables *variables;
	struct classes *classes;
	struct type_definitions *definitions;
	struct type_names *names; /* shared by both */
};

/*
 * Init for @image, module @module of a catalogue with @n_casts casts so far; features live in
 * @arena.
 */
void function_features_init(const struct elf_file *image, unsigned module, unsigned n_casts,
			    struct arena *arena, struct function_features *ret);
void function_features_deinit(struct function_features *sources); /* all zero is fine */

/*
 * Set @ret's features: those reached from parameters, then from the return value, then from
 * globals, last the system's. Each group breadth first: the variables in their order, then what is
 * one step away, and so on. A step is a member, an element or a dereference; `p->m` is one step, as
 * are the length of a string and the sum of an array. References, base classes and anonymous
 * structures are free.
 *
 * Required features that these do not have are made from their expressions (written_feature.h).
 *
 * Unreadable variables, members or arrays become features without a plan, with the reason. Also
 * sets @ret's counts of features cut, places too deep, and local variables.
 */
void function_features_find(Dwarf_Die *die, const struct frame_base *frame,
			    const struct function_features *sources,
			    const struct feature_limits *limits, struct arena *arena,
			    struct function *ret);

/* The features of a function known only by its symbol: the argument registers, and the system's. */
void function_features_bare(struct arena *arena, struct function *ret);
