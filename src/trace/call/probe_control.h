/*
 * Functions are opened and closed as the governor says. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* Of a new image, everything is open; once it is planted, what is closed is lifted again. */
void probe_control_add(struct session *session, struct image *image);
void probe_control_planted(struct inferior *inferior, pid_t tid, unsigned module);
/* The user wants no calls of function @index, or all of them, or neither any longer. */
void probe_control_enable(struct session *session, struct image *image, unsigned index,
			  bool enabled);
void probe_control_pin(struct session *session, struct image *image, unsigned index, bool pinned);
/* A tracee by which memory of @inferior, of which something is measured, can be had. 0: none. */
pid_t probe_control_find_way(const struct inferior *inferior);
/* The end of @call is noticed where it returns to. False: it cannot be. */
bool probe_control_keep_end(struct inferior *inferior, pid_t tid, struct open_call *call);
/*
 * Before and after @tracee's hit is looked at: whose it is, and whether somebody's window is over.
 */
void probe_control_hit(struct tracee *tracee, const struct breakpoint *breakpoint);
void probe_control_after_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* @tracee goes on: who has to pay? */
void probe_control_resumed(struct tracee *tracee, struct session *session, uint64_t resumed_ns);
/*
 * When probe_control_turn() has something to do; 0: nothing is closed. It opens what is closed, if
 * it is time; tracees may run.
 */
uint64_t probe_control_due_ns(struct session *session);
void probe_control_turn(struct session *session, uint64_t now_ns);
/* The measurement is over: accounts are closed. */
void probe_control_finish(struct session *session);
