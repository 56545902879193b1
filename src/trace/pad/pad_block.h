/*
 * The thread block: what pads read and write, in private memory of the inferior, one for each
 * thread, found by the gs base. Pads write it, the tracer reads it while the thread runs; the
 * fields marked so are the tracer's alone.
 *
 * In this order: the fixed part, the sums of every padded function, its calls elsewhere, known
 * connections, the stack of open calls (frames), the ring of records, that of events. Pads address
 * the first three as gs:offset, the others by pointers.
 * All times are ticks of the TSC.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	PAD_BLOCK_SIZE = 1 << 20,
	PAD_FUNCTIONS_MAX = 4096, /* in one process */
	PAD_SUMS_OFFSET = 2048,
	PAD_ELSEWHERE_OFFSET = PAD_SUMS_OFFSET + (256 << 10),
	PAD_KNOWN_OFFSET = 304 << 10,
	PAD_KNOWN = 256, /* connections */
	PAD_FRAMES_OFFSET = 320 << 10,
	PAD_FRAMES_END = 704 << 10,
	PAD_RING_OFFSET = PAD_FRAMES_END,
	PAD_RING_SIZE = 256 << 10, /* a power of 2 */
	/* a frame, and so a record, is at most this long; behind the ring is that much room */
	PAD_RECORD_MAX = 16 << 10,
	PAD_EVENTS_OFFSET = PAD_RING_OFFSET + PAD_RING_SIZE + PAD_RECORD_MAX,
	PAD_EVENTS_SIZE = 32 << 10, /* a power of 2 */
	PAD_BUDGET = 128,           /* records until a function's limit is halved */
	PAD_STRINGS_LEAST = 4096,   /* `strings` is never less */
	PAD_BURST = 2048,           /* so many are saved up while all calls become records */
	PAD_DRIVEN = 1 << 16,       /* ticks: a pad that took more had no processor meanwhile */
};

#define PAD_MAGIC    UINT64_C(0x6d6f687461665044)
#define PAD_RANK_ALL (UINT64_C(1) << 32)

/* What the kernel counts of a thread, and a pad asks it for. */
enum pad_count { PAD_CPU /* ns */, PAD_PFAULTS, PAD_MAJOR_PFAULTS, PAD_SWITCHES, PAD_COUNTS };

/* What a thread's calls of one function add up to. */
struct pad_sums {
	uint64_t calls;   /* ended in pads */
	uint64_t ticks;   /* their time, modulo 2^64: a short call's may be below 0 */
	uint64_t begun;   /* in pads */
	uint64_t limit;   /* calls of a lower rank become records; PAD_RANK_ALL: all */
	uint64_t left;    /* records until the limit is halved */
	uint32_t closed;  /* tracer's; not 0: entries only count here what they let pass */
	uint32_t strings; /* tracer's: bytes that are looked at for the end of a string */
	uint64_t lost;    /* records that found no room; each lowered the limit to its rank */
	/*
	 * Tracer's: address of the code that ends the innermost call, one of this function that had
	 * left by a tail call, as of rax, and goes on at scratch[0]; 0: none.
	 */
	uint64_t end;
};

enum { PAD_ARGUMENTS = 4 };

/* The thread's open cost call on the heap: not those within it. */
struct pad_cost_call {
	uint64_t cfa; /* 0: none; the rest is then undefined */
	uint64_t return_address;
	uint64_t function;                 /* its pad_cost's number */
	uint64_t bytes;                    /* that it asks for */
	uint64_t arguments[PAD_ARGUMENTS]; /* as far as its kind has some */
};

/*
 * For `peak` and `leaks`: what a thread has allocated and freed; for `remote`, what it has sent and
 * received; for both, which calls were chosen. Where there is no room for another event, pads ask.
 */
struct pad_event {
	uint64_t at;       /* TSC */
	uint32_t kind;     /* enum pad_event_kind */
	uint32_t function; /* of one of a cost call: its pad_cost's number */
	/*
	 * PAD_EVENT_CALL, PAD_EVENT_END: id of the chosen call, and `stolen`. PAD_EVENT_COST: the
	 * first two arguments. PAD_EVENT_COST_END: the result (of posix_memalign() and the like:
	 * the block), and the bytes that were asked for. PAD_EVENT_STREAM: `stolen`, and the
	 * connection's cookie; behind it comes PAD_EVENT_POSITION: where in the stream the transfer
	 * begins, and how many bytes wait to be received; `at` is when the pad had found out.
	 * PAD_EVENT_STREAM_END: the result, and `stolen`. PAD_EVENT_SITE, before
	 * PAD_EVENT_COST_END: the return address.
	 */
	uint64_t a, b;
};

/* PAD_EVENT_COST is of those that free memory. */
enum pad_event_kind {
	PAD_EVENT_CALL,
	PAD_EVENT_END,
	PAD_EVENT_COST,
	PAD_EVENT_SITE,
	PAD_EVENT_COST_END,
	PAD_EVENT_STREAM,
	PAD_EVENT_POSITION,
	PAD_EVENT_STREAM_END,
};

enum { PAD_TCP_INFO_SIZE = 216 /* of struct tcp_info, up to what was sent again */ };

/* What a pad asks the kernel about a descriptor; the sizes are what fits in `cookie` and `info`. */
struct pad_stream {
	uint64_t begin; /* TSC */
	uint64_t cookie;
	uint64_t waiting, again; /* bytes to be received, before and after `info` */
	uint64_t position;
	uint64_t size;
	uint64_t info[PAD_TCP_INFO_SIZE / 8];
};

enum { PAD_HELD_MAX = 16 };

/* The thread's open lock operation: not those within it. */
struct pad_lock_call {
	uint64_t cfa; /* 0: none; the rest is then undefined */
	uint64_t return_address;
	uint32_t function; /* its pad_cost's number, */
	uint32_t kind;     /* and what that is */
	uint64_t object;   /* address of the lock; of a condition's mutex */
	uint64_t inside;   /* not 0: in an allocation */
	uint64_t begin;    /* where the kind of operation needs it */
	uint64_t end;      /* the pads' own */
};

/* A thread has held locks for held + (now & holding) ticks. */
struct pad_locks {
	struct pad_lock_call call;
	uint64_t waited; /* ticks */
	uint64_t held;
	uint64_t holding; /* all bits while it holds one; else 0 */
	uint64_t n;       /* different ones that it holds; beyond PAD_HELD_MAX pads ask */
	struct pad_held {
		uint64_t object;
		uint64_t count; /* times taken */
	} list[PAD_HELD_MAX];
	uint64_t operations; /* that ended */
};

struct pad_block {
	uint64_t magic;
	uint64_t address; /* of this block */
	uint64_t top;     /* address of the innermost frame */
	uint64_t head;    /* bytes ever put into the ring; multiples of 8 */
	uint64_t tail;    /* tracer's: bytes taken */
	uint64_t stolen;  /* ticks that the thread spent in stops: the tracer's, and PAD_RESUME's */
	/* Tracer's, for that: the time of its own clock, negated, and where it goes on. */
	uint64_t moment, resume;
	uint64_t chance;  /* state of the random numbers, see pad_code.h */
	uint64_t last_id; /* of the thread's calls, from 1 */
	uint64_t mem;     /* bytes allocated while calls were open */
	struct pad_cost_call heap;
	uint64_t costs;      /* cost calls that ended, those within others, too */
	uint64_t deep;       /* calls not followed, as there was no room for a frame */
	uint64_t waiting;    /* frames left by a tail call */
	uint64_t patient;    /* tracer's: where there is no room, stop until there is some */
	uint64_t careful;    /* tracer's: loads must not fault: ask instead */
	uint64_t stack;      /* tracer's: the lowest address of the thread's own stack, */
	uint64_t stack_size; /* and its size in bytes; 0: unknown */
	uint64_t filter[2];  /* what the filter that runs leaves: its word, its absent bit */
	uint64_t resumed[3]; /* of PAD_RESUME and questions: registers; of PAD_RESUME: the clock */
	uint64_t reserved[1];
	uint64_t events;       /* bytes of events, ever */
	uint64_t events_taken; /* tracer's */
	/* Of a pad that counts: */
	uint64_t counts[PAD_COUNTS]; /* less `aside` */
	uint64_t failed;             /* not 0: the kernel gave none */
	uint64_t aside[PAD_COUNTS];  /* tracer's: what its stops have added so far */
	uint64_t clock[2];           /* struct timespec */
	uint64_t usage[18];          /* struct rusage */
	uint64_t held[2];            /* registers that system calls change, and times */
	uint64_t save[34]; /* of the pad that runs: registers by DWARF number, 33: flags */
	uint64_t scratch[16];
	uint64_t asked[2]; /* the clock at the last question's int3, `stolen` then */
	struct pad_locks locks;
	struct pad_stream stream;
};

enum pad_frame_flag {
	PAD_CHOSEN = 1,  /* features were read, it becomes a record */
	PAD_VALUES = 2,  /* its words of the entry are doubles: the tracer read them */
	PAD_WAITING = 4, /* left by a tail call: ends when another call in its frame returns */
	PAD_ADOPTED = 8, /* the tracer keeps more of it: it ends by a stop */
};

/*
 * An open call. Frames grow down, as the stack: the first one, a sentinel with the highest CFA,
 * ends at PAD_FRAMES_END, each other one where the one before it begins; those of chosen calls are
 * longer by their words. A record has the same shape, so that ending a call copies it.
 */
struct pad_frame {
	uint64_t previous; /* address of the caller's frame; in a record: its size in bytes */
	uint64_t cfa;      /* in a record: the parent's id, 0: none */
	uint64_t start;    /* ticks, less `stolen` then */
	uint32_t function; /* number of its sums */
	uint32_t flags;    /* of enum pad_frame_flag */
	uint64_t id;
	/* While open: of callees' pads; in a record: of the call, without them; may be below 0 */
	uint64_t ticks;
	/* Of measured callees that ended, in ticks: */
	uint64_t inner, inner_wait, inner_hold;
	/* Of the thread, when it began; in a record: of the call */
	uint64_t waited, held;
	uint32_t rank; /* uniform chance: who is chosen */
	/* Ticks of the pad that began it, which callers subtract; below 0 if a fault seemed long */
	int32_t cost;
	/* Only if chosen: */
	uint64_t limit;          /* of the ranks when it began; in a record: the least since */
	uint64_t mem;            /* of the block when it began; in a record: of the call */
	uint64_t own_mem;        /* bytes allocated, not in measured callees; see PAD_MEM_UNKNOWN */
	uint64_t uncounted;      /* measured callees without counts that ended */
	uint64_t before;         /* calls of the function before it, see pad_block_elsewhere() */
	uint64_t return_address; /* only if waiting */
	/*
	 * Then, too, a struct pad_counts, if pads count; a struct pad_callee for each function, if
	 * they are wanted; words with the absent bits of 64 features each; the features' words, see
	 * pad_plan.h (absent: the first is its enum absence); a word for each loop, a byte for each
	 * branch.
	 */
	uint64_t words[];
};

/* A callee's bytes are not known. A bit that sums do not reach. */
#define PAD_MEM_UNKNOWN (UINT64_C(1) << 63)

enum { PAD_FRAME_SIZE = offsetof(struct pad_frame, words) };

/* The first words of a call that is chosen, or adopted, in a session that counts. */
struct pad_counts {
	uint64_t numbers[PAD_COUNTS]; /* of the block when it began; in a record: of the call */
	uint64_t inner[PAD_COUNTS];   /* of measured callees that ended */
	uint64_t driven;  /* of `ticks` of callees' pads: without a processor, it seems */
	uint64_t unknown; /* not 0: `numbers` mean nothing */
};

/* The calls of one function that a call made itself. */
struct pad_callee {
	uint64_t calls; /* of the first: with PAD_CALLEES_UNKNOWN, all say nothing */
	uint64_t ticks;
};

#define PAD_CALLEES_UNKNOWN (UINT64_C(1) << 63)

enum { PAD_CALLEES_MAX = 16 };

enum { PAD_COUNTS_WORDS = sizeof(struct pad_counts) / sizeof(uint64_t) };

_Static_assert(sizeof(struct pad_block) <= PAD_SUMS_OFFSET, "the fixed part");
_Static_assert(PAD_SUMS_OFFSET + PAD_FUNCTIONS_MAX * sizeof(struct pad_sums) <=
		       PAD_ELSEWHERE_OFFSET,
	       "the sums");
_Static_assert(PAD_ELSEWHERE_OFFSET + PAD_FUNCTIONS_MAX * sizeof(uint64_t) <= PAD_KNOWN_OFFSET,
	       "the calls elsewhere");
_Static_assert(PAD_KNOWN_OFFSET + PAD_KNOWN * sizeof(uint64_t) <= PAD_FRAMES_OFFSET,
	       "the connections");
_Static_assert(PAD_EVENTS_OFFSET + PAD_EVENTS_SIZE <= PAD_BLOCK_SIZE, "the rings");

static inline uint32_t pad_block_sums(unsigned function)
{
	return PAD_SUMS_OFFSET + function * (uint32_t)sizeof(struct pad_sums);
}

/*
 * Tracer's: a uint64_t, the calls of @function that are not in this thread's `begun`: its own that
 * began in stops, and those of other threads, as of the last draining.
 */
static inline uint32_t pad_block_elsewhere(unsigned function)
{
	return PAD_ELSEWHERE_OFFSET + function * (uint32_t)sizeof(uint64_t);
}

/* Tracer's: a uint64_t, the @cookie, if it is of a connection that the tracer knows. */
static inline uint32_t pad_block_known(uint64_t cookie)
{
	return PAD_KNOWN_OFFSET + cookie % PAD_KNOWN * (uint32_t)sizeof(uint64_t);
}
