/* One call, and all calls within it, as bars over the same time; each process has a colour. */
#include <inttypes.h>
#include <math.h>

#include "views.h"

enum { NAME_MOST = 32, AMOUNT = 10, INDENT = 2, HEAD = 1, FOOT = 1 };
enum { BLOCK = 0x2588 };

struct timeline_frame {
	const struct spans *spans;
	size_t root, n;
	int64_t low_ns, high_ns; /* the time that is shown */
	unsigned name, bar;      /* widths */
};

static const struct span *frame_span(const struct timeline_frame *frame, size_t row)
{
	return &frame->spans->list[frame->root + row];
}

/* Calls on other hosts may reach beyond it, by as much as the clocks are not known. */
static struct timeline_frame frame_of(const struct explorer *explorer, unsigned width)
{
	struct timeline_frame ret = {.spans = explorer->spans, .root = explorer->timeline_root};

	ret.n = frame_span(&ret, 0)->n_below + 1;
	ret.low_ns = frame_span(&ret, 0)->start_ns;
	ret.high_ns = ret.low_ns + 1;
	for (size_t i = 0; i < ret.n; i++) {
		const struct span *span = frame_span(&ret, i);

		ret.low_ns = span->start_ns < ret.low_ns ? span->start_ns : ret.low_ns;
		ret.high_ns = span->end_ns > ret.high_ns ? span->end_ns : ret.high_ns;
	}
	ret.name = width / 3 < NAME_MOST ? width / 3 : NAME_MOST;
	ret.bar = width > ret.name + 1 + AMOUNT ? width - ret.name - 1 - AMOUNT : 0;
	return ret;
}

/* The column of a moment; 0 to `bar`. */
static double frame_x(const struct timeline_frame *frame, int64_t ns)
{
	return (double)frame->bar * (double)(ns - frame->low_ns) /
	       (double)(frame->high_ns - frame->low_ns);
}

static const char *span_amount(int64_t ns, char ret[METRIC_AMOUNT])
{
	return metric_amount(METRIC_TIME, (double)ns / 1000, ret);
}

static void timeline_draw_bar(const struct timeline_frame *frame, struct pane row,
			      const struct span *span, enum style style)
{
	const unsigned from = (unsigned)floor(frame_x(frame, span->start_ns));
	const unsigned to = (unsigned)ceil(frame_x(frame, span->end_ns));

	for (unsigned x = from; x < frame->bar && (x < to || x == from); x++)
		screen_put(row, frame->name + 1 + x, 0, style, row.screen->is_ascii ? '#' : BLOCK);
}

static void timeline_draw_row(const struct timeline_frame *frame, struct pane row, size_t at,
			      bool is_selected)
{
	const struct span *span = frame_span(frame, at);
	const unsigned depth = INDENT * (span->depth - frame_span(frame, 0)->depth);
	const unsigned x = depth < frame->name / 2 ? depth : frame->name / 2;
	const unsigned process = spans_process(frame->spans, frame->root, frame->root + at);
	char text[METRIC_AMOUNT];

	cell_text_fit(row, x, 0, frame->name - x, span->name);
	if (is_selected)
		screen_style(row, 0, STYLE_SELECTED);
	timeline_draw_bar(frame, row, span, STYLE_GROUP + process % STYLE_GROUPS);
	if (row.width > AMOUNT)
		cell_text_right(row, row.width - AMOUNT, 0, AMOUNT,
				span_amount(span->end_ns - span->start_ns, text));
}

static void timeline_draw_axis(const struct timeline_frame *frame, struct pane line)
{
	char text[METRIC_AMOUNT];

	span_amount(frame->high_ns - frame->low_ns, text);
	screen_text(line, frame->name + 1, 0, STYLE_DIM, "0");
	if (frame->bar > screen_width(text) + 2)
		screen_text(line, frame->name + 1 + frame->bar - screen_width(text), 0, STYLE_DIM,
			    text);
}

/* What is known of the selected call. */
static void timeline_draw_facts(const struct timeline_frame *frame, struct pane line, size_t at)
{
	const struct span *span = frame_span(frame, at);
	char begin[METRIC_AMOUNT];
	unsigned x = screen_printf(
		line, 0, 0, STYLE_DIM, "process %" PRId64 ", thread %" PRId64 ", from %s on",
		span->process, span->thread, span_amount(span->start_ns - frame->low_ns, begin));

	for (size_t i = 0; i < span->n_facts && x < line.width; i++) {
		const struct span_fact *fact = &span->facts[i];

		x += screen_printf(line, x, 0, STYLE_DIM, ", %s = %s", fact->name,
				   fact->label ? fact->label
					       : cell_text_number(fact->number).bytes);
	}
}

void view_timeline_draw(struct explorer *explorer, struct pane region)
{
	const struct timeline_frame frame = frame_of(explorer, region.width);
	const unsigned foot = region.height > HEAD + FOOT ? FOOT : 0;
	const unsigned height = region.height > HEAD + foot ? region.height - HEAD - foot : 0;
	const struct pane rows = screen_part(region, 0, HEAD, region.width, height);
	struct scroll *scroll = &explorer->timeline;

	explorer->layout.body = rows;
	scroll_fit_list(scroll, frame.n, rows.height);
	timeline_draw_axis(&frame, region);
	for (unsigned y = 0; y < rows.height && scroll->first + y < frame.n; y++)
		timeline_draw_row(&frame, screen_part(rows, 0, y, rows.width, 1), scroll->first + y,
				  scroll->first + y == scroll->selected);
	if (foot)
		timeline_draw_facts(&frame,
				    screen_part(region, 0, region.height - 1, region.width, 1),
				    scroll->selected);
}

static size_t timeline_rows(const struct explorer *explorer)
{
	return explorer->spans->list[explorer->timeline_root].n_below + 1;
}

void view_timeline_act(struct explorer *explorer, enum action action)
{
	scroll_list(&explorer->timeline, action, timeline_rows(explorer));
}

bool view_timeline_click(struct explorer *explorer, unsigned y)
{
	const size_t at = explorer->timeline.first + y;

	if (at >= timeline_rows(explorer))
		return false;
	explorer->timeline.selected = at;
	return true;
}
