/* Where blocks, parts of functions, end, and where their functions are left before. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* Begins all zero. */
struct block_exits {
	size_t n;  /* private */
	bool ends; /* the call ends; else it is left, and never will */
};

/* The next call of a block, the innermost first, that has an exit at @breakpoint; NULL: none. */
struct open_call *block_exits_next(struct session *session, struct tracee *tracee,
				   const struct breakpoint *breakpoint, struct block_exits *at);
