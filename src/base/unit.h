/* Units that people write behind numbers: of times, of bytes, and shares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum unit_of {
	UNIT_TIME, /* µs */
	UNIT_BYTES,
	UNIT_SHARE, /* 5 % and 1.05x are 0.05 */
};

struct unit {
	const char *name;
	double factor; /* to one of its kind */
	enum unit_of of;
};

/* The unit with the @n characters at @text as its name; NULL: none. */
const struct unit *unit_find(const char *text, size_t n);

/* strtod(), which also reads whole numbers as they are printed in sentences: 400,000. */
double unit_number(const char *text, char **ret_end);

/*
 * Parse all of @text, a number and perhaps a unit @of what is wanted, into *@ret; @plain is the
 * factor of a number without one. False: it is something else, or not finite.
 */
bool unit_parse(const char *text, enum unit_of of, double plain, double *ret);
