/*
 * The names that a written expression may have in a function: its variables, members of its object,
 * globals, enumerators; in the middle of it also local variables and registers ($rip). Private to
 * written_feature.c, written_interpreter.c and written_shown.c.
 */
#pragma once

#include "dwarf/feature/feature_search.h"
#include "written_value.h"

/* The variables of a function, each kind gathered when it is first needed. */
struct written_roots {
	struct feature_search search;  /* its queue has them */
	size_t n_of[PROVENANCE_COUNT]; /* in the order of the queue */
	bool has_own, has_globals, has_all;
};

/* None gathered yet; the caller ends `search` with feature_search_deinit(). */
struct written_roots written_scope_roots(const struct feature_search *finder);

struct written_scope {
	struct written_maker maker;
	struct written_roots *roots;
	bool uses[PROVENANCE_COUNT];
	uint64_t addr; /* in the middle of the function; 0: where a call of it begins */
};

/* `find` of a scope's maker: in the order in which names hide each other. */
bool written_scope_find(struct written_maker *maker, const char *name, struct written_value *ret);
