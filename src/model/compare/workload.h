/* Workload: how the calls of two profiles differ, apart from what the function does with them. */
#pragma once

#include "model/data/annotated_rows.h"
#include "diff_profiles.h"

/* Set *@ret to the mean of @metric, NAN if there is none; returns how many samples have it. */
size_t workload_mean(const struct samples *samples, enum metric metric, double *ret);

/*
 * Describe which features of @subject's models moved, which cases changed their share of the calls,
 * and what that alone does to the mean cost by the old model. Of the sampled calls only.
 */
void workload_compare(struct diff *diff, struct diff_subject *subject,
		      const struct annotated_rows *old, const struct annotated_rows *new,
		      const struct diff_options *options);

/*
 * A sentence about a parameter that is in no model and was constant in each profile, but differs
 * between them: it may explain a difference instead of the function. NULL: none.
 */
const char *workload_confounder(struct diff *diff, const struct diff_subject *subject,
				const struct samples *old, const struct samples *new);
