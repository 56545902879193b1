/*
 * Locks: which ones a thread holds, how long it waited for some, and how much of that falls into a
 * call.
 *
 * Pure data per thread; each operation is entered when it is over. Clocks are the thread's own:
 * they stand still in stops. Sums only grow, so a call's share is the difference of two marks.
 *
 * All operations of a thread are entered while it is *watched*. Locks held before are unknown,
 * unless it was just born, but:
 *
 * - Releasing a lock, or waiting with it on a condition, without having been seen to take it is a
 * *proof* that the thread held it ever since it was watched. That raises `hold` of calls that began
 * before the proof, even of those that have ended.
 *
 * - Without a proof what was seen counts: a lock taken before and released after the last operation
 * watched is missed.
 *
 * - Releasing a spin lock not seen to be taken may be none (glibc's pthread_spin_init() is the same
 * code): `hold` of calls open then, or ended before, is absent.
 *
 * - After an operation that was left (cancelled, longjmp), or beyond LOCKS_MAX, `hold` is absent.
 *
 * A thread that releases another's lock (undefined in POSIX) is assumed to have held it.
 */
#pragma once

#include "core/value.h"
#include "trace/state/cost_state.h"

enum { LOCKS_MAX = 1024 }; /* held by a thread at once */

/* Results are those of the pthread functions: 0 or an error number, as an int. */
enum lock_action {
	LOCK_TAKE,    /* waits until it has the lock, or fails */
	LOCK_TRY,     /* never waits */
	LOCK_RELEASE, /* mutex or reader-writer lock */
	LOCK_RELEASE_SPIN,
	LOCK_WAIT_CONDITION, /* releases a mutex, waits, takes it again */
	LOCK_WAIT,           /* for a semaphore, which is not held */
	LOCK_NOTHING,        /* irrelevant */
};

struct lock_operation {
	enum lock_action action;
	uint64_t object; /* address; of a condition: the mutex */
	int64_t begin_ns, end_ns;
	int result;
};

void locks_deinit(struct locks *locks);

/* @known: the thread was just born, so it holds nothing. */
void locks_watch(struct locks *locks, bool known);
/* Earlier marks become invalid. */
void locks_unwatch(struct locks *locks);

void locks_operation(struct locks *locks, const struct lock_operation *operation);
/* An operation has begun whose end will be missed. */
void locks_lost(struct locks *locks, enum lock_action action);

struct locks_mark locks_mark(const struct locks *locks, int64_t clock_ns);

/*
 * Waiting and holding between two marks, in ns; ABSENT_NOT_MEASURED, ABSENT_UNCERTAIN. Clock errors
 * may make it negative: over many short waits they must even out.
 */
struct value locks_waited(const struct locks *locks, const struct locks_mark *from,
			  const struct locks_mark *to);
struct value locks_held(const struct locks *locks, const struct locks_mark *from,
			const struct locks_mark *to);
