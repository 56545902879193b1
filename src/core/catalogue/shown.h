/*
 * An expression at one place of the code, compiled so that its value can be shown: text, in which
 * values are that read plans leave. Plain data; everything lives in the arena that it was made in.
 */
#pragma once

#include "core/feature.h"
#include "core/plan/read_plan.h"

enum shown_as {
	SHOWN_TEXT, /* no value behind the text, or an absent one: `why` */
	SHOWN_SIGNED,
	SHOWN_UNSIGNED,
	SHOWN_FLOAT,
	SHOWN_BOOL,
	SHOWN_CHAR,
	SHOWN_ENUM, /* by `labels` */
	SHOWN_POINTER,
	SHOWN_STRING, /* a pointer to a string of C */
	SHOWN_CHARS,  /* the plan leaves the address of `size` characters */
	SHOWN_OBJECT, /* the same of as many characters of `size` bytes as `length` leaves */
	SHOWN_IF,     /* the next parts are element number `size` of as many as the plan leaves */
};

struct shown_part {
	const char *before; /* text in front of the value */
	enum shown_as as;
	struct read_plan plan;
	const char *why; /* a phrase; NULL: there is a plan */
	const struct label *labels;
	size_t n_labels;
	uint64_t size;
	struct read_plan length;
	size_t n_skipped, n_rest; /* parts of an element; and of all that follow */
};

struct shown {
	const char *type;               /* "struct node *" */
	const struct shown_part *parts; /* [n_parts] */
	size_t n_parts;
	struct read_plan address; /* of the object; no steps: it is not in memory */
	uint64_t size;            /* of the object, or what it points to, in bytes; 0: not known */
};
