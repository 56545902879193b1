/* Deciding conditions about calls. How they are read is watch_parse.c's; where values come from is the caller's. */
#include "core/watch.h"

#include <math.h>

#include "core/watch_tree.h"

size_t watch_names(const struct watch *watch, const struct watch_name **ret)
{
	*ret = watch->names;
	return watch->n_names;
}

static bool has_kind(const struct watch *watch, enum watch_name_kind kind)
{
	for (size_t i = 0; i < watch->n_names; i++)
		if (watch->names[i].kind == kind)
			return true;
	return false;
}

bool watch_is_early(const struct watch *watch)
{
	return !has_kind(watch, WATCH_METRIC);
}

bool watch_is_elapsed(const struct watch *watch)
{
	return has_kind(watch, WATCH_ELAPSED);
}

/* NAN: not known. */
static double number_of(const struct watch_node *node, const struct value *values);

static double known(bool holds)
{
	return holds ? 1 : 0;
}

static double negation(double number)
{
	return isnan(number) ? NAN : known(number == 0);
}

/* What is known of one side may decide, whatever the other is. */
static double both(double left, double right)
{
	if (left == 0 || right == 0)
		return 0;
	return isnan(left) || isnan(right) ? NAN : 1;
}

static double compare(enum watch_operator op, double left, double right)
{
	if (isnan(left) || isnan(right))
		return NAN;
	switch (op) {
	case WATCH_LESS:
		return known(left < right);
	case WATCH_LESS_EQUAL:
		return known(left <= right);
	case WATCH_GREATER:
		return known(left > right);
	case WATCH_GREATER_EQUAL:
		return known(left >= right);
	case WATCH_EQUAL:
		return known(left == right);
	default:
		return known(left != right);
	}
}

static double combine(enum watch_operator op, double left, double right)
{
	switch (op) {
	case WATCH_NUMBER:
	case WATCH_NAME:
		break;
	case WATCH_NEGATE:
		return -left;
	case WATCH_NOT:
		return negation(left);
	case WATCH_ADD:
		return left + right;
	case WATCH_SUBTRACT:
		return left - right;
	case WATCH_MULTIPLY:
		return left * right;
	case WATCH_DIVIDE:
		return right != 0 ? left / right : NAN;
	case WATCH_LESS:
	case WATCH_LESS_EQUAL:
	case WATCH_GREATER:
	case WATCH_GREATER_EQUAL:
	case WATCH_EQUAL:
	case WATCH_NOT_EQUAL:
		return compare(op, left, right);
	case WATCH_AND:
		return both(left, right);
	case WATCH_OR:
		return negation(both(negation(left), negation(right)));
	}
	return NAN;
}

static double number_of(const struct watch_node *node, const struct value *values)
{
	const struct value *value;

	if (node->op == WATCH_NUMBER)
		return node->number;
	if (node->op == WATCH_NAME) {
		value = &values[node->index];
		return value->absence == PRESENT ? value->number : NAN;
	}
	return combine(node->op, number_of(node->left, values),
		       node->right ? number_of(node->right, values) : NAN);
}

enum watch_answer watch_holds(const struct watch *watch, const struct value *values)
{
	const double number = number_of(watch->root, values);

	if (isnan(number))
		return WATCH_UNKNOWN;
	return number != 0 ? WATCH_YES : WATCH_NO;
}
