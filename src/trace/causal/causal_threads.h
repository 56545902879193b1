/*
 * The threads of a session in causal experiments: their samples and waits, in the order in which
 * they happened, become the account; who owes is held.
 */
#pragma once

#include "causal_between.h"
#include "causal_processors.h"
#include "causal_wait.h"
#include "trace/kernel/context_switches.h"
#include "trace/session.h"

enum { CAUSAL_THREADS_MAX = 512 };

/* A thread was seen to run. */
struct causal_sample {
	pid_t process, thread;
	uint64_t pc; /* run-time */
	const uint64_t
		*registers; /* by DWARF number, to the PC; NULL: not known, nor is the next */
	const void *stack;  /* from the stack pointer on */
	uint64_t stack_size;
};

/* What can be seen to be passed: addresses, and beginnings of functions, numbered behind them. */
enum {
	CAUSAL_NO_UNIT = -1,
	CAUSAL_ADDRESSES_MAX = SWITCH_ADDRESSES,
	CAUSAL_FUNCTIONS_MAX = 8,
	CAUSAL_PASSES_MAX = CAUSAL_ADDRESSES_MAX + CAUSAL_FUNCTIONS_MAX
};

/* It ran code of the unit, or passed the place with that number. */
struct causal_seen {
	pid_t thread; /* 0: not known */
	uint64_t when_ns;
	int unit;       /* CAUSAL_NO_UNIT: none, or it passed a place */
	int pass;       /* -1: it did not pass one */
	uint64_t times; /* that it did so */
};

/* What is to be done with what is seen. */
struct causal_sight {
	/* The unit of a sample, or CAUSAL_NO_UNIT. */
	int (*unit_of)(void *self, const struct causal_sample *sample);
	/* In the order of time. Returns what the thread gains by that, in ns. */
	int64_t (*seen)(void *self, const struct causal_seen *seen);
	void *self;
};

/* What some threads did, since causal_threads_forget_times(). */
struct causal_work {
	unsigned threads; /* that worked for some ms at least */
	double ran_s;     /* together, in the kernel, too */
};

struct causal_threads {
	struct session *session;
	struct causal_sight sight;
	uint64_t addresses[CAUSAL_ADDRESSES_MAX]; /* run-time, whose passing is seen */
	size_t n_addresses;
	unsigned functions[CAUSAL_FUNCTIONS_MAX]; /* of the program, whose beginnings are seen */
	size_t n_functions;
	uint64_t begun[CAUSAL_FUNCTIONS_MAX]; /* calls of these that were */
	unsigned arrivals;                    /* bit N: passing place N is an arrival of work */
	bool pauses; /* waiting for a processor counts, as who owes is held */
	struct causal_account account;
	/* Of all threads; these and the next three since causal_threads_forget_times(). */
	uint64_t ran_ns;
	uint64_t waited_ns; /* for a processor */
	struct causal_between between;
	bool lost; /* records were lost */
	struct causal_processors processors;
	struct other_ends ends;
	struct causal_watch *list;
	size_t n, capacity;
	struct causal_moment *moments;
	size_t n_moments, moments_capacity;
};

/* The processes of all threads; returns how many. */
size_t causal_threads_processes(const struct causal_threads *threads,
				pid_t ret[CAUSAL_THREADS_MAX]);

void causal_threads_deinit(struct causal_threads *threads); /* holds nobody any more */

/*
 * What happened since the last look. ERR_UNSUPPORTED: the kernel does not let us sample, and what
 * to do.
 */
bool causal_threads_look(struct causal_threads *threads, struct err *err);

/*
 * Hold who owes, release who has paid. Returns when the next has to be released; UINT64_MAX: nobody
 * is held.
 */
uint64_t causal_threads_pause(struct causal_threads *threads);

/* Release all: an experiment ends. */
void causal_threads_release(struct causal_threads *threads);

/* All below since causal_threads_forget_times(). Of threads with arrivals, or of all others. */
struct causal_work causal_threads_work(const struct causal_threads *threads, bool with_arrivals);
/* From one arrival to the next in the thread with the most of them; 0: it has less than @least. */
uint64_t causal_threads_period_ns(const struct causal_threads *threads, size_t least);
/* How long a thread that works waited for a processor, in the mean. */
uint64_t causal_threads_waited_ns(const struct causal_threads *threads);
/* How long threads run between two waits for each other, see causal_between_median_ns(). */
uint64_t causal_threads_between_ns(const struct causal_threads *threads);
/*
 * The share of their time in which threads that work waited for what may come at its own times, and
 * of which it is not known, or others work, too, who would not be paced by it.
 */
double causal_threads_paced(const struct causal_threads *threads);
/* How many of its threads ran, or could have, at a time. */
double causal_threads_runnable(const struct causal_threads *threads);
/* How many of the processors on which it may run others left to it. */
double causal_threads_free(const struct causal_threads *threads);
void causal_threads_forget_times(struct causal_threads *threads);
