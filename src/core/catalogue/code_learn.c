/* One function after the other; the caller of a wrapped one is looked up. */
#include "code_learn.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"

enum { SAMPLES_LEAST = 30, AGAIN = 20 };
#define SPREAD_MOST  0.05
#define WRAPPED_PART 0.8

/* Its only caller, if it calls nothing else; CODE_NONE: there is none such. */
static size_t wrapper_of(const struct code_graph *graph, size_t node)
{
	size_t caller = CODE_NONE, n = 0;

	for (size_t k = graph->first_caller[node]; k < graph->first_caller[node + 1]; k++) {
		caller = graph->callers[k].from;
		n++;
	}
	if (n != 1 || caller == node || caller >= graph->n_functions ||
	    graph->nodes[caller].calls_unknown)
		return CODE_NONE;
	for (size_t k = graph->first_callee[caller]; k < graph->first_callee[caller + 1]; k++)
		if (graph->callees[k].kind != CODE_REFERENCE && graph->callees[k].to != node)
			return CODE_NONE;
	return caller;
}

static const char *learned_reason(const struct code_graph *graph, const struct learned *learned,
				  const struct learned *const *of, struct arena *arena)
{
	const size_t wrapper = wrapper_of(graph, learned->node);
	const struct learned *caller = wrapper == CODE_NONE ? NULL : of[wrapper];

	if (learned->samples < SAMPLES_LEAST)
		return NULL;
	if (learned->median_us <= learned->resolution_us)
		return arena_printf(arena, "learn: %zu calls cost less than could be told, %.3g µs",
				    learned->calls, learned->resolution_us);
	if (learned->spread_us < SPREAD_MOST * learned->median_us)
		return arena_printf(arena, "learn: %zu calls cost the same, %.3g µs",
				    learned->calls, learned->median_us);
	if (caller && caller->calls == learned->calls &&
	    learned->median_us >= WRAPPED_PART * caller->median_us)
		return arena_printf(arena, "learn: it costs what %s does, which only calls it",
				    graph->nodes[wrapper].name);
	return NULL;
}

void code_learn_apply(const struct code_graph *graph, const struct learned *learned, size_t n,
		      uint64_t seed, struct arena *arena, const char **reasons)
{
	const struct learned **of = mem_alloc((graph->n_functions + 1) * sizeof(*of));
	struct random_state random = {.state = seed};

	for (size_t i = 0; i < n; i++)
		of[learned[i].node] = &learned[i];
	for (size_t i = 0; i < n; i++) {
		const char *reason = learned_reason(graph, &learned[i], of, arena);

		if (reason && random_next(&random) % AGAIN)
			reasons[learned[i].node] = reason;
	}
	free(of);
}
