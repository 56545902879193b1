/* What a thread that left the processor waits for: another thread, or the outside. */
#pragma once

#include "causal_account.h"
#include "other_end.h"

struct causal_wait {
	enum causal_wake by;
	uint64_t until_ns; /* the time is over then, which is by nobody; UINT64_MAX: no limit */
	bool sleeps;       /* for that time alone */
	bool until;        /* and it has said when it is over, not how long it is */
	bool paced;        /* by OUTSIDE, for what may come at times of its own */
};

/* When a thread's sleeps were over, as it wanted. All 0 at first. */
struct causal_pace {
	uint64_t until_ns, step_ns; /* the last one; after the one before */
	unsigned kept;              /* so often that has been the distance */
};

/*
 * It sleeps until @until_ns: does a clock set these times? Then each is as long after the one
 * before as that was, or a few times as long, where one had passed already; whatever the thread
 * does meanwhile, it only sleeps for longer if that gets faster. A time of its own after it was
 * done with something is never that even.
 */
bool causal_wait_keeps_pace(struct causal_pace *pace, uint64_t until_ns);

/*
 * Futexes, which all locks, conditions, semaphores and joins of threads wait for, are up to
 * threads; so are pipes and sockets (by read(2) and the like, and poll(2)) whose other ends are of
 * @ours, the processes under experiment. The rest is not, nor is a page fault. What comes of a peer
 * or a terminal may come at times of its own, however fast the program is; a disk answers. It does
 * if nothing is sent to who it comes from: then it is PACED.
 * @since_ns: when @tid, of @process, left the processor. False: it does not wait any more.
 */
bool causal_wait_look(pid_t tid, pid_t process, uint64_t since_ns, struct other_ends *ends,
		      const pid_t *ours, size_t n_ours, struct causal_wait *ret);
