/*
 * The call graph of a module's machine code, as plain data. dwarf/graph makes it.
 *
 * Nodes are functions, in the order of their addresses, then functions of other modules that they
 * call (imports), and objects in memory, whose words may lead to functions. Edges are calls, jumps
 * out of a function (tail calls) and references: an address that it has in its code, an object or a
 * function, or that an object has. Who calls through pointers can call only what is referred to.
 * Calls through pointers that a measurement saw are edges, too (code_seen.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum code_node_kind { CODE_FUNCTION, CODE_IMPORT, CODE_OBJECT };
enum code_edge_kind { CODE_CALL, CODE_JUMP, CODE_SEEN, CODE_REFERENCE };

/*
 * When code is the same as other code: its instructions are, but for where things lie; they are of
 * the same kinds, in the same order, with the same jumps and callees; they are but for a one-to-one
 * map of registers and the order within blocks. Source: J. Pavela, 2020, section 7.4.
 */
enum code_sameness { CODE_STRICT, CODE_SEMISTRICT, CODE_COLOUR };

#define CODE_NO_LEVEL ((unsigned)-1)
#define CODE_NONE     ((size_t)-1)

struct code_node {
	enum code_node_kind kind;
	const char *name;    /* as programmers write it */
	const char *linkage; /* as the linker sees it */
	uint64_t addr, size; /* link-time; 0: an import */
	/*
	 * Of a function: of its instructions, with what they refer to in place of where that lies;
	 * equal where the code is the same. 0: it has no code.
	 */
	uint64_t hash;
	bool is_entry;      /* main, or what others than the module's functions may call */
	bool loops;         /* a jump backwards, or a repeated instruction */
	bool calls_unknown; /* through a pointer that the code alone does not tell */
	/*
	 * Of what can be reached, an estimate of the longest way without a circle from main, or
	 * from another entry where main leads not: the steps are calls and references. Else
	 * CODE_NO_LEVEL.
	 */
	unsigned level;
	/* As measured: calls, 0 if it was not, and the share of the time, NAN: not known. */
	size_t calls;
	double share;
};

struct code_edge {
	unsigned from, to; /* nodes */
	enum code_edge_kind kind;
};

struct code_graph {
	struct arena *arena;  /* owns names */
	const char *build_id; /* as in struct module; NULL: not known */
	struct code_node *nodes;
	size_t n, n_functions, capacity;
	/* Of two nodes one edge, the first kind; by `from`, and the same by `to`. */
	struct code_edge *callees, *callers;
	size_t n_edges, edges_capacity;
	size_t *first_callee, *first_caller; /* [n + 1] of each node */
	unsigned depth;                      /* the highest level */
};

/* Nodes are added, functions first, by address; then edges; then it is finished. */
struct code_graph *code_graph_create(void);
void code_graph_destroy(struct code_graph *graph); /* NULL is fine */

/* Add a copy of @node, whose names live in the graph's arena. Returns its index. */
size_t code_graph_add(struct code_graph *graph, const struct code_node *node);
void code_graph_link(struct code_graph *graph, size_t from, size_t to, enum code_edge_kind kind);

/*
 * Sort the edges and find the levels. A node is resolved when all its callers are, one level below
 * the lowest of them and of its callees that are resolved; among circles, first that with the
 * least estimate so far, then the first by name. Objects are no step. Source: J. Pavela, Efficient
 * techniques for program performance analysis, 2020, algorithm 1. After more edges, once more.
 */
void code_graph_finish(struct code_graph *graph);

/* The function that begins at @addr; CODE_NONE: none does. */
size_t code_graph_at(const struct code_graph *graph, uint64_t addr);

struct function;

/* That of a catalogue of the same program; CODE_NONE: it has no code, or a library's. */
size_t code_graph_of(const struct code_graph *graph, const struct function *function);

/* What is written of a function: "level 3, loops, calls through pointers", in @arena. */
const char *code_graph_words(const struct code_node *node, struct arena *arena);

enum code_direction { CODE_CALLERS, CODE_CALLEES };

struct code_step {
	size_t node;
	unsigned depth; /* 0: the root */
	enum code_edge_kind kind;
	bool is_repeated; /* its own steps are shown elsewhere, or it is on the way already */
	size_t n_cut;     /* steps that lie deeper than asked for */
};

/*
 * The ways from @root through calls and jumps (@references: and references), in preorder by name,
 * down to @depth steps; each node's are followed once. @ret lives in @arena.
 */
size_t code_graph_tree(const struct code_graph *graph, size_t root, enum code_direction direction,
		       unsigned depth, struct arena *arena, struct code_step **ret);
