/*
 * The table of containers: how sizes, first elements and the like are read from types whose names
 * match a pattern.
 *
 * A text: patterns of type names (`*`: anything), one a line, not indented; below them their rows,
 * indented:
 *
 * `WORD = EXPRESSION [if EXPRESSION]`: a number of things; no container has 2^47.
 *
 * `WORD : EXPRESSION [if EXPRESSION]`: any other number, pointer or object.
 *
 * `check EXPRESSION`: else the numbers of the rows below are corrupt.
 *
 * `text EXPRESSION`: it is a string; a pointer to its characters, as many as its first number says.
 *
 * A WORD is a call without arguments (`size()`), or of the object (`std::get<0>()`), a member, `[]`
 * for the container itself, `*` for what it refers to, `[$]` for element number $, or `[-1]` for
 * the last. In the row of `[$]`, `$` is the number, and each `{->next}` stands there so many times.
 * Expressions are those of written_parse.h, in which names are members of the object, and `<0>` in
 * a cast is its first template argument, `<3.0>` the first one of the fourth; elsewhere `<0>` is
 * the first one that is a number. `base<0>::name` is a member of its base `base<0, ...>`. What is
 * behind `if` is 0 where there is nothing to read: the container is empty. `#` starts a comment.
 */
#pragma once

#include "written_parse.h"

enum container_role {
	CONTAINER_VALUE,
	CONTAINER_COUNT,
	CONTAINER_ELEMENT, /* `[$]`: container_table_element() makes a row of it */
	CONTAINER_CHECK,
	CONTAINER_TEXT,
};

struct container_row {
	enum container_role role;
	const char *word; /* NULL: CONTAINER_CHECK, CONTAINER_TEXT */
	const char *text; /* of the value; of CONTAINER_ELEMENT all behind the sign */
	const struct written *value;
	const struct written *guard; /* NULL: none */
};

/* A group of patterns, and their rows. */
struct container_kind {
	const char **patterns;
	size_t n_patterns;
	struct container_row *rows;
	size_t n_rows;
};

struct container_table;

/* The table that fathom has itself. */
struct container_table *container_table_create(void);
void container_table_destroy(struct container_table *table); /* NULL is fine */

/*
 * Add @text, whose kinds come before those that are there. ERR_FORMAT: what is wrong, in which line
 * of @origin.
 */
bool container_table_add(struct container_table *table, const char *text, const char *origin,
			 struct err *err);

/*
 * The first kind behind @after (NULL: of all) that has a pattern of the canonical type name @name
 * (core/cxx_name.h); NULL: none.
 */
const struct container_kind *container_table_find(const struct container_table *table,
						  const char *name,
						  const struct container_kind *after);

/* The row of element @index, by @row of CONTAINER_ELEMENT. False: it is too long an expression. */
bool container_table_element(const struct container_row *row, unsigned index, struct arena *arena,
			     struct container_row *ret);
