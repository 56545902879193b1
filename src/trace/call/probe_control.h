/* Opening and closing functions as the governor decides. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* A new image is open; probe_control_planted() lifts what is closed of a module just planted. */
void probe_control_add(struct session *session, struct image *image);
void probe_control_planted(struct inferior *inferior, pid_t tid, unsigned module);
/* For the user: measure no calls of function @index, or (pinned) all of them. */
void probe_control_enable(struct session *session, struct image *image, unsigned index,
			  bool enabled);
void probe_control_pin(struct session *session, struct image *image, unsigned index, bool pinned);
/*
 * A tracee through which @inferior's memory is accessible; something of it must be measured. 0:
 * none.
 */
pid_t probe_control_find_way(const struct inferior *inferior);
/* Plant a breakpoint where @call returns to. False: impossible. */
bool probe_control_keep_end(struct inferior *inferior, pid_t tid, struct open_call *call);
/*
 * A function that closes while pads follow calls of it to an int3 keeps that until the frames of
 * all threads were taken (inferior->unkept); now they are.
 */
void probe_control_keep_ends(struct session *session);
/* Pads followed @tracee's open calls until now: plant what stops need to see their ends. */
void probe_control_see_ends(struct tracee *tracee);
/* @tracee's hit was handled: close the function that pays for it if its window is over. */
void probe_control_after_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/*
 * Calls of function @index of @image, which nobody stopped for, have cost @cost_ns, and perhaps
 * @reserve_ns more: charge that, and close the function if its window is over.
 */
void probe_control_spend(struct session *session, struct image *image, unsigned index,
			 uint64_t cost_ns, uint64_t reserve_ns);
/* Close what may be closed, until the next cycle. */
void probe_control_rest(struct session *session, uint64_t now_ns);

/*
 * When probe_control_turn() is due; 0: nothing is closed. It opens closed functions in a new cycle;
 * tracees may run.
 */
uint64_t probe_control_due_ns(struct session *session);
void probe_control_turn(struct session *session, uint64_t now_ns);
/* The measurement is over: complete the accounts. */
void probe_control_finish(struct session *session);
