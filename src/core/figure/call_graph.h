/*
 * Who calls whom among the measured functions: which part of a function's time each measured caller
 * took, as told by the samples whose caller is known. A picture of the whole program is a tree of
 * it: time is passed on to callees by these parts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/samples/samples.h"

#define CALL_GRAPH_NONE ((size_t)-1)

struct call_node {
	const char *name;
	/* of all calls; without measured callees; NAN: unknown, or lost in the others' errors */
	double total_us, self_us;
	double share; /* of the run's time; NAN: unknown */
	size_t n_calls;
};

struct call_edge {
	size_t caller, callee; /* caller CALL_GRAPH_NONE: no measured one */
	double part;           /* of the callee's time, 0 to 1 */
};

/* By the machine code. */
struct code_call {
	const char *caller, *callee; /* at least one is measured */
};

struct call_graph {
	struct arena *arena; /* owns the rest */
	struct call_node *nodes;
	size_t n;
	struct call_edge *edges; /* by callee */
	size_t n_edges;
	struct code_call *code;
	size_t n_code;
};

struct call_graph_maker;

struct call_graph_maker *call_graph_begin(void);
/* Add a function by @samples, whose callers are looked up. */
void call_graph_add(struct call_graph_maker *maker, const struct samples *samples, double total_us,
		    double share);
/* The code has a call of @callee in @caller. */
void call_graph_add_code(struct call_graph_maker *maker, const char *caller, const char *callee);
/* Takes @maker. Where nothing is known of a function's callers it has none. */
struct call_graph *call_graph_end(struct call_graph_maker *maker);
void call_graph_destroy(struct call_graph *graph); /* NULL is fine */

struct call_step {
	size_t node;
	unsigned depth;   /* 0: a root */
	double share;     /* of the run's time, on this way; NAN: unknown */
	double part;      /* of the first step's time */
	bool is_repeated; /* it is on the way already: not followed */
};

enum call_direction { CALL_GRAPH_CALLEES, CALL_GRAPH_CALLERS };

/*
 * The ways from @root (CALL_GRAPH_NONE: from all that have no measured caller), in preorder, the
 * dearest first; at most @most steps. Parts below a thousandth are left out. @ret lives in @arena.
 */
size_t call_graph_tree(const struct call_graph *graph, size_t root, enum call_direction direction,
		       size_t most, struct arena *arena, struct call_step **ret);

/* The node of that name; CALL_GRAPH_NONE: there is none. */
size_t call_graph_find(const struct call_graph *graph, const char *name);
