/*
 * Cutting native expressions by the grammar that features use: names, members, elements,
 * dereferences, casts, a few functions, sums and differences.
 */
#include "pointer_chain.h"

#include <ctype.h>
#include <string.h>

enum { NESTED_MAX = 64 };

struct cutter {
	const char *at;
	struct pointer_chain *chain;
	unsigned nested;
};

static bool cut_unary(struct cutter *cutter, struct chain_part *ret);

static bool accept(struct cutter *cutter, const char *text)
{
	const size_t n = strlen(text);

	if (strncmp(cutter->at, text, n) != 0)
		return false;
	cutter->at += n;
	return true;
}

static bool chain_is_same(const struct chain_part *a, const struct chain_part *b)
{
	return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

static bool chain_push(struct pointer_chain *chain, const struct chain_part *pointer)
{
	for (size_t i = 0; i < chain->n; i++)
		if (chain_is_same(&chain->pointers[i], pointer))
			return true;
	if (chain->n == CHAIN_MAX)
		return false;
	chain->pointers[chain->n++] = *pointer;
	return true;
}

static bool chain_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '#' || c == '~' ||
	       (unsigned char)c >= 0x80;
}

/* Skip angle brackets, from behind the opening one. */
static bool pass_angles(struct cutter *cutter)
{
	unsigned open = 1;

	for (; *cutter->at && open; cutter->at++)
		open += (*cutter->at == '<') - (*cutter->at == '>');
	return !open;
}

/* A word with its scopes and template arguments. */
static bool pass_name(struct cutter *cutter)
{
	const char *from = cutter->at;

	for (;;) {
		while (chain_is_word(*cutter->at))
			cutter->at++;
		if (cutter->at > from && accept(cutter, "<")) {
			if (!pass_angles(cutter))
				return false;
		} else if (!accept(cutter, "::")) {
			return cutter->at > from;
		}
	}
}

/* `'file.c'::name`, `(anonymous namespace)::name`, `<parameter 2>` */
static bool pass_root(struct cutter *cutter)
{
	if (accept(cutter, "<"))
		return pass_angles(cutter);
	if (accept(cutter, "'")) {
		while (*cutter->at && *cutter->at != '\'')
			cutter->at++;
		if (!accept(cutter, "'::"))
			return false;
	}
	while (accept(cutter, "(anonymous namespace)::"))
		;
	return pass_name(cutter);
}

/* Add what reading function @name of @argument reads through. */
static bool apply(struct cutter *cutter, const char *name, size_t length,
		  const struct chain_part *argument)
{
	static const char *const plain[] = {"sum", "$_creal", "$_cimag"};

	if (length == 6 && !strncmp(name, "strlen", length))
		return chain_push(cutter->chain, argument);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (length == strlen(plain[i]) && !strncmp(name, plain[i], length))
			return true;
	cutter->chain->complete = false;
	return !strncmp(name, "typeid", length) || !strncmp(name, "static_cast<", 12) ||
	       !strncmp(name, "dynamic_cast<", 13);
}

static bool cut_primary(struct cutter *cutter, struct chain_part *ret)
{
	const char *from = cutter->at;
	struct chain_part argument;
	size_t length;

	if (strncmp(cutter->at, "(anonymous namespace)::", 23) != 0 && accept(cutter, "("))
		return cut_unary(cutter, ret) && accept(cutter, ")");
	if (!pass_root(cutter))
		return false;
	length = cutter->at - from;
	*ret = (struct chain_part){.text = from, .length = length};
	if (!accept(cutter, "("))
		return true;
	if (!cut_unary(cutter, &argument) || !accept(cutter, ")") ||
	    !apply(cutter, from, length, &argument))
		return false;
	*ret = (struct chain_part){from, cutter->at - from, argument.depth};
	return true;
}

/* `[1][2]` is a single step. */
static bool pass_indices(struct cutter *cutter)
{
	while (accept(cutter, "[")) {
		while (isdigit((unsigned char)*cutter->at))
			cutter->at++;
		if (!accept(cutter, "]"))
			return false;
	}
	return true;
}

static bool cut_postfix(struct cutter *cutter, struct chain_part *ret)
{
	const char *from = cutter->at;

	if (!cut_primary(cutter, ret))
		return false;
	for (;;) {
		if (accept(cutter, "->")) {
			if (!chain_push(cutter->chain, ret) || !pass_name(cutter))
				return false;
		} else if (accept(cutter, ".")) {
			if (!pass_name(cutter))
				return false;
		} else if (*cutter->at != '[') {
			return true;
		} else if (!pass_indices(cutter)) {
			return false;
		}
		*ret = (struct chain_part){from, cutter->at - from, ret->depth + 1};
	}
}

static bool cut_unary(struct cutter *cutter, struct chain_part *ret)
{
	const char *from = cutter->at;
	bool ok;

	if (cutter->nested++ == NESTED_MAX)
		return false;
	if (accept(cutter, "*")) {
		ok = cut_unary(cutter, ret) && chain_push(cutter->chain, ret);
		*ret = (struct chain_part){from, cutter->at - from, ret->depth + 1};
	} else if (accept(cutter, "&")) {
		cutter->chain->complete = false;
		ok = cut_unary(cutter, ret);
	} else {
		ok = cut_postfix(cutter, ret);
	}
	cutter->nested--;
	return ok;
}

/*
 * Parse the second of two subtracted members; if that needs further pointers, the chain is
 * incomplete.
 */
static bool cut_difference(struct cutter *cutter)
{
	const size_t n = cutter->chain->n;
	struct chain_part begin;

	if (!cut_unary(cutter, &begin))
		return false;
	if (cutter->chain->n > n)
		cutter->chain->complete = false;
	return !*cutter->at;
}

bool pointer_chain_find(const char *expression, struct pointer_chain *ret)
{
	struct cutter cutter = {.at = expression, .chain = ret};
	struct chain_part all;

	*ret = (struct pointer_chain){.complete = true};
	if (!cut_unary(&cutter, &all))
		return false;
	if (!strcmp(cutter.at, " != 0"))
		ret->self = all;
	else if (accept(&cutter, " - "))
		return cut_difference(&cutter);
	else if (*cutter.at) /* the sum of an array: all elements are read alike */
		return !strncmp(cutter.at, " + ", 3);
	return true;
}
