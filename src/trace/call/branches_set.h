/* What branches.c and branches_bytes.c know of a function's branches. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/state/image.h"
#include "trace/state/open_call.h"

enum { BRANCH_PROBES_MAX = 256 }; /* per function at a time */

enum branch_state {
	BRANCH_LIVE,
	BRANCH_LOOPED,  /* reached twice by a call; of a loop: turned too often */
	BRANCH_LOST,    /* cannot be measured */
	BRANCH_WAITING, /* planted when another is given up */
};

struct branch_probe {
	unsigned branch; /* index in function->branches */
	enum branch_state state;
	pid_t stranger; /* thread of the last one, 0: none; its stack pointer, and windows then */
	uint64_t stranger_sp;
	uint64_t stranger_window;
	unsigned strangers;
	bool is_rare;            /* only calls of the tenth are asked for it */
	uint64_t asked_since_ns; /* it was before; 0: it never was */
};

struct branch_set {
	struct branch_probe *list; /* loops, then branches; of each those outside loops first */
	size_t n, n_loops;
	size_t waiting;   /* index of the first that may be waiting */
	uint64_t windows; /* times the probes were lifted */
	uint64_t gaps;    /* times a call may have reached a branch unseen */
	bool said_cut;
};

/* It is live, but a call of this rank that began then was not asked for it. */
bool branches_is_unasked(const struct branch_probe *probe, uint32_t rank, uint64_t start_ns);

void branches_add_outcome(struct open_call *call, unsigned number, struct value value);
