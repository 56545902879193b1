/*
 * Canonical names: one pass that copies what a programmer would type. cxx_name_match.c matches and
 * compares names.
 */
#include "cxx_name.h"

#include "base/text.h"
#include "cxx_name_token.h"

enum {
	NAME_DEPTH_MAX = 128, /* of brackets; deeper ones are copied as they are */
	NAME_SIZE_MAX = 1 << 16,
	NAME_ARGUMENTS_MAX = 64, /* with more, default arguments are not looked for */
};

struct scan {
	const char *at, *end;
	struct text out;
	unsigned depth;
};

/* A type or an argument, between commas and brackets; or at the top the whole name. */
struct piece {
	bool top;
	bool operator_seen; /* after an operator's name blanks no longer end a return type */
	bool parameters;    /* at the top: a parameter list was seen */
	size_t return_end;  /* at the top: offset in the output where the return type ends */
	size_t conversion;  /* offset of a conversion operator's type; 0: none */
};

struct arguments {
	size_t starts[NAME_ARGUMENTS_MAX]; /* offsets in the output */
	size_t n;
};

static void skip_blanks(struct scan *scan)
{
	while (scan->at < scan->end && isspace((unsigned char)*scan->at))
		scan->at++;
}

static void name_copy(struct scan *scan, size_t n)
{
	if (n > (size_t)(scan->end - scan->at))
		n = scan->end - scan->at;
	text_add(&scan->out, scan->at, n);
	scan->at += n;
}

static char last_char(const struct text *out)
{
	return out->n ? out->bytes[out->n - 1] : '\0';
}

static bool name_ends_with(const struct text *out, const char *suffix)
{
	size_t n = strlen(suffix);

	return out->n >= n && !memcmp(out->bytes + out->n - n, suffix, n);
}

/* Offset behind the balanced group of angle brackets that opens at @at; @n if it stays open. */
static size_t angle_end(const char *bytes, size_t at, size_t n)
{
	size_t level = 0;

	for (; at < n; at++) {
		if (bytes[at] == '<')
			level++;
		else if (bytes[at] == '>' && --level == 0)
			return at + 1;
	}
	return n;
}

/* Write `char const*` as `const char*`, in the piece from @start to the end of the output. */
static void const_to_front(struct text *out, size_t start)
{
	static const char word[] = " const";
	const size_t n_word = sizeof(word) - 1;
	size_t i = start;

	if (out->n <= start || name_starts(out->bytes + start, "const "))
		return;
	while (i < out->n && !strchr("*&([", out->bytes[i])) {
		if (out->bytes[i] == '<') {
			i = angle_end(out->bytes, i, out->n);
			continue;
		}
		if (name_starts(out->bytes + i, word) && !name_word_char(out->bytes[i + n_word])) {
			memmove(out->bytes + start + n_word, out->bytes + start, i - start);
			memcpy(out->bytes + start, "const ", n_word);
			return;
		}
		i++;
	}
}

/* Offset where the path (`std::list`) that ends at offset @end of the output starts. */
static size_t path_start(const struct text *out, size_t end)
{
	while (end > 0 && (name_word_char(out->bytes[end - 1]) || out->bytes[end - 1] == ':'))
		end--;
	return end;
}

/* Does the output from @from to @to spell @head, then @a, then @tail? */
static bool spells(const struct text *out, size_t from, size_t to, const char *head, const char *a,
		   size_t n_a, const char *tail)
{
	const size_t n_head = strlen(head), n_tail = strlen(tail);
	const char *at = out->bytes + from;

	return to - from == n_head + n_a + n_tail && !memcmp(at, head, n_head) &&
	       !memcmp(at + n_head, a, n_a) && !memcmp(at + n_head + n_a, tail, n_tail);
}

static size_t argument_end(const struct text *out, const struct arguments *list, size_t i)
{
	return i + 1 < list->n ? list->starts[i + 1] - 2 : out->n;
}

/* The allocator of a map: `std::allocator<std::pair<const K, V>>`. */
static bool is_map_allocator(const struct text *out, const struct arguments *list, size_t last)
{
	const size_t from = list->starts[last];
	const size_t n_key = argument_end(out, list, 0) - list->starts[0];
	struct text pair = {0};
	bool same;

	if (last < 2)
		return false;
	text_add_string(&pair, "std::pair<const ");
	text_add(&pair, out->bytes + list->starts[0], n_key);
	text_add_string(&pair, ", ");
	text_add(&pair, out->bytes + list->starts[1], argument_end(out, list, 1) - list->starts[1]);
	text_add_string(&pair, ">");
	same = spells(out, from, out->n, "std::allocator<", pair.bytes, pair.n, ">");
	text_deinit(&pair);
	return same;
}

/* Is the last argument of the template at @path the one that leaving it out would mean? */
static bool last_is_default(const struct text *out, const struct arguments *list, size_t path,
			    size_t path_end)
{
	static const struct {
		const char *head;
		const char *only_of; /* template, or NULL: any of the standard library */
	} defaults[] = {
		{"std::allocator<", NULL},
		{"std::char_traits<", NULL},
		{"std::less<", NULL},
		{"std::hash<", NULL},
		{"std::equal_to<", NULL},
		{"std::default_delete<", NULL},
		{"std::deque<", "std::stack"},
		{"std::deque<", "std::queue"},
		{"std::vector<", "std::priority_queue"},
	};
	const size_t last = list->n - 1;

	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
		const char *only = defaults[i].only_of;

		if (only && !spells(out, path, path_end, only, "", 0, ""))
			continue;
		for (size_t k = 0; k < last; k++) {
			if (spells(out, list->starts[last], out->n, defaults[i].head,
				   out->bytes + list->starts[k],
				   argument_end(out, list, k) - list->starts[k], ">"))
				return true;
		}
	}
	return is_map_allocator(out, list, last);
}

static void drop_defaults(struct text *out, struct arguments *list, size_t angle)
{
	const size_t path = path_start(out, angle);

	if (list->n > NAME_ARGUMENTS_MAX || !(name_starts(out->bytes + path, "std::") ||
					      name_starts(out->bytes + path, "__gnu_cxx::")))
		return;
	while (list->n > 1 && last_is_default(out, list, path, angle)) {
		list->n--;
		text_cut(out, list->starts[list->n] - 2);
	}
}

/* `std::basic_string<char>` is written `std::string`, and its like. */
static void use_alias(struct text *out, size_t angle)
{
	static const char *const names[] = {
		"string",   "string_view",  "ostream",       "istream",
		"iostream", "stringstream", "ostringstream", "istringstream",
		"ofstream", "ifstream",     "fstream",       "stringbuf",
		"filebuf",  "streambuf",    "ios",           "regex",
	};
	const size_t path = path_start(out, angle);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!spells(out, path, out->n, "std::basic_", names[i], strlen(names[i]), "<char>"))
			continue;
		text_cut(out, path);
		text_add_string(out, "std::");
		text_add_string(out, names[i]);
		return;
	}
}

static void scan_piece(struct scan *scan, struct piece *piece);

/* The arguments up to the bracket @close or the end of the input. */
static void scan_arguments(struct scan *scan, char close, struct arguments *list)
{
	while (scan->at < scan->end) {
		struct piece piece = {0};
		size_t start;

		skip_blanks(scan);
		start = scan->out.n;
		if (list->n < NAME_ARGUMENTS_MAX)
			list->starts[list->n] = start;
		list->n++;
		scan_piece(scan, &piece);
		const_to_front(&scan->out, start);
		if (scan->at >= scan->end || *scan->at == close)
			return;
		if (*scan->at == ',') {
			text_add_string(&scan->out, ", ");
			scan->at++;
		} else { /* a closing bracket of another kind: not a name we understand */
			name_copy(scan, 1);
			list->n = NAME_ARGUMENTS_MAX + 1;
		}
	}
}

static void scan_list(struct scan *scan, char close)
{
	const size_t open = scan->out.n;
	struct arguments list = {.n = 0};

	if (scan->depth >= NAME_DEPTH_MAX) {
		name_copy(scan, scan->end - scan->at);
		return;
	}
	scan->depth++;
	name_copy(scan, 1);
	scan_arguments(scan, close, &list);
	scan->depth--;
	if (scan->at >= scan->end)
		return;
	if (close == '>')
		drop_defaults(&scan->out, &list, open);
	else if (spells(&scan->out, open, scan->out.n, "(void", "", 0, ""))
		text_cut(&scan->out, open + 1);
	name_copy(scan, 1);
	if (close == '>')
		use_alias(&scan->out, open);
}

/* What follows the word `operator`, which is copied already. */
static void scan_operator(struct scan *scan, struct piece *piece)
{
	size_t n;

	piece->operator_seen = true;
	skip_blanks(scan);
	n = name_word_length(scan->at);
	if (name_starts(scan->at, "\"\"")) {
		name_copy(scan, 2);
		skip_blanks(scan);
	} else if (n || name_starts(scan->at, NAME_ANONYMOUS)) {
		text_add_string(&scan->out, " ");
		if (!(n == 3 && name_starts(scan->at, "new")) &&
		    !(n == 6 && name_starts(scan->at, "delete"))) {
			piece->conversion = scan->out.n;
			return;
		}
		name_copy(scan, n);
		skip_blanks(scan);
		name_copy(scan, name_starts(scan->at, "[]") ? 2 : 0);
	} else {
		name_copy(scan, name_symbol_length(scan->at));
		skip_blanks(scan);
		/* Without a blank, `operator< <int>` would read as the operator `<<`. */
		if (*scan->at == '<' && last_char(&scan->out) == '<')
			text_add_string(&scan->out, " ");
	}
}

static void scan_word(struct scan *scan, struct piece *piece)
{
	static const char *const inline_namespaces[] = {"__cxx11", "__1", "_V2"};
	const size_t n = name_word_length(scan->at);
	const bool path_goes_on = scan->at[n] == ':' && scan->at[n + 1] == ':';
	const bool in_path = scan->out.n == 0 || name_ends_with(&scan->out, "::");

	for (size_t i = 0; path_goes_on && in_path && i < 3; i++) {
		if (n == strlen(inline_namespaces[i]) &&
		    name_starts(scan->at, inline_namespaces[i])) {
			scan->at += n + 2;
			return;
		}
	}
	if (name_is_operator(scan->at)) {
		name_copy(scan, n);
		scan_operator(scan, piece);
	} else {
		name_copy(scan, n);
	}
}

/* Keep a blank only between two words, or what may stand for words. */
static void scan_blank(struct scan *scan, struct piece *piece)
{
	const char last = last_char(&scan->out);
	bool clone;

	skip_blanks(scan);
	clone = name_starts(scan->at, "[clone");
	if (!last || strchr("<(,:", last) || scan->at >= scan->end)
		return;
	if (!name_word_char(*scan->at) && *scan->at != '~' && !clone &&
	    !name_starts(scan->at, NAME_ANONYMOUS))
		return;
	text_add_string(&scan->out, " ");
	if (piece->top && !piece->operator_seen && !piece->parameters && !clone)
		piece->return_end = scan->out.n;
}

static void scan_paren(struct scan *scan, struct piece *piece)
{
	if (name_starts(scan->at, NAME_ANONYMOUS)) {
		name_copy(scan, strlen(NAME_ANONYMOUS));
		return;
	}
	if (piece->conversion) {
		const_to_front(&scan->out, piece->conversion);
		piece->conversion = 0;
	}
	if (!name_ends_with(&scan->out, "decltype"))
		piece->parameters = true;
	scan_list(scan, ')');
}

/* ABI tags say nothing to programmers: `[abi:cxx11]` is left out. */
static void scan_bracket(struct scan *scan)
{
	const char *close = strchr(scan->at, ']');

	if (name_starts(scan->at, "[abi:") && close)
		scan->at = close + 1;
	else if (name_starts(scan->at, "[clone") && close)
		name_copy(scan, close + 1 - scan->at);
	else
		name_copy(scan, 1);
}

static void scan_piece(struct scan *scan, struct piece *piece)
{
	while (scan->at < scan->end) {
		const char c = *scan->at;

		if (!piece->top && (c == ',' || c == '>' || c == ')'))
			return;
		if (isspace((unsigned char)c))
			scan_blank(scan, piece);
		else if (name_word_char(c))
			scan_word(scan, piece);
		else if (name_starts(scan->at, "::<")) /* Rust: largest::<i32> */
			scan->at += 2;
		else if (c == '<')
			scan_list(scan, '>');
		else if (c == '(')
			scan_paren(scan, piece);
		else if (c == '[')
			scan_bracket(scan);
		else
			name_copy(scan, name_starts(scan->at, "->") ? 2 : 1);
	}
}

/*
 * Rust's own methods are `<path::Type>::method`; programmers write them without the brackets, which
 * stay where they mean something (`<T as Trait>::method`, `<[T]>::len`).
 */
static const char *without_brackets(struct arena *arena, const char *name)
{
	const size_t n = strlen(name);
	const size_t close = *name == '<' ? angle_end(name, 0, n) : n;

	if (close >= n || !name_starts(name + close, "::") || !name_word_char(name[1]))
		return name;
	for (size_t i = 1; i < close; i++) {
		if (name[i] == ' ')
			return name;
	}
	return arena_printf(arena, "%.*s%s", (int)(close - 2), name + 1, name + close);
}

const char *cxx_name_canonical(struct arena *arena, const char *name)
{
	struct scan scan = {.at = name = without_brackets(arena, name), .end = name + strlen(name)};
	struct piece piece = {.top = true};
	const char *ret;

	if (scan.end - scan.at > NAME_SIZE_MAX)
		return arena_strdup(arena, name);
	skip_blanks(&scan);
	scan_piece(&scan, &piece);
	ret = arena_strdup(arena, scan.out.n ? scan.out.bytes + piece.return_end : "");
	text_deinit(&scan.out);
	return ret;
}
