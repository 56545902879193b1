/* Functions above, lines below them, as many as fit. */
#include "top_screen.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tui/screen/cell_text.h"

enum { SHARE = 8, PLACE = 28, PLACE_FROM = 70 /* columns */, HEAD = 2, FOOT = 1 };

struct top_screen {
	struct terminal *terminal;
};

bool top_screen_open(const struct terminal_reset *rescue, enum terminal_colors colors,
		     struct top_screen **ret, struct err *err)
{
	struct terminal *terminal;

	if (!terminal_open(rescue, colors, &terminal, err))
		return false;
	*ret = mem_alloc(sizeof(**ret));
	(*ret)->terminal = terminal;
	return true;
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen)
		return;
	terminal_close(screen->terminal);
	free(screen);
}

static void top_draw_row(struct pane region, unsigned y, const struct top_row *row)
{
	const unsigned place = region.width >= PLACE_FROM && row->place ? PLACE : 0;
	const unsigned x = 2 * SHARE + 2;

	cell_text_right(region, 0, y, SHARE, cell_text_percent(row->share).bytes);
	if (!isnan(row->self))
		cell_text_right(region, SHARE, y, SHARE, cell_text_percent(row->self).bytes);
	if (region.width <= x + place)
		return;
	cell_text_fit(region, x, y, region.width - x - place - (place ? 1 : 0), row->name);
	if (place)
		cell_text_right(region, region.width - place, y, place, row->place);
}

static void top_draw(struct pane all, const struct top_table *table, size_t selected)
{
	const unsigned room = all.height > HEAD + FOOT ? all.height - HEAD - FOOT : 0;
	const unsigned below = room > 8 ? (unsigned)fmin(table->n_lines, room / 2.0 - 1) : 0;
	const unsigned above = below ? room - below - 1 : room;
	const size_t first = selected >= above && above ? selected - above + 1 : 0;

	cell_text_fit(all, 0, 0, all.width, table->title);
	screen_style(all, 0, STYLE_TITLE);
	screen_text(all, 0, 1, STYLE_DIM, "   share    self  function");
	for (unsigned y = 0; y < above && first + y < table->n_functions; y++) {
		top_draw_row(all, HEAD + y, &table->functions[first + y]);
		if (first + y == selected)
			screen_style(all, HEAD + y, STYLE_SELECTED);
	}
	if (below)
		screen_text(all, 0, HEAD + above, STYLE_DIM, "   lines");
	for (unsigned y = 0; y < below; y++)
		top_draw_row(all, HEAD + above + 1 + y, &table->lines[y]);
	if (all.height > HEAD)
		screen_text(all, 0, all.height - 1, STYLE_DIM,
			    "Enter measures the function  Up Down select  q quit");
}

static enum top_key top_press(struct top_screen *screen, uint32_t key, size_t n, size_t *selected)
{
	switch (key) {
	case 'q':
	case 'Q':
	case TERMINAL_INTERRUPT:
	case TERMINAL_QUIT:
		return TOP_QUIT;
	case TERMINAL_SUSPEND:
		terminal_suspend(screen->terminal, 0);
		break;
	case '\r':
	case '\n':
	case EXPLORER_ENTER:
		return n ? TOP_MEASURE : TOP_NOTHING;
	case 'k':
	case EXPLORER_UP:
		*selected -= *selected > 0;
		break;
	case 'j':
	case EXPLORER_DOWN:
		*selected += *selected + 1 < n;
		break;
	default:
		break;
	}
	return TOP_NOTHING;
}

enum top_key top_screen_show(struct top_screen *screen, const struct top_table *table, int ms,
			     size_t *selected)
{
	struct screen *cells = terminal_screen(screen->terminal);
	enum top_key ret = TOP_NOTHING;
	struct terminal_event event;
	struct pollfd fd;

	if (*selected >= table->n_functions)
		*selected = table->n_functions ? table->n_functions - 1 : 0;
	screen_clear(cells);
	top_draw(screen_all(cells), table, *selected);
	terminal_show(screen->terminal);
	if (!terminal_wait(screen->terminal, &fd, 1, ms) || terminal_signal())
		return TOP_QUIT;
	if (terminal_stop_wanted())
		terminal_suspend(screen->terminal, 0);
	while (ret == TOP_NOTHING && terminal_read(screen->terminal, &event))
		if (event.key)
			ret = top_press(screen, event.key, table->n_functions, selected);
	return ret;
}
