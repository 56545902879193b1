/* What keys, the mouse and new data do to the explorer, apart from how it looks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer_fixture.h"
#include "tui/screen/keys.h"

struct given {
	struct explorer *explorer;
	struct fixture study; /* of FIXTURE_CASES */
};

static int begin(void **state)
{
	struct given *given = calloc(1, sizeof(*given));

	given->explorer = explorer_create();
	given->study = fixture_create(FIXTURE_CASES, 300, 1000);
	explorer_set_list(given->explorer, fixture_entries, FIXTURE_ENTRIES);
	*state = given;
	return 0;
}

static int end(void **state)
{
	struct given *given = *state;

	explorer_destroy(given->explorer);
	fixture_destroy(&given->study);
	free(given);
	return 0;
}

static struct explorer_effect press(struct given *given, const char *keys)
{
	return fixture_press(given->explorer, keys, given->study.study);
}

static bool shows_at(struct given *given, unsigned width, unsigned height, const char *text)
{
	char *screen = fixture_screen(given->explorer, width, height, false);
	const bool ret = strstr(screen, text);

	if (!ret)
		print_message("no \"%s\" in\n%s\n", text, screen);
	free(screen);
	return ret;
}

#define assert_shows(given, text) assert_true(shows_at(given, 100, 30, text))
#define assert_hides(given, text) assert_false(is_shown(given, text))

static bool is_shown(struct given *given, const char *text)
{
	char *screen = fixture_screen(given->explorer, 100, 30, false);
	const bool ret = strstr(screen, text);

	free(screen);
	return ret;
}

static void a_key_does_one_thing_in_a_view(void **state)
{
	const struct key_binding *binding;

	(void)state;
	for (size_t i = 0; (binding = keys_binding(i)); i++) {
		assert_non_null(binding->help);
		assert_true(binding->views);
		for (size_t j = 0; j < KEYS_MAX && binding->keys[j]; j++)
			for (enum view view = 0; view < VIEW_COUNT; view++)
				if (binding->views & 1u << view)
					assert_ptr_equal(keys_find(view, binding->keys[j]),
							 binding);
	}
}

static void the_help_has_every_key_of_the_view(void **state)
{
	struct given *given = *state;
	const struct key_binding *binding;
	char *help;

	press(given, "?");
	help = fixture_screen(given->explorer, 100, 100, false);
	for (size_t i = 0; (binding = keys_binding(i)); i++)
		if (binding->views & 1u << VIEW_LIST)
			assert_non_null(strstr(help, binding->help));
	free(help);
	press(given, "?");
	assert_shows(given, "fathom: 6 models");
}

static void enter_asks_for_the_study_of_the_function(void **state)
{
	struct given *given = *state;
	const struct explorer_effect wish = fixture_press(given->explorer, "j<Enter>", NULL);

	assert_int_equal(wish.kind, EXPLORER_OPEN);
	assert_int_equal(wish.entry, 0);
	assert_int_equal(wish.n_pinned + wish.n_excluded, 0);
	assert_shows(given, "fitting");
	explorer_set_study(given->explorer, wish.entry, given->study.study, NULL);
	assert_shows(given, "rows->size");
	assert_hides(given, "fitting");
}

static void why_there_is_no_study_is_said(void **state)
{
	struct given *given = *state;
	const struct explorer_effect wish = fixture_press(given->explorer, "<Enter>", NULL);

	explorer_set_study(given->explorer, wish.entry, NULL, "too few calls for a model");
	assert_shows(given, "too few calls for a model");
}

static void the_study_of_another_function_is_not_shown(void **state)
{
	struct given *given = *state;

	fixture_press(given->explorer, "j<Enter>", NULL);
	explorer_set_study(given->explorer, 3, given->study.study, NULL);
	assert_shows(given, "fitting");
	assert_hides(given, "rows->size");
}

static void metrics_of_the_function_follow_each_other(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>");
	assert_shows(given, "mode).time");
	assert_int_equal(press(given, "m").entry, 1);
	assert_shows(given, "mode).mem");
	assert_int_equal(press(given, "m").entry, 0);
	assert_int_equal(press(given, "M").entry, 1);
	press(given, "qg<Enter>");
	assert_int_equal(press(given, "m").kind, EXPLORER_NOTHING);
	assert_shows(given, "the function has no other metric");
}

static void a_place_stands_behind_the_metric(void **state)
{
	static const struct explorer_entry place = {"parse.at(parse.c:88)",
						    "parse.c",
						    NULL,
						    METRIC_MEM,
						    9,
						    9,
						    NAN,
						    true,
						    "100",
						    NAN,
						    1};
	struct given *given = *state;

	explorer_set_list(given->explorer, &place, 1);
	press(given, "<Enter>");
	assert_shows(given, "parse.mem.at(parse.c:88)");
	assert_true(shows_at(given, 28, 10, ".mem.at(parse.c:88)"));
}

static void features_follow_each_other(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>f");
	assert_shows(given, "FAST");
	press(given, "]");
	assert_shows(given, "system.load");
	press(given, "F[[");
	assert_shows(given, "rows->names");
}

static void a_pinned_feature_is_wished_for(void **state)
{
	struct given *given = *state;
	struct explorer_effect wish;

	press(given, "j<Enter>5j");
	wish = fixture_press(given->explorer, "p", NULL);
	assert_int_equal(wish.kind, EXPLORER_OPEN);
	assert_int_equal(wish.n_pinned, 1);
	assert_string_equal(wish.pinned[0], "how");
	assert_shows(given, "fitting");
	wish = fixture_press(given->explorer, "jx", NULL);
	assert_int_equal(wish.n_pinned, 1);
	assert_int_equal(wish.n_excluded, 1);
	assert_string_equal(wish.excluded[0], "system.load");
	wish = fixture_press(given->explorer, "kx", NULL);
	assert_int_equal(wish.n_pinned, 0);
	assert_int_equal(wish.n_excluded, 2);
	wish = fixture_press(given->explorer, "xjx", NULL);
	assert_int_equal(wish.n_pinned + wish.n_excluded, 0);
}

static void wishes_about_features_end_with_the_function(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>p");
	assert_int_equal(press(given, "m").n_pinned, 1);
	assert_int_equal(press(given, "qgjj<Enter>").n_pinned, 0);
}

static void what_is_shown_is_saved(void **state)
{
	struct given *given = *state;
	struct explorer_effect wish = press(given, "j<Enter>s");

	assert_int_equal(wish.kind, EXPLORER_SAVE);
	assert_int_equal(wish.save, SAVE_SVG);
	assert_int_equal(wish.entry, 0);
	assert_true(wish.figure->n_series > 0);
	assert_int_equal(press(given, "6s").save, SAVE_CSV);
	assert_int_equal(press(given, "7s").save, SAVE_ANNOTATION);
	assert_int_equal(press(given, "1C").save, SAVE_CSV);
	wish = press(given, "qgs");
	assert_int_equal(wish.save, SAVE_ANNOTATION);
	assert_int_equal(wish.entry, 3);
	explorer_say(given->explorer, "saved as sort.svg");
	assert_shows(given, "saved as sort.svg");
	press(given, "j");
	assert_hides(given, "saved as sort.svg");
}

static void a_filter_is_typed(void **state)
{
	struct given *given = *state;

	press(given, "/SORT");
	assert_shows(given, "2 of 6 models");
	assert_shows(given, "/SORT");
	press(given, "<BS><BS><BS><BS>q");
	assert_shows(given, "0 of 6 models");
	assert_shows(given, "no function has that in its name");
	press(given, "<^U>parse<Enter>");
	assert_shows(given, "1 of 6 models by share, with \"parse\"");
	assert_int_equal(press(given, "<Enter>").entry, 2);
	press(given, "q<Esc>");
	assert_shows(given, "fathom: 6 models");
}

static void escape_leads_back_and_q_leaves_at_the_list(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>6<Enter>");
	assert_shows(given, "call 1000, thread");
	press(given, "<Esc>");
	assert_shows(given, "300 calls");
	assert_int_equal(press(given, "q").kind, EXPLORER_NOTHING);
	assert_shows(given, "fathom: 6 models");
	assert_int_equal(press(given, "q").kind, EXPLORER_QUIT);
	assert_int_equal(press(given, "<Enter>Q").kind, EXPLORER_QUIT);
	assert_int_equal(press(given, "<^Z>").kind, EXPLORER_SUSPEND);
	assert_int_equal(press(given, "<^L>").kind, EXPLORER_REDRAW);
}

static void the_list_is_ordered_by_each_column_in_turn(void **state)
{
	struct given *given = *state;

	press(given, "oo");
	assert_shows(given, "by name");
	assert_int_equal(press(given, "g<Enter>").entry, 5);
	press(given, "qO");
	assert_shows(given, "by name, reversed");
	assert_int_equal(press(given, "g<Enter>").entry, 4);
}

/* Cuts @screen. */
static void assert_numbers_differ(char *screen)
{
	const char *last = NULL;

	for (char *line = strtok(screen, "\n"); line; line = strtok(NULL, "\n")) {
		char *mark = strstr(line, "┤");

		if (!mark)
			continue;
		*mark = '\0';
		assert_true(!last || strcmp(last, line) != 0);
		last = line;
	}
	assert_non_null(last);
}

static void zooming_in_ends_where_numbers_would_be_the_same(void **state)
{
	struct given *given = *state;
	char *before, *after;

	press(given, "j<Enter>");
	for (int i = 0; i < 60; i++)
		press(given, "+");
	before = fixture_screen(given->explorer, 80, 24, false);
	press(given, "+");
	after = fixture_screen(given->explorer, 80, 24, false);
	assert_string_equal(before, after);
	assert_numbers_differ(after);
	free(before);
	free(after);
}

static void zooming_out_as_often_as_in_shows_all(void **state)
{
	struct given *given = *state;
	char *before, *after;

	press(given, "j<Enter>");
	before = fixture_screen(given->explorer, 80, 24, false);
	press(given, "++HK");
	assert_hides(given, "200 ");
	press(given, "--");
	after = fixture_screen(given->explorer, 80, 24, false);
	assert_string_equal(before, after);
	free(after);
	press(given, "-J+H0");
	after = fixture_screen(given->explorer, 80, 24, false);
	assert_string_equal(before, after);
	free(after);
	free(before);
}

static void the_cursor_comes_to_every_call(void **state)
{
	struct given *given = *state;
	const size_t n = given->study.study->n_points;
	char last[80] = "";

	press(given, "j<Enter>6<Home><Enter>q1");
	assert_shows(given, "X log x"); /* drawn once */
	for (size_t i = 0; i < n; i++)
		press(given, "N");
	for (size_t i = 0; i < n; i++) {
		char *screen;

		press(given, "<Enter>");
		screen = fixture_screen(given->explorer, 80, 24, false);
		/* Another call each time. */
		assert_string_not_equal(strstr(screen, "call 1"), last);
		snprintf(last, sizeof(last), "%.70s", strstr(screen, "call 1"));
		free(screen);
		press(given, "qn");
	}
}

static void a_click_selects_and_a_double_click_opens(void **state)
{
	struct given *given = *state;

	assert_shows(given, "parse_line");
	/* Title, heading, main, sort_rows.time, parse_line. */
	assert_int_equal(explorer_point(given->explorer, MOUSE_CLICK, 5, 3).kind, EXPLORER_NOTHING);
	assert_int_equal(press(given, "<Enter>").entry, 0);
	press(given, "q");
	assert_shows(given, "parse_line");
	assert_int_equal(explorer_point(given->explorer, MOUSE_DOUBLE_CLICK, 5, 4).entry, 2);
	assert_shows(given, "parse_line.time");
	press(given, "q");
	assert_shows(given, "parse_line");
	/* Below the last: nothing. */
	assert_int_equal(explorer_point(given->explorer, MOUSE_DOUBLE_CLICK, 5, 20).kind,
			 EXPLORER_NOTHING);
}

static void a_click_on_a_tab_shows_it(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>");
	assert_shows(given, "4 Tree");
	explorer_point(given->explorer, MOUSE_CLICK, 38, 1);
	assert_shows(given, "part of the calls");
	explorer_point(given->explorer, MOUSE_WHEEL_DOWN, 10, 5);
	assert_shows(given, "Norm(10, 4)");
}

static void what_is_typed_is_found_in_rows_and_calls(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>5");
	assert_shows(given, "rows->size");
	press(given, "/NAMES<Enter>");
	assert_hides(given, "not found");
	press(given, "/how<Enter>");
	press(given, "<Enter>"); /* plots over the row that was found */
	assert_shows(given, "FAST");
	press(given, "/how = SLOW<Enter>");
	assert_hides(given, "not found");
	press(given, "<Enter>");
	assert_shows(given, "how = SLOW");
	press(given, "n");
	assert_shows(given, "how = SLOW");
	press(given, "/no such thing<Enter>");
	assert_shows(given, "not found: no such thing");
}

static void callers_and_callees_have_shares(void **state)
{
	struct given *given = *state;
	struct call_graph_maker *maker = call_graph_begin();
	struct samples *main = samples_create("main", NULL, NULL, 0);
	struct call_graph *graph;

	call_graph_add(maker, main, 1000, 1);
	samples_destroy(main);
	call_graph_add_code(maker, "main", "unseen");
	call_graph_add_code(maker, "_start", "main");
	call_graph_add_code(maker, "unseen", "other");
	graph = call_graph_end(maker);
	explorer_set_calls(given->explorer, graph);
	press(given, "<Enter>8");
	assert_shows(given, "100.0 %");
	assert_shows(given, "itself 1 ms");
	assert_shows(given, "called in the code, not seen, by");
	assert_shows(given, "  _start");
	assert_shows(given, "calls in the code, not seen");
	assert_shows(given, "  unseen");
	assert_hides(given, "other");
	explorer_set_calls(given->explorer, NULL);
	call_graph_destroy(graph);
}

static void gains_are_shown_from_everywhere_and_left_again(void **state)
{
	struct given *given = *state;

	press(given, "w");
	assert_shows(given, "This profile has no causal experiments");
	press(given, "q");
	assert_shows(given, "by share");
	explorer_set_gains(given->explorer, "first  +0.60 % per 1 %\nsecond  +0.30 % per 1 %\n");
	press(given, "<Enter>6w");
	assert_shows(given, "What if code got faster?");
	assert_shows(given, "first  +0.60 % per 1 %");
	press(given, "?q/second<Enter>q");
	assert_shows(given, "6 Samples");
}

/* A call of `ask` in process 7, two of `serve` for it in process 9, one within the second. */
static void make_spans(struct spans *ret)
{
	static const struct span calls[] = {
		{.id = 1, .name = "ask", .process = 7, .start_ns = 0, .end_ns = 4000000},
		{.id = 2,
		 .parent_id = 1,
		 .name = "serve",
		 .process = 9,
		 .start_ns = 1000000,
		 .end_ns = 2000000},
		{.id = 3,
		 .parent_id = 1,
		 .name = "serve",
		 .process = 9,
		 .start_ns = 2000000,
		 .end_ns = 4000000},
		{.id = 4,
		 .parent_id = 3,
		 .name = "inner",
		 .process = 9,
		 .start_ns = 3000000,
		 .end_ns = 3500000},
	};

	spans_init(ret);
	ret->list = calloc(4, sizeof(*ret->list));
	memcpy(ret->list, calls, sizeof(calls));
	ret->n = 4;
	for (size_t i = 0; i < ret->n; i++)
		ret->list[i].program = "/bin/program";
	spans_arrange(ret);
}

static void the_time_line_of_a_call_is_shown_and_left_again(void **state)
{
	struct given *given = *state;
	struct explorer_effect effect;
	struct spans spans;

	assert_int_equal(press(given, "t").kind, EXPLORER_NOTHING);
	press(given, "<Enter>1t");
	assert_shows(given, "no call is chosen");
	effect = press(given, "6jjt");
	assert_int_equal(effect.kind, EXPLORER_TIMELINE);
	assert_int_equal(effect.call,
			 given->study.study->samples->keys[given->study.study->rows[2]].id);
	make_spans(&spans);
	explorer_set_timeline(given->explorer, &spans, 0);
	assert_shows(given, "ask                              \u2588\u2588\u2588");
	assert_hides(given, "serve                          \u2588"); /* later */
	press(given, "jj");
	assert_shows(given, "process 9, thread 0, from 2 ms on");
	assert_shows(given, "    inner");
	assert_shows(given, "500 \u00b5s");
	press(given, "/inner<Enter>");
	assert_shows(given, "from 3 ms on");
	press(given, "q");
	assert_shows(given, "6 Samples");
	spans_deinit(&spans);
}

static void a_click_on_a_heading_sorts_and_one_on_a_hint_acts(void **state)
{
	struct given *given = *state;

	assert_shows(given, "by share");
	explorer_point(given->explorer, MOUSE_CLICK, 1, 1);
	assert_shows(given, "by name");
	explorer_point(given->explorer, MOUSE_CLICK, 1, 1);
	assert_shows(given, "by name, reversed");
	/* "? help  q quit" */
	assert_int_equal(explorer_point(given->explorer, MOUSE_CLICK, 9, 29).kind, EXPLORER_QUIT);
}

static void a_part_of_the_tree_is_all_that_the_scatter_shows(void **state)
{
	struct given *given = *state;

	press(given, "j<Enter>4jjj"); /* n < 40: costs of about 10 */
	assert_shows(given, "Norm(10, 4)");
	press(given, "t1");
	/* Only points of the case b, and its curve; the others' letters are in the legend alone. */
	press(given, ".");
	assert_hides(given, "aaa");
	assert_hides(given, "cc");
	press(given, "4t1");
	assert_shows(given, "cc");
}

static void an_empty_study_and_an_empty_list_have_screens(void **state)
{
	struct given *given = *state;
	struct fixture empty = fixture_create(FIXTURE_EMPTY, 0, 0);

	fixture_press(given->explorer, "j<Enter>1<Right>n+X234<Enter>5<Enter>p6<Enter>o7?q",
		      empty.study);
	assert_shows(given, "table::sort_rows");
	explorer_set_study(given->explorer, 0, NULL, NULL);
	explorer_set_list(given->explorer, NULL, 0);
	press(given, "q");
	assert_shows(given, "no functions yet");
	assert_int_equal(press(given, "<Enter>").kind, EXPLORER_NOTHING);
	assert_int_equal(press(given, "s").kind, EXPLORER_NOTHING);
	fixture_destroy(&empty);
}

static void a_small_terminal_is_told(void **state)
{
	struct given *given = *state;

	assert_true(shows_at(given, 11, 5, "terminal to\no small"));
	assert_true(shows_at(given, 1, 1, "t\n"));
	assert_true(shows_at(given, 30, 2, "terminal too small"));
	assert_true(shows_at(given, 19, 4, "main"));
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_key_does_one_thing_in_a_view),
		test(the_help_has_every_key_of_the_view),
		test(enter_asks_for_the_study_of_the_function),
		test(why_there_is_no_study_is_said),
		test(the_study_of_another_function_is_not_shown),
		test(metrics_of_the_function_follow_each_other),
		test(a_place_stands_behind_the_metric),
		test(features_follow_each_other),
		test(a_pinned_feature_is_wished_for),
		test(wishes_about_features_end_with_the_function),
		test(what_is_shown_is_saved),
		test(a_filter_is_typed),
		test(escape_leads_back_and_q_leaves_at_the_list),
		test(the_list_is_ordered_by_each_column_in_turn),
		test(zooming_in_ends_where_numbers_would_be_the_same),
		test(zooming_out_as_often_as_in_shows_all),
		test(the_cursor_comes_to_every_call),
		test(a_click_selects_and_a_double_click_opens),
		test(a_click_on_a_tab_shows_it),
		test(what_is_typed_is_found_in_rows_and_calls),
		test(callers_and_callees_have_shares),
		test(gains_are_shown_from_everywhere_and_left_again),
		test(the_time_line_of_a_call_is_shown_and_left_again),
		test(a_click_on_a_heading_sorts_and_one_on_a_hint_acts),
		test(a_part_of_the_tree_is_all_that_the_scatter_shows),
		test(an_empty_study_and_an_empty_list_have_screens),
		test(a_small_terminal_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
