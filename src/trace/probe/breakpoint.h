/*
 * Breakpoints: int3 instructions in the inferior's code, and their uses.
 *
 * Planting writes the int3, lifting restores the byte. A lifted breakpoint stays in the table,
 * since another thread may have hit it before and report that later. One breakpoint can have
 * several uses. The session interprets hits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "displaced.h"
#include "trace/target/recovery.h"
#include "trace/target/target.h"

/* What a breakpoint sees of calls that are left without a return; see non_local_exits.h. */
enum exit_hook {
	HOOK_NONE,
	HOOK_UNWIND,        /* the unwinder's first instruction */
	HOOK_UNWIND_FORCED, /* likewise, for the end of a thread */
	HOOK_UNWOUND,       /* the last one: the stack pointer is the new frame's */
	HOOK_LANDING,       /* the first one of a frame that threads end in */
	HOOK_JUMP,          /* longjmp()'s first instruction */
	HOOK_CHANGE,        /* that of execve() or prctl(); it stays, and is none of those */
};

struct breakpoint {
	uint64_t address; /* run-time */
	uint8_t original; /* the byte under the int3 */
	bool planted;
	bool padded; /* a pad does its work: no int3 is needed, */
	bool kept;   /* but for threads that are in the pad's run, which is closed */
	struct displaced displaced;
	/* Uses. Functions are indices in the catalogue, -1: none. */
	int entry_of;
	int exit_of;
	bool for_blocks; /* one begins (entry_of) or ends here, or is left; see measured.h */
	int branch_of;   /* recorded branch; `branch` says which, see branches.c */
	unsigned branch;
	int line_of;  /* somebody waits for threads that come by */
	int first_of; /* its first instruction, where its probe address is in a loop */
	enum exit_kind exit_kind;
	/* Open calls that will return here: left by a tail call, or of a closed function. */
	unsigned returns;
	unsigned returns_of;           /* the function of one of them */
	struct cost_probe *cost_entry; /* NULL: none; see cost_calls.h */
	struct cost_probe *cost_exit;
	struct cost_probe *cost_jump; /* out of it */
	bool for_cost;                /* a cost call is expected here now */
	enum exit_hook hook;
	bool landing;     /* calls that pads follow may end here, see PAD_LANDING; never planted */
	bool of_loader;   /* the loader's notification of library changes */
	unsigned guarded; /* its number in the guard's table; 0: none */
	UT_hash_handle hh;
};

/* Is it to be planted where it is wanted? */
static inline bool breakpoint_is_due(const struct breakpoint *breakpoint)
{
	return !breakpoint->planted && (!breakpoint->padded || breakpoint->kept);
}

struct breakpoint_table;

/* For the process @pid. @code: a run-time address of unneeded code, for remote system calls. */
struct breakpoint_table *breakpoint_table_create(const struct target *target,
						 struct insn_decoder *decoder, pid_t pid,
						 uint64_t code);
/*
 * Call right after creation: planted breakpoints are recorded in @guard, also those of copies. NULL
 * is fine.
 */
void breakpoint_table_set_guard(struct breakpoint_table *table, struct recovery *guard);
/*
 * Call right after creation: breakpoints are no int3s but debug registers, at most DEBUG_REGISTERS
 * at a time, and nothing is written. The caller has each thread have the table's registers before
 * it is resumed.
 */
void breakpoint_table_use_registers(struct breakpoint_table *table);
struct debug_registers breakpoint_table_registers(const struct breakpoint_table *table);
void breakpoint_table_destroy(struct breakpoint_table *table); /* NULL is fine; lifts nothing */

/* The table of a child @pid with a copy of the memory. No open call returns there. */
struct breakpoint_table *breakpoint_table_copy(const struct breakpoint_table *table, pid_t pid);

/* Preparations that need the inferior's help are complete, or go on: see scratch.h. */
void breakpoint_table_complete(struct breakpoint_table *table, pid_t tid);
void breakpoint_table_reopen(struct breakpoint_table *table, pid_t tid);

/* The code at [low, high) was unmapped: breakpoints there are no longer planted. */
void breakpoint_table_unmapped(struct breakpoint_table *table, uint64_t low, uint64_t high);
/* Forget those breakpoints, without touching the inferior's memory. */
void breakpoint_table_forget(struct breakpoint_table *table, uint64_t low, uint64_t high);

/* The breakpoint at @address, planted or lifted; NULL: none. */
struct breakpoint *breakpoint_find(struct breakpoint_table *table, uint64_t address);

/*
 * Plant a breakpoint at @address, made if there was none, or if the code has changed. @tid is any
 * stopped tracee of the inferior. ERR_TARGET (unreadable or unwritable, no memory or room),
 * ERR_UNSUPPORTED (no valid instruction, or it cannot be displaced).
 */
bool breakpoint_plant(struct breakpoint_table *table, pid_t tid, uint64_t address,
		      struct breakpoint **ret, struct err *err);
/* The same even where a pad does the work: another use needs the stop. */
bool breakpoint_plant_over(struct breakpoint_table *table, pid_t tid, uint64_t address,
			   struct breakpoint **ret, struct err *err);
/* The same without planting: whatever may fail later is done. */
bool breakpoint_prepare(struct breakpoint_table *table, pid_t tid, uint64_t address,
			struct breakpoint **ret, struct err *err);
/* Plant the lifted ones of @list all at once. On failure they stay lifted. */
void breakpoint_plant_list_again(struct breakpoint_table *table, pid_t tid,
				 struct breakpoint *const *list, size_t n);

/* Plant a lifted one. Tracees may run. False: unwritable, or the code has changed. */
bool breakpoint_replant(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint);
/* It was hit although lifted. A copy of the memory may still have the int3: remove it. */
void breakpoint_lift_again(struct breakpoint_table *table, pid_t tid,
			   const struct breakpoint *breakpoint);
/*
 * If the int3 is gone, because the code was unmapped, nothing is written. If it fails (@tid is
 * gone) it stays planted.
 */
void breakpoint_lift(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint);
void breakpoint_lift_list(struct breakpoint_table *table, pid_t tid, struct breakpoint *const *list,
			  size_t n);

/*
 * Restore the bytes of all breakpoints in the memory of @tid, a child with a copy from its birth:
 * some may have been lifted since. The table is unchanged.
 */
void breakpoint_table_restore_in(struct breakpoint_table *table, pid_t tid);

/*
 * The same for those of @table, that of the child, that are not planted: they were lifted between
 * its birth and the news of it.
 */
void breakpoint_table_restore_lifted(struct breakpoint_table *table, pid_t tid);

/*
 * Lift all. Where the byte cannot be written through @tid, which need not be stopped, the
 * breakpoint stays planted.
 */
void breakpoint_table_lift_all(struct breakpoint_table *table, pid_t tid);

/* Raise the semaphore at @address until all are lifted. Errors of semaphores_raise(). */
bool breakpoint_table_raise(struct breakpoint_table *table, pid_t tid, uint64_t address,
			    struct err *err);

/* Have the stopped @tid unmap the scratch memory; no tracee may be in it. */
void breakpoint_table_unmap(struct breakpoint_table *table, pid_t tid);

/* Call @visit for each, which may neither make nor forget any. */
void breakpoint_table_each(struct breakpoint_table *table,
			   void (*visit)(void *self, struct breakpoint *breakpoint), void *self);

/*
 * Jumps that others have written into the code: @unsee replaces, in the @n @bytes read at @address,
 * what they overwrote.
 */
void breakpoint_table_set_jumps(struct breakpoint_table *table,
				void (*unsee)(const void *self, uint64_t address, uint8_t *bytes,
					      size_t n),
				const void *self);

/* Remove our breakpoints and jumps from the @n @bytes read at @address. */
void breakpoint_table_unsee(struct breakpoint_table *table, uint64_t address, uint8_t *bytes,
			    size_t n);
/* Has the program replaced the instruction that @breakpoint is at? */
bool breakpoint_is_replaced(struct breakpoint_table *table, pid_t tid,
			    const struct breakpoint *breakpoint);
/* Only our breakpoints: jumps that stand there are kept. */
void breakpoint_table_unsee_int3s(struct breakpoint_table *table, uint64_t address, uint8_t *bytes,
				  size_t n);

/* The breakpoint whose slot holds @pc, or NULL. */
struct breakpoint *breakpoint_by_slot(struct breakpoint_table *table, uint64_t pc);
