/*
 * Conditions of probes. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/*
 * Are all names of the condition there? ERR_NOT_FOUND: one is not; @err suggests the nearest.
 * ERR_USAGE.
 */
bool prompt_check_condition(struct prompt *prompt, const struct prompt_probe *probe,
			    struct err *err);
/*
 * Is the probe without a condition, or does its condition hold? An undecidable condition is
 * reported once.
 */
bool prompt_holds(struct prompt *prompt, struct prompt_probe *probe,
		  const struct prompt_call *call);
/* The name of the value of a feature: an enumerator or a class; NULL: it has none. */
const char *prompt_label(const struct prompt_call *call, size_t feature);
