/*
 * What a condition is parsed to. Private to condition.c and condition_parse.c.
 */
#pragma once

#include "condition.h"

enum condition_operator {
	CONDITION_NUMBER,
	CONDITION_NAME,
	CONDITION_NEGATE,
	CONDITION_NOT,
	CONDITION_ADD,
	CONDITION_SUBTRACT,
	CONDITION_MULTIPLY,
	CONDITION_DIVIDE,
	CONDITION_LESS,
	CONDITION_LESS_EQUAL,
	CONDITION_GREATER,
	CONDITION_GREATER_EQUAL,
	CONDITION_EQUAL,
	CONDITION_NOT_EQUAL,
	CONDITION_AND,
	CONDITION_OR,
};

/* What a number is one of. */
enum condition_dimension { CONDITION_ANYTHING, CONDITION_TIME, CONDITION_BYTES, CONDITION_COUNT };

struct condition_node {
	enum condition_operator op;
	enum condition_dimension dimension;
	double number;                             /* WATCH_NUMBER */
	struct condition_name name;                /* WATCH_NAME, until all is parsed */
	size_t index;                              /* WATCH_NAME: of the names */
	const struct condition_node *left, *right; /* of one operand: left */
};

struct call_condition {
	const struct condition_node *root;
	const struct condition_name *names;
	size_t n_names;
};
