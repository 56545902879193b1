/*
 * State of the engine behind a session; functions are declared in the header of their .c.
 *
 * One stop is handled at a time: its tracee stays stopped until the next session_next(), so that
 * all the tracer's work falls into time that is known and subtracted.
 */
#pragma once

#include "base/random.h"
#include "call_ids.h"
#include "cost_state.h"
#include "image.h"
#include "trace/probe/loader.h"
#include "open_call.h"
#include "trace/session.h"
#include "trace/target/target.h"
#include "tracee.h"

struct pads;
struct ring;

/* As in struct stat, when the inferior began. */
struct file_identity {
	uint64_t device, inode;
	int64_t size, seconds, nanoseconds;
};

/* Where a module of the catalogue is mapped. */
struct inferior_module {
	const char *path; /* symlinks resolved; this and the next two only of libraries */
	bool known;       /* the file existed */
	struct file_identity file;
	bool said_changed;
	bool mapped;
	uint64_t load_bias; /* this and the rest while mapped */
	uint64_t low, high; /* first byte to end of code; only of libraries */
};

/* An address space: its breakpoints and its modules. */
struct inferior {
	struct session *session;
	pid_t pid;
	const struct image *image;       /* NULL: nothing of its program is measured */
	struct inferior_module *modules; /* [catalogue's modules] */
	struct class_map class_map;      /* of mapped modules */
	struct class_map_range *class_ranges;
	struct loader loader;
	struct breakpoint_table *breakpoints; /* NULL: nothing is measured */
	struct pads *pads;                    /* NULL: it has none */
	/* Give @tracee those calls with CFAs in (@low, @high] that pads follow in other threads. */
	void (*fetch_calls)(struct tracee *tracee, uint64_t low, uint64_t high);
	uint64_t stack_mark; /* in the first thread's stack; 0: unknown */
	struct region *regions;
	size_t n_regions;
	uint64_t start_pc; /* program start, the first int3; 0: reached */
	uint8_t start_byte;
	unsigned start_guarded; /* as in struct breakpoint */
	bool ignores_trap;      /* SIGTRAP was harmless before our first int3 */
	bool told_stop;         /* the prompt knows of its stop by a signal */
	bool blind;             /* a probe could not be planted: calls are missed */
	bool has_ring;          /* of io_uring, or had one */
	bool unkept; /* calls of closed functions may be in frames, see probe_control.h */
	struct call_stack orphans; /* open calls of threads that are gone: migrated_calls.c */
	size_t n_open;             /* open calls of its tracees, without orphans */
	/* function of the call that began last; -1: not measured any more */
	int begun_last;
	bool hooked;             /* it has hooks of non-local exits, planted or lifted */
	bool unhooked;           /* they are lifted */
	unsigned lingering_hits; /* see lock_calls.h */
	struct cost_probes cost;
	struct heap heap;
	size_t n_tracees; /* all tracees in this memory */
	size_t n_threads; /* those of role TRACEE_THREAD */
	struct arena *arena;
	struct inferior *next;
};

struct queued_event {
	struct session_event event;
	struct value *features;      /* owned */
	struct value *branches;      /* owned */
	struct callee_sums *callees; /* owned */
	struct site_sums *sites;     /* owned */
};

struct session {
	struct target target;
	struct session_options options;
	struct insn_decoder *decoder;
	struct arena *arena; /* images, notes */
	struct plan_runner *runner;
	struct value *values; /* of the last run of plans */
	size_t values_capacity;
	struct image **images;
	size_t n_images, images_capacity;
	struct inferior *inferiors;
	struct tracee *tracees;
	struct tracee *current;   /* whose stop is being handled; NULL: none */
	struct inferior *started; /* runs a new program; what to measure is not decided yet */
	bool resting;             /* share no processor until a tracee is resumed */
	pid_t pid;                /* of the first inferior */
	uint64_t start_ns;
	int64_t last_id; /* of calls that stops begin, see call_ids.h */
	struct call_ids ids;
	struct queued_event *queue;
	size_t n_queued, next_queued, queue_capacity;
	struct ending ending;
	uint64_t withheld_until_ns; /* withhold calls until then; 0: none, see lock_calls.h */
	bool launched;              /* the first inferior is our child */
	bool holding;               /* all are stopped: events of others resume no tracee */
	bool halted;                /* until session_continue() */
	bool continuing;            /* continue once a request to the prompt is answered */
	uint64_t halted_at_ns;
	uint64_t rings_due_ns; /* when to look for rings of io_uring next */
	pid_t signalled;       /* thread of the signal the prompt was told last; 0: none */
	int injected;          /* signal that we inject; 0: none */
	bool updating;         /* all are stopped for pads, until events of that were told */
	bool leaving;          /* detaching: nothing is reported either */
	bool left;             /* detached from all */
	bool ended;
	bool over;         /* no target is left */
	struct ring *ring; /* NULL: calls are measured by stops alone */
	/* Jumps of closed functions are, or are to be, withdrawn; and all are to be there again. */
	bool withdraws, restores;
	uint64_t tended_ns; /* when all were stopped for pads last */
	struct governor *governor;
	struct random_state chance; /* of ranks */
	uint64_t due_ns;            /* earliest next governor cycle; 0: unknown */
	uint64_t resumed_ns;        /* last resume of any tracee */
	uint64_t waits_ns;          /* when it began to wait for a stop last */
	uint64_t resuming_ns;       /* what it took from telling waiters of a resume to that */
	uint64_t finished_ns;       /* end of the measurement; 0: not yet */
	struct account account;
	unsigned said_cost;  /* bits of totals noted as unknown somewhere */
	bool said_suspended; /* noted that cost calls were missed */
	bool said_debug;     /* noted that a thread has no debug registers */
	bool said_heap;      /* noted that there are too many blocks */
};
