/* From syntax to steps: comparisons of whole numbers, and what is made of their answers. */
#include "condition_filter.h"

#include <math.h>

#include "condition_tree.h"

static const double WHOLE_MAX = 9007199254740992.0; /* 2^53: below it a double is exact */

struct filter {
	const struct condition_reading *readings;
	struct plan_step steps[PLAN_STEPS_MAX + 1]; /* one too many: it is too long */
	unsigned n;
};

/* What the steps of a part say. */
enum filter_answer {
	FILTER_NOTHING, /* there are none */
	FILTER_MAYBE,   /* 0: it does not hold; else it may */
	FILTER_EXACT,   /* 1: it holds, else 0 */
};

static void add_step(struct filter *filter, enum plan_op op, int64_t arg)
{
	if (filter->n <= PLAN_STEPS_MAX)
		filter->steps[filter->n++] = (struct plan_step){op, arg};
}

static void add_negation(struct filter *filter)
{
	add_step(filter, PLAN_CONST, 0);
	add_step(filter, PLAN_EQUAL, 0);
}

static bool is_step_of_integers(const struct plan_step *step)
{
	return step->op != PLAN_INT128 && step->op != PLAN_X87 && step->op != PLAN_CLASS &&
	       step->op != PLAN_TEXT && step->op != PLAN_CONVERT && step->op != PLAN_DOUBLE;
}

static bool is_integer(const struct read_plan *plan)
{
	for (unsigned i = 0; i < plan->n_steps; i++)
		if (!is_step_of_integers(&plan->steps[i]))
			return false;
	return plan->n_steps && plan->result != PLAN_FLOAT;
}

static bool is_whole(double number)
{
	return number == rint(number) && fabs(number) <= WHOLE_MAX;
}

/* The word that @plan leaves becomes its number. */
static void add_result(struct filter *filter, const struct read_plan *plan)
{
	if (plan->size < 8 && plan->result == PLAN_SIGNED)
		add_step(filter, PLAN_SEXT, plan->size);
	if (plan->size < 8 && plan->result != PLAN_SIGNED) {
		add_step(filter, PLAN_CONST, (INT64_C(1) << 8 * plan->size) - 1);
		add_step(filter, PLAN_AND, 0);
	}
	if (plan->result != PLAN_BOOL)
		return;
	add_negation(filter);
	add_negation(filter);
}

/* A number that is compared. */
struct operand {
	const struct read_plan *plan; /* NULL: a constant */
	double constant;
	const char *symbol; /* it is whether the plan's number is this one */
	double symbol_number;
};

static bool is_constant(const struct condition_node *node, double *ret)
{
	const bool negated = node->op == CONDITION_NEGATE;

	if ((negated ? node->left : node)->op != CONDITION_NUMBER)
		return false;
	*ret = negated ? -node->left->number : node->number;
	return true;
}

static bool find_operand(const struct filter *filter, const struct condition_node *node,
			 const struct call_condition *condition, struct operand *ret)
{
	*ret = (struct operand){.plan = NULL};
	if (is_constant(node, &ret->constant))
		return is_whole(ret->constant);
	if (node->op != CONDITION_NAME)
		return false;
	ret->plan = filter->readings[node->index].plan;
	ret->symbol = condition->names[node->index].symbol;
	ret->symbol_number = filter->readings[node->index].symbol;
	return ret->plan && is_integer(ret->plan) && (!ret->symbol || is_whole(ret->symbol_number));
}

static void add_operand(struct filter *filter, const struct operand *operand)
{
	if (!operand->plan) {
		add_step(filter, PLAN_CONST, (int64_t)operand->constant);
		return;
	}
	for (unsigned i = 0; i < operand->plan->n_steps; i++)
		add_step(filter, operand->plan->steps[i].op, operand->plan->steps[i].arg);
	add_result(filter, operand->plan);
	if (!operand->symbol)
		return;
	add_step(filter, PLAN_CONST, (int64_t)operand->symbol_number);
	add_step(filter, PLAN_EQUAL, 0);
}

/* Does it need all 64 bits? As a double it may be another one then. */
static bool is_wide(const struct operand *operand)
{
	return operand->plan && !operand->symbol && operand->plan->size == 8 &&
	       operand->plan->result != PLAN_BOOL;
}

static bool is_wide_unsigned(const struct operand *operand)
{
	return is_wide(operand) && operand->plan->result == PLAN_UNSIGNED;
}

static bool is_comparable(const struct operand *left, const struct operand *right)
{
	const struct operand *other = is_wide(left) ? right : left;

	if (!is_wide(left) && !is_wide(right))
		return true;
	if (other->plan)
		return false;
	return other->constant >= 0 || !is_wide_unsigned(is_wide(left) ? left : right);
}

static void add_comparison(struct filter *filter, enum condition_operator op, enum plan_op less)
{
	switch (op) {
	case CONDITION_LESS:
		add_step(filter, less, 0);
		break;
	case CONDITION_GREATER_EQUAL:
		add_step(filter, less, 0);
		add_negation(filter);
		break;
	case CONDITION_GREATER:
		add_step(filter, PLAN_SWAP, 0);
		add_step(filter, less, 0);
		break;
	case CONDITION_LESS_EQUAL:
		add_step(filter, PLAN_SWAP, 0);
		add_step(filter, less, 0);
		add_negation(filter);
		break;
	case CONDITION_EQUAL:
		add_step(filter, PLAN_EQUAL, 0);
		break;
	default:
		add_step(filter, PLAN_EQUAL, 0);
		add_negation(filter);
		break;
	}
}

static enum filter_answer add_compared(struct filter *filter, const struct condition_node *node,
				       const struct call_condition *condition)
{
	struct operand left, right;

	if (!find_operand(filter, node->left, condition, &left) ||
	    !find_operand(filter, node->right, condition, &right) || !is_comparable(&left, &right))
		return FILTER_NOTHING;
	add_operand(filter, &left);
	add_operand(filter, &right);
	add_comparison(filter, node->op,
		       is_wide_unsigned(&left) || is_wide_unsigned(&right) ? PLAN_BELOW
									   : PLAN_LESS);
	return FILTER_EXACT;
}

/* A lone value holds if it is not 0. */
static enum filter_answer add_lone(struct filter *filter, const struct condition_node *node,
				   const struct call_condition *condition)
{
	struct operand operand;

	if (!find_operand(filter, node, condition, &operand))
		return FILTER_NOTHING;
	add_operand(filter, &operand);
	add_negation(filter);
	add_negation(filter);
	return FILTER_EXACT;
}

static enum filter_answer add_part(struct filter *filter, const struct condition_node *node,
				   const struct call_condition *condition);

/* Of an && one side that is known is enough to say no. */
static enum filter_answer add_both(struct filter *filter, const struct condition_node *node,
				   const struct call_condition *condition)
{
	const enum filter_answer left = add_part(filter, node->left, condition);
	const enum filter_answer right = add_part(filter, node->right, condition);

	if (left != FILTER_NOTHING && right != FILTER_NOTHING)
		add_step(filter, PLAN_AND, 0);
	if (left == FILTER_EXACT && right == FILTER_EXACT)
		return FILTER_EXACT;
	return left == FILTER_NOTHING && right == FILTER_NOTHING ? FILTER_NOTHING : FILTER_MAYBE;
}

static enum filter_answer add_either(struct filter *filter, const struct condition_node *node,
				     const struct call_condition *condition)
{
	const unsigned before = filter->n;
	const enum filter_answer left = add_part(filter, node->left, condition);
	const enum filter_answer right =
		left == FILTER_NOTHING ? left : add_part(filter, node->right, condition);

	if (right == FILTER_NOTHING) {
		filter->n = before;
		return FILTER_NOTHING;
	}
	add_step(filter, PLAN_OR, 0);
	return left < right ? left : right;
}

static enum filter_answer add_opposite(struct filter *filter, const struct condition_node *node,
				       const struct call_condition *condition)
{
	const unsigned before = filter->n;

	if (add_part(filter, node->left, condition) == FILTER_EXACT) {
		add_negation(filter);
		return FILTER_EXACT;
	}
	filter->n = before;
	return FILTER_NOTHING;
}

static enum filter_answer add_part(struct filter *filter, const struct condition_node *node,
				   const struct call_condition *condition)
{
	switch (node->op) {
	case CONDITION_NUMBER:
	case CONDITION_NAME:
		return add_lone(filter, node, condition);
	case CONDITION_NOT:
		return add_opposite(filter, node, condition);
	case CONDITION_LESS:
	case CONDITION_LESS_EQUAL:
	case CONDITION_GREATER:
	case CONDITION_GREATER_EQUAL:
	case CONDITION_EQUAL:
	case CONDITION_NOT_EQUAL:
		return add_compared(filter, node, condition);
	case CONDITION_AND:
		return add_both(filter, node, condition);
	case CONDITION_OR:
		return add_either(filter, node, condition);
	case CONDITION_DEFINED: /* a plan gives nothing of what is absent */
	case CONDITION_NEGATE:
	case CONDITION_ADD:
	case CONDITION_SUBTRACT:
	case CONDITION_MULTIPLY:
	case CONDITION_DIVIDE:
		break;
	}
	return FILTER_NOTHING;
}

bool condition_filter(const struct call_condition *condition,
		      const struct condition_reading *readings, struct arena *arena,
		      struct read_plan *ret)
{
	struct filter filter = {.readings = readings};
	struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	struct err ignored;

	if (add_part(&filter, condition->root, condition) == FILTER_NOTHING)
		return false;
	plan.steps = filter.steps;
	plan.n_steps = filter.n;
	if (!read_plan_verify(&plan, &ignored))
		return false;
	plan.steps = arena_copy(arena, filter.steps, filter.n * sizeof(*filter.steps));
	*ret = plan;
	return true;
}
