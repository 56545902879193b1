/*
 * Calls that end and calls that go on, as the process runs, and the one that is looked at. Private
 * to prompt*.c.
 */
#pragma once

#include <stdio.h>
#include "prompt_state.h"
#include "trace/session.h"

/* Something stops the process at the call, or at an open one: true, and it was reported. */
bool prompt_take_call(struct prompt *prompt, const struct call_record *record);
bool prompt_look_at_open(struct prompt *prompt);
/* The awaited call has returned: report it. One of a process that is on its way out: keep it. */
void prompt_take_finished(struct prompt *prompt, const struct call_record *record);
void prompt_take_last_call(struct prompt *prompt, const struct call_record *record);
/*
 * The call that is looked at: the one that returned, or the innermost open one of the thread. In
 * the spare arena; false: none.
 */
bool prompt_find_call(struct prompt *prompt, struct prompt_call *ret);
void prompt_forget_call(struct prompt *prompt);
void prompt_print_features(const struct prompt_call *call, const char *only, FILE *out);
