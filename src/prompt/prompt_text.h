/* Output of the session; times as text. Private to prompt*.c. */
#pragma once

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"

/* Print a line on standard output; unprintable characters are escaped. */
void prompt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "500 ms" → seconds in @ret. ERR_USAGE. */
bool prompt_parse_time(const char *text, double *ret, struct err *err);

/* Is @text a place like "parser.c:12"? */
bool prompt_is_place(const char *text, struct arena *arena, const char **ret_file,
		     unsigned *ret_line);
