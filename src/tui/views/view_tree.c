/*
 * The tree of cases, with calls and fit of each node. Folds and the scatter plot's restriction name
 * a node by its conditions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "views.h"

enum {
	POINTS = 9,
	MEAN = 10,
	DEVIATION = 10,
	R2 = 6,
	GAP = 1,
	TREE_MIN = 20,
	DETAILS = 3,
	DETAILS_FROM = 9
};

/* The nodes outside folded parts. */
struct rows {
	unsigned *nodes;
	size_t n;
};

static bool is_folded(const struct opened_study *opened, unsigned node)
{
	return opened->folded.n > 0 && name_set_has(&opened->folded, opened->nodes[node].path);
}

static bool has_children(const struct study *study, unsigned node)
{
	return node + 1 < study->n_nodes && study->nodes[node + 1].depth > study->nodes[node].depth;
}

static struct rows visible(const struct opened_study *opened)
{
	const struct study *study = opened->study;
	struct rows ret = {mem_alloc(study->n_nodes * sizeof(*ret.nodes)), 0};
	unsigned below = STUDY_NONE; /* the folded node that is being skipped */

	for (unsigned i = 0; i < study->n_nodes; i++) {
		if (study->nodes[i].depth > below && below != STUDY_NONE)
			continue;
		below = is_folded(opened, i) ? study->nodes[i].depth : STUDY_NONE;
		ret.nodes[ret.n++] = i;
	}
	return ret;
}

unsigned view_tree_selected(const struct explorer *explorer)
{
	const struct opened_study *opened = &explorer->opened;
	struct rows rows;
	unsigned ret;

	if (!opened->study || opened->study->n_nodes == 0)
		return STUDY_NONE;
	rows = visible(opened);
	ret = rows.nodes[opened->tree.selected < rows.n ? opened->tree.selected : rows.n - 1];
	free(rows.nodes);
	return ret;
}

void view_tree_select(struct explorer *explorer, unsigned node)
{
	struct opened_study *opened = &explorer->opened;
	struct rows rows;

	if (node == STUDY_NONE)
		return;
	rows = visible(opened);
	for (size_t i = 0; i < rows.n; i++)
		if (rows.nodes[i] <= node)
			opened->tree.selected = i;
	free(rows.nodes);
}

/* Does @node, or its ancestor at @depth, have a later sibling? */
static bool tree_goes_on(const struct study *study, unsigned node, unsigned depth)
{
	for (unsigned i = node + 1; i < study->n_nodes && study->nodes[i].depth >= depth; i++)
		if (study->nodes[i].depth == depth)
			return true;
	return false;
}

static unsigned draw_branches(const struct study *study, struct pane row, unsigned y, unsigned node)
{
	const unsigned depth = study->nodes[node].depth;
	unsigned x = 0;

	for (unsigned i = 1; i < depth; i++, x += 3)
		if (tree_goes_on(study, node, i))
			screen_put(row, x, y, STYLE_DIM, 0x2502);
	if (depth > 0) {
		screen_put(row, x, y, STYLE_DIM,
			   tree_goes_on(study, node, depth) ? 0x251c : 0x2514);
		screen_put(row, x + 1, y, STYLE_DIM, 0x2500);
		x += 3;
	}
	return x;
}

/* Columns, from the right; 0: no room. */
struct columns {
	unsigned tree, points, mean, deviation, r2;
};

static struct columns tree_arrange(unsigned width)
{
	struct columns ret = {0};
	unsigned rest = width;

	if (rest >= TREE_MIN + POINTS)
		rest -= ret.points = POINTS + GAP;
	if (rest >= TREE_MIN + R2)
		rest -= ret.r2 = R2 + GAP;
	if (rest >= TREE_MIN + MEAN)
		rest -= ret.mean = MEAN + GAP;
	if (rest >= TREE_MIN + DEVIATION)
		rest -= ret.deviation = DEVIATION + GAP;
	ret.tree = rest;
	return ret;
}

static void draw_numbers(struct pane region, unsigned y, const struct columns *columns,
			 const char *const texts[4])
{
	const unsigned widths[4] = {columns->points, columns->mean, columns->deviation,
				    columns->r2};
	unsigned x = columns->tree;

	for (size_t i = 0; i < 4; i++) {
		if (widths[i])
			cell_text_right(region, x + GAP, y, widths[i] - GAP, texts[i]);
		x += widths[i];
	}
}

static void draw_node(const struct opened_study *opened, struct pane region, unsigned y,
		      unsigned at)
{
	const struct study_node *node = &opened->study->nodes[at];
	const struct columns columns = tree_arrange(region.width);
	const struct pane tree = screen_part(region, 0, 0, columns.tree, region.height);
	char r2[16] = "-";
	unsigned x = draw_branches(opened->study, tree, y, at);

	if (has_children(opened->study, at))
		screen_put(tree, x, y, STYLE_KEY, is_folded(opened, at) ? 0x25b8 : 0x25be);
	x += 2;
	if (opened->part_path && !strcmp(opened->part_path, opened->nodes[at].path))
		x += screen_text(tree, x, y, STYLE_WARNING, "* ");
	if (x < columns.tree)
		cell_text_fit(tree, x, y, columns.tree - x, opened->nodes[at].condition);
	if (!isnan(node->r2))
		snprintf(r2, sizeof(r2), "%.3f", fmin(fmax(node->r2, -9), 1));
	draw_numbers(region, y, &columns,
		     (const char *const[]){cell_text_count(node->n_points).bytes,
					   cell_text_number(node->mean).bytes,
					   cell_text_number(node->deviation).bytes, r2});
}

static void tree_print_case(const struct study *study, unsigned in_case, FILE *out)
{
	const struct annotation_case *one = &study->annotation->cases[in_case];

	for (size_t i = 0; i < one->n_models; i++) {
		if (i > 0)
			fputs("; ", out);
		if (one->n_models > 1)
			fprintf(out, "{%.3g} ", one->models[i].probability);
		fputs("Norm(", out);
		annotation_print_formula(study->annotation, &one->models[i].mean, out);
		fputs(", ", out);
		annotation_print_formula(study->annotation, &one->models[i].deviation, out);
		fputc(')', out);
	}
}

/* The costs of the selected node; the caller frees it. */
static char *details(const struct opened_study *opened, unsigned at)
{
	const struct study *study = opened->study;
	const struct study_node *node = &study->nodes[at];
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);

	if (node->in_case < study->annotation->n_cases)
		tree_print_case(study, node->in_case, out);
	else
		fprintf(out, "%zu calls in parts that cost differently", node->n_points);
	fclose(out);
	return ret;
}

static void draw_details(const struct opened_study *opened, struct pane region, unsigned at)
{
	char *text = details(opened, at);
	const char *rest = text;

	for (unsigned x = 0; x < region.width; x++)
		screen_put(region, x, 0, STYLE_DIM, 0x2500);
	for (unsigned y = 1; y < region.height && *rest; y++) {
		const char *end = screen_cut(rest, region.width);

		if (y + 1 < region.height && *end)
			screen_text(region, 0, y, STYLE_NORMAL, rest);
		else
			cell_text_fit(region, 0, y, region.width, rest);
		rest = end > rest ? end : rest + strlen(rest);
	}
	free(text);
}

static void tree_draw_heading(struct pane region)
{
	const struct columns columns = tree_arrange(region.width);

	cell_text_fit(region, 0, 0, columns.tree, "part of the calls");
	draw_numbers(region, 0, &columns,
		     (const char *const[]){"calls", "mean", "deviation", "R²"});
	screen_style(region, 0, STYLE_DIM);
}

static void draw_rows(struct explorer *explorer, struct pane region, const struct rows *rows)
{
	struct scroll *tree = &explorer->opened.tree;

	explorer->layout.body = region;
	scroll_fit_list(tree, rows->n, region.height);
	for (unsigned y = 0; y < region.height && tree->first + y < rows->n; y++) {
		draw_node(&explorer->opened, region, y, rows->nodes[tree->first + y]);
		if (tree->first + y == tree->selected)
			screen_style(region, y, STYLE_SELECTED);
	}
}

void view_tree_draw(struct explorer *explorer, struct pane region)
{
	const struct opened_study *opened = &explorer->opened;
	const unsigned top = region.height >= 4 ? 1 : 0;
	const unsigned bottom = region.height >= DETAILS_FROM ? DETAILS : 0;
	struct rows rows;

	if (opened->study->n_nodes == 0) {
		screen_text(region, 0, 0, STYLE_DIM, "there are no cases");
		return;
	}
	rows = visible(opened);
	if (top)
		tree_draw_heading(region);
	draw_rows(explorer, screen_part(region, 0, top, region.width, region.height - top - bottom),
		  &rows);
	if (bottom)
		draw_details(opened,
			     screen_part(region, 0, region.height - bottom, region.width, bottom),
			     rows.nodes[opened->tree.selected]);
	free(rows.nodes);
}

static void fold(struct explorer *explorer, unsigned node, bool is_folding)
{
	if (has_children(explorer->opened.study, node))
		name_set_assign(&explorer->opened.folded, explorer->opened.nodes[node].path,
				is_folding);
}

/* Fold the node; if it is folded or a leaf, go to its parent; from the root, back. */
static void go_left(struct explorer *explorer, unsigned node)
{
	const struct study *study = explorer->opened.study;

	if (has_children(study, node) && !is_folded(&explorer->opened, node))
		fold(explorer, node, true);
	else if (study->nodes[node].parent != STUDY_NONE)
		view_tree_select(explorer, study->nodes[node].parent);
	else
		explorer->view = VIEW_LIST;
}

static void restrict_to(struct explorer *explorer, unsigned node)
{
	struct opened_study *opened = &explorer->opened;
	const bool is_so =
		opened->part_path && !strcmp(opened->part_path, opened->nodes[node].path);

	explorer_state_restrict(opened, is_so ? STUDY_NONE : node);
	explorer_say(explorer, is_so ? "the scatter shows all calls"
				     : "the scatter shows only this part of the calls (t: all)");
}

void view_tree_act(struct explorer *explorer, enum action action)
{
	struct opened_study *opened = &explorer->opened;
	const unsigned node = view_tree_selected(explorer);
	struct rows rows;

	if (node == STUDY_NONE) {
		if (action == ACT_LEFT)
			explorer->view = VIEW_LIST;
		return;
	}
	rows = visible(opened);
	scroll_list(&opened->tree, action, rows.n);
	free(rows.nodes);
	if (action == ACT_OPEN)
		fold(explorer, node, !is_folded(opened, node));
	else if (action == ACT_RIGHT)
		fold(explorer, node, false);
	else if (action == ACT_LEFT)
		go_left(explorer, node);
	else if (action == ACT_RESTRICT)
		restrict_to(explorer, node);
	else if (action == ACT_RESET)
		explorer_state_restrict(opened, STUDY_NONE);
}

bool view_tree_click(struct explorer *explorer, unsigned y)
{
	struct opened_study *opened = &explorer->opened;
	struct rows rows;
	bool ret;

	if (!opened->study || opened->study->n_nodes == 0)
		return false;
	rows = visible(opened);
	ret = opened->tree.first + y < rows.n;
	if (ret)
		opened->tree.selected = opened->tree.first + y;
	free(rows.nodes);
	return ret;
}
