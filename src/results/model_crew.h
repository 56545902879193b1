/*
 * Models of several functions at once, a thread for each processor.
 *
 * Functions do not depend on each other, and models on nothing but their samples: so the number of
 * threads changes no annotation. The caller is one of them; the others end with
 * model_crew_finish(). Models that the profile keeps are not made again, and new ones are kept.
 */
#pragma once

#include <stddef.h>

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "cli/options.h"
#include "profile/profile.h"

struct model_crew;

/* What is to be modelled: @metrics (bits) of the function @key of @profile, both borrowed. */
struct model_task {
	struct profile *profile;
	const char *key;
	struct samples *samples;
	uint64_t metrics;
};

/* The models of one function, and what they were made from: the receiver's. */
struct modelled {
	struct samples *samples;
	struct annotation *annotations[METRIC_COUNT];
	size_t n; /* 0 also if its turn did not come before an interrupt */
};

typedef void model_crew_receive(void *self, struct modelled *modelled);

/*
 * Borrows @options. @receive is called by the thread that adds and finishes, in the
 * order in which functions were added.
 */
struct model_crew *model_crew_create(const struct options *options, model_crew_receive *receive,
				     void *self);

/*
 * Takes the samples of @task, to be modelled. Helps while what is loaded is more than
 * memory is meant for, or as many functions wait as there are threads.
 */
void model_crew_add(struct model_crew *crew, const struct model_task *task);

/* Helps, waits for all, and ends the crew. */
void model_crew_finish(struct model_crew *crew);
