/*
 * Writes text into the grid such that only visible characters get there, in as many columns as they
 * take. terminal_style.c decides how cells look, screen_width.c how wide characters are.
 */
#include "screen.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/size.h"
#include "base/text.h"
#include "screen_width.h"

struct screen *screen_create(unsigned width, unsigned height, bool is_ascii)
{
	struct screen *screen = mem_alloc(sizeof(*screen));

	*screen = (struct screen){.width = width, .height = height, .is_ascii = is_ascii};
	screen->cells = mem_alloc(size_product((size_t)width * height, sizeof(*screen->cells)));
	screen_clear(screen);
	return screen;
}

void screen_destroy(struct screen *screen)
{
	if (!screen)
		return;
	free(screen->cells);
	free(screen);
}

void screen_clear(struct screen *screen)
{
	const size_t n = (size_t)screen->width * screen->height;

	for (size_t i = 0; i < n; i++)
		screen->cells[i] = (struct cell){.character = ' ', .style = STYLE_NORMAL};
}

struct pane screen_all(struct screen *screen)
{
	return (struct pane){screen, 0, 0, screen->width, screen->height};
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

struct pane screen_part(struct pane region, unsigned x, unsigned y, unsigned width, unsigned height)
{
	x = smaller(x, region.width);
	y = smaller(y, region.height);
	return (struct pane){region.screen, region.x + x, region.y + y,
			     smaller(width, region.width - x), smaller(height, region.height - y)};
}

/* Characters of pictures and units, with their ASCII substitutes. */
static const struct {
	uint32_t character;
	char ascii;
} replacements[] = {
	{0xb5, 'u'},   {0x3bc, 'u'},  {0xb2, '2'},   {0xb1, '~'},   {0xb7, '.'},   {0xd7, 'x'},
	{0x2026, '~'}, {0x2013, '-'}, {0x2212, '-'}, {0x2500, '-'}, {0x2502, '|'}, {0x250c, '+'},
	{0x2514, '`'}, {0x251c, '|'}, {0x2524, '|'}, {0x252c, '+'}, {0x2534, '+'}, {0x253c, '+'},
	{0x2591, ':'}, {0x25b2, '^'}, {0x25bc, 'v'}, {0x25b8, '+'}, {0x25be, '-'}, {0x2190, '<'},
	{0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x2264, '<'}, {0x2265, '>'}, {0x2022, '*'},
};

static uint32_t as_ascii(uint32_t character)
{
	if (character < 0x80)
		return character;
	if (character >= 0x2581 && character <= 0x2588)
		return '#';
	for (size_t i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++)
		if (replacements[i].character == character)
			return (unsigned char)replacements[i].ascii;
	return '?';
}

static struct cell *cell_at(struct pane region, unsigned x, unsigned y)
{
	return &region.screen->cells[(size_t)(region.y + y) * region.screen->width + region.x + x];
}

/* A half of a wide character becomes a blank. */
static void break_wide(struct pane region, unsigned x, unsigned y)
{
	struct cell *cell = cell_at(region, x, y);
	const unsigned column = region.x + x;

	if (cell->character == 0 && column > 0) {
		cell[-1].character = ' ';
		cell[-1].mark = 0;
	}
	if (column + 1 < region.screen->width && cell[1].character == 0)
		cell[1].character = ' ';
}

static void put_cell(struct pane region, unsigned x, unsigned y, struct cell cell)
{
	break_wide(region, x, y);
	*cell_at(region, x, y) = cell;
}

/* Returns its columns, even if it was cut. */
static unsigned screen_put_cell(struct pane region, unsigned x, unsigned y, struct cell cell)
{
	const bool is_ascii = region.screen->is_ascii;
	const enum columns columns = screen_width_of(cell.character);
	const unsigned n = columns == COLUMNS_WIDE ? 2 : 1;

	if (columns == COLUMNS_HIDDEN)
		cell.character = '?';
	if (columns == COLUMNS_MARK) {
		if (x > 0 && x <= region.width && y < region.height && !is_ascii &&
		    cell_at(region, x - 1, y)->character)
			cell_at(region, x - 1, y)->mark = cell.character;
		return 0;
	}
	if (is_ascii)
		cell.character = as_ascii(cell.character);
	if (x >= region.width || y >= region.height)
		return n;
	if (n == 2 && x + 1 >= region.width)
		cell.character = ' '; /* its other half has no room */
	put_cell(region, x, y, cell);
	if (n == 2 && x + 1 < region.width)
		put_cell(region, x + 1, y,
			 (struct cell){.character = is_ascii ? '?' : 0, .style = cell.style});
	/* screen_put_cell() blanked it as a half without its left one. */
	if (n == 2 && x + 1 < region.width)
		*cell_at(region, x, y) = cell;
	return n;
}

void screen_put(struct pane region, unsigned x, unsigned y, enum style style, uint32_t character)
{
	screen_put_cell(region, x, y,
			(struct cell){.character = character, .style = (uint8_t)style});
}

/* Returns the next character and moves @text on; invalid bytes are 0x1a, which is hidden. */
static uint32_t next_character(const char **text)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *at = (const unsigned char *)*text;
	const size_t n = text_printable_length(*text);
	uint32_t character;

	if (n == 0) {
		++*text;
		return 0x1a;
	}
	character = at[0] & masks[n];
	for (size_t i = 1; i < n; i++)
		character = character << 6 | (at[i] & 0x3f);
	*text += n;
	return character;
}

unsigned screen_text(struct pane region, unsigned x, unsigned y, enum style style, const char *text)
{
	const unsigned begin = x;

	if (y >= region.height)
		return 0;
	/* One more, for combining marks of the last. */
	while (*text && x <= region.width) {
		const uint32_t character = next_character(&text);

		if (x == region.width && screen_width_of(character) != COLUMNS_MARK)
			break;
		x += screen_put_cell(
			region, x, y,
			(struct cell){.character = character, .style = (uint8_t)style});
		x = smaller(x, region.width);
	}
	return x > begin ? x - begin : 0;
}

unsigned screen_printf(struct pane region, unsigned x, unsigned y, enum style style,
		       const char *fmt, ...)
{
	char *text;
	unsigned n;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	n = text ? screen_text(region, x, y, style, text) : 0;
	free(text);
	return n;
}

void screen_style(struct pane region, unsigned y, enum style style)
{
	if (y >= region.height)
		return;
	for (unsigned x = 0; x < region.width; x++)
		cell_at(region, x, y)->style = (uint8_t)style;
}

static unsigned columns_of(uint32_t character)
{
	switch (screen_width_of(character)) {
	case COLUMNS_MARK:
		return 0;
	case COLUMNS_WIDE:
		return 2;
	case COLUMNS_ONE:
	case COLUMNS_HIDDEN:
		break;
	}
	return 1;
}

unsigned screen_width(const char *text)
{
	unsigned n = 0;

	while (*text)
		n += columns_of(next_character(&text));
	return n;
}

const char *screen_cut(const char *text, unsigned width)
{
	unsigned n = 0;

	while (*text) {
		const char *next = text;

		n += columns_of(next_character(&next));
		if (n > width)
			break;
		text = next;
	}
	return text;
}

size_t screen_encode(uint32_t character, char ret[4])
{
	const size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--) {
		ret[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	ret[0] = (char)(firsts[n] | character);
	return n;
}

static void print_character(uint32_t character, FILE *out)
{
	char bytes[4];

	fwrite(bytes, 1, screen_encode(character, bytes), out);
}

/* A letter for each style, in the order of enum style; a digit for groups. */
static char style_letter(unsigned style)
{
	static const char letters[STYLE_GROUP] = {' ', 'T', 'd', 'S', 's', 'W', 'k', 'C'};

	return style < STYLE_GROUP ? letters[style] : (char)('0' + (style - STYLE_GROUP));
}

static void print_styles(const struct cell *cells, unsigned n, FILE *out)
{
	while (n > 0 && cells[n - 1].style == STYLE_NORMAL)
		n--;
	fputc('~', out);
	for (unsigned x = 0; x < n; x++)
		fputc(style_letter(cells[x].style), out);
	fputc('\n', out);
}

void screen_print(const struct screen *screen, bool styled, FILE *out)
{
	for (unsigned y = 0; y < screen->height; y++) {
		const struct cell *cells = &screen->cells[(size_t)y * screen->width];
		unsigned n = screen->width;

		while (n > 0 && cells[n - 1].character == ' ' && !cells[n - 1].mark)
			n--;
		for (unsigned x = 0; x < n; x++) {
			if (cells[x].character)
				print_character(cells[x].character, out);
			if (cells[x].mark)
				print_character(cells[x].mark, out);
		}
		fputc('\n', out);
		if (styled)
			print_styles(cells, screen->width, out);
	}
}
