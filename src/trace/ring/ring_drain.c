/* One read of a thread for its heads, sums and new records, one write back. */
#include "ring_drain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "pad_thread.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_heap.h"
#include "ring_locks.h"
#include "trace/call/branches.h"
#include "trace/call/call_metrics.h"
#include "trace/call/feature_reading.h"
#include "trace/call/probe_control.h"
#include "trace/cost/lock_calls.h"
#include "trace/probe/governor.h"
#include "trace/state/callee_sums.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

static const uint64_t EVERY_NS = 10000000;
static const uint64_t LONGEST_NS = 300000000;

/* Drainings until signal masks are looked at. */
enum { LOOK_EVERY = 8 };

/* Shorter calls did not wait: two switches take longer. */
static const double WAIT_LEAST_NS = 1000;

/* A function that used less than this part of its budget may have a higher limit. */
enum { QUIET_PART = 4 };

/* Of the time, while there is an idle processor. */
static const double IDLE_SHARE = 0.2;

/* More, of pads beside the calibrated loop, which is the best case: caches are others' here. */
static const double COLD = 0.4;

/*
 * Of a call whose function is closed, at both ends; and what may be spent so on a function until
 * its jumps are withdrawn, which takes about as long.
 */
static const double PASSED_NS = 4, PASSED_MOST_NS = 1e6;

enum { GRANT_LEAST = 4, GRANT_RISE = 8 };

static size_t sums_count(const struct inferior *inferior)
{
	const size_t n = inferior->image->catalogue->n_functions;

	return n < PAD_FUNCTIONS_MAX ? n : PAD_FUNCTIONS_MAX;
}

void ring_drain_system(const struct tracee *tracee, const struct measured_function *measured,
		       uint64_t before, struct value *values)
{
	const struct session *session = tracee->inferior->session;

	feature_reading_system(tracee, measured, session->ring->drained_ns, before, values);
}

/* While functions were closed, their calls were missed by callers open then. */
static bool knows_callees(const struct inferior *inferior, uint64_t start_ns)
{
	return !inferior->image->n_closed && !inferior->blind &&
	       start_ns > inferior->image->changed_ns;
}

/* Its own ticks go on while others have its processor; those of pads in it are not known here. */
static int64_t waited_ns(const struct tracee *tracee, const struct pad_frame *record)
{
	const struct session *session = tracee->inferior->session;
	const struct tsc_clock *clock = &session->ring->clock;
	const uint64_t start_ns = tsc_clock_moment_ns(clock, record->start + tracee->pad->stolen);
	const double ns = tsc_clock_ns(clock, (int64_t)record->ticks);
	uint64_t waited;

	if (ns < WAIT_LEAST_NS)
		return 0;
	waited = session->target.ops->waited_ns(session->target.self, tracee->tid, start_ns,
						start_ns + (uint64_t)ns);
	return waited < (uint64_t)ns ? (int64_t)waited : (int64_t)ns;
}

/*
 * What callees waited is theirs, and not known: the rest is the call's own, if that was all. Each
 * callee's pads are off by ns, in the same direction, and how many there were is not told.
 */
static struct value own_time(const struct call_record *call, struct value time, double inner)
{
	if (call->waited_ns > 0 && inner > 0)
		return (struct value){.absence = ABSENT_CALLEE};
	time.number = fmax(time.number - inner, 0);
	return time;
}

static void take_metrics(struct tracee *tracee, const struct pad_frame *record,
			 struct call_record *call)
{
	struct inferior *inferior = tracee->inferior;
	const bool knows = knows_callees(inferior, call->start_ns + inferior->session->start_ns);
	const struct ring *ring = inferior->session->ring;
	const double time =
		(tsc_clock_ns(&ring->clock, (int64_t)record->ticks) - (double)call->waited_ns) /
		1000;
	const double inner = tsc_clock_ns(&ring->clock, (int64_t)record->inner) / 1000;
	const double doubt = 2 * inferior->session->account.calibration.pads.resolution;
	const enum metric self = METRIC_SELF + METRIC_TIME;

	for (size_t i = 0; i < METRIC_MEASURED; i++)
		call->metrics[i] = (struct value){.absence = ABSENT_NOT_MEASURED};
	call->metrics[METRIC_TIME] = call_metrics_rest(time, doubt);
	call->metrics[self] = own_time(call, call->metrics[METRIC_TIME], inner);
	if (!knows)
		call->metrics[self] = (struct value){.absence = ABSENT_CALLEE};
	if (ring->counts)
		ring_counts_record(inferior->session, record, knows, call->metrics);
	ring_costs_record(tracee, record, knows, call->metrics);
	ring_locks_record(tracee, record, knows, call->metrics);
}

/* What callees waited for a processor is in their times, and not known. */
static struct callee_sums *record_callees(const struct tracee *tracee,
					  const struct ring_function *function,
					  const struct pad_frame *record,
					  const struct call_record *call)
{
	const struct inferior *inferior = tracee->inferior;
	struct callee_sums *ret;

	if (!knows_callees(inferior, call->start_ns + inferior->session->start_ns))
		return NULL;
	ret = ring_layout_callees(function, &inferior->session->ring->clock, record);
	for (size_t i = 0; ret && call->waited_ns && i < ret->n; i++)
		ret->list[i].unknown |= 1u << METRIC_TIME;
	return ret;
}

static void take_record(struct tracee *tracee, const struct pad_frame *record)
{
	struct inferior *inferior = tracee->inferior;
	struct session *session = inferior->session;
	const struct ring_function *function = pads_function(inferior, record->function);
	struct measured_function *measured = &inferior->image->functions[record->function];
	const size_t n = measured->function->n_features;
	struct value *features = mem_alloc((n + 1) * sizeof(*features));
	bool looped = false;
	struct callee_sums *callees;
	struct value *branches = branches_of_bytes(
		measured, (const uint8_t *)&record->words[function->code.branches], &looped);
	struct call_record call = {
		.image = inferior->image->index,
		.function = record->function,
		.id = call_ids_outside(&session->ids, (int64_t)record->id),
		.parent = call_ids_outside(&session->ids, (int64_t)record->cfa),
		.process = inferior->pid,
		.thread = tracee->tid,
		.start_ns = (int64_t)(tsc_clock_moment_ns(&session->ring->clock,
							  record->start + tracee->pad->stolen) -
				      session->start_ns),
		.waited_ns = waited_ns(tracee, record),
		.rank = record->rank,
		.limit = record->limit,
		.features = features,
		.branches = branches,
	};

	inferior->pads->dirty |= looped;
	memcpy(features, measured->blank, (n + 1) * sizeof(*features));
	ring_layout_values(function, record, true, features);
	ring_costs_spend_reading(session, measured, function, record, features);
	ring_drain_system(tracee, measured, record->before, features);
	take_metrics(tracee, record, &call);
	measured_learn(&session->images[inferior->image->index]->functions[record->function],
		       call.metrics[METRIC_TIME]);
	call.callees = callees = record_callees(tracee, function, record, &call);
	event_queue_add_call(session, features, branches, callees)->call = call;
	ring_locks_withhold(tracee, record);
}

/* A record of @left bytes at most; 0: no pad wrote this. */
static size_t record_size(const struct inferior *inferior, const struct pad_frame *record,
			  size_t left)
{
	const struct ring_function *function;

	if (left < PAD_FRAME_SIZE || record->function >= inferior->image->catalogue->n_functions ||
	    !(function = pads_function(inferior, record->function)) ||
	    record->previous != ring_layout_size(function) || record->previous > left)
		return 0;
	return record->previous;
}

/* So that records are there without another read, more are read ahead than came of late. */
enum { AHEAD_LEAST = 4 << 10 };

static struct memory_read read_piece(const struct tracee *tracee, struct ring_piece *piece,
				     uint64_t tail, size_t n)
{
	piece->tail = tail;
	piece->bytes = mem_grow(piece->bytes, &piece->capacity, n + PAD_RECORD_MAX, 1);
	return (struct memory_read){.address = tracee->pad->address + PAD_RING_OFFSET +
					       tail % PAD_RING_SIZE,
				    .to = piece->bytes,
				    .size = n};
}

/* To the end of the lap, a record is there whole. Returns how many @reads it takes. */
static size_t read_ahead(const struct tracee *tracee, struct memory_read reads[2])
{
	struct ring_piece *pieces = tracee->inferior->session->ring->pieces;
	const uint64_t tail = tracee->pad->tail, at = tail % PAD_RING_SIZE;
	const uint64_t more = 2 * tracee->pad->most + AHEAD_LEAST;
	const uint64_t to = at + (more < PAD_RING_SIZE ? more : PAD_RING_SIZE);

	if (to < PAD_RING_SIZE) {
		reads[0] = read_piece(tracee, &pieces[0], tail, to - at);
		return 1;
	}
	reads[0] = read_piece(tracee, &pieces[0], tail, PAD_RING_SIZE + PAD_RECORD_MAX - at);
	reads[1] = read_piece(tracee, &pieces[1], tail - at + PAD_RING_SIZE, to - PAD_RING_SIZE);
	return 2;
}

/* The records from @tail to @head, which is in the same lap of the ring or at its end. */
static bool take_lap(struct tracee *tracee, struct ring_piece *piece, uint64_t tail, uint64_t head)
{
	const struct target *target = &tracee->inferior->session->target;
	const uint64_t at = tail % PAD_RING_SIZE;
	const bool whole = head % PAD_RING_SIZE == 0;
	const size_t n = whole ? PAD_RING_SIZE + PAD_RECORD_MAX - at : head - tail;
	size_t done = 0;

	if (piece->tail != tail || piece->n < n) {
		struct memory_read read = read_piece(tracee, piece, tail, n);

		target->ops->read(target->self, tracee->tid, &read, 1);
		if (!read.ok)
			return false;
	}
	while (done < head - tail) {
		const struct pad_frame *record = (const struct pad_frame *)(piece->bytes + done);
		const size_t size = record_size(tracee->inferior, record, n - done);

		if (!size)
			return false;
		take_record(tracee, record);
		done += size;
	}
	return true;
}

static bool take_records(struct tracee *tracee, uint64_t head)
{
	struct ring_piece *pieces = tracee->inferior->session->ring->pieces, *piece = pieces;
	uint64_t tail = tracee->pad->tail;

	if (head < tail || head - tail > PAD_RING_SIZE + PAD_RECORD_MAX || head % 8)
		return false;
	for (; tail < head; piece = pieces + 1) {
		const uint64_t end = (tail / PAD_RING_SIZE + 1) * PAD_RING_SIZE;
		const uint64_t to = head < end ? head : end;

		if (!take_lap(tracee, piece, tail, to))
			return false;
		tail = to;
	}
	tracee->pad->most -= tracee->pad->most / 8;
	if (tracee->pad->most < head - tracee->pad->tail)
		tracee->pad->most = head - tracee->pad->tail;
	tracee->pad->tail = head;
	return true;
}

static void say_limit(struct session *session, const struct inferior *inferior, unsigned function,
		      uint64_t limit)
{
	struct session_event *event = event_queue_add(session, SESSION_LIMIT, NULL);

	event->limit.image = inferior->image->index;
	event->limit.function = function;
	event->limit.limit = limit;
}

static double record_cost_ns(const struct inferior *inferior, unsigned index)
{
	const struct ring_cost *cost = &inferior->session->ring->cost;
	const struct ring_function *function = pads_function(inferior, index);

	return cost->record_ns + (function ? cost->word_ns * function->code.n_words : 0);
}

/* Count what @now adds to what was seen before, and charge it to the governor. */
static void count_sums(struct tracee *tracee, unsigned index, const struct pad_sums *before,
		       const struct pad_sums *now)
{
	struct inferior *inferior = tracee->inferior;
	struct session *session = inferior->session;
	const struct ring *ring = session->ring;
	struct measured_function *measured =
		&session->images[inferior->image->index]->functions[index];
	const uint64_t begun = now->begun - before->begun;
	const int64_t records = (int64_t)(before->left - now->left);
	const double calls_ns = (double)begun * ring->cost.call_ns;

	measured->begun += begun;
	measured->account.calls += now->calls - before->calls;
	measured->account.time_ns += (uint64_t)(int64_t)tsc_clock_ns(
		&ring->clock, (int64_t)(now->ticks - before->ticks));
	governor_begun(session->governor, measured->governed, begun);
	probe_control_spend(session, session->images[inferior->image->index], index,
			    (uint64_t)(calls_ns + (double)(records > 0 ? records : 0) *
							  record_cost_ns(inferior, index)),
			    (uint64_t)(COLD * calls_ns));
	if (now->limit < before->limit)
		say_limit(session, inferior, index, now->limit);
}

static uint64_t budget_of(const struct ring *ring, const struct pad_sums *now)
{
	if (now->limit < PAD_RANK_ALL)
		return ring->grant;
	return now->left + ring->grant < PAD_BURST ? now->left + ring->grant : PAD_BURST;
}

/* Did it use less of its budget than it may? */
static bool is_quiet(const struct pad_sums *before, const struct pad_sums *now)
{
	return now->limit >= before->limit && now->left > before->left - before->left / QUIET_PART;
}

/* What is written into a thread's block when it is drained. */
struct ring_answer {
	struct memory_write *writes; /* for each function ANSWER_WRITES, and one more */
	size_t n;
};

enum { ANSWER_WRITES = 3 };

static void answer_add(struct ring_answer *answer, const struct tracee *tracee, size_t offset,
		       const void *from, size_t size)
{
	answer->writes[answer->n++] =
		(struct memory_write){tracee->pad->address + offset, from, size};
}

/* Limits rise slowly, so that they hardly differ among the calls of a period. */
static void answer_sums(struct tracee *tracee, unsigned index, struct pad_sums *now,
			struct ring_answer *answer)
{
	const struct inferior *inferior = tracee->inferior;
	const struct pad_sums *before = &tracee->pad->sums[index]; /* sent when it is @now */
	const struct ring *ring = inferior->session->ring;
	const struct measured_function *measured = &inferior->image->functions[index];
	const uint32_t closed = measured_is_shut(measured);
	const size_t at = pad_block_sums(index);

	if ((now->closed != 0) != closed) {
		now->closed = closed;
		answer_add(answer, tracee, at + offsetof(struct pad_sums, closed), &before->closed,
			   sizeof(before->closed));
	}
	if (now->strings != measured->strings) {
		now->strings = measured->strings;
		answer_add(answer, tracee, at + offsetof(struct pad_sums, strings),
			   &before->strings, sizeof(before->strings));
	}
	if (ring->keep_all || tracee->pad->granted_ns == ring->drained_ns ||
	    (now->left == PAD_BURST && now->limit == PAD_RANK_ALL))
		return;
	if (is_quiet(before, now) && now->limit < PAD_RANK_ALL)
		now->limit = now->limit * 2 < PAD_RANK_ALL ? now->limit * 2 : PAD_RANK_ALL;
	now->left = budget_of(ring, now);
	answer_add(answer, tracee, at + offsetof(struct pad_sums, limit), &before->limit,
		   2 * sizeof(before->limit));
}

/* @n calls of a closed function have passed its pads. */
static void count_passed(struct inferior *inferior, unsigned index, uint64_t n)
{
	struct session *session = inferior->session;
	struct measured_function *measured =
		&session->images[inferior->image->index]->functions[index];
	const double ns = (double)n * PASSED_NS;

	governor_spend_turning(session->governor, (uint64_t)ns);
	measured->passed_ns += ns;
	if (measured->withdrawn || !measured_is_shut(measured) || session->restores ||
	    measured->passed_ns < PASSED_MOST_NS)
		return;
	measured->withdrawn = session->withdraws = inferior->pads->dirty = true;
}

static void take_sums(struct tracee *tracee, const struct pad_sums *sums,
		      struct ring_answer *answer)
{
	const size_t n = sums_count(tracee->inferior);

	for (size_t i = 0; i < n; i++) {
		struct pad_sums now = sums[i];
		const uint32_t closed = tracee->pad->sums[i].closed;

		if (closed && now.closed > closed)
			count_passed(tracee->inferior, i, now.closed - closed);
		if (now.begun != tracee->pad->sums[i].begun ||
		    now.calls != tracee->pad->sums[i].calls)
			count_sums(tracee, i, &tracee->pad->sums[i], &now);
		answer_sums(tracee, i, &now, answer);
		tracee->pad->sums[i] = now;
	}
	tracee->pad->granted_ns = tracee->inferior->session->ring->drained_ns;
}

void ring_drain_function(struct tracee *tracee, int index)
{
	const struct target *target = &tracee->inferior->session->target;
	struct pad_sums now;
	struct memory_read read = {.to = &now, .size = sizeof(now)};

	if (index < 0 || !pads_function(tracee->inferior, (unsigned)index))
		return;
	read.address = tracee->pad->address + pad_block_sums((unsigned)index);
	target->ops->read(target->self, tracee->tid, &read, 1);
	if (!read.ok)
		return;
	count_sums(tracee, (unsigned)index, &tracee->pad->sums[index], &now);
	tracee->pad->sums[index] = now;
}

/* A thread alone has counted all its calls itself. */
static void tell_others(const struct session *session)
{
	struct tracee *tracee, *next;

	if (HASH_COUNT(session->tracees) < 2)
		return;
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->pad)
			pad_thread_tell_elsewhere(tracee);
}

/* Calls in deep recursion are not seen, and their callers' own time is theirs, too. */
static void say_deep(struct session *session, const struct pad_block *block)
{
	if (block->deep && !session->ring->said_deep)
		event_queue_note(session,
				 "calls nested deeper than %d KiB of records can hold are "
				 "not measured",
				 (PAD_FRAMES_END - PAD_FRAMES_OFFSET) >> 10);
	session->ring->said_deep |= block->deep != 0;
}

bool ring_drain_records(struct tracee *tracee, const struct pad_block *block)
{
	ring_heap_take(tracee->inferior);
	return take_records(tracee, block->head);
}

void ring_drain_stopped(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;
	struct pad_block block;
	struct memory_read read = {
		.address = tracee->pad->address, .to = &block, .size = sizeof(block)};

	if (tracee->frames_taken || tracee->pad->moment_stop == tracee->stops)
		return;
	target->ops->read(target->self, tracee->tid, &read, 1);
	if (!read.ok)
		return;
	if (block.magic == PAD_MAGIC && ring_drain_records(tracee, &block))
		pad_thread_read_clock(tracee, &block);
	else
		pads_give_up(tracee->inferior, "the program has overwritten its records");
}

static void answer(struct tracee *tracee, const struct pad_sums *sums, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	struct ring_answer answer = {mem_alloc((ANSWER_WRITES * n + 1) * sizeof(*answer.writes)),
				     0};

	take_sums(tracee, sums, &answer);
	answer_add(&answer, tracee, offsetof(struct pad_block, tail), &tracee->pad->tail,
		   sizeof(tracee->pad->tail));
	target->ops->write_many(target->self, tracee->tid, answer.writes, answer.n);
	free(answer.writes);
}

bool ring_drain_thread(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;
	struct session *session = inferior->session;
	const size_t n = sums_count(inferior);
	struct pad_sums *sums = mem_alloc((n + 1) * sizeof(*sums));
	struct pad_block block;
	struct memory_read reads[4] = {
		{.address = tracee->pad->address, .to = &block, .size = sizeof(block)},
		{.address = tracee->pad->address + PAD_SUMS_OFFSET,
		 .to = sums,
		 .size = n * sizeof(*sums)}};
	const size_t n_reads = 2 + read_ahead(tracee, reads + 2);
	bool ok = true;

	session->target.ops->read(session->target.self, tracee->tid, reads, n_reads);
	for (size_t i = 0; i < n_reads; i++)
		ok &= reads[i].ok;
	for (size_t i = 2; i < n_reads; i++)
		session->ring->pieces[i - 2].n = reads[i].size;
	if (ok && (block.head != tracee->pad->tail || block.events != tracee->pad->heap.taken))
		ring_heap_take(inferior);
	if (ok && (block.magic != PAD_MAGIC || !take_records(tracee, block.head))) {
		pads_give_up(inferior, "the program has overwritten its records");
		ok = false;
	}
	if (ok) {
		ring_costs_spend(tracee, &block, sums, n);
		answer(tracee, sums, n);
		say_deep(session, &block);
	}
	session->ring->pieces[0].n = session->ring->pieces[1].n = 0; /* others' are at the same */
	free(sums);
	return ok;
}

/* Once it was often, it is until it is seldom. */
static void look_at_stops(struct session *session)
{
	enum { OFTEN = 20, SELDOM = 5 };
	struct ring *ring = session->ring;
	const uint64_t stops = session->account.stops - ring->stops;

	ring->stops = session->account.stops;
	ring->stops_often = stops > (ring->stops_often ? SELDOM : OFTEN);
}

/* With very many threads draining takes long: most of the time is for what else there is to do. */
static uint64_t next_draining(const struct session *session, uint64_t began_ns)
{
	enum { SHARE = 4 };
	const struct target *target = &session->target;
	const uint64_t now_ns = target->ops->now_ns(target->self);
	const uint64_t pause_ns = SHARE * (now_ns - began_ns);

	if (pause_ns > LONGEST_NS)
		return now_ns + LONGEST_NS;
	return pause_ns > EVERY_NS ? now_ns + pause_ns : began_ns + EVERY_NS;
}

/* Does the program want the processors that the tracer works on? */
static bool wants_processors(const struct session *session, uint64_t now_ns)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;

	if (HASH_COUNT(session->tracees) >= session->ring->processors)
		return true;
	HASH_ITER (hh, session->tracees, tracee, next)
		if (target->ops->waited_ns(target->self, tracee->tid, session->ring->drained_ns,
					   now_ns))
			return true;
	return false;
}

/*
 * A record costs the tracer a thousand times what it costs the program. Where the program wants the
 * processors, the tracer's work has the same budget of all of them. Waiting for room is dearer yet.
 */
static void adapt_grant(struct session *session, uint64_t now_ns)
{
	struct ring *ring = session->ring;
	const uint64_t worked_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const double share = wants_processors(session, now_ns)
				     ? session->options.max_overhead * ring->processors
				     : IDLE_SHARE;
	const double most = share * (double)(now_ns - ring->drained_ns);

	if (ring->full || (most > 0 && (double)(worked_ns - ring->worked_ns) > most))
		ring->grant = ring->grant / 2 > GRANT_LEAST ? ring->grant / 2 : GRANT_LEAST;
	else if (ring->grant < PAD_BUDGET)
		ring->grant += ring->grant < PAD_BUDGET / 2 ? ring->grant / GRANT_RISE + 1 : 1;
	ring->worked_ns = worked_ns;
	ring->full = false;
}

void ring_drain_due(struct session *session, uint64_t now_ns)
{
	struct ring *ring = session->ring;
	struct tracee *tracee, *next;

	if (!ring || now_ns < ring->due_ns || session->left)
		return;
	adapt_grant(session, now_ns);
	ring->drained_ns = now_ns;
	tsc_clock_refine(&ring->clock);
	look_at_stops(session);
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->pad) {
			ring_drain_thread(tracee);
			if (ring->drainings % LOOK_EVERY == 0)
				pad_thread_look(tracee);
		}
	lock_calls_expire(session, now_ns);
	tell_others(session);
	ring->drainings++;
	ring->due_ns = next_draining(session, now_ns);
}

uint64_t ring_drain_until(const struct session *session, uint64_t until_ns)
{
	const uint64_t due_ns = session->ring && !session->left ? session->ring->due_ns : 0;

	return due_ns && (!until_ns || due_ns < until_ns) ? due_ns : until_ns;
}
