/* Which functions of a profile annotations are about. */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "core/samples/samples.h"
#include "profile/profile.h"

struct annotated_functions {
	const struct annotation_list *annotations;
	int64_t run; /* only samples of this run; 0: all */
	/* @samples, of the function @key, are of annotation @at. False: @err, and the end. */
	bool (*take)(void *context, size_t at, const char *key, struct samples *samples,
		     struct err *err);
	void *context;
	bool *found; /* [annotations->n] made by _each(): its function is there; the caller frees */
};

/*
 * Call `take` for each function of @profile and each annotation of it: that of its own linkage
 * name, or, if there is none, of another part or clone of its name. Errors of profile_load(), and
 * of `take`.
 */
bool annotated_functions_each(struct annotated_functions *functions, struct profile *profile,
			      struct err *err);

/* The samples of the function @key; @run: only of that run, 0: all. Errors of profile_load(). */
bool annotated_functions_load(struct profile *profile, int64_t run, const char *key,
			      struct samples **ret, struct err *err);
