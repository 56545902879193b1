/* Open calls to frames, written at once as a thread is resumed. */
#include "ring_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pad_thread.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_locks.h"
#include "ring_streams.h"
#include "trace/call/branches.h"
#include "trace/call/call_metrics.h"
#include "trace/cost/allocations.h"
#include "trace/cost/transfers.h"
#include "trace/state/callee_sums.h"

/* Not of coroutines, of handlers on a stack of their own, and of what a gone call has called. */
static bool is_called_by_previous(const struct tracee *tracee, const struct open_call *call)
{
	return call->parent == (call > tracee->calls.calls ? call[-1].id : 0);
}

/* Does it need more than a frame has? */
static bool is_kept(const struct tracee *tracee, const struct open_call *call)
{
	const struct inferior *inferior = tracee->inferior;

	return (size_t)(call - tracee->calls.calls) < tracee->pad->n_spilled ||
	       !is_called_by_previous(tracee, call) || (call->return_pc && !call->unplanted) ||
	       call->kept_pc || call->outlived || call->restarted || call->moved || call->adopted ||
	       call->halted || call->awaited || call->allocations.inside ||
	       ring_locks_keeps(tracee, call) || !pads_function(inferior, call->function) ||
	       call->closings != inferior->image->closings;
}

/* The frame of @call, in @frame's room of frame_size() zeros. */
static void make_frame(struct tracee *tracee, const struct open_call *call, uint64_t now,
		       struct pad_frame *frame)
{
	const struct inferior *inferior = tracee->inferior;
	const struct ring *ring = inferior->session->ring;
	const struct ring_function *function;

	*frame = (struct pad_frame){
		.cfa = call->cfa,
		.function = UINT32_MAX,
		.flags = PAD_ADOPTED | (call->return_pc ? PAD_WAITING : 0),
		.id = (uint64_t)call->id,
		.rank = call->rank,
		.limit = call->limit,
		.mem = call->allocations.bytes,
		.own_mem = ring_costs_own(tracee, call),
		.before = call->before,
		.return_address = call->return_pc,
	};
	if (is_kept(tracee, call)) {
		if (ring->counts)
			ring_counts_give(tracee, call, frame);
		return;
	}
	function = pads_function(inferior, call->function);
	frame->function = call->function;
	frame->flags = (call->left_out ? 0 : PAD_CHOSEN) | (call->return_pc ? PAD_WAITING : 0);
	frame->start = now;
	if (call->start_ns)
		frame->start -=
			(uint64_t)tsc_clock_ticks(&ring->clock, call_metrics_span_ns(tracee, call));
	frame->inner = (uint64_t)tsc_clock_ticks(&ring->clock, call->inner[METRIC_TIME] * 1000);
	ring_locks_give_call(tracee, call, frame);
	if (call->left_out)
		return;
	ring_layout_words(function, call->features, frame);
	if (ring->counts)
		ring_counts_give(tracee, call, frame);
	ring_layout_give_callees(function, &ring->clock, call,
				 (struct pad_callee *)&frame->words[function->code.callees]);
	branches_give_bytes(&inferior->image->functions[call->function], call,
			    (uint8_t *)&frame->words[function->code.branches]);
}

/* What is written as a thread is resumed, at once. */
struct gift {
	struct memory_write *writes; /* owned, as are the copies */
	size_t n;
	void **copies;
	size_t n_copies;
};

/* @from: given away. */
static void add_write(struct gift *gift, uint64_t address, void *from, size_t size)
{
	gift->copies[gift->n_copies++] = from;
	gift->writes[gift->n++] =
		(struct memory_write){.address = address, .from = from, .size = size};
}

/* Its branches have been reached at stops. */
static void update_branches(const struct tracee *tracee, const struct open_call *call,
			    struct gift *gift)
{
	const struct inferior *inferior = tracee->inferior;
	const struct ring_function *function = pads_function(inferior, call->function);
	const uint64_t at = call->frame + offsetof(struct pad_frame, words) +
			    function->code.branches * sizeof(uint64_t);
	uint8_t *bytes = mem_alloc(function->code.n_branches + 1);

	branches_give_bytes(&inferior->image->functions[call->function], call, bytes);
	add_write(gift, at, bytes, function->code.n_branches);
}

/* Of callees. The beginning's are as they were. */
static void update_counts(struct tracee *tracee, const struct open_call *call, struct gift *gift)
{
	const size_t size = PAD_FRAME_SIZE + sizeof(struct pad_counts);
	struct pad_frame *now = mem_alloc(size);
	struct pad_counts *counts = (struct pad_counts *)now->words;
	uint64_t *uncounted = mem_alloc(sizeof(*uncounted));
	uint8_t *inner = mem_alloc(sizeof(counts->inner));

	now->flags = PAD_CHOSEN;
	ring_counts_give(tracee, call, now);
	*uncounted = now->uncounted;
	memcpy(inner, counts->inner, sizeof(counts->inner));
	free(now);
	add_write(gift, call->frame + offsetof(struct pad_frame, uncounted), uncounted,
		  sizeof(*uncounted));
	add_write(gift, call->frame + PAD_FRAME_SIZE + offsetof(struct pad_counts, inner), inner,
		  sizeof(counts->inner));
}

static void update_callees(struct tracee *tracee, const struct open_call *call, struct gift *gift)
{
	const struct ring_function *function = pads_function(tracee->inferior, call->function);
	const size_t size = function->code.n_callees * sizeof(struct pad_callee);
	struct pad_callee *now;

	if (!size)
		return;
	now = mem_alloc(size);
	ring_layout_give_callees(function, &tracee->inferior->session->ring->clock, call, now);
	add_write(gift, call->frame + PAD_FRAME_SIZE + function->code.callees * sizeof(uint64_t),
		  now, size);
}

/* What callees have cost: fields one behind the other. */
enum { INNER_SIZE = offsetof(struct pad_frame, waited) - offsetof(struct pad_frame, inner) };

static void update_frame(struct tracee *tracee, const struct open_call *call, struct gift *gift)
{
	const struct ring *ring = tracee->inferior->session->ring;

	if (ring->mem && !call->left_out && ring_costs_own(tracee, call) != call->frame_own) {
		uint64_t *own = mem_alloc(sizeof(*own));

		*own = ring_costs_own(tracee, call);
		add_write(gift, call->frame + offsetof(struct pad_frame, own_mem), own,
			  sizeof(*own));
	}
	if (call->inner[METRIC_TIME] != call->frame_inner || call->inner_unknown) {
		struct pad_frame now = {.inner = 0};
		uint64_t *inner = mem_alloc(INNER_SIZE);

		ring_locks_give_call(tracee, call, &now);
		now.inner =
			(uint64_t)tsc_clock_ticks(&ring->clock, call->inner[METRIC_TIME] * 1000);
		memcpy(inner, &now.inner, INNER_SIZE);
		add_write(gift, call->frame + offsetof(struct pad_frame, inner), inner, INNER_SIZE);
		if (ring->counts && !call->left_out)
			update_counts(tracee, call, gift);
	}
	if (!call->left_out && (call->callees_changed || call->inner_unknown))
		update_callees(tracee, call, gift);
	if (!call->left_out && call->n_branches != call->frame_branches)
		update_branches(tracee, call, gift);
}

static size_t frame_size(const struct tracee *tracee, const struct open_call *call)
{
	const struct ring *ring = tracee->inferior->session->ring;

	if (is_kept(tracee, call))
		return PAD_FRAME_SIZE + (ring->counts ? sizeof(struct pad_counts) : 0);
	if (call->left_out)
		return PAD_FRAME_SIZE;
	return ring_layout_size(pads_function(tracee->inferior, call->function));
}

/* The frames of the calls from index @from on, below @top, as far as they fit. The new top. */
static uint64_t make_frames(struct tracee *tracee, size_t from, uint64_t top, uint64_t now,
			    struct gift *gift)
{
	const uint64_t room = top - (tracee->pad->address + PAD_FRAMES_OFFSET);
	size_t size = 0, n = from;
	uint8_t *frames;

	while (n < tracee->calls.n && size + frame_size(tracee, &tracee->calls.calls[n]) <= room)
		size += frame_size(tracee, &tracee->calls.calls[n++]);
	frames = mem_alloc(size + 1);
	for (size_t i = from, done = 0; i < n; i++) {
		struct open_call *call = &tracee->calls.calls[i];
		struct pad_frame *frame;

		done += frame_size(tracee, call);
		frame = (struct pad_frame *)(frames + size - done);
		make_frame(tracee, call, now, frame);
		frame->previous = i == from ? top : call[-1].frame;
		call->frame = top - done;
	}
	add_write(gift, top - size, frames, size);
	return top - size;
}

/* Calls on several stacks, as of coroutines: pads cannot see which of them one is in. */
static bool is_entangled(const struct call_stack *calls)
{
	for (size_t i = 1; i < calls->n; i++)
		if (calls->calls[i].cfa > calls->calls[i - 1].cfa)
			return true;
	return false;
}

/* Below all stacks, so that each pad asks. */
static uint64_t add_bar(struct tracee *tracee, uint64_t top, struct gift *gift)
{
	const uint64_t at = top - PAD_FRAME_SIZE;
	struct pad_frame *bar;

	if (at < tracee->pad->address + PAD_FRAMES_OFFSET)
		return top;
	bar = mem_alloc(PAD_FRAME_SIZE);
	bar->previous = top;
	bar->function = UINT32_MAX;
	add_write(gift, at, bar, PAD_FRAME_SIZE);
	return at;
}

/* Calls that are whole in their frames are not the tracee's any more. */
static void drop_given(struct tracee *tracee)
{
	const struct ring *ring = tracee->inferior->session->ring;
	size_t kept = tracee->pad->n_spilled;

	for (size_t i = kept; i < tracee->calls.n; i++) {
		struct open_call *call = &tracee->calls.calls[i];

		if (is_kept(tracee, call)) {
			tracee->calls.calls[kept++] = *call;
			continue;
		}
		tracee->inferior->n_open--;
		if (ring->blocks && !call->left_out)
			allocations_give_frame(tracee, call);
		if (ring->streams && !call->left_out)
			transfers_give_frame(tracee, call);
		free(call->features);
		free(call->branches);
		callee_sums_destroy(call->callees);
	}
	tracee->calls.n = kept;
}

/* How many of the outermost calls do not fit into @room bytes with those that they have called. */
static size_t count_outside(const struct tracee *tracee, size_t room, size_t least)
{
	size_t i = tracee->calls.n;

	while (i > least && room >= frame_size(tracee, &tracee->calls.calls[i - 1]))
		room -= frame_size(tracee, &tracee->calls.calls[--i]);
	return i;
}

/* Half of the room is used then: whichever way it goes on, there is no stop for many calls. */
static void spill(struct tracee *tracee)
{
	const size_t room = PAD_FRAMES_END - PAD_FRAMES_OFFSET - 3 * PAD_FRAME_SIZE;
	const struct call_stack *calls = &tracee->calls;
	struct pad_thread *thread = tracee->pad;
	const size_t before = thread->n_spilled;

	if (before && calls->n > before && calls->calls[before - 1].id == thread->spilled_id &&
	    count_outside(tracee, room, before) == before)
		return;
	thread->n_spilled = 0;
	if (!before && !count_outside(tracee, room, 0))
		return;
	thread->n_spilled = count_outside(tracee, room / 2, 0);
	thread->spilled_id = 0;
}

/* How many frames are still right: the same calls, of the same kind. */
static size_t unchanged(const struct tracee *tracee)
{
	const struct pad_thread *thread = tracee->pad;
	const size_t outside = thread->n_spilled ? thread->n_spilled - 1 : 0;
	size_t i = thread->n_spilled;

	if (thread->n_spilled && !thread->spilled_id)
		return 0;
	while (i < tracee->calls.n && i - outside < thread->n_frames &&
	       tracee->calls.calls[i].frame == thread->frames[i - outside + 1] &&
	       !is_kept(tracee, &tracee->calls.calls[i]))
		i++;
	return i;
}

/* What callees added to the frame of the innermost spilled call was taken. */
static void clear_spilled(const struct tracee *tracee, struct gift *gift)
{
	const size_t size = sizeof(uint64_t) + INNER_SIZE;

	_Static_assert(offsetof(struct pad_frame, inner) == offsetof(struct pad_frame, ticks) + 8,
		       "ticks and inner are written together");
	add_write(gift, tracee->pad->frames[1] + offsetof(struct pad_frame, ticks), mem_alloc(size),
		  size);
	if (tracee->inferior->session->ring->counts)
		add_write(gift, tracee->pad->frames[1] + PAD_FRAME_SIZE,
			  mem_alloc(sizeof(struct pad_counts)), sizeof(struct pad_counts));
	if (tracee->inferior->session->ring->mem) {
		uint64_t *own = mem_alloc(sizeof(*own));

		*own = ring_costs_own(tracee, &tracee->calls.calls[tracee->pad->n_spilled - 1]);
		add_write(gift, tracee->pad->frames[1] + offsetof(struct pad_frame, own_mem), own,
			  sizeof(*own));
	}
}

/* Add what has changed. Returns the address of the innermost frame. */
static uint64_t add_frames(struct tracee *tracee, uint64_t now, struct gift *gift)
{
	struct pad_thread *thread = tracee->pad;
	const size_t outside = thread->n_spilled ? thread->n_spilled - 1 : 0;
	const size_t same = unchanged(tracee);
	uint64_t top;

	for (size_t i = thread->n_spilled; i < same; i++)
		update_frame(tracee, &tracee->calls.calls[i], gift);
	if (same && thread->n_spilled)
		clear_spilled(tracee, gift);
	if (thread->n_spilled)
		thread->spilled_id = tracee->calls.calls[thread->n_spilled - 1].id;
	top = same ? thread->frames[same - outside] : ring_frames_sentinel(thread);
	top = make_frames(tracee, same ? same : outside, top, now, gift);
	return is_entangled(&tracee->calls) ? add_bar(tracee, top, gift) : top;
}

/* Calls have begun in this stop, or have not after all. */
static void add_elsewhere(const struct tracee *tracee, struct gift *gift)
{
	size_t size;
	uint64_t *elsewhere = pad_thread_elsewhere(tracee, &size);

	add_write(gift, tracee->pad->address + PAD_ELSEWHERE_OFFSET, elsewhere, size);
}

/* The fields from `top` to `heap`, of which pads change some, but not now. */
static void add_block(struct tracee *tracee, uint64_t top, struct gift *gift)
{
	const struct ring *ring = tracee->inferior->session->ring;
	const size_t first = offsetof(struct pad_block, top);
	struct pad_thread *thread = tracee->pad;
	struct pad_block *block = &thread->block;

	_Static_assert(offsetof(struct pad_block, heap) - offsetof(struct pad_block, top) == 72,
		       "fields that pads do not share with the tracer");
	block->top = top;
	block->tail = thread->told = thread->tail;
	block->stolen = thread->stolen;
	block->moment = -thread->moment;
	block->resume = thread->resume;
	block->last_id = (uint64_t)tracee->last_id;
	ring_costs_give(tracee, block);
	gift->writes[gift->n++] = (struct memory_write){.address = thread->address + first,
							.from = (const uint8_t *)block + first,
							.size = offsetof(struct pad_block, heap) +
								sizeof(block->heap) - first};
	if (ring->wait || ring->hold)
		gift->writes[gift->n++] = (struct memory_write){
			.address = thread->address + offsetof(struct pad_block, locks),
			.from = &block->locks,
			.size = offsetof(struct pad_locks, operations)};
}

void ring_frames_give(struct tracee *tracee, uint64_t now)
{
	const struct target *target = &tracee->inferior->session->target;
	struct pad_thread *thread = tracee->pad;
	struct gift gift = {0};

	if (!tracee->frames_taken)
		return;
	tracee->frames_taken = false;
	if (!thread->known)
		return;
	ring_locks_give(tracee, now);
	ring_streams_give(tracee, now);
	spill(tracee);
	gift.writes = mem_alloc((6 * tracee->calls.n + 8) * sizeof(*gift.writes));
	gift.copies = mem_alloc((6 * tracee->calls.n + 8) * sizeof(*gift.copies));
	add_elsewhere(tracee, &gift);
	add_block(tracee, add_frames(tracee, now, &gift), &gift);
	target->ops->write_many(target->self, tracee->tid, gift.writes, gift.n);
	while (gift.n_copies)
		free(gift.copies[--gift.n_copies]);
	free(gift.copies);
	free(gift.writes);
	drop_given(tracee);
	/* If that call is the tracee's own, its clock is still to start. */
	tracee->call_began &= tracee->calls.n && !tracee->calls.calls[tracee->calls.n - 1].start_ns;
}
