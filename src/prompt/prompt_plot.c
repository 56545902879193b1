/*
 * The command plot: a metric over a feature, with its model, as text or as a file.
 * core/figure/figure.h defines what the plot shows.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"
#include "core/samples/derived_columns.h"
#include "core/figure/figure.h"
#include "cli/message.h"
#include "model/study_build.h"
#include "prompt_commands.h"
#include "prompt_text.h"
#include "report/svg.h"
#include "shell/shell_words.h"

enum { PLOT_WIDTH = 64, PLOT_HEIGHT = 18, MARGIN = 10, TICKS = 6 };

/* What to draw; only the first matching function is drawn. */
struct plotting {
	struct prompt *prompt;
	enum metric metric;
	const char *feature; /* NULL: the one that explains most */
	const char *file;    /* NULL: as text */
	bool is_drawn;
};

/* Dots of a cell in Braille. */
enum { DOTS_WIDE = 2, DOTS_HIGH = 4 };

/* The model stands in cells without calls, where there is Braille; else over them. */
struct grid {
	char cells[PLOT_HEIGHT][PLOT_WIDTH];
	unsigned char dots[PLOT_HEIGHT][PLOT_WIDTH]; /* bits of U+2800 */
	bool has_dots;
};

static void grid_put(struct grid *grid, const struct figure *figure, double x, double y, char mark)
{
	static const unsigned char bits[DOTS_HIGH][DOTS_WIDE] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	const double across = figure_place(&figure->x, x), up = figure_place(&figure->y, y);
	int column, row;

	if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1))
		return;
	if (grid->has_dots && mark == '.') {
		column = (int)(across * (PLOT_WIDTH * DOTS_WIDE - 1));
		row = PLOT_HEIGHT * DOTS_HIGH - 1 - (int)(up * (PLOT_HEIGHT * DOTS_HIGH - 1));
		grid->dots[row / DOTS_HIGH][column / DOTS_WIDE] |=
			bits[row % DOTS_HIGH][column % DOTS_WIDE];
		return;
	}
	grid->cells[PLOT_HEIGHT - 1 - (int)(up * (PLOT_HEIGHT - 1))]
		   [(int)(across * (PLOT_WIDTH - 1))] = mark;
}

/* A terminal whose locale has UTF-8 shows eight dots a cell. */
static bool can_show_dots(void)
{
	const char *locale = getenv("LC_ALL");

	if (!locale || !*locale)
		locale = getenv("LC_CTYPE");
	if (!locale || !*locale)
		locale = getenv("LANG");
	return isatty(STDOUT_FILENO) && locale &&
	       (strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8"));
}

/* The bits of U+2800 to U+28ff in UTF-8. */
static void print_row(const struct grid *grid, int row, FILE *out)
{
	for (int i = 0; i < PLOT_WIDTH; i++) {
		const unsigned dots = grid->dots[row][i];

		if (dots)
			fprintf(out, "\xe2%c%c", 0xa0 + (int)(dots >> 6),
				0x80 + (int)(dots & 0x3f));
		else
			fputc(grid->cells[row][i], out);
	}
	fputc('\n', out);
}

static void grid_draw(struct grid *grid, const struct figure *figure)
{
	memset(grid->cells, ' ', sizeof(grid->cells));
	memset(grid->dots, 0, sizeof(grid->dots));
	grid->has_dots = can_show_dots();
	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		if (series->kind != FIGURE_POINTS && series->kind != FIGURE_CURVE)
			continue;
		for (size_t j = 0; j < series->n; j++)
			grid_put(grid, figure, series->x[j], series->y[j],
				 series->kind == FIGURE_CURVE ? '*'
				 : series->is_outside         ? 'x'
							      : '.');
	}
}

static void plot_print_axis_title(const struct figure_axis *axis, FILE *out)
{
	text_print_safe(out, axis->title);
	if (axis->unit && *axis->unit)
		fprintf(out, " [%s]", axis->unit);
}

/* The text of the tick in row @row from above; empty: there is none. */
static void tick_of_row(const struct figure_axis *axis, int row, char ret[FIGURE_TEXT])
{
	double ticks[TICKS];
	const size_t n = figure_ticks(axis, TICKS, ticks);

	*ret = '\0';
	for (size_t i = 0; i < n; i++)
		if (row ==
		    PLOT_HEIGHT - 1 - (int)(figure_place(axis, ticks[i]) * (PLOT_HEIGHT - 1)))
			figure_text(ticks[i], ret);
}

/* The line below the grid: round numbers, each below its column. */
static void print_ticks(const struct figure_axis *axis, FILE *out)
{
	char line[PLOT_WIDTH + FIGURE_TEXT], text[FIGURE_TEXT];
	double ticks[TICKS];
	const size_t n = figure_ticks(axis, TICKS, ticks);
	size_t end = 0;

	memset(line, ' ', sizeof(line));
	for (size_t i = 0; i < n; i++) {
		const size_t column = (size_t)(figure_place(axis, ticks[i]) * (PLOT_WIDTH - 1));
		size_t at;

		figure_text(ticks[i], text);
		at = column > strlen(text) / 2 ? column - strlen(text) / 2 : 0;
		if (end && at <= end)
			continue;
		memcpy(line + at, text, strlen(text));
		end = at + strlen(text);
	}
	fprintf(out, "\n%*s  %.*s\n", MARGIN, "", (int)end, line);
}

static void print_grid(const struct grid *grid, const struct figure *figure, FILE *out)
{
	char text[FIGURE_TEXT];

	plot_print_axis_title(&figure->y, out);
	fputc('\n', out);
	for (int i = 0; i < PLOT_HEIGHT; i++) {
		tick_of_row(&figure->y, i, text);
		fprintf(out, "%*s |", MARGIN, text);
		print_row(grid, i, out);
	}
	fprintf(out, "%*s +", MARGIN, "");
	for (int i = 0; i < PLOT_WIDTH; i++)
		fputc('-', out);
	print_ticks(&figure->x, out);
	fprintf(out, "%*s  ", MARGIN, "");
	plot_print_axis_title(&figure->x, out);
	fprintf(out, "      %s a call  * the model\n", grid->has_dots ? "\u2802" : ".");
	if (figure->caption) {
		text_print_safe(out, figure->caption);
		fputc('\n', out);
	}
}

static bool plot_write_svg(const struct figure *figure, const char *path, struct err *err)
{
	const struct svg_options options = {.width = 0};
	struct output output;
	bool ok;

	if (!output_open(path, NULL, 0, &output, err))
		return false;
	output_begin(&output);
	ok = svg_figure(figure, &options, output.file, err);
	ok = output_close(&output, err) && ok;
	if (ok)
		prompt_say("Drawn in %s.", path);
	return ok;
}

static bool plot_show(const struct plotting *plotting, const struct figure *figure, struct err *err)
{
	struct grid grid;

	message_progress_end();
	if (plotting->file)
		return plot_write_svg(figure, plotting->file, err);
	grid_draw(&grid, figure);
	text_print_safe(stdout, figure->title);
	putchar('\n');
	print_grid(&grid, figure, stdout);
	return true;
}

static bool plot_find_feature(const struct study *study, const char *expression, unsigned *ret,
			      struct err *err)
{
	*ret = study_main_feature(study);
	if (!expression)
		return true;
	for (size_t i = 0; i < study->n_features; i++) {
		*ret = i;
		if (!strcmp(study->features[i].expression, expression))
			return true;
		for (size_t j = 0; j < study->features[i].n_aliases; j++)
			if (!strcmp(study->features[i].aliases[j], expression))
				return true;
	}
	return err_set(err, ERR_NOT_FOUND, "the samples of %.100s have no feature %.100s",
		       study->samples->function, expression);
}

/* The model that annotate makes, too, and the profile keeps. NULL: the study makes one. */
static struct annotation *plot_model(const struct plotting *plotting, const char *key,
				     const struct samples *samples,
				     const struct model_options *options)
{
	struct annotation *made[METRIC_COUNT];
	const uint64_t metrics = METRIC_BIT(plotting->metric);

	return kept_models_build(plotting->prompt->profile, key, samples, metrics, options, made)
		       ? made[0]
		       : NULL;
}

static bool plot_of_samples(struct plotting *plotting, const char *key, struct samples *samples,
			    struct err *err)
{
	const struct model_options options = selected_functions_options(&plotting->prompt->options);
	struct figure *figure;
	struct study *study;
	unsigned feature;
	bool ok;

	if (plotting->is_drawn)
		return true;
	if (samples_find_column(samples, COLUMN_METRIC, metric_info(plotting->metric)->keyword) ==
	    samples->n_columns)
		return err_set(err, ERR_NOT_FOUND, "%s of %.100s was not measured",
			       metric_info(plotting->metric)->keyword, samples->function);
	plotting->is_drawn = true;
	derived_columns_add(samples);
	study = study_build(samples, plotting->metric, &options,
			    plot_model(plotting, key, samples, &options));
	ok = plot_find_feature(study, plotting->feature, &feature, err);
	if (ok) {
		figure = figure_scatter(study, feature, &figure_default);
		ok = plot_show(plotting, figure, err);
		figure_destroy(figure);
	}
	study_destroy(study);
	return ok;
}

static bool plot_samples(void *self, const char *key, struct samples *samples, struct err *err)
{
	const bool ok = plot_of_samples(self, key, samples, err);

	samples_destroy(samples);
	return ok;
}

/* Split "f.time" into function and metric, if that metric exists. */
static const char *split_metric(struct prompt *prompt, const char *text, enum metric *ret)
{
	for (const char *dot = text + strlen(text); dot-- > text;) {
		if (*dot != '.' || metric_parse(dot + 1) == METRIC_COUNT)
			continue;
		if (dot - text > 4 && !strncmp(dot - 5, ".self", 5))
			dot -= 5;
		*ret = metric_parse(dot + 1);
		return arena_printf(prompt->spare, "%.*s", (int)(dot - text), text);
	}
	*ret = METRIC_TIME;
	return text;
}

/* FUNCTION [FEATURE] [> FILE] */
static bool plot_parse(struct prompt *prompt, const struct prompt_arguments *arguments,
		       const char **ret_function, struct plotting *ret, struct err *err)
{
	const size_t first = shell_words_function(arguments->text, arguments->words, arguments->n,
						  prompt->spare, ret_function);
	size_t n = arguments->n;

	for (size_t i = first; i < n; i++) {
		const char *text = arguments->words[i].text;

		if (*text != '>' || arguments->text[arguments->words[i].at] != '>')
			continue;
		if (!text[1] && i + 2 != n)
			return err_set(err, ERR_USAGE, "one file follows >, and nothing else");
		ret->file = text[1] ? text + 1 : arguments->words[i + 1].text;
		n = i;
	}
	if (!first || n > first + 1)
		return err_set(
			err, ERR_USAGE,
			"which function? as in plot parse n, or plot parse.mem n > parse.svg; "
			"quotes go "
			"around names with blanks");
	ret->feature = n > first ? arguments->words[first].text : NULL;
	return true;
}

bool prompt_plot(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct plotting plotting = {.prompt = prompt};
	struct options options = prompt->options;
	struct chosen chosen = {.options = &options};
	const char *function;

	if (!plot_parse(prompt, arguments, &function, &plotting, err) ||
	    !prompt_needs_samples(prompt, err))
		return false;
	function = split_metric(prompt, function, &plotting.metric);
	options.functions = &function;
	options.n_functions = 1;
	chosen.profile = prompt->profile;
	if (!selected_functions_visit(&chosen, plot_samples, &plotting, err))
		return false;
	return plotting.is_drawn ||
	       err_set(err, ERR_NOT_FOUND,
		       "there are no samples of %.100s: info samples lists what there is",
		       function);
}
