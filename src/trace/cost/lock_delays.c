/* Who waits for what a stopped thread holds. Clocks are moved by those who keep them. */
#include "lock_delays.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"
#include "trace/state/engine.h"

bool lock_delays_matter(const struct tracee *tracee)
{
	const unsigned metrics = 1u << METRIC_WAIT | 1u << METRIC_HOLD;

	return tracee->inferior && tracee->role == TRACEE_THREAD && !tracee->exiting &&
	       metric_totals(tracee->inferior->session->options.metrics) & metrics &&
	       HASH_COUNT(tracee->inferior->session->tracees) > 1;
}

void lock_delays_add(struct lock_waiters *waiters, const struct lock_waiter *waiter)
{
	const enum cost_call_kind kind = waiter->function->kind;

	if (kind != COST_LOCK_TAKE && kind != COST_LOCK_TAKE_SPIN)
		return;
	waiters->list =
		mem_grow(waiters->list, &waiters->capacity, waiters->n + 1, sizeof(*waiters->list));
	waiters->list[waiters->n++] = *waiter;
}

void lock_delays_gather(const struct tracee *tracee, struct lock_waiters *waiters)
{
	struct tracee *other, *next;

	HASH_ITER (hh, tracee->inferior->session->tracees, other, next) {
		const struct cost_call *call = &other->cost;
		const struct lock_waiter waiter = {.tracee = other,
						   .function = call->function,
						   .object = call->arguments[0],
						   .begin_ns = call->start_ns};

		if (other != tracee && other->inferior == tracee->inferior && !other->pad &&
		    call->function && !call->began)
			lock_delays_add(waiters, &waiter);
	}
}

/* Where a lock of glibc has its owner's id, in bytes; -1: nowhere. */
static int owner_offset(const struct cost_function *function)
{
	enum { MUTEX_OWNER = 8, WRITER = 24 };

	if (strstr(function->name, "rwlock"))
		return WRITER;
	return strstr(function->name, "mutex") ? MUTEX_OWNER : -1;
}

static void read_owners(const struct tracee *tracee, struct lock_waiters *waiters)
{
	const struct target *target = &tracee->inferior->session->target;
	struct memory_read *reads = mem_alloc(waiters->n * sizeof(*reads));
	size_t n = 0;

	for (size_t i = 0; i < waiters->n; i++) {
		struct lock_waiter *waiter = &waiters->list[i];
		const int offset = owner_offset(waiter->function);

		if (offset >= 0)
			reads[n++] =
				(struct memory_read){.address = waiter->object + (uint64_t)offset,
						     .to = &waiter->owner,
						     .size = sizeof(waiter->owner)};
	}
	if (n)
		target->ops->read(target->self, tracee->tid, reads, n);
	free(reads);
}

/* Pads keep their own lists. */
static bool was_seen_to_take(const struct tracee *tracee, const struct lock_waiter *waiter)
{
	const struct locks *locks = &tracee->lock_calls.locks;

	if (tracee->pad || strstr(waiter->function->name, "rwlock"))
		return false;
	for (size_t i = 0; i < locks->n_held; i++)
		if (locks->held[i].object == waiter->object)
			return true;
	return false;
}

static bool delays(const struct tracee *tracee, const struct lock_waiter *waiter)
{
	return waiter->owner == (uint32_t)tracee->tid || was_seen_to_take(tracee, waiter);
}

/* Those that wait for @tracee. */
static bool mark_delayed(const struct tracee *tracee, struct lock_waiters *waiters)
{
	bool found = false;

	for (size_t i = 0; i < waiters->n; i++) {
		struct lock_waiter *waiter = &waiters->list[i];

		if (waiter->is_delayed || waiter->tracee == tracee || !delays(tracee, waiter))
			continue;
		found = waiter->is_delayed = true;
	}
	return found;
}

bool lock_delays_find(const struct tracee *tracee, struct lock_waiters *waiters)
{
	bool more = true;

	if (!waiters->n)
		return false;
	read_owners(tracee, waiters);
	if (!mark_delayed(tracee, waiters))
		return false;
	/* each turn finds another one */
	while (more) {
		more = false;
		for (size_t i = 0; i < waiters->n; i++)
			if (waiters->list[i].is_delayed)
				more |= mark_delayed(waiters->list[i].tracee, waiters);
	}
	return true;
}

uint64_t lock_delays_ns(const struct tracee *tracee, const struct lock_waiter *waiter,
			uint64_t until_ns)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const struct tracee *other = waiter->tracee;
	const double hidden_ns = 1000 * calibration->stop[METRIC_TIME];
	const uint64_t stop_ns = tracee->stop_ns - tracee->idle_ns;
	uint64_t from_ns = stop_ns;

	if (from_ns < waiter->begin_ns)
		from_ns = waiter->begin_ns;
	if (from_ns < other->resumed_ns)
		from_ns = other->resumed_ns;
	if (other->stopped && until_ns > other->stop_ns)
		until_ns = other->stop_ns;
	if (until_ns <= from_ns)
		return 0;
	return until_ns - from_ns + (from_ns == stop_ns && hidden_ns > 0 ? (uint64_t)hidden_ns : 0);
}
