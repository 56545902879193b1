/*
 * One thread of a rescue: where it would be without us; and what /proc says without asking for memory.
 */
#ifndef FATHOM_TRACE_RESCUE_THREAD_H
#define FATHOM_TRACE_RESCUE_THREAD_H

#include "trace/guard.h"

struct rescue_thread {
	struct guard_table *table;
	pid_t owner; /* of the breakpoints in its memory */
	pid_t tid;
	bool is_behind_int3;    /* it was in a stop behind an int3 of ours when its tracer died */
	bool was_stopped_by_us; /* a SIGSTOP was sent to it by the rescuer */
	struct user_regs_struct registers;
};

/* Of a traced thread. False: it is not stopped. */
bool rescue_thread_read(struct rescue_thread *thread);

/* Its registers become what they would be. Returns the signal that it is owed; 0: none. */
int rescue_thread_put_right(struct rescue_thread *thread);

/* The breakpoint at @address, planted or lifted; NULL: none. */
const struct guard_breakpoint *rescue_find(const struct guard_table *table, pid_t owner,
					   uint64_t address);

/* By the stopped @tid, unmap the scratch memory at @address. @code is overwritten meanwhile. */
bool rescue_unmap(pid_t tid, uint64_t code, uint64_t address);

enum { RESCUE_PATH = 64 };

/* /proc/@pid/task/@tid/@name, or /proc/@pid/@name if @tid is 0. */
void rescue_path(char ret[RESCUE_PATH], pid_t pid, pid_t tid, const char *name);
int rescue_open(pid_t pid, pid_t tid, const char *name, int flags); /* -1: cannot */
/* The number behind @name in its status; 0: there is none. */
pid_t rescue_status(pid_t pid, const char *name);
/* Its PC, if it is in a ptrace stop, seen by somebody who does not trace it. */
bool rescue_traced_pc(pid_t pid, pid_t tid, uint64_t *ret);
bool rescue_is_dead(pid_t tid); /* or a zombie */
/* For each entry of the folder @path that is a number. */
void rescue_each_number(const char *path, void (*take)(void *context, pid_t number), void *context);

#endif
