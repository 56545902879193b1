/*
 * Names, expressions and notes of any kind within annotations: plain where that reads back, in
 * quotes elsewhere.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "annotation_texts.h"
#include "core/annotation/quote.h"

static const struct annotation_texts usual = {{
	"std::map<int, std::string>::operator[](int&) const",
	"this->rows[0][\"a;b\"].size - 'x.c'::n",
	"std::map<int, long>::n",
	"f(x, y)",
	"std::map<int, std::string>",
	"RED",
	"std::list<int>::sort(int, char)",
	"/usr/lib/libsort.so.1",
	"One sample was left out.",
	"`n` was always 4: vary it.",
}};

static const char *const hostile[] = {
	"",
	" ",
	" a",
	"a ",
	"a  b",
	"a\tb",
	"a\nb",
	"a\r\nb",
	"\x1b[2J",
	"\x7f",
	"\v\f\b",
	"\xc2\x9b",
	"\xe0\x82\x9b",
	"\xed\xa0\x80",
	"\xf4\x90\x80\x80",
	"\xff\xfe",
	"\xc3",
	"N\xc3\xa9",
	"\xf0\x9f\x98\x80",
	"a;b",
	"n = m;}",
	"x // y",
	"// x",
	"//",
	"x /* y */",
	"f(int).time {",
	"f.self",
	".time",
	"time",
	"\"",
	"\"q",
	"q\"",
	"\"q\"",
	"\"q\\",
	"\"\\q\"",
	"\"q\".time",
	"\"q\" \"r\"",
	"\"q\", \"r\"",
	"'",
	"it's",
	"'q'",
	"'q.c'::x",
	"\\",
	"\\n",
	"\\x20",
	"<",
	">",
	"a < b",
	"a > b",
	"p->q",
	"x << 2",
	"operator<",
	"operator->",
	"operator*",
	"operator\"\"_s(int)",
	"f(int) const",
	"(",
	")",
	"[0]",
	"]",
	"a]b",
	"{",
	"}",
	"{0.5}",
	"[a == 2]",
	"1x",
	"7",
	"-7",
	"- 7",
	"-x",
	".5",
	".x",
	"-//x",
	"a && b",
	"a&b",
	"n == 1",
	"= x",
	"!x",
	",",
	"a, b",
	"a and 3 more",
	" and 3 more",
	"4 more",
	"the same as x",
	"It is in /lib/x.so.",
	"It is in .",
	"It is in \"x\".",
	"1 .. 20",
	"constant: 3 samples",
	"linear: 7 samples, R\xc2\xb2 0.5",
	"annotations:",
	"features:",
	"Norm(1, 2);",
	"R",
	"M",
	"log",
	"case",
	"@f",
	"x^2",
	"?",
	"$a",
	"~A",
	"std::map<int, std::string>",
};

enum { HOSTILE = sizeof(hostile) / sizeof(*hostile) };

static void assert_read_back(struct annotation_texts *texts)
{
	for (texts->n_more = 0; texts->n_more < 4; texts->n_more += 3)
		assert_true(texts_read_back(texts, METRIC_TIME));
}

static void any_text_reads_back_in_any_place(void **state)
{
	struct annotation_texts texts = usual;
	size_t i, place;

	(void)state;
	assert_read_back(&texts);
	for (i = 0; i < HOSTILE; i++)
		for (place = 0; place < ANNOTATION_TEXTS; place++) {
			texts = usual;
			texts.all[place] = hostile[i];
			assert_read_back(&texts);
		}
}

static void any_two_texts_read_back_beside_each_other(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < HOSTILE; i++)
		for (j = 0; j < HOSTILE; j++) {
			struct annotation_texts texts;
			size_t place;

			for (place = 0; place < ANNOTATION_TEXTS; place++)
				texts.all[place] = hostile[place % 2 ? j : i];
			assert_read_back(&texts);
		}
}

static void a_function_that_ends_like_a_metric_keeps_its_own(void **state)
{
	struct annotation_texts texts = usual;

	(void)state;
	texts.all[TEXT_FUNCTION] = "f.self";
	assert_true(texts_read_back(&texts, METRIC_TIME));
	assert_true(texts_read_back(&texts, metric_parse("self.time")));
	texts.all[TEXT_FUNCTION] = "f.time";
	assert_true(texts_read_back(&texts, METRIC_TIME));
}

static void a_very_long_text_reads_back(void **state)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE + 1);
	struct annotation_texts texts;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE; i++)
		text[i] = (char)(1 + i % 255);
	text[SIZE] = '\0';
	for (i = 0; i < ANNOTATION_TEXTS; i++)
		texts.all[i] = text;
	assert_read_back(&texts);
	memset(text, '\\', SIZE);
	assert_read_back(&texts);
	free(text);
}

/*
 * What looks like the beginning of something at each place takes no time for each pair of places.
 */
static void a_megabyte_of_beginnings_is_refused_at_once(void **state)
{
	enum { SIZE = 1 << 20 };
	static const char *const pieces[] = {
		"\\\"", ".",   "\"",      "'\\\"",           ".time ", "(",
		"<,",   "@f<", "\"\\\",", "\"\\\" && a == ", "'\"\\'",
	};
	static const char *const heads[] = {
		"",
		"f.time { features: int a = ",
		"f.time { features: int a = a; // x\n// the same as \"",
		"f.time { features: int a = a; annotations: [a == ",
		"f.time { features: annotations: Norm(",
	};
	char *text = malloc(SIZE + 100);
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		for (j = 0; j < sizeof(pieces) / sizeof(*pieces); j++) {
			struct annotation_list list = {.n = 0};
			const size_t length = strlen(pieces[j]);
			size_t n = strlen(heads[i]);
			struct err err = {0};

			memcpy(text, heads[i], n + 1);
			for (; n + length < SIZE; n += length)
				memcpy(text + n, pieces[j], length);
			assert_false(annotation_parse(text, n, &list, &err));
			assert_int_equal(list.n, 0);
		}
	free(text);
}

static void assert_printed(const char *text, enum quote_place place, const char *expected)
{
	char printed[256] = "";
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	quote_print(text, place, out);
	fclose(out);
	assert_string_equal(printed, expected);
}

static void assert_plain(const char *text, enum quote_place place)
{
	assert_printed(text, place, text);
}

static void what_reads_back_has_no_quotes(void **state)
{
	size_t place;

	(void)state;
	for (place = QUOTE_EXPRESSION; place <= QUOTE_COMMENT; place++) {
		assert_plain("n", place);
		assert_plain("std::map<int, std::string>::f", place);
	}
	assert_plain("std::map<int, std::string>", QUOTE_SYMBOL);
	assert_plain("(anonymous namespace)::kind", QUOTE_SYMBOL);
	assert_plain("r\xc3\xa9sum\xc3\xa9", QUOTE_EXPRESSION);
	assert_plain("p->q - *r.s", QUOTE_EXPRESSION);
	assert_plain("strlen(\"a;b\")", QUOTE_EXPRESSION);
	assert_plain("x != 0", QUOTE_EXPRESSION);
	assert_plain("'x;y.c'::n", QUOTE_ALIAS);
	assert_plain("it's \"so\", isn't it; ] // 7", QUOTE_COMMENT);
	assert_plain("g(int, char)", QUOTE_REFERENCE);
}

static void what_does_not_is_a_string(void **state)
{
	(void)state;
	assert_printed("a;b", QUOTE_EXPRESSION, "\"a;b\"");
	assert_printed("a\"b\\", QUOTE_EXPRESSION, "\"a\\\"b\\\\\"");
	assert_printed("a\n\tb\r", QUOTE_COMMENT, "\"a\\n\\tb\\x0d\"");
	assert_printed("a   b", QUOTE_COMMENT, "\"a \\x20\\x20b\"");
	assert_printed("\xff \xc3\xa9", QUOTE_SYMBOL, "\"\\xff \xc3\xa9\"");
	assert_printed("\xe0\x82\x9b", QUOTE_COMMENT, "\"\\xe0\\x82\\x9b\"");
	assert_printed("\xed\xa0\x80", QUOTE_COMMENT, "\"\\xed\\xa0\\x80\"");
	assert_printed("7", QUOTE_SYMBOL, "\"7\"");
	assert_printed("", QUOTE_ALIAS, "\"\"");
}

static struct annotation_list parsed(const char *text, struct err *err)
{
	struct annotation_list list = {.n = 0};

	if (!annotation_parse(text, strlen(text), &list, err))
		assert_int_equal(list.n, 0);
	return list;
}

static void strings_that_people_write_are_read(void **state)
{
	static const char text[] = "\"f\\x28int)\" .time {\nfeatures:\n"
				   "  int a = \"x\\x3B\\ty\" ;  // 1 .. 2\n"
				   "  // the same as \"b, c\" , d and 2 more\n"
				   "  enum k = k;\nannotations:\n"
				   "  [k == \"A B\" && k != \"7\"] Norm(@ \"g h\" [n:=a], 1);\n}\n";
	struct err err = {0};
	struct annotation_list list = parsed(text, &err);
	char *printed;

	(void)state;
	assert_int_equal(list.n, 1);
	printed = print_annotation(list.list[0]);
	assert_string_equal(
		printed, "f(int).time {\nfeatures:\n  int a = \"x;\\ty\";  // 1 .. 2\n"
			 "    // the same as \"b, c\", d and 2 more\n  enum k = k;\nannotations:\n"
			 "  [k == A B && k != \"7\"] Norm(@\"g h\"[n:=a], 1);\n}\n");
	free(printed);
	annotation_parse_deinit(&list);
}

static void assert_refused(const char *text, const char *why)
{
	struct err err = {0};
	struct annotation_list list = parsed(text, &err);

	assert_int_equal(list.n, 0);
	assert_int_equal(err.code, ERR_FORMAT);
	assert_string_equal(err.text, why);
}

#define ESCAPES "in quotes only \\\", \\\\, \\n, \\t and \\xHH are understood, and no byte is 0"

static void a_wrong_escape_is_an_error_where_the_string_begins(void **state)
{
	static const char *const wrong[] = {"\\q", "\\x", "\\x1", "\\xg0", "\\x00", "\\r"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "f.time {\nfeatures:\n  int a = \"%s\";\nannotations:\n}", wrong[i]);
		assert_refused(text, "line 3, column 11: " ESCAPES);
	}
	assert_refused("\"\\q\".time {\nfeatures:\nannotations:\n}", "line 1, column 1: " ESCAPES);
	assert_refused("f.time {\nfeatures:\nannotations:\n  Norm(@\"\\q\", 1);\n}",
		       "line 4, column 9: " ESCAPES);
	assert_refused(
		"f.time {\nfeatures:\n  enum a = a;\nannotations:\n  [a == \"\\q\"] Norm(1, 1);\n}",
		"line 5, column 9: " ESCAPES);
}

static void a_wrong_escape_in_a_comment_stands_for_itself(void **state)
{
	struct err err = {0};
	struct annotation_list list =
		parsed("f.time {\nfeatures:\nannotations:\n  Norm(1, 1);\n  // \"C:\\q\"\n}", &err);

	(void)state;
	assert_int_equal(list.n, 1);
	assert_string_equal(list.list[0]->notes[0], "\"C:\\q\"");
	annotation_parse_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_text_reads_back_in_any_place),
		cmocka_unit_test(any_two_texts_read_back_beside_each_other),
		cmocka_unit_test(a_function_that_ends_like_a_metric_keeps_its_own),
		cmocka_unit_test(a_very_long_text_reads_back),
		cmocka_unit_test(a_megabyte_of_beginnings_is_refused_at_once),
		cmocka_unit_test(what_reads_back_has_no_quotes),
		cmocka_unit_test(what_does_not_is_a_string),
		cmocka_unit_test(strings_that_people_write_are_read),
		cmocka_unit_test(a_wrong_escape_is_an_error_where_the_string_begins),
		cmocka_unit_test(a_wrong_escape_in_a_comment_stands_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
