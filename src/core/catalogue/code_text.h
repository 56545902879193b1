/*
 * The call graph for people: trees of callers and callees, and DOT for pictures.
 */
#pragma once

#include <stdio.h>

#include "code_graph.h"

/* The function @node, who calls it and whom it calls, down to @depth steps each. */
void code_text_print(const struct code_graph *graph, size_t node, unsigned depth, FILE *out);

/* The same of @n nodes as one graph in DOT, the language of Graphviz. */
void code_text_dot(const struct code_graph *graph, const size_t *nodes, size_t n, unsigned depth,
		   FILE *out);
