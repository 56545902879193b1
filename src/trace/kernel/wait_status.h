/*
 * Stops: what the kernel reports of a tracee (one thread, as in ptrace(2)), decoded once. How to
 * resume is in brackets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stop_kind {
	STOP_BREAKPOINT, /* executed an int3: the PC is behind it [set the PC, resume] */
	STOP_SIGNAL,     /* `number` is about to be delivered [resume with it] */
	STOP_GROUP,      /* the process is stopped by signal `number` [listen] */
	STOP_EVENT,      /* interrupted, newborn, or after a group stop [resume] */
	STOP_CLONE,      /* `child` is a new thread [resume] */
	STOP_FORK,       /* `child` has a copy of the memory [resume] */
	/* `child` shares the memory until it execs or exits [resume] */
	STOP_VFORK,
	STOP_EXEC,    /* a new image; `child` is the thread's previous tid [resume] */
	STOP_EXITING, /* about to end; only if requested [resume] */
	STOP_EXITED,  /* gone, with exit status `number` */
	STOP_KILLED,  /* gone, by signal `number` */
};

struct stop {
	pid_t tid;
	enum stop_kind kind;
	int number;
	pid_t child;
	uint64_t when_ns; /* on the target's clock, as soon as seen */
	bool far;         /* another processor had to be woken for the tracer, which took longer */
	uint64_t idle_ns; /* the tracee surely did not run, since its resume; 0: unknown */
	uint64_t late_ns; /* of that: after it had stopped */
	/* only we woke it; it may sleep again */
	bool sleeps_again;
	bool hardware; /* STOP_BREAKPOINT by a debug register: the PC is at the instruction */
};

/*
 * Decode a wait status; `child` and `when_ns` are left 0. Births are named as in ptrace(2), which
 * does not say who shares memory; the target knows. A SIGTRAP is STOP_SIGNAL here: only its siginfo
 * says whether an int3 caused it.
 */
struct stop wait_status_decode(pid_t tid, int status);

/*
 * The PTRACE_SEIZE options for these stops. A launched tracee is killed if we die. Tracees with
 * pads need wait_status_exits() as well: STOP_EXITING is reported then.
 */
long wait_status_options(bool launched);
long wait_status_exits(void);
