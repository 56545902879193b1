/* Wraps and draws text. */
#include "text_wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A row: part of a line. */
struct piece {
	const char *begin, *end;
	unsigned indent;
};

/* Continuation rows are indented by this. */
enum { INDENT = 4, BLANKS_MAX = 16, MARKS_FROM = 8 /* columns */ };

static unsigned leading_blanks(const char *line)
{
	const size_t n = strspn(line, " ");

	return n < BLANKS_MAX ? (unsigned)n : BLANKS_MAX;
}

/* The end of the row at @begin, @width columns wide: at a blank if its second half has one. */
static const char *row_end(const char *begin, const char *line_end, unsigned width)
{
	const char *end = screen_cut(begin, width ? width : 1);

	if (end >= line_end)
		return line_end;
	for (const char *at = end; at > begin + (end - begin) / 2; at--)
		if (*at == ' ')
			return at;
	/* A character wider than the row is cut. */
	return end > begin ? end : begin + 1;
}

/* Call @use for each row; returns the number of rows. */
static size_t each_row(const char *text, unsigned width,
		       void (*use)(void *context, size_t row, struct piece piece), void *context)
{
	size_t row = 0;

	while (*text) {
		const char *line_end = text + strcspn(text, "\n");
		unsigned indent = 0, below = leading_blanks(text) + INDENT;

		below = below + INDENT < width ? below : 0;
		do {
			const char *end = row_end(text, line_end, width - indent);

			if (use)
				use(context, row, (struct piece){text, end, indent});
			row++;
			text = end;
			while (text < line_end && *text == ' ')
				text++;
			indent = below;
		} while (text < line_end);
		text = *line_end ? line_end + 1 : line_end;
	}
	return row;
}

size_t text_wrap_count(const char *text, unsigned width)
{
	return each_row(text, width, NULL, NULL);
}

struct drawing {
	struct pane region;
	size_t first;
};

static void draw_piece(void *context, size_t row, struct piece piece)
{
	const struct drawing *drawing = context;
	const size_t n = (size_t)(piece.end - piece.begin);
	char *text;

	if (row < drawing->first || row - drawing->first >= drawing->region.height)
		return;
	text = mem_alloc(n + 1);
	memcpy(text, piece.begin, n);
	screen_text(drawing->region, piece.indent, (unsigned)(row - drawing->first), STYLE_NORMAL,
		    text);
	free(text);
}

void text_wrap_draw(const char *text, struct scroll *scroll, struct pane region)
{
	const bool has_marks = region.width > MARKS_FROM && region.height > 1 &&
			       text_wrap_count(text, region.width) > region.height;
	struct drawing drawing = {
		screen_part(region, 0, 0, region.width - has_marks, region.height), 0};
	const size_t n = text_wrap_count(text, drawing.region.width);

	scroll_fit_text(scroll, n, region.height);
	drawing.first = scroll->first;
	each_row(text, drawing.region.width, draw_piece, &drawing);
	if (has_marks && scroll->first + region.height < n)
		screen_text(region, region.width - 1, region.height - 1, STYLE_KEY, "▼");
	if (has_marks && scroll->first > 0)
		screen_text(region, region.width - 1, 0, STYLE_KEY, "▲");
}
