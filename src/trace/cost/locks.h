/*
 * Locks: which ones a thread holds, how long it has waited for some, and what of that falls into a
 * call.
 *
 * Pure data, one struct a thread, told of each lock operation when it is over. Clocks are the
 * thread's own: they stand still while the measurement stops it. Sums only grow, so what falls into
 * a call is the difference of two marks.
 *
 * A thread is *watched* from some moment on, and all its operations are told from then until it is
 * not watched any more. What it held before is unknown, unless it was just born. This is known all
 * the same:
 * - A lock that is released, or waited on with a condition, without having been seen to be taken
 *   was taken
 *   before: until then the thread has held a lock ever since it was watched. That is a *proof*, and
 *   it raises what calls have held that began before it, also of those that have ended since.
 * - Without a proof what was seen counts. A lock that was taken before and is released after the
 *   last operation
 *   that was watched is missed.
 * - The release of a spin lock that was not seen to be taken may be none (glibc's
 *   pthread_spin_init() is the same
 *   code): what calls held that are open then, or have ended before, is absent.
 * - After an operation that was left (cancelled, longjmp), or more locks than LOCKS_MAX, what calls
 *   hold is absent. Who releases a lock that another thread took (POSIX leaves undefined what that
 *   does) is taken to have held it.
 */
#pragma once

#include "core/value.h"
#include "trace/state/cost_state.h"

enum { LOCKS_MAX = 1024 }; /* that a thread holds at once */

/* Results are those of the pthread functions: 0 or an error number, as an int. */
enum lock_action {
	LOCK_TAKE,    /* waits for a lock until it has it, or has not; for a time or for ever */
	LOCK_TRY,     /* takes a lock or not, and never waits */
	LOCK_RELEASE, /* of a mutex or a reader-writer lock */
	LOCK_RELEASE_SPIN,   /* of a spin lock */
	LOCK_WAIT_CONDITION, /* releases a mutex, waits, takes it again */
	LOCK_WAIT,           /* for a semaphore, which nobody owns: it is not held */
	LOCK_NOTHING,        /* is no operation that matters here */
};

struct lock_operation {
	enum lock_action action;
	uint64_t object; /* its address; of a condition: the mutex */
	int64_t begin_ns, end_ns;
	int result;
};

void locks_deinit(struct locks *locks);

/* @known: the thread is so new that it holds nothing. */
void locks_watch(struct locks *locks, bool known);
/* Marks of before mean nothing any more. */
void locks_unwatch(struct locks *locks);

void locks_operation(struct locks *locks, const struct lock_operation *operation);
/* An operation has begun, and nobody will see its end. */
void locks_lost(struct locks *locks, enum lock_action action);

struct locks_mark locks_mark(const struct locks *locks, int64_t clock_ns);

/*
 * Nanoseconds between two marks, of waiting and of holding. They may be less than 0 by what clocks
 * are wrong: over many short waits that must even out.
 */
struct value locks_waited(const struct locks *locks, const struct locks_mark *from,
			  const struct locks_mark *to);
struct value locks_held(const struct locks *locks, const struct locks_mark *from,
			const struct locks_mark *to);
