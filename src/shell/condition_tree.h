/* The syntax tree of a condition. Private to condition*.c. */
#pragma once

#include "condition.h"

enum condition_operator {
	CONDITION_NUMBER,
	CONDITION_NAME,
	CONDITION_DEFINED, /* of a name */
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

/* The dimension of a number. */
enum condition_dimension { CONDITION_ANYTHING, CONDITION_TIME, CONDITION_BYTES, CONDITION_COUNT };

struct condition_node {
	enum condition_operator op;
	enum condition_dimension dimension;
	double number;                             /* CONDITION_NUMBER */
	struct condition_name name;                /* CONDITION_NAME, while parsing */
	size_t index;                              /* CONDITION_NAME: into `names` */
	const struct condition_node *left, *right; /* unary: left */
};

struct call_condition {
	const struct condition_node *root;
	const struct condition_name *names;
	size_t n_names;
};
