/*
 * Errors: one pattern everywhere.
 *
 * A function that can fail returns bool and takes `struct err *` last. False means that the error
 * is filled in and no result was touched. The place that fails says what happened; a caller that
 * knows more puts where in front with err_add(). The text is one line, without a final full stop or
 * newline.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_USAGE,       /* the caller asked for something that makes no sense */
	ERR_NOT_FOUND,   /* a name that was asked for is not there */
	ERR_IO,          /* a file could not be read or written */
	ERR_FORMAT,      /* input is truncated, lies, or is not what it should be */
	ERR_UNSUPPORTED, /* valid, and beyond what fathom can do; the text names it */
	ERR_TARGET,      /* the inferior could not be launched, attached to or controlled */
};

struct err {
	enum err_code code;
	char text[1024];
};

/* Fill in @err from a format; always returns false, so that `return err_set(…)` fails. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the meaning of the errno value @number at the end. */
bool err_set_errno(struct err *err, enum err_code code, int number, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put a formatted "where: " in front of the text of @err; the code stays. Always returns false. */
bool err_add(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
