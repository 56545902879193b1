/* Sums the time of samples by caller; follows edges down to a depth, and never in circles. */
#include "call_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { DEPTH_MOST = 24 };
static const double LEAST_PART = 0.001;

/* Of one callee, by one caller. */
struct graph_sum {
	const char *caller; /* NULL: none */
	size_t callee;
	double time;
};

struct call_graph_maker {
	struct call_graph *graph;
	size_t nodes_capacity, code_capacity;
	struct graph_sum *sums;
	size_t n_sums, sums_capacity;
};

struct call_graph_maker *call_graph_begin(void)
{
	struct call_graph_maker *maker = mem_alloc(sizeof(*maker));
	struct arena *arena = arena_create();

	maker->graph = arena_new(arena, struct call_graph);
	maker->graph->arena = arena;
	return maker;
}

static void graph_sum(struct call_graph_maker *maker, size_t from, const char *caller, double time)
{
	const size_t callee = maker->graph->n - 1;
	size_t i = from;

	while (i < maker->n_sums && (!caller != !maker->sums[i].caller ||
				     (caller && strcmp(caller, maker->sums[i].caller) != 0)))
		i++;
	if (i == maker->n_sums) {
		maker->sums =
			mem_grow(maker->sums, &maker->sums_capacity, i + 1, sizeof(*maker->sums));
		maker->sums[maker->n_sums++] = (struct graph_sum){
			caller ? arena_strdup(maker->graph->arena, caller) : NULL, callee, 0};
	}
	maker->sums[i].time += fmax(0, time);
}

void call_graph_add(struct call_graph_maker *maker, const struct samples *samples, double total_us,
		    double share)
{
	struct call_graph *graph = maker->graph;
	const size_t time = samples_find_column(samples, COLUMN_METRIC, "time");
	const size_t from = maker->n_sums;

	graph->nodes =
		mem_grow(graph->nodes, &maker->nodes_capacity, graph->n + 1, sizeof(*graph->nodes));
	graph->nodes[graph->n++] = (struct call_node){
		.name = arena_strdup(graph->arena, samples->function),
		.total_us = total_us,
		.self_us = total_us,
		.share = share,
		.n_calls = samples->n_calls,
	};
	if (time >= samples->n_columns || !samples->callers)
		return;
	for (size_t i = 0; i < samples->n_rows; i++)
		if (samples->columns[time].absence[i] == PRESENT &&
		    (samples->callers[i] || !samples->keys[i].parent))
			graph_sum(maker, from, samples->callers[i],
				  samples->columns[time].numbers[i]);
}

void call_graph_add_code(struct call_graph_maker *maker, const char *caller, const char *callee)
{
	struct call_graph *graph = maker->graph;

	graph->code = mem_grow(graph->code, &maker->code_capacity, graph->n_code + 1,
			       sizeof(*graph->code));
	graph->code[graph->n_code++] = (struct code_call){arena_strdup(graph->arena, caller),
							  arena_strdup(graph->arena, callee)};
}

size_t call_graph_find(const struct call_graph *graph, const char *name)
{
	for (size_t i = 0; i < graph->n; i++)
		if (!strcmp(graph->nodes[i].name, name))
			return i;
	return CALL_GRAPH_NONE;
}

/* Of all callers of the callee that are known; */
static double graph_whole(const struct call_graph_maker *maker, size_t callee)
{
	double whole = 0;

	for (size_t i = 0; i < maker->n_sums; i++)
		whole += maker->sums[i].callee == callee ? maker->sums[i].time : 0;
	return whole;
}

static void graph_resolve(struct call_graph_maker *maker)
{
	struct call_graph *graph = maker->graph;

	graph->edges = arena_array(graph->arena, struct call_edge, maker->n_sums);
	for (size_t i = 0; i < maker->n_sums; i++) {
		const struct graph_sum *sum = &maker->sums[i];
		const size_t caller =
			sum->caller ? call_graph_find(graph, sum->caller) : CALL_GRAPH_NONE;
		const double whole = graph_whole(maker, sum->callee);
		const double part = sum->time / whole;

		if (!(whole > 0) || !(part > 0))
			continue;
		graph->edges[graph->n_edges++] = (struct call_edge){caller, sum->callee, part};
		if (caller != CALL_GRAPH_NONE && caller != sum->callee)
			graph->nodes[caller].self_us -= part * graph->nodes[sum->callee].total_us;
	}
	for (size_t i = 0; i < graph->n; i++)
		if (graph->nodes[i].self_us < 0)
			graph->nodes[i].self_us = NAN; /* less than the errors of the sums */
}

struct call_graph *call_graph_end(struct call_graph_maker *maker)
{
	struct call_graph *graph = maker->graph;
	struct call_node *nodes = graph->nodes;
	struct code_call *code = graph->code;

	graph_resolve(maker);
	graph->nodes = arena_copy(graph->arena, nodes, graph->n * sizeof(*nodes));
	graph->code = arena_copy(graph->arena, code, graph->n_code * sizeof(*code));
	free(nodes);
	free(code);
	free(maker->sums);
	free(maker);
	return graph;
}

void call_graph_destroy(struct call_graph *graph)
{
	if (graph)
		arena_destroy(graph->arena);
}

/* A tree in the making. */
struct walk {
	const struct call_graph *graph;
	enum call_direction direction;
	struct arena *arena;
	struct call_step *steps;
	size_t n, most;
	size_t way[DEPTH_MOST];
};

static bool walk_has(const struct walk *walk, size_t node, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		if (walk->way[i] == node)
			return true;
	return false;
}

static int walk_compare(const void *a, const void *b)
{
	const struct call_step *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/*
 * Those next to @from. To a callee goes its time by this caller, relative to all of the caller's;
 * to a caller, its part of the callee's time.
 */
static size_t walk_next(const struct walk *walk, const struct call_step *from,
			struct call_step *ret)
{
	const struct call_graph *graph = walk->graph;
	const struct call_node *node = &graph->nodes[from->node];
	const bool down = walk->direction == CALL_GRAPH_CALLEES;
	size_t n = 0;

	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct call_edge *edge = &graph->edges[i];
		const size_t next = down ? edge->callee : edge->caller;
		double part = edge->part;

		if ((down ? edge->caller : edge->callee) != from->node || next == CALL_GRAPH_NONE ||
		    next == from->node)
			continue;
		if (down)
			part = fmin(1, part * graph->nodes[next].total_us / node->total_us);
		if (part * from->part >= LEAST_PART)
			ret[n++] = (struct call_step){next, from->depth + 1, from->share * part,
						      from->part * part, false};
	}
	qsort(ret, n, sizeof(*ret), walk_compare);
	return n;
}

static void call_walk_visit(struct walk *walk, struct call_step step)
{
	struct call_step *next;
	size_t n;

	if (walk->n == walk->most)
		return;
	step.is_repeated = walk_has(walk, step.node, step.depth);
	walk->steps[walk->n++] = step;
	if (step.is_repeated || step.depth + 1 == DEPTH_MOST)
		return;
	walk->way[step.depth] = step.node;
	next = mem_alloc((walk->graph->n_edges + 1) * sizeof(*next));
	n = walk_next(walk, &step, next);
	for (size_t i = 0; i < n; i++)
		call_walk_visit(walk, next[i]);
	free(next);
}

/* The part of a function's time that no measured caller took. */
static double graph_root_part(const struct call_graph *graph, size_t node)
{
	double part = 1;

	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].callee == node && graph->edges[i].caller != CALL_GRAPH_NONE)
			part -= graph->edges[i].part;
	return part;
}

size_t call_graph_tree(const struct call_graph *graph, size_t root, enum call_direction direction,
		       size_t most, struct arena *arena, struct call_step **ret)
{
	struct walk walk = {.graph = graph, .direction = direction, .most = most};
	struct call_step *roots = mem_alloc((graph->n + 1) * sizeof(*roots));
	size_t n = 0;

	walk.steps = arena_array(arena, struct call_step, most);
	for (size_t i = 0; i < graph->n; i++) {
		const double part = root == CALL_GRAPH_NONE ? graph_root_part(graph, i) : i == root;

		if (part >= LEAST_PART)
			roots[n++] = (struct call_step){
				i, 0, graph->nodes[i].share * part,
				root == CALL_GRAPH_NONE && isfinite(graph->nodes[i].share)
					? graph->nodes[i].share * part
					: part,
				false};
	}
	qsort(roots, n, sizeof(*roots), walk_compare);
	for (size_t i = 0; i < n; i++)
		call_walk_visit(&walk, roots[i]);
	free(roots);
	*ret = walk.steps;
	return walk.n;
}
