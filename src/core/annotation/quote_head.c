#include "quote_head.h"

#include <stdbool.h>
#include <string.h>

static const char *const places[] = {".at(", ".server("};

enum { PLACES = sizeof(places) / sizeof(*places) };

size_t quote_head_length(const char *function)
{
	const size_t n = strlen(function);
	const char *found = NULL;

	for (size_t i = 0; i < PLACES && !found; i++)
		for (const char *at = function;
		     n && function[n - 1] == ')' && (at = strstr(at, places[i])); at++)
			found = at;
	return found ? (size_t)(found - function) : n;
}

const char *quote_head(struct arena *arena, const char *function, enum metric metric)
{
	const size_t n = quote_head_length(function);

	return arena_printf(arena, "%.*s.%s%s", (int)n, function, metric_info(metric)->keyword,
			    function + n);
}

static bool is_place(const char *at, const char *end)
{
	for (size_t i = 0; i < PLACES; i++)
		if ((size_t)(end - at) > strlen(places[i]) &&
		    !memcmp(at, places[i], strlen(places[i])))
			return true;
	return false;
}

/* Behind the bracket that closes the first one. */
static const char *behind_brackets(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end && *at != '\n'; at++) {
		depth += (*at == '(') - (*at == ')');
		if (*at == ')' && !depth)
			return at + 1;
	}
	return NULL;
}

enum metric quote_head_metric(const char *at, const char *end, const char **ret_place,
			      const char **ret_end)
{
	char word[32];
	size_t n = 0;

	*ret_end = NULL;
	while (at < end && n < sizeof(word) - 1 && !*ret_end &&
	       ((*at >= 'a' && *at <= 'z') || *at == 'P' || *at == '.')) {
		if (is_place(at, end))
			*ret_end = behind_brackets(at, end);
		if (!*ret_end)
			word[n++] = *at++;
	}
	word[n] = '\0';
	*ret_place = at;
	if (!*ret_end)
		*ret_end = at;
	return metric_parse(word);
}
