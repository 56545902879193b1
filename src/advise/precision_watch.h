/*
 * How precisely costs are known while a program still runs: a thread of its own, which must not
 * take the program's time, models what the profile has of a run so far.
 *
 * A function is looked at when it has twice the samples of the last time. What was precise once is
 * not looked at again. Features that no model of two looks in a row used need not be read in all
 * calls; one that begins to matter is found as soon as a model uses it. Of what is known fewer
 * calls need be seen.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/samples/samples.h"

struct precision_watch;

/* What was found about a function: how well its costs are known, and which features matter. */
struct learned_function {
	struct samples *function; /* without rows; the watch's own */
	bool is_precise;          /* as options.until has it, for good */
	bool is_known;            /* to 2 %, at this look; and as it was told before */
	bool was_known;
	double relative; /* as in struct precision, the worst of its metrics */
	/* Unless it is precise, those that some model of the last two looks used: the watch's. */
	const char *const *used;
	size_t n_used;
	bool is_use_new; /* others than were told before */
};

struct learning_options {
	const char *path; /* of the profile, which others may write */
	int64_t run;
	uint64_t metrics; /* bits */
	double until;     /* known are functions with a lower precision.relative; 0: none */
	bool adapts;      /* find out which features matter, and what is known */
};

/* NULL: no thread could be started. */
struct precision_watch *precision_watch_create(const struct learning_options *options);
void precision_watch_destroy(struct precision_watch *watch); /* NULL is fine */

/* There may be new samples: look, unless it looks. */
void precision_watch_wake(struct precision_watch *watch);

/* What was found as number @at, from 0; false: so much was not found yet. */
bool precision_watch_found(struct precision_watch *watch, size_t at, struct learned_function *ret);
