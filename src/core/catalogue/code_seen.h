/*
 * What a measurement saw of a call graph: how often functions were called, and by whom though the
 * code does not say so.
 */
#pragma once

#include "code_graph.h"

struct code_seen;

/* Of @graph, whose edges are all there, and which is borrowed. */
struct code_seen *code_seen_begin(struct code_graph *graph);

/* The function with that linkage name; CODE_NONE: there is none, or several. */
size_t code_seen_find(const struct code_seen *seen, const char *linkage);

/* @node, called @name where it is measured: its calls, and its share of the time (NAN: unknown). */
void code_seen_take(struct code_seen *seen, size_t node, const char *name, size_t calls,
		    double share);

/* Some call of @node was within one of the function that is called @caller where it is measured. */
void code_seen_call(struct code_seen *seen, const char *caller, size_t node);

/*
 * Add an edge CODE_SEEN where the code has no way from a caller, by calls and jumps of functions
 * that were not measured; find the levels again. Takes @seen.
 */
void code_seen_end(struct code_seen *seen);
