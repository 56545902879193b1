/* Error texts: formatting only; nothing here prints or exits. */
#include "err.h"

#include <stdio.h>
#include <string.h>

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return false;
}

bool err_set_errno(struct err *err, enum err_code code, int number, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(err, code, "%s: %s", what, strerror(number));
}

bool err_add(struct err *err, const char *fmt, ...)
{
	struct err was = *err;
	va_list args;
	int n, room;

	va_start(args, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	room = (int)sizeof(err->text) - n - (int)sizeof(": ");
	if (n >= 0 && room > 0)
		sprintf(err->text + n, ": %.*s", room, was.text);
	return false;
}
