/*
 * Experiments: for a while a unit of code was as if it were faster by a share of its time, its
 * *speedup*, and visits of a progress point were counted. Plain data; trace/causal makes them,
 * model/causal draws conclusions.
 *
 * Each one with a speedup has a partner of the same unit without, right before or after it, so that
 * what drifts is the same in both: the two are a *pair*.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct causal_unit {
	const char *name;
	const char *file; /* NULL: unknown */
	unsigned line;    /* 0: unknown */
	double samples;   /* in the whole run */
};

/* Why an experiment says nothing. */
enum experiment_flaw {
	EXPERIMENT_USABLE,
	EXPERIMENT_FEW_VISITS,  /* see EXPERIMENT_VISITS */
	EXPERIMENT_PAUSES,      /* hardly anything but pauses, see EXPERIMENT_EFFECTIVE */
	EXPERIMENT_UNBALANCED,  /* threads were paused unequally */
	EXPERIMENT_INTERRUPTED, /* it was not long enough */
	EXPERIMENT_FLAWS,
};

/* Fewer visits are hardly a rate. */
enum { EXPERIMENT_VISITS = 5 };

/* Least share of the time that may be left without pauses. */
#define EXPERIMENT_EFFECTIVE 0.1

struct experiment {
	enum experiment_flaw flaw;
	unsigned unit;
	unsigned pair;
	double speedup;
	double elapsed_s;
	double inserted_s; /* of that: pauses, which all threads had */
	double visits;     /* of the progress point; with latency: of its beginning */
	double open;       /* with latency: begun and not ended, in the mean */
	/* [n_units of the whole] samples of each unit while it went on */
	const double *samples;
};

struct experiments {
	struct arena *arena;
	const char *point; /* the progress point */
	bool latency;      /* what counts is the time from one point to another */
	struct causal_unit *units;
	size_t n_units;
	struct experiment *list;
	size_t n, capacity;
	double runtime_s; /* of the program, pauses taken off */
};

struct experiments *experiment_table_create(const char *point, bool latency);
void experiment_table_destroy(struct experiments *experiments); /* NULL is fine */

/* @name and @file are copied. Returns its index. All units come before the first experiment. */
unsigned experiment_table_add_unit(struct experiments *experiments, const char *name,
				   const char *file, unsigned line);

/* Copies @experiment and its samples, and finds its flaw unless it has one already. */
void experiment_table_add(struct experiments *experiments, const struct experiment *experiment);

double experiment_effective_s(const struct experiment *experiment);

/*
 * What is to be small: seconds between visits; or, with latency, from the beginning to the end, by
 * Little's law: the mean number of open ones is the rate of beginnings times their duration.
 * Source: J. Little, A Proof for the Queuing Formula L = λW, Operations Research 9 (1961).
 */
double experiment_cost_s(const struct experiment *experiment, bool latency);

/* A phrase, as "fewer than 5 visits". */
const char *experiment_flaw_text(enum experiment_flaw flaw);
