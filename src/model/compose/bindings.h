/*
 * What a callee's features are in its caller's terms: a constant, a feature of the caller, or that
 * times a number and a constant, in (nearly) all calls. So is how often it is called.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "inner_calls.h"

/* offset + scale * a feature of the caller */
struct affine {
	const struct column *of; /* NULL: the offset alone */
	double scale, offset;
};

enum { REFERENCES_MOST = 4, BOUND_MOST = 8 };

struct bindings {
	struct affine count; /* of references that are alike; else 1 */
	size_t n_features;   /* of the callee's annotation */
	/* The same for all calls, or what each of the calls, in their order, has. */
	struct affine features[REFERENCES_MOST][BOUND_MOST];
	size_t n; /* references */
};

/*
 * Features of @caller that @preferred uses come first, then those that need the fewest steps.
 * NULL: found; else why not, in words, in @arena.
 */
const char *bindings_find(const struct samples *caller, const struct inner_calls *calls,
			  const struct annotation *callee, const struct annotation *preferred,
			  struct arena *arena, struct bindings *ret);
