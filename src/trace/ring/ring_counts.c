/* Counts of pads are the kernel's, less what stops added; the tracer's own are the kernel's. */
#include "ring_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trace/call/call_counters.h"

enum { ROUNDS = 101 };

static const enum metric count_metrics[PAD_COUNTS] = {METRIC_CPU, METRIC_PFAULTS,
						      METRIC_MAJOR_PFAULTS, METRIC_SWITCHES};

unsigned ring_counts_for(unsigned metrics)
{
	unsigned counts = 0;

	for (enum pad_count i = 0; i < PAD_COUNTS; i++)
		if (metrics & 1u << count_metrics[i])
			counts |= 1u << i;
	return counts;
}

unsigned ring_counts_metrics(unsigned counts)
{
	unsigned metrics = 0;

	for (enum pad_count i = 0; i < PAD_COUNTS; i++)
		if (counts & 1u << i)
			metrics |= 1u << count_metrics[i];
	return metrics;
}

static int64_t own_cpu_ns(void)
{
	struct timespec now = {0};

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int counts_order(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Between two readings, as a pad makes them. */
double ring_counts_calibrate(const struct tsc_clock *clock, unsigned counts,
			     struct pad_costs *costs)
{
	int64_t between[ROUNDS], usage[ROUNDS];
	struct rusage ignored;

	for (int i = 0; i < ROUNDS; i++) {
		const int64_t before = own_cpu_ns();

		between[i] = own_cpu_ns() - before;
		getrusage(RUSAGE_THREAD, &ignored);
		usage[i] = own_cpu_ns() - before - 2 * between[i];
	}
	qsort(between, ROUNDS, sizeof(*between), counts_order);
	qsort(usage, ROUNDS, sizeof(*usage), counts_order);
	costs->cpu = (int32_t)between[ROUNDS / 2];
	costs->rate = (int32_t)(clock->ns_per_tick * (1 << PAD_RATE_BITS));
	return 2.0 * (double)((counts & 1u << PAD_CPU ? between[ROUNDS / 2] : 0) +
			      (counts & ~(1u << PAD_CPU) ? usage[ROUNDS / 2] : 0));
}

/* What the kernel counts, in the metric's unit. */
static double count_unit(enum pad_count count)
{
	return count == PAD_CPU ? 1000 : 1;
}

/* What a stop adds until its tracer reads the counts, and then until its thread runs. */
static double calibrated_stop(const struct session *session, enum pad_count count)
{
	const struct pad_calibration *pads = &session->account.calibration.pads;
	const enum metric metric = count_metrics[count];

	return (pads->ended[metric] + pads->begun[metric]) * count_unit(count);
}

void ring_counts_leave_out(struct tracee *tracee)
{
	const struct session *session = tracee->inferior->session;
	uint64_t *aside = tracee->pad->aside;

	for (enum pad_count i = 0; i < PAD_COUNTS; i++)
		aside[i] += (uint64_t)llround(calibrated_stop(session, i));
	/* It goes on with a sleep that only this stop has interrupted. */
	aside[PAD_SWITCHES] = tracee->switches + tracee->woken;
}

void ring_counts_steps_begin(const struct tracee *tracee, struct thread_counts *ret)
{
	const struct session *session = tracee->inferior->session;

	*ret = (struct thread_counts){.opening = 0};
	if (session->ring->counts)
		session->target.ops->counters(
			session->target.self, tracee->tid,
			metric_totals(session->options.metrics) | COUNTED_SINCE_BIRTH, ret);
}

void ring_counts_steps_end(struct tracee *tracee, const struct thread_counts *before)
{
	struct thread_counts now;

	ring_counts_steps_begin(tracee, &now);
	if (!now.opening || now.opening != before->opening)
		return;
	for (enum pad_count i = 0; i < PAD_COUNTS; i++)
		tracee->pad->aside[i] +=
			now.numbers[count_metrics[i]] - before->numbers[count_metrics[i]];
	tracee->switches += now.numbers[METRIC_SWITCHES] - before->numbers[METRIC_SWITCHES];
	if (tracee->counted == tracee->stops)
		tracee->counts = now;
}

/*
 * Where a stop begins a call, what that adds after its tracer has read the counts is subtracted
 * when a stop ends it, but not by a pad. A call @by_pad is changed to look like one of a stop.
 */
static uint64_t beginning(const struct session *session, enum pad_count count, bool by_pad)
{
	const struct calibration *calibration = &session->account.calibration;
	const enum metric metric = count_metrics[count];
	const double added = by_pad ? calibration->pair[metric] - calibration->pads.ended[metric]
				    : calibration->pads.begun[metric];

	return (uint64_t)llround(added * count_unit(count));
}

static const struct pad_counts *frame_counts(const struct pad_frame *frame)
{
	return (const struct pad_counts *)frame->words;
}

static void take_callees(const struct session *session, const struct pad_frame *frame,
			 struct open_call *call)
{
	const struct pad_counts *counts = frame_counts(frame);

	for (enum pad_count i = 0; i < PAD_COUNTS; i++)
		call->inner[count_metrics[i]] += (double)(int64_t)counts->inner[i] / count_unit(i);
	if (frame->uncounted)
		call->inner_unknown |= ring_counts_metrics(session->ring->counts);
}

/* Never more than it is now, as the cost of pads is not exact. */
static void add_to_beginning(const struct tracee *tracee, struct open_call *call,
			     enum metric metric, int64_t more)
{
	const uint64_t now = tracee->counts.numbers[metric];
	uint64_t *number = &call->counts.numbers[metric];

	*number += (uint64_t)more;
	if (*number > now)
		*number = now;
}

void ring_counts_take(struct tracee *tracee, const struct pad_frame *frame, bool own,
		      struct open_call *call)
{
	const struct session *session = tracee->inferior->session;
	const struct pad_counts *counts = frame_counts(frame);
	const uint64_t *aside = tracee->pad->aside;
	const double pads_ns =
		tsc_clock_ns(&session->ring->clock, (int64_t)(frame->ticks - counts->driven));

	take_callees(session, frame, call);
	if (!own) {
		call_counters_begin(tracee, call);
		for (enum pad_count i = 0; i < PAD_COUNTS; i++)
			call->counts.numbers[count_metrics[i]] =
				counts->numbers[i] + aside[i] - beginning(session, i, true);
		call->switches = aside[PAD_SWITCHES];
		if (counts->unknown)
			call->counts.known = 0;
	}
	add_to_beginning(tracee, call, METRIC_CPU, (int64_t)pads_ns);
}

/* What stops had added when @call began. */
static uint64_t aside_then(const struct tracee *tracee, const struct open_call *call,
			   enum pad_count count)
{
	const double stops = (double)(tracee->stops - call->stops);

	if (count == PAD_SWITCHES)
		return call->switches;
	return tracee->pad->aside[count] -
	       (uint64_t)llround(calibrated_stop(tracee->inferior->session, count)) *
		       (uint64_t)stops;
}

void ring_counts_give(struct tracee *tracee, const struct open_call *call, struct pad_frame *frame)
{
	const struct session *session = tracee->inferior->session;
	struct open_call begun = *call;
	const unsigned wanted = ring_counts_metrics(session->ring->counts);
	struct pad_counts *counts = (struct pad_counts *)frame->words;

	memset(counts, 0, sizeof(*counts));
	frame->uncounted = 0;
	if (frame->flags & PAD_ADOPTED)
		return;
	if (!call->start_ns) { /* it begins when this stop ends */
		call_counters_begin(tracee, &begun);
		begun.stops = tracee->stops;
	}
	frame->uncounted = (call->inner_unknown & wanted) != 0;
	counts->unknown = !begun.counts.opening || begun.counts.opening != tracee->counts.opening ||
			  wanted & ~begun.counts.known;
	for (enum pad_count i = 0; i < PAD_COUNTS; i++) {
		const enum metric metric = count_metrics[i];

		counts->inner[i] = (uint64_t)llround(call->inner[metric] * count_unit(i));
		counts->numbers[i] = begun.counts.numbers[metric] +
				     beginning(session, i, call->by_pad) -
				     aside_then(tracee, &begun, i);
	}
}

void ring_counts_record(const struct session *session, const struct pad_frame *record,
			bool knows_callees, struct value *metrics)
{
	const struct pad_counts *counts = frame_counts(record);

	for (enum pad_count i = 0; i < PAD_COUNTS; i++) {
		const double total = (double)(int64_t)counts->numbers[i] / count_unit(i);
		const double inner = (double)(int64_t)counts->inner[i] / count_unit(i);
		struct value *value = &metrics[count_metrics[i]];
		struct value *self = &metrics[METRIC_SELF + count_metrics[i]];

		if (!(session->ring->counts & 1u << i))
			continue;
		*value = (struct value){.number = total < 0 ? 0 : total};
		*self = (struct value){.number = total < inner ? 0 : total - inner};
		if (counts->unknown)
			*value = *self = (struct value){.absence = ABSENT_NOT_COUNTED};
		else if (!knows_callees || record->uncounted)
			*self = (struct value){.absence = ABSENT_CALLEE};
	}
}
