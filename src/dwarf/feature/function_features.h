/*
 * What features of functions are made with, and their limits.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/class/classes.h"
#include "dwarf/type/type_definitions.h"
#include "dwarf/location/frame_base.h"
#include "interned.h"
#include "variables.h"

struct container_table;

/* Of what limits leave out so much is named, as features without a plan. */
enum { LEFT_OUT_NAMED_MAX = 16 };

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
	bool names_left_out;                      /* is what they leave out named? */
	bool strings;                             /* are short ones features? */
	bool shows_objects;                       /* is it found what containers have in them? */
	const struct container_table *containers; /* NULL: only members are features */
	/* Of a block, its first line: local variables declared before are features. 0: none are. */
	unsigned locals_line;
	const char **why; /* [n_required], out: why it is no feature; NULL: it is, or not wanted */
};

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
