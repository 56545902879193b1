/* Which functions are open now, and which breakpoints that needs. */
#pragma once

#include "engine.h"

struct breakpoint;

/*
 * Is the probe of @function inside a loop, so that it needs a breakpoint at its first instruction
 * to tell a new call from a turn?
 */
bool measured_has_first(const struct function *function);

/* Are its probes lifted, by the governor or by the user? */
bool measured_is_shut(const struct measured_function *measured);
/* The same for function @index of @inferior; true for -1, no function. */
bool measured_is_closed(const struct inferior *inferior, int index);

/* A sample took @time, and how far off their mean may be, as in struct function_account. */
void measured_learn(struct measured_function *measured, struct value time);
double measured_doubt(const struct measured_function *measured);

bool measured_may_begin(const struct inferior *inferior, unsigned index);
/*
 * The exit at @breakpoint of the block that is the function @index; NULL: it has none there.
 */
const struct exit_site *measured_block_exit(const struct inferior *inferior, unsigned index,
					    const struct breakpoint *breakpoint);
/* A block that @breakpoint ends, open if any is; -1: none. */
int measured_block_at(const struct inferior *inferior, const struct breakpoint *breakpoint);
/* Has a cost function a use of @breakpoint, planted or not? */
bool measured_is_of_cost(const struct breakpoint *breakpoint);
/* Does any use of @breakpoint need it planted? */
bool measured_wants(const struct inferior *inferior, const struct breakpoint *breakpoint);
