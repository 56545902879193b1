/*
 * Parsing conditions about calls, by recursive descent. condition_scan.c reads the words,
 * condition.c decides.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condition_scan.h"

enum { LENGTH_MAX = 4096, DEPTH_MAX = 64 };

static struct condition_node *node_new(const struct condition_parser *parser,
				       enum condition_operator op,
				       const struct condition_node *left,
				       const struct condition_node *right)
{
	struct condition_node *node = arena_new(parser->arena, struct condition_node);

	node->op = op;
	node->left = left;
	node->right = right;
	return node;
}

static enum condition_dimension dimension_of(enum metric metric)
{
	const char *unit = metric_info(metric)->unit;

	if (!strcmp(unit, "us"))
		return CONDITION_TIME;
	return strcmp(unit, "bytes") ? CONDITION_COUNT : CONDITION_BYTES;
}

static bool parse_name(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *node = node_new(parser, CONDITION_NAME, NULL, NULL);
	const char *name = NULL;

	if (!condition_scan_name(parser, &name))
		return false;
	node->name.expression = name;
	*ret = node;
	if (parser->is_feature)
		return true;
	if (!strcmp(name, "true") || !strcmp(name, "false")) {
		node->op = CONDITION_NUMBER;
		node->number = *name == 't';
		return true;
	}
	node->name.metric = metric_parse_measured(name);
	if (node->name.metric != METRIC_COUNT) {
		node->name.kind = CONDITION_METRIC;
		node->dimension = dimension_of(node->name.metric);
	} else if (!strcmp(name, "elapsed")) {
		node->name.kind = CONDITION_ELAPSED;
		node->dimension = CONDITION_TIME;
	} else if (!strcmp(name, "surprising")) {
		node->name.kind = CONDITION_SURPRISING;
		node->name.metric = METRIC_TIME;
	} else if (!strcmp(name, "predicted")) {
		node->name.kind = CONDITION_PREDICTED;
	}
	return true;
}

static bool parse_number(struct condition_parser *parser, struct condition_node **ret)
{
	const char *begin = parser->at;
	struct condition_node *node = node_new(parser, CONDITION_NUMBER, NULL, NULL);
	const struct unit *unit;
	char *end;

	node->number = unit_number(begin, &end);
	parser->at = end;
	unit = condition_scan_unit(parser);
	if (unit) {
		node->number *= unit->factor;
		node->dimension = unit->of == UNIT_TIME ? CONDITION_TIME : CONDITION_BYTES;
	} else if (condition_scan_is_word(parser->at[strspn(parser->at, " \t")])) {
		condition_scan_blanks(parser);
		return condition_scan_fail(
			parser, "a unit (ns, us, ms, s, min, B, KB, MB, GB, KiB, MiB, GiB)");
	}
	if (!isfinite(node->number))
		return err_set(parser->err, ERR_FORMAT, "'%.20s' is too large a number", begin);
	*ret = node;
	return true;
}

static bool parse_or(struct condition_parser *parser, struct condition_node **ret);

static bool parse_parentheses(struct condition_parser *parser, struct condition_node **ret)
{
	if (!parse_or(parser, ret))
		return false;
	return condition_scan_accept(parser, ")") || condition_scan_fail(parser, "')'");
}

static bool parse_defined(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *name;

	if (!parse_name(parser, &name))
		return false;
	*ret = node_new(parser, CONDITION_DEFINED, name, NULL);
	return condition_scan_accept(parser, ")") || condition_scan_fail(parser, "')'");
}

static bool parse_negative(struct condition_parser *parser, struct condition_node **ret);

static bool condition_parse_factor(struct condition_parser *parser, struct condition_node **ret)
{
	const char *at;

	condition_scan_blanks(parser);
	at = parser->at;
	if (*at == '-')
		return parse_negative(parser, ret);
	if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
		return parse_number(parser, ret);
	if (*at == '(' && condition_scan_name_end(at) == at) {
		parser->at++;
		return parse_parentheses(parser, ret);
	}
	return condition_scan_defined(parser) ? parse_defined(parser, ret)
					      : parse_name(parser, ret);
}

static bool descend(struct condition_parser *parser)
{
	if (++parser->depth <= DEPTH_MAX)
		return true;
	return err_set(parser->err, ERR_FORMAT, "the condition is nested too deeply");
}

static bool parse_negative(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *operand;

	parser->at++;
	if (!descend(parser) || !condition_parse_factor(parser, &operand))
		return false;
	parser->depth--;
	*ret = node_new(parser, CONDITION_NEGATE, operand, NULL);
	(*ret)->dimension = operand->dimension;
	return true;
}

static enum condition_dimension joint(enum condition_dimension a, enum condition_dimension b)
{
	return a == CONDITION_ANYTHING ? b : a;
}

static bool parse_product(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *right;
	enum condition_operator op;

	if (!condition_parse_factor(parser, ret))
		return false;
	for (;;) {
		if (condition_scan_accept(parser, "*"))
			op = CONDITION_MULTIPLY;
		else if (condition_scan_accept(parser, "/"))
			op = CONDITION_DIVIDE;
		else
			return true;
		if (!condition_parse_factor(parser, &right))
			return false;
		*ret = node_new(parser, op, *ret, right);
		/* Dividing times gives no time; products are rare and go unchecked. */
		if (op == CONDITION_MULTIPLY)
			(*ret)->dimension =
				joint((*ret)->left->dimension, (*ret)->right->dimension);
		else if (right->dimension == CONDITION_ANYTHING)
			(*ret)->dimension = (*ret)->left->dimension;
	}
}

static bool check_dimensions(const struct condition_parser *parser,
			     const struct condition_node *node)
{
	static const char *const names[] = {
		[CONDITION_TIME] = "a time",
		[CONDITION_BYTES] = "a number of bytes",
		[CONDITION_COUNT] = "a count",
	};
	const enum condition_dimension left = node->left->dimension;
	const enum condition_dimension right = node->right->dimension;

	if (left == right || left == CONDITION_ANYTHING || right == CONDITION_ANYTHING)
		return true;
	return err_set(parser->err, ERR_FORMAT,
		       "the condition puts different units together, %s and %s%s%.20s%s",
		       names[left], names[right], *parser->at ? ", before '" : "", parser->at,
		       *parser->at ? "'" : "");
}

static bool parse_sum(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *right;
	enum condition_operator op;

	if (!parse_product(parser, ret))
		return false;
	for (;;) {
		if (condition_scan_accept(parser, "+"))
			op = CONDITION_ADD;
		else if (condition_scan_accept(parser, "-"))
			op = CONDITION_SUBTRACT;
		else
			return true;
		if (!parse_product(parser, &right))
			return false;
		*ret = node_new(parser, op, *ret, right);
		if (!check_dimensions(parser, *ret))
			return false;
		(*ret)->dimension = joint((*ret)->left->dimension, right->dimension);
	}
}

/* The first metric of an operand; METRIC_COUNT: none. */
static enum metric metric_in(const struct condition_node *node)
{
	enum metric metric;

	if (!node)
		return METRIC_COUNT;
	if (node->op == CONDITION_NAME) {
		if (node->name.kind == CONDITION_METRIC)
			return node->name.metric;
		return node->name.kind == CONDITION_ELAPSED ? METRIC_TIME : METRIC_COUNT;
	}
	metric = metric_in(node->left);
	return metric == METRIC_COUNT ? metric_in(node->right) : metric;
}

static bool predict(const struct condition_parser *parser, struct condition_node *node,
		    enum metric metric)
{
	if (!node)
		return true;
	if (node->op != CONDITION_NAME)
		return predict(parser, (struct condition_node *)node->left, metric) &&
		       predict(parser, (struct condition_node *)node->right, metric);
	if (node->name.kind != CONDITION_PREDICTED || node->name.metric != METRIC_COUNT)
		return true;
	if (metric == METRIC_COUNT)
		return err_set(
			parser->err, ERR_FORMAT,
			"what is predicted? compare it with a metric, as in time > 3 * predicted");
	node->name.metric = metric;
	return true;
}

static bool parse_relation(struct condition_parser *parser, enum condition_operator *ret)
{
	static const struct {
		const char *text;
		enum condition_operator op;
	} relations[] = {
		{"<=", CONDITION_LESS_EQUAL}, {">=", CONDITION_GREATER_EQUAL},
		{"==", CONDITION_EQUAL},      {"!=", CONDITION_NOT_EQUAL},
		{"<", CONDITION_LESS},        {">", CONDITION_GREATER},
	};

	for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++)
		if (condition_scan_accept(parser, relations[i].text)) {
			*ret = relations[i].op;
			return true;
		}
	return false;
}

/* "kind == RED" is a test of a name, 0 or 1. */
static bool accept_symbol(struct condition_parser *parser, enum condition_operator op,
			  struct condition_node **ret)
{
	struct condition_node *node = *ret;
	const char *before = parser->at;
	const char *symbol;

	if ((op != CONDITION_EQUAL && op != CONDITION_NOT_EQUAL) || node->op != CONDITION_NAME ||
	    node->name.kind != CONDITION_FEATURE)
		return false;
	if (!condition_scan_symbol(parser, &symbol)) {
		parser->at = before;
		return false;
	}
	node->name.symbol = symbol;
	if (op == CONDITION_NOT_EQUAL)
		*ret = node_new(parser, CONDITION_NOT, node, NULL);
	return true;
}

static bool condition_parse_comparison(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *right;
	enum condition_operator op;

	if (!parse_sum(parser, ret))
		return false;
	if (!parse_relation(parser, &op) || accept_symbol(parser, op, ret))
		return true;
	if (!parse_sum(parser, &right))
		return false;
	*ret = node_new(parser, op, *ret, right);
	return check_dimensions(parser, *ret) &&
	       predict(parser, (struct condition_node *)(*ret)->left, metric_in(right)) &&
	       predict(parser, right, metric_in((*ret)->left));
}

static bool parse_not(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *operand;

	condition_scan_blanks(parser);
	if (parser->at[0] != '!' || parser->at[1] == '=')
		return condition_parse_comparison(parser, ret);
	parser->at++;
	if (!descend(parser) || !parse_not(parser, &operand))
		return false;
	parser->depth--;
	*ret = node_new(parser, CONDITION_NOT, operand, NULL);
	return true;
}

static bool parse_and(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *right;

	if (!parse_not(parser, ret))
		return false;
	while (condition_scan_accept(parser, "&&")) {
		if (!parse_not(parser, &right))
			return false;
		*ret = node_new(parser, CONDITION_AND, *ret, right);
	}
	return true;
}

static bool parse_or(struct condition_parser *parser, struct condition_node **ret)
{
	struct condition_node *right;

	if (!descend(parser) || !parse_and(parser, ret))
		return false;
	while (condition_scan_accept(parser, "||")) {
		if (!parse_and(parser, &right))
			return false;
		*ret = node_new(parser, CONDITION_OR, *ret, right);
	}
	parser->depth--;
	return true;
}

static bool same_name(const struct condition_name *a, const struct condition_name *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind != CONDITION_FEATURE)
		return a->kind == CONDITION_ELAPSED || a->metric == b->metric;
	if (strcmp(a->expression, b->expression) != 0 || !a->symbol != !b->symbol)
		return false;
	return !a->symbol || !strcmp(a->symbol, b->symbol);
}

static bool is_zero(const struct condition_node *node)
{
	return node && node->op == CONDITION_NUMBER && node->number == 0;
}

/* Does @node use its operands beyond whether they are 0? */
static bool needs_amounts(const struct condition_node *node)
{
	switch (node->op) {
	case CONDITION_DEFINED:
	case CONDITION_NOT:
	case CONDITION_AND:
	case CONDITION_OR:
		return false;
	case CONDITION_EQUAL:
	case CONDITION_NOT_EQUAL:
		return !is_zero(node->left) && !is_zero(node->right);
	default:
		return true;
	}
}

/* Collect the distinct names below @node in @names, which has room for all. */
static void condition_gather(struct condition_node *node, bool is_amount,
			     struct condition_name *names, size_t *n)
{
	size_t i = 0;

	if (!node)
		return;
	condition_gather((struct condition_node *)node->left, needs_amounts(node), names, n);
	condition_gather((struct condition_node *)node->right, needs_amounts(node), names, n);
	if (node->op != CONDITION_NAME)
		return;
	while (i < *n && !same_name(&names[i], &node->name))
		i++;
	if (i == *n)
		names[(*n)++] = node->name;
	names[i].is_amount |= is_amount;
	node->index = i;
}

static bool condition_parse_all(struct condition_parser *parser, struct condition_node **ret)
{
	if (!parse_or(parser, ret))
		return false;
	condition_scan_blanks(parser);
	if (*parser->at)
		return condition_scan_fail(parser, "&& or || or the end");
	/* Outside of comparisons `predicted` has no metric. */
	return predict(parser, *ret, METRIC_COUNT);
}

bool condition_parse(const char *text, const struct condition_known *known, struct arena *arena,
		     const struct call_condition **ret, struct err *err)
{
	struct condition_parser parser = {
		.start = text, .at = text, .known = known, .arena = arena, .err = err};
	struct call_condition *condition;
	struct condition_node *root;
	struct condition_name *names;

	if (strlen(text) > LENGTH_MAX)
		return err_set(err, ERR_FORMAT, "the condition is longer than %d characters",
			       LENGTH_MAX);
	if (!condition_parse_all(&parser, &root))
		return false;
	condition = arena_new(arena, struct call_condition);
	names = arena_array(arena, struct condition_name, strlen(text) + 1);
	condition_gather(root, false, names, &condition->n_names);
	condition->root = root;
	condition->names = names;
	*ret = condition;
	return true;
}
