/*
 * Screens: a grid of cells that views draw into; terminal.h, or a test, shows it. Independent of
 * ncurses.
 *
 * What is drawn outside the grid or a region is dropped. Text is UTF-8; control characters and
 * bytes that are not UTF-8 are made visible, so that no name in a program sends commands to a
 * terminal. On a screen with only ASCII, other characters are escaped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The meaning of a cell; the terminal decides its look, with and without colours. */
enum style {
	STYLE_NORMAL,
	STYLE_TITLE,
	STYLE_DIM,
	STYLE_SELECTED,
	STYLE_STATUS,
	STYLE_WARNING,
	STYLE_KEY, /* in the line of keys */
	STYLE_CURSOR,
	STYLE_GROUP, /* + n % STYLE_GROUPS: case n */
};
enum { STYLE_GROUPS = 6, STYLE_COUNT = STYLE_GROUP + STYLE_GROUPS };

struct cell {
	uint32_t character; /* a code point; 0: the right half of a wide one */
	uint32_t mark;      /* a combining character over it; 0: none */
	uint8_t style;
};

struct screen {
	unsigned width, height;
	bool is_ascii;
	struct cell *cells; /* [height * width] */
};

struct screen *screen_create(unsigned width, unsigned height, bool is_ascii);
void screen_destroy(struct screen *screen); /* NULL is fine */
void screen_clear(struct screen *screen);

/* A part of a screen; places count from its upper left corner. */
struct pane {
	struct screen *screen;
	unsigned x, y, width, height;
};

struct pane screen_all(struct screen *screen);
/* The part of @region from (@x, @y) on, at most of that size. */
struct pane screen_part(struct pane region, unsigned x, unsigned y, unsigned width,
			unsigned height);

/* Write text, cut at the region's end; returns the columns it took. */
unsigned screen_text(struct pane region, unsigned x, unsigned y, enum style style,
		     const char *text);
unsigned screen_printf(struct pane region, unsigned x, unsigned y, enum style style,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void screen_put(struct pane region, unsigned x, unsigned y, enum style style, uint32_t character);
/* Give a whole line a style. */
void screen_style(struct pane region, unsigned y, enum style style);

/* How many columns @text takes. */
unsigned screen_width(const char *text);
/* The end of the part of @text that fits in @width columns. */
const char *screen_cut(const char *text, unsigned width);

/* A code point as UTF-8; returns the number of bytes. */
size_t screen_encode(uint32_t character, char ret[4]);

/* Print the screen without trailing blanks; with styles if @styled, for golden files. */
void screen_print(const struct screen *screen, bool styled, FILE *out);
