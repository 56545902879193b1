/* What each stop costs, and which function's budget pays for it. */
#include "stop_cost.h"

#include "trace/probe/breakpoint.h"
#include "trace/probe/governor.h"
#include "trace/state/measured.h"

/* Cost of a stop beyond its visible time, until calibrated. */
static const uint64_t HIDDEN_NS = 4000;

/*
 * A tracer that waits sees a stop within this time; a longer delay means that others use the
 * processor.
 */
static const uint64_t IDLE_MAX_NS = 50000;

/* The program's time is at least this part of the clock. */
static const uint64_t LEFT_PART = 128;

/*
 * Charge cost calls to the thread's innermost measured call; without one, to the function of the
 * call that began last.
 */
static int payer(const struct tracee *tracee)
{
	const struct call_stack *calls = &tracee->calls;

	return calls->n ? calls->calls[calls->n - 1].function : tracee->inferior->begun_last;
}

/*
 * The function that pays for the stop. A return breakpoint at a closed function's probe is charged
 * to the function that returns there.
 */
static int payer_of(const struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const int own = breakpoint->entry_of >= 0   ? breakpoint->entry_of
			: breakpoint->exit_of >= 0  ? breakpoint->exit_of
			: breakpoint->first_of >= 0 ? breakpoint->first_of
			: breakpoint->line_of >= 0  ? breakpoint->line_of
			: breakpoint->for_blocks ? measured_block_at(tracee->inferior, breakpoint)
						 : breakpoint->branch_of;

	if (breakpoint->returns && measured_is_closed(tracee->inferior, own))
		return breakpoint->returns_of;
	return own < 0 && (breakpoint->for_cost || breakpoint->hook) ? payer(tracee) : own;
}

void stop_cost_hit(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct session *session = tracee->inferior->session;
	const int index = payer_of(tracee, breakpoint);
	struct measured_function *measured;

	tracee->charged = NULL;
	tracee->in_vain = false;
	if (!tracee->inferior->image || index < 0)
		return;
	measured = &tracee->inferior->image->functions[index];
	tracee->charged = measured;
	if (!measured_is_shut(measured) &&
	    !governor_hit(session->governor, measured->governed, tracee->stop_ns))
		measured->over = true;
}

/* Cost of a stop, and its delay by other users of the processor. */
struct cost {
	uint64_t charged_ns, waited_ns;
};

/* How long it stood while the tracer did something else. */
static uint64_t stop_busy_ns(const struct session *session, const struct tracee *tracee)
{
	const uint64_t began_ns = tracee->stop_ns - tracee->idle_ns;
	const uint64_t end_ns =
		session->waits_ns < tracee->stop_ns ? session->waits_ns : tracee->stop_ns;

	return end_ns > began_ns ? end_ns - began_ns : 0;
}

/*
 * Stops of several threads overlap, so charge only wall time since the last resume; leave 1/128 of
 * it to the program, so that its clock always advances and windows end.
 */
static struct cost find_cost(const struct session *session, const struct tracee *tracee,
			     uint64_t resumed_ns)
{
	const struct calibration *calibration = &session->account.calibration;
	const double hidden_ns = calibration->stop[METRIC_TIME] * 1000;
	const uint64_t since_ns =
		resumed_ns > session->resumed_ns ? resumed_ns - session->resumed_ns : 0;
	const uint64_t most_ns = since_ns - since_ns / LEFT_PART;
	const uint64_t ours_ns = stop_busy_ns(session, tracee);
	const uint64_t most_idle_ns = ours_ns > IDLE_MAX_NS ? ours_ns : IDLE_MAX_NS;
	const uint64_t idle_ns = tracee->idle_ns < most_idle_ns ? tracee->idle_ns : most_idle_ns;
	uint64_t ns = resumed_ns - tracee->stop_ns - tracee->halted_ns + idle_ns;
	uint64_t all_ns;

	ns += hidden_ns > 0 ? (uint64_t)hidden_ns : HIDDEN_NS;
	if (ns < (uint64_t)calibration->stop_cost_ns)
		ns = (uint64_t)calibration->stop_cost_ns;
	all_ns = ns + tracee->idle_ns - idle_ns;
	ns = ns < most_ns ? ns : most_ns;
	all_ns = all_ns < most_ns ? all_ns : most_ns;
	return (struct cost){ns, all_ns - ns};
}

void stop_cost_resumed(struct tracee *tracee, struct session *session, uint64_t resumed_ns)
{
	struct measured_function *measured = tracee->charged;
	const struct cost cost = find_cost(session, tracee, resumed_ns);

	if (measured) {
		measured->account.stops++;
		measured->account.stopped_ns += resumed_ns - tracee->stop_ns - tracee->halted_ns;
		governor_spend(session->governor, measured->governed, cost.charged_ns,
			       tracee->in_vain);
	} else if (tracee->made_room) {
		governor_spend_in_common(session->governor, cost.charged_ns);
	} else {
		governor_spend_aside(session->governor, cost.charged_ns);
	}
	governor_wait(session->governor, cost.waited_ns);
	tracee->charged = NULL;
	tracee->made_room = false;
	session->resumed_ns = resumed_ns;
}
