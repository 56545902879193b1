/*
 * Models that the profile keeps: used where they were made by this very build of fathom, from the
 * same samples, with the same options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "model/metric_models.h"
#include "profile/profile.h"

/* Models of @metrics (bits) of one function, by all that they depend on. */
struct kept_models {
	const char *function; /* its key in the profile; borrowed */
	uint64_t metrics;
	char samples[17];
	char *options; /* owned */
};

/* @samples are as they will be modelled. */
void kept_models_init(struct kept_models *kept, const char *function, const struct samples *samples,
		      uint64_t metrics, const struct model_options *options);
void kept_models_deinit(struct kept_models *kept);

/* As metric_models_build(). 0: not all of them are kept, or @profile cannot be read. */
size_t kept_models_find(const struct kept_models *kept, struct profile *profile,
			struct annotation **ret);

/* Keeps @annotations in @profile, if its file can be written; failures are no loss. */
void kept_models_keep(const struct kept_models *kept, struct profile *profile,
		      struct annotation *const *annotations, size_t n);

/*
 * Models of @samples, of the function @key: those that are kept, or new ones. As
 * metric_models_build().
 */
size_t kept_models_build(struct profile *profile, const char *key, const struct samples *samples,
			 uint64_t metrics, const struct model_options *options,
			 struct annotation **ret);
