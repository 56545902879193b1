/*
 * Scopes list conditions in the order in which the tree made them, so common prefixes give the
 * tree. A scope leaves out conditions that later ones imply; then a node has more than two parts.
 */
#include "study_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/data/moments.h"

struct growing {
	const struct annotation *annotation;
	struct study_node *nodes;
	size_t n;
	unsigned *leaf; /* [n_cases] the node of a case */
};

static bool branch_is_same(const struct condition *a, const struct condition *b)
{
	return a->feature == b->feature && a->comparison == b->comparison &&
	       a->number == b->number && a->of_pair == b->of_pair && a->other == b->other &&
	       !a->symbol == !b->symbol && (!a->symbol || !strcmp(a->symbol, b->symbol));
}

/* Do the scopes of cases @a and @b share the first @n conditions? */
static bool begins_like(const struct annotation *annotation, size_t a, size_t b, size_t n)
{
	const struct annotation_case *left = &annotation->cases[a];
	const struct annotation_case *right = &annotation->cases[b];
	size_t i;

	if (left->n_conditions < n || right->n_conditions < n)
		return false;
	for (i = 0; i < n; i++)
		if (!branch_is_same(&left->scope[i], &right->scope[i]))
			return false;
	return true;
}

static unsigned add_node(struct growing *growing, unsigned parent,
			 const struct condition *condition)
{
	growing->nodes[growing->n] = (struct study_node){
		.parent = parent,
		.depth = parent == STUDY_NONE ? 0 : growing->nodes[parent].depth + 1,
		.condition = condition,
		.in_case = STUDY_NONE,
	};
	return growing->n++;
}

/* Case @i ends at @node; of cases with the same scope the first applies. */
static void end_case(struct growing *growing, size_t i, unsigned node)
{
	if (growing->nodes[node].in_case == STUDY_NONE)
		growing->nodes[node].in_case = i;
	growing->leaf[i] = node;
}

/* Grow all below @node, which the scope of case @like reaches after @depth conditions. */
static void branch_grow(struct growing *growing, unsigned node, size_t like, size_t depth)
{
	const struct annotation *annotation = growing->annotation;
	size_t i, j;

	for (i = like; i < annotation->n_cases; i++) {
		if (!begins_like(annotation, like, i, depth))
			continue;
		if (annotation->cases[i].n_conditions == depth) {
			end_case(growing, i, node);
			continue;
		}
		for (j = like; j < i; j++)
			if (begins_like(annotation, i, j, depth + 1))
				break;
		if (j == i)
			branch_grow(growing,
				    add_node(growing, node, &annotation->cases[i].scope[depth]), i,
				    depth + 1);
	}
}

/* Sums over the points of a node; numbers are scaled. */
struct sums {
	struct moments costs, expected; /* `expected`: of those with an expected cost */
	double left;                    /* of these, too */
};

static void branch_add_point(const struct study *study, size_t point, double scale,
			     struct sums *sums)
{
	const double cost = study->costs[point] / scale;
	const double usual = study_usual_cost(study, point) / scale;
	const double left = usual - study->expected[point] / scale;

	moments_add(&sums->costs, 1, cost, 0);
	if (study->cases[point] == STUDY_NONE)
		return;
	moments_add(&sums->expected, 1, usual, 0);
	sums->left += left * left;
}

static double largest_cost(const struct study *study)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < study->n_points; i++)
		largest = fmax(largest, fabs(study->costs[i]));
	return largest > 0 ? largest : 1;
}

/* Relative spread below which costs are all equal. */
#define ROUNDING 1e-14

static void set_figures(struct study_node *node, const struct sums *sums, double scale)
{
	const double nothing =
		ROUNDING * sums->expected.weight * sums->expected.x * sums->expected.x * ROUNDING;

	node->n_points = sums->costs.weight;
	node->mean = sums->costs.weight > 0 ? sums->costs.x * scale : NAN;
	node->deviation = sums->costs.weight > 1
				  ? sqrt(sums->costs.xx / (sums->costs.weight - 1)) * scale
				  : NAN;
	node->r2 = sums->expected.weight > 1 && sums->expected.xx > nothing
			   ? fmax(1 - sums->left / sums->expected.xx, 0)
			   : NAN;
}

static void branch_measure(const struct study *study, struct growing *growing)
{
	struct sums *sums = mem_alloc((growing->n + 1) * sizeof(*sums));
	const double scale = largest_cost(study);
	size_t i;
	unsigned node;

	for (i = 0; i < study->n_points; i++) {
		node = study->cases[i] == STUDY_NONE ? 0 : growing->leaf[study->cases[i]];
		for (; node != STUDY_NONE; node = growing->nodes[node].parent)
			branch_add_point(study, i, scale, &sums[node]);
	}
	for (i = 0; i < growing->n; i++)
		set_figures(&growing->nodes[i], &sums[i], scale);
	free(sums);
}

void study_tree(struct study *study)
{
	const struct annotation *annotation = study->annotation;
	struct growing growing = {.annotation = annotation};
	size_t most = 1;
	size_t i;

	if (!annotation->n_cases)
		return;
	for (i = 0; i < annotation->n_cases; i++)
		most += annotation->cases[i].n_conditions;
	growing.nodes = arena_array(study->arena, struct study_node, most);
	growing.leaf = arena_array(study->arena, unsigned, annotation->n_cases);
	branch_grow(&growing, add_node(&growing, STUDY_NONE, NULL), 0, 0);
	branch_measure(study, &growing);
	study->nodes = growing.nodes;
	study->n_nodes = growing.n;
}
