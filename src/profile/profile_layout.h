/* What runs of a profile differ by as a whole: layouts, machines, kernels, builds. */
#pragma once

#include "core/run.h"
#include "core/samples/samples.h"
#include "db.h"

/* Store the layout of @run, if it is known, within the caller's transaction. */
bool profile_layout_store(struct profile *profile, int64_t run, const struct run_layout *layout,
			  struct err *err);

/*
 * Set the builds of the rows' keys, and add a derived feature for what differs between runs: the
 * places of their parts ("layout.stack"), and "system.host", "system.cpu" and "system.kernel".
 */
bool profile_layout_load(struct profile *profile, struct samples *samples, struct err *err);

/* Add host, processor and kernel also where all runs had the same: annotations may name them. */
bool profile_layout_add_texts(struct profile *profile, struct samples *samples, struct err *err);

/* Take these features out again, where what runs differ by is chance. */
void profile_layout_forget(struct samples *samples);
