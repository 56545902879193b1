/*
 * One thread of a rescue: where it would be without us.
 */
#pragma once

#include "trace/target/recovery.h"

struct emergency_thread {
	struct recovery_table *table;
	pid_t owner; /* of the breakpoints in its memory */
	pid_t tid;
	bool is_behind_int3;    /* it was in a stop behind an int3 of ours when its tracer died */
	bool was_stopped_by_us; /* a SIGSTOP was sent to it by the rescuer */
	struct user_regs_struct registers;
};

/* Of a traced thread. False: it is not stopped. */
bool emergency_thread_read(struct emergency_thread *thread);

/* Its registers become what they would be. Returns the signal that it is owed; 0: none. */
int emergency_thread_put_right(struct emergency_thread *thread);

/* The breakpoint at @address, planted or lifted; NULL: none. */
const struct recovery_breakpoint *emergency_thread_find(const struct recovery_table *table,
							pid_t owner, uint64_t address);

/* By the stopped @tid, unmap the scratch memory at @address. @code is overwritten meanwhile. */
bool emergency_thread_unmap(pid_t tid, uint64_t code, uint64_t address);

/* Its PC, if it is in a ptrace stop, seen by somebody who does not trace it. */
bool emergency_thread_traced_pc(pid_t tid, uint64_t *ret);
