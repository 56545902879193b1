/* The tracer's latest runs, from the switches of its thread. */
#include "tracer_runs.h"

#include <stdlib.h>

#include "base/mem.h"
#include "context_switches.h"

enum { RUNS_KEPT = 1024 };
/* The kernel's time from the last switch of one task to the first of the next. */
static const uint64_t CHANGE_NS = 2000;

struct tracer_run {
	unsigned processor;
	uint64_t on_ns, off_ns; /* UINT64_MAX: still running */
};

struct tracer_runs {
	struct context_switches *switches; /* NULL: unknown */
	struct tracer_run runs[RUNS_KEPT];
	/* all so far; the last ones are kept, each at its number modulo RUNS_KEPT */
	size_t n;
};

struct tracer_runs *tracer_runs_create(void)
{
	struct tracer_runs *runs = mem_alloc(sizeof(*runs));

	runs->switches = context_switches_open(0);
	return runs;
}

void tracer_runs_destroy(struct tracer_runs *runs)
{
	if (!runs)
		return;
	context_switches_close(runs->switches);
	free(runs);
}

static struct tracer_run *run_at(struct tracer_runs *runs, size_t number)
{
	return &runs->runs[number % RUNS_KEPT];
}

/* A run whose end was not recorded counts as empty. */
void tracer_runs_update(struct tracer_runs *runs)
{
	const bool is_full = runs->switches && context_switches_full(runs->switches);
	struct context_switch switched;

	while (runs->switches && context_switches_take(runs->switches, &switched)) {
		struct tracer_run *last = runs->n ? run_at(runs, runs->n - 1) : NULL;

		if (last && last->off_ns == UINT64_MAX)
			last->off_ns = switched.off ? switched.when_ns : last->on_ns;
		if (!switched.off)
			*run_at(runs, runs->n++) = (struct tracer_run){
				switched.processor, switched.when_ns, UINT64_MAX};
	}
	if (is_full && runs->n)
		run_at(runs, runs->n - 1)->off_ns = run_at(runs, runs->n - 1)->on_ns;
}

bool tracer_runs_came_elsewhere(const struct tracer_runs *runs, unsigned processor,
				uint64_t since_ns)
{
	const struct tracer_run *now = runs->n ? &runs->runs[(runs->n - 1) % RUNS_KEPT] : NULL;

	return now && now->off_ns == UINT64_MAX && now->processor != processor &&
	       now->on_ns >= since_ns;
}

static uint64_t overlap(const struct tracer_run *run, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t on_ns = run->on_ns - CHANGE_NS;
	uint64_t off_ns = run->off_ns == UINT64_MAX ? UINT64_MAX : run->off_ns + CHANGE_NS;

	on_ns = on_ns > from_ns ? on_ns : from_ns;
	off_ns = off_ns < to_ns ? off_ns : to_ns;
	return on_ns < off_ns ? off_ns - on_ns : 0;
}

uint64_t tracer_runs_between(const struct tracer_runs *runs, unsigned processor, uint64_t from_ns,
			     uint64_t to_ns)
{
	uint64_t sum_ns = 0;

	for (size_t i = runs->n; i > 0 && runs->n - i < RUNS_KEPT; i--) {
		const struct tracer_run *run = &runs->runs[(i - 1) % RUNS_KEPT];

		if (run->off_ns != UINT64_MAX && run->off_ns + CHANGE_NS < from_ns)
			break;
		if (run->processor == processor)
			sum_ns += overlap(run, from_ns, to_ns);
	}
	return sum_ns < to_ns - from_ns ? sum_ns : to_ns - from_ns;
}
