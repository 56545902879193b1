/*
 * Inferiors: from the program's start, or the attach, to exec or the end. Private to trace/ and its
 * tests.
 */
#pragma once

#include "trace/state/engine.h"

/* A process of which nothing is measured yet. */
struct inferior *inferior_create(struct session *session, pid_t pid);
/* The child @pid of a process that forked: what is planted in the one is planted in the other. */
struct inferior *inferior_copy(const struct inferior *inferior, pid_t pid);
/*
 * Measure what @catalogue says (NULL: nothing) from the start of the program, whose exec was just
 * seen.
 */
bool inferior_measure(struct inferior *inferior, const struct catalogue *catalogue,
		      struct err *err);
/* The same of a program that runs already; @tid is a stopped thread of it. */
void inferior_measure_running(struct inferior *inferior, const struct catalogue *catalogue,
			      pid_t tid);
/* The program starts: its first breakpoint was hit by @tracee. */
void inferior_start(struct inferior *inferior, struct tracee *tracee);
/* Its memory is gone: exec, or the end. */
void inferior_forget(struct inferior *inferior);
void inferior_destroy(struct inferior *inferior);
