/*
 * What a hit breakpoint means. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* @tracee, whose registers were read with the PC at @breakpoint, has hit it. */
void call_matching_hit(struct session *session, struct tracee *tracee,
		       struct breakpoint *breakpoint);
/*
 * @call, of which the function and its frame are known, begins in @tracee, whose calls it will be
 * put to.
 */
void call_matching_open(struct tracee *tracee, struct open_call *call);
/* @call of @tracee has not begun. */
void call_matching_take_back(struct tracee *tracee, struct open_call *call);
/* Is the return address of a suspected call still there? That of a live frame never changes. */
bool call_matching_may_return(const struct tracee *tracee, const struct open_call *call);
