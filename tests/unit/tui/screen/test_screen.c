/* The grid of cells: what gets into it, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/screen/screen.h"
#include "tui/screen/screen_width.h"

static char *printed(const struct screen *screen, bool styled)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	screen_print(screen, styled, out);
	fclose(out);
	return text;
}

static void assert_screen(const struct screen *screen, const char *expected)
{
	char *text = printed(screen, false);

	assert_string_equal(text, expected);
	free(text);
}

/* What @text looks like in a line of @width. */
static void assert_line(const char *text, unsigned width, bool is_ascii, const char *expected)
{
	struct screen *screen = screen_create(width, 1, is_ascii);
	char *line;

	screen_text(screen_all(screen), 0, 0, STYLE_NORMAL, text);
	line = printed(screen, false);
	line[strlen(line) - 1] = '\0';
	assert_string_equal(line, expected);
	free(line);
	screen_destroy(screen);
}

static void text_is_cut_at_the_end_of_its_region(void **state)
{
	struct screen *screen = screen_create(10, 3, false);
	const struct pane region = screen_part(screen_all(screen), 2, 1, 4, 1);

	(void)state;
	assert_int_equal(screen_text(region, 1, 0, STYLE_NORMAL, "abcdef"), 3);
	assert_int_equal(screen_text(region, 0, 1, STYLE_NORMAL, "below"), 0);
	assert_int_equal(screen_text(region, 7, 0, STYLE_NORMAL, "beyond"), 0);
	assert_screen(screen, "\n   abc\n\n");
	screen_destroy(screen);
}

static void a_part_of_a_region_is_never_larger_than_it(void **state)
{
	struct screen *screen = screen_create(10, 5, false);
	const struct pane region = screen_part(screen_all(screen), 8, 3, 100, 100);
	const struct pane none = screen_part(region, 50, 50, 1, 1);

	(void)state;
	assert_int_equal(region.width, 2);
	assert_int_equal(region.height, 2);
	assert_int_equal(none.width, 0);
	assert_int_equal(none.height, 0);
	screen_text(none, 0, 0, STYLE_NORMAL, "x");
	screen_put(none, 0, 0, STYLE_NORMAL, 'x');
	screen_style(none, 0, STYLE_TITLE);
	assert_screen(screen, "\n\n\n\n\n");
	screen_destroy(screen);
}

static void control_characters_never_get_into_a_cell(void **state)
{
	(void)state;
	assert_line("a\x1b[2J\r\n\t\x7f!", 20, false,
		    "a?[2J???"
		    "?!");
	assert_line("\xc2\x9b"
		    "31m \xff \xe2\x82 \xc0\xaf",
		    20, false, "??31m ? ?? ??");
	/*
	 * The rest of a line from right to left, an isolate, a mark that has no width, a separator.
	 */
	assert_line("a\xe2\x80\xae"
		    "b\xe2\x81\xa6"
		    "c\xe2\x80\x8b"
		    "d\xe2\x80\xa8"
		    "e",
		    20, false, "a?b?c?d?e");
}

static void wide_characters_take_two_columns(void **state)
{
	(void)state;
	assert_int_equal(screen_width("\xe8\xa1\xa8 a"), 4);
	assert_line("\xe8\xa1\xa8\xe3\x82\x92", 4, false, "\xe8\xa1\xa8\xe3\x82\x92");
	/* There is no half of one. */
	assert_line("\xe8\xa1\xa8\xe3\x82\x92", 3, false, "\xe8\xa1\xa8");
	assert_line("\xe8\xa1\xa8\xe3\x82\x92", 3, true, "??");
}

static void what_loses_its_other_half_is_blank(void **state)
{
	struct screen *screen = screen_create(6, 1, false);

	(void)state;
	screen_text(screen_all(screen), 0, 0, STYLE_NORMAL, "\xe8\xa1\xa8\xe8\xa1\xa8\xe8\xa1\xa8");
	screen_put(screen_all(screen), 1, 0, STYLE_NORMAL, 'x');
	screen_put(screen_all(screen), 2, 0, STYLE_NORMAL, 'y');
	assert_screen(screen, " xy \xe8\xa1\xa8\n");
	screen_text(screen_all(screen), 3, 0, STYLE_NORMAL, "\xe8\xa1\xa8");
	assert_screen(screen, " xy\xe8\xa1\xa8\n");
	assert_int_equal(screen->cells[4].character, 0);
	screen_destroy(screen);
}

static void a_combining_character_is_over_the_one_before(void **state)
{
	(void)state;
	assert_int_equal(screen_width("e\xcc\x81"), 1);
	assert_line("e\xcc\x81x", 5, false, "e\xcc\x81x");
	assert_line("xe\xcc\x81y", 2, false, "xe\xcc\x81");
	/* There is none before it. */
	assert_line("\xcc\x81x", 5, false, "x");
	assert_line("e\xcc\x81x", 5, true, "ex");
}

static void a_screen_of_ascii_has_nothing_else(void **state)
{
	(void)state;
	assert_line("1 \xc2\xb5s R\xc2\xb2 \xe2\x80\xa6 \xe2\x94\x82\xe2\x96\x88 \xe2\x82\xac", 20,
		    true, "1 us R2 ~ |# ?");
}

static void a_screen_can_be_printed_with_its_styles(void **state)
{
	struct screen *screen = screen_create(6, 2, false);
	char *text;

	(void)state;
	screen_text(screen_all(screen), 1, 0, STYLE_TITLE, "ab");
	screen_text(screen_all(screen), 0, 1, STYLE_GROUP + 2, "c");
	screen_style(screen_part(screen_all(screen), 3, 1, 2, 1), 0, STYLE_SELECTED);
	text = printed(screen, true);
	assert_string_equal(text, " ab\n~ TT\nc\n~2  SS\n");
	free(text);
	screen_destroy(screen);
}

static void a_region_prints_what_a_format_says(void **state)
{
	struct screen *screen = screen_create(8, 1, false);

	(void)state;
	assert_int_equal(screen_printf(screen_all(screen), 0, 0, STYLE_NORMAL, "%d of %s", 3, "12"),
			 7);
	assert_screen(screen, "3 of 12\n");
	screen_destroy(screen);
}

static void bytes_of_any_kind_take_as_many_columns_as_are_told(void **state)
{
	struct screen *screen = screen_create(400, 1, false);
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char text[100];
		unsigned columns;
		const char *end;

		for (size_t i = 0; i < sizeof(text); i++) {
			random = random * 1664525u + 1013904223u;
			text[i] = (char)(random >> 24 | !(random >> 24));
		}
		text[99] = '\0';
		columns = screen_text(screen_all(screen), 0, 0, STYLE_NORMAL, text);
		assert_int_equal(columns, screen_width(text));
		end = screen_cut(text, columns / 2);
		assert_in_range(end - text, 0, 99);
		*(char *)end = '\0';
		assert_in_range(screen_width(text), columns / 2 ? columns / 2 - 1 : 0, columns / 2);
	}
	for (unsigned x = 0; x < screen->width; x++)
		assert_true(screen_width_of(screen->cells[x].character) != COLUMNS_HIDDEN ||
			    screen->cells[x].character == 0);
	screen_destroy(screen);
}

static void characters_encode_as_they_were(void **state)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
	static const uint32_t characters[] = {'a', 0xe9, 0x20ac, 0x1f600};
	char encoded[32];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		n += screen_encode(characters[i], encoded + n);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(encoded, text, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_at_the_end_of_its_region),
		cmocka_unit_test(a_part_of_a_region_is_never_larger_than_it),
		cmocka_unit_test(control_characters_never_get_into_a_cell),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(what_loses_its_other_half_is_blank),
		cmocka_unit_test(a_combining_character_is_over_the_one_before),
		cmocka_unit_test(a_screen_of_ascii_has_nothing_else),
		cmocka_unit_test(a_screen_can_be_printed_with_its_styles),
		cmocka_unit_test(a_region_prints_what_a_format_says),
		cmocka_unit_test(bytes_of_any_kind_take_as_many_columns_as_are_told),
		cmocka_unit_test(characters_encode_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
