/* Inferiors: from the program's start, or the attach, to exec or the end. */
#pragma once

#include "trace/state/engine.h"

/* A process of which nothing is measured yet. */
struct inferior *inferior_create(struct session *session, pid_t pid);
/* For the forked child @pid: it inherits the planted breakpoints. */
struct inferior *inferior_copy(const struct inferior *inferior, pid_t pid);
/* Measure @catalogue (NULL: nothing) from the program's start; its exec was just seen. */
bool inferior_measure(struct inferior *inferior, const struct catalogue *catalogue,
		      struct err *err);
/* Likewise in a running program; @tid: a stopped thread of it. */
void inferior_measure_running(struct inferior *inferior, const struct catalogue *catalogue,
			      pid_t tid);
/* @tracee hit the breakpoint at the program's start. */
void inferior_start(struct inferior *inferior, struct tracee *tracee);
/* Now and then: one that is closed before the end is told, too. */
void inferior_look_for_rings(struct session *session, uint64_t now_ns);
/* As its measurement ends: what was not measured, and why. */
void inferior_say_unmeasured(struct inferior *inferior);
/* Its memory is gone: exec, or the end. */
void inferior_forget(struct inferior *inferior);
void inferior_destroy(struct inferior *inferior);
