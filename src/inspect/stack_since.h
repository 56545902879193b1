/*
 * Since when the calls of a stack have been open, as bounds: a thread that slept from one moment to
 * the next had all of its calls open, and none is older than its thread.
 *
 * A hold ends the sleep that it finds: its system call is begun again. Whether that went on as
 * before is known by the switches that it takes, unless what was waited for came in the very moment
 * of the hold. So a sleep from before counts only if it lasted much longer than what is held.
 */
#pragma once

#include "trace/snapshot.h"

struct stack_since;

struct stack_since *stack_since_create(pid_t pid);
void stack_since_destroy(struct stack_since *since); /* NULL is fine */

/* A round begins: the process runs. */
void stack_since_before(struct stack_since *since);

/* The same round, while @snapshot holds. */
void stack_since_held(struct stack_since *since, const struct snapshot *snapshot);

/* The same, behind the hold. */
void stack_since_after(struct stack_since *since, const struct snapshot *snapshot);

/* What the last round knows of the calls of the thread @tid, in µs; NAN: not known. */
double stack_since_at_least(const struct stack_since *since, pid_t tid);
double stack_since_at_most(const struct stack_since *since, pid_t tid);
