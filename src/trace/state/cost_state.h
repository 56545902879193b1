/* State for the metrics mem, peak, leaks, wait, hold and remote. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uthash.h>

#include "core/messages.h"
#include "core/metric.h"
#include "trace/target/target.h"

struct breakpoint;
struct cost_function;
struct heap_thread;
struct withheld_call;

enum { COST_ARGUMENTS = 4 };

/* Metrics of blocks of the heap: from METRIC_SUMS on. */
enum { HEAP_TOTALS = METRIC_TOTALS - METRIC_SUMS };

/* A live block of the heap; see heap.h. */
struct heap_block {
	uint64_t address;
	uint64_t size;
	uint64_t number;
	pid_t thread;                       /* that allocated it */
	struct heap_block *previous, *next; /* of its thread */
	struct heap_block *previous_mapped, *next_mapped;
	bool mapped;
	UT_hash_handle hh;
};

struct heap {
	struct heap_block *blocks; /* by address */
	struct heap_block *mapped; /* mapped blocks */
	struct heap_thread *threads;
	uint64_t last; /* number of the last block */
	uint64_t lost; /* blocks not recorded, for want of room */
	size_t max;    /* 0: HEAP_BLOCKS_MAX */
};

/* Of a call: the blocks that its thread allocated since it began. */
struct heap_scope {
	uint64_t since;      /* number of the last block before it */
	uint64_t lost;       /* heap.lost then */
	uint64_t live, peak; /* bytes */
	uint64_t n_live;     /* blocks, without mappings */
	size_t sites;        /* of the thread then */
};

/* Of a call that is in its thread's frames, see trace/ring/ring_heap.h. */
struct framed_scope {
	int64_t id;
	struct heap_scope scope;
};

struct allocation_site {
	uint64_t return_address;
	uint64_t bytes;
};

/* What a thread allocated while measured calls were open. */
struct allocations {
	uint64_t bytes;
	/* The same by site, each once since the innermost of these calls began; owned. */
	struct allocation_site *sites;
	size_t n_sites, sites_capacity;
	struct framed_scope *framed; /* the innermost call's last; owned */
	size_t n_framed, framed_capacity;
};

/* The thread's sums when a call began. */
struct allocations_mark {
	uint64_t bytes;
	bool inside; /* began in a cost call, whose parts do not count */
	struct heap_scope scope;
};

/* See locks.h. */
struct held_lock {
	uint64_t object;
	unsigned count; /* times taken: recursive mutexes, readers */
};

struct locks {
	bool watched;
	bool known;             /* nothing was held when watching began */
	bool muddled;           /* held locks are unknown until watching restarts */
	struct held_lock *held; /* in no order; owned */
	size_t n_held, capacity;
	int64_t waited_ns;
	int64_t held_ns;       /* before held_since_ns */
	int64_t held_since_ns; /* while n_held > 0 */
	bool proven;
	int64_t proven_ns;      /* while proven: some lock was held from the beginning until then */
	int64_t proven_held_ns; /* held_ns then */
	unsigned doubts_of_wait, doubts_of_hold;
};

/* Sums of a thread's locks at one moment. */
struct locks_mark {
	int64_t clock_ns;
	int64_t waited_ns, held_ns;
	unsigned doubts_of_wait, doubts_of_hold;
	bool muddled;
};

/* Lock calls of one tracee; all zero: not watched. */
struct lock_calls {
	struct locks locks;
	struct withheld_call *withheld; /* by time of end; owned */
	size_t n_withheld, capacity;
	unsigned operations_left; /* while lingering, see lock_calls.h */
};

/* A tracee's open cost call. */
struct cost_call {
	const struct cost_function *function; /* NULL: none; the rest is then undefined */
	uint64_t arguments[COST_ARGUMENTS];
	uint64_t cfa;
	uint64_t return_address;
	bool began;          /* in this stop: its clock starts at the resume */
	uint64_t start_ns;   /* the tracee's resume */
	uint64_t stopped_ns; /* its time in stops until then */
	uint64_t stops;      /* and their number */
	unsigned period;     /* see struct cost_probes */
	uint64_t note;       /* from the begin handler to the end handler */
};

/* A call's time in requests to one peer. */
struct peer_wait {
	bool awaits; /* was sent something, and nothing received since */
	/* it is summed up to here, by the thread's clock and by all others' */
	int64_t until_ns;
	uint64_t until_stop_ns;
	int64_t remote_ns; /* of all peers, up to there */
};

/* What a call sent and received so far; see transfers.h. */
struct transfers {
	struct messages messages;
	enum connection asked_by, served_by;
	/* of messages.asked; the last one is of all further peers */
	struct peer_wait waits[MESSAGE_ASKED_MOST + 1];
	int64_t remote_ns; /* its time in requests, of several at once once */
	/* it works for what it is asked since here, likewise; since_stop_ns 0: since it began */
	int64_t since_ns;
	uint64_t since_stop_ns;
	int64_t receiving_ns; /* and was receiving, meanwhile */
	bool received_before; /* what it serves, while no call was open: see requests.h */
	/* When the call began, likewise: by a pad; began_stop_ns 0: by a stop */
	int64_t began_ns;
	uint64_t began_stop_ns;
};

/* The transfer that a thread is in. */
struct transfer {
	struct stream_position at; /* when it began; CONNECTION_NONE: no connection */
	bool sends;
	int64_t began_ns; /* by the thread's clock, and by all others' */
	uint64_t began_stop_ns;
	int64_t ended_ns; /* likewise, as it ends */
	uint64_t ended_stop_ns;
	bool closed; /* it tells that nothing more will come */
};

/* Of a thread: what it received, and has not answered; see requests.h. */
struct requests {
	struct request {
		struct message message; /* as of one that is served */
		enum connection connection;
		bool taken; /* a call works for it */
	} * list;           /* owned */
	size_t n, capacity;
	bool lost;       /* there was no room for some */
	unsigned turn;   /* of requests that may be a call's, the one that it names */
	unsigned period; /* of struct cost_probes, when it was watched last */
};

/* A thread's calls that pads follow, the innermost one last; owned. */
struct framed_transfers {
	struct framed_transfer {
		int64_t id;
		struct transfers of;
	} * list;
	size_t n, capacity;
};

/* Probes of a mapped cost function. */
struct cost_probe {
	const struct cost_function *function;
	struct breakpoint *entry;
	struct breakpoint **exits; /* [function's exits] */
	struct breakpoint **jumps; /* [function's jumps] */
	bool exits_planted;
};

/* Of an inferior; see cost_probes.h. */
struct cost_probes {
	struct cost_probe **list; /* both levels owned */
	size_t n, capacity;
	struct breakpoint **planted; /* apart from entries */
	size_t n_planted, planted_capacity;
	bool open;
	bool lasting;    /* they stay, and all exits with them: pads do most of their work */
	unsigned period; /* rises at each lifting: ends of older cost calls were missed */
	bool suspended;  /* too costly: lifted until the governor's next cycle */
	uint64_t gaps;   /* number of suspensions: open calls' costs are incomplete */
	unsigned failed; /* bits of totals for which a needed function could not be probed */
};
