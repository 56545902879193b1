/*
 * The command plot: a metric over a feature, with its model, as text or as a file.
 * core/figure/figure.h defines what the plot shows.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "results/selected_functions.h"
#include "core/samples/derived_columns.h"
#include "core/figure/figure.h"
#include "cli/message.h"
#include "model/study_build.h"
#include "prompt_commands.h"
#include "prompt_text.h"
#include "report/svg.h"

enum { PLOT_WIDTH = 64, PLOT_HEIGHT = 18, MARGIN = 10 };

/* What to draw; only the first matching function is drawn. */
struct plotting {
	struct prompt *prompt;
	enum metric metric;
	const char *feature; /* NULL: the one that explains most */
	const char *file;    /* NULL: as text */
	bool is_drawn;
};

struct grid {
	char cells[PLOT_HEIGHT][PLOT_WIDTH + 1];
};

static void grid_put(struct grid *grid, const struct figure *figure, double x, double y, char mark)
{
	const double across = figure_place(&figure->x, x), up = figure_place(&figure->y, y);

	if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1))
		return;
	grid->cells[PLOT_HEIGHT - 1 - (int)(up * (PLOT_HEIGHT - 1))]
		   [(int)(across * (PLOT_WIDTH - 1))] = mark;
}

static void grid_draw(struct grid *grid, const struct figure *figure)
{
	memset(grid->cells, ' ', sizeof(grid->cells));
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
	for (size_t i = 0; i < PLOT_HEIGHT; i++)
		grid->cells[i][PLOT_WIDTH] = '\0';
}

static void plot_print_axis_title(const struct figure_axis *axis, FILE *out)
{
	text_print_safe(out, axis->title);
	if (axis->unit && *axis->unit)
		fprintf(out, " [%s]", axis->unit);
}

static void print_grid(const struct grid *grid, const struct figure *figure, FILE *out)
{
	char text[FIGURE_TEXT], high[FIGURE_TEXT];

	plot_print_axis_title(&figure->y, out);
	fputc('\n', out);
	for (int i = 0; i < PLOT_HEIGHT; i++) {
		*text = '\0';
		if (i % 4 == 0 || i == PLOT_HEIGHT - 1)
			figure_text(figure_number(&figure->y, 1 - i / (PLOT_HEIGHT - 1.0)), text);
		fprintf(out, "%*s |%s\n", MARGIN, text, grid->cells[i]);
	}
	fprintf(out, "%*s +", MARGIN, "");
	for (int i = 0; i < PLOT_WIDTH; i++)
		fputc('-', out);
	figure_text(figure->x.low, text);
	figure_text(figure->x.high, high);
	fprintf(out, "\n%*s  %-*s%s\n%*s  ", MARGIN, "", PLOT_WIDTH - (int)strlen(high), text, high,
		MARGIN, "");
	plot_print_axis_title(&figure->x, out);
	fputs("      . a call  * the model\n", out);
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

static bool plot_of_samples(struct plotting *plotting, struct samples *samples, struct err *err)
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
	study = study_build(samples, plotting->metric, &options, NULL);
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
	const bool ok = plot_of_samples(self, samples, err);

	(void)key;
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
static bool plot_parse(const struct prompt_arguments *arguments, const char **ret_function,
		       struct plotting *ret, struct err *err)
{
	size_t n = arguments->n;

	for (size_t i = 0; i < n; i++) {
		const char *text = arguments->words[i].text;

		if (*text != '>' || arguments->text[arguments->words[i].at] != '>')
			continue;
		if (!text[1] && i + 2 != n)
			return err_set(err, ERR_USAGE, "one file follows >, and nothing else");
		ret->file = text[1] ? text + 1 : arguments->words[i + 1].text;
		n = i;
	}
	if (n < 1 || n > 2)
		return err_set(
			err, ERR_USAGE,
			"which function? as in plot parse n, or plot parse.mem n > parse.svg; "
			"quotes go "
			"around names with blanks");
	*ret_function = arguments->words[0].text;
	ret->feature = n > 1 ? arguments->words[1].text : NULL;
	return true;
}

bool prompt_plot(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct plotting plotting = {.prompt = prompt};
	struct options options = prompt->options;
	struct chosen chosen = {.options = &options};
	const char *function;

	if (!plot_parse(arguments, &function, &plotting, err) || !prompt_needs_samples(prompt, err))
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
