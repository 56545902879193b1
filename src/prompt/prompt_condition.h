/* Conditions of probes: check their names, evaluate them for a call. Private to prompt*.c. */
#pragma once

#include "core/plan/read_plan.h"
#include "prompt_state.h"
#include "shell/condition.h"

/*
 * Check the names in the probe's condition. ERR_NOT_FOUND: one does not exist; @err suggests the
 * nearest. ERR_USAGE: a number is compared with a name, or a metric is not measured.
 */
bool prompt_check_condition(struct prompt *prompt, const struct prompt_probe *probe,
			    struct err *err);
/* True also without a condition. A condition with an unknown value is reported once. */
bool prompt_holds(struct prompt *prompt, struct prompt_probe *probe,
		  const struct prompt_call *call);
/* The enumerator or class that the feature's value stands for; NULL: none. */
const char *prompt_label(const struct prompt_call *call, size_t feature);
/* Can it be decided where a call of @function begins: is it about what is known there alone? */
bool prompt_is_at_entry(const struct prompt_probe *probe, const struct function *function);
/* A plan as of condition_filter(). False: it cannot be decided there, or not by a plan. */
bool prompt_filter(const struct prompt_probe *probe, const struct function *function,
		   struct arena *arena, struct read_plan *ret);
/*
 * What the features of @catalogue's functions are called: their expressions, and their short names,
 * in loaded annotations or as models would call them. In @arena.
 */
struct condition_known prompt_known_names(const struct prompt *prompt,
					  const struct catalogue *catalogue, struct arena *arena);
