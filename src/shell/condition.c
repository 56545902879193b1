/*
 * Deciding conditions about calls, in three-valued logic with NAN as unknown. condition_parse.c
 * reads them; the caller provides values.
 */
#include "condition.h"

#include <math.h>

#include "condition_tree.h"

size_t condition_names(const struct call_condition *condition, const struct condition_name **ret)
{
	*ret = condition->names;
	return condition->n_names;
}

static bool has_kind(const struct call_condition *condition, enum condition_name_kind kind)
{
	for (size_t i = 0; i < condition->n_names; i++)
		if (condition->names[i].kind == kind)
			return true;
	return false;
}

bool condition_is_early(const struct call_condition *condition)
{
	return !has_kind(condition, CONDITION_METRIC) && !has_kind(condition, CONDITION_SURPRISING);
}

bool condition_is_elapsed(const struct call_condition *condition)
{
	return has_kind(condition, CONDITION_ELAPSED);
}

static double number_of(const struct condition_node *node, const struct value *values);

static double known(bool holds)
{
	return holds ? 1 : 0;
}

static double negation(double number)
{
	return isnan(number) ? NAN : known(number == 0);
}

/* Logical and: 0 on one side decides, whatever the other is. */
static double both(double left, double right)
{
	if (left == 0 || right == 0)
		return 0;
	return isnan(left) || isnan(right) ? NAN : 1;
}

static double condition_compare(enum condition_operator op, double left, double right)
{
	if (isnan(left) || isnan(right))
		return NAN;
	switch (op) {
	case CONDITION_LESS:
		return known(left < right);
	case CONDITION_LESS_EQUAL:
		return known(left <= right);
	case CONDITION_GREATER:
		return known(left > right);
	case CONDITION_GREATER_EQUAL:
		return known(left >= right);
	case CONDITION_EQUAL:
		return known(left == right);
	default:
		return known(left != right);
	}
}

static double combine(enum condition_operator op, double left, double right)
{
	switch (op) {
	case CONDITION_NUMBER:
	case CONDITION_NAME:
		break;
	case CONDITION_DEFINED:
		return known(!isnan(left));
	case CONDITION_NEGATE:
		return -left;
	case CONDITION_NOT:
		return negation(left);
	case CONDITION_ADD:
		return left + right;
	case CONDITION_SUBTRACT:
		return left - right;
	case CONDITION_MULTIPLY:
		return left * right;
	case CONDITION_DIVIDE:
		return right != 0 ? left / right : NAN;
	case CONDITION_LESS:
	case CONDITION_LESS_EQUAL:
	case CONDITION_GREATER:
	case CONDITION_GREATER_EQUAL:
	case CONDITION_EQUAL:
	case CONDITION_NOT_EQUAL:
		return condition_compare(op, left, right);
	case CONDITION_AND:
		return both(left, right);
	case CONDITION_OR:
		return negation(both(negation(left), negation(right)));
	}
	return NAN;
}

static double number_of(const struct condition_node *node, const struct value *values)
{
	const struct value *value;

	if (node->op == CONDITION_NUMBER)
		return node->number;
	if (node->op == CONDITION_NAME) {
		value = &values[node->index];
		return value->absence == PRESENT ? value->number : NAN;
	}
	return combine(node->op, number_of(node->left, values),
		       node->right ? number_of(node->right, values) : NAN);
}

enum condition_answer condition_holds(const struct call_condition *condition,
				      const struct value *values)
{
	const double number = number_of(condition->root, values);

	if (isnan(number))
		return CONDITION_UNKNOWN;
	return number != 0 ? CONDITION_YES : CONDITION_NO;
}
