/*
 * How long the calls of a stack have been open, as bounds: a sleeping thread had all its calls open
 * meanwhile, and none is older than its thread.
 *
 * A stop ends sleeps: their system calls restart. The count of context switches shows whether a
 * sleep continued, unless its event came just during the stop. So an earlier sleep counts only if
 * it lasted much longer than the stops.
 */
#pragma once

#include "trace/snapshot.h"

struct stack_since;

struct stack_since *stack_since_create(pid_t pid);
void stack_since_destroy(struct stack_since *since); /* NULL is fine */

/* A round begins; the process runs. */
void stack_since_before(struct stack_since *since);

/* The same round, while the process is stopped for @snapshot. */
void stack_since_held(struct stack_since *since, const struct snapshot *snapshot);

/* The same round, after the stop. */
void stack_since_after(struct stack_since *since, const struct snapshot *snapshot);

/* Bounds for the calls of thread @tid in the last round, in µs; NAN: unknown. */
double stack_since_at_least(const struct stack_since *since, pid_t tid);
double stack_since_at_most(const struct stack_since *since, pid_t tid);
