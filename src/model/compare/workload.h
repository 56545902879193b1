/*
 * Workload: what the calls of two profiles were made with, whatever the function does with it.
 */
#pragma once

#include "model/data/annotated_rows.h"
#include "diff_profiles.h"

/* The mean of @metric in @ret, NAN if there is none; returns how many samples have it. */
size_t workload_mean(const struct samples *samples, enum metric metric, double *ret);

/*
 * Which features of the models of @subject moved, which cases have another part of the calls, and
 * what that alone does to the mean cost by the old model. It describes the calls that were sampled.
 */
void workload_compare(struct diff *diff, struct diff_subject *subject,
		      const struct annotated_rows *old, const struct annotated_rows *new,
		      const struct diff_options *options);

/*
 * A parameter that was always the same in each of the profiles, but not in both, and is in no
 * model: whether it, or the function, made a difference cannot be told. A sentence about it, or
 * NULL.
 */
const char *workload_confounder(struct diff *diff, const struct diff_subject *subject,
				const struct samples *old, const struct samples *new);
