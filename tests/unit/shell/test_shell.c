/* The session's commands: words of lines, names and abbreviations, what completes what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "shell/shell_completion.h"
#include "shell/shell_table.h"
#include "shell/shell_words.h"

static void expect_words(const char *line, size_t n, const char *const *texts)
{
	struct arena *arena = arena_create();
	struct line_word *words;
	struct err err;
	size_t found;

	assert_true(shell_words_split(line, arena, &words, &found, &err));
	assert_int_equal(found, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(words[i].text, texts[i]);
	arena_destroy(arena);
}

static void blanks_part_words_and_quotes_join_them(void **state)
{
	(void)state;
	expect_words("", 0, NULL);
	expect_words("  \t ", 0, NULL);
	expect_words(" a  bc\td ", 3, (const char *[]){"a", "bc", "d"});
	expect_words("'a b' \"c d\" e\\ f", 3, (const char *[]){"a b", "c d", "e f"});
	expect_words("a'b c'd", 1, (const char *[]){"ab cd"});
	expect_words("\"a\\\"b\\\\c\\d\"", 1, (const char *[]){"a\"b\\c\\d"});
	expect_words("'' x", 2, (const char *[]){"", "x"});
	expect_words("a\\", 1, (const char *[]){"a\\"});
}

static void words_know_where_they_stand(void **state)
{
	struct arena *arena = arena_create();
	struct line_word *words;
	struct err err;
	size_t n;

	(void)state;
	assert_true(shell_words_split("info 'f g'  x", arena, &words, &n, &err));
	assert_int_equal(words[1].at, 5);
	assert_int_equal(words[1].end, 10);
	assert_string_equal(shell_words_rest("info 'f g'  x \t", 5, arena), "'f g'  x");
	assert_string_equal(shell_words_rest("info", 4, arena), "");
	arena_destroy(arena);
}

static void expect_function(const char *line, const char *function, size_t n_words)
{
	struct arena *arena = arena_create();
	struct line_word *words;
	const char *found;
	struct err err;
	size_t n;

	assert_true(shell_words_split(line, arena, &words, &n, &err));
	assert_int_equal(shell_words_function(line, words, n, arena, &found), n_words);
	assert_string_equal(found, function);
	arena_destroy(arena);
}

static void a_name_with_parameters_needs_no_quotes(void **state)
{
	(void)state;
	expect_function("", "", 0);
	expect_function("work n", "work", 1);
	expect_function("'f g' n", "f g", 1);
	expect_function("f(int, char) n", "f(int, char)", 2);
	expect_function("Bundle::total(std::vector<Item> const&) const  n",
			"Bundle::total(std::vector<Item> const&) const", 3);
	expect_function("most<int, long> > x.svg", "most<int, long>", 2);
	expect_function("operator<(A, B) n", "operator<(A, B)", 2);
	expect_function("A::operator->() n", "A::operator->()", 1);
	expect_function("A::operator()(int, int) n", "A::operator()(int, int)", 2);
	expect_function("f(int n = 3", "f(int", 1);
	expect_function("f > x.svg", "f", 1);
}

static void a_quote_without_an_end_and_a_huge_line_are_refused(void **state)
{
	struct arena *arena = arena_create();
	char *huge = malloc(WORDS_LINE_MAX + 2);
	struct line_word *words;
	struct err err;
	size_t n;

	(void)state;
	assert_false(shell_words_split("a 'b c", arena, &words, &n, &err));
	assert_non_null(strstr(err.text, "no end"));
	memset(huge, 'a', WORDS_LINE_MAX + 1);
	huge[WORDS_LINE_MAX + 1] = '\0';
	assert_false(shell_words_split(huge, arena, &words, &n, &err));
	free(huge);
	arena_destroy(arena);
}

static void expect_command(const char *word, enum shell_command_id id)
{
	const struct shell_command *command = NULL;
	struct err err = {0};

	if (!shell_find(word, &command, &err))
		fail_msg("%s: %s", word, err.text);
	assert_int_equal(command->id, id);
}

static void every_command_is_found_by_its_name_and_has_help(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++) {
		assert_int_equal(shell_table[i].id, i);
		expect_command(shell_table[i].name, i);
		assert_true(strlen(shell_table[i].summary) > 10);
		shell_find_print_help(&shell_table[i], out);
	}
	shell_find_print_all(NULL, out);
	fclose(out);
	assert_non_null(strstr(text, "probe FUNCTION [stop] [if CONDITION]"));
	free(text);
}

static void names_are_abbreviated_as_fingers_know_it(void **state)
{
	(void)state;
	expect_command("r", SHELL_RUN);
	expect_command("c", SHELL_CONTINUE);
	expect_command("bt", SHELL_BACKTRACE);
	expect_command("i", SHELL_INFO);
	expect_command("p", SHELL_PRINT);
	expect_command("l", SHELL_LIST);
	expect_command("q", SHELL_QUIT);
	expect_command("h", SHELL_HELP);
	expect_command("k", SHELL_KILL);
	expect_command("b", SHELL_BREAK);
	expect_command("br", SHELL_BREAK);
	expect_command("tb", SHELL_TBREAK);
	expect_command("!", SHELL_SHELL);
	expect_command("ann", SHELL_ANNOTATE);
	expect_command("cont", SHELL_CONTINUE);
	expect_command("fin", SHELL_FINISH);
}

static void complains(const char *word, const char *words)
{
	const struct shell_command *command = NULL;
	struct err err = {0};

	assert_false(shell_find(word, &command, &err));
	assert_null(command);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", word, err.text);
}

static void what_may_be_several_or_is_none_is_told(void **state)
{
	(void)state;
	complains("de", "delete");
	complains("de", "detach");
	complains("s", "does not step");
	complains("call", "does not change");
	complains("tui", "explore");
	complains("pr", "predict");
	complains("brobe", "did you mean probe");
	complains("contniue", "did you mean continue");
	complains("zzzzzzz", "help lists them");
	complains("", "there is no command");
}

static void words_of_info_are_abbreviated_too(void **state)
{
	const char *words = shell_table[SHELL_INFO].words;
	char found[16];
	struct err err = {0};

	(void)state;
	assert_true(shell_find_word("thr", words, "it", found, sizeof(found), &err));
	assert_string_equal(found, "threads");
	assert_false(shell_find_word("f", words, "it", found, sizeof(found), &err));
	assert_non_null(strstr(err.text, "functions features"));
	assert_false(shell_find_word("", words, "it", found, sizeof(found), &err));
	assert_false(shell_find_word("threadss", words, "it", found, sizeof(found), &err));
}

static enum shell_argument kind_of(const char *line)
{
	return shell_completion_find(line, strlen(line)).kind;
}

static void the_word_before_the_cursor_decides_what_completes_it(void **state)
{
	(void)state;
	assert_int_equal(kind_of(""), SHELL_A_COMMAND);
	assert_int_equal(kind_of("pr"), SHELL_A_COMMAND);
	assert_int_equal(kind_of("probe wo"), SHELL_A_FUNCTION);
	assert_int_equal(kind_of("b "), SHELL_A_FUNCTION);
	assert_int_equal(kind_of("probe work st"), SHELL_A_WORD);
	assert_int_equal(kind_of("probe work stop i"), SHELL_A_WORD);
	assert_int_equal(kind_of("probe work if bo"), SHELL_A_FEATURE);
	assert_int_equal(kind_of("probe work stop if n > 3 && bo"), SHELL_A_FEATURE);
	assert_int_equal(kind_of("info fu"), SHELL_A_WORD);
	assert_int_equal(kind_of("info functions wo"), SHELL_A_FUNCTION);
	assert_int_equal(kind_of("load x"), SHELL_A_FILE);
	assert_int_equal(kind_of("load x "), SHELL_NOTHING);
	assert_int_equal(kind_of("help ru"), SHELL_A_COMMAND);
	assert_int_equal(kind_of("delete 1 "), SHELL_A_PROBE);
	assert_int_equal(kind_of("plot work n > f"), SHELL_A_FILE);
	assert_int_equal(kind_of("!ls fo"), SHELL_A_FILE);
	assert_int_equal(kind_of("nonsense wo"), SHELL_NOTHING);
}

static void the_function_that_features_are_of_is_found(void **state)
{
	const char *line = "probe work if bo";
	const struct completion found = shell_completion_find(line, strlen(line));

	(void)state;
	assert_int_equal(found.function_at, 6);
	assert_int_equal(found.function_end, 10);
	assert_int_equal(found.at, 14);
}

static void no_line_and_no_cursor_is_too_strange(void **state)
{
	static const char alphabet[] = "probe if stop info ! '\"\\>\t.x";
	unsigned seed = 1;
	char line[40];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t n = seed % sizeof(line);

		for (size_t j = 0; j < n; j++) {
			seed = seed * 1103515245 + 12345;
			line[j] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		line[n < sizeof(line) ? n : sizeof(line) - 1] = '\0';
		for (size_t cursor = 0; cursor <= strlen(line); cursor++)
			assert_true(shell_completion_find(line, cursor).at <= cursor);
		seed = seed * 1103515245 + 12345;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_part_words_and_quotes_join_them),
		cmocka_unit_test(words_know_where_they_stand),
		cmocka_unit_test(a_name_with_parameters_needs_no_quotes),
		cmocka_unit_test(a_quote_without_an_end_and_a_huge_line_are_refused),
		cmocka_unit_test(every_command_is_found_by_its_name_and_has_help),
		cmocka_unit_test(names_are_abbreviated_as_fingers_know_it),
		cmocka_unit_test(what_may_be_several_or_is_none_is_told),
		cmocka_unit_test(words_of_info_are_abbreviated_too),
		cmocka_unit_test(the_word_before_the_cursor_decides_what_completes_it),
		cmocka_unit_test(the_function_that_features_are_of_is_found),
		cmocka_unit_test(no_line_and_no_cursor_is_too_strange),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
