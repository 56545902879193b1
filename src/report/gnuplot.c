/* Scripts and data for gnuplot 5; results/gnuplot_run.c runs it. */
#include "gnuplot.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

enum { TEXT_MOST = 160, LABEL_MOST = 24, LABELS_MOST = 60, LINE = 90 };

static bool is_written(FILE *out, const char *what, struct err *err)
{
	return !ferror(out) ||
	       err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write the %s", what);
}

static void print_row(const struct figure_series *series, size_t i, FILE *out)
{
	if (series->x2)
		fprintf(out, "%.15g %.15g %.15g\n", series->x[i], series->x2[i], series->y[i]);
	else if (series->y2)
		fprintf(out, "%.15g %.15g %.15g\n", series->x[i], series->y[i], series->y2[i]);
	else
		fprintf(out, "%.15g %.15g\n", series->x[i], series->y[i]);
}

static const char *columns(enum figure_kind kind)
{
	switch (kind) {
	case FIGURE_POINTS:
		return "points: x y";
	case FIGURE_CURVE:
		return "a curve: x y";
	case FIGURE_BAND:
		return "a band: x low high";
	case FIGURE_BARS:
		return "bars: from to height";
	}
	return "";
}

/* An empty block would not count, and shift those behind it. */
static void print_block(const struct figure_series *series, FILE *out)
{
	fprintf(out, "# %s%s", columns(series->kind), series->name ? "; " : "");
	text_print_safe(out, series->name ? series->name : "");
	fputc('\n', out);
	for (size_t i = 0; i < series->n; i++)
		print_row(series, i, out);
	if (!series->n)
		fputs("NaN NaN NaN\n", out);
}

bool gnuplot_data(const struct figure *figure, FILE *out, struct err *err)
{
	errno = 0;
	fputs(GNUPLOT_MARK "\n# ", out);
	text_print_safe(out, figure->title ? figure->title : "");
	fputc('\n', out);
	for (size_t i = 0; i < figure->n_series; i++) {
		if (i)
			fputs("\n\n", out);
		print_block(&figure->series[i], out);
	}
	return is_written(out, "data of the picture", err);
}

static size_t safe_length(const char *at)
{
	const size_t n = text_printable_length(at);

	return n ? n : 1;
}

/*
 * The first @most characters of @text, as a string expression. gnuplot expands nothing in single
 * quotes, but a single quote needs a variable: doubled at the start it ends the string, and in
 * double quotes it confuses macro expansion. @percent: double each %, as a format of tics needs.
 */
static void print_string(const char *text, size_t most, bool percent, FILE *out)
{
	size_t n;

	fputc('\'', out);
	for (n = 0; *text && n < most; n++) {
		const size_t size = text_printable_length(text);

		if (*text == '\'')
			fputs("' . quote . '", out);
		else if (*text == '%' && percent)
			fputs("%%", out);
		else if (size)
			fwrite(text, 1, size, out);
		else
			fputc('?', out);
		text += safe_length(text);
	}
	fputs(*text ? "\xe2\x80\xa6'" : "'", out);
}

static void gnuplot_print_text(const char *text, FILE *out)
{
	print_string(text, TEXT_MOST, false, out);
}

static void print_name(const struct figure_axis *axis, FILE *out)
{
	gnuplot_print_text(axis->title ? axis->title : "", out);
	if (!axis->unit)
		return;
	fputs(" . ' (' . ", out);
	gnuplot_print_text(axis->unit, out);
	fputs(" . ')'", out);
}

/* The caption, line by line, as gnuplot has no place for it. */
static void print_caption(const char *caption, FILE *out)
{
	struct text line = {.n = 0};

	while (caption && *caption) {
		size_t size = strlen(caption);

		if (size > LINE) {
			for (size = LINE; size && caption[size] != ' '; size--)
				;
			size = size ? size : strcspn(caption, " ");
		}
		text_cut(&line, 0);
		text_add(&line, caption, size);
		fputs(" . \"\\n\" . ", out);
		print_string(line.bytes, line.n, false, out);
		caption += size;
		caption += strspn(caption, " ");
	}
	text_deinit(&line);
}

static void print_labels(char name, const struct figure_axis *axis, FILE *out)
{
	const size_t step = axis->n_labels / LABELS_MOST + 1;

	fprintf(out, "set %ctics (", name);
	for (size_t i = 0; i < axis->n_labels; i += step) {
		fputs(i ? ", " : "", out);
		print_string(axis->labels[i].name ? axis->labels[i].name : "?", LABEL_MOST, true,
			     out);
		fprintf(out, " %.15g", axis->labels[i].number);
	}
	fputs(") noenhanced\n", out);
}

static void print_axis(char name, const struct figure_axis *axis, const char *caption, FILE *out)
{
	fprintf(out, "set %clabel ", name);
	print_name(axis, out);
	print_caption(caption, out);
	fputs(" noenhanced\n", out);
	fprintf(out, "%s logscale %c\n", axis->is_log ? "set" : "unset", name);
	fprintf(out, "set %crange [%.15g:%.15g]\n", name, axis->low, axis->high);
	if (axis->labels && axis->n_labels)
		print_labels(name, axis, out);
	else
		fprintf(out, "set %ctics autofreq\n", name);
}

/* A group's colours, as elsewhere: points light, curves dark, so that neither hides the other. */
struct look {
	const char *light, *dark;
	unsigned point, dash;
};

static const struct look *look_of(const struct figure_series *series)
{
	static const struct look looks[] = {
		{"#3b8ed0", "#0b3d66", 7, 1},  {"#e07b39", "#7a3308", 5, 2},
		{"#2fa36b", "#0c5232", 9, 3},  {"#b565a7", "#5f2556", 13, 4},
		{"#a08500", "#544500", 1, 5},  {"#c44e52", "#701c20", 2, 2},
		{"#4c9aa8", "#174d57", 11, 3}, {"#8c6d5a", "#463428", 4, 4},
	};
	static const struct look outside = {"#8b949e", "#8b949e", 2, 1};

	return series->is_outside ? &outside
				  : &looks[series->group % (sizeof(looks) / sizeof(*looks))];
}

static void print_style(const struct figure *figure, const struct figure_series *series, FILE *out)
{
	const struct look *look = look_of(series);

	switch (series->kind) {
	case FIGURE_POINTS:
		fprintf(out, "using 1:2 with points pointtype %u pointsize 0.6 linecolor rgb '%s'",
			look->point, look->light);
		break;
	case FIGURE_CURVE:
		fprintf(out, "using 1:2 with lines linewidth 1.5 dashtype %u linecolor rgb '%s'",
			look->dash, look->dark);
		break;
	case FIGURE_BAND:
		fprintf(out,
			"using 1:2:3 with filledcurves fillstyle transparent solid 0.2 noborder "
			"fillcolor rgb '%s'",
			look->light);
		break;
	case FIGURE_BARS:
		fprintf(out,
			"using (($1+$2)/2):3:1:2:(%.15g):3 with boxxyerror fillstyle transparent "
			"solid 0.5 border fillcolor rgb '%s'",
			figure->y.is_log ? figure->y.low : 0, look->light);
		break;
	}
}

static void gnuplot_print_series(const struct figure *figure, size_t i, FILE *out)
{
	const struct figure_series *series = &figure->series[i];

	fprintf(out, "data index %zu ", i);
	print_style(figure, series, out);
	if (series->name) {
		fputs(" title ", out);
		gnuplot_print_text(series->name, out);
		fputs(" noenhanced", out);
	} else {
		fputs(" notitle", out);
	}
}

static void print_plot(const struct figure *figure, FILE *out)
{
	if (!figure->n_series) {
		fputs("plot NaN notitle\n", out);
		return;
	}
	fputs("plot ", out);
	for (size_t i = 0; i < figure->n_series; i++) {
		fputs(i ? ", \\\n     " : "", out);
		gnuplot_print_series(figure, i, out);
	}
	fputc('\n', out);
}

bool gnuplot_script(const struct figure *figure, const char *data, FILE *out, struct err *err)
{
	errno = 0;
	fputs(GNUPLOT_MARK "; in this folder: gnuplot -p FILE shows it, and\n"
			   "# gnuplot -e \"set terminal pdfcairo; set output 'picture.pdf'\" FILE "
			   "writes it\n"
			   "set encoding utf8\n"
			   "quote = \"\\047\"\n"
			   "data = ",
	      out);
	print_string(data, strlen(data), false, out);
	fputs("\nset title ", out);
	gnuplot_print_text(figure->title ? figure->title : "", out);
	fputs(" noenhanced\nset key below height 1 noenhanced\nset border 3\nset tics nomirror\n"
	      "set grid linecolor rgb '#d0d4d8'\n",
	      out);
	print_axis('x', &figure->x, figure->caption, out);
	print_axis('y', &figure->y, NULL, out);
	print_plot(figure, out);
	return is_written(out, "script of the picture", err);
}
