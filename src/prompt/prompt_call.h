/*
 * Calls that return or are still open while the process runs, and the current call, which commands
 * such as print refer to. Private to prompt*.c.
 */
#pragma once

#include <stdio.h>
#include "prompt_state.h"
#include "trace/session.h"

struct stack_frame;

/*
 * Count a returned call (or look at the open ones) for each probe, and keep it as a sample if it is
 * one. True: a probe halted the process, and the call was reported.
 */
bool prompt_take_call(struct prompt *prompt, const struct call_record *record);
bool prompt_look_at_open(struct prompt *prompt);
/* Report the call that `finish` waited for. */
/* A call begins. Returns whether it halted the process. */
/* The same of a thread that is at a line, stopped. */
bool prompt_take_line(struct prompt *prompt, const struct session_event *event);
bool prompt_take_beginning(struct prompt *prompt, const struct call_record *record);
void prompt_take_finished(struct prompt *prompt, const struct call_record *record);
/* Keep or drop a call of a process that is ending: no counts, no stops. */
void prompt_take_last_call(struct prompt *prompt, const struct call_record *record);
/*
 * The current call: the one that just returned, else the innermost open one of prompt->thread.
 * @ret is valid until the next command. False: none.
 */
bool prompt_find_call(struct prompt *prompt, struct prompt_call *ret);
void prompt_forget_call(struct prompt *prompt);
/* @only: an expression; NULL: all features that have a value. */
void prompt_print_features(struct prompt *prompt, const struct prompt_call *call, const char *only,
			   FILE *out);
/*
 * The innermost frame of the function of @call, which is open, as it is now, in the session's look.
 * NULL: none, or the call has returned.
 */
const struct stack_frame *prompt_frame_of(struct prompt *prompt, const struct prompt_call *call);
