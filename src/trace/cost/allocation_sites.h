/*
 * Allocations by site: which calls in the code a thread's allocations were made by, so that each
 * measured call knows how many bytes each site allocated within it.
 */
#pragma once

#include "trace/state/cost_state.h"

struct site_sums; /* trace/session.h */
struct tracee;

/* @tracee, in a measured call, has got @bytes, by a call that returns to @return_address. */
void allocation_sites_add(struct tracee *tracee, uint64_t return_address, uint64_t bytes);

/*
 * A call of @tracee has ended, which began with @scope, and is not among its calls, or is the only
 * one with that scope. What it allocated, the caller's to free; NULL: nobody asked, or it is not
 * @is_known.
 */
struct site_sums *allocation_sites_end(struct tracee *tracee, const struct heap_scope *scope,
				       bool is_known);
