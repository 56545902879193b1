/*
 * The pads of one inferior, and those of a session: who has them, their memory, what they cost.
 */
#pragma once

#include "ring_layout.h"
#include "trace/pad/pad_area.h"
#include "trace/pad/pad_block.h"
#include "trace/pad/pad_patch.h"
#include "trace/state/engine.h"
#include "trace/state/tsc_clock.h"

/* So many threads of a process are drained by one read. */
enum { RING_TOGETHER = 64 };

/* Of a session that uses pads. */
struct ring {
	struct tsc_clock clock;
	uint64_t due_ns;              /* of the next draining */
	uint64_t retry_ns;            /* before, what could not be planted is not tried again */
	uint64_t pause_ns;            /* until then: longer each time */
	uint64_t drained_ns, told_ns; /* the last draining; that when pads were told of it */
	unsigned drainings;
	struct pad_costs costs;
	unsigned counts; /* bits of enum pad_count */
	bool mem;        /* bytes allocated are wanted, */
	bool blocks;     /* which blocks were live when (then `mem` is set, too), */
	bool sites;      /* or by which calls they were allocated (then `blocks` is), */
	bool wait, hold; /* what locks cost, */
	bool streams;    /* and what is sent and received */
	bool own;        /* times without callees are, and those of callees by function */
	struct ring_cost {
		double call_ns, record_ns, word_ns;
		double heap_ns, lock_ns;
	} cost; /* of a call to the program, more for a record and each word of it; an allocation,
		   and an operation of a lock */
	bool keep_all;      /* every call is to become a record */
	uint64_t grant;     /* records of a function between two drainings, at most PAD_BUDGET */
	uint64_t worked_ns; /* the tracer's processor time until told_ns */
	bool full;          /* since then a thread had to wait for room */
	struct ring_read {
		struct tracee *tracee;
		bool ok; /* all of it was read */
		struct pad_block block;
		struct pad_sums *sums; /* of all functions; owned */
		size_t capacity;
		struct ring_piece {
			uint64_t tail; /* of the ring that was read, where it begins */
			size_t n;      /* bytes that were read ahead; 0: none */
			uint8_t *bytes;
			size_t capacity;
		} pieces[2];    /* of this lap and of the next; owned */
	} reads[RING_TOGETHER]; /* of the threads that are drained */
	unsigned processors;    /* that are online, as of the start */
	bool said_lost, said_deep;
	uint64_t stops;   /* of the session until the last draining */
	bool stops_often; /* in the period before it */
	bool shares;      /* the tracer may share a tracee's processor */
};

/* Of an inferior. */
struct pads {
	struct ring_function *functions; /* [catalogue's functions] */
	struct pad_area *area;
	struct pad_patch_table *patches;
	uint64_t *ends;         /* [catalogue's functions] as in struct pad_sums */
	uint64_t resume;        /* the PAD_RESUME; 0: none */
	struct pad_cost *costs; /* [catalogue's cost functions] */
	uint64_t *blocks;       /* free ones */
	size_t n_blocks, blocks_capacity;
	size_t n_mapped;      /* blocks, free or not */
	uint64_t spare_block; /* for a thread for which there is no memory; 0: taken */
	uint64_t *spoiled;    /* runs that must not be replaced: the program faults in them */
	size_t n_spoiled, spoiled_capacity;
	bool planted;    /* jumps are in the code */
	bool loads;      /* and some pads read what may not be there */
	bool dirty;      /* something is to be planted or lifted while all are stopped */
	bool urgent;     /* a thread is inside of a run, and its jump must be lifted before */
	bool renewed;    /* classes or by_stops have changed: all pads are made anew */
	bool landless;   /* landings were lifted: calls that wait for one need another end */
	const char *why; /* why there are no pads any more; NULL: there may be */
};

/* What pads have summed up, when frames were taken or given last, at `now`: in ticks and in ns. */
struct pad_lock_sums {
	uint64_t now;
	uint64_t waited, held;
	int64_t waited_ns, held_ns;
};

/* See ring_heap.h. */
struct ring_heap {
	uint64_t taken;        /* bytes of events */
	struct cost_call call; /* that frees, if one is open */
	struct ring_ended {
		int64_t id;
		struct value metrics[HEAP_TOTALS];
		struct site_sums *sites; /* owned */
	} * ended;                       /* calls, of which the first `next` are done with; owned */
	size_t n_ended, capacity, next;
};

/* See ring_streams.h. */
struct ring_streams {
	struct stream_position *known; /* [PAD_KNOWN] by cookie, as in the block; owned */
	uint64_t cookie, began;        /* of the transfer that begins: TSC */
	uint64_t ticks;                /* its own clock, as last told, */
	int64_t own_ns;                /* and what that is in ns */
	double spent_ns;               /* by pads, not charged yet */
	struct ring_streams_ended {
		int64_t id;
		uint64_t ended_ns; /* of all clocks */
		struct transfers of;
	} * ended; /* as in struct ring_heap */
	size_t n_ended, capacity, next;
};

/* When a thread was beside loud pads (governor.h): of @function, or of others, too. */
struct ring_loud {
	uint64_t heard_ns; /* until when that is known; 0: not yet */
	uint64_t from_ns, until_ns;
	unsigned function;
	bool others;
};

/* Of a thread. */
struct pad_thread {
	uint64_t address;           /* of its block */
	uint64_t tail, told;        /* its block's may be an older one: `told` */
	uint64_t most;              /* bytes of records that came at once of late */
	uint64_t stolen;            /* ticks */
	uint64_t moment;            /* of its own clock, at which it stopped */
	uint64_t moment_stop;       /* number of that stop; 0: none */
	uint64_t asked;             /* its own clock at its last question */
	uint64_t question_stop;     /* number of the stop that is a question; 0: none was yet */
	uint64_t resume;            /* where it went on last by the PAD_RESUME */
	uint64_t granted_ns;        /* when it was given budgets last */
	uint64_t costs, operations; /* of its block, as charged */
	struct pad_lock_sums locks;
	struct ring_heap heap;
	struct ring_streams streams;
	struct ring_loud loud;
	uint64_t careful;           /* as in its block */
	uint64_t aside[PAD_COUNTS]; /* what its stops have added */
	struct pad_sums *sums;      /* [catalogue's functions] as last read, */
	struct pad_sums *granted;   /* and as they were when they got their budgets */
	/* The frames that were taken last, outermost first, see ring_frames.h. */
	bool known;             /* the block could be read then: */
	struct pad_block block; /* as it was */
	uint64_t *frames;       /* addresses; the sentinel's comes before */
	size_t n_frames, frames_capacity;
	/*
	 * How many outermost calls have no frames, as there is no room: but the innermost of these,
	 * which is number spilled_id, so that pads ask when they return to it.
	 */
	size_t n_spilled;
	int64_t spilled_id;
};

/* Must its pads be allowed system calls? */
static inline bool pads_make_calls(const struct ring *ring)
{
	return ring->counts || ring->streams;
}

/* Can pads measure all of @metrics (bits)? False: *@ret_why is a phrase. */
bool pads_measure(unsigned metrics, const char **ret_why);

/* For a session whose options ask for pads. False: *@ret_why is a phrase. */
bool pads_session_create(struct session *session, const char **ret_why);
void pads_session_destroy(struct session *session);

/*
 * Have all pads made anew, by what is known of its functions then (by_stops), at its next update:
 * before that the frames of all its threads must be taken.
 */
void pads_renew(struct inferior *inferior);

/*
 * @inferior has another catalogue: its jumps are lifted, no thread has a block, or is in a pad. The
 * next update plants what the new one has.
 */
void pads_replan(struct inferior *inferior);

/* @inferior's catalogue is known, and its int3s are planted: it may have pads. */
void pads_create(struct inferior *inferior, uint64_t code);
void pads_copy(const struct inferior *inferior, struct inferior *copy);
void pads_destroy(struct inferior *inferior);

/*
 * Replace int3s by jumps where there can be pads, and lift jumps that must go. All tracees of
 * @inferior are stopped; @helper is one that can make system calls, NULL: none, then jumps are
 * only lifted. Where it fails, int3s stay, and it stays dirty.
 */
void pads_update(struct inferior *inferior, struct tracee *helper);

/* All are stopped: restore the code through @tid. */
void pads_lift(struct inferior *inferior, pid_t tid);

/* @tracee is a fork child with a copy of the memory, which is let go: restore its code. */
void pads_restore_copy(struct tracee *tracee);

/* @tracee passes @breakpoint: if that is planted over a jump, it goes on in the pad. */
bool pads_go_on(struct tracee *tracee, const struct breakpoint *breakpoint);

/* No tracee is in a pad: unmap their memory with the help of the stopped @tid. */
void pads_unmap(struct inferior *inferior, pid_t tid);

/* A module was mapped and planted; or the code at [low, high) is gone. */
void pads_mapped(struct inferior *inferior);
void pads_unmapped(struct inferior *inferior, uint64_t low, uint64_t high);

/* Have @inferior measured by stops from its next update on; @why is a static phrase. */
void pads_give_up(struct inferior *inferior, const char *why);

/* Signals that have the lifeline's handler in place of none: see pad_area_guarded(). */
uint64_t pads_guarded(const struct inferior *inferior);

/* A free block, mapped with the help of the stopped @tracee if need be. False: no memory. */
bool pads_find_block(struct tracee *tracee, uint64_t *ret);
/* It is free again. */
void pads_keep_block(struct pads *pads, uint64_t address);

/* The breakpoint whose work probe @probe of @patch does; NULL: it is gone. */
struct breakpoint *pads_breakpoint(struct inferior *inferior, const struct pad_patch *patch,
				   unsigned probe);

/* Never replace the run of @patch again. */
void pads_spoil(struct inferior *inferior, const struct pad_patch *patch);

/* Its layout; NULL: calls of this function are not followed by pads. */
const struct ring_function *pads_function(const struct inferior *inferior, unsigned index);

/*
 * Make the pads of all probes of @inferior that are to have some, by what is known now; @tid is one
 * of its tracees, all of which are stopped. Pads that are in the way of new ones are lifted.
 */
void pads_sites_plan(struct inferior *inferior, pid_t tid);

/* Of pad_tails.c: tail calls whose ends pads see, as the callee is followed by pads, too. */

/* Is @exit of @measured a jump to a function that ends in pads, or tail-calls such ones only? */
bool pad_tails_is_ended(const struct inferior *inferior, const struct measured_function *measured,
			const struct exit_site *exit);

/* Make what ends calls that wait, where it is missing, and tell the threads that have a block. */
void pad_tails_make_ends(struct inferior *inferior, pid_t tid);
