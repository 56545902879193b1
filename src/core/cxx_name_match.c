/*
 * Matching canonical names: components, patterns, edit distance. cxx_name.c makes names canonical.
 */
#include "cxx_name.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cxx_name_token.h"

enum {
	COMPONENTS_MAX = 64,
	BRACKETS_MAX = 256,
	DISTANCE_SIZE_MAX = 255, /* longer strings are not compared */
};

/* `list<int>` of `std::list<int>::sort()`; what is between `::`. */
struct component {
	const char *text;
	size_t n_name; /* without template arguments */
	size_t n;
};

struct parts {
	struct component components[COMPONENTS_MAX];
	unsigned n;             /* 0: too many */
	const char *end;        /* of the name without parameters */
	const char *parameters; /* with parentheses; empty if there are none */
	size_t n_parameters;
	const char *rest; /* qualifiers and clone suffix */
};

/* The length of the name of an operator function, from the word `operator` on. */
static size_t operator_length(const char *at)
{
	size_t n = 8;

	if (at[n] != ' ')
		return n + name_symbol_length(at + n);
	if (name_starts(at + n, " new") && !name_word_char(at[n + 4]))
		n += 4;
	else if (name_starts(at + n, " delete") && !name_word_char(at[n + 7]))
		n += 7;
	return n + (n > 8 && name_starts(at + n, "[]") ? 2 : 0);
}

static char closing(char open)
{
	static const char pairs[] = "<>(){}[]";
	const char *at = open ? strchr(pairs, open) : NULL;

	return at && (at - pairs) % 2 == 0 ? at[1] : '\0';
}

/* Behind the balanced group that opens at @at; the end of the string if it stays open. */
static const char *name_group_end(const char *at)
{
	char stack[BRACKETS_MAX];
	unsigned n = 0;

	while (*at) {
		const size_t word = name_word_length(at);
		const char close = closing(*at);

		if (word) {
			at += name_is_operator(at) ? operator_length(at) : word;
			continue;
		}
		if (name_starts(at, "->")) {
			at += 2;
			continue;
		}
		if (close && n == BRACKETS_MAX)
			return at + strlen(at);
		if (close)
			stack[n++] = close;
		else if (n && *at == stack[n - 1] && --n == 0)
			return at + 1;
		at++;
	}
	return at;
}

static const char *skip_qualifiers(const char *at)
{
	static const char *const words[] = {" const", " volatile", " noexcept", "&&", "&"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (name_starts(at, words[i])) {
			at += strlen(words[i]);
			i = -1;
		}
	}
	return at;
}

/* Behind the name of the component at @at: before template arguments, parameters or `::`. */
static const char *component_name_end(const char *at)
{
	const char *start = at;

	if (name_is_operator(at)) {
		at += operator_length(at);
		if (at - start > 8)
			return at;
		while (*at && *at != '(') /* a conversion: the type belongs to the name */
			at = closing(*at) ? name_group_end(at) : at + 1;
		return at;
	}
	while (*at && *at != '<' && !name_starts(at, "::") && !name_starts(at, " [clone")) {
		if (*at == '(' && !name_starts(at, NAME_ANONYMOUS))
			break;
		at = *at == '{' || *at == '(' ? name_group_end(at) : at + 1;
	}
	return at;
}

/* Fill in the component at @at; returns what is behind it. */
static const char *component_parse(const char *at, struct component *ret)
{
	const char *end = component_name_end(at);
	const char *angle = end;

	*ret = (struct component){at, end - at, end - at};
	if (end > at && *end == ' ' && end[1] == '<') /* operator< <int> */
		angle = end + 1;
	if (*angle == '<')
		end = name_group_end(angle);
	/* Rust: `<T as Trait>::method` starts with a bracket, and has no name before it. */
	if (ret->n_name == 0)
		ret->n_name = end - at;
	ret->n = end - at;
	return end;
}

static void parts_parse(const char *name, struct parts *ret)
{
	const char *at = name;

	*ret = (struct parts){.parameters = ""};
	while (ret->n < COMPONENTS_MAX) {
		const char *behind;

		at = component_parse(at, &ret->components[ret->n++]);
		ret->end = ret->rest = at;
		behind = *at == '(' ? name_group_end(at) : at;
		if (!name_starts(skip_qualifiers(behind), "::")) {
			if (behind > at) {
				ret->parameters = at;
				ret->n_parameters = behind - at;
				ret->rest = behind;
			}
			return;
		}
		at = skip_qualifiers(behind) + 2; /* a scope, perhaps a function's */
	}
	ret->n = 0;
	ret->end = ret->rest = name + strlen(name);
}

/* Are @wanted's template arguments the first of @have's? The others may have defaults. */
static bool arguments_begin(const struct component *have, const struct component *wanted)
{
	return wanted->n > wanted->n_name && have->n > wanted->n &&
	       have->n_name == wanted->n_name && have->text[wanted->n - 1] == ',' &&
	       !memcmp(have->text, wanted->text, wanted->n - 1);
}

static bool component_matches(const struct component *have, const struct component *wanted)
{
	if (have->n == wanted->n && !memcmp(have->text, wanted->text, have->n))
		return true;
	if (arguments_begin(have, wanted))
		return true;
	return wanted->n == wanted->n_name && have->n_name == wanted->n_name &&
	       !memcmp(have->text, wanted->text, have->n_name);
}

/* A pattern without a clone suffix matches all clones. */
static bool rest_matches(const struct parts *have, const struct parts *wanted)
{
	const char *have_clone = strstr(have->rest, " [clone ");
	const size_t n = have_clone ? (size_t)(have_clone - have->rest) : 0;

	if (wanted->n_parameters &&
	    (have->n_parameters != wanted->n_parameters ||
	     memcmp(have->parameters, wanted->parameters, have->n_parameters) != 0))
		return false;
	return !*wanted->rest || !strcmp(have->rest, wanted->rest) ||
	       (have_clone && n == strlen(wanted->rest) && !memcmp(have->rest, wanted->rest, n));
}

static bool literal_matches(const char *canonical, const char *pattern)
{
	const bool absolute = name_starts(pattern, "::");
	struct parts have, wanted;

	parts_parse(canonical, &have);
	parts_parse(absolute ? pattern + 2 : pattern, &wanted);
	if (!wanted.n || wanted.n > have.n || (absolute && wanted.n != have.n))
		return false;
	for (unsigned i = 1; i <= wanted.n; i++) {
		if (!component_matches(&have.components[have.n - i],
				       &wanted.components[wanted.n - i]))
			return false;
	}
	return rest_matches(&have, &wanted);
}

static bool glob_matches(const char *canonical, const char *pattern)
{
	struct parts parts;
	char *without;
	bool matches;

	if (!fnmatch(pattern, canonical, 0))
		return true;
	parts_parse(canonical, &parts);
	without = strndup(canonical, parts.end - canonical);
	matches = without && !fnmatch(pattern, without, 0);
	free(without);
	return matches;
}

bool cxx_name_matches(const char *canonical, const char *linkage, const char *pattern)
{
	if (!strcmp(canonical, pattern) || (linkage && !strcmp(linkage, pattern)))
		return true;
	if (!cxx_name_is_glob(pattern))
		return literal_matches(canonical, pattern);
	return glob_matches(canonical, pattern) || (linkage && !fnmatch(pattern, linkage, 0));
}

/* Within brackets, a star behind a type is a pointer: `f(char*)`, `f(void(*)(int))`. */
static bool star_is_pointer(const char *pattern, const char *star)
{
	const char before = star > pattern ? star[-1] : '\0';

	return name_word_char(before) || strchr("*>)", before) || name_starts(star, "*)(");
}

static bool bracket_is_literal(const char *at)
{
	size_t digits = strspn(at + 1, "0123456789");

	return at[1 + digits] == ']' || name_starts(at, "[clone");
}

bool cxx_name_is_glob(const char *pattern)
{
	unsigned level = 0;
	bool has_star = false;

	for (const char *at = pattern; *at;) {
		const size_t word = name_word_length(at);

		if (word) {
			at += name_is_operator(at) ? operator_length(at) : word;
			continue;
		}
		has_star |= *at == '*';
		if (*at == '(' || *at == '<')
			level++;
		else if ((*at == ')' || *at == '>') && level)
			level--;
		if (*at == '?' || (*at == '*' && !(level && star_is_pointer(pattern, at))) ||
		    (*at == '[' && !bracket_is_literal(at)))
			return true;
		at++;
	}
	/* No name ends within brackets: `fill<unsigned*`. */
	return has_star && level;
}

const char *cxx_name_plain(const char *canonical, size_t *ret_length)
{
	struct parts parts;
	const struct component *last;

	parts_parse(canonical, &parts);
	if (!parts.n) {
		*ret_length = strlen(canonical);
		return canonical;
	}
	last = &parts.components[parts.n - 1];
	*ret_length = last->n_name;
	return last->text;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

size_t cxx_name_distance(const char *a, const char *b, size_t limit)
{
	size_t row[DISTANCE_SIZE_MAX + 1];
	const size_t n_a = strlen(a), n_b = strlen(b);

	if ((n_a > n_b ? n_a - n_b : n_b - n_a) > limit || n_a > DISTANCE_SIZE_MAX ||
	    n_b > DISTANCE_SIZE_MAX)
		return limit + 1;
	for (size_t j = 0; j <= n_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t diagonal = row[0], least = i;

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			size_t above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
			if (row[j] < least)
				least = row[j];
		}
		if (least > limit)
			return limit + 1;
	}
	return row[n_b] > limit ? limit + 1 : row[n_b];
}

bool cxx_name_is_nearer(const char *name, const char *wanted, size_t *ret_distance)
{
	const size_t limit = strlen(wanted) / 4 + 1;
	size_t length, whole, distance;
	const char *plain = cxx_name_plain(name, &length);

	if (length > limit + strlen(wanted))
		return false;
	distance = cxx_name_distance(strndupa(plain, length), wanted, limit);
	whole = cxx_name_distance(name, wanted, limit);
	distance = whole < distance ? whole : distance;
	if (distance > limit || distance >= *ret_distance)
		return false;
	*ret_distance = distance;
	return true;
}
