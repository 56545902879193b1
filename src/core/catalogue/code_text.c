/* Prints what code_graph_tree() finds. */
#include "code_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

static const char *edge_words(enum code_edge_kind kind)
{
	switch (kind) {
	case CODE_CALL:
		return "";
	case CODE_JUMP:
		return ", by a jump at its end";
	case CODE_SEEN:
		return ", through a pointer, as was seen";
	case CODE_REFERENCE:
		return ", by its address";
	}
	return "";
}

static void step_print(const struct code_graph *graph, const struct code_step *step,
		       struct arena *arena, FILE *out)
{
	const struct code_node *node = &graph->nodes[step->node];

	fprintf(out, "%*s", 2 + 2 * (int)(step->depth - 1), "");
	text_print_safe(out, node->name);
	fprintf(out, "  %s%s", code_graph_words(node, arena), edge_words(step->kind));
	if (step->is_repeated)
		fputs(", see above", out);
	else if (step->n_cut)
		fprintf(out, ", and %zu more behind it", step->n_cut);
	fputc('\n', out);
}

static void tree_print(const struct code_graph *graph, size_t node, enum code_direction direction,
		       unsigned depth, FILE *out)
{
	struct arena *arena = arena_create();
	struct code_step *steps;
	const size_t n = code_graph_tree(graph, node, direction, depth, arena, &steps);

	fputs(direction == CODE_CALLERS ? "called by" : "calls", out);
	fputs(n > 1 ? "\n" : " nothing in this file\n", out);
	for (size_t i = 1; i < n; i++)
		step_print(graph, &steps[i], arena, out);
	arena_destroy(arena);
}

void code_text_print(const struct code_graph *graph, size_t node, unsigned depth, FILE *out)
{
	struct arena *arena = arena_create();

	text_print_safe(out, graph->nodes[node].name);
	fprintf(out, "  0x%" PRIx64 "  %s\n", graph->nodes[node].addr,
		code_graph_words(&graph->nodes[node], arena));
	arena_destroy(arena);
	tree_print(graph, node, CODE_CALLERS, depth, out);
	tree_print(graph, node, CODE_CALLEES, depth, out);
}

static void quoted_print(const char *text, FILE *out)
{
	size_t n;

	fputc('"', out);
	for (; *text; text += n ? n : 1) {
		n = text_printable_length(text);
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fwrite(n ? text : "?", 1, n ? n : 1, out);
	}
	fputc('"', out);
}

/* Nodes within @depth steps of @node. */
static void shown_mark(const struct code_graph *graph, size_t node, unsigned depth, bool *shown)
{
	struct arena *arena = arena_create();
	struct code_step *steps;

	for (enum code_direction way = CODE_CALLERS; way <= CODE_CALLEES; way++) {
		const size_t n = code_graph_tree(graph, node, way, depth, arena, &steps);

		for (size_t i = 0; i < n; i++)
			shown[steps[i].node] = true;
	}
	arena_destroy(arena);
}

void code_text_dot(const struct code_graph *graph, const size_t *nodes, size_t n, unsigned depth,
		   FILE *out)
{
	static const char *const styles[] = {"", " [arrowhead=empty]", " [style=bold]",
					     " [style=dashed]"};
	bool *shown = mem_alloc(graph->n + 1);

	for (size_t i = 0; i < n; i++)
		shown_mark(graph, nodes[i], depth, shown);
	fputs("digraph calls {\n\tnode [shape=box];\n", out);
	for (size_t i = 0; i < graph->n; i++) {
		if (!shown[i])
			continue;
		fprintf(out, "\tn%zu [label=", i);
		quoted_print(graph->nodes[i].name, out);
		fputs(graph->nodes[i].kind == CODE_FUNCTION ? "];\n" : ", style=dashed];\n", out);
	}
	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct code_edge *edge = &graph->callees[i];

		if (shown[edge->from] && shown[edge->to])
			fprintf(out, "\tn%u -> n%u%s;\n", edge->from, edge->to, styles[edge->kind]);
	}
	fputs("}\n", out);
	free(shown);
}
