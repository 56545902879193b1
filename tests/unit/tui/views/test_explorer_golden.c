/*
 * The explorer's screens as text: keys in, screen out. The texts are in tests/golden/explorer;
 * FATHOM_GOLDEN=1 in the environment makes them anew, for people to look at before they are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer_fixture.h"

struct golden {
	const char *name;
	unsigned width, height;
	bool is_ascii;
	enum fixture_shape shape;
	const char *keys; /* drawn before and after */
	bool is_styled;   /* a line of styles below each */
};

static const struct golden goldens[] = {
	{"list_80x24", 80, 24, false, FIXTURE_CASES, ""},
	{"list_80x24_ascii", 80, 24, true, FIXTURE_CASES, "j"},
	{"list_120x40", 120, 40, false, FIXTURE_CASES, "oo"},
	{"list_19x4", 19, 4, false, FIXTURE_CASES, "G"},
	{"list_filter_80x24", 80, 24, false, FIXTURE_CASES, "/sort"},
	{"list_help_80x24", 80, 24, false, FIXTURE_CASES, "?"},
	{"scatter_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>"},
	{"scatter_styles_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter><Right>", true},
	{"list_styles_80x24", 80, 24, false, FIXTURE_CASES, "j", true},
	{"scatter_80x24_ascii", 80, 24, true, FIXTURE_CASES, "j<Enter>"},
	{"scatter_120x40", 120, 40, false, FIXTURE_CASES, "j<Enter>"},
	{"scatter_300x100", 300, 100, false, FIXTURE_CASES, "j<Enter>"},
	{"scatter_19x4", 19, 4, false, FIXTURE_CASES, "j<Enter>"},
	{"scatter_log_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>XY"},
	{"scatter_over_category_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>f"},
	{"scatter_cursor_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter><Right><Right>"},
	{"scatter_cursor_120x40", 120, 40, true, FIXTURE_CASES, "j<Enter><Right><Right>"},
	{"scatter_zoomed_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>++L."},
	{"scatter_line_80x24", 80, 24, false, FIXTURE_LINE, "j<Enter>"},
	{"residuals_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>2"},
	{"histogram_80x24", 80, 24, false, FIXTURE_MIXTURE, "jjjj<Enter>3"},
	{"histogram_80x24_ascii", 80, 24, true, FIXTURE_MIXTURE, "jjjj<Enter>3"},
	{"tree_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>4G"},
	{"tree_folded_120x40_ascii", 120, 40, true, FIXTURE_CASES, "j<Enter>4jj<Enter>"},
	{"features_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>5p<Right>jjjx"},
	{"features_120x40", 120, 40, false, FIXTURE_CASES, "j<Enter>5"},
	{"samples_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>6lo<Right>"},
	{"samples_120x40", 120, 40, false, FIXTURE_CASES, "j<Enter>6"},
	{"annotation_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>7"},
	{"call_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>6jj<Enter>"},
	{"scatter_help_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>?"},
	{"hostile_features_80x24", 80, 24, false, FIXTURE_HOSTILE, "j<Enter>5"},
	{"hostile_samples_120x40", 120, 40, false, FIXTURE_HOSTILE, "j<Enter>6<End>$"},
	{"hostile_call_80x24", 80, 24, true, FIXTURE_HOSTILE, "j<Enter>6<Enter>"},
	{"gains_80x24", 80, 24, false, FIXTURE_CASES, "j<Enter>w"},
	{"empty_80x24", 80, 24, false, FIXTURE_EMPTY, "j<Enter>"},
};

static char *screen_of(const struct golden *golden)
{
	struct explorer *explorer = explorer_create();
	struct fixture fixture = fixture_create(golden->shape, 300, 1000);
	struct screen *screen = screen_create(golden->width, golden->height, golden->is_ascii);
	char *ret;

	explorer_set_list(explorer, fixture_entries, FIXTURE_ENTRIES);
	free(fixture_screen(explorer, golden->width, golden->height, golden->is_ascii));
	for (const char *key = golden->keys; *key;) {
		const size_t n = *key == '<' ? strcspn(key, ">") + 1 : 1;
		char one[16] = "";

		strncat(one, key, n);
		fixture_press(explorer, one, fixture.study);
		/* As a terminal does, as paging and the cursor go by what was drawn. */
		free(fixture_screen(explorer, golden->width, golden->height, golden->is_ascii));
		key += n;
	}
	ret = fixture_print(explorer, screen, golden->is_styled);
	screen_destroy(screen);
	explorer_destroy(explorer);
	fixture_destroy(&fixture);
	return ret;
}

static char *read_text(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void a_screen_is_as_before(void **state)
{
	const struct golden *golden = *state;
	char path[4096], *text = screen_of(golden), *kept;

	snprintf(path, sizeof(path), "%s/%s.txt", GOLDEN, golden->name);
	if (getenv("FATHOM_GOLDEN"))
		write_text(path, text);
	kept = read_text(path);
	assert_non_null(kept);
	if (strcmp(text, kept))
		print_message("%s is now:\n%s\n", path, text);
	assert_string_equal(text, kept);
	free(kept);
	free(text);
}

int main(void)
{
	enum { N = sizeof(goldens) / sizeof(goldens[0]) };
	struct CMUnitTest tests[N] = {0};

	for (size_t i = 0; i < N; i++) {
		tests[i].name = goldens[i].name;
		tests[i].test_func = a_screen_is_as_before;
		tests[i].initial_state = (void *)&goldens[i];
	}
	return _cmocka_run_group_tests("screens", tests, N, NULL, NULL);
}
