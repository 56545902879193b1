/*
 * Patches: jumps to pads in the inferior's code. A patch replaces one run of instructions, and has
 * the probes of all sites whose runs overlap.
 *
 * A run that is too short for a jump to the pad has a short one to a gap: 5 bytes in padding or in
 * a lender, the run of another patch, behind its jump. That other patch, perhaps without probes,
 * has to be planted first.
 *
 * Preparing makes the pad and changes no code that threads run. Planting writes the jump, lifting
 * restores the bytes; all threads that run in this memory must be stopped then, and none may have
 * its PC, nor a signal frame a return address, inside the run: pad_patch_is_inside() and
 * pad_patch_table_scan() tell; nor be in a gap: pad_patch_by_gap(). No breakpoint may be planted in
 * a run that is planted or lifted, besides at its first byte after planting. The caller sees to all
 * that, as it does to threads that are still in a pad whose patch was lifted: a pad stays mapped
 * and goes on as before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/catalogue/insn.h"
#include "pad_area.h"
#include "pad_code.h"
#include "trace/probe/breakpoint.h"
#include "trace/target/recovery.h"

/* A probe to be reached by a jump. */
struct pad_site {
	uint64_t pc;  /* of the probed instruction */
	uint64_t run; /* run-time address of its jump site */
	uint64_t size;
	enum pad_probe_kind kind;
	const struct pad_function *function; /* borrowed as long as there is the table */
	unsigned branch;
	bool flags_live;
	const struct table_index *index; /* likewise borrowed */
	const struct pad_cost *cost;     /* likewise */
	bool gives_argument, lands;
	uint64_t gap;                 /* of a run shorter than JUMP_SIZE; else 0 */
	uint64_t lender, lender_size; /* the run that the gap is in; size 0: none */
	bool closed;                  /* jumps lead into the run's middle, but only its own */
	bool is_rare;                 /* as of probes */
};

/* Code that a patch overwrites. */
struct pad_jump {
	struct recovery_jump bytes;
	unsigned guarded; /* its number in the guard's table; 0: none */
};

struct pad_patch {
	uint64_t run, size; /* what may be overwritten: [run, run + size) */
	struct insn insns[PAD_RUN_MAX];
	size_t n_insns; /* less than the run if padding ends it */
	/* [n_sites] first those of its probes, in their order; then lenders. */
	const struct pad_site *sites;
	size_t n_sites;
	const struct pad_probe *probes; /* [n_probes] in the order of struct pad_request */
	size_t n_probes;
	uint64_t pad;         /* run-time address */
	struct pad_code code; /* without bytes */
	bool planted;
	bool was_planted;         /* once */
	bool withdrawn;           /* lifted for a while; set by its users */
	bool closed;              /* the run of one of its sites is */
	bool is_pointed_into;     /* a stack seems to have an address inside the run */
	uint64_t gap;             /* where its jump to the pad is; 0: in the run */
	bool borrows;             /* the gap is in the run of another patch, */
	size_t lends;             /* which this many planted ones do from this one */
	struct pad_jump jumps[2]; /* in the run; then in the gap */
};

struct pad_patch_table;

/* What patches of an inferior need; all borrowed. */
struct pad_patch_setting {
	const struct target *target;
	struct insn_decoder *decoder;
	pid_t pid;
	struct breakpoint_table *breakpoints; /* whose int3s are no part of the code */
	struct pad_area *area;
	struct recovery *guard; /* NULL: none */
	struct pad_costs costs;
};

struct pad_patch_table *pad_patch_table_create(const struct pad_patch_setting *setting);
void pad_patch_table_destroy(struct pad_patch_table *table); /* NULL is fine; lifts nothing */

/* For a child with a copy of the memory, and of the table of breakpoints and area in @setting. */
struct pad_patch_table *pad_patch_table_copy(const struct pad_patch_table *table,
					     const struct pad_patch_setting *setting);

/*
 * Plan a patch for every group of the @n @sites whose runs overlap, and write their pads; @tid is
 * any stopped tracee of the inferior. A site that overlaps an earlier patch takes its place: that
 * is lifted, so all threads must be stopped if anything is planted; those of its sites that are to
 * stay must be among @sites. Sites in no patch afterwards have none; returns their number. @err
 * says why the last of them has none: ERR_TARGET (unreadable or no memory), ERR_FORMAT (the code
 * is another), ERR_UNSUPPORTED (it cannot be moved).
 */
size_t pad_patch_prepare(struct pad_patch_table *table, pid_t tid, const struct pad_site *sites,
			 size_t n, struct err *err);

/* Make a pad of @probe, which has no run, near @near; *@ret is where. Errors as above. */
bool pad_patch_make_alone(struct pad_patch_table *table, pid_t tid, uint64_t near,
			  const struct pad_probe *probe, uint64_t *ret, struct err *err);

/* ERR_TARGET: unwritable, or no room in the guard; ERR_FORMAT: the code is no longer that. */
bool pad_patch_plant(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
		     struct err *err);
/*
 * Only where our jumps are; what cannot be written stays planted. Those that borrow from it are
 * lifted as well.
 */
void pad_patch_lift(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch);
void pad_patch_table_lift_all(struct pad_patch_table *table, pid_t tid);
/*
 * Restore the bytes in the memory of @tid, a child with a copy from its birth, also where the jump
 * has been lifted since. The table is unchanged.
 */
void pad_patch_table_restore_in(struct pad_patch_table *table, pid_t tid);
/* The latter only: for a child that is measured, too. */
void pad_patch_table_restore_lifted(struct pad_patch_table *table, pid_t tid);

/* Forget the patches in [low, high), where the code was unmapped; nothing is written. */
void pad_patch_table_forget(struct pad_patch_table *table, uint64_t low, uint64_t high);

/* All, sorted by run. */
struct pad_patch *const *pad_patch_table_list(const struct pad_patch_table *table, size_t *ret_n);

/* The patch whose pad has @pc, or whose run has @address; NULL: none. */
struct pad_patch *pad_patch_by_pc(const struct pad_patch_table *table, uint64_t pc);
struct pad_patch *pad_patch_by_run(const struct pad_patch_table *table, uint64_t address);

/* The planted patch whose gap is at @pc, where it goes on in the pad; NULL: none. */
struct pad_patch *pad_patch_by_gap(const struct pad_patch_table *table, uint64_t pc);

/* The patch whose bytes @patch borrows; NULL: it borrows none, or there is none. */
struct pad_patch *pad_patch_lender(const struct pad_patch_table *table,
				   const struct pad_patch *patch);

/* Replace those of the @n @bytes read at @address that are jumps by what is behind them. */
void pad_patch_table_unsee(const struct pad_patch_table *table, uint64_t address, uint8_t *bytes,
			   size_t n);

/*
 * Is @pc strictly inside a run, planted or not? A thread there must be moved on first: steps. Of a
 * closed run only the bytes of its jump count, as the others may be run while it is planted.
 */
bool pad_patch_is_inside(const struct pad_patch_table *table, uint64_t pc);

/*
 * Set @is_pointed_into of every patch into whose run one of the aligned words of a stack points: a
 * signal frame might return there. It is never too few. The second forgets that.
 */
void pad_patch_table_scan(struct pad_patch_table *table, const uint64_t *words, size_t n);
void pad_patch_table_rescan(struct pad_patch_table *table);
