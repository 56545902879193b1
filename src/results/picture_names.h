/*
 * Names of pictures: what a model's files are called in a folder.
 */
#pragma once

struct picture_names; /* those that were given */

struct picture_names *picture_names_create(void);
void picture_names_destroy(struct picture_names *names); /* NULL is fine */

/*
 * A name for the function and metric that no other got, however upper and lower case are taken:
 * "std_list_int_sort.time". It has letters, digits and "_+-." only, begins with a letter, a digit
 * or "_", and has at most 100 bytes. It lives as long as @names.
 */
const char *picture_names_give(struct picture_names *names, const char *function,
			       const char *metric);
