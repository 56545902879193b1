/*
 * Errors: one pattern everywhere.
 *
 * A function that can fail returns bool and takes `struct err *` last. False means that the error
 * is filled in and results are untouched. The place that fails says what happened; a caller that
 * knows more puts where in front with err_add(). The text is one line without a final full stop or
 * newline.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_USAGE,       /* the request makes no sense */
	ERR_NOT_FOUND,   /* a requested name does not exist */
	ERR_IO,          /* a file could not be read or written */
	ERR_FORMAT,      /* input is truncated, inconsistent or of another format */
	ERR_UNSUPPORTED, /* valid, but fathom cannot do it; the text names it */
	ERR_TARGET,      /* the inferior could not be launched, attached to or controlled */
};

struct err {
	enum err_code code;
	char text[1024];
};

/* Fill in @err from a format; always returns false, for `return err_set(…)`. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": " and strerror(@number) appended. */
bool err_set_errno(struct err *err, enum err_code code, int number, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put a formatted "where: " in front of the text of @err; the code stays. Always returns false. */
bool err_add(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
