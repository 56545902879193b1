/*
 * What lock operations mean for measured calls, and which calls are withheld until that is known.
 * locks.c keeps what a thread holds; cost_calls.c finds the operations.
 */
#include "lock_calls.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cost_probes.h"
#include "trace/state/callee_sums.h"
#include "trace/state/engine.h"
#include "trace/state/event_queue.h"
#include "locks.h"
#include "trace/state/thread_clock.h"

enum { LINGER_OPERATIONS = 4, LINGER_HITS = 100, WITHHELD_MAX = 64 };
static const uint64_t LINGER_NS = 100000000;

struct withheld_call {
	struct queued_event queued;
	struct open_call call; /* as it ended; the event owns its features */
	struct locks_mark end;
	uint64_t until_ns;
};

enum { LOCK_METRICS = 1u << METRIC_WAIT | 1u << METRIC_HOLD };

static bool lock_is_wanted(const struct tracee *tracee)
{
	return metric_totals(tracee->inferior->session->options.metrics) & LOCK_METRICS;
}

static enum lock_action action_of(enum cost_call_kind kind)
{
	switch (kind) {
	case COST_LOCK_TAKE:
	case COST_LOCK_TAKE_SPIN:
		return LOCK_TAKE;
	case COST_LOCK_TRY:
		return LOCK_TRY;
	case COST_LOCK_RELEASE:
		return LOCK_RELEASE;
	case COST_LOCK_RELEASE_SPIN:
		return LOCK_RELEASE_SPIN;
	case COST_CONDITION_WAIT:
		return LOCK_WAIT_CONDITION;
	case COST_SEMAPHORE_WAIT:
		return LOCK_WAIT;
	case COST_ALLOCATE:
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_ALLOCATE_INTO:
	case COST_REALLOCATE:
	case COST_REALLOCATE_ARRAY:
	case COST_FREE:
	case COST_MAP:
	case COST_UNMAP:
	case COST_SEND:
	case COST_RECEIVE:
	case COST_UNWIND:
	case COST_UNWIND_FORCED:
	case COST_JUMP:
	case COST_CHANGE:
	case COST_KIND_COUNT:
		break;
	}
	return LOCK_NOTHING;
}

bool lock_calls_has(enum cost_call_kind kind)
{
	return action_of(kind) != LOCK_NOTHING;
}

bool lock_calls_matter(const struct tracee *tracee, enum cost_call_kind kind)
{
	return tracee->lock_calls.locks.watched && lock_calls_has(kind);
}

void lock_calls_born(struct tracee *tracee)
{
	if (lock_is_wanted(tracee))
		locks_watch(&tracee->lock_calls.locks, true);
}

static struct open_call *lock_find_open(struct tracee *tracee, int64_t id)
{
	size_t i;

	for (i = tracee->calls.n; i > 0; i--)
		if (tracee->calls.calls[i - 1].id == id)
			return &tracee->calls.calls[i - 1];
	return NULL;
}

/* The open or withheld caller of the withheld call @index; NULL: reported, or none. */
static struct open_call *lock_find_caller(struct tracee *tracee, size_t index)
{
	struct lock_calls *of = &tracee->lock_calls;
	const int64_t parent = of->withheld[index].call.parent;
	size_t i;

	if (!parent)
		return NULL;
	for (i = index + 1; i < of->n_withheld; i++)
		if (of->withheld[i].call.id == parent)
			return &of->withheld[i].call;
	return lock_find_open(tracee, parent);
}

/* Clip to the call's time: clocks may disagree. */
static struct value in_us(struct value ns, struct value time)
{
	ns.number = ns.absence == PRESENT && ns.number > 0 ? ns.number / 1000 : 0;
	if (time.absence == PRESENT && ns.number > time.number)
		ns.number = time.number;
	return ns;
}

/* Update withheld call @index; its caller was charged with the earlier values. */
static void update(struct tracee *tracee, size_t index)
{
	struct withheld_call *withheld = &tracee->lock_calls.withheld[index];
	struct value *metrics = withheld->queued.event.call.metrics;
	const struct value before = metrics[METRIC_HOLD];
	const struct value now =
		in_us(locks_held(&tracee->lock_calls.locks, &withheld->call.locks, &withheld->end),
		      metrics[METRIC_TIME]);
	struct open_call *caller = lock_find_caller(tracee, index);

	if (before.absence != PRESENT)
		return;
	if (caller && now.absence != PRESENT)
		caller->inner_unknown |= 1u << METRIC_HOLD;
	else if (caller)
		caller->inner[METRIC_HOLD] += now.number - before.number;
	metrics[METRIC_HOLD] = now;
	metrics[METRIC_SELF + METRIC_HOLD] =
		thread_clock_without_callees(&withheld->call, METRIC_HOLD, now);
}

/* Report the first @n withheld calls. */
static void lock_tell(struct session *session, struct tracee *tracee, size_t n)
{
	struct lock_calls *of = &tracee->lock_calls;
	size_t i;

	for (i = 0; i < n; i++)
		update(tracee, i);
	for (i = 0; i < n; i++) {
		const struct queued_event *queued = &of->withheld[i].queued;

		*event_queue_add_call(session, queued->features, queued->branches, queued->callees,
				      queued->sites) = queued->event;
	}
	for (i = n; i < of->n_withheld; i++)
		of->withheld[i - n] = of->withheld[i];
	of->n_withheld -= n;
}

/* Nothing is withheld any more: stop watching a thread without open calls. */
static void lock_settle(struct tracee *tracee)
{
	struct lock_calls *of = &tracee->lock_calls;

	lock_tell(tracee->inferior->session, tracee, of->n_withheld);
	/* Pads see all operations, whether calls are open or not. */
	if (!tracee->calls.n && !of->locks.known && !tracee->inferior->cost.lasting)
		locks_unwatch(&of->locks);
}

void lock_calls_forget(struct tracee *tracee)
{
	struct lock_calls *of = &tracee->lock_calls;

	if (tracee->inferior)
		lock_settle(tracee);
	while (of->n_withheld) {
		free(of->withheld[--of->n_withheld].queued.features);
		free(of->withheld[of->n_withheld].queued.branches);
		callee_sums_destroy(of->withheld[of->n_withheld].queued.callees);
		free(of->withheld[of->n_withheld].queued.sites);
	}
	free(of->withheld);
	locks_deinit(&of->locks);
	*of = (struct lock_calls){0};
}

void lock_calls_disturb(const struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;
	struct tracee *other, *next;

	if (tracee->lock_calls.n_withheld || ++inferior->lingering_hits < LINGER_HITS)
		return;
	HASH_ITER (hh, inferior->session->tracees, other, next)
		if (other->inferior == inferior)
			lock_settle(other);
}

void lock_calls_lifted(struct inferior *inferior)
{
	struct tracee *tracee, *next;

	inferior->lingering_hits = 0;
	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->lock_calls.locks.watched) {
			lock_settle(tracee);
			locks_unwatch(&tracee->lock_calls.locks);
		}
}

bool lock_calls_linger(const struct inferior *inferior)
{
	const struct tracee *tracee;

	if (!inferior->session->withheld_until_ns)
		return false;
	for (tracee = inferior->session->tracees; tracee; tracee = tracee->hh.next)
		if (tracee->inferior == inferior && tracee->lock_calls.n_withheld)
			return true;
	return false;
}

void lock_calls_operation_begins(struct tracee *tracee)
{
	tracee->cost.note = (uint64_t)thread_clock_ns(tracee);
}

static void tell_operation(struct tracee *tracee, const struct lock_operation *operation)
{
	struct lock_calls *of = &tracee->lock_calls;
	const int64_t proven_ns = of->locks.proven ? of->locks.proven_ns : INT64_MIN;

	locks_operation(&of->locks, operation);
	if (!of->n_withheld)
		return;
	if ((of->locks.proven && of->locks.proven_ns > proven_ns) ||
	    (!tracee->calls.n && --of->operations_left == 0))
		lock_settle(tracee);
}

void lock_calls_operation_ends(struct tracee *tracee)
{
	const struct cost_call *call = &tracee->cost;
	const enum cost_call_kind kind = call->function->kind;
	const struct lock_operation operation = {
		.action = action_of(kind),
		.object = call->arguments[kind == COST_CONDITION_WAIT],
		.begin_ns = (int64_t)call->note,
		.end_ns = thread_clock_ns(tracee),
		.result = (int)tracee->registers.rax,
	};

	if (tracee->lock_calls.locks.watched)
		tell_operation(tracee, &operation);
}

void lock_calls_operation_lost(struct tracee *tracee)
{
	if (tracee->lock_calls.locks.watched)
		locks_lost(&tracee->lock_calls.locks, action_of(tracee->cost.function->kind));
}

bool lock_calls_known(struct inferior *inferior, enum metric metric)
{
	struct session *session = inferior->session;

	if (cost_probes_known(inferior, metric))
		return true;
	if (!(session->said_cost & LOCK_METRICS))
		event_queue_note(
			session,
			"wait and hold are not known: neither the program nor a library that "
			"it has mapped has a symbol of a function for locks");
	session->said_cost |= LOCK_METRICS;
	return false;
}

void lock_calls_begin(struct tracee *tracee, struct open_call *call)
{
	struct locks *locks = &tracee->lock_calls.locks;

	if (!lock_is_wanted(tracee))
		return;
	if (!locks->watched)
		locks_watch(locks, false);
	call->locks = locks_mark(locks, thread_clock_ns(tracee));
}

struct value lock_calls_cost(const struct tracee *tracee, const struct open_call *call,
			     enum metric metric, struct value time)
{
	const struct locks *locks = &tracee->lock_calls.locks;
	const struct locks_mark now = locks_mark(locks, thread_clock_ns(tracee));

	if (!lock_calls_known(tracee->inferior, metric))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	return in_us(metric == METRIC_WAIT ? locks_waited(locks, &call->locks, &now)
					   : locks_held(locks, &call->locks, &now),
		     time);
}

static void withhold(struct tracee *tracee, const struct open_call *call,
		     const struct locks_mark *end, uint64_t now_ns)
{
	struct session *session = tracee->inferior->session;
	struct lock_calls *of = &tracee->lock_calls;
	const struct queued_event queued = session->queue[--session->n_queued];

	if (of->n_withheld == WITHHELD_MAX)
		lock_tell(session, tracee, 1);
	if (!session->withheld_until_ns)
		session->withheld_until_ns = now_ns + LINGER_NS;
	of->withheld =
		mem_grow(of->withheld, &of->capacity, of->n_withheld + 1, sizeof(*of->withheld));
	of->withheld[of->n_withheld++] = (struct withheld_call){
		.queued = queued,
		.call = *call,
		.end = *end,
		.until_ns = now_ns + LINGER_NS,
	};
}

/* May @call's `hold` still rise? */
static bool may_rise(const struct tracee *tracee, const struct open_call *call)
{
	const struct locks *locks = &tracee->lock_calls.locks;

	return metric_totals(tracee->inferior->session->options.metrics) & 1u << METRIC_HOLD &&
	       locks->watched && !locks->known && !locks->muddled && !call->moved;
}

void lock_calls_end_followed(struct tracee *tracee, const struct open_call *call,
			     const struct locks_mark *end, uint64_t now_ns)
{
	/* Callers are reported after their callees. */
	if (tracee->lock_calls.n_withheld || may_rise(tracee, call))
		withhold(tracee, call, end, now_ns);
}

void lock_calls_end(struct tracee *tracee, const struct open_call *call)
{
	struct lock_calls *of = &tracee->lock_calls;
	const struct locks_mark end = locks_mark(&of->locks, thread_clock_ns(tracee));

	lock_calls_end_followed(tracee, call, &end, tracee->stop_ns);
	if (tracee->calls.n)
		return;
	of->operations_left = LINGER_OPERATIONS;
	if (!of->n_withheld)
		lock_settle(tracee);
}

static void expire(struct tracee *tracee, uint64_t now_ns)
{
	const struct lock_calls *of = &tracee->lock_calls;
	size_t n = 0;

	while (n < of->n_withheld && of->withheld[n].until_ns <= now_ns)
		n++;
	if (n == of->n_withheld)
		lock_settle(tracee);
	else
		lock_tell(tracee->inferior->session, tracee, n);
}

void lock_calls_tell_all(struct session *session)
{
	lock_calls_expire(session, UINT64_MAX);
}

void lock_calls_expire(struct session *session, uint64_t now_ns)
{
	struct tracee *tracee, *next;
	uint64_t first_ns = 0;

	if (!session->withheld_until_ns || now_ns < session->withheld_until_ns)
		return;
	HASH_ITER (hh, session->tracees, tracee, next) {
		const struct lock_calls *of = &tracee->lock_calls;

		if (of->n_withheld)
			expire(tracee, now_ns);
		if (of->n_withheld && (!first_ns || of->withheld->until_ns < first_ns))
			first_ns = of->withheld->until_ns;
	}
	session->withheld_until_ns = first_ns;
}
