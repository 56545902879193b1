/*
 * Expressions that users write for features, as trees: C's, without assignments, floating
 * constants, `&&`, `||`, `?:`, and calls but those of containers (items.size()). What the names
 * mean is decided in each function (written_feature.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { WRITTEN_LENGTH_MAX = 400, WRITTEN_DEPTH_MAX = 32 };

enum written_kind {
	WRITTEN_NUMBER,
	WRITTEN_NAME,   /* `text`: n, ns::n, 'file.c'::n, this, return, $rip */
	WRITTEN_MEMBER, /* left.text */
	WRITTEN_ARROW,  /* left->text */
	WRITTEN_INDEX,  /* left[right] */
	WRITTEN_CAST,   /* (text with `pointers` asterisks)left */
	WRITTEN_STRLEN, /* strlen(left) */
	WRITTEN_SIZEOF, /* sizeof(text with `pointers` asterisks) */
	/* left.text, of a container: text is "size()" or "std::get<0>()"; left NULL: of its own */
	WRITTEN_CALL,
	WRITTEN_ARGUMENT, /* text, "<1>": a number among the template arguments of a container */
	WRITTEN_DEREFERENCE,
	WRITTEN_ADDRESS,
	WRITTEN_MINUS, /* of one operand */
	WRITTEN_PLUS,
	WRITTEN_COMPLEMENT,
	WRITTEN_NOT,
	/* Of two operands, left and right. */
	WRITTEN_MULTIPLY,
	WRITTEN_DIVIDE,
	WRITTEN_REMAINDER,
	WRITTEN_ADD,
	WRITTEN_SUBTRACT,
	WRITTEN_SHIFT_LEFT,
	WRITTEN_SHIFT_RIGHT,
	WRITTEN_LESS,
	WRITTEN_GREATER,
	WRITTEN_LESS_EQUAL,
	WRITTEN_GREATER_EQUAL,
	WRITTEN_EQUAL,
	WRITTEN_UNEQUAL,
	WRITTEN_AND,
	WRITTEN_XOR,
	WRITTEN_OR,
};

struct written {
	enum written_kind kind;
	const char *text;
	unsigned pointers;
	uint64_t number;
	unsigned size; /* of a number's type in C: 4 or 8 bytes */
	bool is_signed;
	const struct written *left, *right;
};

/*
 * Parse @text into *@ret, and set *@ret_canonical (NULL: not wanted) to it with the blanks that
 * features have; both live in @arena. ERR_FORMAT: what is wrong.
 */
bool written_parse(const char *text, struct arena *arena, const struct written **ret,
		   const char **ret_canonical, struct err *err);
