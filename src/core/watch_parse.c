/* Reading conditions about calls, by recursive descent. What they mean is watch.c's. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/watch_tree.h"

enum { LENGTH_MAX = 4096, DEPTH_MAX = 64 };

struct watch_parser {
	const char *start, *at;
	struct arena *arena;
	struct err *err;
	unsigned depth;
	bool in_backquotes; /* the name that was read last was: it is no word of ours */
};

struct unit {
	const char *name;
	double factor;
	enum watch_dimension dimension;
};

static const struct unit units[] = {
	{"ns", 1e-3, WATCH_TIME},      {"us", 1, WATCH_TIME},
	{"\xc2\xb5s", 1, WATCH_TIME},  {"\xce\xbcs", 1, WATCH_TIME},
	{"ms", 1e3, WATCH_TIME},       {"s", 1e6, WATCH_TIME},
	{"min", 60e6, WATCH_TIME},     {"B", 1, WATCH_BYTES},
	{"KB", 1e3, WATCH_BYTES},      {"MB", 1e6, WATCH_BYTES},
	{"GB", 1e9, WATCH_BYTES},      {"KiB", 1024, WATCH_BYTES},
	{"MiB", 1048576, WATCH_BYTES}, {"GiB", 1073741824, WATCH_BYTES},
};

static bool fail(const struct watch_parser *parser, const char *expected)
{
	const size_t at = parser->at - parser->start;

	if (!*parser->at)
		return err_set(parser->err, ERR_FORMAT, "%s is missing at the end of the condition",
			       expected);
	return err_set(parser->err, ERR_FORMAT,
		       "%s is missing at character %zu of the condition, before '%.20s'", expected,
		       at + 1, parser->at);
}

static void skip_blanks(struct watch_parser *parser)
{
	parser->at += strspn(parser->at, " \t");
}

static bool accept(struct watch_parser *parser, const char *text)
{
	skip_blanks(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static struct watch_node *node_new(const struct watch_parser *parser, enum watch_operator op,
				   const struct watch_node *left, const struct watch_node *right)
{
	struct watch_node *node = arena_new(parser->arena, struct watch_node);

	node->op = op;
	node->left = left;
	node->right = right;
	return node;
}

/* Behind the bracket that belongs to the one at @at; NULL: there is none. */
static const char *behind_brackets(const char *at)
{
	unsigned depth = 0;

	for (; *at; at++) {
		if (*at == '(' || *at == '[')
			depth++;
		else if ((*at == ')' || *at == ']') && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static const char *behind_word(const char *at)
{
	while (is_word(*at) || (at[0] == ':' && at[1] == ':' && is_word(at[2])))
		at += *at == ':' ? 2 : 1;
	return at;
}

/* Behind the members, elements and arguments that follow a name. */
static const char *behind_tail(const char *at)
{
	const char *end;

	for (;;) {
		if (*at == '.' && is_word(at[1]))
			at = behind_word(at + 1);
		else if (at[0] == '-' && at[1] == '>' && is_word(at[2]))
			at = behind_word(at + 2);
		else if ((*at == '[' || *at == '(') && (end = behind_brackets(at)))
			at = end;
		else
			return at;
	}
}

/* Behind the native expression at @at; @at: there is none. */
static const char *behind_name(const char *at)
{
	const char *begin = at + strspn(at, "*&");
	const char *end = begin;

	if (*begin == '(') {
		end = behind_brackets(begin);
		if (!end || behind_tail(end) == end)
			return at;
	} else if (*begin == '\'') {
		end = strchr(begin + 1, '\'');
		end = end && end[1] == ':' && end[2] == ':' ? behind_word(end + 3) : begin;
	} else {
		begin += begin[0] == ':' && begin[1] == ':' ? 2 : 0;
		end = isdigit((unsigned char)*begin) ? begin : behind_word(begin);
	}
	return end == begin ? at : behind_tail(end);
}

static bool read_name(struct watch_parser *parser, const char **ret)
{
	const char *begin, *end;

	skip_blanks(parser);
	begin = parser->at;
	parser->in_backquotes = *begin == '`';
	if (parser->in_backquotes) {
		end = strchr(++begin, '`');
		if (!end)
			return fail(parser, "the other backquote");
		parser->at = end + 1;
	} else {
		parser->at = end = behind_name(begin);
	}
	if (end == begin)
		return fail(parser, "a number, a feature or a metric");
	*ret = arena_printf(parser->arena, "%.*s", (int)(end - begin), begin);
	return true;
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

	if (!read_name(parser, &name))
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

/* The unit that stands here, up to the word's end. NULL: none does. */
static const struct unit *read_unit(struct watch_parser *parser)
{
	const char *at = parser->at + strspn(parser->at, " \t");
	const size_t n = behind_word(at) - at;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == n && !memcmp(at, units[i].name, n)) {
			parser->at = at + n;
			return &units[i];
		}
	return NULL;
}

static bool parse_number(struct watch_parser *parser, struct watch_node **ret)
{
	const char *begin = parser->at;
	struct watch_node *node = node_new(parser, WATCH_NUMBER, NULL, NULL);
	const struct unit *unit;
	char *end;

	node->number = strtod(begin, &end);
	parser->at = end;
	unit = read_unit(parser);
	if (unit) {
		node->number *= unit->factor;
		node->dimension = unit->dimension;
	} else if (is_word(parser->at[strspn(parser->at, " \t")])) {
		skip_blanks(parser);
		return fail(parser, "a unit (ns, us, ms, s, min, B, KB, MB, GB, KiB, MiB, GiB)");
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
	return accept(parser, ")") || fail(parser, "')'");
}

static bool parse_negative(struct watch_parser *parser, struct watch_node **ret);

static bool parse_factor(struct watch_parser *parser, struct watch_node **ret)
{
	const char *at;

	skip_blanks(parser);
	at = parser->at;
	if (*at == '-')
		return parse_negative(parser, ret);
	if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
		return parse_number(parser, ret);
	if (*at == '(' && behind_name(at) == at) {
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
		if (accept(parser, "*"))
			op = WATCH_MULTIPLY;
		else if (accept(parser, "/"))
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
	const enum watch_dimension left = node->left->dimension;
	const enum watch_dimension right = node->right->dimension;

	if (left == right || left == WATCH_ANYTHING || right == WATCH_ANYTHING)
		return true;
	return err_set(parser->err, ERR_FORMAT,
		       "the condition goes together what has different units before '%.20s'",
		       parser->at);
}

static bool parse_sum(struct watch_parser *parser, struct watch_node **ret)
{
	struct watch_node *right;
	enum watch_operator op;

	if (!parse_product(parser, ret))
		return false;
	for (;;) {
		if (accept(parser, "+"))
			op = WATCH_ADD;
		else if (accept(parser, "-"))
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
		if (accept(parser, relations[i].text)) {
			*ret = relations[i].op;
			return true;
		}
	return false;
}

/* A string; or a name alone, which nothing goes on with. */
static bool read_symbol(struct watch_parser *parser, const char **ret)
{
	const char *begin, *end;

	skip_blanks(parser);
	begin = parser->at;
	if (*begin == '"') {
		end = strchr(++begin, '"');
		parser->at = end ? end + 1 : begin;
	} else if (isdigit((unsigned char)*begin)) {
		return false;
	} else {
		end = behind_word(begin);
		if (end[strspn(end, " \t")] && !strchr("&|)", end[strspn(end, " \t")]))
			return false;
		parser->at = end;
	}
	if (!end || end == begin ||
	    metric_parse(arena_printf(parser->arena, "%.*s", (int)(end - begin), begin)) !=
		    METRIC_COUNT) {
		parser->at = begin;
		return false;
	}
	*ret = arena_printf(parser->arena, "%.*s", (int)(end - begin), begin);
	return true;
}

static bool is_symbol_word(const char *symbol)
{
	return strcmp(symbol, "predicted") && strcmp(symbol, "elapsed") && strcmp(symbol, "true") &&
	       strcmp(symbol, "false");
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
	if (!read_symbol(parser, &symbol) || !is_symbol_word(symbol)) {
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

	skip_blanks(parser);
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
	while (accept(parser, "&&")) {
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
	while (accept(parser, "||")) {
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

/* Gather the names of @node in @names, which has room for all. */
static void gather(struct watch_node *node, struct watch_name *names, size_t *n)
{
	size_t i = 0;

	if (!node)
		return;
	gather((struct watch_node *)node->left, names, n);
	gather((struct watch_node *)node->right, names, n);
	if (node->op != WATCH_NAME)
		return;
	while (i < *n && !same_name(&names[i], &node->name))
		i++;
	if (i == *n)
		names[(*n)++] = node->name;
	node->index = i;
}

static bool parse_all(struct watch_parser *parser, struct watch_node **ret)
{
	if (!parse_or(parser, ret))
		return false;
	skip_blanks(parser);
	if (*parser->at)
		return fail(parser, "&& or || or the end");
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
	gather(root, names, &watch->n_names);
	watch->root = root;
	watch->names = names;
	*ret = watch;
	return true;
}
