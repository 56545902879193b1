/* Short texts, and text in columns. */
#include "cell_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct cell_text cell_text_number(double number)
{
	struct cell_text ret = {"-"};

	if (!isnan(number))
		figure_text(number, ret.bytes);
	return ret;
}

struct cell_text cell_text_percent(double part)
{
	struct cell_text ret = {"-"};

	if (!isnan(part))
		snprintf(ret.bytes, sizeof(ret.bytes), "%.1f %%",
			 fmin(fmax(part, -9.99), 9.99) * 100);
	return ret;
}

struct cell_text cell_text_count(uint64_t count)
{
	static const char units[] = "kMGTPE";
	struct cell_text ret;
	double rest = (double)count;
	size_t unit = 0;

	if (count < 100000) {
		snprintf(ret.bytes, sizeof(ret.bytes), "%u", (unsigned)count);
		return ret;
	}
	for (rest /= 1000; rest >= 999.5 && units[unit + 1]; rest /= 1000)
		unit++;
	snprintf(ret.bytes, sizeof(ret.bytes), rest < 99.95 ? "%.1f%c" : "%.0f%c", rest,
		 units[unit]);
	return ret;
}

void cell_text_fit(struct pane region, unsigned x, unsigned y, unsigned width, const char *text)
{
	const struct pane part = screen_part(region, x, y, width, 1);
	char *cut;
	size_t n;

	if (screen_width(text) <= part.width) {
		screen_text(part, 0, 0, STYLE_NORMAL, text);
		return;
	}
	if (part.width == 0)
		return;
	n = (size_t)(screen_cut(text, part.width - 1) - text);
	cut = mem_alloc(n + 1);
	memcpy(cut, text, n);
	screen_text(part, 0, 0, STYLE_NORMAL, cut);
	screen_text(part, screen_width(cut), 0, STYLE_NORMAL, "…");
	free(cut);
}

void cell_text_tell(struct pane region, unsigned x, unsigned y, unsigned width, unsigned skip,
		    const char *text, size_t tell)
{
	const unsigned whole = screen_width(text), half = width / 2;
	const char *from = screen_cut(text, skip), *tail = from;

	if (skip || whole <= width || width < 3 || screen_cut(text, width - 1) > text + tell) {
		cell_text_fit(region, x, y, width, from);
		return;
	}
	/* The last half, or from the difference on if that is before it. */
	while (screen_width(tail) > width - half && tail < text + tell)
		tail += screen_cut(tail, 1) > tail ? screen_cut(tail, 1) - tail : 1;
	cell_text_fit(region, x, y, half, text);
	cell_text_fit(region, x + half, y, width - half, tail);
}

void cell_text_right(struct pane region, unsigned x, unsigned y, unsigned width, const char *text)
{
	const unsigned n = screen_width(text);

	cell_text_fit(region, x + (n < width ? width - n : 0), y, width, text);
}
