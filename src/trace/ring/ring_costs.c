/*
 * A frame knows what its call has allocated itself, an open call what its callees have: the
 * difference of both is the sum of the thread since it began, up to where its callee began.
 */
#include "ring_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ring_heap.h"
#include "ring_streams.h"
#include "trace/call/probe_control.h"
#include "trace/cost/allocations.h"
#include "trace/cost/cost_calls.h"
#include "trace/cost/lock_calls.h"
#include "trace/probe/governor.h"
#include "trace/state/event_queue.h"
#include "trace/state/thread_clock.h"

/* Reading features, but strings, does not take longer: the thread lost its processor meanwhile. */
static const double READ_MOST_NS = 200000;

/* A byte of a string, from memory; what may be spent on strings until they are shortened. */
static const double STRING_BYTE_NS = 0.7, STRINGS_MOST_NS = 1e6;
enum { STRINGS_SHORTER = 16 };

_Static_assert((int)PAD_ARGUMENTS == (int)COST_ARGUMENTS, "the arguments of cost calls");

unsigned ring_costs_metrics(void)
{
	return metric_set_from(METRIC_HEAP);
}

static struct cost_call allocation_of(const struct tracee *tracee)
{
	const struct pad_cost_call *heap = &tracee->pad->block.heap;
	struct cost_call call = {.function = heap->cfa ? cost_calls_numbered(tracee, heap->function)
						       : NULL,
				 .cfa = heap->cfa,
				 .return_address = heap->return_address,
				 .period = tracee->inferior->cost.period,
				 .note = tracee->pad->heap.call.note};

	memcpy(call.arguments, heap->arguments, sizeof(heap->arguments));
	return call;
}

static struct cost_call operation_of(const struct tracee *tracee)
{
	const struct pad_lock_call *noted = &tracee->pad->block.locks.call;
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;
	struct cost_call call = {
		.function = noted->cfa ? cost_calls_numbered(tracee, noted->function) : NULL,
		.cfa = noted->cfa,
		.return_address = noted->return_address,
		.start_ns = tsc_clock_moment_ns(clock, noted->begin + tracee->pad->stolen),
		.stopped_ns = tracee->stopped_ns,
		.stops = tracee->stops - 1,
		.period = tracee->inferior->cost.period,
		.note = (uint64_t)(thread_clock_ns(tracee) -
				   (int64_t)tsc_clock_ns(clock, (int64_t)(tracee->pad->locks.now -
									  noted->begin)))};

	if (call.function)
		call.arguments[call.function->kind == COST_CONDITION_WAIT] = noted->object;
	return call;
}

/* One may be within the other. */
static void take_calls(struct tracee *tracee)
{
	const struct pad_block *block = &tracee->pad->block;
	const struct cost_call allocation = allocation_of(tracee);
	const struct cost_call operation = operation_of(tracee);
	const bool inside =
		allocation.function && (!operation.function || !block->locks.call.inside);

	tracee->cost = inside ? allocation : operation;
	tracee->outer_cost = inside ? operation : allocation;
}

/* Of a call that was not chosen nobody asks: it may begin now. */
void ring_costs_take(struct tracee *tracee, size_t from)
{
	const struct ring *ring = tracee->inferior->session->ring;
	uint64_t next = tracee->pad->block.mem;

	if (ring->mem || ring->wait || ring->hold || ring->streams)
		take_calls(tracee);
	if (ring->streams)
		ring_streams_take(tracee);
	if (!ring->mem)
		return;
	tracee->allocations.bytes = next;
	allocations_take_frames(tracee);
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

static uint64_t number_of(const struct tracee *tracee, const struct cost_call *call)
{
	return (uint64_t)(call->function - tracee->inferior->image->catalogue->cost_functions) + 1;
}

static void give_operation(const struct tracee *tracee, const struct cost_call *call, bool inside,
			   struct pad_lock_call *ret)
{
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;
	const int64_t since_ns = thread_clock_ns(tracee) - (int64_t)call->note;

	*ret = (struct pad_lock_call){
		.cfa = call->cfa,
		.return_address = call->return_address,
		.function = (uint32_t)number_of(tracee, call),
		.kind = call->function->kind,
		.object = call->arguments[call->function->kind == COST_CONDITION_WAIT],
		.inside = inside,
		.begin = tracee->pad->locks.now -
			 (uint64_t)tsc_clock_ticks(clock, (double)since_ns)};
}

static void give_call(const struct tracee *tracee, const struct cost_call *call, bool inside,
		      struct pad_block *block)
{
	if (!call->function)
		return;
	if (lock_calls_has(call->function->kind)) {
		give_operation(tracee, call, inside, &block->locks.call);
		return;
	}
	block->heap = (struct pad_cost_call){.cfa = call->cfa,
					     .return_address = call->return_address,
					     .function = number_of(tracee, call),
					     .bytes = allocations_asked(call)};
	memcpy(block->heap.arguments, call->arguments, sizeof(call->arguments));
	tracee->pad->heap.call = *call;
}

void ring_costs_give(const struct tracee *tracee, struct pad_block *block)
{
	const struct ring *ring = tracee->inferior->session->ring;

	if (ring->mem)
		block->mem = tracee->allocations.bytes;
	block->heap.cfa = block->locks.call.cfa = 0;
	give_call(tracee, &tracee->outer_cost, false, block);
	give_call(tracee, &tracee->cost, tracee->outer_cost.function, block);
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
	const struct ring_cost *cost = &session->ring->cost;
	const double ns =
		(double)(block->costs - tracee->pad->costs) * cost->heap_ns +
		(double)(block->locks.operations - tracee->pad->operations) * cost->lock_ns +
		tracee->pad->streams.spent_ns;
	size_t index;

	if (ns <= 0)
		return;
	tracee->pad->costs = block->costs;
	tracee->pad->operations = block->locks.operations;
	tracee->pad->streams.spent_ns = 0;
	index = busiest_function(tracee, sums, n);
	if (index == n)
		index = open_function(tracee, block, n);
	if (index < n)
		probe_control_spend(session, session->images[tracee->inferior->image->index], index,
				    (uint64_t)ns, 0);
}

/* A call of a closed function may pass its pads. */
static double begun_ns(const struct tracee *tracee, const struct pad_sums *sums, size_t i)
{
	const struct pad_sums *before = &tracee->pad->sums[i];
	const double ns = tracee->inferior->session->ring->cost.call_ns;

	return (double)(sums[i].begun - before->begun) * ns +
	       (before->closed && sums[i].closed > before->closed
			? (double)(sums[i].closed - before->closed) * RING_PASSED_NS
			: 0);
}

void ring_costs_listen(struct tracee *tracee, const struct pad_sums *sums, size_t n)
{
	const struct session *session = tracee->inferior->session;
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);
	struct ring_loud *loud = &tracee->pad->loud;
	const uint64_t heard_ns = loud->heard_ns ? loud->heard_ns : session->start_ns;
	const double most = GOVERNOR_LOUD * (double)(now_ns - heard_ns);

	loud->heard_ns = now_ns;
	if (!session->options.max_overhead)
		return;
	for (size_t i = 0; i < n; i++) {
		if (begun_ns(tracee, sums, i) <= most)
			continue;
		if (loud->until_ns != heard_ns && loud->until_ns != now_ns)
			*loud = (struct ring_loud){now_ns, heard_ns, now_ns, (unsigned)i, false};
		loud->others |= loud->function != i;
		loud->until_ns = now_ns;
	}
}

bool ring_costs_is_beside(const struct tracee *tracee, unsigned function, uint64_t start_ns)
{
	const struct ring_loud *loud = &tracee->pad->loud;
	const bool still = loud->until_ns == loud->heard_ns;

	return loud->until_ns && (loud->others || loud->function != function) &&
	       start_ns >= loud->from_ns && (still || start_ns < loud->until_ns);
}

/* Looking for the ends of strings, as far as @limit. */
static double strings_ns(const struct ring_function *function, uint32_t limit,
			 const struct value *features)
{
	double bytes = 0;

	for (size_t i = 0; i < function->n_strings; i++) {
		const struct value *value = &features[function->strings[i]];

		if (value->absence == ABSENT_TOO_LONG)
			bytes += limit;
		else if (value->absence == PRESENT)
			bytes += fmin(fmax(value->number, 0), limit);
	}
	return bytes * STRING_BYTE_NS;
}

/* Buffers are no strings: looking for ends is not to take longer than the calls themselves. */
static void shorten_strings(struct session *session, struct measured_function *measured)
{
	if (measured->read.strings_ns < STRINGS_MOST_NS ||
	    measured->read.strings_ns < measured->read.calls_ns ||
	    measured->strings <= PAD_STRINGS_LEAST)
		return;
	if (measured->strings == PLAN_STRING_MAX)
		event_queue_note(session,
				 "strings that %s can read are so long that finding their ends "
				 "takes longer than its calls: longer ones than %d bytes, or a "
				 "multiple of it, are absent (too long)",
				 measured->function->name, PAD_STRINGS_LEAST);
	measured->strings /= STRINGS_SHORTER;
	measured->read.strings_ns = measured->read.calls_ns = 0;
}

void ring_costs_spend_reading(struct session *session, struct measured_function *measured,
			      const struct ring_function *function, const struct pad_frame *record,
			      const struct value *features)
{
	const struct tsc_clock *clock = &session->ring->clock;
	const double strings = strings_ns(function, measured->strings, features);
	const double ns = tsc_clock_ns(clock, record->cost);

	governor_spend(session->governor, measured->governed,
		       (uint64_t)fmin(fmax(ns, 0), READ_MOST_NS + strings), false);
	measured->read.strings_ns += strings;
	measured->read.calls_ns += fmax(0, tsc_clock_ns(clock, (int64_t)record->ticks));
	shorten_strings(session, measured);
}

struct site_sums *ring_costs_record(struct tracee *tracee, const struct pad_frame *record,
				    bool knows_callees, struct value *metrics)
{
	struct site_sums *sites = NULL;
	struct inferior *inferior = tracee->inferior;
	const unsigned totals = metric_totals(inferior->session->options.metrics);
	struct value *self = &metrics[METRIC_SELF + METRIC_MEM];

	if (inferior->session->ring->blocks)
		sites = ring_heap_record(tracee, (int64_t)record->id, &metrics[METRIC_SUMS]);
	if (!(totals & 1u << METRIC_MEM) || !allocations_known(inferior, METRIC_MEM)) {
		free(sites);
		return NULL;
	}
	metrics[METRIC_MEM] = (struct value){.number = (double)record->mem};
	*self = (struct value){.number = (double)record->own_mem};
	if (!knows_callees || record->own_mem & PAD_MEM_UNKNOWN)
		*self = (struct value){.absence = ABSENT_CALLEE};
	return sites;
}
