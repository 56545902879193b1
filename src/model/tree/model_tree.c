/* Grows the tree: decides for each part between one formula and two parts. */
#include "model_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/mixture/modes.h"
#include "model/split/partition.h"
#include "model/split/presence.h"
#include "model/regression/regress.h"
#include "model/regression/score.h"

enum { TRIED = 3 /* conditions of each part */, TRIED_PRESENCE = 2 };

/* Conditions that promise less than this part of the best gain are not tried. */
#define NEARLY_AS_GOOD 0.5

/*
 * The required drop of the log residual variance: without a formula; with one, by another feature
 * or a branch, or if no part needs the feature any more; by a feature of the formula. Caches make
 * costs drift, which two formulas describe better, but readers want one.
 */
#define SPLIT_PART       0.1
#define SPLIT_PART_OTHER 0.35
#define SPLIT_PART_SAME  1.2

struct node {
	struct dataset *data; /* owned except the root's */
	struct regression regression;
	double length; /* description length: less is better */
	unsigned depth;
	/* The best two parts so far, owned; NULL: none. */
	bool is_searched;
	struct split split;
	struct node *sides[2];
	double gain; /* of describing it by them */
};

struct growing {
	struct model_tree *tree;
	const struct model_options *options;
	const struct dataset *root;
	unsigned planned; /* leaves so far */
	double weight;    /* lengths per row */
};

static bool has_formula(const struct node *node)
{
	return node->regression.fit.candidate.basis.n_features > 0;
}

/* For the rows of the node; calls without a value of the formula are described by the median. */
static void measure_length(const struct growing *growing, struct node *node)
{
	const struct fit *fit = &node->regression.fit;
	const double described = fit->n_used + fit->n_far;
	const double each = described > 0 ? fit->deviance / described : 0;
	const double rows = growing->weight * growing->root->n_rows;
	double all = each * described;
	struct fit usual;

	if (fit->n_absent) {
		fit_constant(node->data, &usual);
		all += usual.deviance / node->data->n_rows * fit->n_absent;
	}
	node->length = score_bic(all * growing->weight,
				 fit->n_terms + 1 + (fit->candidate.free_low > 0), rows);
	if (fit_is_late(fit))
		node->length += SCORE_RETURNED * growing->weight * node->data->n_rows;
}

static struct node *create_node(const struct growing *growing, struct dataset *data)
{
	struct node *node = mem_alloc(sizeof(*node));

	node->data = data;
	if (dataset_is_flat(data)) {
		fit_constant(data, &node->regression.fit);
		node->regression.is_loose = false;
	} else {
		regress(data, growing->options, &node->regression);
	}
	measure_length(growing, node);
	return node;
}

static void destroy_node(const struct growing *growing, struct node *node)
{
	if (!node)
		return;
	destroy_node(growing, node->sides[0]);
	destroy_node(growing, node->sides[1]);
	if (node->data != growing->root)
		dataset_destroy(node->data);
	free(node);
}

/* The rows of @data on one side of @split. */
static struct dataset *take_side(const struct dataset *data, const struct split *split, bool first)
{
	unsigned char *is_there = mem_alloc(data->n_rows + 1);
	struct dataset *part;
	bool is_first;
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];

		is_there[i] = split_decides(split, row, &is_first) && is_first == first;
	}
	part = dataset_marked(data, is_there, true);
	free(is_there);
	return part;
}

static bool node_uses(const struct node *node, const struct column *column)
{
	const struct fit *fit = &node->regression.fit;
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		if (fit->columns[i] == column)
			return true;
	return false;
}

/* The same of its last parts. */
static bool leaves_use(const struct node *node, const struct column *column)
{
	if (!node->sides[0])
		return node_uses(node, column);
	return leaves_use(node->sides[0], column) || leaves_use(node->sides[1], column);
}

/* Is it about a pinned feature that the model lacks? */
static bool tree_is_split_wanted(const struct node *node, const struct split *split)
{
	return !node_uses(node, split->column) && dataset_is_pinned(node->data, split->column);
}

static double least_gain(const struct growing *growing, const struct node *node,
			 const struct split *split, struct node *const *sides)
{
	const double rows = growing->weight * node->data->n_rows;

	if (tree_is_split_wanted(node, split))
		return 0;
	if (!has_formula(node))
		return SPLIT_PART * rows;
	if (isinf(split->gain))
		return 0;
	if (node_uses(node, split->column) && !split->from_branch &&
	    (leaves_use(sides[0], split->column) || leaves_use(sides[1], split->column)))
		return SPLIT_PART_SAME * rows;
	return SPLIT_PART_OTHER * rows;
}

/* By its parts, if it has some that are shorter. */
static double shortest_length(const struct node *node)
{
	return isfinite(node->gain) ? node->length - node->gain : node->length;
}

/* The gain of describing @node by the two parts instead. */
static double gain_of(const struct growing *growing, const struct node *node,
		      const struct split *split, struct node *const *sides)
{
	const double rows = sides[0]->data->n_rows + sides[1]->data->n_rows;
	const double all = growing->weight * growing->root->n_rows;
	const double parts = (shortest_length(sides[0]) + shortest_length(sides[1])) *
			     (node->data->n_rows / fmax(rows, 1));

	return node->length - parts - score_penalty(2, all) -
	       least_gain(growing, node, split, sides);
}

/*
 * The condition for reading a feature of the node's formula, if it is often absent: without it
 * those calls would have no case.
 */
static bool find_presence(const struct node *node, struct split *ret)
{
	const struct fit *fit = &node->regression.fit;
	size_t i, j;
	size_t absent;

	for (i = 0; i < fit->candidate.basis.n_features; i++) {
		for (j = 0, absent = 0; fit->n_absent && j < node->data->n_rows; j++)
			absent += fit->columns[i]->absence[node->data->order[j]] != PRESENT;
		if (!presence_is_rare(absent, node->data->n_rows) &&
		    presence_split(node->data, fit->columns[i], ret))
			return true;
	}
	return false;
}

/* Is condition @i worth a try? Pinned features are, and come first. */
static bool is_worth_trying(const struct node *node, const struct split *splits, size_t n, size_t i)
{
	size_t first = 0;

	if (tree_is_split_wanted(node, &splits[i]))
		return true;
	while (first < n && tree_is_split_wanted(node, &splits[first]))
		first++;
	return splits[i].gain >= NEARLY_AS_GOOD * splits[first].gain;
}

/* Are both sides constants whose difference cannot be told? */
static bool are_alike(const struct node *const *sides)
{
	const struct fit *a = &sides[0]->regression.fit, *b = &sides[1]->regression.fit;

	return !has_formula(sides[0]) && !has_formula(sides[1]) &&
	       fabs(a->coefficients[0] - b->coefficients[0]) < sides[0]->data->resolution;
}

static void node_part(const struct growing *growing, struct node *node, const struct split *split,
		      struct node **ret)
{
	dataset_forget(node->data);
	for (unsigned i = 0; i < 2; i++) {
		ret[i] = create_node(growing, take_side(node->data, split, !i));
		ret[i]->depth = node->depth + 1;
		dataset_forget(ret[i]->data);
	}
}

static void node_drop_sides(const struct growing *growing, struct node **sides)
{
	destroy_node(growing, sides[0]);
	destroy_node(growing, sides[1]);
	sides[0] = sides[1] = NULL;
}

/* Make @sides those of the node if they gain more than its own. */
static void node_take(const struct growing *growing, struct node *node, const struct split *split,
		      struct node **sides, double gain)
{
	if (gain > node->gain && !are_alike((const struct node *const *)sides)) {
		node_drop_sides(growing, node->sides);
		node->gain = gain;
		node->split = *split;
		node->sides[0] = sides[0];
		node->sides[1] = sides[1];
		sides[0] = sides[1] = NULL;
	}
	node_drop_sides(growing, sides);
}

static void node_split(const struct growing *growing, struct node *node);

/*
 * Where a feature of few values is in a formula, each may have its own law: two parts of three may
 * gain little.
 */
static void split_few(const struct growing *growing, const struct node *node,
		      const struct column *column, struct node **sides)
{
	const struct predictor *by = dataset_find_predictor(node->data, column);
	unsigned i;

	if (!node_uses(node, column) || by->distinct == DISTINCT_MAX ||
	    node->depth + 1 >= TREE_DEPTH)
		return;
	for (i = 0; i < 2; i++)
		if (!has_formula(sides[i]) || node_uses(sides[i], column))
			node_split(growing, sides[i]);
}

/* Try what partition.h proposes. */
static void try_conditions(const struct growing *growing, struct node *node)
{
	struct split splits[TRIED];
	size_t n, i;

	dataset_recall(node->data);
	n = partition_find(node->data, splits, TRIED);
	dataset_forget(node->data);
	for (i = 0; i < n && is_worth_trying(node, splits, n, i); i++) {
		struct node *tried[2];

		if (node->sides[0] && tree_is_split_wanted(node, &node->split) &&
		    !tree_is_split_wanted(node, &splits[i]))
			break;
		node_part(growing, node, &splits[i], tried);
		split_few(growing, node, splits[i].column, tried);
		node_take(growing, node, &splits[i], tried,
			  gain_of(growing, node, &splits[i], tried));
	}
}

/*
 * Try to describe the calls that have a feature by it: by a formula, or by a condition. Only where
 * nothing describes all calls.
 */
static void try_presence(const struct growing *growing, struct node *node)
{
	struct split splits[TRIED_PRESENCE];
	struct node *tried[2];
	size_t n, i, parts;
	double gain;

	if (has_formula(node) || node->depth + 1 >= TREE_DEPTH)
		return;
	n = presence_find(node->data, splits, TRIED_PRESENCE, &parts);
	for (i = 0; i < n; i++) {
		const double tried_before = node->data->tried;

		node->data->tried *= parts;
		node_part(growing, node, &splits[i], tried);
		node->data->tried = tried_before;
		if (!has_formula(tried[0]))
			node_split(growing, tried[0]);
		gain = gain_of(growing, node, &splits[i], tried);
		node_take(growing, node, &splits[i], tried, gain);
	}
}

/* Ask first whether the condition of the node's parts could be read, if it often could not. */
static void ask_presence_first(const struct growing *growing, struct node *node)
{
	const size_t n = node->data->n_rows;
	struct node *sides[2];
	struct split split;

	if (!node->sides[0] || node->split.kind == SPLIT_DEFINED ||
	    presence_is_rare(n - node->sides[0]->data->n_rows - node->sides[1]->data->n_rows, n) ||
	    !presence_split(node->data, node->split.column, &split))
		return;
	node_part(growing, node, &split, sides);
	node_take(growing, node, &split, sides, INFINITY);
}

/* Find the best two parts of the node; none: it is best as it is. */
static void node_split(const struct growing *growing, struct node *node)
{
	struct split split;
	struct node *sides[2];

	if (node->is_searched || model_options_are_over(growing->options) ||
	    node->data->n_rows < 2 * PARTITION_ROWS_MIN || dataset_is_flat(node->data))
		return;
	node->is_searched = true;
	if (find_presence(node, &split)) {
		node_part(growing, node, &split, sides);
		node_take(growing, node, &split, sides, INFINITY);
		return;
	}
	try_conditions(growing, node);
	try_presence(growing, node);
	ask_presence_first(growing, node);
}

static void add_leaf(struct growing *growing, struct node *node,
		     const struct tree_condition *conditions, unsigned n)
{
	struct tree_scope *scope = &growing->tree->scopes[growing->tree->n];
	struct tree_leaf *leaf = &growing->tree->leaves[growing->tree->n++];
	const struct regression *regression = &node->regression;

	memcpy(scope->of, conditions, n * sizeof(*conditions));
	scope->n = n;
	if (node->data == growing->root) {
		dataset_forget(node->data);
		leaf->data = dataset_part(node->data, node->data->order, node->data->n_rows);
	} else {
		leaf->data = node->data;
		node->data = NULL;
	}
	leaf->loose = regression->loose;
	leaf->is_loose = regression->is_loose;
	modes_find(leaf->data, growing->options, &regression->fit, leaf);
	dataset_forget(leaf->data);
}

/* The depth of a leaf with these conditions. */
static unsigned depth_of(const struct tree_condition *conditions, unsigned n)
{
	unsigned depth = 0;
	unsigned i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++)
			if (conditions[j].split.kind == SPLIT_IS &&
			    conditions[j].split.column == conditions[i].split.column)
				break;
		depth += j == i;
	}
	return depth;
}

static bool may_split(const struct growing *growing, const struct tree_condition *conditions,
		      unsigned n)
{
	return depth_of(conditions, n) < TREE_DEPTH && n < TREE_CONDITIONS &&
	       growing->planned < TREE_LEAVES;
}

static void tree_grow_node(struct growing *growing, struct node *node,
			   struct tree_condition *conditions, unsigned n)
{
	if (may_split(growing, conditions, n)) {
		node->depth = depth_of(conditions, n);
		node_split(growing, node);
	}
	if (!node->sides[0] || !may_split(growing, conditions, n)) {
		add_leaf(growing, node, conditions, n);
		return;
	}
	growing->planned++;
	growing->tree->n_outside +=
		node->data->n_rows - node->sides[0]->data->n_rows - node->sides[1]->data->n_rows;
	conditions[n] = (struct tree_condition){node->split, true};
	tree_grow_node(growing, node->sides[0], conditions, n + 1);
	conditions[n].first = false;
	tree_grow_node(growing, node->sides[1], conditions, n + 1);
	node_drop_sides(growing, node->sides);
}

void model_tree_grow(struct dataset *data, const struct model_options *options,
		     struct model_tree *ret)
{
	struct growing growing = {.tree = ret,
				  .options = options,
				  .planned = 1,
				  .root = data,
				  .weight = score_weight(data->n_rows)};
	struct tree_condition conditions[TREE_CONDITIONS];
	struct node *root;

	memset(ret, 0, sizeof(*ret));
	root = create_node(&growing, data);
	tree_grow_node(&growing, root, conditions, 0);
	destroy_node(&growing, root);
	dataset_recall(data);
}

void model_tree_deinit(struct model_tree *tree)
{
	unsigned i;

	for (i = 0; i < tree->n; i++) {
		free(tree->leaves[i].models);
		dataset_destroy(tree->leaves[i].data);
	}
}
