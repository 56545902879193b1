/*
 * A call's part of its thread's counters: from the resume that starts it to the stop that ends it,
 * less what our stops add.
 */
#include "call_counters.h"

static unsigned wanted(const struct tracee *tracee)
{
	return tracee->inferior
		       ? metric_totals(tracee->inferior->session->options.metrics) & COUNTED_METRICS
		       : 0;
}

/* Counters stand still in a stop: read them once. */
static void call_counters_count(struct tracee *tracee)
{
	const unsigned metrics = wanted(tracee);
	const struct target *target;

	if (!metrics || tracee->counted == tracee->stops)
		return;
	target = &tracee->inferior->session->target;
	target->ops->counters(target->self, tracee->tid,
			      metrics | (tracee->inferior->session->ring ? COUNTED_SINCE_BIRTH : 0),
			      &tracee->counts);
	tracee->counted = tracee->stops;
}

/* Was @tracee switched out since its last stop, but for this one? False if unknown. */
static bool has_slept(struct tracee *tracee)
{
	const unsigned bit = 1u << METRIC_SWITCHES;
	const bool known = tracee->counted + 1 == tracee->stops;
	const struct thread_counts before = tracee->counts;
	const struct thread_counts *now = &tracee->counts;

	call_counters_count(tracee);
	return known && now->opening == before.opening && now->known & before.known & bit &&
	       now->numbers[METRIC_SWITCHES] > before.numbers[METRIC_SWITCHES] + 1;
}

/*
 * A group-stop switches without us, too. A sleep interrupted only by us is resumed afterwards: one
 * more switch is ours.
 */
void call_counters_stop(struct tracee *tracee, const struct stop *stop)
{
	const bool slept = wanted(tracee) & 1u << METRIC_SWITCHES &&
			   (tracee->calls.n || tracee->inferior->session->ring) &&
			   has_slept(tracee);

	tracee->switches += (stop->kind != STOP_GROUP) + (slept && tracee->woken);
	tracee->woken = stop->sleeps_again && (slept || tracee->woken);
}

void call_counters_begin(struct tracee *tracee, struct open_call *call)
{
	call_counters_count(tracee);
	call->switches = tracee->switches;
	call->counts = tracee->counts;
}

void call_counters_end(struct tracee *tracee)
{
	call_counters_count(tracee);
}

/* Was @metric counted without a gap since @call began? */
static bool is_counted(const struct thread_counts *now, const struct open_call *call,
		       enum metric metric)
{
	const unsigned bit = 1u << metric;

	return now->opening == call->counts.opening && now->known & call->counts.known & bit &&
	       now->numbers[metric] >= call->counts.numbers[metric] &&
	       (!(bit & HARDWARE_METRICS) || now->uncounted_ns == call->counts.uncounted_ns);
}

struct value call_counters_value(const struct tracee *tracee, const struct open_call *call,
				 enum metric metric)
{
	const struct thread_counts *now = &tracee->counts;
	double number;

	if (!call->start_ns) /* ends in the stop in which it began */
		return (struct value){.number = 0};
	if (!is_counted(now, call, metric))
		return (struct value){.absence = ABSENT_NOT_COUNTED};
	number = now->numbers[metric] - call->counts.numbers[metric];
	if (metric == METRIC_CPU)
		number /= 1000;
	if (metric == METRIC_SWITCHES)
		number -= tracee->switches - call->switches;
	return (struct value){.number = number};
}
