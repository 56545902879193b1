/* One thread's locks. Which functions are lock operations is not known here. */
#include "locks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

void locks_deinit(struct locks *locks)
{
	free(locks->held);
	*locks = (struct locks){0};
}

void locks_watch(struct locks *locks, bool known)
{
	locks_unwatch(locks);
	locks->watched = true;
	locks->known = known;
}

void locks_unwatch(struct locks *locks)
{
	struct held_lock *held = locks->held;
	size_t capacity = locks->capacity;

	*locks = (struct locks){.held = held, .capacity = capacity};
}

static struct held_lock *lock_find(const struct locks *locks, uint64_t object)
{
	size_t i;

	for (i = locks->n_held; i > 0; i--)
		if (locks->held[i - 1].object == object)
			return &locks->held[i - 1];
	return NULL;
}

static int64_t held_until(const struct locks *locks, int64_t clock_ns)
{
	return locks->held_ns + (locks->n_held ? clock_ns - locks->held_since_ns : 0);
}

static void lock_take(struct locks *locks, uint64_t object, int64_t clock_ns)
{
	struct held_lock *lock = lock_find(locks, object);

	if (lock) {
		lock->count++;
		return;
	}
	if (locks->n_held == LOCKS_MAX) {
		locks->muddled = true;
		return;
	}
	if (!locks->n_held)
		locks->held_since_ns = clock_ns;
	locks->held =
		mem_grow(locks->held, &locks->capacity, locks->n_held + 1, sizeof(*locks->held));
	locks->held[locks->n_held++] = (struct held_lock){object, 1};
}

static void lock_drop(struct locks *locks, struct held_lock *lock, int64_t clock_ns)
{
	locks->held_ns = held_until(locks, clock_ns);
	locks->held_since_ns = clock_ns;
	*lock = locks->held[--locks->n_held];
}

/* The thread has held a lock from the beginning until now. */
static void prove(struct locks *locks, int64_t clock_ns)
{
	if (locks->known || locks->muddled)
		return;
	locks->proven = true;
	locks->proven_ns = clock_ns;
	locks->proven_held_ns = held_until(locks, clock_ns);
}

static void lock_release(struct locks *locks, const struct lock_operation *operation)
{
	struct held_lock *lock = lock_find(locks, operation->object);

	if (lock && --lock->count == 0)
		lock_drop(locks, lock, operation->begin_ns);
	else if (!lock && operation->action == LOCK_RELEASE_SPIN)
		locks->doubts_of_hold++;
	else if (!lock)
		prove(locks, operation->begin_ns);
}

static bool has_taken(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

/* With any other error the mutex was not released. */
static bool has_parted(int result)
{
	return has_taken(result) || result == ETIMEDOUT || result == ENOTRECOVERABLE;
}

static void wait_for_condition(struct locks *locks, const struct lock_operation *operation)
{
	if (!has_parted(operation->result))
		return;
	locks->waited_ns += operation->end_ns - operation->begin_ns;
	lock_release(locks, operation);
	if (operation->result != ENOTRECOVERABLE)
		lock_take(locks, operation->object, operation->end_ns);
}

void locks_operation(struct locks *locks, const struct lock_operation *operation)
{
	switch (operation->action) {
	case LOCK_TAKE:
		locks->waited_ns += operation->end_ns - operation->begin_ns;
		/* fall through */
	case LOCK_TRY:
		if (has_taken(operation->result))
			lock_take(locks, operation->object, operation->end_ns);
		break;
	case LOCK_RELEASE:
	case LOCK_RELEASE_SPIN:
		if (operation->result == 0)
			lock_release(locks, operation);
		break;
	case LOCK_WAIT_CONDITION:
		wait_for_condition(locks, operation);
		break;
	case LOCK_WAIT:
		locks->waited_ns += operation->end_ns - operation->begin_ns;
		break;
	case LOCK_NOTHING:
		break;
	}
}

void locks_lost(struct locks *locks, enum lock_action action)
{
	if (action == LOCK_NOTHING)
		return;
	locks->doubts_of_wait++;
	if (action != LOCK_WAIT)
		locks->muddled = true;
}

struct locks_mark locks_mark(const struct locks *locks, int64_t clock_ns)
{
	return (struct locks_mark){
		.clock_ns = clock_ns,
		.waited_ns = locks->waited_ns,
		.held_ns = held_until(locks, clock_ns),
		.doubts_of_wait = locks->doubts_of_wait,
		.doubts_of_hold = locks->doubts_of_hold,
		.muddled = locks->muddled,
	};
}

static struct value number(int64_t ns)
{
	return (struct value){.number = (double)ns};
}

struct value locks_waited(const struct locks *locks, const struct locks_mark *from,
			  const struct locks_mark *to)
{
	if (!locks->watched)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (from->doubts_of_wait != to->doubts_of_wait)
		return (struct value){.absence = ABSENT_UNCERTAIN};
	return number(to->waited_ns - from->waited_ns);
}

struct value locks_held(const struct locks *locks, const struct locks_mark *from,
			const struct locks_mark *to)
{
	if (!locks->watched)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (to->muddled || locks->doubts_of_hold != from->doubts_of_hold)
		return (struct value){.absence = ABSENT_UNCERTAIN};
	if (!locks->proven || from->clock_ns >= locks->proven_ns)
		return number(to->held_ns - from->held_ns);
	if (to->clock_ns <= locks->proven_ns)
		return number(to->clock_ns - from->clock_ns);
	return number(locks->proven_ns - from->clock_ns + to->held_ns - locks->proven_held_ns);
}
