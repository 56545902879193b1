/*
 * The guard: what must be known to free the traced processes of our breakpoints if the one who
 * traces them dies, in memory that it shares with the one who survives it.
 *
 * The tracer writes, in an order that leaves the table true at any moment: before an int3 is
 * written its breakpoint is in the table, and it stays planted there until the byte is restored.
 * emergency_detach.h reads. Everything is bounded. A guard may be NULL: then there is nobody to
 * survive, and nothing is noted.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "core/catalogue/insn.h"

enum {
	RECOVERY_BREAKPOINTS = 1 << 20,
	RECOVERY_PROCESSES = 1024,
	RECOVERY_AREAS = 64, /* of scratch memory, of a process */
	RECOVERY_THREADS = 1 << 16,
	GUARD_AREA_SIZE = 65536, /* bytes */
	GUARD_SLOT_SIZE = 32,    /* of them for a displaced instruction */
	RECOVERY_CODE = 3,       /* bytes of code that a remote system call overwrites */
};

enum recovery_state {
	RECOVERY_FREE,
	RECOVERY_LIFTED, /* a thread may have run into it before */
	RECOVERY_PLANTED,
};

struct recovery_breakpoint {
	_Atomic enum recovery_state state; /* the rest is true when this is not GUARD_FREE */
	pid_t pid;
	uint64_t address;
	uint64_t slot; /* of its displaced instruction; 0: none */
	uint8_t size;  /* of the instruction */
	uint8_t bytes[INSN_SIZE_MAX];
};

struct recovery_process {
	_Atomic pid_t pid;     /* 0: free */
	atomic_bool stopped;   /* by a stop signal of somebody else */
	_Atomic uint64_t code; /* not needed any more, for a remote system call; 0: unknown */
	_Atomic uint64_t areas[RECOVERY_AREAS];
};

/* A thread in a state that is not its own. */
struct recovery_affinity {
	_Atomic pid_t tid; /* 0: none */
	cpu_set_t own;
};

struct recovery_mask {
	_Atomic pid_t tid; /* 0: none */
	uint64_t own;
};

struct recovery_call {
	_Atomic pid_t tid; /* 0: no remote system call is on its way */
	struct user_regs_struct registers;
	uint64_t code;
	uint8_t bytes[RECOVERY_CODE];
};

struct recovery_table {
	atomic_bool ended;              /* nobody needs guarding any more */
	_Atomic uint32_t n_breakpoints; /* so many have been used, free ones among them */
	struct recovery_process processes[RECOVERY_PROCESSES];
	struct recovery_affinity affinity;
	struct recovery_mask mask;
	struct recovery_call call;
	/* Room for the rescuer, who cannot ask for memory. */
	pid_t rescued[RECOVERY_PROCESSES];
	pid_t threads[RECOVERY_THREADS];
	pid_t at_breakpoint[RECOVERY_THREADS];
	int signals[RECOVERY_THREADS];
	struct recovery_breakpoint breakpoints[RECOVERY_BREAKPOINTS];
};

struct recovery;

/* Before the fork. ERR_IO. */
bool recovery_create(struct recovery **ret, struct err *err);
void recovery_destroy(struct recovery *guard); /* NULL is fine */
struct recovery_table *recovery_table(struct recovery *guard);

/* Where there is no more room the process goes unguarded. */
void recovery_add_process(struct recovery *guard, pid_t pid);
void recovery_remove_process(struct recovery *guard, pid_t pid); /* and its breakpoints */

/* Somebody stopped the process, or it goes on. */
void recovery_set_stopped(struct recovery *guard, pid_t pid, bool stopped);

/* Its scratch memory: an area may be mapped at @address from now on, or is not any more. */
void recovery_add_area(struct recovery *guard, pid_t pid, uint64_t address);
void recovery_remove_area(struct recovery *guard, pid_t pid, uint64_t address);
void recovery_copy_areas(struct recovery *guard, pid_t from, pid_t to);
void recovery_set_code(struct recovery *guard, pid_t pid, uint64_t code);

/*
 * An int3 is about to be written over the first byte of @insn. *@number, which is 0 or what was
 * given for this breakpoint before, becomes its number. False: no room.
 */
bool recovery_plant(struct recovery *guard, pid_t pid, const struct insn *insn, uint64_t slot,
		    unsigned *number);
void recovery_lift(struct recovery *guard, unsigned number); /* the byte was restored; 0 is fine */
void recovery_forget(struct recovery *guard,
		     unsigned number); /* no thread can be there any more; 0 is fine */

/* @tid has another affinity than its own, @own, from now on; NULL: not any more. */
void recovery_set_affinity(struct recovery *guard, pid_t tid, const cpu_set_t *own);

/*
 * A remote system call of @tid begins: its own signal mask; then its registers, and the code that
 * is overwritten (the tid in @call is not looked at). With NULL it is over: nothing is different
 * any more.
 */
void recovery_set_mask(struct recovery *guard, pid_t tid, uint64_t own);
void recovery_set_call(struct recovery *guard, pid_t tid, const struct recovery_call *call);
