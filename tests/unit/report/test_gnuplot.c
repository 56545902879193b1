/*
 * Scripts and data for gnuplot. Whether gnuplot draws them is tests/cli/pictures.sh's matter.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "figure_fixture.h"
#include "report/gnuplot.h"

static bool write_script(const struct figure *figure, FILE *out, struct err *err)
{
	return gnuplot_script(figure, "f.dat", out, err);
}

static void data_are_a_block_a_series(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, gnuplot_data);
	const char *at = text;
	size_t blocks = 1;

	(void)state;
	for (; (at = strstr(at, "\n\n\n")); at += 3)
		blocks++;
	assert_int_equal(blocks, figure.n_series);
	assert_non_null(strstr(text, "# a band: x low high\n0 10 12\n50 20 25\n100 40 44\n"));
	assert_non_null(strstr(text, "# bars: from to height\n0 12 10\n"));
	assert_non_null(strstr(text, "# a curve: x y\n0 10\n"));
	free(text);
}

static void a_series_without_points_keeps_its_place(void **state)
{
	static const struct figure_series series[] = {
		{.kind = FIGURE_POINTS},
		{.kind = FIGURE_CURVE, .x = fixture_x, .y = fixture_y, .n = 2},
	};
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.series = series;
	figure.n_series = 2;
	text = fixture_text(&figure, gnuplot_data);
	assert_non_null(strstr(text, "# points: x y\nNaN NaN NaN\n\n\n# a curve: x y\n0 10\n"));
	free(text);
}

static void the_script_has_ranges_names_and_a_plot_a_series(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, write_script);

	(void)state;
	assert_memory_equal(text, GNUPLOT_MARK, strlen(GNUPLOT_MARK));
	assert_non_null(strstr(text, "data = 'f.dat'\n"));
	assert_non_null(strstr(text, "set title 'f(int).time' noenhanced\n"));
	assert_non_null(strstr(text, "set xrange [0:100]\n"));
	assert_non_null(strstr(text, "set ylabel 'time' . ' (' . '\xc2\xb5s' . ')' noenhanced\n"));
	assert_non_null(strstr(text, "data index 4 using 1:2 with lines"));
	free(text);
}

/*
 * Outside of the words that are always there, all is within single quotes, which hold none and no
 * control characters. Within them gnuplot takes nothing for code.
 */
static void assert_quoted(const char *text)
{
	const char *line;
	char *copy = strdup(text);
	char *rest = copy;

	while ((line = strsep(&rest, "\n"))) {
		bool inside = false;

		if (*line == '#' || !strcmp(line, "quote = \"\\047\""))
			continue;
		for (; *line; line++) {
			assert_true((unsigned char)*line >= 0x20 && *line != 0x7f);
			if (*line == '\'')
				inside = !inside;
			else if (!inside)
				assert_null(strchr("`@<>|!&", *line));
		}
		assert_false(inside);
	}
	free(copy);
}

static void hostile_names_stay_within_quotes(void **state)
{
	static const struct label labels[] = {{0, fixture_hostile}, {1, "100 %"}};
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.title = figure.caption = figure.x.title = figure.y.unit = fixture_hostile;
	figure.x.labels = labels;
	figure.x.n_labels = 2;
	text = fixture_text(&figure, write_script);
	assert_non_null(strstr(text, "set title '' . quote . '<b a="));
	assert_non_null(strstr(text, "'100 %%' 1"));
	assert_null(strstr(text, "\xff"));
	/* Two quotes side by side would end a string. */
	assert_null(strstr(text, "''''"));
	assert_quoted(text);
	free(text);
}

static void comments_of_data_are_one_line(void **state)
{
	struct figure figure = fixture_figure();
	char *text;
	char *rest;
	const char *line;

	(void)state;
	figure.title = fixture_hostile;
	text = rest = fixture_text(&figure, gnuplot_data);
	while ((line = strsep(&rest, "\n")))
		assert_true(!*line || strchr("#-0123456789", *line));
	free(text);
}

static void logarithmic_bars_begin_at_the_axis(void **state)
{
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.y.is_log = true;
	figure.y.low = 0.5;
	text = fixture_text(&figure, write_script);
	assert_non_null(strstr(text, "set logscale y\n"));
	assert_non_null(strstr(text, ":(0.5):3 with boxxyerror"));
	free(text);
}

static void a_figure_of_nothing_plots_nothing(void **state)
{
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.n_series = 0;
	figure.title = figure.caption = figure.x.title = NULL;
	text = fixture_text(&figure, write_script);
	assert_non_null(strstr(text, "plot NaN notitle\n"));
	free(text);
}

static void what_cannot_be_written_is_an_error(void **state)
{
	const struct figure figure = fixture_figure();

	(void)state;
	fixture_assert_fails(&figure, write_script);
	fixture_assert_fails(&figure, gnuplot_data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_are_a_block_a_series),
		cmocka_unit_test(a_series_without_points_keeps_its_place),
		cmocka_unit_test(the_script_has_ranges_names_and_a_plot_a_series),
		cmocka_unit_test(hostile_names_stay_within_quotes),
		cmocka_unit_test(comments_of_data_are_one_line),
		cmocka_unit_test(logarithmic_bars_begin_at_the_axis),
		cmocka_unit_test(a_figure_of_nothing_plots_nothing),
		cmocka_unit_test(what_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
