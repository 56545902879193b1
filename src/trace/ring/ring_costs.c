/*
 * A frame knows what its call has allocated itself, an open call what its callees have: the
 * difference of both is the sum of the thread since it began, up to where its callee began.
 */
#include "ring_costs.h"

#include <string.h>

#include "trace/call/probe_control.h"
#include "trace/cost/allocations.h"

_Static_assert((int)PAD_ARGUMENTS == (int)COST_ARGUMENTS, "the arguments of cost calls");

unsigned ring_costs_metrics(void)
{
	return 1u << METRIC_MEM;
}

static void take_call(struct tracee *tracee)
{
	const struct pad_cost_call *heap = &tracee->pad->block.heap;
	const struct inferior *inferior = tracee->inferior;
	const struct catalogue *catalogue = inferior->image->catalogue;

	tracee->cost = (struct cost_call){.function = NULL};
	if (!heap->cfa || !heap->function || heap->function > catalogue->n_cost_functions)
		return;
	tracee->cost =
		(struct cost_call){.function = &catalogue->cost_functions[heap->function - 1],
				   .cfa = heap->cfa,
				   .return_address = heap->return_address,
				   .period = inferior->cost.period};
	memcpy(tracee->cost.arguments, heap->arguments, sizeof(heap->arguments));
}

/* Of a call that was not chosen nobody asks: it may begin now. */
void ring_costs_take(struct tracee *tracee, size_t from)
{
	uint64_t next = tracee->pad->block.mem;

	if (!tracee->inferior->session->ring->mem)
		return;
	take_call(tracee);
	tracee->allocations.bytes = next;
	for (size_t i = tracee->calls.n; i > from; i--) {
		struct open_call *call = &tracee->calls.calls[i - 1];
		const uint64_t own = call->frame_own & ~PAD_MEM_UNKNOWN;

		if (call->frame && call->left_out)
			call->allocations.bytes = next;
		else
			call->inner[METRIC_MEM] =
				(double)(int64_t)(next - call->allocations.bytes - own);
		if (!call->left_out && call->frame_own & PAD_MEM_UNKNOWN)
			call->inner_unknown |= 1u << METRIC_MEM;
		next = call->allocations.bytes;
	}
}

void ring_costs_give(const struct tracee *tracee, struct pad_block *block)
{
	const struct cost_call *cost = &tracee->cost;
	const struct catalogue *catalogue = tracee->inferior->image->catalogue;

	if (!tracee->inferior->session->ring->mem)
		return;
	block->mem = tracee->allocations.bytes;
	block->heap.cfa = cost->function ? cost->cfa : 0;
	if (!cost->function)
		return;
	block->heap.return_address = cost->return_address;
	block->heap.function = (uint64_t)(cost->function - catalogue->cost_functions) + 1;
	block->heap.bytes = allocations_asked(cost);
	memcpy(block->heap.arguments, cost->arguments, sizeof(cost->arguments));
}

uint64_t ring_costs_own(const struct tracee *tracee, const struct open_call *call)
{
	const bool is_last = call == &tracee->calls.calls[tracee->calls.n - 1];
	const uint64_t next = is_last ? tracee->allocations.bytes : call[1].allocations.bytes;
	const bool unknown = call->inner_unknown & 1u << METRIC_MEM;

	return (next - call->allocations.bytes - (uint64_t)(int64_t)call->inner[METRIC_MEM]) |
	       (unknown ? PAD_MEM_UNKNOWN : 0);
}

/* No call of any has ended: the one that is open now; @n: none. */
static size_t open_function(const struct tracee *tracee, const struct pad_block *block, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	uint32_t function = 0;
	struct memory_read read = {.address = block->top + offsetof(struct pad_frame, function),
				   .to = &function,
				   .size = sizeof(function)};

	target->ops->read(target->self, tracee->tid, &read, 1);
	return read.ok && function < n ? function : n;
}

static size_t busiest_function(const struct tracee *tracee, const struct pad_sums *sums, size_t n)
{
	int64_t most = 0;
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		const int64_t ticks = (int64_t)(sums[i].ticks - tracee->pad->sums[i].ticks);

		if (ticks > most) {
			most = ticks;
			found = i;
		}
	}
	return found;
}

void ring_costs_spend(struct tracee *tracee, const struct pad_block *block,
		      const struct pad_sums *sums, size_t n)
{
	struct session *session = tracee->inferior->session;
	const uint64_t calls = block->costs - tracee->pad->costs;
	size_t index;

	if (!calls)
		return;
	tracee->pad->costs = block->costs;
	index = busiest_function(tracee, sums, n);
	if (index == n)
		index = open_function(tracee, block, n);
	if (index < n)
		probe_control_spend(session, session->images[tracee->inferior->image->index], index,
				    (uint64_t)((double)calls * session->ring->cost.heap_ns));
}

void ring_costs_record(struct inferior *inferior, const struct pad_frame *record,
		       bool knows_callees, struct value *metrics)
{
	struct value *self = &metrics[METRIC_SELF + METRIC_MEM];

	if (!inferior->session->ring->mem || !allocations_known(inferior, METRIC_MEM))
		return;
	metrics[METRIC_MEM] = (struct value){.number = (double)record->mem};
	*self = (struct value){.number = (double)record->own_mem};
	if (!knows_callees || record->own_mem & PAD_MEM_UNKNOWN)
		*self = (struct value){.absence = ABSENT_CALLEE};
}
