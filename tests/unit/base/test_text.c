/* Growing strings, and printing text that must not reach a terminal as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_prints(const char *text, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	text_print_safe(out, text);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void control_characters_do_not_reach_a_terminal(void **state)
{
	(void)state;
	assert_prints("plain text", "plain text");
	assert_prints("\x1b[2J\r\n\t\x7f", "?[2J????");
	assert_prints("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		      "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_prints("\xc2\x9b"
		      "31m",
		      "??31m");
	assert_prints("\xff\xc3", "??");
	assert_prints("\xe2\x82", "??");
}

static void of_long_texts_whole_characters_are_printed(void **state)
{
	static const char *const expected[] = {"...", "?...", "?\xc3\xa9...", "?\xc3\xa9z"};
	char *printed;
	size_t size, i;
	FILE *out;

	(void)state;
	for (i = 0; i < 4; i++) {
		out = open_memstream(&printed, &size);
		text_print_some(out, "\x1b\xc3\xa9z", i);
		fclose(out);
		assert_string_equal(printed, expected[i]);
		free(printed);
	}
}

static void assert_quotes(const char *bytes, size_t n, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	text_print_quoted(out, bytes, n);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void strings_are_quoted_as_gdb_quotes_them(void **state)
{
	(void)state;
	assert_quotes("", 0, "\"\"");
	assert_quotes("a \"b\" \\c", 8, "\"a \\\"b\\\" \\\\c\"");
	assert_quotes("\a\t\n\x1b[2J\x7f\0x", 9, "\"\\a\\t\\n\\033[2J\\177\\000\"");
	assert_quotes("caf\xc3\xa9\xff", 6, "\"caf\xc3\xa9\\377\"");
	assert_quotes("caf\xc3\xa9", 4, "\"caf\\303\"");
}

static void a_text_grows_and_is_cut(void **state)
{
	struct text text = {0};

	(void)state;
	for (int i = 0; i < 100; i++)
		text_add_string(&text, "abc");
	assert_int_equal(text.n, 300);
	assert_int_equal(strlen(text.bytes), 300);
	text_cut(&text, 400);
	assert_int_equal(text.n, 300);
	text_cut(&text, 4);
	assert_string_equal(text.bytes, "abca");
	text_deinit(&text);
	assert_null(text.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_do_not_reach_a_terminal),
		cmocka_unit_test(of_long_texts_whole_characters_are_printed),
		cmocka_unit_test(strings_are_quoted_as_gdb_quotes_them),
		cmocka_unit_test(a_text_grows_and_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
