/*
 * Pads in a copy of this process, with nothing subtracted: after the first calls only few become
 * records, so that outer calls tell apart what a call costs and what a record costs.
 */
#include "calibrate_pads.h"

#include <math.h>

#include "base/clock.h"
#include "calibrate_copy.h"
#include "pad_trials.h"
#include "trace/calibrate.h"
#include "trace/state/tsc_clock.h"

static const uint64_t LAUNCH_NS = 100000000, LONGEST_NS = 5000000000;

struct pad_watch {
	struct pad_trials trials[ROLE_COUNT];
	int64_t caller; /* id of the outer call that the last inner ones were in */
	unsigned records;
	bool drawn; /* not each of them became one */
};

static void watch_call(struct pad_watch *watch, enum role role, const struct call_record *call)
{
	const double ns = call->metrics[METRIC_TIME].number * 1000;
	const bool has_inner = call->id == watch->caller;
	const struct pad_trial trial = {.ns = ns,
					.records = has_inner ? watch->records : 0,
					.drawn = has_inner && watch->drawn};

	if (role == ROLE_WORK || role == ROLE_RICH) {
		if (call->parent != watch->caller)
			watch->records = 0;
		watch->caller = call->parent;
		watch->records++;
		watch->drawn = call->limit < SESSION_RANK_ALL;
		pad_trials_add(&watch->trials[role], &(struct pad_trial){.ns = ns});
	} else {
		pad_trials_add(&watch->trials[role], &trial);
	}
}

static bool watch_has_enough(const struct pad_watch *watch)
{
	return pad_trials_are_enough(&watch->trials[ROLE_WORK]) &&
	       pad_trials_are_enough(&watch->trials[ROLE_WORK_BARE]) &&
	       pad_trials_are_enough(&watch->trials[ROLE_APART_BARE]) &&
	       pad_trials_are_enough(&watch->trials[ROLE_APART_OUTER]) &&
	       pad_trials_are_enough(&watch->trials[ROLE_RICH_OUTER]);
}

/*
 * For LAUNCH_NS, or longer where the machine is so busy that the copy hardly ran: without these
 * costs, what stops could not tell from nothing is believed of pads, a thousand times as much.
 * False: there are no pads, or something else is wrong.
 */
static bool watch_all(const struct calibrate_copy *copy, struct pad_watch *watch)
{
	const uint64_t begin_ns = clock_now_ns();
	struct session_event event;
	struct err ignored;
	uint64_t spent_ns;

	do {
		if (!session_next(calibrate_copy_session(copy), &event, &ignored))
			return false;
		if (event.kind == SESSION_CALL && event.call.stops)
			return false;
		if (event.kind == SESSION_CALL)
			watch_call(watch, calibrate_copy_role(copy, &event.call), &event.call);
		spent_ns = clock_now_ns() - begin_ns;
	} while (event.kind != SESSION_ENDED &&
		 (spent_ns < LAUNCH_NS || (!watch_has_enough(watch) && spent_ns < LONGEST_NS)));
	return true;
}

/* Per call of an outer function, in ns: what it has more than its twin. */
static double more_than(const struct pad_watch *watch, enum role outer, enum role bare)
{
	return pad_trials_typical(&watch->trials[outer]) - pad_trials_typical(&watch->trials[bare]);
}

/* In a call of ROLE_NEST there are as many within it. @releases: those of locks matter, too. */
static void find_costs(const struct pad_watch *watch, bool releases, struct pad_calibration *ret)
{
	const int operations = releases ? CALIBRATE_INNER : CALIBRATE_INNER / 2;
	const double take = more_than(watch, ROLE_TAKE_OUTER, ROLE_TAKE_BARE) / CALIBRATE_INNER;
	const double nest = more_than(watch, ROLE_NEST_OUTER, ROLE_NEST_BARE) / CALIBRATE_INNER;
	const double lock = more_than(watch, ROLE_LOCK_OUTER, ROLE_LOCK_BARE) / operations;

	ret->lock = fmax(lock, 0) / 1000;
	ret->heap = fmax(take, 0) / 1000;
	ret->heap_inner = fmax((nest - take) / CALIBRATE_INNER, 0) / 1000;
}

/*
 * On one processor: memory that the tracer on another one has just read takes some 50 ns to be
 * written again where records follow each other as nearly as here, which is seldom elsewhere.
 */
void calibrate_pads(const struct session_options *asked, struct pad_calibration *ret)
{
	const unsigned totals = metric_totals(asked->metrics);
	const unsigned blocks = metric_set_from(METRIC_BLOCKS);
	const unsigned costs =
		(totals & cost_call_metrics() & ~blocks) | (totals & blocks ? 1u << METRIC_MEM : 0);
	const unsigned own = asked->metrics & 1u << (METRIC_SELF + METRIC_TIME);
	struct tsc_clock clock;
	const struct session_options options = {
		.probes = PROBES_PADS, .metrics = costs | own, .clock = &clock};
	/* of records: one with absent bits, and one for each feature */
	struct pad_trials_shape shape = {.inner = CALIBRATE_INNER,
					 .work_words = 1 + CALIBRATE_WORK_FEATURES,
					 .rich_words = 1 + CALIBRATE_RICH_FEATURES};
	struct pad_watch watch = {.caller = 0};
	struct pad_trials *trials = watch.trials;
	struct calibrate_copy *copy;
	struct err ignored;
	const char *why;
	cpu_set_t before;
	bool kept;

	*ret = (struct pad_calibration){0};
	if (!session_pads_possible(asked, &why) || !tsc_clock_init(&clock, &why))
		return;
	kept = calibrate_keep_to(sched_getcpu(), &before);
	copy = calibrate_copy_launch(&options, calibrate_inferior_pads, &ignored);
	shape.step_ns = clock.step_ns;
	if (copy && watch_all(copy, &watch) &&
	    pad_trials_find(&shape, &trials[ROLE_WORK], &trials[ROLE_WORK_BARE],
			    &trials[ROLE_APART_BARE], &trials[ROLE_APART_OUTER],
			    &trials[ROLE_RICH_OUTER], ret) &&
	    costs)
		find_costs(&watch, costs & 1u << METRIC_HOLD, ret);
	if (copy)
		calibrate_copy_destroy(copy);
	if (kept)
		sched_setaffinity(0, sizeof(before), &before);
	for (enum role role = 0; role < ROLE_COUNT; role++)
		pad_trials_deinit(&trials[role]);
}
