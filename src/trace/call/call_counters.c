/*
 * What of a thread's counters is a call's: from the resume that starts it to the stop that ends it,
 * less our own part.
 */
#include "call_counters.h"

static unsigned wanted(const struct tracee *tracee)
{
	return tracee->inferior
		       ? metric_totals(tracee->inferior->session->options.metrics) & COUNTED_METRICS
		       : 0;
}

/* There are no counts but of a stopped tracee, so those of a stop are read once. */
static void call_counters_count(struct tracee *tracee)
{
	const unsigned metrics = wanted(tracee);
	const struct target *target;

	if (!metrics || tracee->counted == tracee->stops)
		return;
	target = &tracee->inferior->session->target;
	target->ops->counters(target->self, tracee->tid, metrics, &tracee->counts);
	tracee->counted = tracee->stops;
}

/* Has @tracee been switched off since its last stop, but for this one? False: that is not known. */
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
 * A stopped process is stopped without us, too. A sleep that ended for our sake alone, by one
 * signal or several, is taken up again: that is one switch more.
 */
void call_counters_stop(struct tracee *tracee, const struct stop *stop)
{
	const bool slept =
		wanted(tracee) & 1u << METRIC_SWITCHES && tracee->calls.n && has_slept(tracee);

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

/* Has @metric been counted without a break since @call began? */
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

	if (!call->start_ns) /* it ends in the very stop in which it began */
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
