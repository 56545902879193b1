/*
 * A thread under measurement: its stop, its open calls, its counters. Private to trace/ and its
 * tests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include <uthash.h>

#include "cost_state.h"
#include "trace/counters.h"
#include "open_call.h"

struct inferior;
struct measured_function;

enum tracee_role {
	TRACEE_UNKNOWN, /* stopped before its parent's event said what it is */
	TRACEE_THREAD,  /* of its inferior: measured */
	/*
	 * a vfork child or the like in the inferior's memory: may run our breakpoints, not measured
	 */
	TRACEE_BORROWER,
	TRACEE_COPY, /* a fork child: its text is restored and it is let go */
};

/* How a stopped tracee goes on. */
enum tracee_next { NEXT_RESUME, NEXT_LISTEN, NEXT_STAY };

struct tracee {
	pid_t tid;
	enum tracee_role role;
	struct inferior *inferior; /* in whose memory it runs; NULL as long as it is unknown */
	bool stopped;
	bool interrupted; /* by us, or it was just born */
	bool asked;       /* to stop, and it has not done so yet */
	bool stop_again;  /* its process is stopped by a signal, which it is to be told once more */
	bool late;        /* it was asked for this stop, but nobody waits for it any more */
	bool at_breakpoint; /* its stop is that of an int3: the kernel has the PC behind it */
	bool at_signal;     /* its stop is one in which a signal can be given to it */
	bool in_call;       /* within clone(2) or the like: it can make no other system call */
	enum tracee_next next;
	pid_t awaited_by; /* its parent, which goes on when this copy was let go; 0: nobody */
	int signal;       /* delivered when it is resumed */
	struct user_regs_struct registers; /* of the current stop, if they were read */
	bool registers_changed;
	bool call_began;    /* the top call began in this stop: its clock starts at the resume */
	bool call_is_fresh; /* it began at the last breakpoint that was hit */
	struct call_stack calls;
	struct lock_calls lock_calls;
	struct cost_call cost;       /* the open one; see cost_calls.h */
	struct cost_call outer_cost; /* the allocation that it is in */
	struct allocations allocations;
	uint64_t stop_ns;    /* when the current stop was noticed */
	uint64_t stopped_ns; /* spent in stops so far */
	uint64_t halted_ns;  /* of the current stop: nobody's cost, see session_halt.c */
	bool stop_is_far;    /* see struct stop */
	uint64_t stops;
	uint64_t switches;           /* that are not its program's: it waited for us */
	struct thread_counts counts; /* as they were found in the stop ... */
	uint64_t counted;            /* ... with this number; 0: never */
	bool woken;                  /* from a sleep, for our sake alone, and not asleep since */
	uint64_t far_stops;          /* of them */
	uint64_t idle_ns;            /* it had stopped that long before */
	struct measured_function *charged; /* for whose sake it is stopped; NULL: nobody's */
	bool in_vain;                      /* where calls return to, but none that is waited for */
	/*
	 * Its call of @function at @cfa has passed the first instruction, and is about to hit the
	 * probe address.
	 */
	struct {
		const struct measured_function *function;
		uint64_t cfa;
		uint64_t closings; /* of the function, then */
	} entered;
	UT_hash_handle hh;
};
