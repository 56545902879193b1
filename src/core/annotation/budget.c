/* Parses budgets. The function's name ends where a metric and a comparison follow. */
#include "budget.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "quote_head.h"

static bool budget_fail(const char *text, const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "the budget '%s' has no %s: it looks like 'parse.time <= 5 ms @ n=1e5'",
		       text, what);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* The '.' before a metric that "<=" or "<" follows; @ret_end: behind that. */
static const char *find_head(const char *text, struct arena *arena, struct budget *ret,
			     const char **ret_end)
{
	const char *const behind = text + strlen(text);

	for (const char *at = strchr(text, '.'); at; at = strchr(at + 1, '.')) {
		const char *place, *end;

		ret->metric = quote_head_metric(at + 1, behind, &place, &end);
		ret->function = arena_printf(arena, "%.*s%.*s", (int)(at - text), text,
					     (int)(end - place), place);
		end = skip_blanks(end);
		if (ret->metric == METRIC_COUNT || *end != '<')
			continue;
		*ret_end = end + 1 + (end[1] == '=');
		return at;
	}
	return NULL;
}

static bool read_limit(const char **at, struct budget *budget, struct err *err)
{
	const char *of = metric_info(budget->metric)->unit;
	char *end;
	const struct unit *unit;
	size_t n;

	budget->limit = strtod(*at, &end);
	if (end == *at || !(budget->limit >= 0 && isfinite(budget->limit)))
		return budget_fail(budget->text, "number behind <=", err);
	*at = skip_blanks(end);
	n = strcspn(*at, " \t@;");
	unit = unit_find(*at, n);
	if (unit && ((unit->of == UNIT_TIME && !strcmp(of, "us")) ||
		     (unit->of == UNIT_BYTES && !strcmp(of, "bytes")))) {
		budget->limit *= unit->factor;
		*at = skip_blanks(*at + n);
		return true;
	}
	return !n || budget_fail(budget->text, "unit of its metric", err);
}

/* "n=1e5, m=3" to the end. */
static bool read_values(const char *at, struct arena *arena, struct budget *budget, struct err *err)
{
	budget->values = arena_array(arena, struct budget_value, strlen(at) / 2 + 1);
	for (;;) {
		const char *equals = strchr(at, '=');
		size_t n;
		char *end;
		double number;

		if (!equals)
			return budget_fail(budget->text, "NAME=VALUE behind @", err);
		for (n = (size_t)(equals - at); n && isblank((unsigned char)at[n - 1]); n--)
			continue;
		number = strtod(equals + 1, &end);
		if (!n || end == equals + 1 || !isfinite(number))
			return budget_fail(budget->text, "NAME=VALUE behind @", err);
		budget->values[budget->n_values++] =
			(struct budget_value){arena_printf(arena, "%.*s", (int)n, at), number};
		at = skip_blanks(end);
		if (!*at || *at == ';')
			return true;
		if (*at != ',')
			return budget_fail(budget->text, "comma between its values", err);
		at = skip_blanks(at + 1);
	}
}

static bool read_rest(const char *at, struct arena *arena, struct budget *ret, struct err *err)
{
	if (*at == '@')
		return read_values(skip_blanks(at + 1), arena, ret, err);
	return !*at || *at == ';' || budget_fail(ret->text, "@ before its values", err);
}

bool budget_parse(const char *text, struct arena *arena, struct budget *ret, struct err *err)
{
	const char *at, *end;

	*ret = (struct budget){.text = arena_strdup(arena, skip_blanks(text))};
	at = find_head(ret->text, arena, ret, &end);
	if (!at || at == ret->text)
		return budget_fail(ret->text, "FUNCTION.METRIC <=", err);
	end = skip_blanks(end);
	return read_limit(&end, ret, err) && read_rest(end, arena, ret, err);
}

bool budget_parse_gate(const char *text, struct arena *arena, struct budget *ret, struct err *err)
{
	const char *at = strchr(text, '=');
	char *end;

	*ret = (struct budget){.text = arena_strdup(arena, text), .metric = METRIC_COUNT};
	ret->limit = at ? strtod(at + 1, &end) : 0;
	if (!at || end == at + 1 || !(ret->limit >= 0 && isfinite(ret->limit)))
		return err_set(err, ERR_USAGE, "the gate '%s' is not as in cost=10%%@n=1e5", text);
	if (*end == '%') {
		ret->limit /= 100;
		end++;
	}
	ret->limit += 1;
	return read_rest(skip_blanks(end), arena, ret, err);
}
