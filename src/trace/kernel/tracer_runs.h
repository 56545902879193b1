/*
 * Own runs: when the tracer itself ran, and on which processor.
 *
 * With several tracees, it takes the processor from one to handle another. That is no cost of the
 * program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tracer_runs;

/* Of the calling thread, from now on; none where they cannot be known. */
struct tracer_runs *tracer_runs_create(void);
void tracer_runs_destroy(struct tracer_runs *runs); /* NULL is fine */

/* Read new records. To be called often. */
void tracer_runs_update(struct tracer_runs *runs);

/*
 * Has the calling thread been running since @since_ns or later on another processor than
 * @processor?
 */
bool tracer_runs_came_elsewhere(const struct tracer_runs *runs, unsigned processor,
				uint64_t since_ns);

/*
 * How long, from @from_ns to @to_ns, they took @processor, task switches included. Old ones are
 * forgotten.
 */
uint64_t tracer_runs_between(const struct tracer_runs *runs, unsigned processor, uint64_t from_ns,
			     uint64_t to_ns);
