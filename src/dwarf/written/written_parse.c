/* By recursive descent; binary operators by precedence. */
#include "written_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct written_parser {
	const char *at;
	struct arena *arena;
	struct text out; /* canonical */
	unsigned depth;
	struct err *err;
};

struct binary_operator {
	const char *text;
	enum written_kind kind;
	int precedence;
};

/* Longer ones first. */
static const struct binary_operator binary_operators[] = {
	{"<<", WRITTEN_SHIFT_LEFT, 7}, {">>", WRITTEN_SHIFT_RIGHT, 7},
	{"<=", WRITTEN_LESS_EQUAL, 6}, {">=", WRITTEN_GREATER_EQUAL, 6},
	{"==", WRITTEN_EQUAL, 5},      {"!=", WRITTEN_UNEQUAL, 5},
	{"*", WRITTEN_MULTIPLY, 9},    {"/", WRITTEN_DIVIDE, 9},
	{"%", WRITTEN_REMAINDER, 9},   {"+", WRITTEN_ADD, 8},
	{"-", WRITTEN_SUBTRACT, 8},    {"<", WRITTEN_LESS, 6},
	{">", WRITTEN_GREATER, 6},     {"&", WRITTEN_AND, 4},
	{"^", WRITTEN_XOR, 3},         {"|", WRITTEN_OR, 2},
};

static const struct {
	char text;
	enum written_kind kind;
} unary_operators[] = {
	{'*', WRITTEN_DEREFERENCE}, {'&', WRITTEN_ADDRESS},    {'-', WRITTEN_MINUS},
	{'+', WRITTEN_PLUS},        {'~', WRITTEN_COMPLEMENT}, {'!', WRITTEN_NOT},
};

/* Words that only types have. */
static const char *const type_words[] = {
	"unsigned", "signed",   "long",     "short",    "int",       "char",
	"double",   "float",    "bool",     "_Bool",    "void",      "struct",
	"class",    "union",    "enum",     "const",    "volatile",  "size_t",
	"ssize_t",  "int8_t",   "int16_t",  "int32_t",  "int64_t",   "uint8_t",
	"uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t",
};

static void skip_blanks(struct written_parser *parser)
{
	parser->at += strspn(parser->at, " \t\n");
}

static const struct written *written_fail(struct written_parser *parser, const char *why)
{
	if (parser->err->code == ERR_NONE)
		err_set(parser->err, ERR_FORMAT, "%s%s%.20s%s", why, *parser->at ? " at '" : "",
			parser->at, *parser->at ? "'" : "");
	return NULL;
}

static const struct written *written_make(struct written_parser *parser, enum written_kind kind,
					  const struct written *left, const struct written *right)
{
	struct written *made = arena_new(parser->arena, struct written);

	*made = (struct written){.kind = kind, .left = left, .right = right};
	return made;
}

/* Take @text if it comes next. */
static bool token_take(struct written_parser *parser, const char *text)
{
	skip_blanks(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	text_add_string(&parser->out, text);
	return true;
}

static bool is_first(char c)
{
	return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The bytes of an identifier; `#`: clang's packs, see root_variables.c. */
static size_t identifier_length(const char *text)
{
	size_t n = 0;

	while (is_first(text[n]) || (n && (isdigit((unsigned char)text[n]) || text[n] == '#')))
		n++;
	return n;
}

/* Of `<0>` before @mark, behind a name; 0: there is none. */
static size_t index_length(const char *text, const char *mark)
{
	const size_t n = *text == '<' ? 1 + strspn(text + 1, "0123456789") : 0;

	return n > 1 && text[n] == '>' && !strncmp(text + n + 1, mark, strlen(mark)) ? n + 1 : 0;
}

/* Of `a::b::c`, `'file.c'::c`, `base<0>::c`, or a register, `$rip`. */
static size_t name_length(const char *text)
{
	const char *quote = *text == '\'' ? strchr(text + 1, '\'') : NULL;
	size_t n, more;

	if (quote && quote > text + 1 && !strncmp(quote + 1, "::", 2)) {
		n = (size_t)(quote - text) + 3;
		more = identifier_length(text + n);
		return more ? n + more : 0;
	}
	if (*text == '$')
		return (n = identifier_length(text + 1)) ? 1 + n : 0;
	n = identifier_length(text);
	n += index_length(text + n, "::");
	while (n && !strncmp(text + n, "::", 2) && (more = identifier_length(text + n + 2)))
		n += 2 + more;
	return n;
}

static const char *name_take(struct written_parser *parser)
{
	const char *name;
	size_t n;

	skip_blanks(parser);
	n = name_length(parser->at);
	if (!n)
		return NULL;
	name = arena_printf(parser->arena, "%.*s", (int)n, parser->at);
	parser->at += n;
	text_add_string(&parser->out, name);
	return name;
}

static bool is_type_word(const char *word)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(*type_words); i++)
		if (!strcmp(word, type_words[i]))
			return true;
	return false;
}

static bool is_tag_word(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "class") || !strcmp(word, "union") ||
	       !strcmp(word, "enum");
}

/* What a type in parentheses has been found to be so far. */
struct written_type_name {
	const char *name; /* "struct node", "unsigned long" */
	unsigned pointers;
	bool is_certain; /* it cannot be an expression */
	bool is_complete;
};

/* Templates' arguments, behind a tag's name only, where `<` cannot be an operator. */
static void template_take(struct written_parser *parser, struct written_type_name *type)
{
	int nesting = 0;
	size_t n = 0;

	if (*parser->at != '<')
		return;
	do {
		nesting += parser->at[n] == '<';
		nesting -= parser->at[n] == '>';
		n++;
	} while (nesting && parser->at[n]);
	type->name = arena_printf(parser->arena, "%s%.*s", type->name, (int)n, parser->at);
	text_add(&parser->out, parser->at, n);
	parser->at += n;
}

/* The length of "<0>", "<3.0>" or "<name>", types that a container's own has; 0: there is none. */
static int argument_length(const char *at)
{
	int n = *at == '<' ? 1 + (int)identifier_length(at + 1) : 0;

	if (n == 1 && isdigit((unsigned char)at[1]))
		n = at[2] == '.' && isdigit((unsigned char)at[3]) ? 4 : 2;
	return n > 1 && at[n] == '>' ? n + 1 : 0;
}

/* The words of a type; qualifiers mean nothing here. */
static void type_words_take(struct written_parser *parser, struct written_type_name *type)
{
	bool is_tagged = false;
	const char *word;

	skip_blanks(parser);
	if (argument_length(parser->at)) {
		type->name = arena_printf(parser->arena, "%.*s", argument_length(parser->at),
					  parser->at);
		token_take(parser, type->name);
		type->is_certain = type->is_complete = true;
	}
	for (; !type->is_complete && is_first(*parser->at); skip_blanks(parser)) {
		const char *before = parser->at;

		if (parser->out.n && parser->out.bytes[parser->out.n - 1] != '(')
			text_add_string(&parser->out, " ");
		word = name_take(parser);
		type->is_certain |= is_type_word(word);
		if (!strcmp(word, "const") || !strcmp(word, "volatile"))
			continue;
		if (type->name && !is_tagged && !is_type_word(word)) {
			parser->at = before;
			break;
		}
		type->name =
			type->name ? arena_printf(parser->arena, "%s %s", type->name, word) : word;
		if (is_tagged)
			template_take(parser, type);
		type->is_complete = is_tagged || !is_type_word(word);
		is_tagged = is_tag_word(word);
	}
	if (is_tagged)
		type->name = NULL;
}

static struct written_type_name type_take(struct written_parser *parser)
{
	struct written_type_name type = {.name = NULL};

	type_words_take(parser, &type);
	skip_blanks(parser);
	while (type.name && (*parser->at == '*' || identifier_length(parser->at) == 5)) {
		if (*parser->at == '*') {
			if (!type.pointers++)
				text_add_string(&parser->out, " ");
			token_take(parser, "*");
			type.is_certain = true;
		} else if (!strncmp(parser->at, "const", 5)) {
			token_take(parser, "const");
		} else {
			break;
		}
		skip_blanks(parser);
	}
	return type;
}

static const struct written *unary_parse(struct written_parser *parser);
static const struct written *binary_parse(struct written_parser *parser, int precedence);

/*
 * `(T)x`, behind the parenthesis; false: it is none. `(n) - 1` is a difference, `(T)n` cannot be
 * but a cast.
 */
static bool cast_take(struct written_parser *parser, struct written_type_name *ret)
{
	const char *before = parser->at;
	const size_t n_out = parser->out.n;

	*ret = type_take(parser);
	if (ret->name && token_take(parser, ")")) {
		skip_blanks(parser);
		if (ret->is_certain || name_length(parser->at) || *parser->at == '(' ||
		    isdigit((unsigned char)*parser->at))
			return true;
	}
	parser->at = before;
	text_cut(&parser->out, n_out);
	return false;
}

static const struct written *parenthesis_parse(struct written_parser *parser)
{
	struct written_type_name type;
	const struct written *inner;
	struct written *cast;

	if (cast_take(parser, &type)) {
		inner = unary_parse(parser);
		if (!inner)
			return NULL;
		cast = arena_new(parser->arena, struct written);
		*cast = (struct written){.kind = WRITTEN_CAST,
					 .text = type.name,
					 .pointers = type.pointers,
					 .left = inner};
		return cast;
	}
	inner = binary_parse(parser, 0);
	if (inner && !token_take(parser, ")"))
		return written_fail(parser, "a ) is missing");
	return inner;
}

/* Types of constants: C23, 6.4.4.1. */
static const struct written *number_parse(struct written_parser *parser)
{
	struct written *number = arena_new(parser->arena, struct written);
	const bool is_decimal = *parser->at != '0';
	const char *start = parser->at;
	bool is_long = false;
	char *end;

	*number = (struct written){.kind = WRITTEN_NUMBER, .is_signed = true};
	errno = 0;
	number->number = strtoull(start, &end, 0);
	if (errno)
		return written_fail(parser, "a number is too large");
	for (; *end && strchr("uUlL", *end); end++) {
		is_long |= *end == 'l' || *end == 'L';
		number->is_signed &= *end == 'l' || *end == 'L';
	}
	if (*end == '.' || identifier_length(end))
		return written_fail(parser, "only whole numbers can be written");
	number->size =
		is_long || number->number > UINT32_MAX ||
				(number->number > INT32_MAX && number->is_signed && is_decimal)
			? 8
			: 4;
	number->is_signed &= number->number <= (number->size == 4 ? INT32_MAX : INT64_MAX);
	text_add(&parser->out, start, (size_t)(end - start));
	parser->at = end;
	skip_blanks(parser);
	return *parser->at == '.' ? written_fail(parser, "a number has no members") : number;
}

static const struct written *character_parse(struct written_parser *parser)
{
	struct written *number = arena_new(parser->arena, struct written);

	if (!parser->at[1] || parser->at[1] == '\\' || parser->at[2] != '\'')
		return written_fail(parser, "a quote is neither of a file nor of a character");
	*number = (struct written){.kind = WRITTEN_NUMBER,
				   .number = (uint64_t)(int64_t)(signed char)parser->at[1],
				   .size = 4,
				   .is_signed = true};
	text_add(&parser->out, parser->at, 3);
	parser->at += 3;
	return number;
}

static const struct written *strlen_parse(struct written_parser *parser)
{
	const struct written *inner = binary_parse(parser, 0);

	if (inner && !token_take(parser, ")"))
		return written_fail(parser, "a ) is missing");
	return inner ? written_make(parser, WRITTEN_STRLEN, inner, NULL) : NULL;
}

static const struct written *sizeof_parse(struct written_parser *parser)
{
	const struct written_type_name type = type_take(parser);
	struct written *size = arena_new(parser->arena, struct written);

	*size = (struct written){
		.kind = WRITTEN_SIZEOF, .text = type.name, .pointers = type.pointers};
	return type.name && token_take(parser, ")") ? size
						    : written_fail(parser, "sizeof is of a type");
}

/* `()`: containers' functions have no arguments. */
static bool call_take(struct written_parser *parser)
{
	const char *after;

	skip_blanks(parser);
	if (*parser->at != '(')
		return false;
	after = parser->at + 1;
	after += strspn(after, " \t\n");
	return *after == ')' && token_take(parser, "(") && token_take(parser, ")");
}

static const struct written *call_make(struct written_parser *parser, const struct written *left,
				       const char *name)
{
	struct written *call = arena_new(parser->arena, struct written);

	*call = (struct written){.kind = WRITTEN_CALL,
				 .left = left,
				 .text = arena_printf(parser->arena, "%s()", name)};
	return call;
}

/* `std::get<0>(t)`, behind the name. */
static const struct written *get_parse(struct written_parser *parser, const char *name, size_t n)
{
	const char *word = arena_printf(parser->arena, "%s%.*s", name, (int)n, parser->at);
	const struct written *inner;

	text_add(&parser->out, parser->at, n);
	parser->at += n;
	token_take(parser, "(");
	inner = binary_parse(parser, 0);
	if (inner && !token_take(parser, ")"))
		return written_fail(parser, "a ) is missing");
	return inner ? call_make(parser, inner, word) : NULL;
}

static const struct written *argument_parse(struct written_parser *parser, int n)
{
	struct written *argument = arena_new(parser->arena, struct written);

	*argument = (struct written){.kind = WRITTEN_ARGUMENT,
				     .text = arena_printf(parser->arena, "%.*s", n, parser->at)};
	token_take(parser, argument->text);
	return argument;
}

static const struct written *primary_parse(struct written_parser *parser)
{
	const int n_argument = argument_length(parser->at);
	struct written *name;
	const char *text;
	size_t n;

	if (n_argument)
		return argument_parse(parser, n_argument);

	if (token_take(parser, "("))
		return parenthesis_parse(parser);
	if (isdigit((unsigned char)*parser->at))
		return number_parse(parser);
	text = name_take(parser);
	if (!text)
		return *parser->at == '\'' ? character_parse(parser)
					   : written_fail(parser, "an operand is missing");
	if (!strcmp(text, "strlen") && token_take(parser, "("))
		return strlen_parse(parser);
	if (!strcmp(text, "sizeof") && token_take(parser, "("))
		return sizeof_parse(parser);
	n = index_length(parser->at, "(");
	if (n)
		return get_parse(parser, text, n);
	name = arena_new(parser->arena, struct written);
	*name = (struct written){.kind = WRITTEN_NAME, .text = text};
	return call_take(parser) ? call_make(parser, NULL, text) : name;
}

static const struct written *member_parse(struct written_parser *parser, enum written_kind kind,
					  const struct written *left)
{
	struct written *member = arena_new(parser->arena, struct written);

	*member = (struct written){.kind = kind, .left = left, .text = name_take(parser)};
	if (!member->text)
		return written_fail(parser, "the name of a member is missing");
	if (!call_take(parser))
		return member;
	return call_make(parser,
			 kind == WRITTEN_MEMBER
				 ? left
				 : written_make(parser, WRITTEN_DEREFERENCE, left, NULL),
			 member->text);
}

static const struct written *postfix_parse(struct written_parser *parser)
{
	const struct written *left = primary_parse(parser);

	for (unsigned n = 0; left; n++) {
		if (n == WRITTEN_DEPTH_MAX)
			return written_fail(parser, "too long a chain");
		if (token_take(parser, "->")) {
			left = member_parse(parser, WRITTEN_ARROW, left);
		} else if (token_take(parser, ".")) {
			left = member_parse(parser, WRITTEN_MEMBER, left);
		} else if (token_take(parser, "[")) {
			const struct written *index = binary_parse(parser, 0);

			if (!index)
				return NULL;
			if (!token_take(parser, "]"))
				return written_fail(parser, "a ] is missing");
			left = written_make(parser, WRITTEN_INDEX, left, index);
		} else {
			return left;
		}
	}
	return NULL;
}

static const struct written *operand_parse(struct written_parser *parser)
{
	const struct written *inner;

	skip_blanks(parser);
	for (size_t i = 0; i < sizeof(unary_operators) / sizeof(*unary_operators); i++) {
		const char text[] = {unary_operators[i].text, '\0'};

		if (!token_take(parser, text))
			continue;
		inner = unary_parse(parser);
		return inner ? written_make(parser, unary_operators[i].kind, inner, NULL) : NULL;
	}
	return postfix_parse(parser);
}

static const struct written *unary_parse(struct written_parser *parser)
{
	const struct written *ret;

	if (parser->depth == WRITTEN_DEPTH_MAX)
		return written_fail(parser, "too deeply nested");
	parser->depth++;
	ret = operand_parse(parser);
	parser->depth--;
	return ret;
}

static const struct binary_operator *operator_find(const struct written_parser *parser)
{
	for (size_t i = 0; i < sizeof(binary_operators) / sizeof(*binary_operators); i++)
		if (!strncmp(parser->at, binary_operators[i].text,
			     strlen(binary_operators[i].text)))
			return &binary_operators[i];
	return NULL;
}

/* Operators that bind more tightly than @precedence. */
static const struct written *binary_parse(struct written_parser *parser, int precedence)
{
	const struct written *left = unary_parse(parser), *right;
	const struct binary_operator *found;
	unsigned n = 0;

	for (; left; left = written_make(parser, found->kind, left, right)) {
		skip_blanks(parser);
		if (!strncmp(parser->at, "&&", 2) || !strncmp(parser->at, "||", 2))
			return written_fail(parser, "&& and || cannot be written: take & or | of "
						    "comparisons,");
		found = operator_find(parser);
		if (!found || found->precedence <= precedence)
			return left;
		if (n++ == WRITTEN_DEPTH_MAX)
			return written_fail(parser, "too long a chain");
		parser->at += strlen(found->text);
		text_add_string(&parser->out, " ");
		text_add_string(&parser->out, found->text);
		text_add_string(&parser->out, " ");
		right = binary_parse(parser, found->precedence);
		if (!right)
			return NULL;
	}
	return NULL;
}

static const struct written *whole_parse(struct written_parser *parser)
{
	const struct written *whole = binary_parse(parser, 0);

	skip_blanks(parser);
	if (!whole || !*parser->at)
		return whole;
	return written_fail(parser, *parser->at == '(' ? "functions are not called"
						       : "an operator is missing");
}

bool written_parse(const char *text, struct arena *arena, const struct written **ret,
		   const char **ret_canonical, struct err *err)
{
	struct written_parser parser = {.at = text, .arena = arena, .err = err};
	const struct written *found;

	*err = (struct err){.code = ERR_NONE};
	if (strlen(text) > WRITTEN_LENGTH_MAX)
		return err_set(err, ERR_FORMAT, "it is longer than %d bytes", WRITTEN_LENGTH_MAX);
	found = whole_parse(&parser);
	if (found && ret_canonical)
		*ret_canonical = arena_strdup(arena, parser.out.bytes);
	if (found)
		*ret = found;
	text_deinit(&parser.out);
	return found;
}
