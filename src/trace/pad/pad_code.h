/*
 * The code of one pad: what runs instead of a run of instructions that a jump replaced.
 *
 * A pad is the run's instructions, moved, with probes before some of them, and a jump to what
 * follows the run; jumps within the run stay in the pad.
 *
 * A probe saves what it changes in the thread block, never on the stack, and
 * restores it. Where a probe cannot decide alone (a frame that does not belong where it is), it
 * restores everything and asks: an int3 in the pad, whose stop is handled like that of a
 * breakpoint on the probed instruction; then the pad goes on.
 *
 * A pure function of its input: the same code for the same request. It is made twice: for its
 * size, then at its address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "core/catalogue/rare.h"
#include "pad_plan.h"

enum { PAD_RUN_MAX = 32 /* instructions */, PAD_FILTERS_MAX = 4 };

/* A feature that a pad reads. */
struct pad_feature {
	struct pad_plan plan;
	uint32_t word; /* index in the frame's words of its first word */
	uint32_t bit;  /* number of its absent bit, from word 0 on */
	bool is_rare;  /* at the entry: only read in the tenth of core/catalogue/rare.h */
};

/* A function as its pads see it. */
struct pad_function {
	unsigned number;     /* of its sums */
	struct pad_plan cfa; /* at the probe address: registers and constants only */
	bool probe_in_loop;  /* a hit in an open call's frame is a loop's turn */
	const struct pad_feature *at_entry, *at_return;
	size_t n_at_entry, n_at_return;
	uint32_t n_words;  /* of a frame: counts, callees, absent bits, features, branches */
	uint32_t n_absent; /* words of counts, callees and absent bits, the first ones */
	unsigned counts;   /* bits of enum pad_count that are wanted; 0: frames have none */
	/*
	 * Functions, from 0 on, of whose calls a chosen one has sums of its own: two words each,
	 * from `callees` on, which is the same for all of them; 0: none.
	 */
	uint32_t n_callees, callees;
	bool mem;        /* bytes allocated are wanted, */
	bool events;     /* and when chosen ones begin and end: as events */
	bool wait, hold; /* and what locks cost */
	bool own; /* times without callees are wanted: a callee's begins behind its caller's work */
	bool asks;           /* rather than follow pointers */
	uint32_t branches;   /* index of the word where the branches' bytes begin */
	uint32_t n_branches; /* bytes */
	uint64_t load_bias;
	const struct class_map *classes;
	/* Entries ask if one of them does not give 0; each is whole in the pad, with one word. */
	const struct pad_plan *filters;
	size_t n_filters;
};

enum pad_probe_kind {
	PAD_ENTRY,
	PAD_RETURN,
	PAD_BRANCH,
	PAD_TURN,    /* where a loop's turn begins */
	PAD_TAIL,    /* before a jump, by which a call may leave its frame and the function */
	PAD_LANDING, /* where the caller of a function that may so be left goes on */
	PAD_END,     /* no run: what ends a call that had left by a tail call, see pad_sums */
	PAD_RESUME,  /* no run: where a thread goes on after a stop, and its clock, which stood */
	/* Whatever the function: */
	PAD_ASK,         /* asks whenever it runs */
	PAD_ASK_IF_OPEN, /* asks if the thread has open calls, or may have ended another's */
	/* Of a function that allocates: */
	PAD_COST_ENTRY,
	PAD_COST_EXIT,
	PAD_COST_JUMP, /* out of it, to code without probes */
	/* The same of one that locks: */
	PAD_LOCK_ENTRY,
	PAD_LOCK_EXIT,
	PAD_LOCK_JUMP,
	/* Of one that sends or receives; its jumps are PAD_COST_JUMP: */
	PAD_STREAM_ENTRY,
	PAD_STREAM_EXIT,
};

/* One that allocates, locks, sends or receives; `function` of its probes and sites is any. */
struct pad_cost {
	unsigned number; /* from 1 */
	enum cost_call_kind kind;
	bool hold;      /* of one that locks: what is held is wanted */
	bool blocks;    /* of one of the heap: they are */
	bool sites;     /* and where it was called */
	uint32_t flags; /* of one that receives: the registers (bits) that have MSG_... flags */
	bool messages;  /* of one that sends or receives: see cost_call_gives_messages() */
};

struct pad_probe {
	enum pad_probe_kind kind;
	unsigned insn; /* index in the run: it runs before this one */
	const struct pad_function *function;
	unsigned branch; /* PAD_BRANCH, PAD_TURN: number of its byte, or of its word's first */
	bool is_rare;    /* PAD_BRANCH, PAD_TURN: as of features */
	bool flags_live; /* the flags must be kept; false only if they are surely dead */
	const struct table_index *index; /* PAD_BRANCH: of a switch; NULL: a conditional jump */
	const struct pad_cost *cost;     /* PAD_COST_..., PAD_LOCK_..., PAD_STREAM_... */
	bool lands; /* PAD_TAIL: only a PAD_LANDING ends the call; ask where there is none */
	bool gives_argument; /* PAD_COST_EXIT: a jump to what returns its first argument */
};

/*
 * Of calibrate(): ticks. All 0: while calibrating. A call's time is taken between the end of its
 * entry's work and the beginning of its return's, so `pair` is what reading the clock twice adds to
 * it, and `call` all other work. What features that follow pointers took at the entry is measured
 * each time, see pad_frame's `cost`; what others take is a part of `record` and `word`.
 */
struct pad_costs {
	int32_t pair;       /* that a call's apparent time is too long */
	int32_t call;       /* that a call adds to its caller's time, besides `pair` and `cost` */
	int32_t record;     /* more for one that becomes a record */
	int32_t drawn;      /* and more if chance chose it: nobody can predict that */
	int32_t word;       /* more for each word of it */
	int32_t heap;       /* that an allocation adds to the innermost call's time, */
	int32_t heap_inner; /* and one within another */
	int32_t lock;       /* that an operation of a lock adds likewise */
	/* For PAD_CPU: */
	int32_t cpu;  /* ns that an empty call seems to take */
	int32_t rate; /* ns in 2^PAD_RATE_BITS ticks */
};

enum { PAD_RATE_BITS = 20 };

/* The word at @address, below 2 GiB, is @alive as long as the tracer lives. */
struct pad_life {
	int32_t address, alive;
};

struct pad_request {
	uint64_t address; /* where the pad will be; to learn its size, any that is within reach */
	const struct insn *run; /* [n_run], at their run-time addresses, consecutive */
	size_t n_run;
	uint64_t next; /* run-time address behind the run; where execution goes on */
	const struct pad_probe *probes; /* by `insn`; entries first, returns last */
	size_t n_probes;
	struct pad_costs costs;
	struct pad_life life;
};

/* A part [low, high) of a pad's code. */
struct pad_window {
	uint32_t low, high;
};

enum { PAD_INT3 = 0xcc, PAD_NOP = 0x90 };

#define PAD_FULL    UINT32_MAX
#define PAD_NOTHING (UINT32_MAX - 1)

/*
 * An int3 by which probe @probe asks; PAD_FULL: by which one asks for room in the ring, with
 * registers of its own; PAD_NOTHING: a nop, but for moments in which one is to stop there.
 */
struct pad_question {
	uint32_t at;
	unsigned probe;
};

struct pad_code {
	uint8_t *bytes; /* owned, as are the lists */
	size_t size;
	struct pad_faults faults;
	struct pad_window *windows; /* that a stop must not split: the thread is put back to low */
	size_t n_windows;
	struct pad_window *stretches; /* long ones that are only left at high, a PAD_NOTHING */
	size_t n_stretches;
	struct pad_question *questions;
	size_t n_questions;
	/* Offset of each moved instruction of the run; a fault there is the program's own. */
	uint32_t moved[PAD_RUN_MAX];
	uint32_t moved_size[PAD_RUN_MAX];
};

/* Has it no run? */
bool pad_code_is_alone(enum pad_probe_kind kind);

/* ERR_UNSUPPORTED: an instruction of the run cannot be moved there; says which. */
bool pad_code_make(const struct pad_request *request, struct pad_code *ret, struct err *err);
void pad_code_deinit(struct pad_code *code);

/*
 * The random numbers of a block's `chance`: x = x * PAD_CHANCE_FACTOR + PAD_CHANCE_STEP modulo
 * 2^64; a rank is its high 32 bits. The factor is one of those with 31 bits, so that it has room in
 * the instruction, that do best in the spectral test: 0.45, 0.72, 0.65, 0.75, 0.73 of what is
 * possible in 2 to 6 dimensions (Knuth, The Art of Computer Programming, volume 2, 3.3.4).
 */
#define PAD_CHANCE_FACTOR 2083705661
#define PAD_CHANCE_STEP   1442695041
