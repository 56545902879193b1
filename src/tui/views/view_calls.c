/* Callers and callees of the opened function, with shares; core/figure/call_graph.h has them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "views.h"

enum { STEPS_MOST = 1000, SHARE = 8, PART = 8, INDENT = 2, INDENT_MOST = 32 };

/* A row: a step, or a heading, or a function that was not measured (`text` is set). */
struct calls_row {
	const char *text;
	struct call_step step;
};

struct calls_rows {
	struct arena *arena;
	struct calls_row *rows;
	size_t n;
};

static void calls_add(struct calls_rows *rows, const char *heading, const struct call_step *steps,
		      size_t n)
{
	if (n)
		rows->rows[rows->n++] = (struct calls_row){.text = heading};
	for (size_t i = 0; i < n; i++)
		rows->rows[rows->n++] = (struct calls_row){.step = steps[i]};
}

/* Is it the name of one of @steps next to the first? */
static bool calls_is_shown(const struct call_graph *graph, const struct call_step *steps, size_t n,
			   const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (steps[i].depth <= 1 && !strcmp(graph->nodes[steps[i].node].name, name))
			return true;
	return false;
}

/* Whom the code calls, or who calls it there, beside those of @steps. */
static void calls_add_code(struct calls_rows *rows, const struct call_graph *graph,
			   const struct call_step *steps, size_t n, bool are_callers)
{
	const char *name = graph->nodes[steps[0].node].name;
	const size_t before = rows->n++;

	for (size_t i = 0; i < graph->n_code; i++) {
		const struct code_call *call = &graph->code[i];
		const char *other = are_callers ? call->caller : call->callee;

		if (!strcmp(are_callers ? call->callee : call->caller, name) &&
		    !calls_is_shown(graph, steps, n, other))
			rows->rows[rows->n++] = (struct calls_row){
				.text = arena_printf(rows->arena, "  %s", other)};
	}
	if (rows->n == before + 1)
		rows->n = before;
	else
		rows->rows[before].text = are_callers ? "called in the code, not seen, by"
						      : "calls in the code, not seen";
}

/* Callers, the function itself, callees. None if nothing is known. */
static struct calls_rows calls_rows(const struct explorer *explorer)
{
	const struct call_graph *graph = explorer->graph;
	const char *name = explorer->opened.entry.function;
	const size_t node = graph && name ? call_graph_find(graph, name) : CALL_GRAPH_NONE;
	struct calls_rows ret = {.arena = arena_create()};
	struct call_step *callers, *callees;
	size_t n_callers, n_callees;

	if (node == CALL_GRAPH_NONE)
		return ret;
	n_callers =
		call_graph_tree(graph, node, CALL_GRAPH_CALLERS, STEPS_MOST, ret.arena, &callers);
	n_callees =
		call_graph_tree(graph, node, CALL_GRAPH_CALLEES, STEPS_MOST, ret.arena, &callees);
	ret.rows = arena_array(ret.arena, struct calls_row,
			       n_callers + n_callees + 2 * graph->n_code + 6);
	calls_add(&ret, "called by", callers + 1, n_callers - 1);
	calls_add_code(&ret, graph, callers, n_callers, true);
	ret.rows[ret.n++] = (struct calls_row){.step = callees[0]};
	calls_add(&ret, "calls", callees + 1, n_callees - 1);
	calls_add_code(&ret, graph, callees, n_callees, false);
	return ret;
}

static void calls_draw_row(const struct call_graph *graph, const struct calls_row *row,
			   struct pane region, unsigned y)
{
	const unsigned depth = row->step.depth * INDENT;
	const unsigned x = SHARE + PART + 2 + (depth < INDENT_MOST ? depth : INDENT_MOST);
	const struct call_node *node;
	struct text name = {0};
	char text[METRIC_AMOUNT];

	if (row->text) {
		cell_text_fit(region, SHARE + PART + 2, y,
			      region.width > SHARE + PART + 2 ? region.width - SHARE - PART - 2 : 0,
			      row->text);
		screen_style(region, y, STYLE_DIM);
		return;
	}
	node = &graph->nodes[row->step.node];
	cell_text_right(region, 0, y, SHARE, cell_text_percent(row->step.share).bytes);
	cell_text_right(region, SHARE, y, PART, cell_text_percent(row->step.part).bytes);
	text_add_string(&name, node->name);
	if (!row->step.depth && isfinite(node->self_us)) {
		text_add_string(&name, ", itself ");
		text_add_string(&name, metric_amount(METRIC_TIME, node->self_us, text));
	}
	if (row->step.is_repeated)
		text_add_string(&name, " (again)");
	cell_text_fit(region, x, y, region.width > x ? region.width - x : 0, name.bytes);
	text_deinit(&name);
}

void view_calls_draw(struct explorer *explorer, struct pane region)
{
	const struct pane list = screen_part(region, 0, 1, region.width, region.height);
	struct scroll *scroll = &explorer->opened.calls;
	struct calls_rows rows = calls_rows(explorer);

	explorer->layout.body = list;
	scroll_fit_list(scroll, rows.n, list.height);
	if (!rows.n)
		screen_text(region, 0, 0, STYLE_DIM,
			    explorer->graph ? "its time is not measured" : "not counted yet");
	else
		screen_text(region, 0, 0, STYLE_DIM, "   share    part");
	for (unsigned y = 0; y < list.height && scroll->first + y < rows.n; y++) {
		calls_draw_row(explorer->graph, &rows.rows[scroll->first + y], list, y);
		if (scroll->first + y == scroll->selected)
			screen_style(list, y, STYLE_SELECTED);
	}
	arena_destroy(rows.arena);
}

void view_calls_act(struct explorer *explorer, enum action action)
{
	struct calls_rows rows = calls_rows(explorer);

	scroll_list(&explorer->opened.calls, action, rows.n);
	arena_destroy(rows.arena);
}

bool view_calls_click(struct explorer *explorer, unsigned y)
{
	struct calls_rows rows = calls_rows(explorer);
	const size_t at = explorer->opened.calls.first + y;
	const bool is_there = at < rows.n;

	if (is_there)
		explorer->opened.calls.selected = at;
	arena_destroy(rows.arena);
	return is_there;
}

const char *view_calls_selected(const struct explorer *explorer)
{
	struct calls_rows rows = calls_rows(explorer);
	const size_t at = explorer->opened.calls.selected;
	const char *name = at < rows.n && !rows.rows[at].text
				   ? explorer->graph->nodes[rows.rows[at].step.node].name
				   : NULL;

	arena_destroy(rows.arena);
	return name;
}
