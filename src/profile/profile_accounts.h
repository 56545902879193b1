/* Accounts in a profile: what is known of samples beside their rows. */
#pragma once

#include "core/run.h"
#include "core/samples/samples.h"
#include "db.h"

/* Store the calibration, known before the run or at its end, within the caller's transaction. */
bool profile_accounts_calibration(struct profile *profile, int64_t run,
				  const struct calibration *calibration, struct err *err);

/*
 * Set n_calls of @samples (the calls of @function seen; @n_rows are stored), total_us and the
 * resolution.
 */
bool profile_accounts_load(struct profile *profile, int64_t function, size_t n_rows,
			   struct samples *samples, struct err *err);
