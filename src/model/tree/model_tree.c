/* Grows the tree: decides for each part between one formula and two parts. */
#include "model_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/mixture/modes.h"
#include "model/split/partition.h"
#include "model/regression/regress.h"
#include "model/regression/score.h"

enum { TRIED = 3 /* conditions of each part */ };

/* Conditions that promise less than this part of the best gain are not tried. */
#define NEARLY_AS_GOOD 0.5

/*
 * The required drop of the log residual variance: without a formula; with one, by another feature
 * or a branch; by a feature of the formula. Caches make costs drift, which two formulas describe
 * better, but readers want one.
 */
#define SPLIT_PART       0.1
#define SPLIT_PART_OTHER 0.35
#define SPLIT_PART_SAME  1.2

/* Penalty for a returned feature: an earlier known one may leave twice its variance. */
#define RETURNED_PART 0.7

struct node {
	struct dataset *data; /* owned except the root's */
	struct regression regression;
	double length; /* description length: less is better */
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

static bool uses_returned(const struct fit *fit)
{
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		if (fit->columns[i]->provenance == FROM_RETURN)
			return true;
	return false;
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
	node->length = score_bic(all * growing->weight, fit->n_terms + 1, rows);
	if (uses_returned(fit))
		node->length += RETURNED_PART * growing->weight * node->data->n_rows;
}

static struct node *create_node(const struct growing *growing, struct dataset *data)
{
	struct node *node = mem_alloc(sizeof(*node));

	node->data = data;
	regress(data, growing->options, &node->regression);
	measure_length(growing, node);
	dataset_forget(data);
	return node;
}

static void destroy_node(const struct growing *growing, struct node *node)
{
	if (!node)
		return;
	if (node->data != growing->root)
		dataset_destroy(node->data);
	free(node);
}

/* The rows of @data on one side of @split. */
static struct dataset *take_side(const struct dataset *data, const struct split *split, bool first)
{
	unsigned char *is_there = mem_alloc(data->n_rows + 1);
	struct dataset *part;
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];

		is_there[i] = split->column->absence[row] == PRESENT &&
			      split_holds(split, split->column->numbers[row]) == first;
	}
	part = dataset_marked(data, is_there, true);
	free(is_there);
	return part;
}

/* Is it about a pinned feature that the model lacks? */
static bool tree_is_split_wanted(const struct node *node, const struct split *split)
{
	const struct fit *fit = &node->regression.fit;
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		if (fit->columns[i] == split->column)
			return false;
	return dataset_is_pinned(node->data, split->column);
}

static double least_gain(const struct growing *growing, const struct node *node,
			 const struct split *split)
{
	const double rows = growing->weight * node->data->n_rows;

	const struct fit *fit = &node->regression.fit;
	unsigned i;

	if (tree_is_split_wanted(node, split))
		return 0;
	if (!has_formula(node))
		return SPLIT_PART * rows;
	if (isinf(split->gain))
		return 0;
	for (i = 0; i < fit->candidate.basis.n_features; i++)
		if (fit->columns[i] == split->column && !split->from_branch)
			return SPLIT_PART_SAME * rows;
	return SPLIT_PART_OTHER * rows;
}

/* The gain of describing @node by the two parts instead. */
static double gain_of(const struct growing *growing, const struct node *node,
		      const struct split *split, struct node *const *sides)
{
	const double rows = sides[0]->data->n_rows + sides[1]->data->n_rows;
	const double all = growing->weight * growing->root->n_rows;
	const double parts =
		(sides[0]->length + sides[1]->length) * (node->data->n_rows / fmax(rows, 1));

	return node->length - parts - score_penalty(2, all) - least_gain(growing, node, split);
}

/* Is @column true in exactly the rows where @feature is present? */
static bool tells_presence(const struct dataset *data, const struct column *column,
			   const struct column *feature)
{
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];

		if (column->absence[row] != PRESENT ||
		    (column->numbers[row] != 0) != (feature->absence[row] == PRESENT))
			return false;
	}
	return true;
}

/* The condition for reading a feature of the node's formula, if it is often absent. */
static bool find_presence(const struct node *node, struct split *ret)
{
	const struct dataset *data = node->data;
	const struct fit *fit = &node->regression.fit;
	size_t i, j;

	if (fit->n_absent < PARTITION_ROWS_MIN)
		return false;
	for (i = 0; i < data->n_predictors; i++)
		for (j = 0; j < fit->candidate.basis.n_features; j++) {
			const struct column *column = data->predictors[i].column;

			if (column->type != FEATURE_BOOL ||
			    !tells_presence(data, column, fit->columns[j]))
				continue;
			*ret = (struct split){
				.column = column, .kind = SPLIT_TRUE, .gain = INFINITY};
			return true;
		}
	return false;
}

static size_t find_conditions(const struct node *node, struct split *ret)
{
	size_t n;

	if (find_presence(node, ret))
		return 1;
	dataset_recall(node->data);
	n = partition_find(node->data, ret, TRIED);
	dataset_forget(node->data);
	return n;
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

/* Try the conditions. True: one is kept; its sides are in @ret. */
static bool find_split(const struct growing *growing, const struct node *node, struct split *ret,
		       struct node **sides)
{
	struct split splits[TRIED];
	size_t n = find_conditions(node, splits);
	double best = 0;
	size_t i;

	sides[0] = sides[1] = NULL;
	for (i = 0; i < n && is_worth_trying(node, splits, n, i); i++) {
		struct node *tried[2];
		double gain;

		if (best > 0 && tree_is_split_wanted(node, ret) &&
		    !tree_is_split_wanted(node, &splits[i]))
			break;
		tried[0] = create_node(growing, take_side(node->data, &splits[i], true));
		tried[1] = create_node(growing, take_side(node->data, &splits[i], false));
		gain = gain_of(growing, node, &splits[i], tried);
		if (gain > best) {
			struct node *swap[2] = {sides[0], sides[1]};

			best = gain;
			*ret = splits[i];
			sides[0] = tried[0];
			sides[1] = tried[1];
			tried[0] = swap[0];
			tried[1] = swap[1];
		}
		destroy_node(growing, tried[0]);
		destroy_node(growing, tried[1]);
	}
	return sides[0];
}

static void add_leaf(struct growing *growing, const struct node *node,
		     const struct tree_condition *conditions, unsigned n)
{
	struct tree_scope *scope = &growing->tree->scopes[growing->tree->n];
	struct tree_leaf *leaf = &growing->tree->leaves[growing->tree->n++];
	const struct regression *regression = &node->regression;

	dataset_forget(node->data);
	memcpy(scope->of, conditions, n * sizeof(*conditions));
	scope->n = n;
	leaf->data = dataset_part(node->data, node->data->order, node->data->n_rows);
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

static bool may_split(const struct growing *growing, const struct node *node,
		      const struct tree_condition *conditions, unsigned n)
{
	return depth_of(conditions, n) < TREE_DEPTH && n < TREE_CONDITIONS &&
	       growing->planned < TREE_LEAVES && node->data->n_rows >= 2 * PARTITION_ROWS_MIN;
}

static void tree_grow_node(struct growing *growing, struct node *node,
			   struct tree_condition *conditions, unsigned n)
{
	struct node *sides[2] = {NULL, NULL};
	struct split split;

	if (!may_split(growing, node, conditions, n) || !find_split(growing, node, &split, sides)) {
		add_leaf(growing, node, conditions, n);
		return;
	}
	growing->planned++;
	growing->tree->n_outside +=
		node->data->n_rows - sides[0]->data->n_rows - sides[1]->data->n_rows;
	conditions[n] = (struct tree_condition){split, true};
	tree_grow_node(growing, sides[0], conditions, n + 1);
	conditions[n].first = false;
	tree_grow_node(growing, sides[1], conditions, n + 1);
	destroy_node(growing, sides[0]);
	destroy_node(growing, sides[1]);
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
