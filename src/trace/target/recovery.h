/*
 * The guard: what is needed to remove our breakpoints and traces if the tracer dies, in memory
 * shared with the surviving supervisor.
 *
 * The tracer writes, in an order that keeps the table true at any moment: a breakpoint is in the
 * table before its int3 is written, and stays planted there until the byte is restored. So do jumps
 * to pads, which replace several bytes.
 * emergency_detach.h reads. Everything is bounded. A guard may be NULL: without a supervisor
 * nothing is recorded.
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
	RECOVERY_AREAS = 256, /* memory of ours, per process */
	RECOVERY_THREADS = 1 << 16,
	GUARD_AREA_SIZE = 65536, /* bytes */
	GUARD_SLOT_SIZE = 32,    /* per displaced instruction */
	RECOVERY_CODE = 5,       /* code bytes overwritten by a remote system call */
	RECOVERY_JUMP = 5,       /* most code bytes overwritten by a jump to a pad */
};

enum recovery_state {
	RECOVERY_FREE,
	RECOVERY_LIFTED, /* a thread may have hit it before */
	RECOVERY_PLANTED,
	/* A jump to a pad, or a short one to such a jump, not an int3; the rest is valid too. */
	RECOVERY_JUMPING,
	/* A counter of two bytes, now `bytes`, of which one is ours; the address is valid, too. */
	RECOVERY_RAISED,
};

struct recovery_breakpoint {
	_Atomic enum recovery_state state; /* the rest is valid unless RECOVERY_FREE */
	pid_t pid;
	uint64_t address;
	uint64_t slot; /* of its displaced instruction; 0: none */
	uint8_t size;  /* of the instruction; RECOVERY_JUMPING: of the jump */
	uint8_t bytes[INSN_SIZE_MAX];
	uint8_t jump[RECOVERY_JUMP]; /* RECOVERY_JUMPING: what replaced `bytes` */
};

/* What memory of ours in the inferior is for. */
enum recovery_area_kind {
	RECOVERY_SCRATCH, /* slots of displaced instructions; GUARD_AREA_SIZE bytes */
	RECOVERY_PADS,    /* code of pads */
	RECOVERY_BLOCKS,  /* their blocks, one behind the other */
	RECOVERY_LIFE,    /* the page of a lifeline */
};

struct recovery_area {
	_Atomic uint64_t address; /* 0: free, the rest is not valid */
	uint64_t size;
	enum recovery_area_kind kind;
};

struct recovery_process {
	_Atomic pid_t pid; /* 0: free */
	_Atomic pid_t
		like; /* its memory is as that process's, whose breakpoints count; 0: none's */
	atomic_bool stopped;   /* by a stop signal not ours */
	_Atomic uint64_t code; /* unneeded code, for a remote system call; 0: unknown */
	/* The lifeline's action for SIGTRAP, 0: not set; room for another one, which it may be. */
	_Atomic uint64_t action, old_action;
	struct recovery_area areas[RECOVERY_AREAS];
};

/* A thread whose affinity we changed. */
struct recovery_affinity {
	_Atomic pid_t tid; /* 0: none */
	cpu_set_t own;
};

struct recovery_mask {
	_Atomic pid_t tid; /* 0: none */
	uint64_t own;
};

struct recovery_call {
	_Atomic pid_t tid; /* 0: no remote system call is in progress */
	struct user_regs_struct registers;
	uint64_t code;
	uint8_t bytes[RECOVERY_CODE];
};

struct recovery_table {
	atomic_bool ended;              /* nothing is traced any more */
	atomic_bool settled;            /* see recovery_set_settled() */
	_Atomic uint32_t n_breakpoints; /* used so far, free ones among them */
	_Atomic uint32_t n_processes;   /* likewise: what is behind them was never touched */
	struct recovery_process processes[RECOVERY_PROCESSES];
	struct recovery_affinity affinity;
	struct recovery_mask mask;
	struct recovery_call call;
	/* Threads not resumed since a stop that no SIGTRAP was; by their numbers, modulo. */
	_Atomic pid_t stopped_otherwise[RECOVERY_THREADS];
	/* Scratch space for the rescue, which cannot allocate. */
	pid_t rescued[RECOVERY_PROCESSES];
	pid_t threads[RECOVERY_THREADS];
	pid_t at_breakpoint[RECOVERY_THREADS];
	int signals[RECOVERY_THREADS];
	struct recovery_breakpoint breakpoints[RECOVERY_BREAKPOINTS];
};

struct recovery;

struct recovery_jump {
	uint64_t address;
	uint8_t size;
	uint8_t original[RECOVERY_JUMP], jump[RECOVERY_JUMP];
};

/* Before the fork. ERR_IO. */
bool recovery_create(struct recovery **ret, struct err *err);
void recovery_destroy(struct recovery *guard); /* NULL is fine */
struct recovery_table *recovery_table(struct recovery *guard);

/* Without room the process is unguarded. */
void recovery_add_process(struct recovery *guard, pid_t pid);
void recovery_remove_process(struct recovery *guard, pid_t pid); /* and its breakpoints */

/* A copy of @from: until the end what is known of it is not all. */
void recovery_begin_copy(struct recovery *guard, pid_t from, pid_t pid);
void recovery_end_copy(struct recovery *guard, pid_t pid);

/* A stop signal not ours stopped the process, or it goes on. */
void recovery_set_stopped(struct recovery *guard, pid_t pid, bool stopped);

/* Memory of ours may be mapped at @area's address from now on, or no longer is. */
void recovery_add_area(struct recovery *guard, pid_t pid, const struct recovery_area *area);
void recovery_remove_area(struct recovery *guard, pid_t pid, uint64_t address);
void recovery_copy_areas(struct recovery *guard, pid_t from, pid_t to);
void recovery_set_code(struct recovery *guard, pid_t pid, uint64_t code);
/* The lifeline's action is at @action; 0: the program has its own. */
void recovery_set_action(struct recovery *guard, pid_t pid, uint64_t action, uint64_t old);

/*
 * Call before an int3 is written over the first byte of @insn. *@number, 0 or this breakpoint's
 * earlier number, becomes its number. False: no room.
 */
bool recovery_plant(struct recovery *guard, pid_t pid, const struct insn *insn, uint64_t slot,
		    unsigned *number);
void recovery_lift(struct recovery *guard, unsigned number); /* byte restored; 0 is fine */
/* No thread can be at the breakpoint any more; 0 is fine. */
void recovery_forget(struct recovery *guard, unsigned number);

/*
 * Call before a jump is written over the @original bytes at @address, and recovery_forget() when
 * they are restored. A jump to a pad comes before a short jump to it, and goes after that.
 * *@number: as in recovery_plant(). False: no room.
 */
bool recovery_plant_jump(struct recovery *guard, pid_t pid, const struct recovery_jump *jump,
			 unsigned *number);

/* Call before a semaphore is written, @count; then recovery_forget(). False: no room. */
bool recovery_raise(struct recovery *guard, pid_t pid, uint64_t address, uint16_t count,
		    unsigned *number);

/*
 * All threads are stopped, and where they would be without us: one right after an int3 has executed
 * the instruction there.
 */
void recovery_set_settled(struct recovery *guard, bool settled);

/* @tid has stopped for something else than a SIGTRAP; or is about to be resumed. */
void recovery_set_stopped_otherwise(struct recovery *guard, pid_t tid, bool otherwise);

/* @tid's affinity is changed from @own; NULL: restored. */
void recovery_set_affinity(struct recovery *guard, pid_t tid, const cpu_set_t *own);

/*
 * A remote system call of @tid begins: record its own signal mask; then its registers, and the
 * overwritten code (@call's tid is ignored). NULL: all is restored.
 */
void recovery_set_mask(struct recovery *guard, pid_t tid, uint64_t own);
void recovery_set_call(struct recovery *guard, pid_t tid, const struct recovery_call *call);
