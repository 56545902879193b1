/*
 * What a condition is parsed to. Private to watch.c and watch_parse.c.
 */
#ifndef FATHOM_CORE_WATCH_TREE_H
#define FATHOM_CORE_WATCH_TREE_H

#include "core/watch.h"

enum watch_operator {
	WATCH_NUMBER,
	WATCH_NAME,
	WATCH_NEGATE,
	WATCH_NOT,
	WATCH_ADD,
	WATCH_SUBTRACT,
	WATCH_MULTIPLY,
	WATCH_DIVIDE,
	WATCH_LESS,
	WATCH_LESS_EQUAL,
	WATCH_GREATER,
	WATCH_GREATER_EQUAL,
	WATCH_EQUAL,
	WATCH_NOT_EQUAL,
	WATCH_AND,
	WATCH_OR,
};

/* What a number is one of. */
enum watch_dimension { WATCH_ANYTHING, WATCH_TIME, WATCH_BYTES, WATCH_COUNT };

struct watch_node {
	enum watch_operator op;
	enum watch_dimension dimension;
	double number;                         /* WATCH_NUMBER */
	struct watch_name name;                /* WATCH_NAME, until all is parsed */
	size_t index;                          /* WATCH_NAME: of the names */
	const struct watch_node *left, *right; /* of one operand: left */
};

struct watch {
	const struct watch_node *root;
	const struct watch_name *names;
	size_t n_names;
};

#endif
