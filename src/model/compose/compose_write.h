/*
 * Writes references to callees into the annotation of a function's own part.
 */
#pragma once

#include "bindings.h"

struct bound_callee {
	const struct annotation *annotation;
	struct bindings bindings;
};

/*
 * The cases of @own get the terms of @callees, and what grows faster with them; @samples are the
 * function's. Deviations stay as they are. Each case has one model.
 */
void compose_write(struct annotation *own, const struct samples *samples,
		   const struct bound_callee *callees, size_t n);
