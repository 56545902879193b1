/*
 * The threads of a session in causal experiments: their samples and waits, in the order in which
 * they happened, become the account; who owes is held.
 */
#pragma once

#include "causal_account.h"
#include "trace/session.h"

enum { CAUSAL_THREADS_MAX = 512 };
/* A sample is taken after so much of a thread's time on a processor. */
#define CAUSAL_SAMPLE_NS UINT64_C(1000000)

/* A thread was seen at the run-time address @pc. Returns what it gains by that, in ns. */
typedef int64_t causal_sample_fn(void *self, uint64_t pc, uint64_t when_ns);

struct causal_threads {
	struct session *session;
	causal_sample_fn *sampled;
	void *self; /* of sampled() */
	struct causal_account account;
	uint64_t waited_ns; /* of all, for a processor; this and the next since _forget_times() */
	bool lost;          /* records were lost */
	struct causal_watch *list;
	size_t n, capacity;
	struct causal_moment *moments;
	size_t n_moments, moments_capacity;
};

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

/* The next three since causal_threads_forget_times(). Time on processors, of all threads. */
double causal_threads_ran_s(const struct causal_threads *threads);
/* How long a thread that works waited for a processor, in the mean. */
uint64_t causal_threads_waited_ns(const struct causal_threads *threads);
/* On how many processors may the program run? */
unsigned causal_threads_processors(const struct causal_threads *threads);
void causal_threads_forget_times(struct causal_threads *threads);
