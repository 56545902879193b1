/*
 * Expressions and types at call sites, for people who look at frames.
 */
#pragma once

#include "call_sites.h"
#include "core/catalogue/shown.h"

/* A place of the site at the link-time address @addr, by its index. */
struct call_spot {
	struct call_sites *sites;
	uint64_t addr;
	size_t place;
};

/*
 * Compile @expression, C's terms of what is visible there; *@ret is in @arena. ERR_FORMAT: it is no
 * expression. ERR_NOT_FOUND: it has no value there; the text says why.
 */
bool call_shown_make(const struct call_spot *spot, const char *expression, struct arena *arena,
		     struct shown *ret, struct err *err);

/* What the type of an expression, or a type, consists of; in @arena. Errors as above. */
bool call_shown_type(const struct call_spot *spot, const char *text, struct arena *arena,
		     const char **ret, struct err *err);

/* The names of parameters, or of visible local variables, in @arena. Returns their number. */
size_t call_shown_names(const struct call_spot *spot, bool parameters, struct arena *arena,
			const char *const **ret);
