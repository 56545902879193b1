/* A thread in causal experiments: private to causal_threads.c and causal_threads_told.c. */
#pragma once

#include "causal_between.h"
#include "causal_threads.h"
#include "causal_wait.h"

struct causal_watch {
	pid_t tid, process;
	struct context_switches *switches;
	int schedstat;     /* held open, as it is read often; -1: unreadable */
	bool seen;         /* in the last list of threads */
	bool asked;        /* is held, or will be as soon as it stops */
	bool asked_asleep; /* the same, in its sleep, which is not for us */
	uint64_t asked_ns;
	uint64_t off_ns;            /* when it left the processor last, to wait */
	uint64_t paused_ns;         /* since when it does not run for us; 0: it does */
	uint64_t release_ns;        /* when it will have paid */
	uint64_t released_ns;       /* was let go, and has not run since; 0: it has */
	uint64_t late_ns;           /* from then until it ran, not yet in the account */
	uint64_t ran_ns, waited_ns; /* had, and waited for, a processor since it began */
	struct causal_stretch stretch;
	uint64_t maybe_paced_ns; /* waited for what may come at its own times, since … */
	uint64_t paced_ns;       /* and for what does, since … */
	uint64_t ran_before_ns;  /* ran_ns at causal_threads_forget_times() */
	uint64_t begun[CAUSAL_FUNCTIONS_MAX]; /* calls that were seen to begin */
	size_t samples, arrivals;             /* since causal_threads_forget_times() */
	uint64_t arrived_ns, arrival_ns;      /* the first and the last of these, without pauses */
	bool known;                           /* what this wait is for was looked at */
	struct causal_wait wait;              /* this one, or the last known one */
	struct causal_pace pace;              /* of its sleeps */
};
