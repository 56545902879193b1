/*
 * Types as C writes them, for people.
 */
#pragma once

#include "type.h"
#include "type_names.h"

/* "struct node *", "int [4]": @type with @pointers asterisks more; in @arena. */
const char *type_text_name(struct type_names *names, const struct type *type, unsigned pointers,
			   struct arena *arena);

/* The same with what it consists of: members, enumerators; "struct node {\n    int n;\n} *". */
const char *type_text_definition(struct type_names *names, const struct type *type,
				 unsigned pointers, struct arena *arena);
