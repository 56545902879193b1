/*
 * What pads of functions that allocate have noted, as what trace/cost knows of a thread, and back.
 */
#pragma once

#include "pads.h"

/* What a call of a closed function costs that passes its pads, at both ends. */
#define RING_PASSED_NS 4.0

/* The bits of the totals that pads measure so. */
unsigned ring_costs_metrics(void);

/*
 * The thread's block was read, and its frames are its calls from index @from on, each with
 * `frame_own`, and allocations.bytes, if its frame is all there is of it: take the block's sums.
 */
void ring_costs_take(struct tracee *tracee, size_t from);

/* The reverse: the fields of its block, and own_mem of @call, one of its calls. */
void ring_costs_give(const struct tracee *tracee, struct pad_block *block);
uint64_t ring_costs_own(const struct tracee *tracee, const struct open_call *call);

/*
 * Charge what the pads have cost until @block was read to the function that used most of the time
 * since its sums were last read, which @sums [@n] are now.
 */
void ring_costs_spend(struct tracee *tracee, const struct pad_block *block,
		      const struct pad_sums *sums, size_t n);

/*
 * Note which functions were loud (governor.h) in @tracee since its sums were last read, which @sums
 * [@n] are now. Nothing is noted without a budget, as these would be all calls.
 */
void ring_costs_listen(struct tracee *tracee, const struct pad_sums *sums, size_t n);

/* Did a call of @function that began at @start_ns begin beside another such one? */
bool ring_costs_is_beside(const struct tracee *tracee, unsigned function, uint64_t start_ns);

/*
 * Charge what reading the @features of @record took: hundreds take many times what anything else
 * does, and most where caches are cold. Where looking for the ends of strings takes longer than the
 * calls themselves, pads look less far from now on, and it is noted.
 */
void ring_costs_spend_reading(struct session *session, struct measured_function *measured,
			      const struct ring_function *function, const struct pad_frame *record,
			      const struct value *features);

/* The metrics of a record; what was allocated where is the caller's to free, NULL: not known. */
struct site_sums *ring_costs_record(struct tracee *tracee, const struct pad_frame *record,
				    bool knows_callees, struct value *metrics);
