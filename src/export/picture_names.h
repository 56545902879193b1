/*
 * Unique file names for models in a folder.
 */
#pragma once

struct picture_names;

struct picture_names *picture_names_create(void);
void picture_names_destroy(struct picture_names *names); /* NULL is fine */

/*
 * A name for the function and metric, unique even if case is ignored: "std_list_int_sort.time".
 * Letters, digits and "_+-." only, the first a letter, digit or "_"; at most 100 bytes. Owned by
 * @names.
 */
const char *picture_names_give(struct picture_names *names, const char *function,
			       const char *metric);
