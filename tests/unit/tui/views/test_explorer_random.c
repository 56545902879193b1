/*
 * Thousands of keys, clicks and sizes by chance, while lists and studies are replaced: nothing
 * crashes, nothing that a terminal could misunderstand gets into a cell, and the same state draws
 * the same screen twice.
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
#include "tui/screen/screen_width.h"

enum { KEYS = 6000, SEEDS = 4, STUDIES = 8 };

struct chance {
	uint32_t state;
};

static unsigned below(struct chance *chance, unsigned n)
{
	chance->state = chance->state * 1664525u + 1013904223u;
	return (chance->state >> 8) % n;
}

static uint32_t random_key(struct chance *chance)
{
	/* Those that do much more often than the others. */
	static const char often[] = "jkhl?q12345677fFmMpxXY+-HJKL0.t{}oO/gGnN \r\t\033\n";

	if (below(chance, 4) > 0)
		return (unsigned char)often[below(chance, sizeof(often) - 1)];
	if (below(chance, 2))
		return KEY_FIRST + below(chance, EXPLORER_KEY_COUNT - KEY_FIRST);
	return below(chance, 0x3000);
}

static void check_cells(const struct screen *screen)
{
	for (size_t i = 0; i < (size_t)screen->width * screen->height; i++) {
		const struct cell *cell = &screen->cells[i];

		assert_true(cell->style < STYLE_COUNT);
		if (cell->character)
			assert_true(screen_width_of(cell->character) == COLUMNS_ONE ||
				    screen_width_of(cell->character) == COLUMNS_WIDE);
		else
			assert_true(i % screen->width > 0 &&
				    screen_width_of(cell[-1].character) == COLUMNS_WIDE);
		if (screen->is_ascii)
			assert_true(cell->character >= ' ' && cell->character < 0x7f &&
				    !cell->mark);
	}
}

static void draw(struct explorer *explorer, struct chance *chance)
{
	static const unsigned sizes[][2] = {{1, 1},    {19, 4},    {80, 24},
					    {120, 40}, {300, 100}, {12, 3}};
	const unsigned *size = sizes[below(chance, 6)];
	const bool is_usual = below(chance, 2);
	const unsigned width = is_usual ? size[0] : 1 + below(chance, 130);
	const unsigned height = is_usual ? size[1] : 1 + below(chance, 50);
	struct screen *screen = screen_create(width, height, below(chance, 2));
	struct screen *again = screen_create(width, height, screen->is_ascii);

	explorer_draw(explorer, screen);
	check_cells(screen);
	explorer_draw(explorer, again);
	assert_memory_equal(screen->cells, again->cells,
			    (size_t)width * height * sizeof(*screen->cells));
	screen_destroy(screen);
	screen_destroy(again);
}

static void replace_list(struct explorer *explorer, struct chance *chance)
{
	struct explorer_entry entries[FIXTURE_ENTRIES];
	const unsigned n = below(chance, FIXTURE_ENTRIES + 1),
		       turn = below(chance, FIXTURE_ENTRIES);

	for (unsigned i = 0; i < n; i++)
		entries[i] = fixture_entries[(i + turn) % FIXTURE_ENTRIES];
	explorer_set_list(explorer, entries, n);
}

static void set_status(struct explorer *explorer, struct chance *chance)
{
	const struct explorer_status status = {
		.is_live = below(chance, 2),
		.has_ended = below(chance, 2),
		.is_fitting = below(chance, 2),
		.seen = chance->state * (uint64_t)chance->state,
		.kept = chance->state,
		.overhead = below(chance, 2) ? NAN : 0.123,
		.seconds = below(chance, 100000),
	};

	explorer_set_status(explorer, &status);
}

static void step(struct explorer *explorer, const struct fixture *studies, struct chance *chance)
{
	const unsigned what = below(chance, 20);
	struct explorer_effect wish = {0};

	if (what == 0)
		replace_list(explorer, chance);
	else if (what == 1)
		set_status(explorer, chance);
	else if (what == 2)
		explorer_set_study(explorer, below(chance, FIXTURE_ENTRIES),
				   studies[below(chance, STUDIES)].study, NULL);
	else if (what == 3)
		wish = explorer_point(explorer, (enum explorer_mouse)below(chance, 4),
				      below(chance, 310), below(chance, 110));
	else if (what == 4)
		explorer_set_study(explorer, below(chance, FIXTURE_ENTRIES), NULL,
				   below(chance, 2) ? "no\x1b samples" : NULL);
	else
		wish = explorer_press(explorer, random_key(chance));
	if (wish.kind == EXPLORER_OPEN && below(chance, 8)) {
		for (size_t i = 0; i < wish.n_pinned; i++)
			assert_true(strlen(wish.pinned[i]) > 0);
		assert_true(wish.entry < FIXTURE_ENTRIES);
		explorer_set_study(explorer, wish.entry, studies[below(chance, STUDIES)].study,
				   NULL);
	}
	if (wish.kind == EXPLORER_SAVE)
		assert_true(wish.save != SAVE_SVG || wish.figure->n_series < 1000);
}

static void keys_by_chance_do_no_harm(void **state)
{
	struct fixture studies[STUDIES];

	(void)state;
	for (unsigned i = 0; i < STUDIES; i++)
		studies[i] = fixture_create((enum fixture_shape)(i % FIXTURE_SHAPES),
					    i == 7 ? 1 : 40 + i, 1000 + i);
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct explorer *explorer = explorer_create();
		struct chance chance = {seed};

		explorer_set_list(explorer, fixture_entries, FIXTURE_ENTRIES);
		for (unsigned i = 0; i < KEYS / SEEDS; i++) {
			step(explorer, studies, &chance);
			if (below(&chance, 3) == 0)
				draw(explorer, &chance);
		}
		explorer_destroy(explorer);
	}
	for (unsigned i = 0; i < STUDIES; i++)
		fixture_destroy(&studies[i]);
}

static void every_size_has_a_screen_for_every_view(void **state)
{
	static const char *const views[] = {"1", "2", "3", "4", "5",        "6",
					    "7", "8", "9", "?", "6<Enter>", "1<Right>"};
	struct fixture fixture = fixture_create(FIXTURE_CASES, 50, 1000);

	(void)state;
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		struct explorer *explorer = explorer_create();

		explorer_set_list(explorer, fixture_entries, FIXTURE_ENTRIES);
		fixture_press(explorer, "j<Enter>", fixture.study);
		fixture_press(explorer, views[i], fixture.study);
		for (unsigned width = 1; width < 110; width += width < 30 ? 1 : 9) {
			for (unsigned height = 1; height < 30; height++) {
				struct screen *screen = screen_create(width, height, width % 2);

				explorer_draw(explorer, screen);
				check_cells(screen);
				screen_destroy(screen);
			}
		}
		explorer_destroy(explorer);
	}
	fixture_destroy(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_by_chance_do_no_harm),
		cmocka_unit_test(every_size_has_a_screen_for_every_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
