/* Tail calls whose ends pads see: the callee is followed by pads, too. */
#pragma once

#include "pads.h"

/* Is @exit of @measured a jump to a function that ends in pads, or tail-calls such ones only? */
bool pad_tails_is_ended(const struct inferior *inferior, const struct measured_function *measured,
			const struct exit_site *exit);

/* Make what ends calls that wait, where it is missing, and tell the threads that have a block. */
void pad_tails_make_ends(struct inferior *inferior, pid_t tid);
