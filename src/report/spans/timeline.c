/* A row a span, over the same axis; each process has a colour. */
#include "timeline.h"

#include <errno.h>
#include <math.h>

#include "core/figure/figure.h"
#include "report/page.h"
#include "report/xml.h"

/* In px. */
enum { WIDTH = 900, LEFT = 230, RIGHT = 20, TOP = 44, ROW = 20, BAR = 14, FOOT = 62, INDENT = 12 };
enum { TICKS = 8, COLOURS = 8, NAME_MOST = 30 };

struct timeline {
	const struct spans *spans;
	const struct span *root;
	size_t n; /* spans shown */
	FILE *out;
	struct figure_axis axis; /* µs since the call began */
};

static double span_us(const struct timeline *line, int64_t ns)
{
	return (double)(ns - line->root->start_ns) / 1000;
}

static double timeline_x(const struct timeline *line, double us)
{
	return LEFT + figure_place(&line->axis, us) * (WIDTH - LEFT - RIGHT);
}

static double timeline_bottom(const struct timeline *line)
{
	return TOP + ROW * (double)line->n;
}

/* Calls on other hosts may reach beyond it, by as much as the clocks are not known. */
static void find_axis(struct timeline *line)
{
	struct figure_axis *axis = &line->axis;

	*axis = (struct figure_axis){.title = "since the call began", .unit = "µs"};
	for (size_t i = 0; i < line->n; i++) {
		axis->low = fmin(axis->low, span_us(line, line->root[i].start_ns));
		axis->high = fmax(axis->high, span_us(line, line->root[i].end_ns));
	}
	if (!(axis->high > axis->low))
		axis->high = axis->low + 1;
}

static unsigned colour_of(const struct timeline *line, size_t at)
{
	const size_t root = (size_t)(line->root - line->spans->list);

	return spans_process(line->spans, root, root + at) % COLOURS;
}

static void timeline_text(const struct timeline *line, const char *class, double x, double y)
{
	fprintf(line->out, "<text class=\"%s\" x=\"", class);
	xml_print_px(x, line->out);
	fputs("\" y=\"", line->out);
	xml_print_px(y, line->out);
	fputs("\">", line->out);
}

static void timeline_ticks(const struct timeline *line)
{
	double ticks[TICKS];
	const size_t n = figure_ticks(&line->axis, TICKS, ticks);
	const double bottom = timeline_bottom(line);

	for (size_t i = 0; i < n; i++) {
		const double x = timeline_x(line, ticks[i]);
		char text[FIGURE_TEXT];

		fputs("<path class=\"grid\" d=\"M", line->out);
		xml_print_px(x, line->out);
		fprintf(line->out, " %dV", TOP - 4);
		xml_print_px(bottom, line->out);
		fputs("\"/>\n", line->out);
		figure_text(ticks[i], text);
		timeline_text(line, "tick middle", x, bottom + 16);
		fprintf(line->out, "%s</text>\n", text);
	}
	timeline_text(line, "name middle", LEFT + (WIDTH - LEFT - RIGHT) / 2.0, bottom + 34);
	fprintf(line->out, "%s (%s)</text>\n", line->axis.title, line->axis.unit);
}

static void timeline_facts(const struct timeline *line, const struct span *span)
{
	char text[FIGURE_TEXT];

	xml_print_short(span->program, 200, line->out);
	fprintf(line->out, ", process %lld", (long long)span->process);
	for (size_t i = 0; i < span->n_facts; i++) {
		figure_text(span->facts[i].number, text);
		fputc('\n', line->out);
		xml_print_short(span->facts[i].name, 80, line->out);
		fputs(" = ", line->out);
		xml_print_short(span->facts[i].label ? span->facts[i].label : text, 80, line->out);
	}
}

static void print_bar(const struct timeline *line, size_t at)
{
	const struct span *span = &line->root[at];
	const double y = TOP + ROW * (double)at;
	const double indent = fmin(8 + INDENT * (double)span->depth, LEFT / 2.0);
	const double from = timeline_x(line, span_us(line, span->start_ns));
	const double to = timeline_x(line, span_us(line, span->end_ns));

	timeline_text(line, "name", indent, y + BAR - 2);
	xml_print_short(span->name, NAME_MOST, line->out);
	fprintf(line->out, "</text>\n<rect class=\"h h%u\" x=\"", colour_of(line, at));
	xml_print_px(from, line->out);
	fputs("\" y=\"", line->out);
	xml_print_px(y, line->out);
	fputs("\" width=\"", line->out);
	xml_print_px(fmax(to - from, 1), line->out);
	fprintf(line->out, "\" height=\"%d\"><title>", BAR);
	timeline_facts(line, span);
	fputs("</title></rect>\n", line->out);
}

static void timeline_caption(const struct timeline *line)
{
	const size_t more = line->root->n_below + 1 - line->n;

	timeline_text(line, "caption", 8, timeline_bottom(line) + 54);
	fputs("each colour is a process; stops for measuring are in the bars", line->out);
	if (more)
		fprintf(line->out, "; %zu more calls are not shown", more);
	fputs("</text>\n", line->out);
}

bool timeline_print(const struct spans *spans, size_t root, FILE *out, struct err *err)
{
	const struct span *span = &spans->list[root];
	struct timeline line = {.spans = spans,
				.root = span,
				.n = span->n_below < TIMELINE_MOST ? span->n_below + 1
								   : TIMELINE_MOST,
				.out = out};
	const double height = timeline_bottom(&line) + FOOT;

	find_axis(&line);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by fathom -->\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"%d\" "
		"height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n<style>%s</style>\n"
		"<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n",
		WIDTH, height, WIDTH, height, page_figure_style, WIDTH, height);
	timeline_text(&line, "title", 8, 22);
	fputs("One call of ", out);
	xml_print_short(span->name, 80, out);
	fputs("</text>\n", out);
	timeline_ticks(&line);
	for (size_t i = 0; i < line.n; i++)
		print_bar(&line, i);
	timeline_caption(&line);
	fputs("</svg>\n", out);
	return (!fflush(out) && !ferror(out)) ||
	       err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write the time line");
}
