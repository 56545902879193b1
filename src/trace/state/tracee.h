/* A thread under measurement: its stop, its open calls, its counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include <uthash.h>

#include "cost_state.h"
#include "trace/counters.h"
#include "trace/target/debug_registers.h"
#include "open_call.h"

struct inferior;
struct pad_thread;
struct measured_function;

enum tracee_role {
	TRACEE_UNKNOWN, /* stopped before its parent's event told its role */
	TRACEE_THREAD,  /* of its inferior: measured */
	/* vfork child or the like in the inferior's memory: may hit breakpoints, not measured */
	TRACEE_BORROWER,
	TRACEE_COPY, /* fork child: its text is restored, then it is detached */
};

enum tracee_next { NEXT_RESUME, NEXT_LISTEN, NEXT_STAY };

struct tracee {
	pid_t tid;
	enum tracee_role role;
	struct inferior *inferior; /* whose memory it runs in; NULL: unknown yet */
	bool stopped;
	bool interrupted;   /* by us, or just born */
	bool asked;         /* to stop, and has not stopped yet */
	bool stop_again;    /* report its process's group-stop once more */
	bool late;          /* a stop we asked for, but no longer wait for */
	bool at_breakpoint; /* stopped by an int3: the kernel's PC is behind it */
	bool at_signal;     /* stopped where a signal can be delivered */
	bool exiting;       /* runs no code of its own any more */
	bool in_call;       /* within clone(2) or the like: can make no other system call */
	bool held;          /* not resumed before session_release() */
	enum tracee_next next;
	pid_t awaited_by; /* parent that goes on once this copy is detached; 0: none */
	int signal;       /* to deliver at its resume */
	struct user_regs_struct registers; /* of this stop, if read */
	bool registers_changed;
	struct debug_registers debug; /* as set; see breakpoint_table_use_registers() */
	bool call_began;    /* the top call began in this stop: its clock starts at the resume */
	bool call_is_fresh; /* it began at the breakpoint hit last */
	struct call_stack calls;
	struct pad_thread *pad; /* what the tracer knows of its block; NULL: it has none */
	bool frames_taken;      /* with pads: their frames are among its calls, see ring_frames.h */
	int64_t last_id;        /* with pads, while its calls are here: of them */
	uint64_t pad_idle;      /* address of a block in which pads note nothing; 0: none */
	struct lock_calls lock_calls;
	struct cost_call cost;       /* open cost call; see cost_calls.h */
	struct cost_call outer_cost; /* the allocation around it */
	struct allocations allocations;
	struct transfer transfer; /* while `cost` is one */
	struct framed_transfers framed_transfers;
	struct requests requests;
	uint64_t stop_ns; /* when this stop was noticed */
	uint64_t
		stopped_ns; /* in stops so far, and in those of whom it waited for: lock_delays.h */
	uint64_t resumed_ns; /* from its last stop */
	uint64_t halted_ns;  /* of this stop: charged to no call, see session_halt.c */
	bool stop_is_far;    /* see struct stop */
	uint64_t stops;
	uint64_t switches;                 /* context switches that our stops caused */
	struct thread_counts counts;       /* counters as last read */
	uint64_t counted;                  /* number of the stop they were read in; 0: never */
	bool woken;                        /* by our stop alone, and not asleep since */
	uint64_t far_stops;                /* number of far stops */
	uint64_t idle_ns;                  /* how long it had been stopped before */
	uint64_t late_ns;                  /* of that: in this stop */
	struct measured_function *charged; /* function that pays for the stop; NULL: none */
	uint64_t unwinds_from;             /* stack pointer of the running unwinder; 0: none */
	unsigned vain_exits;               /* of frames above open calls, of no call */
	bool in_vain;                      /* at a return address that no open call waits for */
	bool made_room;                    /* for records, while it was stopped */
	/* A frame that passed the first instruction of @function and will hit its probe next. */
	struct {
		const struct measured_function *function;
		uint64_t cfa;
		uint64_t closings; /* of the function, then */
	} entered;
	/* It will come by once more, where a call that was told began, or at a line. 0: no. */
	uint64_t told_cfa, told_line;
	UT_hash_handle hh;
};
