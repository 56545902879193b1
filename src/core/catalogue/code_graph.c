/* Collects nodes and edges, then finds levels and trees. */
#include "code_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "catalogue.h"

struct code_graph *code_graph_create(void)
{
	struct code_graph *graph = mem_alloc(sizeof(*graph));

	graph->arena = arena_create();
	return graph;
}

void code_graph_destroy(struct code_graph *graph)
{
	if (!graph)
		return;
	arena_destroy(graph->arena);
	free(graph->nodes);
	free(graph->callees);
	free(graph->callers);
	free(graph->first_callee);
	free(graph->first_caller);
	free(graph);
}

size_t code_graph_add(struct code_graph *graph, const struct code_node *node)
{
	graph->nodes =
		mem_grow(graph->nodes, &graph->capacity, graph->n + 1, sizeof(*graph->nodes));
	graph->nodes[graph->n] = *node;
	graph->nodes[graph->n].level = CODE_NO_LEVEL;
	graph->n_functions += node->kind == CODE_FUNCTION;
	return graph->n++;
}

void code_graph_link(struct code_graph *graph, size_t from, size_t to, enum code_edge_kind kind)
{
	const struct code_edge edge = {(unsigned)from, (unsigned)to, kind};

	if (graph->n_edges && !memcmp(&graph->callees[graph->n_edges - 1], &edge, sizeof(edge)))
		return;
	graph->callees = mem_grow(graph->callees, &graph->edges_capacity, graph->n_edges + 1,
				  sizeof(*graph->callees));
	graph->callees[graph->n_edges++] = edge;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t edge_key(unsigned major, unsigned minor)
{
	return (uint64_t)major << 32 | minor;
}

static int callee_order(const void *a, const void *b)
{
	const struct code_edge *x = a, *y = b;
	const int ends = compare_numbers(edge_key(x->from, x->to), edge_key(y->from, y->to));

	return ends ? ends : compare_numbers(x->kind, y->kind);
}

static int caller_order(const void *a, const void *b)
{
	const struct code_edge *x = a, *y = b;

	return compare_numbers(edge_key(x->to, x->from), edge_key(y->to, y->from));
}

static void edges_sort(struct code_graph *graph)
{
	struct code_edge *edges = graph->callees;
	size_t kept = 0;

	if (graph->n_edges)
		qsort(edges, graph->n_edges, sizeof(*edges), callee_order);
	for (size_t i = 0; i < graph->n_edges; i++)
		if (!kept || edges[kept - 1].from != edges[i].from ||
		    edges[kept - 1].to != edges[i].to)
			edges[kept++] = edges[i];
	graph->n_edges = kept;
	free(graph->callers);
	free(graph->first_callee);
	free(graph->first_caller);
	graph->callers = mem_copy(edges, kept, sizeof(*edges));
	if (kept)
		qsort(graph->callers, kept, sizeof(*edges), caller_order);
	graph->first_callee = mem_alloc((graph->n + 1) * sizeof(size_t));
	graph->first_caller = mem_alloc((graph->n + 1) * sizeof(size_t));
	for (size_t i = 0; i < kept; i++) {
		graph->first_callee[graph->callees[i].from + 1] = i + 1;
		graph->first_caller[graph->callers[i].to + 1] = i + 1;
	}
	for (size_t i = 1; i <= graph->n; i++) {
		if (!graph->first_callee[i])
			graph->first_callee[i] = graph->first_callee[i - 1];
		if (!graph->first_caller[i])
			graph->first_caller[i] = graph->first_caller[i - 1];
	}
}

/*
 * A queue of nodes by key: those whose callers are all resolved first, then by estimate, then by
 * name. A node may be in it several times; only its last key counts.
 */
struct levels {
	struct code_graph *graph;
	uint64_t *heap;
	size_t n, capacity;
	unsigned *estimates, *ranks, *by_rank;
	size_t *pending; /* callers that can be reached and are not resolved */
	bool *reached;
};

enum { READY_BIT = 63, RANK_BITS = 32 };

static void heap_push(struct levels *levels, uint64_t key)
{
	size_t at = levels->n++;

	levels->heap = mem_grow(levels->heap, &levels->capacity, levels->n, sizeof(key));
	for (; at && levels->heap[(at - 1) / 2] > key; at = (at - 1) / 2)
		levels->heap[at] = levels->heap[(at - 1) / 2];
	levels->heap[at] = key;
}

static uint64_t heap_pop(struct levels *levels)
{
	const uint64_t ret = levels->heap[0], last = levels->heap[--levels->n];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < levels->n; at = child) {
		child += child + 1 < levels->n && levels->heap[child + 1] < levels->heap[child];
		if (levels->heap[child] >= last)
			break;
		levels->heap[at] = levels->heap[child];
	}
	levels->heap[at] = last;
	return ret;
}

static uint64_t level_key(const struct levels *levels, size_t node)
{
	return (uint64_t)(levels->pending[node] > 0) << READY_BIT |
	       (uint64_t)levels->estimates[node] << RANK_BITS | levels->ranks[node];
}

static int rank_order(const void *a, const void *b, void *nodes)
{
	const struct code_node *x = (struct code_node *)nodes + *(const unsigned *)a,
			       *y = (struct code_node *)nodes + *(const unsigned *)b;
	const int names = strcmp(x->linkage, y->linkage);

	return names ? names : compare_numbers(x->addr, y->addr);
}

static void ranks_find(struct levels *levels)
{
	const struct code_graph *graph = levels->graph;

	for (size_t i = 0; i < graph->n; i++)
		levels->by_rank[i] = (unsigned)i;
	qsort_r(levels->by_rank, graph->n, sizeof(unsigned), rank_order, graph->nodes);
	for (size_t i = 0; i < graph->n; i++)
		levels->ranks[levels->by_rank[i]] = (unsigned)i;
}

/* Mark what is reached from @root, and is not yet, and who waits for whom there. */
static void levels_reach(struct levels *levels, size_t root)
{
	const struct code_graph *graph = levels->graph;
	size_t *todo = mem_alloc((graph->n + 1) * sizeof(*todo));
	size_t n = 1;

	todo[0] = root;
	levels->reached[root] = true;
	while (n) {
		const size_t node = todo[--n];

		for (size_t i = graph->first_callee[node]; i < graph->first_callee[node + 1]; i++) {
			const size_t to = graph->callees[i].to;

			if (graph->nodes[to].level != CODE_NO_LEVEL || to == node)
				continue;
			levels->pending[to]++;
			if (!levels->reached[to])
				todo[n++] = to;
			levels->reached[to] = true;
		}
	}
	free(todo);
}

static unsigned step_of(const struct code_node *node)
{
	return node->kind != CODE_OBJECT;
}

static unsigned level_of(const struct levels *levels, size_t node)
{
	const struct code_graph *graph = levels->graph;
	unsigned level = levels->estimates[node];

	for (size_t i = graph->first_callee[node]; i < graph->first_callee[node + 1]; i++) {
		const struct code_node *callee = &graph->nodes[graph->callees[i].to];

		if (graph->callees[i].kind != CODE_REFERENCE && callee->level != CODE_NO_LEVEL &&
		    callee->kind == CODE_FUNCTION && callee->level + 1 > level)
			level = callee->level + 1;
	}
	return level;
}

static void level_resolve(struct levels *levels, size_t node, unsigned level)
{
	struct code_graph *graph = levels->graph;

	graph->nodes[node].level = level;
	if (graph->nodes[node].kind == CODE_FUNCTION && level > graph->depth)
		graph->depth = level;
	for (size_t i = graph->first_callee[node]; i < graph->first_callee[node + 1]; i++) {
		const size_t to = graph->callees[i].to;
		const unsigned estimate = level + step_of(&graph->nodes[to]);

		if (graph->nodes[to].level != CODE_NO_LEVEL || to == node)
			continue;
		if (estimate > levels->estimates[to])
			levels->estimates[to] = estimate;
		levels->pending[to]--;
		heap_push(levels, level_key(levels, to));
	}
}

static void levels_from(struct levels *levels, size_t root)
{
	levels_reach(levels, root);
	levels->pending[root] = 0;
	level_resolve(levels, root, 0);
	while (levels->n) {
		const uint64_t key = heap_pop(levels);
		const size_t node = levels->by_rank[(uint32_t)key];

		if (levels->graph->nodes[node].level == CODE_NO_LEVEL &&
		    key == level_key(levels, node))
			level_resolve(levels, node, level_of(levels, node));
	}
}

static void levels_find(struct code_graph *graph)
{
	const size_t n = graph->n + 1;
	struct levels levels = {.graph = graph,
				.estimates = mem_alloc(n * sizeof(unsigned)),
				.ranks = mem_alloc(n * sizeof(unsigned)),
				.by_rank = mem_alloc(n * sizeof(unsigned)),
				.pending = mem_alloc(n * sizeof(size_t)),
				.reached = mem_alloc(n)};

	ranks_find(&levels);
	graph->depth = 0;
	for (size_t i = 0; i < graph->n; i++)
		graph->nodes[i].level = CODE_NO_LEVEL;
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < graph->n; i++) {
			const struct code_node *node = &graph->nodes[levels.by_rank[i]];

			if (node->is_entry && node->level == CODE_NO_LEVEL &&
			    (others || !strcmp(node->linkage, "main")))
				levels_from(&levels, levels.by_rank[i]);
		}
	free(levels.heap);
	free(levels.estimates);
	free(levels.ranks);
	free(levels.by_rank);
	free(levels.pending);
	free(levels.reached);
}

void code_graph_finish(struct code_graph *graph)
{
	edges_sort(graph);
	levels_find(graph);
}

size_t code_graph_at(const struct code_graph *graph, uint64_t addr)
{
	const size_t low = BISECT_FIRST(i, graph->n_functions, graph->nodes[i].addr < addr);

	return low < graph->n_functions && graph->nodes[low].addr == addr ? low : CODE_NONE;
}

size_t code_graph_of(const struct code_graph *graph, const struct function *function)
{
	return function->module || !function->n_ranges || function->block
		       ? CODE_NONE
		       : code_graph_at(graph, function->entry_addr);
}

const char *code_graph_words(const struct code_node *node, struct arena *arena)
{
	const char *measured = "";

	if (node->kind != CODE_FUNCTION)
		return node->kind == CODE_IMPORT ? "of another module" : "an object";
	if (node->calls)
		measured = arena_printf(arena, ", %zu call%s", node->calls,
					node->calls == 1 ? "" : "s");
	if (node->calls && isfinite(node->share))
		measured =
			arena_printf(arena, "%s, %.1f %% of the time", measured, 100 * node->share);
	return arena_printf(arena, "%s%s%s%s",
			    node->level == CODE_NO_LEVEL
				    ? "never called, as far as the code tells"
				    : arena_printf(arena, "level %u", node->level),
			    node->loops ? ", loops" : "",
			    node->calls_unknown ? ", calls through pointers" : "", measured);
}

struct tree {
	const struct code_graph *graph;
	enum code_direction direction;
	unsigned depth;
	struct code_step *steps;
	size_t n, capacity;
	bool *followed;
};

struct tree_edge {
	const char *name;
	size_t to;
	enum code_edge_kind kind;
};

static int tree_order(const void *a, const void *b)
{
	const struct tree_edge *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	return names ? names : compare_numbers(x->to, y->to);
}

static size_t tree_edges(const struct tree *tree, size_t node, struct tree_edge **ret)
{
	const struct code_graph *graph = tree->graph;
	const bool up = tree->direction == CODE_CALLERS;
	const size_t *first = up ? graph->first_caller : graph->first_callee;
	const struct code_edge *edges = up ? graph->callers : graph->callees;
	struct tree_edge *list = mem_alloc((first[node + 1] - first[node] + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t i = first[node]; i < first[node + 1]; i++) {
		const size_t to = up ? edges[i].from : edges[i].to;

		/* Downwards objects are no calls; upwards they say who may call by a pointer. */
		if (up || graph->nodes[to].kind != CODE_OBJECT)
			list[n++] = (struct tree_edge){graph->nodes[to].name, to, edges[i].kind};
	}
	qsort(list, n, sizeof(*list), tree_order);
	*ret = list;
	return n;
}

/* The depth of recursion is bounded by that of the tree. */
static void tree_walk(struct tree *tree, size_t node, unsigned depth, enum code_edge_kind kind)
{
	const size_t at = tree->n++;
	struct tree_edge *edges;
	size_t n;

	tree->steps = mem_grow(tree->steps, &tree->capacity, tree->n, sizeof(*tree->steps));
	tree->steps[at] = (struct code_step){node, depth, kind, tree->followed[node], 0};
	if (tree->followed[node])
		return;
	n = tree_edges(tree, node, &edges);
	tree->steps[at].n_cut = depth < tree->depth ? 0 : n;
	tree->followed[node] = depth < tree->depth;
	for (size_t i = 0; i < n && depth < tree->depth; i++)
		tree_walk(tree, edges[i].to, depth + 1, edges[i].kind);
	free(edges);
}

size_t code_graph_tree(const struct code_graph *graph, size_t root, enum code_direction direction,
		       unsigned depth, struct arena *arena, struct code_step **ret)
{
	struct tree tree = {.graph = graph,
			    .direction = direction,
			    .depth = depth,
			    .followed = mem_alloc(graph->n + 1)};

	tree_walk(&tree, root, 0, CODE_CALL);
	*ret = arena_copy(arena, tree.steps, tree.n * sizeof(*tree.steps));
	free(tree.steps);
	free(tree.followed);
	return tree.n;
}
