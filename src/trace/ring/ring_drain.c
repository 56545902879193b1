/*
 * One read of a thread for its heads, sums and new records. What pads must know of it is told
 * seldom: every TELL_EVERY drainings, or when the ring may be full before that.
 */
#include "ring_drain.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "pad_thread.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_heap.h"
#include "ring_records.h"
#include "trace/call/probe_control.h"
#include "trace/cost/lock_calls.h"
#include "trace/probe/governor.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

static const uint64_t EVERY_NS = 10000000;
static const uint64_t LONGEST_NS = 300000000;

/* Drainings until pads are given new limits, and signal masks are looked at. */
enum { TELL_EVERY = 8 };

/* A function that used less than this part of its budget may have a higher limit. */
enum { QUIET_PART = 4 };

/* What others get over what a function gets whose cost is known. */
enum { KNOWN_PART = 10 };

/* Of the time, while there is an idle processor. */
static const double IDLE_SHARE = 0.2;

/*
 * More, of pads beside the calibrated loop, which is the best case: caches are others' here; and
 * where pads of many functions take turns they are each other's, too.
 */
static const double COLD = 0.4, COLD_IN_TURN = 2.5;

/*
 * What calls that pass the pads of a closed function may cost until its jumps are withdrawn, which
 * takes about as long.
 */
static const double PASSED_MOST_NS = 1e6;

enum { GRANT_LEAST = 4, GRANT_RISE = 2, GRANT_FALL = 4 };

static size_t sums_count(const struct inferior *inferior)
{
	const size_t n = inferior->image->catalogue->n_functions;

	return n < PAD_FUNCTIONS_MAX ? n : PAD_FUNCTIONS_MAX;
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

/*
 * Count what @now adds to what was seen before, and charge it to the governor: @n_begun calls of
 * all functions began in the thread meanwhile.
 */
static void count_sums(struct tracee *tracee, unsigned index, const struct pad_sums *before,
		       const struct pad_sums *now, uint64_t n_begun)
{
	struct inferior *inferior = tracee->inferior;
	struct session *session = inferior->session;
	const struct ring *ring = session->ring;
	struct measured_function *measured =
		&session->images[inferior->image->index]->functions[index];
	const uint64_t begun = now->begun - before->begun;
	const int64_t records = (int64_t)(before->left - now->left);
	const double calls_ns = (double)begun * ring->cost.call_ns;
	const double others = n_begun ? 1 - (double)begun / (double)n_begun : 0;

	measured->begun += begun;
	measured->account.calls += now->calls - before->calls;
	measured->account.time_ns += (uint64_t)(int64_t)tsc_clock_ns(
		&ring->clock, (int64_t)(now->ticks - before->ticks));
	governor_begun(session->governor, measured->governed, begun);
	probe_control_spend(session, session->images[inferior->image->index], index,
			    (uint64_t)(calls_ns + (double)(records > 0 ? records : 0) *
							  record_cost_ns(inferior, index)),
			    (uint64_t)((COLD + COLD_IN_TURN * others) * calls_ns));
	if (now->limit < before->limit)
		say_limit(session, inferior, index, now->limit);
}

static uint64_t budget_of(const struct ring *ring, const struct measured_function *measured,
			  const struct pad_sums *now)
{
	const uint64_t grant = ring->grant * TELL_EVERY / (measured->known ? KNOWN_PART : 1);

	if (now->limit < PAD_RANK_ALL)
		return grant;
	return now->left + grant < PAD_BURST ? now->left + grant : PAD_BURST;
}

/* Did it use less of its budget than it may, since that was as in @before? */
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

/*
 * Limits rise slowly, so that they hardly differ among the calls of a period. Where the thread has
 * waited for room, and the budget of measuring is spent, nothing is left of the burst.
 */
static void answer_sums(struct tracee *tracee, unsigned index, struct pad_sums *now,
			struct ring_answer *answer)
{
	const struct inferior *inferior = tracee->inferior;
	const struct pad_sums *before = &tracee->pad->sums[index]; /* sent when it is @now */
	struct pad_sums *granted = &tracee->pad->granted[index];
	const struct governor *governor = inferior->session->governor;
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
	if (ring->keep_all)
		return;
	if (tracee->made_room && now->left > PAD_BUDGET && governor_is_spent(governor)) {
		now->left = PAD_BUDGET;
	} else if (tracee->pad->granted_ns != ring->told_ns &&
		   (now->left != PAD_BURST || now->limit != PAD_RANK_ALL)) {
		if (is_quiet(granted, now) && now->limit < PAD_RANK_ALL)
			now->limit = now->limit * 2 < PAD_RANK_ALL ? now->limit * 2 : PAD_RANK_ALL;
		now->left = budget_of(ring, measured, now);
		*granted = *now;
	} else {
		return;
	}
	answer_add(answer, tracee, at + offsetof(struct pad_sums, limit), &before->limit,
		   2 * sizeof(before->limit));
}

/* @n calls of a closed function have passed its pads. */
static void count_passed(struct inferior *inferior, unsigned index, uint64_t n)
{
	struct session *session = inferior->session;
	struct measured_function *measured =
		&session->images[inferior->image->index]->functions[index];
	const double ns = (double)n * RING_PASSED_NS;

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
	uint64_t begun = 0;

	for (size_t i = 0; i < n; i++)
		begun += sums[i].begun - tracee->pad->sums[i].begun;
	for (size_t i = 0; i < n; i++) {
		struct pad_sums now = sums[i];
		const uint32_t closed = tracee->pad->sums[i].closed;

		if (closed && now.closed > closed)
			count_passed(tracee->inferior, i, now.closed - closed);
		if (now.begun != tracee->pad->sums[i].begun ||
		    now.calls != tracee->pad->sums[i].calls)
			count_sums(tracee, i, &tracee->pad->sums[i], &now, begun);
		answer_sums(tracee, i, &now, answer);
		tracee->pad->sums[i] = now;
	}
	tracee->pad->granted_ns = tracee->inferior->session->ring->told_ns;
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
	count_sums(tracee, (unsigned)index, &tracee->pad->sums[index], &now,
		   now.begun - tracee->pad->sums[index].begun);
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

static bool take_records(struct tracee *tracee, const struct pad_block *block,
			 struct ring_piece pieces[2])
{
	/* When it went on after its last stop was only foreseen. */
	tracee->pad->stolen = block->stolen;
	ring_heap_take(tracee->inferior);
	return ring_records_take(tracee, pieces, block->head);
}

bool ring_drain_records(struct tracee *tracee, const struct pad_block *block)
{
	struct ring_piece *pieces = tracee->inferior->session->ring->reads[0].pieces;

	pieces[0].n = pieces[1].n = 0;
	return take_records(tracee, block, pieces);
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

/* May it be full before the next draining? Always where its thread waits for room. */
static bool needs_room(const struct pad_thread *thread)
{
	const uint64_t untold = thread->tail - thread->told;

	return untold > PAD_RING_SIZE / 2 || untold + 2 * thread->most > PAD_RING_SIZE;
}

static void answer(struct tracee *tracee, const struct pad_sums *sums, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	struct ring_answer answer = {mem_alloc((ANSWER_WRITES * n + 1) * sizeof(*answer.writes)),
				     0};

	take_sums(tracee, sums, &answer);
	if (answer.n || needs_room(tracee->pad)) {
		tracee->pad->told = tracee->pad->tail;
		answer_add(&answer, tracee, offsetof(struct pad_block, tail), &tracee->pad->told,
			   sizeof(tracee->pad->told));
		target->ops->write_many(target->self, tracee->tid, answer.writes, answer.n);
	}
	free(answer.writes);
}

enum { READS_EACH = 4 };

/* Its block, its sums, and the records that are likely to be there. Returns how many reads. */
static size_t list_reads(struct ring_read *read, struct memory_read *reads)
{
	const struct tracee *tracee = read->tracee;
	const size_t n = sums_count(tracee->inferior);

	read->sums = mem_grow(read->sums, &read->capacity, n + 1, sizeof(*read->sums));
	reads[0] = (struct memory_read){
		.address = tracee->pad->address, .to = &read->block, .size = sizeof(read->block)};
	reads[1] = (struct memory_read){.address = tracee->pad->address + PAD_SUMS_OFFSET,
					.to = read->sums,
					.size = n * sizeof(*read->sums)};
	return 2 + ring_records_read_ahead(tracee, read->pieces, reads + 2);
}

static void note_read(struct ring_read *read, const struct memory_read *reads, size_t n)
{
	read->ok = true;
	for (size_t i = 0; i < n; i++)
		read->ok &= reads[i].ok;
	for (size_t i = 0; i < 2; i++)
		read->pieces[i].n = i + 2 < n ? reads[i + 2].size : 0;
}

/* Of the first @n, which are threads of one process, at once. */
static void read_threads(const struct session *session, struct ring_read *threads, size_t n)
{
	struct memory_read reads[RING_TOGETHER * READS_EACH];
	size_t begins[RING_TOGETHER + 1] = {0};

	for (size_t i = 0; i < n; i++)
		begins[i + 1] = begins[i] + list_reads(&threads[i], reads + begins[i]);
	session->target.ops->read(session->target.self, threads->tracee->tid, reads, begins[n]);
	for (size_t i = 0; i < n; i++)
		note_read(&threads[i], reads + begins[i], begins[i + 1] - begins[i]);
}

static bool take_running(struct ring_read *read)
{
	const struct pad_thread *thread = read->tracee->pad;

	if (read->block.magic != PAD_MAGIC)
		return false;
	return (read->block.head == thread->tail && read->block.events == thread->heap.taken) ||
	       take_records(read->tracee, &read->block, read->pieces);
}

static bool take_read(struct ring_read *read)
{
	struct tracee *tracee = read->tracee;
	struct inferior *inferior = tracee->inferior;
	const size_t n = sums_count(inferior);

	if (!read->ok)
		return false;
	ring_costs_listen(tracee, read->sums, n);
	if (!take_running(read)) {
		pads_give_up(inferior, "the program has overwritten its records");
		return false;
	}
	ring_costs_spend(tracee, &read->block, read->sums, n);
	answer(tracee, read->sums, n);
	say_deep(inferior->session, &read->block);
	return true;
}

bool ring_drain_thread(struct tracee *tracee)
{
	struct session *session = tracee->inferior->session;

	session->ring->reads->tracee = tracee;
	read_threads(session, session->ring->reads, 1);
	return take_read(session->ring->reads);
}

/* One that has ended may be the first, by which all were read. */
static void drain_read(struct session *session, size_t n)
{
	struct ring_read *reads = session->ring->reads;

	if (n)
		read_threads(session, reads, n);
	for (size_t i = 0; i < n; i++) {
		if (!reads[i].ok && n > 1)
			read_threads(session, &reads[i], 1);
		take_read(&reads[i]);
	}
}

static void drain_all(struct session *session)
{
	struct ring_read *reads = session->ring->reads;
	struct tracee *tracee, *next;
	size_t n = 0;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->pad)
			continue;
		if (n == RING_TOGETHER || (n && reads->tracee->inferior != tracee->inferior)) {
			drain_read(session, n);
			n = 0;
		}
		reads[n++].tracee = tracee;
	}
	drain_read(session, n);
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
		if (target->ops->waited_ns(target->self, tracee->tid, session->ring->told_ns,
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
	const double most = share * (double)(now_ns - ring->told_ns);

	if (ring->full || (most > 0 && (double)(worked_ns - ring->worked_ns) > most))
		ring->grant = ring->grant > GRANT_FALL * GRANT_LEAST ? ring->grant / GRANT_FALL
								     : GRANT_LEAST;
	else if (ring->grant < PAD_BUDGET)
		ring->grant +=
			ring->grant < PAD_BUDGET / 2 ? ring->grant / GRANT_RISE + 1 : TELL_EVERY;
	ring->worked_ns = worked_ns;
	ring->full = false;
}

void ring_drain_due(struct session *session, uint64_t now_ns)
{
	struct ring *ring = session->ring;
	struct tracee *tracee, *next;
	bool tells;

	if (!ring || now_ns < ring->due_ns || session->left)
		return;
	tells = ring->drainings++ % TELL_EVERY == 0;
	if (tells) {
		adapt_grant(session, now_ns);
		ring->told_ns = now_ns;
	}
	ring->drained_ns = now_ns;
	tsc_clock_refine(&ring->clock);
	look_at_stops(session);
	drain_all(session);
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tells && tracee->pad && tracee->inferior->pads->loads)
			pad_thread_look(tracee);
	lock_calls_expire(session, now_ns);
	if (tells)
		tell_others(session);
	ring->due_ns = next_draining(session, now_ns);
}

uint64_t ring_drain_until(const struct session *session, uint64_t until_ns)
{
	const uint64_t due_ns = session->ring && !session->left ? session->ring->due_ns : 0;

	return due_ns && (!until_ns || due_ns < until_ns) ? due_ns : until_ns;
}
