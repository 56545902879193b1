/*
 * Own runs: when the tracer itself ran, and on which processor.
 *
 * With several tracees, it takes the processor from one of them to look after another one. What a
 * tracee loses by that is no cost of the program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tracer_runs;

/* Of the calling thread, from now on. Where that cannot be known there are none. */
struct tracer_runs *tracer_runs_create(void);
void tracer_runs_destroy(struct tracer_runs *runs); /* NULL is fine */

/* Look what there is to know. To be called often. */
void tracer_runs_update(struct tracer_runs *runs);

/*
 * Has the calling thread been put on another processor than @processor, since @since_ns, to run
 * now?
 */
bool tracer_runs_came_elsewhere(const struct tracer_runs *runs, unsigned processor,
				uint64_t since_ns);

/*
 * How long of the time from @from_ns to @to_ns @processor was taken by them, changing tasks
 * included. Old ones are forgotten.
 */
uint64_t tracer_runs_between(const struct tracer_runs *runs, unsigned processor, uint64_t from_ns,
			     uint64_t to_ns);
