/* Callers are known by name only, so they are looked up when all that is measured is known. */
#include "code_seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"

struct seen_call {
	const char *caller;
	size_t node;
};

struct code_seen {
	struct code_graph *graph;
	const struct code_node **by_linkage; /* [functions] sorted */
	const char **names;                  /* [functions] of the measured ones */
	struct seen_call *calls;
	size_t n, capacity;
};

static int linkage_order(const void *a, const void *b)
{
	const struct code_node *x = *(const struct code_node *const *)a,
			       *y = *(const struct code_node *const *)b;

	return strcmp(x->linkage, y->linkage);
}

struct code_seen *code_seen_begin(struct code_graph *graph)
{
	struct code_seen *seen = mem_alloc(sizeof(*seen));

	code_graph_finish(graph);
	*seen = (struct code_seen){
		.graph = graph,
		.by_linkage = mem_alloc((graph->n_functions + 1) * sizeof(*seen->by_linkage)),
		.names = mem_alloc((graph->n_functions + 1) * sizeof(*seen->names))};
	for (size_t i = 0; i < graph->n_functions; i++)
		seen->by_linkage[i] = &graph->nodes[i];
	qsort(seen->by_linkage, graph->n_functions, sizeof(*seen->by_linkage), linkage_order);
	return seen;
}

size_t code_seen_find(const struct code_seen *seen, const char *linkage)
{
	const size_t n = seen->graph->n_functions;
	const size_t at = BISECT_FIRST(
		i, n, strcmp(seen->by_linkage[i]->linkage, linkage ? linkage : "") < 0);

	if (!linkage || at == n || strcmp(seen->by_linkage[at]->linkage, linkage) != 0 ||
	    (at + 1 < n && !strcmp(seen->by_linkage[at + 1]->linkage, linkage)))
		return CODE_NONE;
	return (size_t)(seen->by_linkage[at] - seen->graph->nodes);
}

void code_seen_take(struct code_seen *seen, size_t node, const char *name, size_t calls,
		    double share)
{
	seen->graph->nodes[node].calls = calls;
	seen->graph->nodes[node].share = share;
	seen->names[node] = arena_strdup(seen->graph->arena, name);
}

void code_seen_call(struct code_seen *seen, const char *caller, size_t node)
{
	/* Those of one function come one after the other. */
	for (size_t i = seen->n; i-- && seen->calls[i].node == node;)
		if (!strcmp(seen->calls[i].caller, caller))
			return;
	seen->calls = mem_grow(seen->calls, &seen->capacity, seen->n + 1, sizeof(*seen->calls));
	seen->calls[seen->n++] = (struct seen_call){arena_strdup(seen->graph->arena, caller), node};
}

/* The only measured function of that name; CODE_NONE: none, or several. */
static size_t seen_caller(const struct code_seen *seen, const char *name)
{
	size_t found = CODE_NONE;

	for (size_t i = 0; i < seen->graph->n_functions; i++)
		if (seen->names[i] && !strcmp(seen->names[i], name)) {
			if (found != CODE_NONE)
				return CODE_NONE;
			found = i;
		}
	return found;
}

/* Does code lead from @from to @to without a measured function between? @todo, @known: [nodes]. */
static bool seen_is_explained(const struct code_seen *seen, size_t from, size_t to, size_t *todo,
			      bool *known)
{
	const struct code_graph *graph = seen->graph;
	size_t n = 1;

	memset(known, 0, graph->n);
	todo[0] = from;
	while (n) {
		const size_t at = todo[--n];

		for (size_t k = graph->first_callee[at]; k < graph->first_callee[at + 1]; k++) {
			const size_t next = graph->callees[k].to;

			if (graph->callees[k].kind == CODE_REFERENCE || known[next])
				continue;
			if (next == to)
				return true;
			known[next] = true;
			if (next < graph->n_functions && !seen->names[next])
				todo[n++] = next;
		}
	}
	return false;
}

void code_seen_end(struct code_seen *seen)
{
	struct code_graph *graph = seen->graph;
	size_t *todo = mem_alloc((graph->n + 1) * sizeof(*todo));
	size_t *callers = mem_alloc((seen->n + 1) * sizeof(*callers));
	bool *known = mem_alloc(graph->n + 1);

	for (size_t i = 0; i < seen->n; i++) {
		callers[i] = seen_caller(seen, seen->calls[i].caller);
		if (callers[i] != CODE_NONE &&
		    seen_is_explained(seen, callers[i], seen->calls[i].node, todo, known))
			callers[i] = CODE_NONE;
	}
	for (size_t i = 0; i < seen->n; i++)
		if (callers[i] != CODE_NONE)
			code_graph_link(graph, callers[i], seen->calls[i].node, CODE_SEEN);
	code_graph_finish(graph);
	free(todo);
	free(callers);
	free(known);
	free(seen->by_linkage);
	free(seen->names);
	free(seen->calls);
	free(seen);
}
