#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct unit units[] = {
	{"ns", 1e-3, UNIT_TIME},      {"us", 1, UNIT_TIME},      {"\xc2\xb5s", 1, UNIT_TIME},
	{"\xce\xbcs", 1, UNIT_TIME},  {"ms", 1e3, UNIT_TIME},    {"s", 1e6, UNIT_TIME},
	{"min", 60e6, UNIT_TIME},     {"h", 3600e6, UNIT_TIME},  {"B", 1, UNIT_BYTES},
	{"bytes", 1, UNIT_BYTES},     {"KB", 1e3, UNIT_BYTES},   {"MB", 1e6, UNIT_BYTES},
	{"GB", 1e9, UNIT_BYTES},      {"KiB", 1024, UNIT_BYTES}, {"MiB", 1048576, UNIT_BYTES},
	{"GiB", 1 << 30, UNIT_BYTES}, {"%", 0.01, UNIT_SHARE},   {"x", 1, UNIT_SHARE},
};

const struct unit *unit_find(const char *text, size_t n)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == n && !memcmp(text, units[i].name, n))
			return &units[i];
	return NULL;
}

double unit_number(const char *text, char **ret_end)
{
	static const char *const digits = "0123456789";
	const bool is_negative = *text == '-';
	const size_t n = strspn(text + is_negative, digits);
	double number = strtod(text, ret_end);

	if (!n || n > 3 || *ret_end != text + is_negative + n)
		return number;
	for (; **ret_end == ',' && strspn(*ret_end + 1, digits) == 3; *ret_end += 4) {
		int group = 0;

		for (const char *digit = *ret_end + 1; digit < *ret_end + 4; digit++)
			group = group * 10 + (*digit - '0');
		number = number * 1000 + (is_negative ? -group : group);
	}
	return number;
}

bool unit_parse(const char *text, enum unit_of of, double plain, double *ret)
{
	char *end;
	double number = unit_number(text, &end);
	const struct unit *unit = NULL;

	if (end == text || !isfinite(number))
		return false;
	end += strspn(end, " ");
	if (*end && (!(unit = unit_find(end, strlen(end))) || unit->of != of))
		return false;
	if (unit && !strcmp(unit->name, "x"))
		number -= 1;
	*ret = number * (unit ? unit->factor : plain);
	return true;
}
