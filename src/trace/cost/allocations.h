/*
 * Allocations: the metrics `mem` and `peak`.
 *
 * `mem` is what the thread has asked for, in bytes, by calls that succeeded and were not parts of
 * others: what realloc() gives counts whole, as it may be a new block, and so do zeroed and aligned
 * blocks, without what is added to align them. What a failing operator new allocates for its
 * exception does not count.
 *
 * `peak` is the most of that that was live at once; a block lives until it is freed, by whichever
 * thread, or given up by realloc(). Blocks of before the call, and those of other threads, are not
 * the call's. Mappings that mremap() moves are not followed.
 *
 * What cannot be known is absent: where nobody says what malloc() is, and of functions that
 * allocators call themselves.
 */
#pragma once

#include "core/catalogue/cost_call.h"
#include "core/value.h"
#include "trace/state/cost_state.h"

struct inferior;
struct open_call;
struct tracee;

/* For a call that begins; @inside: in a cost call of the heap. */
struct allocations_mark allocations_mark(const struct tracee *tracee, bool inside);

/* The metrics of @call, which ends in @tracee. */
struct value allocations_mem(const struct tracee *tracee, const struct open_call *call);
struct value allocations_peak(const struct tracee *tracee, const struct open_call *call);

/* For cost_calls.c. */
bool allocations_concern_all(const struct tracee *tracee, enum cost_call_kind kind);
void allocations_begin(struct tracee *tracee);
void allocations_end(struct tracee *tracee);
void allocations_free(struct tracee *tracee, uint64_t address);

/* @tracee has no open call any more. */
void allocations_forget(struct tracee *tracee);
