/*
 * Expressions in the middle of functions, compiled so that their values can be shown.
 */
#pragma once

#include "core/catalogue/shown.h"
#include "dwarf/feature/function_features.h"

/* A place of the code. */
struct written_place {
	Dwarf_Die function; /* the innermost there, or one that it is inlined in */
	uint64_t addr;
	const struct frame_base *frame;
	const struct function_features *sources;
	const struct feature_limits *limits;
};

/*
 * Compile @expression at @place; *@ret is in @arena. ERR_FORMAT: it is no expression.
 * ERR_NOT_FOUND: it has no value there; the text says why.
 */
bool written_shown_make(const struct written_place *place, const char *expression,
			struct arena *arena, struct shown *ret, struct err *err);

/* What the type of the expression, or the type, @text consists of, as of type_text_definition(). */
bool written_shown_type(const struct written_place *place, const char *text, struct arena *arena,
			const char **ret, struct err *err);

/*
 * The names of the function's parameters, or of the local variables that are visible at @place, the
 * innermost of a name; *@ret in @arena. Returns their number.
 */
size_t written_shown_names(const struct written_place *place, bool parameters, struct arena *arena,
			   const char *const **ret);
