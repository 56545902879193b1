/*
 * What is expected of a call: by annotations that were loaded, or else by a model of the samples so
 * far. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/*
 * What @metric of the call is expected to be, in the metric's unit, and where that comes from (of
 * the session, or a constant). False: nothing is expected.
 */
bool prompt_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
		   double *ret, const char **ret_source);
void prompt_forget_models(struct prompt *prompt);
