/*
 * Threads free each other's blocks, so their events are brought into one order before anything is
 * done with them, and none later than a common moment is taken: another thread's earlier one may
 * not have been read. One that is late, as its thread was interrupted in the pad, stands for
 * something that comes behind the pad.
 */
#include "ring_heap.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ring_streams.h"
#include "trace/cost/allocations.h"

/* A thread's events that were not taken before, in up to two parts of its ring. */
struct events {
	struct tracee *tracee;
	uint64_t head;
	const struct pad_event *list;
	size_t n, next;
};

static size_t list_threads(struct inferior *inferior, struct events **ret)
{
	struct tracee *tracee, *next;
	size_t n = 0;

	*ret = mem_alloc((HASH_COUNT(inferior->session->tracees) + 1) * sizeof(**ret));
	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->pad)
			(*ret)[n++].tracee = tracee;
	return n;
}

static void read_heads(const struct target *target, struct events *threads, size_t n)
{
	struct memory_read *reads = mem_alloc((n + 1) * sizeof(*reads));

	for (size_t i = 0; i < n; i++)
		reads[i] = (struct memory_read){.address = threads[i].tracee->pad->address +
							   offsetof(struct pad_block, events),
						.to = &threads[i].head,
						.size = sizeof(threads[i].head)};
	target->ops->read(target->self, threads[0].tracee->tid, reads, n);
	for (size_t i = 0; i < n; i++) {
		struct tracee *tracee = threads[i].tracee;
		const uint64_t taken = tracee->pad->heap.taken;

		if (!reads[i].ok)
			threads[i].head = taken;
		else if (threads[i].head - taken > PAD_EVENTS_SIZE ||
			 threads[i].head % sizeof(struct pad_event))
			pads_give_up(tracee->inferior, "the program has overwritten its records");
		if (threads[i].head - taken > PAD_EVENTS_SIZE)
			threads[i].head = taken;
		threads[i].n = (threads[i].head - taken) / sizeof(struct pad_event);
	}
	free(reads);
}

/* Returns what they are in, NULL if there are none. */
static struct pad_event *read_events(const struct target *target, struct events *threads, size_t n)
{
	struct memory_read *reads = mem_alloc((2 * n + 1) * sizeof(*reads));
	struct pad_event *all;
	size_t n_reads = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += threads[i].n;
	all = sum ? mem_alloc(sum * sizeof(*all)) : NULL;
	for (size_t i = 0, done = 0; i < n; done += threads[i++].n) {
		const struct pad_thread *pad = threads[i].tracee->pad;
		const uint64_t at = pad->heap.taken % PAD_EVENTS_SIZE;
		const uint64_t size = threads[i].n * sizeof(*all);
		const uint64_t first = size < PAD_EVENTS_SIZE - at ? size : PAD_EVENTS_SIZE - at;
		const uint64_t ring = pad->address + PAD_EVENTS_OFFSET;

		threads[i].list = all + done;
		if (first)
			reads[n_reads++] = (struct memory_read){
				.address = ring + at, .to = all + done, .size = first};
		if (size > first)
			reads[n_reads++] =
				(struct memory_read){.address = ring,
						     .to = (uint8_t *)(all + done) + first,
						     .size = size - first};
	}
	if (n_reads)
		target->ops->read(target->self, threads[0].tracee->tid, reads, n_reads);
	free(reads);
	return all;
}

/* Whose next event is the earliest; NULL: none is until @horizon. */
static struct events *earliest(struct events *threads, size_t n, uint64_t horizon)
{
	struct events *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (threads[i].next == threads[i].n ||
		    threads[i].list[threads[i].next].at > horizon)
			continue;
		if (!found || threads[i].list[threads[i].next].at < found->list[found->next].at)
			found = &threads[i];
	}
	return found;
}

static void heap_end_call(struct tracee *tracee, int64_t id)
{
	struct ring_heap *heap = &tracee->pad->heap;

	heap->ended =
		mem_grow(heap->ended, &heap->capacity, heap->n_ended + 1, sizeof(*heap->ended));
	heap->ended[heap->n_ended].id = id;
	heap->ended[heap->n_ended].sites =
		allocations_frame_ends(tracee, id, heap->ended[heap->n_ended].metrics);
	heap->n_ended++;
}

/* It is known by its end, or by its begin and its end. */
static struct cost_call *cost_call_of(struct tracee *tracee, const struct pad_event *event)
{
	const struct catalogue *catalogue = tracee->inferior->image->catalogue;
	struct cost_call *call = &tracee->pad->heap.call;

	if (!event->function || event->function > catalogue->n_cost_functions)
		return NULL;
	call->function = &catalogue->cost_functions[event->function - 1];
	return call;
}

static void take_event(struct tracee *tracee, const struct pad_event *event)
{
	struct cost_call *call;

	ring_streams_event(tracee, event);
	if (!tracee->inferior->session->ring->blocks)
		return;
	switch ((enum pad_event_kind)event->kind) {
	case PAD_EVENT_CALL:
		allocations_frame_begins(tracee, (int64_t)event->a);
		break;
	case PAD_EVENT_END:
		heap_end_call(tracee, (int64_t)event->a);
		break;
	case PAD_EVENT_COST:
		call = cost_call_of(tracee, event);
		if (!call)
			break;
		call->arguments[0] = event->a;
		call->arguments[1] = event->b;
		if (call->function->kind == COST_FREE)
			allocations_free(tracee, event->a);
		else
			allocations_begin(tracee, call);
		break;
	case PAD_EVENT_SITE:
		tracee->pad->heap.call.return_address = event->a;
		break;
	case PAD_EVENT_COST_END:
		call = cost_call_of(tracee, event);
		if (call)
			allocations_end(tracee, call, event->a, event->b);
		break;
	case PAD_EVENT_STREAM:
	case PAD_EVENT_POSITION:
	case PAD_EVENT_STREAM_END:
		break;
	}
}

/* Records come in the order of the ends, but not all ends lead to one. */
struct site_sums *ring_heap_record(struct tracee *tracee, int64_t id, struct value ret[HEAP_TOTALS])
{
	struct site_sums *sites = NULL;
	struct ring_heap *heap = &tracee->pad->heap;
	size_t i = heap->next;

	while (i < heap->n_ended && heap->ended[i].id != id)
		i++;
	for (size_t m = 0; m < HEAP_TOTALS; m++)
		ret[m] = i < heap->n_ended ? heap->ended[i].metrics[m]
					   : (struct value){.absence = ABSENT_NOT_MEASURED};
	if (i == heap->n_ended)
		return NULL;
	heap->next = i + 1;
	sites = heap->ended[i].sites;
	heap->ended[i].sites = NULL;
	return sites;
}

/* Those that were asked for before. */
static void drop_ended(struct ring_heap *heap)
{
	size_t n = 0;

	if (!heap->next)
		return;
	for (size_t i = 0; i < heap->next; i++)
		free(heap->ended[i].sites);
	for (size_t i = heap->next; i < heap->n_ended; i++)
		heap->ended[n++] = heap->ended[i];
	heap->n_ended = n;
	heap->next = 0;
}

static void tell_taken(const struct target *target, struct events *thread)
{
	struct ring_heap *heap = &thread->tracee->pad->heap;

	heap->taken += thread->next * sizeof(struct pad_event);
	if (thread->next)
		target->ops->write(target->self, thread->tracee->tid,
				   thread->tracee->pad->address +
					   offsetof(struct pad_block, events_taken),
				   &heap->taken, sizeof(heap->taken));
}

void ring_heap_take(struct inferior *inferior)
{
	const struct target *target = &inferior->session->target;
	const uint64_t horizon = tsc_clock_ticks_now();
	struct events *threads, *event;
	struct pad_event *all;
	size_t n;

	if (!inferior->session->ring->blocks && !inferior->session->ring->streams)
		return;
	n = list_threads(inferior, &threads);
	if (n)
		read_heads(target, threads, n);
	all = n ? read_events(target, threads, n) : NULL;
	while (all && (event = earliest(threads, n, horizon)))
		take_event(event->tracee, &event->list[event->next++]);
	for (size_t i = 0; all && i < n; i++)
		tell_taken(target, &threads[i]);
	for (size_t i = 0; i < n; i++)
		drop_ended(&threads[i].tracee->pad->heap);
	free(all);
	free(threads);
}
