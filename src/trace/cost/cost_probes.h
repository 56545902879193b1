/*
 * Probes of cost functions: when they are planted.
 *
 * They are in place only while measured calls are open in an inferior, so that the rest of the
 * program is not slowed down; where they are all of transfers they stay. Planting and lifting
 * happens before a resume, so all of it is time in stops. Entries are planted at once, a function's
 * returns at its first entry since. For a function that can be left by jumps, that is the call's
 * return address.
 *
 * Where pads do their work they last, and with them all exits: a breakpoint is left where there is
 * no pad. The return address is used only if a call jumps out to code without probes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/catalogue/catalogue.h"

struct breakpoint;
struct cost_probe;
struct inferior;
struct tracee;

/* @module is mapped: prepare the probes of its cost functions. Failures become notes. */
void cost_probes_module_comes(struct inferior *inferior, pid_t tid, unsigned module);
/* [low, high) is unmapped; its breakpoints are about to be forgotten. */
void cost_probes_module_goes(struct inferior *inferior, uint64_t low, uint64_t high);
/* The form of the old catalogue's @function in the new one; NULL: none. */
typedef const struct cost_function *find_cost_function(void *self,
						       const struct cost_function *function);
void cost_probes_replace(struct inferior *inferior, find_cost_function *find, void *self);
/* @copy: a fork child with a breakpoint table of its own. */
void cost_probes_copy(const struct inferior *inferior, struct inferior *copy);
void cost_probes_forget(struct inferior *inferior);

/* Lift them when a tracee of @inferior is resumed, until cost_probes_resume(). */
void cost_probes_suspend(struct inferior *inferior);
void cost_probes_resume(struct inferior *inferior);
/* A mark for a call that begins; and whether all cost calls since were noticed. */
uint64_t cost_probes_mark(const struct inferior *inferior);
bool cost_probes_noticed(const struct inferior *inferior, uint64_t mark);

/* Are the cost functions that @metric needs known and probed? For the heap, malloc() is needed. */
bool cost_probes_known(const struct inferior *inferior, enum metric metric);

/* Plant or lift all entries through the stopped @tid; cost_probes_await_end() plants ends. */
void cost_probes_plant(struct inferior *inferior, pid_t tid);
void cost_probes_lift(struct inferior *inferior, pid_t tid);
/* Plant entries and exits to stay until `lasting` is reset. */
void cost_probes_last(struct inferior *inferior, pid_t tid);

/* Plant the ends for a call of @tracee that began at @probe. False: impossible, noted. */
bool cost_probes_await_end(struct tracee *tracee, struct cost_probe *probe,
			   uint64_t return_address);
/* The same for one that goes on in code without probes: it ends at its return address. */
bool cost_probes_await_return(struct tracee *tracee, struct cost_probe *probe,
			      uint64_t return_address);
/* No call of @tracee awaits its end at @breakpoint any more: where they last, it may go. */
void cost_probes_returned(const struct tracee *tracee, struct breakpoint *breakpoint);
