/*
 * The engine behind a session: its state. Functions are declared in the header of their .c.
 *
 * Private to trace/ and its tests. One stop is handled at a time: the tracee that it belongs to
 * stays stopped until session_next() is called again, so that all work of ours falls into time that
 * is known and subtracted.
 */
#pragma once

#include "cost_state.h"
#include "image.h"
#include "trace/probe/loader.h"
#include "open_call.h"
#include "trace/session.h"
#include "trace/target/target.h"
#include "tracee.h"

/* As in struct stat, when the inferior began. */
struct file_identity {
	uint64_t device, inode;
	int64_t size, seconds, nanoseconds;
};

/* Where a module of the catalogue is. */
struct inferior_module {
	const char *path; /* without links; this and the next two only of libraries */
	bool known;       /* there was such a file */
	struct file_identity file;
	bool said_changed;
	bool mapped;
	uint64_t load_bias; /* this and the rest while it is mapped */
	uint64_t low, high; /* from its first byte to the end of its code; only of libraries */
};

/* A process, or rather its memory: what is planted there, and where everything is. */
struct inferior {
	struct session *session;
	pid_t pid;
	const struct image *image;       /* NULL: it runs a program of which nothing is measured */
	struct inferior_module *modules; /* as many as the catalogue has */
	struct class_map class_map;      /* of the mapped modules */
	struct class_map_range *class_ranges;
	struct loader loader;
	struct breakpoint_table *breakpoints; /* NULL while nothing is measured */
	uint64_t stack_mark; /* an address in the first thread's stack; 0: unknown */
	struct region *regions;
	size_t n_regions;
	uint64_t
		/* where the program starts; its int3 is the first breakpoint. 0: it was reached */
		start_pc;
	uint8_t start_byte;
	unsigned start_guarded; /* as in struct breakpoint */
	bool ignores_trap;      /* SIGTRAP did no harm before our first int3 */
	bool told_stop;         /* a prompt knows that it is stopped by a signal */
	bool blind; /* something that is open could not be planted: calls are not seen */
	struct call_stack orphans; /* open calls whose threads are gone: see migrated_calls.c */
	size_t n_open;             /* open calls of its tracees, orphans apart */
	/* the function of the call that began last; -1: it is not measured any more */
	int begun_last;
	unsigned lingering_hits; /* see lock_calls.h */
	struct cost_probes cost;
	struct heap heap;
	size_t n_tracees; /* in it */
	size_t n_threads; /* tracees that are its threads */
	struct arena *arena;
	struct inferior *next;
};

struct queued_event {
	struct session_event event;
	struct value *features; /* owned */
	struct value *branches; /* owned */
};

struct session {
	struct target target;
	struct session_options options;
	struct insn_decoder *decoder;
	struct arena *arena; /* images, notes */
	struct plan_runner *runner;
	struct value *values; /* of the plans that were run last */
	size_t values_capacity;
	struct image **images;
	size_t n_images, images_capacity;
	struct inferior *inferiors;
	struct tracee *tracees;
	struct tracee *current;   /* the tracee whose stop is being handled, NULL: none */
	struct inferior *started; /* has a new program, of which nobody said yet what to measure */
	bool resting;             /* no processor is shared until a tracee goes on */
	pid_t pid;                /* of the first inferior */
	uint64_t start_ns;
	int64_t last_id;
	struct queued_event *queue;
	size_t n_queued, next_queued, queue_capacity;
	struct ending ending;
	uint64_t withheld_until_ns; /* calls are; 0: none. See lock_calls.h */
	bool launched;              /* the first inferior is a child of ours */
	bool holding;               /* nobody is resumed by what others do */
	bool halted;                /* until session_continue() */
	bool continuing;            /* it was to go on, but is to be asked something first */
	uint64_t halted_at_ns;
	pid_t signalled; /* the thread of the signal that a prompt was told of last; 0: none */
	int injected;    /* a signal of ours for the program; 0: none */
	bool leaving;    /* nor told anything; everybody will be let go */
	bool left;       /* everything was let go */
	bool ended;
	bool over; /* there is no target any more */
	struct governor *governor;
	uint64_t due_ns;      /* no cycle of the governor begins before; 0: nothing is known */
	uint64_t resumed_ns;  /* when a tracee went on for the last time */
	uint64_t finished_ns; /* when the measurement was over; 0: not yet */
	struct account account;
	unsigned said_cost;  /* bits of totals that are not known everywhere, as was said */
	bool said_suspended; /* cost calls of some calls were not noticed, as was said */
	bool said_heap;      /* there are more blocks than can be kept */
};
