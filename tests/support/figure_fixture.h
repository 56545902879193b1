/* Figures by hand, and their texts. */
#ifndef FATHOM_TESTS_FIGURE_FIXTURE_H
#define FATHOM_TESTS_FIGURE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "core/figure/figure.h"

static const double fixture_x[] = {0, 50, 100};
static const double fixture_y[] = {10, 20, 40};
static const double fixture_high[] = {12, 25, 44};

/*
 * What names may hold: markup, quotes, what shells and gnuplot execute, control characters, no
 * UTF-8, no characters of XML.
 */
static const char fixture_hostile[] =
	"'<b a=\"1\">&amp;]]>`touch pwned`$(touch pwned)@x %s %q {/:Bold x} \\ \" '' "
	"'\n\t\x1b[2J\x7f"
	"\xff\xc0\x80\xed\xa0\x80\xef\xbf\xbf\xe2\x80\xae\xc2\x9b \xc3\xa9";

static const struct figure_series fixture_series[] = {
	{.kind = FIGURE_BAND,
	 .group = 0,
	 .x = fixture_x,
	 .y = fixture_y,
	 .y2 = fixture_high,
	 .n = 3},
	{.kind = FIGURE_BARS,
	 .group = 1,
	 .x = fixture_x,
	 .y = fixture_y,
	 .x2 = fixture_high,
	 .n = 1},
	{.kind = FIGURE_POINTS,
	 .name = fixture_hostile,
	 .group = 0,
	 .x = fixture_x,
	 .y = fixture_y,
	 .n = 3},
	{.kind = FIGURE_POINTS,
	 .name = "no case",
	 .is_outside = true,
	 .x = fixture_x,
	 .y = fixture_high,
	 .n = 1},
	{.kind = FIGURE_CURVE, .group = 0, .x = fixture_x, .y = fixture_y, .n = 3},
};

/* Everything that a figure may have. */
static inline struct figure fixture_figure(void)
{
	return (struct figure){
		.title = "f(int).time",
		.x = {.title = "n", .low = 0, .high = 100},
		.y = {.title = "time", .unit = "\xc2\xb5s", .low = 0, .high = 50},
		.series = fixture_series,
		.n_series = sizeof(fixture_series) / sizeof(*fixture_series),
		.caption = "curves at m = 12",
	};
}

typedef bool (*fixture_writer)(const struct figure *figure, FILE *out, struct err *err);

/* What is written; the caller frees it. */
static inline char *fixture_text(const struct figure *figure, fixture_writer write)
{
	char *text = NULL;
	struct err err;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(write(figure, out, &err));
	fclose(out);
	return text;
}

/* Full: nothing can be written. */
static inline void fixture_assert_fails(const struct figure *figure, fixture_writer write)
{
	FILE *full = fopen("/dev/full", "w");
	struct err err = {0};

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_false(write(figure, full, &err));
	assert_int_equal(err.code, ERR_IO);
	fclose(full);
}

#endif
