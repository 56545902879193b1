/* What a pad has noted of a call becomes an event: values, metrics, callees. */
#include "ring_records.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_locks.h"
#include "ring_streams.h"
#include "trace/call/branches.h"
#include "trace/call/call_metrics.h"
#include "trace/call/feature_reading.h"
#include "trace/state/callee_sums.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

/* Shorter calls did not wait: two switches take longer. */
static const double WAIT_LEAST_NS = 1000;

void ring_records_system(const struct tracee *tracee, const struct measured_function *measured,
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

static struct site_sums *take_metrics(struct tracee *tracee, const struct pad_frame *record,
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
	struct site_sums *sites;

	for (size_t i = 0; i < METRIC_MEASURED; i++)
		call->metrics[i] = (struct value){.absence = ABSENT_NOT_MEASURED};
	call->metrics[METRIC_TIME] = call_metrics_rest(time, doubt);
	call->metrics[self] = own_time(call, call->metrics[METRIC_TIME], inner);
	if (!knows)
		call->metrics[self] = (struct value){.absence = ABSENT_CALLEE};
	if (ring->counts)
		ring_counts_record(inferior->session, record, knows, call->metrics);
	sites = ring_costs_record(tracee, record, knows, call->metrics);
	ring_locks_record(tracee, record, knows, call->metrics);
	ring_streams_record(tracee, (int64_t)record->id, call);
	return sites;
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
	struct site_sums *sites;
	struct value *branches;
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
	};
	const struct branches_noted noted = {
		.bytes = (const uint8_t *)&record->words[function->code.branches],
		.rank = call.rank,
		.start_ns = (uint64_t)call.start_ns + session->start_ns,
	};

	call.is_beside = ring_costs_is_beside(tracee, record->function, noted.start_ns);
	call.branches = branches = branches_of_bytes(measured, &noted, &looped);
	inferior->pads->dirty |= looped;
	memcpy(features, measured->blank, (n + 1) * sizeof(*features));
	ring_layout_values(function, record, true, features);
	ring_costs_spend_reading(session, measured, function, record, features);
	ring_records_system(tracee, measured, record->before, features);
	call.sites = sites = take_metrics(tracee, record, &call);
	measured_learn(&session->images[inferior->image->index]->functions[record->function],
		       call.metrics[METRIC_TIME]);
	call.callees = callees = record_callees(tracee, function, record, &call);
	event_queue_add_call(session, features, branches, callees, sites)->call = call;
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

/* To the end of the lap, a record is there whole. */
size_t ring_records_read_ahead(const struct tracee *tracee, struct ring_piece pieces[2],
			       struct memory_read reads[2])
{
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

bool ring_records_take(struct tracee *tracee, struct ring_piece pieces[2], uint64_t head)
{
	struct ring_piece *piece = pieces;
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
