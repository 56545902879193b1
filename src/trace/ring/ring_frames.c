/*
 * Frames to open calls; ring_frames_give.c does the reverse. Frames come from the inferior's
 * memory: bounds first.
 */
#include "ring_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pad_thread.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_drain.h"
#include "ring_locks.h"
#include "ring_records.h"
#include "trace/call/branches.h"
#include "trace/call/call_stack.h"
#include "trace/cost/cost_probes.h"
#include "trace/state/callee_sums.h"
#include "trace/state/stack_regions.h"

/* A thread's frames, copied: they grow down, from the sentinel. */
struct frames {
	struct tracee *tracee;
	uint64_t top, sentinel; /* addresses */
	uint8_t *bytes;         /* from the top on, to the sentinel's end */
	uint8_t *memory;        /* owned, that they are in */
	bool readable;          /* the block is not gone */
};

enum { FRAMES_GUESSED = 2048 /* bytes of the outermost frames, which may be all */ };

/* The block, and in the same call the frames if they are few. */
static bool frames_read(struct frames *frames, struct pad_block *ret)
{
	const struct target *target = &frames->tracee->inferior->session->target;
	const pid_t tid = frames->tracee->tid;
	const uint64_t end = frames->sentinel + PAD_FRAME_SIZE;
	struct memory_read reads[] = {
		{.address = frames->tracee->pad->address, .to = ret, .size = sizeof(*ret)},
		{.address = end - FRAMES_GUESSED, .size = FRAMES_GUESSED}};

	frames->memory = reads[1].to = mem_alloc(FRAMES_GUESSED);
	target->ops->read(target->self, tid, reads, 2);
	frames->readable = reads[0].ok && reads[1].ok;
	if (!frames->readable || ret->magic != PAD_MAGIC)
		return false;
	frames->top = ret->top;
	if (frames->top > frames->sentinel || frames->top % 8 ||
	    frames->sentinel - frames->top > PAD_FRAMES_END - PAD_FRAMES_OFFSET)
		return false;
	if (end - frames->top <= FRAMES_GUESSED) {
		frames->bytes = frames->memory + FRAMES_GUESSED - (end - frames->top);
		return true;
	}
	free(frames->memory);
	reads[1] = (struct memory_read){.address = frames->top, .size = end - frames->top};
	frames->bytes = frames->memory = reads[1].to = mem_alloc(reads[1].size);
	target->ops->read(target->self, tid, &reads[1], 1);
	return reads[1].ok;
}

static struct pad_frame *frame_at(const struct frames *frames, uint64_t address)
{
	return (struct pad_frame *)(frames->bytes + (address - frames->top));
}

/* The addresses of the frames, the sentinel's and outermost first. False: they make no sense. */
static bool list_frames(const struct frames *frames, struct pad_thread *thread)
{
	size_t n = 0;
	uint64_t at;

	for (at = frames->top; at != frames->sentinel; at = frame_at(frames, at)->previous) {
		const uint64_t caller = frame_at(frames, at)->previous;

		if (caller > frames->sentinel || caller < at + PAD_FRAME_SIZE || caller % 8)
			return false;
		n++;
	}
	thread->frames =
		mem_grow(thread->frames, &thread->frames_capacity, n + 1, sizeof(*thread->frames));
	thread->frames[0] = frames->sentinel;
	thread->n_frames = n;
	for (at = frames->top; n; at = frame_at(frames, at)->previous)
		thread->frames[n--] = at;
	return true;
}

/* Frames and kept calls are in the same order; those before index @next have been found. */
static struct open_call *find_kept(struct call_stack *kept, size_t next, int64_t id)
{
	for (size_t i = next; i < kept->n; i++)
		if (kept->calls[i].id == id)
			return &kept->calls[i];
	return NULL;
}

/* The program has overwritten the frames of those from index @next on. */
static void drop_kept(struct call_stack *kept, size_t next)
{
	for (; next < kept->n; next++) {
		free(kept->calls[next].features);
		free(kept->calls[next].branches);
		callee_sums_destroy(kept->calls[next].callees);
	}
	free(kept->calls);
}

/* What callees that pads followed cost. */
static void add_callees(const struct tracee *tracee, const struct pad_frame *frame,
			struct open_call *call)
{
	const struct ring *ring = tracee->inferior->session->ring;

	ring_locks_take_callees(tracee, frame, call);
	call->inner[METRIC_TIME] += tsc_clock_ns(&ring->clock, (int64_t)frame->inner) / 1000;
	if (call->start_ns)
		call->start_ns +=
			(uint64_t)(int64_t)tsc_clock_ns(&ring->clock, (int64_t)frame->ticks);
}

/*
 * As if no stop had been in it: what was stolen is in its start. In a stop of @tracee the call has
 * lasted, less what is subtracted for a stop, until the thread's own clock stopped.
 */
static uint64_t start_of(struct tracee *tracee, const struct pad_frame *frame)
{
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const double own_us = calibration->pair[METRIC_TIME] +
			      (tracee->stop_is_far ? calibration->far[METRIC_TIME] : 0);
	double ns;

	if (!tracee->frames_taken)
		return tsc_clock_moment_ns(clock, frame->start + tracee->pad->stolen);
	ns = tsc_clock_ns(clock, (int64_t)(pad_thread_moment(tracee) - frame->start));
	return tracee->stop_ns - tracee->late_ns - (uint64_t)(int64_t)(ns + own_us * 1000);
}

static struct open_call frame_call(struct tracee *tracee, const struct pad_frame *frame)
{
	const struct inferior *inferior = tracee->inferior;
	const struct ring *ring = inferior->session->ring;
	const struct ring_function *function = pads_function(inferior, frame->function);
	const struct measured_function *measured = &inferior->image->functions[frame->function];
	const size_t n = measured->function->n_features;
	struct open_call call = {
		.function = frame->function,
		.cfa = frame->cfa,
		.stack = stack_regions_identity(tracee, frame->cfa - 8),
		.id = (int64_t)frame->id,
		.closings = inferior->image->closings,
		.inner_unknown = inferior->image->n_closed ? ~0u : 0,
		.start_ns = start_of(tracee, frame),
		.stopped_ns = tracee->stopped_ns - tracee->late_ns,
		.stops = tracee->stops - 1,
		.far_stops = tracee->far_stops - tracee->stop_is_far,
		.by_pad = true,
		.rank = frame->rank,
		.limit = frame->limit,
		.before = frame->before,
		.left_out = !(frame->flags & PAD_CHOSEN),
		.allocations.bytes = frame->mem,
		.frame_own = frame->own_mem,
		.cost_calls = cost_probes_mark(inferior),
		.features = mem_alloc((n + 1) * sizeof(*call.features)),
	};

	memcpy(call.features, measured->blank, (n + 1) * sizeof(*call.features));
	if (frame->flags & PAD_CHOSEN) {
		ring_layout_values(function, frame, false, call.features);
		ring_records_system(tracee, measured, frame->before, call.features);
		branches_take_bytes(measured,
				    (const uint8_t *)&frame->words[function->code.branches], &call);
	}
	if (frame->flags & PAD_WAITING) {
		call.return_address = call.return_pc = frame->return_address;
		call.unplanted = true;
	}
	branches_begin(tracee, &call);
	add_callees(tracee, frame, &call);
	ring_locks_take_call(tracee, frame, &call);
	if (ring->counts && frame->flags & PAD_CHOSEN)
		ring_counts_take(tracee, frame, false, &call);
	if (frame->flags & PAD_CHOSEN) {
		call.callees = ring_layout_callees(function, &ring->clock, frame);
		call.callees_lost = !call.callees;
	}
	call.frame_inner = call.inner[METRIC_TIME];
	call.frame_branches = call.n_branches;
	return call;
}

/* A frame must be of a function that pads follow, and as long as its frames are. */
static bool is_sound(const struct frames *frames, uint64_t address)
{
	const struct inferior *inferior = frames->tracee->inferior;
	const struct pad_frame *frame = frame_at(frames, address);
	const struct ring_function *function = pads_function(inferior, frame->function);

	return function && (!(frame->flags & PAD_CHOSEN) ||
			    frame->previous - address >= ring_layout_size(function));
}

/* One that was adopted. */
static bool has_counts(const struct frames *frames, uint64_t address)
{
	const struct pad_frame *frame = frame_at(frames, address);

	return frame->flags & PAD_ADOPTED &&
	       frame->previous - address >= PAD_FRAME_SIZE + sizeof(struct pad_counts);
}

static void read_return_addresses(struct tracee *tracee, size_t from)
{
	const struct target *target = &tracee->inferior->session->target;
	struct call_stack *stack = &tracee->calls;
	struct memory_read *reads = mem_alloc((stack->n - from + 1) * sizeof(*reads));
	size_t n = 0;

	for (size_t i = from; i < stack->n; i++)
		if (!stack->calls[i].return_address)
			reads[n++] = (struct memory_read){.address = stack->calls[i].cfa - 8,
							  .to = &stack->calls[i].return_address,
							  .size = 8};
	if (n)
		target->ops->read(target->self, tracee->tid, reads, n);
	free(reads);
}

/* Spilled calls that have no frame stay where they are; *@ret_kept: the others. */
static void part_kept(struct tracee *tracee, struct call_stack *ret_kept)
{
	struct call_stack *calls = &tracee->calls;
	const size_t n_spilled = tracee->pad->n_spilled;
	const size_t n = n_spilled && n_spilled <= calls->n ? n_spilled - 1 : 0;

	*ret_kept = (struct call_stack){0};
	for (size_t i = n; i < calls->n; i++)
		call_stack_push(ret_kept, &calls->calls[i]);
	calls->n = n;
}

static void take_all(struct frames *frames, struct pad_thread *thread)
{
	struct tracee *tracee = frames->tracee;
	const struct ring *ring = tracee->inferior->session->ring;
	struct call_stack kept;
	int64_t parent = 0;
	size_t next = 0, outside;

	part_kept(tracee, &kept);
	outside = tracee->calls.n;
	for (size_t i = 1; i <= thread->n_frames; i++) {
		const struct pad_frame *frame = frame_at(frames, thread->frames[i]);
		struct open_call *own = find_kept(&kept, next, (int64_t)frame->id);
		struct open_call call;

		if (own) {
			while (&kept.calls[next] < own)
				call_stack_push(&tracee->calls, &kept.calls[next++]);
			call = kept.calls[next++];
			call.frame = 0; /* it only holds the place */
			call.frame_own = frame->own_mem;
			add_callees(tracee, frame, &call);
			/* any pad's work is there */
			call.callees_lost |= frame->ticks != 0;
			if (ring->counts && has_counts(frames, thread->frames[i]))
				ring_counts_take(tracee, frame, true, &call);
		} else if (is_sound(frames, thread->frames[i])) {
			call = frame_call(tracee, frame);
			call.frame = thread->frames[i];
			call.parent = parent;
			tracee->inferior->n_open++;
		} else {
			if (i > 1 && frame->function == UINT32_MAX) /* the bar */
				tracee->calls.calls[tracee->calls.n - 1].frame_own +=
					frame->own_mem;
			continue;
		}
		parent = call.id;
		call_stack_push(&tracee->calls, &call);
	}
	drop_kept(&kept, next);
	ring_costs_take(tracee, outside);
	read_return_addresses(tracee, outside);
}

void ring_frames_take(struct tracee *tracee)
{
	struct pad_thread *thread = tracee->pad;
	struct frames frames = {.tracee = tracee, .sentinel = ring_frames_sentinel(thread)};

	if (tracee->frames_taken)
		return;
	tracee->frames_taken = true;
	thread->n_frames = 0;
	thread->known =
		frames_read(&frames, &thread->block) && ring_drain_records(tracee, &thread->block);
	if (!thread->known && frames.readable)
		pads_give_up(tracee->inferior, "the program has overwritten its records");
	if (thread->known) {
		pad_thread_read_clock(tracee, &thread->block);
		tracee->last_id = (int64_t)thread->block.last_id;
		ring_locks_take(tracee, pad_thread_moment(tracee));
	}
	if (thread->known && list_frames(&frames, thread))
		take_all(&frames, thread);
	free(frames.memory);
}

/* Of its frame only the place is left: pads there ask. */
static void fetch_call(const struct frames *frames, uint64_t address, struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct pad_frame *frame = frame_at(frames, address);
	const uint32_t none[] = {UINT32_MAX, PAD_ADOPTED}; /* function and flags */
	struct open_call call = frame_call(frames->tracee, frame);

	call.parent = (int64_t)frame_at(frames, frame->previous)->id;
	call.moved = true;
	call_stack_push(&tracee->calls, &call);
	tracee->inferior->n_open++;
	target->ops->write(target->self, frames->tracee->tid,
			   address + offsetof(struct pad_frame, function), none, sizeof(none));
}

/* False: @other's pads have changed the frames meanwhile. */
static bool fetch_from(struct tracee *other, struct tracee *tracee, uint64_t low, uint64_t high)
{
	struct frames frames = {.tracee = other, .sentinel = ring_frames_sentinel(other->pad)};
	struct pad_thread list = {0};
	struct pad_block block;
	const bool known = frames_read(&frames, &block) && list_frames(&frames, &list);

	for (size_t i = 1; known && i <= list.n_frames; i++) {
		const struct pad_frame *frame = frame_at(&frames, list.frames[i]);

		if (frame->cfa > low && frame->cfa <= high && !(frame->flags & PAD_ADOPTED) &&
		    is_sound(&frames, list.frames[i]))
			fetch_call(&frames, list.frames[i], tracee);
	}
	free(list.frames);
	free(frames.memory);
	return known || !frames.readable;
}

void ring_frames_fetch(struct tracee *tracee, uint64_t low, uint64_t high)
{
	enum { TURNS = 100 };
	const size_t n = tracee->calls.n;
	struct tracee *other, *next;

	HASH_ITER (hh, tracee->inferior->session->tracees, other, next) {
		if (other == tracee || other->inferior != tracee->inferior || !other->pad ||
		    other->frames_taken)
			continue;
		for (int i = 0; i < TURNS && !fetch_from(other, tracee, low, high); i++)
			continue;
	}
	read_return_addresses(tracee, n);
}

void ring_frames_end(struct tracee *tracee)
{
	if (!tracee->pad)
		return;
	pad_thread_tell_gs(tracee);
	ring_frames_take(tracee);
	ring_drain_thread(tracee);
	pad_thread_forget(tracee);
}
