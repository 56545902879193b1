/*
 * The pointers that a feature is read through, from its native expression: `p->next->len` is read
 * through `p` and `p->next`, `strlen(*names)` through `names` and `*names`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CHAIN_MAX = 16 };

/* A part of an expression, without parentheses around it. */
struct chain_part {
	const char *text; /* within the expression, not terminated */
	size_t length;
	unsigned depth; /* members, elements and dereferences in it, as struct column counts them */
};

struct pointer_chain {
	struct chain_part pointers[CHAIN_MAX]; /* each is read through those before it */
	size_t n;
	struct chain_part self; /* the expression is `self != 0`; else its length is 0 */
	/*
	 * No other pointers are read through; false with, e.g., run-time classes or virtual bases.
	 */
	bool complete;
};

/*
 * False: the expression was not understood. A string's name counts as a pointer, though it may be
 * an array.
 */
bool pointer_chain_find(const char *expression, struct pointer_chain *ret);
