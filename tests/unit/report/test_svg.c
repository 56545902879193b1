/*
 * SVG of figures: well-formed whatever names hold, with everything that a figure has, and bounded.
 */
#include "check.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_fixture.h"
#include "report/svg.h"
#include "report/xml.h"

static bool write_alone(const struct figure *figure, FILE *out, struct err *err)
{
	return svg_figure(figure, &(const struct svg_options){0}, out, err);
}

static bool write_embedded(const struct figure *figure, FILE *out, struct err *err)
{
	return svg_figure(figure, &(const struct svg_options){.is_embedded = true}, out, err);
}

/*
 * Tags are closed in the order in which they were opened, attributes quoted; what is outside of
 * tags has no bare & or <.
 */
static void assert_well_formed(const char *text)
{
	const char *open[64];
	unsigned depth = 0;
	const char *at;

	for (at = strchr(text, '<'); at; at = strchr(at, '<')) {
		const char *end = strchr(at, '>');

		assert_non_null(end);
		if (at[1] == '/') {
			assert_true(depth > 0);
			depth--;
			assert_memory_equal(open[depth], at + 2, end - at - 2);
		} else if (at[1] != '?' && at[1] != '!' && end[-1] != '/') {
			assert_true(isalpha((unsigned char)at[1]));
			assert_true(depth < 64);
			open[depth++] = at + 1;
		}
		at = end;
	}
	assert_int_equal(depth, 0);
}

static void assert_printable(const char *text)
{
	for (; *text; text++)
		assert_true((unsigned char)*text >= 0x20 || *text == '\n');
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

static void a_figure_alone_has_its_own_style_for_light_and_dark(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, write_alone);

	(void)state;
	assert_memory_equal(text, "<?xml", 5);
	assert_non_null(strstr(text, "xmlns=\"http://www.w3.org/2000/svg\""));
	assert_non_null(strstr(text, "prefers-color-scheme: dark"));
	assert_well_formed(text);
	free(text);
}

static void a_figure_in_a_page_has_neither_styles_nor_a_declaration(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, write_embedded);

	(void)state;
	assert_memory_equal(text, "<svg", 4);
	assert_null(strstr(text, "style"));
	assert_null(strstr(text, " id="));
	assert_well_formed(text);
	free(text);
}

static void title_axes_units_legend_and_caption_are_there(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, write_embedded);

	(void)state;
	assert_non_null(strstr(text, "<title>f(int).time</title>"));
	assert_non_null(strstr(text, ">time (\xc2\xb5s)</text>"));
	assert_non_null(strstr(text, ">n</text>"));
	assert_non_null(strstr(text, ">no case</text>"));
	assert_non_null(strstr(text, ">curves at m = 12</text>"));
	assert_non_null(strstr(text, ">100</text>"));
	free(text);
}

static void each_kind_of_series_is_drawn(void **state)
{
	const struct figure figure = fixture_figure();
	char *text = fixture_text(&figure, write_embedded);

	(void)state;
	/* Once in the area, and once in the legend where it belongs to a series with a name. */
	assert_int_equal(count(text, "class=\"b b0\""), 2);
	assert_int_equal(count(text, "class=\"h h1\""), 1);
	assert_int_equal(count(text, "class=\"p p0\""), 2);
	assert_int_equal(count(text, "class=\"p out\""), 2);
	assert_int_equal(count(text, "class=\"c c0\""), 2);
	free(text);
}

static void hostile_names_are_escaped_and_made_visible(void **state)
{
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.title = figure.caption = figure.x.title = figure.y.unit = fixture_hostile;
	text = fixture_text(&figure, write_alone);
	assert_well_formed(text);
	assert_printable(text);
	assert_null(strstr(text, "<b a="));
	assert_non_null(strstr(text, "&lt;b a=&quot;1&quot;&gt;&amp;amp;]]&gt;"));
	/* The picture of ESC, and U+FFFD for what is no character. */
	assert_non_null(strstr(text, "\xe2\x90\x9b[2J"));
	assert_non_null(strstr(text, "\xef\xbf\xbd"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strstr(text, "\xff"));
	free(text);
}

static void long_names_are_cut_on_the_picture_and_whole_in_its_title(void **state)
{
	enum { LONG = 10000 };
	struct figure figure = fixture_figure();
	char *name = malloc(LONG + 1);
	char *text;

	(void)state;
	memset(name, 'x', LONG);
	name[LONG] = '\0';
	figure.title = figure.x.title = figure.y.title = name;
	text = fixture_text(&figure, write_embedded);
	assert_int_equal(count(text, name), 1);
	assert_true(strlen(text) < LONG + 20000);
	assert_non_null(strstr(text, "x\xe2\x80\xa6</text>"));
	free(text);
	free(name);
}

static void points_at_one_place_are_drawn_once(void **state)
{
	enum { MANY = 100000 };
	double *x = calloc(MANY, sizeof(*x));
	double *y = calloc(MANY, sizeof(*y));
	const struct figure_series series = {.kind = FIGURE_POINTS, .x = x, .y = y, .n = MANY};
	struct figure figure = fixture_figure();
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < MANY; i++) {
		x[i] = i % 100;
		y[i] = i % 7;
	}
	figure.series = &series;
	figure.n_series = 1;
	text = fixture_text(&figure, write_embedded);
	assert_true(strlen(text) < 20000);
	free(text);
	free(x);
	free(y);
}

/* Contracts say that numbers are finite; a picture must be one even so. */
static void numbers_that_are_none_do_not_get_into_the_picture(void **state)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308};
	static const struct figure_series series[] = {
		{.kind = FIGURE_POINTS, .x = odd, .y = odd, .n = 4},
		{.kind = FIGURE_CURVE, .x = odd, .y = odd, .n = 4},
		{.kind = FIGURE_BAND, .x = odd, .y = odd, .y2 = odd, .n = 4},
		{.kind = FIGURE_BARS, .x = odd, .y = odd, .x2 = odd, .n = 4},
	};
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.series = series;
	figure.n_series = 4;
	text = fixture_text(&figure, write_embedded);
	assert_well_formed(text);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	free(text);
}

static void categories_are_called_by_name(void **state)
{
	static const struct label labels[] = {{0, "red"}, {1, "<blue>"}};
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.x.labels = labels;
	figure.x.n_labels = 2;
	figure.x.low = -0.5;
	figure.x.high = 1.5;
	text = fixture_text(&figure, write_embedded);
	assert_non_null(strstr(text, ">red</text>"));
	assert_non_null(strstr(text, ">&lt;blue&gt;</text>"));
	free(text);
}

static void a_legend_of_many_cases_is_bounded(void **state)
{
	enum { MANY = 500 };
	struct figure_series *series = calloc(MANY, sizeof(*series));
	struct figure figure = fixture_figure();
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < MANY; i++)
		series[i] = (struct figure_series){.kind = FIGURE_POINTS,
						   .name = "some case",
						   .group = i,
						   .x = fixture_x,
						   .y = fixture_y,
						   .n = 3};
	figure.series = series;
	figure.n_series = MANY;
	text = fixture_text(&figure, write_embedded);
	assert_int_equal(count(text, ">some case</text>"), 12);
	assert_non_null(strstr(text, ">and 488 more</text>"));
	free(text);
	free(series);
}

static void a_figure_of_nothing_is_a_picture(void **state)
{
	struct figure figure = fixture_figure();
	char *text;

	(void)state;
	figure.n_series = 0;
	figure.caption = figure.title = figure.x.title = NULL;
	figure.y.is_log = true;
	figure.y.low = 1;
	text = fixture_text(&figure, write_alone);
	assert_well_formed(text);
	assert_non_null(strstr(text, ", logarithmic"));
	free(text);
}

static void what_cannot_be_written_is_an_error(void **state)
{
	const struct figure figure = fixture_figure();

	(void)state;
	fixture_assert_fails(&figure, write_alone);
}

static void coordinates_are_short_and_finite(void **state)
{
	static const struct {
		double px;
		const char *text;
	} cases[] = {{0, "0"},   {-0.04, "0"},        {1.25, "1.3"},      {-2.5, "-2.5"},
		     {NAN, "0"}, {INFINITY, "10000"}, {-1e300, "-10000"}, {7, "7"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		xml_print_px(cases[i].px, out);
		fclose(out);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_alone_has_its_own_style_for_light_and_dark),
		cmocka_unit_test(a_figure_in_a_page_has_neither_styles_nor_a_declaration),
		cmocka_unit_test(title_axes_units_legend_and_caption_are_there),
		cmocka_unit_test(each_kind_of_series_is_drawn),
		cmocka_unit_test(hostile_names_are_escaped_and_made_visible),
		cmocka_unit_test(long_names_are_cut_on_the_picture_and_whole_in_its_title),
		cmocka_unit_test(points_at_one_place_are_drawn_once),
		cmocka_unit_test(numbers_that_are_none_do_not_get_into_the_picture),
		cmocka_unit_test(categories_are_called_by_name),
		cmocka_unit_test(a_legend_of_many_cases_is_bounded),
		cmocka_unit_test(a_figure_of_nothing_is_a_picture),
		cmocka_unit_test(what_cannot_be_written_is_an_error),
		cmocka_unit_test(coordinates_are_short_and_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
