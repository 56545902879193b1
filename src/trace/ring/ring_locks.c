/*
 * The pads' clock is that of ticks less those in stops, the engine's is thread_clock_ns(): in a
 * stop both are known. A call that a doubt or a proof concerns ends by a stop.
 */
#include "ring_locks.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "trace/call/call_metrics.h"
#include "trace/cost/cost_calls.h"
#include "trace/cost/lock_calls.h"
#include "trace/cost/lock_delays.h"
#include "trace/cost/locks.h"
#include "trace/state/thread_clock.h"

unsigned ring_locks_metrics(void)
{
	return 1u << METRIC_WAIT | 1u << METRIC_HOLD;
}

/* Those that this session wants. */
static unsigned measured_metrics(const struct tracee *tracee)
{
	const struct ring *ring = tracee->inferior->session->ring;

	return (ring->wait ? 1u << METRIC_WAIT : 0) | (ring->hold ? 1u << METRIC_HOLD : 0);
}

static int64_t ns_of(const struct tracee *tracee, uint64_t ticks)
{
	const struct ring *ring = tracee->inferior->session->ring;

	return (int64_t)tsc_clock_ns(&ring->clock, (int64_t)ticks);
}

static uint64_t ticks_of(const struct tracee *tracee, int64_t ns)
{
	const struct ring *ring = tracee->inferior->session->ring;

	return (uint64_t)tsc_clock_ticks(&ring->clock, (double)ns);
}

static int64_t held_now_ns(const struct tracee *tracee)
{
	return locks_mark(&tracee->lock_calls.locks, thread_clock_ns(tracee)).held_ns;
}

void ring_locks_begin(struct tracee *tracee)
{
	struct locks *locks = &tracee->lock_calls.locks;

	if (!measured_metrics(tracee))
		return;
	if (!locks->watched)
		locks_watch(locks, false);
	tracee->pad->locks = (struct pad_lock_sums){.waited_ns = locks->waited_ns,
						    .held_ns = held_now_ns(tracee)};
}

/* Beyond those that pads know there are some that only the tracer knows. */
static void take_held(const struct tracee *tracee, struct locks *locks)
{
	const struct pad_locks *from = &tracee->pad->block.locks;

	if (from->n > PAD_HELD_MAX && from->n != locks->n_held)
		return; /* no pad wrote this */
	locks->held = mem_grow(locks->held, &locks->capacity, from->n, sizeof(*locks->held));
	for (size_t i = 0; i < from->n && i < PAD_HELD_MAX; i++)
		locks->held[i] =
			(struct held_lock){from->list[i].object, (unsigned)from->list[i].count};
	locks->n_held = from->n;
}

void ring_locks_take(struct tracee *tracee, uint64_t now)
{
	const struct pad_locks *from = &tracee->pad->block.locks;
	struct pad_lock_sums *sums = &tracee->pad->locks;
	struct locks *locks = &tracee->lock_calls.locks;
	uint64_t held;

	if (!measured_metrics(tracee))
		return;
	if (!locks->watched)
		locks_watch(locks, false);
	sums->now = now;
	held = from->held + (sums->now & from->holding);
	locks->waited_ns = sums->waited_ns + ns_of(tracee, from->waited - sums->waited);
	locks->held_ns = sums->held_ns + ns_of(tracee, held - sums->held);
	locks->held_since_ns = thread_clock_ns(tracee);
	take_held(tracee, locks);
	*sums = (struct pad_lock_sums){.now = sums->now,
				       .waited = from->waited,
				       .held = held,
				       .waited_ns = locks->waited_ns,
				       .held_ns = locks->held_ns};
}

void ring_locks_take_call(const struct tracee *tracee, const struct pad_frame *frame,
			  struct open_call *call)
{
	const struct pad_lock_sums *sums = &tracee->pad->locks;

	if (!measured_metrics(tracee))
		return;
	call->locks = locks_mark(&tracee->lock_calls.locks, thread_clock_ns(tracee));
	call->locks.clock_ns -= ns_of(tracee, sums->now - frame->start);
	call->locks.waited_ns -= ns_of(tracee, sums->waited - frame->waited);
	call->locks.held_ns -= ns_of(tracee, sums->held - frame->held);
}

void ring_locks_take_callees(const struct tracee *tracee, const struct pad_frame *frame,
			     struct open_call *call)
{
	if (!measured_metrics(tracee))
		return;
	call->inner[METRIC_WAIT] += (double)ns_of(tracee, frame->inner_wait) / 1000;
	call->inner[METRIC_HOLD] += (double)ns_of(tracee, frame->inner_hold) / 1000;
}

void ring_locks_give(struct tracee *tracee, uint64_t now)
{
	struct pad_locks *to = &tracee->pad->block.locks;
	struct pad_lock_sums *sums = &tracee->pad->locks;
	const struct locks *locks = &tracee->lock_calls.locks;
	const int64_t held_ns = held_now_ns(tracee);

	if (!measured_metrics(tracee))
		return;
	*sums = (struct pad_lock_sums){
		.now = now,
		.waited = sums->waited + ticks_of(tracee, locks->waited_ns - sums->waited_ns),
		.held = sums->held + ticks_of(tracee, held_ns - sums->held_ns),
		.waited_ns = locks->waited_ns,
		.held_ns = held_ns};
	to->waited = sums->waited;
	to->n = locks->n_held;
	to->holding = locks->n_held ? UINT64_MAX : 0;
	to->held = sums->held - (now & to->holding);
	for (size_t i = 0; i < locks->n_held && i < PAD_HELD_MAX; i++)
		to->list[i] = (struct pad_held){locks->held[i].object, locks->held[i].count};
}

void ring_locks_give_call(const struct tracee *tracee, const struct open_call *call,
			  struct pad_frame *frame)
{
	const struct pad_lock_sums *sums = &tracee->pad->locks;

	if (!measured_metrics(tracee))
		return;
	frame->waited = sums->waited - ticks_of(tracee, sums->waited_ns - call->locks.waited_ns);
	frame->held = sums->held - ticks_of(tracee, sums->held_ns - call->locks.held_ns);
	frame->inner_wait = ticks_of(tracee, (int64_t)(call->inner[METRIC_WAIT] * 1000));
	frame->inner_hold = ticks_of(tracee, (int64_t)(call->inner[METRIC_HOLD] * 1000));
}

bool ring_locks_keeps(const struct tracee *tracee, const struct open_call *call)
{
	const struct locks *locks = &tracee->lock_calls.locks;

	if (!measured_metrics(tracee))
		return false;
	if (call->inner_unknown & measured_metrics(tracee) && !tracee->inferior->image->n_closed)
		return true;
	return call->locks.doubts_of_wait != locks->doubts_of_wait ||
	       call->locks.doubts_of_hold != locks->doubts_of_hold ||
	       (locks->proven && call->locks.clock_ns < locks->proven_ns);
}

/* The call's time clips it, where that is certain. No wait is none, even where it is not. */
static void set_metric(const struct tracee *tracee, enum metric metric, uint64_t total,
		       uint64_t inner, struct value *metrics)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const struct value *time = &metrics[METRIC_TIME];
	const double us = (double)ns_of(tracee, total) / 1000;
	const double inner_us = (double)ns_of(tracee, inner) / 1000;
	struct value value = call_metrics_rest(us, 2 * calibration->pads.resolution);

	if (time->absence == PRESENT)
		value = (struct value){.number = fmin(fmax(us, 0), time->number)};
	metrics[metric] = value;
	metrics[METRIC_SELF + metric] = value;
	if (value.absence == PRESENT)
		metrics[METRIC_SELF + metric].number = fmax(value.number - inner_us, 0);
}

void ring_locks_record(const struct tracee *tracee, const struct pad_frame *record,
		       bool knows_callees, struct value *metrics)
{
	const struct ring *ring = tracee->inferior->session->ring;
	const struct value callee = {.absence = ABSENT_CALLEE};

	if (ring->wait && lock_calls_known(tracee->inferior, METRIC_WAIT))
		set_metric(tracee, METRIC_WAIT, record->waited, record->inner_wait, metrics);
	if (ring->hold && lock_calls_known(tracee->inferior, METRIC_HOLD))
		set_metric(tracee, METRIC_HOLD, record->held, record->inner_hold, metrics);
	if (ring->hold && tracee->lock_calls.locks.muddled)
		metrics[METRIC_HOLD] = metrics[METRIC_SELF + METRIC_HOLD] =
			(struct value){.absence = ABSENT_UNCERTAIN};
	for (enum metric i = METRIC_WAIT; i <= METRIC_HOLD; i++)
		if (!knows_callees && metrics[METRIC_SELF + i].absence == PRESENT)
			metrics[METRIC_SELF + i] = callee;
}

/* It ended before any proof that may come. */
void ring_locks_withhold(struct tracee *tracee, const struct pad_frame *record)
{
	struct session *session = tracee->inferior->session;
	const int64_t begin_ns =
		(int64_t)(tsc_clock_moment_ns(&session->ring->clock,
					      record->start + tracee->pad->stolen) -
			  tracee->stopped_ns);
	struct open_call call = {.id = (int64_t)record->id,
				 .parent = (int64_t)record->cfa,
				 .function = record->function};
	struct locks_mark end;

	if (!session->ring->hold)
		return;
	call.locks = locks_mark(&tracee->lock_calls.locks, begin_ns);
	call.locks.held_ns = 0;
	call.inner[METRIC_HOLD] = (double)ns_of(tracee, record->inner_hold) / 1000;
	end = call.locks;
	end.held_ns = ns_of(tracee, record->held);
	end.clock_ns += ns_of(tracee, record->ticks);
	lock_calls_end_followed(tracee, &call, &end,
				session->target.ops->now_ns(session->target.self));
}

/* What a waiting thread's block says, which no pad changes until the lock is free. */
struct waiting_block {
	struct tracee *tracee;
	struct pad_lock_call call;
	uint64_t stolen;
};

enum { LOOKED_AT_MOST = 1024 }; /* threads: a stop is not to take much longer by that */

static size_t list_others(const struct tracee *tracee, struct waiting_block *blocks)
{
	struct tracee *other, *next;
	size_t n = 0;

	HASH_ITER (hh, tracee->inferior->session->tracees, other, next)
		if (other != tracee && other->inferior == tracee->inferior && other->pad &&
		    !other->stopped && n < LOOKED_AT_MOST)
			blocks[n++].tracee = other;
	return n;
}

static void read_blocks(const struct tracee *tracee, struct waiting_block *blocks, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	struct memory_read *reads = mem_alloc((2 * n + 1) * sizeof(*reads));

	for (size_t i = 0; i < n; i++) {
		const uint64_t address = blocks[i].tracee->pad->address;

		reads[2 * i] =
			(struct memory_read){address + offsetof(struct pad_block, locks.call),
					     &blocks[i].call, sizeof(blocks[i].call), false};
		reads[2 * i + 1] =
			(struct memory_read){address + offsetof(struct pad_block, stolen),
					     &blocks[i].stolen, sizeof(blocks[i].stolen), false};
	}
	if (n)
		target->ops->read(target->self, tracee->tid, reads, 2 * n);
	for (size_t i = 0; i < n; i++)
		if (!reads[2 * i].ok || !reads[2 * i + 1].ok)
			blocks[i].call.cfa = 0;
	free(reads);
}

static void gather_by_blocks(const struct tracee *tracee, struct lock_waiters *waiters)
{
	const struct ring *ring = tracee->inferior->session->ring;
	struct waiting_block *blocks = mem_alloc(LOOKED_AT_MOST * sizeof(*blocks));
	const size_t n = list_others(tracee, blocks);

	read_blocks(tracee, blocks, n);
	for (size_t i = 0; i < n; i++) {
		const struct pad_lock_call *call = &blocks[i].call;
		const struct lock_waiter waiter = {
			.tracee = blocks[i].tracee,
			.function = call->cfa ? cost_calls_numbered(tracee, call->function) : NULL,
			.object = call->object,
			.begin_ns =
				tsc_clock_moment_ns(&ring->clock, call->begin + blocks[i].stolen)};

		if (!waiter.function)
			continue;
		lock_delays_add(waiters, &waiter);
		/* it may have gone on by a PAD_RESUME since */
		waiter.tracee->pad->stolen = blocks[i].stolen;
	}
	free(blocks);
}

/* Its pads do not run meanwhile: what it waits for is held by a thread that is stopped. */
static void stop_clock_for(const struct lock_waiter *waiter, uint64_t ns)
{
	struct tracee *tracee = waiter->tracee;
	const struct target *target = &tracee->inferior->session->target;

	tracee->stopped_ns += ns;
	if (!tracee->pad)
		return;
	tracee->pad->stolen += ticks_of(tracee, (int64_t)ns);
	target->ops->write(target->self, tracee->tid,
			   tracee->pad->address + offsetof(struct pad_block, stolen),
			   &tracee->pad->stolen, sizeof(tracee->pad->stolen));
}

uint64_t ring_locks_delay(struct tracee *tracee)
{
	struct lock_waiters waiters = {0};
	uint64_t now_ns = 0;

	if (!lock_delays_matter(tracee))
		return 0;
	lock_delays_gather(tracee, &waiters);
	if (tracee->inferior->session->ring)
		gather_by_blocks(tracee, &waiters);
	if (lock_delays_find(tracee, &waiters)) {
		const struct session *session = tracee->inferior->session;

		now_ns = session->target.ops->now_ns(session->target.self);
		for (size_t i = 0; i < waiters.n; i++)
			if (waiters.list[i].is_delayed)
				stop_clock_for(&waiters.list[i],
					       lock_delays_ns(tracee, &waiters.list[i],
							      now_ns + session->resuming_ns));
	}
	free(waiters.list);
	return now_ns;
}
