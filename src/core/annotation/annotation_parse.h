/*
 * Reading the annotation language back: every file that annotation_print() writes, and what people
 * write.
 *
 * A name, expression, enumerator or class that would not be read to its end as it stands is a
 * string: in double quotes, with the escapes \" \\ \n \t and \xHH (quote.h). A function before '.'
 * and behind '@', a feature's expression, a value in a scope, an alias, a file and a note may each
 * be one; "7" is the enumerator 7, not the number.
 *
 * What printing writes as comments (ranges, support, notes) is understood where it has that form;
 * other comments become notes of their annotation.
 */
#pragma once

#include "base/err.h"
#include "annotation.h"

struct annotation_list {
	struct annotation **list; /* owned */
	size_t n, capacity;
};

/*
 * The annotations in @text, which has @n bytes and may hold anything. ERR_FORMAT: with line, column
 * (in characters) and what was expected. @ret is added to; on failure it is as before.
 */
bool annotation_parse(const char *text, size_t n, struct annotation_list *ret, struct err *err);

void annotation_parse_deinit(struct annotation_list *list);
