/*
 * The probes of cost functions: when they are planted.
 *
 * Probes are planted when the first measured call opens in an inferior, and lifted when the last
 * one has ended; only then, so that the rest of the program is not slowed down. That happens when a
 * tracee goes on, so that all of it is time in stops. Entries are planted at once; returns of a
 * function when it is entered for the first time meanwhile. Of a function that can be left by jumps
 * it is the address that a call returns to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/catalogue/catalogue.h"

struct cost_probe;
struct inferior;
struct tracee;

/* @module is mapped: prepare the probes of its cost functions. What goes wrong is a note. */
void cost_probes_module_comes(struct inferior *inferior, pid_t tid, unsigned module);
/* What lies in [low, high) is gone; its breakpoints are about to be forgotten. */
void cost_probes_module_goes(struct inferior *inferior, uint64_t low, uint64_t high);
/* What @function of the old catalogue is in a new one; NULL: it is not there. */
typedef const struct cost_function *find_cost_function(void *self,
						       const struct cost_function *function);
void cost_probes_replace(struct inferior *inferior, find_cost_function *find, void *self);
/* @copy is a fork child with a breakpoint table of its own. */
void cost_probes_copy(const struct inferior *inferior, struct inferior *copy);
void cost_probes_forget(struct inferior *inferior);

/* Lift them, when @inferior's tracee goes on, until they are resumed. */
void cost_probes_suspend(struct inferior *inferior);
void cost_probes_resume(struct inferior *inferior);
/* What a call that begins now keeps, and whether all of its cost calls were noticed. */
uint64_t cost_probes_mark(const struct inferior *inferior);
bool cost_probes_noticed(const struct inferior *inferior, uint64_t mark);

/* Are the cost functions that matter for @metric known and probed? Of a heap malloc() must be. */
bool cost_probes_known(const struct inferior *inferior, enum metric metric);

/*
 * Plant or lift the entries of all, by the stopped @tid; ends are planted by
 * cost_probes_await_end().
 */
void cost_probes_plant(struct inferior *inferior, pid_t tid);
void cost_probes_lift(struct inferior *inferior, pid_t tid);

/*
 * A call of @tracee has begun at @probe: its end will be seen. False: it will not, which is a note.
 */
bool cost_probes_await_end(struct tracee *tracee, struct cost_probe *probe,
			   uint64_t return_address);
