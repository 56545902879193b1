/*
 * Chooses which of the functions that match a pattern are meant.
 */
#pragma once

#include "base/text.h"
#include "function_search.h"

enum choice {
	CHOICE_NOTHING,
	CHOICE_DECLARED, /* only declared here; nothing chosen yet */
	CHOICE_FOUND,
};

/*
 * Choose the functions that @pattern (NULL: every function) means. A name prefers functions with
 * code to inlined ones, and those to dropped ones. Errors: ERR_USAGE (a name that matches several
 * functions; they are listed).
 */
bool pattern_resolve(struct function_search *search, const struct pattern *pattern,
		     enum choice *ret, struct err *err);

/* Choose among functions that are only declared. */
void pattern_resolve_declared(struct function_search *search, const struct pattern *pattern);

/* Names to list in an error, of which the first are shown. All zero is the empty list. */
struct choice_list {
	struct text text;
	size_t n;
};

/* Add @name without a clone's suffix, after @file if not NULL. */
void pattern_resolve_list_add(struct choice_list *list, const char *file, const char *name);

/* Fail with ERR_USAGE: @pattern matches all functions of @list. Empties @list. */
bool pattern_resolve_list_fail(struct choice_list *list, const struct pattern *pattern,
			       struct err *err);
