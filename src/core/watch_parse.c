/* Reading conditions about calls, by recursive descent. What they mean is watch.c's. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/watch_scan.h"

enum { LENGTH_MAX = 4096, DEPTH_MAX = 64 };

static struct watch_node *node_new(const struct watch_parser *parser, enum watch_operator op,
				   const struct watch_node *left, const struct watch_node *right)
{
	struct watch_node *node = arena_new(parser->arena, struct watch_node);

	node->op = op;
	node->left = left;
	node->right = right;
	return node;
}

static enum watch_dimension dimension_of(enum metric metric)
{
	const char *unit = metric_info(metric)->unit;

	if (!strcmp(unit, "us"))
		return WATCH_TIME;
	return strcmp(unit, "bytes") ? WATCH_COUNT : WATCH_BYTES;
}

static bool parse_name(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *node = node_new(parser, WATCH_NAME, NULL, NULL);
	const char *name = NULL;

	if (!watch_read_name(parser, &name))
		return false;
	node->name.expression = name;
	*ret = node;
	if (parser->in_backquotes)
		return true;
	if (!strcmp(name, "true") || !strcmp(name, "false")) {
		node->op = WATCH_NUMBER;
		node->number = *name == 't';
		return true;
	}
	node->name.metric = metric_parse(name);
	if (node->name.metric != METRIC_COUNT) {
		node->name.kind = WATCH_METRIC;
		node->dimension = dimension_of(node->name.metric);
	} else if (!strcmp(name, "elapsed")) {
		node->name.kind = WATCH_ELAPSED;
		node->dimension = WATCH_TIME;
	} else if (!strcmp(name, "predicted")) {
		node->name.kind = WATCH_PREDICTED;
	}
	return true;
}

static bool parse_number(struct watch_parser *parser, struct watch_node **ret)
{
	const char *begin = parser->at;
	struct watch_node *node = node_new(parser, WATCH_NUMBER, NULL, NULL);
	const struct watch_unit *unit;
	char *end;

	node->number = strtod(begin, &end);
	parser->at = end;
	unit = watch_read_unit(parser);
	if (unit) {
		node->number *= unit->factor;
		node->dimension = unit->dimension;
	} else if (watch_is_word(parser->at[strspn(parser->at, " \t")])) {
		watch_skip_blanks(parser);
		return watch_fail(parser,
				  "a unit (ns, us, ms, s, min, B, KB, MB, GB, KiB, MiB, GiB)");
	}
	if (!isfinite(node->number))
		return err_set(parser->err, ERR_FORMAT, "'%.20s' is too large a number", begin);
	*ret = node;
	return true;
}

static bool parse_or(struct watch_parser *parser, struct watch_node **ret);

static bool parse_parentheses(struct watch_parser *parser, struct watch_node **ret)
{
	if (!parse_or(parser, ret))
		return false;
	return watch_accept(parser, ")") || watch_fail(parser, "')'");
}

static bool parse_negative(struct watch_parser *parser, struct watch_node **ret);

static bool parse_factor(struct watch_parser *parser, struct watch_node **ret)
{
	const char *at;

	watch_skip_blanks(parser);
	at = parser->at;
	if (*at == '-')
		return parse_negative(parser, ret);
	if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
		return parse_number(parser, ret);
	if (*at == '(' && watch_behind_name(at) == at) {
		parser->at++;
		return parse_parentheses(parser, ret);
	}
	return parse_name(parser, ret);
}

static bool descend(struct watch_parser *parser)
{
	if (++parser->depth <= DEPTH_MAX)
		return true;
	return err_set(parser->err, ERR_FORMAT, "the condition is nested too deeply");
}

static bool parse_negative(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *operand;

	parser->at++;
	if (!descend(parser) || !parse_factor(parser, &operand))
		return false;
	parser->depth--;
	*ret = node_new(parser, WATCH_NEGATE, operand, NULL);
	(*ret)->dimension = operand->dimension;
	return true;
}

static enum watch_dimension joint(enum watch_dimension a, enum watch_dimension b)
{
	return a == WATCH_ANYTHING ? b : a;
}

static bool parse_product(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;
	enum watch_operator op;

	if (!parse_factor(parser, ret))
		return false;
	for (;;) {
		if (watch_accept(parser, "*"))
			op = WATCH_MULTIPLY;
		else if (watch_accept(parser, "/"))
			op = WATCH_DIVIDE;
		else
			return true;
		if (!parse_factor(parser, &right))
			return false;
		*ret = node_new(parser, op, *ret, right);
		/* A quotient of times is none; products are rare, and not looked into. */
		if (op == WATCH_MULTIPLY)
			(*ret)->dimension =
				joint((*ret)->left->dimension, (*ret)->right->dimension);
		else if (right->dimension == WATCH_ANYTHING)
			(*ret)->dimension = (*ret)->left->dimension;
	}
}

static bool check_dimensions(const struct watch_parser *parser, const struct watch_node *node)
{
	static const char *const names[] = {
		[WATCH_TIME] = "a time",
		[WATCH_BYTES] = "a number of bytes",
		[WATCH_COUNT] = "a count",
	};
	const enum watch_dimension left = node->left->dimension;
	const enum watch_dimension right = node->right->dimension;

	if (left == right || left == WATCH_ANYTHING || right == WATCH_ANYTHING)
		return true;
	return err_set(parser->err, ERR_FORMAT,
		       "the condition puts different units together, %s and %s%s%.20s%s",
		       names[left], names[right], *parser->at ? ", before '" : "", parser->at,
		       *parser->at ? "'" : "");
}

static bool parse_sum(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;
	enum watch_operator op;

	if (!parse_product(parser, ret))
		return false;
	for (;;) {
		if (watch_accept(parser, "+"))
			op = WATCH_ADD;
		else if (watch_accept(parser, "-"))
			op = WATCH_SUBTRACT;
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

/* The first metric in what is compared; METRIC_COUNT: there is none. */
static enum metric metric_in(const struct watch_node *node)
{
	enum metric metric;

	if (!node)
		return METRIC_COUNT;
	if (node->op == WATCH_NAME) {
		if (node->name.kind == WATCH_METRIC)
			return node->name.metric;
		return node->name.kind == WATCH_ELAPSED ? METRIC_TIME : METRIC_COUNT;
	}
	metric = metric_in(node->left);
	return metric == METRIC_COUNT ? metric_in(node->right) : metric;
}

static bool predict(const struct watch_parser *parser, struct watch_node *node, enum metric metric)
{
	if (!node)
		return true;
	if (node->op != WATCH_NAME)
		return predict(parser, (struct watch_node *)node->left, metric) &&
		       predict(parser, (struct watch_node *)node->right, metric);
	if (node->name.kind != WATCH_PREDICTED || node->name.metric != METRIC_COUNT)
		return true;
	if (metric == METRIC_COUNT)
		return err_set(
			parser->err, ERR_FORMAT,
			"what is predicted? compare it with a metric, as in time > 3 * predicted");
	node->name.metric = metric;
	return true;
}

static bool parse_relation(struct watch_parser *parser, enum watch_operator *ret)
{
	static const struct {
		const char *text;
		enum watch_operator op;
	} relations[] = {
		{"<=", WATCH_LESS_EQUAL}, {">=", WATCH_GREATER_EQUAL}, {"==", WATCH_EQUAL},
		{"!=", WATCH_NOT_EQUAL},  {"<", WATCH_LESS},           {">", WATCH_GREATER},
	};

	for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++)
		if (watch_accept(parser, relations[i].text)) {
			*ret = relations[i].op;
			return true;
		}
	return false;
}

/* "kind == RED": the name holds or not. */
static bool accept_symbol(struct watch_parser *parser, enum watch_operator op,
			  struct watch_node **ret)
{
	struct watch_node *node = *ret;
	const char *before = parser->at;
	const char *symbol;

	if ((op != WATCH_EQUAL && op != WATCH_NOT_EQUAL) || node->op != WATCH_NAME ||
	    node->name.kind != WATCH_FEATURE)
		return false;
	if (!watch_read_symbol(parser, &symbol)) {
		parser->at = before;
		return false;
	}
	node->name.symbol = symbol;
	if (op == WATCH_NOT_EQUAL)
		*ret = node_new(parser, WATCH_NOT, node, NULL);
	return true;
}

static bool parse_comparison(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;
	enum watch_operator op;

	if (!parse_sum(parser, ret))
		return false;
	if (!parse_relation(parser, &op) || accept_symbol(parser, op, ret))
		return true;
	if (!parse_sum(parser, &right))
		return false;
	*ret = node_new(parser, op, *ret, right);
	return check_dimensions(parser, *ret) &&
	       predict(parser, (struct watch_node *)(*ret)->left, metric_in(right)) &&
	       predict(parser, right, metric_in((*ret)->left));
}

static bool parse_not(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *operand;

	watch_skip_blanks(parser);
	if (parser->at[0] != '!' || parser->at[1] == '=')
		return parse_comparison(parser, ret);
	parser->at++;
	if (!descend(parser) || !parse_not(parser, &operand))
		return false;
	parser->depth--;
	*ret = node_new(parser, WATCH_NOT, operand, NULL);
	return true;
}

static bool parse_and(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;

	if (!parse_not(parser, ret))
		return false;
	while (watch_accept(parser, "&&")) {
		if (!parse_not(parser, &right))
			return false;
		*ret = node_new(parser, WATCH_AND, *ret, right);
	}
	return true;
}

static bool parse_or(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;

	if (!descend(parser) || !parse_and(parser, ret))
		return false;
	while (watch_accept(parser, "||")) {
		if (!parse_and(parser, &right))
			return false;
		*ret = node_new(parser, WATCH_OR, *ret, right);
	}
	parser->depth--;
	return true;
}

static bool same_name(const struct watch_name *a, const struct watch_name *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind != WATCH_FEATURE)
		return a->kind == WATCH_ELAPSED || a->metric == b->metric;
	if (strcmp(a->expression, b->expression) != 0 || !a->symbol != !b->symbol)
		return false;
	return !a->symbol || !strcmp(a->symbol, b->symbol);
}

static bool is_zero(const struct watch_node *node)
{
	return node && node->op == WATCH_NUMBER && node->number == 0;
}

/* Does it matter of the operands of @node, beyond whether they are 0, what they are? */
static bool needs_amounts(const struct watch_node *node)
{
	switch (node->op) {
	case WATCH_NOT:
	case WATCH_AND:
	case WATCH_OR:
		return false;
	case WATCH_EQUAL:
	case WATCH_NOT_EQUAL:
		return !is_zero(node->left) && !is_zero(node->right);
	default:
		return true;
	}
}

/* Gather the names of @node in @names, which has room for all. */
static void gather(struct watch_node *node, bool is_amount, struct watch_name *names, size_t *n)
{
	size_t i = 0;

	if (!node)
		return;
	gather((struct watch_node *)node->left, needs_amounts(node), names, n);
	gather((struct watch_node *)node->right, needs_amounts(node), names, n);
	if (node->op != WATCH_NAME)
		return;
	while (i < *n && !same_name(&names[i], &node->name))
		i++;
	if (i == *n)
		names[(*n)++] = node->name;
	names[i].is_amount |= is_amount;
	node->index = i;
}

static bool parse_all(struct watch_parser *parser, struct watch_node **ret)
{
	if (!parse_or(parser, ret))
		return false;
	watch_skip_blanks(parser);
	if (*parser->at)
		return watch_fail(parser, "&& or || or the end");
	/* What was predicted outside of a comparison has no metric. */
	return predict(parser, *ret, METRIC_COUNT);
}

bool watch_parse(const char *text, struct arena *arena, const struct watch **ret, struct err *err)
{
	struct watch_parser parser = {.start = text, .at = text, .arena = arena, .err = err};
	struct watch *watch;
	struct watch_node *root;
	struct watch_name *names;

	if (strlen(text) > LENGTH_MAX)
		return err_set(err, ERR_FORMAT, "the condition is longer than %d characters",
			       LENGTH_MAX);
	if (!parse_all(&parser, &root))
		return false;
	watch = arena_new(arena, struct watch);
	names = arena_array(arena, struct watch_name, strlen(text) + 1);
	gather(root, false, names, &watch->n_names);
	watch->root = root;
	watch->names = names;
	*ret = watch;
	return true;
}
