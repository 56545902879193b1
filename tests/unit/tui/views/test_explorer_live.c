/*
 * Lists and studies are replaced while somebody looks: what was selected, zoomed, folded and
 * scrolled stays. And the line of a live run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer_fixture.h"
#include "tui/views/views.h"

struct given {
	struct explorer *explorer;
	struct fixture before, after; /* the same function, with more calls */
};

static int begin(void **state)
{
	struct given *given = calloc(1, sizeof(*given));

	given->explorer = explorer_create();
	given->before = fixture_create(FIXTURE_CASES, 200, 1000);
	given->after = fixture_create(FIXTURE_CASES, 300, 1000);
	explorer_set_list(given->explorer, fixture_entries, FIXTURE_ENTRIES);
	*state = given;
	return 0;
}

static int end(void **state)
{
	struct given *given = *state;

	explorer_destroy(given->explorer);
	fixture_destroy(&given->before);
	fixture_destroy(&given->after);
	free(given);
	return 0;
}

static char *screen_of(struct given *given)
{
	return fixture_screen(given->explorer, 100, 30, false);
}

/* Each drawn, as by a terminal. */
static void press(struct given *given, const char *keys)
{
	free(screen_of(given));
	fixture_press(given->explorer, keys, given->before.study);
	free(screen_of(given));
}

static void replace(struct given *given)
{
	explorer_set_study(given->explorer, 0, given->after.study, NULL);
}

static void assert_shows(struct given *given, const char *text)
{
	char *screen = screen_of(given);

	if (!strstr(screen, text))
		print_message("no \"%s\" in\n%s\n", text, screen);
	assert_non_null(strstr(screen, text));
	free(screen);
}

static void the_selection_stays_with_its_function(void **state)
{
	struct given *given = *state;
	struct explorer_entry entries[FIXTURE_ENTRIES];

	press(given, "jj"); /* parse_line */
	for (size_t i = 0; i < FIXTURE_ENTRIES; i++)
		entries[i] = fixture_entries[FIXTURE_ENTRIES - 1 - i];
	entries[3].share = 0.99;
	explorer_set_list(given->explorer, entries, FIXTURE_ENTRIES);
	assert_int_equal(fixture_press(given->explorer, "<Enter>", NULL).entry, 3);
	assert_shows(given, "parse_line.time");
	/* Also while it is typed what to look for. */
	press(given, "q/e");
	explorer_set_list(given->explorer, fixture_entries, FIXTURE_ENTRIES);
	assert_int_equal(fixture_press(given->explorer, "<Enter><Enter>", NULL).entry, 2);
}

static void the_opened_function_is_found_in_a_new_list(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>");
	explorer_set_list(given->explorer, fixture_entries + 1, FIXTURE_ENTRIES - 1);
	assert_shows(given, "mode).time");
	assert_int_equal(fixture_press(given->explorer, "p", NULL).kind, EXPLORER_NOTHING);
	assert_shows(given, "the function is not in the list any more");
	explorer_set_list(given->explorer, fixture_entries, FIXTURE_ENTRIES);
	assert_int_equal(fixture_press(given->explorer, "p", NULL).kind, EXPLORER_OPEN);
}

/* The line of the x axis' numbers, which is above its title. */
static char *numbers_of(struct given *given)
{
	char *screen = fixture_screen(given->explorer, 80, 24, false), *end, *ret;

	assert_non_null(strstr(screen, "(µs, log)"));
	end = strstr(screen, "rows->size\n");
	assert_non_null(end);
	*strrchr(screen, '\n') = '\0';
	*end = '\0';
	*strrchr(screen, '\n') = '\0';
	ret = strdup(strrchr(screen, '\n'));
	free(screen);
	return ret;
}

static void the_zoom_and_the_axes_stay(void **state)
{
	struct given *given = *state;
	char *before, *after;

	press(given, "j<Enter>Y++L");
	before = numbers_of(given);
	replace(given);
	after = numbers_of(given);
	assert_string_equal(before, after);
	assert_null(strstr(before, "200"));
	free(before);
	free(after);
}

static void the_cursor_stays_on_its_call(void **state)
{
	struct given *given = *state;
	struct fixture later = fixture_create(FIXTURE_CASES, 300, 5000);

	press(given, "j<Enter>6jjjj<Enter>");
	assert_shows(given, "call 1004,");
	replace(given);
	assert_shows(given, "call 1004,");
	explorer_set_study(given->explorer, 0, later.study, NULL);
	assert_shows(given, "the call is not among the samples any more");
	explorer_set_study(given->explorer, 0, NULL, NULL);
	fixture_destroy(&later);
}

static void the_row_of_the_table_stays_on_its_call(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>6llljjjo");
	press(given, "<Enter>");
	assert_shows(given, "call 1003,");
	press(given, "q");
	replace(given);
	press(given, "<Enter>");
	assert_shows(given, "call 1003,");
}

static void what_was_folded_stays_so(void **state)
{
	struct given *given = *state;
	char *screen;

	press(given, "j<Enter>4jj<Enter>");
	replace(given);
	screen = screen_of(given);
	assert_non_null(strstr(screen, "▸ how == SLOW"));
	assert_null(strstr(screen, "n < 40"));
	free(screen);
	press(given, "5<Right>");
	assert_shows(given, "rows->capacity");
	replace(given);
	assert_shows(given, "rows->capacity");
}

static void the_selected_part_and_feature_stay(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>4jjjt5jj");
	replace(given);
	press(given, "<Enter>");
	assert_shows(given, "system.load");
	press(given, "4");
	assert_shows(given, "Norm(10, 4)");
	assert_shows(given, "* n < 40");
}

static void a_text_stays_scrolled(void **state)
{
	struct given *given = *state;
	struct screen *screen = screen_create(60, 10, false);

	press(given, "j<Enter>7");
	explorer_draw(given->explorer, screen);
	fixture_press(given->explorer, "jj", NULL);
	replace(given);
	explorer_draw(given->explorer, screen);
	/* Title, tabs, and the third line. */
	assert_int_equal(screen->cells[2 * 60 + 2].character, 'i');
	screen_destroy(screen);
}

static void samples_are_shown_before_their_model(void **state)
{
	struct given *given = *state;
	char *screen;

	press(given, "j");
	fixture_press(given->explorer, "<Enter>", NULL);
	assert_shows(given, "fitting");
	explorer_set_sketch(given->explorer, 0, given->before.study);
	assert_shows(given, "fitting");
	assert_shows(given, "rows->size");
	replace(given);
	screen = screen_of(given);
	assert_null(strstr(screen, "fitting"));
	free(screen);
}

static void a_metric_that_comes_late_is_waited_for(void **state)
{
	struct given *given = *state;
	struct fixture mem = fixture_create(FIXTURE_MIXTURE, 200, 1000);

	press(given, "j<Enter>");
	assert_int_equal(fixture_press(given->explorer, "m", NULL).entry, 1);
	/* What was under way is of the other metric. */
	replace(given);
	assert_shows(given, "fitting");
	explorer_set_study(given->explorer, 1, mem.study, NULL);
	fixture_press(given->explorer, "7", NULL);
	assert_shows(given, "{0.7} Norm(100, 8)");
	explorer_set_study(given->explorer, 1, NULL, NULL);
	fixture_destroy(&mem);
}

static const struct explorer_status busy = {
	.is_live = true,
	.seen = UINT64_MAX,
	.kept = UINT64_MAX,
	.dropped = UINT64_MAX,
	.overhead = 0.98765,
	.seconds = 1e9,
	.is_fitting = true,
};

static void nothing_of_the_live_line_is_cut(void **state)
{
	(void)state;
	for (unsigned width = 50; width < 200; width++) {
		char *text = status_line_text(&busy, width);

		assert_in_range(screen_width(text), 1, width);
		assert_non_null(strstr(text, "98.8 %"));
		assert_true(width < 80 || strstr(text, "fit"));
		free(text);
	}
}

static void all_words_of_the_live_line_have_room_in_80_columns(void **state)
{
	struct given *given = *state;
	struct explorer_status status = busy;

	status.seen = 1234567;
	status.kept = 98765;
	status.dropped = 0;
	status.overhead = 0.031;
	status.seconds = 12;
	explorer_set_status(given->explorer, &status);
	char *screen = fixture_screen(given->explorer, 80, 24, false);

	assert_non_null(strstr(
		screen,
		"live 12 s: calls seen 1234567, kept 98765, dropped 0, overhead 3.1 %, fitting\n"));
	free(screen);
	explorer_say(given->explorer, "saved as sort.svg");
	assert_shows(given, "overhead 3.1 %, fitting\nsaved as sort.svg\n");
	status.has_ended = true;
	status.is_fitting = false;
	status.overhead = NAN;
	explorer_set_status(given->explorer, &status);
	assert_shows(given, "ended 12 s: calls seen 1234567, kept 98765, dropped 0, overhead -\n");
	status.is_live = false;
	explorer_set_status(given->explorer, &status);
	screen = fixture_screen(given->explorer, 80, 24, false);
	assert_null(strstr(screen, "calls seen"));
	free(screen);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(the_selection_stays_with_its_function),
		test(the_opened_function_is_found_in_a_new_list),
		test(the_zoom_and_the_axes_stay),
		test(the_cursor_stays_on_its_call),
		test(the_row_of_the_table_stays_on_its_call),
		test(what_was_folded_stays_so),
		test(the_selected_part_and_feature_stay),
		test(a_text_stays_scrolled),
		test(samples_are_shown_before_their_model),
		test(a_metric_that_comes_late_is_waited_for),
		test(nothing_of_the_live_line_is_cut),
		test(all_words_of_the_live_line_have_room_in_80_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
