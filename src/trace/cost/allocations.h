/*
 * Allocations: the metrics `mem`, `peak`, `leaks` and `leaks.blocks`.
 *
 * `mem` is the bytes that the thread has requested, by calls that succeeded and were not parts of
 * others. realloc() counts in full, as it may return a new block; so do zeroed and aligned blocks,
 * without the padding. What a failing operator new allocates for its exception does not count.
 *
 * `peak` is the most of that that was live at once; a block lives until any thread frees it, or
 * realloc() replaces it. Blocks from before the call or of other threads do not count. Mappings
 * moved by mremap() are not followed. `leaks` is what is live when the call ends, be it lost,
 * returned or kept on purpose; `leaks.blocks` counts these blocks, mappings are none.
 *
 * All are absent where malloc() is unknown, and for functions that allocators call themselves.
 */
#pragma once

#include "core/catalogue/cost_call.h"
#include "core/value.h"
#include "trace/state/cost_state.h"

struct inferior;
struct open_call;
struct site_sums; /* trace/session.h */
struct tracee;

/* When a call begins; @inside: in a cost call of the heap. */
struct allocations_mark allocations_mark(const struct tracee *tracee, bool inside);

/* Is @metric, one of these, known there? If not, that is said. */
bool allocations_known(struct inferior *inferior, enum metric metric);

/* Metrics of @call, which ends in @tracee. */
struct value allocations_mem(const struct tracee *tracee, const struct open_call *call);
/* @metric: one of blocks. */
struct value allocations_blocks(const struct tracee *tracee, const struct open_call *call,
				enum metric metric);

/* The bytes that @call, of a kind that allocates, asks for. */
uint64_t allocations_asked(const struct cost_call *call);

/* For cost_calls.c. */
bool allocations_concern_all(const struct tracee *tracee, enum cost_call_kind kind);
void allocations_begin(struct tracee *tracee, struct cost_call *call);
/* @result: the block, or what the call returns, see allocations_result(); @size: it asked for. */
void allocations_end(struct tracee *tracee, const struct cost_call *call, uint64_t result,
		     uint64_t size);
uint64_t allocations_result(const struct tracee *tracee, const struct cost_call *call);
void allocations_free(struct tracee *tracee, uint64_t address);

/* If @tracee has no open call any more. */
void allocations_forget(struct tracee *tracee);

/*
 * For trace/ring: a call that pads follow begins; ends, with its metrics of blocks and its sites
 * (owned, or NULL); all of @tracee are among its calls again; @call is followed by pads from now
 * on.
 */
void allocations_frame_begins(struct tracee *tracee, int64_t id);
struct site_sums *allocations_frame_ends(struct tracee *tracee, int64_t id,
					 struct value ret[HEAP_TOTALS]);
void allocations_take_frames(struct tracee *tracee);
void allocations_give_frame(struct tracee *tracee, const struct open_call *call);
