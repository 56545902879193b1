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

/* Longer names than any that is made here come from a profile that others wrote. */
enum { CAUSAL_NAME_MOST = 1023 };

struct causal_unit {
	const char *name; /* anybody's text, as all names here */
	const char *file; /* NULL: unknown */
	unsigned line;    /* 0: unknown */
	double samples;   /* while nothing was as if faster */
	bool is_load;     /* no code: work comes earlier, at the arrival point */
};

/* What counts as progress. */
struct causal_progress {
	const char *name;
	bool latency; /* it is the time from one point to another, not visits of one */
};

/* What was seen of one progress in an experiment. */
struct progress_seen {
	double visits; /* of the point; with latency: of its beginning */
	double open;   /* with latency: begun and not ended, in the mean */
	double grown;  /* and by how many more at the end of the experiment */
};

/* Why an experiment says nothing. */
enum experiment_flaw {
	EXPERIMENT_USABLE,
	EXPERIMENT_FEW_VISITS, /* see EXPERIMENT_VISITS */
	EXPERIMENT_PAUSES,     /* hardly anything but pauses, see EXPERIMENT_EFFECTIVE */
	EXPERIMENT_UNBALANCED, /* threads were paused unequally */
	EXPERIMENT_PROCESSORS, /* more threads could run than processors were free */
	EXPERIMENT_LATE,       /* pauses were too long for the time between two waits */
	EXPERIMENT_FLAWS,
};

/* Fewer visits are hardly a rate. */
enum { EXPERIMENT_VISITS = 5 };

/* What part of its length an experiment is under way before it counts, to settle. */
#define EXPERIMENT_SETTLING 0.5
/* Least share of the time, without that for lack of processors, that may be left by pauses. */
#define EXPERIMENT_EFFECTIVE 0.1
/*
 * Share of those begun that may be open at the end beyond those at the beginning; of work that
 * arrives, that may be done in another experiment.
 */
#define EXPERIMENT_GROWTH 0.1

struct experiment {
	enum experiment_flaw flaw;
	unsigned unit;
	unsigned pair;
	double speedup;
	double elapsed_s;
	double inserted_s;                /* of that: pauses, which all threads had */
	double waited_s;                  /* of these: as there was no processor */
	const struct progress_seen *seen; /* [n_progress] */
	/* of each unit while it went on; units that were not known then have none */
	const double *samples;
	size_t n_samples;
};

struct experiments {
	struct arena *arena;
	const struct causal_progress *progress; /* [n_progress], at least one */
	size_t n_progress;
	bool whole;  /* each experiment is a whole run of the program, its end the only visit */
	int arrival; /* the progress that is the arrival of work; -1: none */
	double load; /* times its own, at which units were tried; 1: as it is */
	struct causal_unit *units;
	size_t n_units;
	struct experiment *list;
	size_t n, capacity;
	double runtime_s; /* of the program, pauses taken off */
	double calm_s;    /* of that: nothing was as if faster */
	/*
	 * The share of their time in which threads that work waited for what may come at times of
	 * its own, while nothing was as if faster; NAN: not known, as of those of a profile.
	 */
	double paced;
	/* Of threads with arrivals, and of all others: how many work, and how much of the time. */
	struct causal_busy {
		double threads, share; /* 0 threads: unknown */
	} bringing, serving;
};

/* @progress and its names are copied. */
struct experiments *experiment_table_create(const struct causal_progress *progress,
					    size_t n_progress);
void experiment_table_destroy(struct experiments *experiments); /* NULL is fine */

/* @name and @file are copied. Returns its index. */
unsigned experiment_table_add_unit(struct experiments *experiments, const char *name,
				   const char *file, unsigned line);

/* Copies @experiment, its samples and what was seen; finds its flaw unless it has one already. */
void experiment_table_add(struct experiments *experiments, const struct experiment *experiment);

double experiment_samples(const struct experiment *experiment, unsigned unit);

double experiment_effective_s(const struct experiment *experiment);

/*
 * What is to be small: seconds between visits; or, with latency, from the beginning to the end, by
 * Little's law: the mean number of open ones is the rate of beginnings times their duration.
 * Source: J. Little, A Proof for the Queuing Formula L = λW, Operations Research 9 (1961).
 */
double experiment_cost_s(const struct experiments *experiments, const struct experiment *experiment,
			 size_t progress);

/*
 * Latency: were ever more begun and not ended? Then there is no mean time that they take, and the
 * cost says nothing.
 */
bool experiment_is_unstable(const struct experiments *experiments,
			    const struct experiment *experiment, size_t progress);

/*
 * @with more work than @without, its partner: was a part of it left over, to be done in the next
 * experiment? Each arrival is then followed by fewer visits than in the partner, and how much
 * passes in either is not what is done at its load. Of the arrivals themselves: that is so of all
 * else.
 */
bool experiment_leaves_over(const struct experiments *experiments, const struct experiment *with,
			    const struct experiment *without, size_t progress);

/* A phrase, as "fewer than 5 visits". */
const char *experiment_flaw_text(enum experiment_flaw flaw);
