/*
 * Models that were made of a profile's samples, and are kept there; what they are made of is the
 * caller's affair. A profile of an older version has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/metric.h"
#include "profile.h"

/* A model that is kept, or asked for; texts without line ends. */
struct profile_model {
	const char *function; /* its key in the profile */
	enum metric metric;
	const char *options; /* one model is kept for each function, metric and text of these */
	const char *samples; /* by which those that it was made from are known */
	const char *maker;
	const char *bytes; /* what it is; in the profile's memory after profile_find_model() */
	size_t size;
};

/* Set the bytes of @model; NULL: none like it is kept. ERR_IO, ERR_FORMAT. */
bool profile_find_model(struct profile *profile, struct profile_model *model, struct err *err);

/*
 * Keep @models in place of those of the same function and metric that have the same options, or
 * were made of other samples or by another maker: all or none. Also where @profile is open for
 * reading, if its file can be written and nobody else does. ERR_IO.
 */
bool profile_keep_models(struct profile *profile, const struct profile_model *models, size_t n,
			 struct err *err);
