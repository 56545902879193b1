/*
 * Lock delays: a thread that waits in a lock whose holder we have stopped meanwhile waits longer by
 * that stop. So its clock stands still, too, as does that of those who wait for what it holds. The
 * holder is known
 *
 * - of a pthread mutex, and of a reader-writer lock that is held to write, by glibc's own word in
 * the lock, whoever took it, and whenever;
 *
 * - of other locks, where stops see operations, by what their threads were seen to take.
 *
 * Readers delay nobody, as another one may hold the lock for longer; nor do those that are to
 * signal a condition, or to post a semaphore: nobody knows who that would have been.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/catalogue/cost_call.h"

struct cost_function;
struct tracee;

/* A thread in a call that waits for a lock. */
struct lock_waiter {
	struct tracee *tracee;
	const struct cost_function *function;
	uint64_t object;
	uint64_t begin_ns; /* of all clocks */
	uint32_t owner;    /* a thread's id; 0: unknown */
	bool is_delayed;   /* by the stop */
};

/* All zero: none; owned. */
struct lock_waiters {
	struct lock_waiter *list;
	size_t n, capacity;
};

/* Can a stop of @tracee delay a wait that this session measures? */
bool lock_delays_matter(const struct tracee *tracee);

/* Add those beside the stopped @tracee of which stops see the operations. */
void lock_delays_gather(const struct tracee *tracee, struct lock_waiters *waiters);
/* @waiter is another one; what is no wait for a lock is not added. */
void lock_delays_add(struct lock_waiters *waiters, const struct lock_waiter *waiter);

/* Which of them wait for what the stopped @tracee holds, directly or not. False: none. */
bool lock_delays_find(const struct tracee *tracee, struct lock_waiters *waiters);

/*
 * By how much the stop of @tracee, which ends at @until_ns, delays @waiter, in ns: of its wait, and
 * where it was not stopped itself.
 */
uint64_t lock_delays_ns(const struct tracee *tracee, const struct lock_waiter *waiter,
			uint64_t until_ns);
