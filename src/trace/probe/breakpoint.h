/*
 * Breakpoints: int3 instructions in the inferior's code, and what each is for.
 *
 * To plant is to write the int3, to lift is to restore the byte. A breakpoint stays in the table
 * when it is lifted, since another thread may have run into it before and report that later. One
 * breakpoint can have several uses.
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

struct breakpoint {
	uint64_t address; /* run-time */
	uint8_t original; /* the byte under the int3 */
	bool planted;
	struct displaced displaced;
	/* Uses. Functions are indices in the catalogue, -1: none. */
	int entry_of;
	int exit_of;
	int branch_of; /* a branch that is looked at; `branch` says which, see branches.c */
	unsigned branch;
	int first_of; /* its first instruction, where its probe address is that of a loop */
	enum exit_kind exit_kind;
	unsigned
		/*
		 * open calls that left by a tail call, or whose function was closed, and will
		 * return to here
		 */
		returns;
	unsigned returns_of;           /* the function of one of them */
	struct cost_probe *cost_entry; /* NULL: none; see cost_calls.h */
	struct cost_probe *cost_exit;
	bool for_cost;    /* a cost call is waited for here, now */
	bool of_loader;   /* the loader comes here when libraries have come or gone */
	unsigned guarded; /* its number in the guard's table; 0: it has none */
	UT_hash_handle hh;
};

struct breakpoint_table;

/*
 * Of the process @pid. @code: a run-time address whose code is not needed any more, for remote
 * system calls.
 */
struct breakpoint_table *breakpoint_table_create(const struct target *target,
						 struct insn_decoder *decoder, pid_t pid,
						 uint64_t code);
/*
 * Right after the table was made: what is planted is noted for @guard, also of copies. NULL is
 * fine.
 */
void breakpoint_table_set_guard(struct breakpoint_table *table, struct recovery *guard);
void breakpoint_table_destroy(struct breakpoint_table *table); /* NULL is fine; lifts nothing */

/* The table of a child @pid, whose memory is a copy. No open call returns there. */
struct breakpoint_table *breakpoint_table_copy(const struct breakpoint_table *table, pid_t pid);

/* All that the inferior must help with is done, or there is more: see scratch.h. */
void breakpoint_table_complete(struct breakpoint_table *table, pid_t tid);
void breakpoint_table_reopen(struct breakpoint_table *table, pid_t tid);

/* The code at [low, high) is not mapped any more: breakpoints there are planted no longer. */
void breakpoint_table_unmapped(struct breakpoint_table *table, uint64_t low, uint64_t high);
/* Forget those breakpoints; no memory of the inferior is touched. */
void breakpoint_table_forget(struct breakpoint_table *table, uint64_t low, uint64_t high);

/* The breakpoint at @address, planted or lifted; NULL if there never was one. */
struct breakpoint *breakpoint_find(struct breakpoint_table *table, uint64_t address);

/*
 * The breakpoint at @address, planted, made if there was none, or if there is other code by now.
 * @tid is any stopped tracee of the inferior. Errors (the address cannot be read, is no
 * instruction, or one that cannot be displaced): ERR_UNSUPPORTED, ERR_TARGET.
 */
bool breakpoint_plant(struct breakpoint_table *table, pid_t tid, uint64_t address,
		      struct breakpoint **ret, struct err *err);
/* The same, but it is not planted, if it was not: all that may fail later is done. */
bool breakpoint_prepare(struct breakpoint_table *table, pid_t tid, uint64_t address,
			struct breakpoint **ret, struct err *err);
/* Plant those of @list that are lifted, all at once. What cannot be planted stays lifted. */
void breakpoint_plant_list_again(struct breakpoint_table *table, pid_t tid,
				 struct breakpoint *const *list, size_t n);

/*
 * Plant one that was lifted. Tracees may run. False: it cannot be written, or there is other code
 * by now.
 */
bool breakpoint_replant(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint);
/*
 * It was hit although it was lifted. In a copy of the memory it may not have been: then it is now.
 */
void breakpoint_lift_again(struct breakpoint_table *table, pid_t tid,
			   const struct breakpoint *breakpoint);
/*
 * Where the int3 is not there any more, because the code was unmapped, nothing is written. Without
 * success (@tid is gone) it stays planted.
 */
void breakpoint_lift(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint);
void breakpoint_lift_list(struct breakpoint_table *table, pid_t tid, struct breakpoint *const *list,
			  size_t n);

/*
 * Restore the bytes of all breakpoints in the memory of @tid, a child with a copy of what the
 * memory was like when it was born: some may have been lifted since. The table stays as it is.
 */
void breakpoint_table_restore_in(struct breakpoint_table *table, pid_t tid);

/*
 * Lift all. Where the byte cannot be written by way of @tid, which need not be stopped, the
 * breakpoint stays planted.
 */
void breakpoint_table_lift_all(struct breakpoint_table *table, pid_t tid);

/* Unmap the scratch memory, by @tid, which is stopped and not in it, nor is any other tracee. */
void breakpoint_table_unmap(struct breakpoint_table *table, pid_t tid);

/* @visit each of the table; none is made or forgotten meanwhile. */
void breakpoint_table_each(struct breakpoint_table *table,
			   void (*visit)(void *self, struct breakpoint *breakpoint), void *self);

/* Have the @n @bytes that were read at @address be what they are without our breakpoints. */
void breakpoint_table_unsee(struct breakpoint_table *table, uint64_t address, uint8_t *bytes,
			    size_t n);

/* The breakpoint whose slot holds @pc, or NULL. */
struct breakpoint *breakpoint_by_slot(struct breakpoint_table *table, uint64_t pc);
