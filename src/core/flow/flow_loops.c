/*
 * Blocks, their edges, and for each place in the span of a jump back whether something that leads
 * there is reached by way of it only.
 */
#include "flow_loops.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"

enum { HEADS_MAX = 256, NONE = -1 };

struct flow_edge {
	size_t from, to;
	int next_out, next_in; /* of the same block; NONE */
};

struct flow_graph {
	uint64_t *addrs; /* [n_blocks] where they begin, sorted */
	size_t n_blocks;
	const struct flow_insn **ends; /* [n_blocks] NULL: it goes on to the next one */
	struct flow_edge *edges;
	size_t n_edges, edges_capacity;
	int *first_out, *first_in;
	bool *is_root; /* nothing leads there */
	size_t *stack; /* [n_blocks] */
	bool *seen;    /* [n_blocks] of the last walk */
};

struct flow_body {
	size_t head;
	bool *blocks; /* [n_blocks] */
	bool is_tested_first;
	uint64_t jump_addr;
};

static int flow_order(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t block_at(const struct flow_graph *graph, uint64_t addr)
{
	return BISECT_FIRST(i, graph->n_blocks, graph->addrs[i] <= addr) - 1;
}

/* A target in the middle of nothing that is code is a block, too, but leads nowhere. */
static void blocks_find(struct flow_graph *graph, const struct flow_insn *insns, size_t n,
			uint64_t entry_addr)
{
	size_t kept = 0, found = 0;

	graph->addrs = mem_alloc((2 * n + 1) * sizeof(*graph->addrs));
	graph->addrs[found++] = entry_addr;
	for (size_t i = 0; i < n; i++) {
		graph->addrs[found++] = insns[i].next_addr;
		if (insns[i].target_addr)
			graph->addrs[found++] = insns[i].target_addr;
	}
	qsort(graph->addrs, found, sizeof(*graph->addrs), flow_order);
	for (size_t i = 0; i < found; i++)
		if (!kept || graph->addrs[i] != graph->addrs[kept - 1])
			graph->addrs[kept++] = graph->addrs[i];
	graph->n_blocks = kept;
	graph->ends = mem_alloc(kept * sizeof(*graph->ends));
	for (size_t i = n; i > 0; i--)
		if (insns[i - 1].addr >= graph->addrs[0])
			graph->ends[block_at(graph, insns[i - 1].addr)] = &insns[i - 1];
}

static void edge_add(struct flow_graph *graph, size_t from, size_t to)
{
	struct flow_edge edge = {from, to, graph->first_out[from], graph->first_in[to]};

	graph->edges = mem_grow(graph->edges, &graph->edges_capacity, graph->n_edges + 1,
				sizeof(*graph->edges));
	graph->first_out[from] = graph->first_in[to] = (int)graph->n_edges;
	graph->edges[graph->n_edges++] = edge;
}

static void block_connect(struct flow_graph *graph, size_t block)
{
	const struct flow_insn *end = graph->ends[block];
	const bool goes_on = !end || end->kind == FLOW_IF;

	if (goes_on && block + 1 < graph->n_blocks)
		edge_add(graph, block, block + 1);
	if (end && end->target_addr)
		edge_add(graph, block, block_at(graph, end->target_addr));
}

/* Places that nothing leads to: of switches' cases, else of what handles exceptions. */
static void tables_connect(struct flow_graph *graph, size_t entry)
{
	for (size_t i = 0; i < graph->n_blocks; i++)
		graph->is_root[i] = i == entry || graph->first_in[i] == NONE;
	for (size_t i = 0; i < graph->n_blocks; i++) {
		if (!graph->ends[i] || graph->ends[i]->kind != FLOW_TABLE)
			continue;
		for (size_t j = 0; j < graph->n_blocks; j++)
			if (graph->is_root[j] && j != entry)
				edge_add(graph, i, j);
	}
	for (size_t i = 0; i < graph->n_blocks; i++)
		graph->is_root[i] = i == entry || graph->first_in[i] == NONE;
}

static void graph_make(struct flow_graph *graph, const struct flow_insn *insns, size_t n,
		       uint64_t entry_addr)
{
	blocks_find(graph, insns, n, entry_addr);
	graph->first_out = mem_alloc(graph->n_blocks * sizeof(*graph->first_out));
	graph->first_in = mem_alloc(graph->n_blocks * sizeof(*graph->first_in));
	graph->is_root = mem_alloc(graph->n_blocks * sizeof(*graph->is_root));
	graph->stack = mem_alloc(graph->n_blocks * sizeof(*graph->stack));
	graph->seen = mem_alloc(graph->n_blocks * sizeof(*graph->seen));
	for (size_t i = 0; i < graph->n_blocks; i++)
		graph->first_out[i] = graph->first_in[i] = NONE;
	for (size_t i = 0; i < graph->n_blocks; i++)
		block_connect(graph, i);
	tables_connect(graph, block_at(graph, entry_addr));
}

static void graph_deinit(struct flow_graph *graph)
{
	free(graph->addrs);
	free(graph->ends);
	free(graph->edges);
	free(graph->first_out);
	free(graph->first_in);
	free(graph->is_root);
	free(graph->stack);
	free(graph->seen);
}

/* Put what is reached from the @n blocks on the stack, but not over @without, into `seen`. */
static void graph_walk(struct flow_graph *graph, size_t n, size_t without)
{
	while (n) {
		const size_t block = graph->stack[--n];

		for (int i = graph->first_out[block]; i != NONE; i = graph->edges[i].next_out) {
			const size_t to = graph->edges[i].to;

			if (to == without || graph->seen[to])
				continue;
			graph->seen[to] = true;
			graph->stack[n++] = to;
		}
	}
}

/* After it, `seen` is what the function reaches without @head. */
static void walk_around(struct flow_graph *graph, size_t head)
{
	size_t n = 0;

	memset(graph->seen, 0, graph->n_blocks * sizeof(*graph->seen));
	for (size_t i = 0; i < graph->n_blocks; i++)
		if (graph->is_root[i] && i != head) {
			graph->seen[i] = true;
			graph->stack[n++] = i;
		}
	graph_walk(graph, n, head);
}

/* Everything from which @from is reached without the head. */
static void body_add(struct flow_graph *graph, struct flow_body *body, size_t from)
{
	size_t n = 0;

	body->blocks[body->head] = true;
	if (!body->blocks[from]) {
		body->blocks[from] = true;
		graph->stack[n++] = from;
	}
	while (n) {
		const size_t block = graph->stack[--n];

		for (int i = graph->first_in[block]; i != NONE; i = graph->edges[i].next_in) {
			const size_t before = graph->edges[i].from;

			if (body->blocks[before])
				continue;
			body->blocks[before] = true;
			graph->stack[n++] = before;
		}
	}
}

/* False: no loop begins at @head. If what leads back has no condition, the test is first. */
static bool body_find(struct flow_graph *graph, size_t head, struct flow_body *ret)
{
	bool found = false;

	walk_around(graph, head);
	*ret = (struct flow_body){.head = head, .is_tested_first = true};
	for (int i = graph->first_in[head]; i != NONE; i = graph->edges[i].next_in) {
		const size_t from = graph->edges[i].from;
		const struct flow_insn *end = graph->ends[from];
		const uint64_t last_addr = end ? end->addr : graph->addrs[from];

		if (graph->seen[from])
			continue;
		if (!found)
			ret->blocks = mem_alloc(graph->n_blocks * sizeof(*ret->blocks));
		found = true;
		body_add(graph, ret, from);
		ret->is_tested_first &= !end || end->kind == FLOW_JUMP;
		if (last_addr > ret->jump_addr)
			ret->jump_addr = last_addr;
	}
	return found;
}

static bool has_one_way(const struct flow_graph *graph, size_t block)
{
	const int first = graph->first_in[block];

	return first != NONE && graph->edges[first].next_in == NONE;
}

/*
 * The address where a turn begins; 0: no single place tells. Of a test that is first, that jumps.
 */
static uint64_t turn_of(const struct flow_graph *graph, struct flow_body *body)
{
	const struct flow_insn *end = graph->ends[body->head];
	size_t on, to;

	if (!body->is_tested_first || !end || end->kind != FLOW_IF || !end->target_addr)
		return graph->addrs[body->head];
	on = body->head + 1;
	if (on == graph->n_blocks)
		return graph->addrs[body->head];
	to = block_at(graph, end->target_addr);
	if (body->blocks[on] == body->blocks[to])
		return graph->addrs[body->head];
	on = body->blocks[on] ? on : to;
	body->jump_addr = end->addr;
	return has_one_way(graph, on) ? graph->addrs[on] : 0;
}

static int loops_order(const void *a, const void *b)
{
	const struct flow_loop *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->head_addr > y->head_addr) - (x->head_addr < y->head_addr);
}

static struct flow_loop *loops_of(const struct flow_graph *graph, struct flow_body *bodies,
				  size_t n, size_t *ret_n)
{
	struct flow_loop *loops = mem_alloc((n + 1) * sizeof(*loops));

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct flow_loop loop = {.head_addr = graph->addrs[bodies[i].head],
					 .turn_addr = turn_of(graph, &bodies[i])};

		loop.jump_addr = bodies[i].jump_addr;
		for (size_t j = 0; j < n; j++)
			loop.depth += j != i && bodies[j].blocks[bodies[i].head];
		if (loop.turn_addr)
			loops[(*ret_n)++] = loop;
	}
	qsort(loops, *ret_n, sizeof(*loops), loops_order);
	return loops;
}

/* Several ways lead to it, and a jump back spans it. */
static bool may_be_head(const struct flow_graph *graph, const bool *spanned, size_t block)
{
	return spanned[block] && graph->first_in[block] != NONE && !has_one_way(graph, block);
}

static bool *spans_find(const struct flow_graph *graph)
{
	bool *spanned = mem_alloc(graph->n_blocks * sizeof(*spanned));
	size_t *to = mem_alloc(graph->n_blocks * sizeof(*to));
	size_t lowest = SIZE_MAX;

	for (size_t i = 0; i < graph->n_blocks; i++)
		to[i] = SIZE_MAX;
	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].to <= graph->edges[i].from &&
		    graph->edges[i].to < to[graph->edges[i].from])
			to[graph->edges[i].from] = graph->edges[i].to;
	for (size_t i = graph->n_blocks; i > 0; i--) {
		lowest = to[i - 1] < lowest ? to[i - 1] : lowest;
		spanned[i - 1] = lowest <= i - 1;
	}
	free(to);
	return spanned;
}

struct flow_loop *flow_loops_find(const struct flow_insn *insns, size_t n, uint64_t entry_addr,
				  size_t *ret_n)
{
	struct flow_graph graph = {0};
	struct flow_body *bodies = mem_alloc(HEADS_MAX * sizeof(*bodies));
	struct flow_loop *loops;
	size_t found = 0;
	bool *spanned;

	graph_make(&graph, insns, n, entry_addr);
	spanned = spans_find(&graph);
	for (size_t i = 0; i < graph.n_blocks && found < HEADS_MAX; i++)
		if (may_be_head(&graph, spanned, i))
			found += body_find(&graph, i, &bodies[found]);
	free(spanned);
	loops = loops_of(&graph, bodies, found, ret_n);
	for (size_t i = 0; i < found; i++)
		free(bodies[i].blocks);
	free(bodies);
	graph_deinit(&graph);
	return loops;
}
