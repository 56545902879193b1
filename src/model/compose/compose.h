/*
 * Composition: a function's cost as its own part and its callees' costs, `2*n + @sort[s:=n]`.
 *
 * The callees' features are bound to those of the function; its own part, all else, is modelled
 * like any cost. The deviation is that of the whole. Kept is what predicts calls that it was not
 * made from as well as the model that knows nothing of callees. Source: Rogora, Freud (2021),
 * section 3.1.5.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "model/data/model_options.h"

/*
 * All of the callee's calls were kept, or the caller knows of them (inner_calls_are_known()). Its
 * annotation is of the same metric.
 */
struct compose_callee {
	const struct samples *samples;
	const struct annotation *annotation;
};

struct composition {
	struct annotation *annotation; /* the caller's; NULL: none */
	/* "Parts: sort 81 %, own 19 %."; NULL: no callee matters */
	const char *parts;
	const char *why; /* parts have no references; NULL: `parts` says it, or there are none */
};

/* @direct is the annotation of @samples as of any function. Texts are in @arena. */
void compose_function(const struct samples *samples, const struct annotation *direct,
		      const struct compose_callee *callees, size_t n,
		      const struct model_options *options, struct arena *arena,
		      struct composition *ret);
