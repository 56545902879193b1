/*
 * What tests of the explorer look at: lists and studies of numbers that never change, made without
 * any model being fitted.
 */
#ifndef EXPLORER_FIXTURE_H
#define EXPLORER_FIXTURE_H

#include "tui/explorer.h"

enum fixture_shape {
	FIXTURE_CASES,   /* time: two cases, by an enumeration, linear and quadratic */
	FIXTURE_MIXTURE, /* mem: a mixture of two constants */
	FIXTURE_LINE,    /* time: a line without noise */
	FIXTURE_EMPTY,   /* time: no calls, no features, no cases */
	/* time: names of control characters, markup, 10,000 characters; absent and huge values */
	FIXTURE_HOSTILE,
	FIXTURE_SHAPES,
};

struct fixture {
	struct samples *samples;
	struct study *study;
};

/* @n calls, of which the first is number @first. */
struct fixture fixture_create(enum fixture_shape shape, size_t n, int64_t first);
void fixture_destroy(struct fixture *fixture);

enum { FIXTURE_ENTRIES = 6 };
/* Functions; the first two are metrics (time, mem) of that which the shapes are of. */
extern const struct explorer_entry fixture_entries[FIXTURE_ENTRIES];

/*
 * Press the keys of @keys: characters, and names in angle brackets ("<Enter>", "<Lt>" is '<').
 * Wishes to open are fulfilled with
 * @study if it is not NULL. Returns the last wish.
 */
struct explorer_effect fixture_press(struct explorer *explorer, const char *keys,
				     const struct study *study);

/* Draw on @screen, and print it, with its styles if they are wanted; allocated. */
char *fixture_print(struct explorer *explorer, struct screen *screen, bool is_styled);
/* What is on a screen of that size; allocated. */
char *fixture_screen(struct explorer *explorer, unsigned width, unsigned height, bool is_ascii);

#endif
