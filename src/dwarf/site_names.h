/*
 * Sites that allocate, by name: "parse.c:88", the line of the call; of code without lines, the name
 * of its file. Debug information is opened when the first site of a module is asked for.
 */
#pragma once

#include "core/catalogue/catalogue.h"

struct site_names;

/* All are borrowed; debuginfo_path as of struct catalogue_request. */
struct site_names *site_names_create(const struct catalogue *catalogue, const char *debuginfo_path);
void site_names_destroy(struct site_names *names); /* NULL is fine */

/*
 * The site before the link-time address @addr, to which its call returns. Each name is returned by
 * one pointer only, which lasts as long as @names.
 */
const char *site_names_find(struct site_names *names, unsigned module, uint64_t addr);
