/* One thread of a rescue: putting it where it would be without us. */
#pragma once

#include "trace/target/recovery.h"

struct emergency_thread {
	struct recovery_table *table;
	pid_t owner; /* of the breakpoints in its memory */
	pid_t tid;
	bool is_behind_int3;    /* stopped right after our int3 when its tracer died */
	bool was_stopped_by_us; /* the rescue sent it a SIGSTOP */
	struct user_regs_struct registers;
};

/* Read a traced thread. False: not stopped. */
bool emergency_thread_read(struct emergency_thread *thread);

/*
 * Set its registers to what they would be without us. Returns the signal that it is owed; 0: none.
 */
int emergency_thread_put_right(struct emergency_thread *thread);

/* The breakpoint at @address, planted or lifted; NULL: none. */
const struct recovery_breakpoint *emergency_thread_find(const struct recovery_table *table,
							pid_t owner, uint64_t address);

/* Is @pc in the memory of pads, or in their handler of signals? */
bool emergency_thread_is_pad(const struct recovery_table *table, pid_t owner, uint64_t pc);

/*
 * Bring a thread that was put right out of the pad it is in. False: it does not come out: a moved
 * instruction faults there, or it ended.
 */
bool emergency_thread_leave_pad(struct emergency_thread *thread);

/* Once it meets no jump any more: its gs base is 0 again. */
void emergency_thread_take_block(struct emergency_thread *thread);

/* Is it stopped within clone(2) or the like? What that returns replaces what is set meanwhile. */
bool emergency_thread_is_in_call(pid_t tid);
/* Let it come to the end of that. False: it ended, or waits for a child (vfork). */
bool emergency_thread_leave_call(pid_t tid);

/*
 * Have the stopped @tid, which is in no such call, unmap the memory of @area. @code is overwritten
 * meanwhile.
 */
bool emergency_thread_unmap(pid_t tid, uint64_t code, const struct recovery_area *area);
/* Have it restore @process's actions for signals, unless the program has changed them since. */
bool emergency_thread_reset_actions(pid_t tid, const struct recovery_process *process);

/* The PC of a thread in a ptrace stop; the caller need not trace it. */
bool emergency_thread_traced_pc(pid_t tid, uint64_t *ret);
