/*
 * Emptying the rings: records become events, sums become accounts and limits, while threads run.
 *
 * Everything read here is the inferior's memory, which it may overwrite.
 */
#pragma once

#include "pads.h"

/*
 * Drain @tracee's ring and sums. False: the block is gone, or holds what no pad has written; then
 * its inferior gives up pads.
 */
bool ring_drain_thread(struct tracee *tracee);

/* Only the records of the stopped @tracee, whose @block was read. False: no pad wrote them. */
bool ring_drain_records(struct tracee *tracee, const struct pad_block *block);

/*
 * @tracee is about to be resumed or to take steps: unless its frames were taken, drain its records,
 * whose beginnings are told as of stops until now, and learn how its clock has gone on.
 */
void ring_drain_stopped(struct tracee *tracee);

/* Count the calls of function @index of the stopped @tracee: one may begin in this stop. */
void ring_drain_function(struct tracee *tracee, int index);

/* Drain all rings if it is time. @now_ns: by the target's clock. */
void ring_drain_due(struct session *session, uint64_t now_ns);

/* The earlier of @until_ns (0: never) and the next draining. */
uint64_t ring_drain_until(const struct session *session, uint64_t until_ns);
