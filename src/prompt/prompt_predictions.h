/*
 * The expected cost of a call: from loaded annotations, else from a model of the samples so far.
 * Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/*
 * The expected value of @metric, in its unit; @ret_source names its origin (owned by the session,
 * or constant). False: no prediction.
 */
bool prompt_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
		   double *ret, const char **ret_source);
/*
 * Is the time of the returned @call three times as far from what is expected as its 95 %
 * interval? In *@ret, 1 or 0. False: nothing is predicted of it, or its time is not known.
 */
bool prompt_surprise(struct prompt *prompt, const struct prompt_call *call, double *ret);
void prompt_forget_models(struct prompt *prompt);
