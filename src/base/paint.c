/* Select Graphic Rendition of ECMA-48, which all terminals know that know colours. */
#include "paint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_painted(FILE *out)
{
	const char *type = getenv("TERM"), *no_color = getenv("NO_COLOR");

	return isatty(fileno(out)) && type && *type && strcmp(type, "dumb") != 0 &&
	       !(no_color && *no_color);
}

void paint(FILE *out, enum paint how)
{
	static const char *const codes[] = {[PAINT_NONE] = "\033[m",
					    [PAINT_STRONG] = "\033[1m",
					    [PAINT_FAINT] = "\033[2m",
					    [PAINT_GOOD] = "\033[32m",
					    [PAINT_BAD] = "\033[1;31m"};

	if (is_painted(out))
		fputs(codes[how], out);
}
