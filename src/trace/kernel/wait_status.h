/*
 * Stops: what the kernel says of a tracee, decoded once.
 *
 * Tracee means one thread, as in ptrace(2). A stop says what happened; how to go on is in brackets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stop_kind {
	STOP_BREAKPOINT, /* executed an int3: the PC is behind it [set the PC, resume] */
	STOP_SIGNAL,     /* `number` is about to be delivered [resume with it] */
	STOP_GROUP,      /* the process is stopped by signal `number` [listen] */
	STOP_EVENT,      /* interrupted, newborn, or leaving a group stop [resume] */
	STOP_CLONE,      /* `child` is a new thread [resume] */
	STOP_FORK,       /* `child` has a copy of the memory [resume] */
	/* `child` is a process that shares the memory until it execs or exits [resume] */
	STOP_VFORK,
	STOP_EXEC,   /* a new image; `child` is the tid that the thread had before [resume] */
	STOP_EXITED, /* gone, with exit status `number` */
	STOP_KILLED, /* gone, by signal `number` */
};

struct stop {
	pid_t tid;
	enum stop_kind kind;
	int number;
	pid_t child;
	uint64_t when_ns; /* on the target's clock, as soon as it was known */
	bool far; /* to wake the tracer another processor had to be woken, which took longer */
	uint64_t
		/* since it was resumed the tracee surely did not run so long; 0: unknown */
		idle_ns;
	/* if it slept, it was woken for the tracer's sake alone, and may sleep again */
	bool sleeps_again;
};

/*
 * Decode a wait status; `child` and `when_ns` are left 0. Births are as ptrace(2) calls them, which
 * does not tell who shares memory; the target knows. A SIGTRAP is STOP_SIGNAL here: whether an
 * int3 caused it is not in the status, but in the siginfo.
 */
struct stop wait_status_decode(pid_t tid, int status);

/*
 * The options of PTRACE_SEIZE by which tracees stop like that. One that was launched is killed if
 * we die.
 */
long wait_status_options(bool launched);
