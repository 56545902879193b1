/* Print lines; format amounts in readable units; parse times that users type. */
#include "prompt_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void prompt_say(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0) {
		text_print_safe(stdout, text);
		putchar('\n');
		free(text);
	}
	va_end(args);
}

bool prompt_parse_time(const char *text, double *ret, struct err *err)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}};
	char *end;
	const double number = strtod(text, &end);

	if (end == text || !(number > 0 && number <= 1e8))
		return err_set(err, ERR_USAGE, "\"%.40s\" is no time: give one as in 500 ms or 2 s",
			       text);
	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].name)) {
			*ret = number * units[i].seconds;
			return true;
		}
	return err_set(err, ERR_USAGE, "\"%.40s\" has no unit: give ms, s or min, as in 500 ms",
		       text);
}

bool prompt_is_place(const char *text, struct arena *arena, const char **ret_file,
		     unsigned *ret_line)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':' || !isdigit((unsigned char)colon[1]) ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	*ret_file = arena_printf(arena, "%.*s", (int)(colon - text), text);
	*ret_line = strtoul(colon + 1, NULL, 10);
	return true;
}
