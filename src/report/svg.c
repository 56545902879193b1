/* A figure's title, axes, legend, caption. svg_marks.c draws the data, figure.css styles all. */
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "page.h"
#include "svg_marks.h"
#include "xml.h"

/* In px. */
enum {
	WIDTH = 720,
	HEIGHT = 440,
	LEAST = 160,
	TOP = 48,
	RIGHT = 18,
	BOTTOM = 48,
	LEFT_LEAST = 48,
	LEFT_MOST = 150,
	TICK = 5,
	KEY_LEFT = 16,
	KEY_TEXT = 52,
	KEY_ROW = 18,
	LINE = 15,
	MARGIN = 8,
};

enum { TICKS_MAX = 12, LABELS_MAX = 40, KEYS_MAX = 12 };

/* Mean width of a character, in px, at the sizes of figure.css. */
static const double title_character = 7.6, text_character = 6.3;

struct svg_frame {
	const struct figure *figure;
	FILE *out;
	double width, height; /* without legend and caption */
	double left;          /* of the area */
	struct svg_area area;
};

struct ticks {
	size_t n;
	struct {
		double number;
		char text[FIGURE_TEXT];
		const char *label; /* replaces the number; NULL: none */
	} list[LABELS_MAX];
};

static void find_labels(const struct figure_axis *axis, size_t most, struct ticks *ret)
{
	const size_t step = (axis->n_labels + most - 1) / most;

	for (size_t i = 0; i < axis->n_labels && ret->n < LABELS_MAX; i += step) {
		const double place = figure_place(axis, axis->labels[i].number);

		if (!(place >= 0 && place <= 1))
			continue;
		ret->list[ret->n].number = axis->labels[i].number;
		ret->list[ret->n++].label = axis->labels[i].name;
	}
}

static void svg_find_ticks(const struct figure_axis *axis, size_t most, struct ticks *ret)
{
	double numbers[TICKS_MAX];

	*ret = (struct ticks){0};
	if (most > TICKS_MAX)
		most = TICKS_MAX;
	if (axis->labels && axis->n_labels) {
		find_labels(axis, most, ret);
		return;
	}
	ret->n = figure_ticks(axis, most, numbers);
	for (size_t i = 0; i < ret->n; i++) {
		ret->list[i].number = numbers[i];
		figure_text(numbers[i], ret->list[i].text);
	}
}

static const char *svg_tick_text(const struct ticks *ticks, size_t i)
{
	return ticks->list[i].label ? ticks->list[i].label : ticks->list[i].text;
}

/* @class includes the anchor. */
static void begin_text(const struct svg_frame *frame, const char *class, double x, double y)
{
	fprintf(frame->out, "<text class=\"%s\" x=\"", class);
	xml_print_px(x, frame->out);
	fputs("\" y=\"", frame->out);
	xml_print_px(y, frame->out);
	fputs("\">", frame->out);
}

static void svg_print_text(const struct svg_frame *frame, const char *class, double x, double y,
			   const char *text, double most)
{
	begin_text(frame, class, x, y);
	xml_print_short(text, most < 1 ? 1 : (size_t)most, frame->out);
	fputs("</text>\n", frame->out);
}

static void svg_print_line(const struct svg_frame *frame, const char *class, double x, double y,
			   char command, double to)
{
	fprintf(frame->out, "<path class=\"%s\" d=\"M", class);
	xml_print_px(x, frame->out);
	fputc(' ', frame->out);
	xml_print_px(y, frame->out);
	fputc(command, frame->out);
	xml_print_px(to, frame->out);
	fputs("\"/>\n", frame->out);
}

/* Wide enough for the longest label. */
static double left_margin(const struct ticks *ticks)
{
	double most = LEFT_LEAST;

	for (size_t i = 0; i < ticks->n; i++)
		most = fmax(most, 34 + text_character * xml_length(svg_tick_text(ticks, i)));
	return fmin(most, LEFT_MOST);
}

static void print_y_ticks(const struct svg_frame *frame, const struct ticks *ticks)
{
	for (size_t i = 0; i < ticks->n; i++) {
		const double y =
			TOP + svg_marks_y(&frame->area, &frame->figure->y, ticks->list[i].number);

		svg_print_line(frame, "grid", frame->left, y, 'H', frame->left + frame->area.width);
		svg_print_text(frame, "tick end", frame->left - TICK, y + 4,
			       svg_tick_text(ticks, i), (frame->left - 30) / text_character);
	}
}

static void print_x_ticks(const struct svg_frame *frame, const struct ticks *ticks)
{
	const double bottom = TOP + frame->area.height;

	for (size_t i = 0; i < ticks->n; i++) {
		const double x = frame->left + svg_marks_x(&frame->area, &frame->figure->x,
							   ticks->list[i].number);

		svg_print_line(frame, "grid", x, TOP, 'V', bottom + TICK);
		svg_print_text(frame, "tick middle", x, bottom + 17, svg_tick_text(ticks, i),
			       frame->area.width / ticks->n / text_character);
	}
}

/* "strlen(s) (µs), logarithmic". */
static void print_axis_title(const struct svg_frame *frame, const struct figure_axis *axis,
			     double length)
{
	const char *unit = axis->unit ? axis->unit : "";
	const char *log = axis->is_log ? ", logarithmic" : "";
	double room = length / text_character - strlen(unit) - strlen(log) - 3;

	xml_print_short(axis->title ? axis->title : "", room < 8 ? 8 : (size_t)room, frame->out);
	if (axis->unit) {
		fputs(" (", frame->out);
		xml_print_short(axis->unit, 20, frame->out);
		fputc(')', frame->out);
	}
	fprintf(frame->out, "%s</text>\n", log);
}

static void print_axes(const struct svg_frame *frame, const struct ticks *x, const struct ticks *y)
{
	const double bottom = TOP + frame->area.height;

	print_y_ticks(frame, y);
	print_x_ticks(frame, x);
	svg_print_line(frame, "axis", frame->left, TOP, 'V', bottom);
	svg_print_line(frame, "axis", frame->left, bottom, 'H', frame->left + frame->area.width);
	begin_text(frame, "name middle", frame->left + frame->area.width / 2, bottom + 37);
	print_axis_title(frame, &frame->figure->x, frame->area.width);
	fputs("<g transform=\"translate(16 ", frame->out);
	xml_print_px(TOP + frame->area.height / 2, frame->out);
	fputs(") rotate(-90)\">", frame->out);
	begin_text(frame, "name middle", 0, 0);
	print_axis_title(frame, &frame->figure->y, frame->area.height);
	fputs("</g>\n", frame->out);
}

/* A nested <svg> clips, without an id that might occur twice in a page. */
static void print_series(const struct svg_frame *frame)
{
	fputs("<svg class=\"area\" x=\"", frame->out);
	xml_print_px(frame->left, frame->out);
	fprintf(frame->out, "\" y=\"%d\" width=\"", TOP);
	xml_print_px(frame->area.width, frame->out);
	fputs("\" height=\"", frame->out);
	xml_print_px(frame->area.height, frame->out);
	fputs("\" overflow=\"hidden\">\n", frame->out);
	for (size_t i = 0; i < frame->figure->n_series; i++)
		svg_marks_print(&frame->area, frame->figure, &frame->figure->series[i], frame->out);
	fputs("</svg>\n", frame->out);
}

static size_t count_keys(const struct figure *figure)
{
	size_t n = 0;

	for (size_t i = 0; i < figure->n_series; i++)
		n += figure->series[i].name != NULL;
	return n;
}

static bool is_together(const struct figure_series *a, const struct figure_series *b)
{
	return a->group == b->group && a->is_outside == b->is_outside;
}

static void svg_print_key(const struct svg_frame *frame, const struct figure_series *series,
			  double y)
{
	const struct figure *figure = frame->figure;

	for (size_t i = 0; i < figure->n_series; i++)
		if (&figure->series[i] == series ||
		    (!figure->series[i].name && is_together(&figure->series[i], series)))
			svg_marks_key(&figure->series[i], KEY_LEFT, y, frame->out);
	svg_print_text(frame, "key", KEY_TEXT, y + 11, series->name,
		       (frame->width - KEY_TEXT - MARGIN) / text_character);
}

static size_t key_rows(const struct figure *figure)
{
	const size_t n = count_keys(figure);

	return n > KEYS_MAX ? KEYS_MAX + 1 : n;
}

static void print_keys(const struct svg_frame *frame)
{
	const size_t n = count_keys(frame->figure);
	double y = frame->height + MARGIN;
	size_t shown = 0;

	for (size_t i = 0; i < frame->figure->n_series && shown < KEYS_MAX; i++) {
		if (!frame->figure->series[i].name)
			continue;
		svg_print_key(frame, &frame->figure->series[i], y);
		y += KEY_ROW;
		shown++;
	}
	if (n <= KEYS_MAX)
		return;
	begin_text(frame, "key", KEY_TEXT, y + 11);
	fprintf(frame->out, "and %zu more</text>\n", n - KEYS_MAX);
}

/* The bytes of @text that fit into @most characters, up to a blank if there is one. */
static size_t line_size(const char *text, size_t most)
{
	size_t size = 0;
	size_t blank = 0;
	size_t n;

	for (n = 0; text[size] && n < most; n++) {
		const size_t bytes = text_printable_length(text + size);

		if (text[size] == ' ')
			blank = size;
		size += bytes ? bytes : 1;
	}
	return text[size] && blank ? blank : size;
}

/* The lines of the caption; printed if @frame is not NULL. */
static size_t caption_lines(const char *caption, double width, const struct svg_frame *frame,
			    double y)
{
	const size_t most = (width - 2 * KEY_LEFT) / text_character;
	struct text line = {.n = 0};
	size_t n = 0;

	while (caption && *caption) {
		const size_t size = line_size(caption, most);

		text_cut(&line, 0);
		text_add(&line, caption, size);
		if (frame)
			svg_print_text(frame, "caption", KEY_LEFT, y + LINE * (double)n, line.bytes,
				       most);
		caption += size;
		caption += strspn(caption, " ");
		n++;
	}
	text_deinit(&line);
	return n;
}

static void svg_print_head(const struct svg_frame *frame, const struct svg_options *options,
			   double height)
{
	FILE *out = frame->out;

	if (!options->is_embedded)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by fathom -->\n", out);
	fprintf(out,
		"<svg %sclass=\"figure\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\">\n",
		options->is_embedded ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", frame->width,
		height, frame->width, height);
	fputs("<title>", out);
	xml_print(frame->figure->title ? frame->figure->title : "", out);
	fputs("</title>\n", out);
	if (frame->figure->caption) {
		fputs("<desc>", out);
		xml_print(frame->figure->caption, out);
		fputs("</desc>\n", out);
	}
	if (!options->is_embedded)
		fprintf(out, "<style>%s</style>\n", page_figure_style);
	fprintf(out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", frame->width,
		height);
}

/*
 * The points of @study for a script: places and ids of calls, and the numbers, of which the page
 * shows what is under the pointer; and the names of the places 0, 1, ..., one a line.
 */
static void print_asked(const struct svg_frame *frame, const struct study *study)
{
	const struct figure *figure = frame->figure;
	FILE *out = frame->out;

	fputs("<g class=\"asked\" data-x=\"", out);
	xml_print(figure->x.title, out);
	fputs("\" data-y=\"", out);
	xml_print(figure->y.title, out);
	fprintf(out, " %s\" data-names=\"", figure->y.unit ? figure->y.unit : "");
	for (size_t i = 0; i < figure->x.n_labels; i++) {
		fputs(i ? "\n" : "", out);
		xml_print(figure->x.labels[i].name, out);
	}
	fputs("\" data-points=\"", out);
	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		for (size_t j = 0; series->points && j < series->n; j++)
			fprintf(out, "%.1f,%.1f,%lld,%.6g,%.6g ",
				frame->left + svg_marks_x(&frame->area, &figure->x, series->x[j]),
				TOP + svg_marks_y(&frame->area, &figure->y, series->y[j]),
				(long long)study->samples->keys[study->rows[series->points[j]]].id,
				series->x[j], series->y[j]);
	}
	fputs("\"></g>\n", out);
}

static void print_figure(const struct svg_frame *frame, const struct svg_options *options,
			 const struct ticks *x, const struct ticks *y)
{
	const struct figure *figure = frame->figure;
	const double below = frame->height + KEY_ROW * (double)key_rows(figure) + MARGIN;
	const size_t lines = caption_lines(figure->caption, frame->width, NULL, 0);

	svg_print_head(frame, options, below + LINE * (double)lines + (lines ? MARGIN : 0));
	svg_print_text(frame, "title", MARGIN, 20, figure->title ? figure->title : "",
		       (frame->width - 2 * MARGIN) / title_character);
	if (figure->formula)
		svg_print_text(frame, "caption", MARGIN, 20 + LINE, figure->formula,
			       (frame->width - 2 * MARGIN) / text_character);
	if (options->study)
		print_asked(frame, options->study);
	print_axes(frame, x, y);
	print_series(frame);
	print_keys(frame);
	caption_lines(figure->caption, frame->width, frame, below + LINE);
	fputs("</svg>\n", frame->out);
}

static double length_or(unsigned length, double otherwise)
{
	return length ? fmax(length, LEAST) : otherwise;
}

bool svg_figure(const struct figure *figure, const struct svg_options *options, FILE *out,
		struct err *err)
{
	struct svg_frame frame = {.figure = figure,
				  .out = out,
				  .width = length_or(options->width, WIDTH),
				  .height = length_or(options->height, HEIGHT)};
	struct ticks x;
	struct ticks y;

	frame.area.height = frame.height - TOP - BOTTOM;
	svg_find_ticks(&figure->y, (size_t)(frame.area.height / 44) + 1, &y);
	frame.left = left_margin(&y);
	frame.area.width = frame.width - frame.left - RIGHT;
	svg_find_ticks(&figure->x, (size_t)(frame.area.width / 64) + 1, &x);
	errno = 0;
	print_figure(&frame, options, &x, &y);
	return !ferror(out) ||
	       err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write the picture");
}
