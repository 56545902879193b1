/* What a hit breakpoint means. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* @tracee has hit @breakpoint; its registers were read, PC at the breakpoint. */
void call_matching_hit(struct session *session, struct tracee *tracee,
		       struct breakpoint *breakpoint);
/* The rank of a call that begins. */
uint32_t call_matching_draw(struct session *session);
/* @call, with function, frame and rank, begins; the caller then adds it to @tracee's stack. */
void call_matching_open(struct tracee *tracee, struct open_call *call);
/* Undo that: @call has not begun. Frees it. */
void call_matching_take_back(struct tracee *tracee, struct open_call *call);
/* Is the return address of a suspected call still there? In a live frame it never changes. */
bool call_matching_may_return(const struct tracee *tracee, const struct open_call *call);
