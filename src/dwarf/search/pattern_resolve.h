/*
 * Choosing: which of the functions that match a pattern are meant by it.
 */
#pragma once

#include "base/text.h"
#include "function_search.h"

enum choice {
	CHOICE_NOTHING,
	CHOICE_DECLARED, /* it is only declared here; nothing is chosen yet */
	CHOICE_FOUND,
};

/*
 * Choose what @pattern means, NULL: everything. A name means functions with code before inlined
 * ones before dropped ones. Errors: ERR_USAGE (a name of several functions).
 */
bool pattern_resolve(struct function_search *search, const struct pattern *pattern,
		     enum choice *ret, struct err *err);

/* Choose what @pattern means among the functions that are only declared. */
void pattern_resolve_declared(struct function_search *search, const struct pattern *pattern);

/* Names for an error, of which the first are shown. All zero is the empty list. */
struct choice_list {
	struct text text;
	size_t n;
};

/* Add @name, without the suffix of a clone, with @file before it unless that is NULL. */
void pattern_resolve_list_add(struct choice_list *list, const char *file, const char *name);

/* The error of a pattern that names the functions of @list, which is emptied. */
bool pattern_resolve_list_fail(struct choice_list *list, const struct pattern *pattern,
			       struct err *err);
