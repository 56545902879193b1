/*
 * Reading the annotation language: whatever annotation_print() writes, and what people write.
 *
 * A name, expression, enumerator or class that the scanner would not read to its end must be a
 * string: in double quotes, with the escapes \" \\ \n \t and \xHH (string_literal.h). A function
 * before '.' and behind '@', a feature's expression, a value in a scope, an alias, a file and a
 * note may each be one; "7" is the enumerator 7, not the number.
 *
 * Comments in the form of printed ones (ranges, support, notes) are understood; others become notes
 * of their annotation.
 */
#pragma once

#include "base/err.h"
#include "annotation.h"

struct annotation_list {
	struct annotation **list; /* owned */
	size_t n, capacity;
	char **budgets; /* their texts (budget.h), which stand between annotations; owned */
	size_t n_budgets, budgets_capacity;
};

/*
 * Add the annotations in @text (@n arbitrary bytes) to @ret, which is unchanged on failure.
 * ERR_FORMAT: line, column (in characters) and what was expected.
 */
bool annotation_parse(const char *text, size_t n, struct annotation_list *ret, struct err *err);

void annotation_parse_deinit(struct annotation_list *list);
