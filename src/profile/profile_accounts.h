/*
 * The measurement's account of itself, in a profile: what there is to know of samples beside their
 * rows.
 */
#pragma once

#include "core/run.h"
#include "core/samples/samples.h"
#include "db.h"

/* What was found before the run begins, or is known at its end, within the caller's transaction. */
bool profile_accounts_calibration(struct profile *profile, int64_t run,
				  const struct calibration *calibration, struct err *err);

/*
 * Fill in how many calls of @function, of which @n_rows are stored, were seen; and the resolution.
 */
bool profile_accounts_load(struct profile *profile, int64_t function, size_t n_rows,
			   struct samples *samples, struct err *err);
