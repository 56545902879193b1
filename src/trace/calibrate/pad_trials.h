/*
 * What pads cost, from calls of functions that do the same with and without them. All durations are
 * as the pads saw them when nothing was subtracted, in ns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/run.h"

/* A call of an outer function. */
struct pad_trial {
	double ns;
	unsigned records; /* of the calls in it: became records */
	bool drawn;       /* chance left the others out; else all became records, or none */
};

struct pad_trials {
	struct pad_trial *list;
	size_t n, capacity;
};

/* Words of a record, and the calls that a call of an outer function makes. */
struct pad_trials_shape {
	unsigned inner;
	unsigned work_words, rich_words;
	double step_ns; /* of the clock */
};

/*
 * @work: of a function that calls none; @bare: of one that calls its twin without pads; @apart: of
 * one that works between these calls; @outer, @rich: of such ones that call it with pads, with
 * records of so many words. False: too few of one.
 */
bool pad_trials_find(const struct pad_trials_shape *shape, const struct pad_trials *work,
		     const struct pad_trials *bare, const struct pad_trials *apart,
		     const struct pad_trials *outer, const struct pad_trials *rich,
		     struct pad_calibration *ret);

/* Are there as many as it takes, of those in which nothing was recorded? */
bool pad_trials_are_enough(const struct pad_trials *trials);

/* The median of the durations. */
double pad_trials_typical(const struct pad_trials *trials);

void pad_trials_add(struct pad_trials *trials, const struct pad_trial *trial);
void pad_trials_deinit(struct pad_trials *trials);
