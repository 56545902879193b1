/*
 * Compiles written expressions, and reads containers, whose table has such expressions.
 */
#pragma once

#include "container_table.h"
#include "written_value.h"

/* The value of @tree. False: there is none, and @maker's `why` says why. */
bool written_compile(struct written_maker *maker, const struct written *tree,
		     struct written_value *ret);

/* The first kind of container behind @after (NULL: of all) that @value's type is; NULL: none. */
const struct container_kind *written_compile_kind(struct written_maker *maker,
						  const struct written_value *value,
						  const struct container_kind *after);

/*
 * Replace a container of @kind by what @row says. False: its type does not have what the row names.
 */
bool written_compile_row(struct written_maker *maker, const struct container_kind *kind,
			 const struct container_row *row, struct written_value *value);

/* Element number @index of a container by one of the rows of its kinds. False: it has none. */
bool written_compile_element(struct written_maker *maker, const struct written *index,
			     struct written_value *value);
