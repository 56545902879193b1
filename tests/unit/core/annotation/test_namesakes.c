/* Functions of one printed name are told apart, and found again by what tells them apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/annotation/namesakes.h"

enum { LIST_MAX = 4 };

static struct annotation *annotation_of(const struct namesake *namesake, enum metric metric)
{
	struct annotation *annotation = annotation_create();

	annotation->function = namesake->name;
	annotation->linkage = namesake->linkage;
	annotation->file = namesake->file;
	annotation->line = namesake->line;
	annotation->metric = metric;
	return annotation;
}

/* Each is called as expected (NULL: end), and what it is called is it and no other. */
static void assert_called(const struct namesake *namesakes, const char *const *expected)
{
	struct annotation *list[LIST_MAX] = {NULL};
	size_t n, i, j;

	for (n = 0; expected[n]; n++)
		list[n] = annotation_of(&namesakes[n], METRIC_TIME);
	namesakes_tell_apart(list, n);
	for (i = 0; i < n; i++) {
		assert_string_equal(list[i]->function, expected[i]);
		for (j = 0; j < n; j++)
			assert_int_equal(namesakes_match(list[i]->function, &namesakes[j]) ==
						 NAMESAKES_SAME,
					 i == j);
	}
	for (i = 0; i < n; i++)
		annotation_destroy(list[i]);
}

static void parts_of_a_coroutine_have_their_words(void **state)
{
	const struct namesake parts[] = {{"work(int)", "_Z4worki", "co.cc", 24},
					 {"work(int)", "_Z4worki.resume", "co.cc", 24},
					 {"work(int)", "_Z4worki.cleanup", "co.cc", 24},
					 {"work(int)", "_Z4worki.part.0", "co.cc", 24}};

	(void)state;
	assert_called(parts, (const char *const[]){"work(int)", "work(int) [resume]",
						   "work(int) [cleanup]", NULL});
	assert_called(parts + 2,
		      (const char *const[]){"work(int) [cleanup]", "work(int) [part.0]", NULL});
}

static void without_a_better_word_the_linkage_name_tells(void **state)
{
	const struct namesake constructors[] = {{"A::A()", "_ZN1AC1Ev", "a.cc", 1},
						{"A::A()", "_ZN1AC2Ev", "a.cc", 1}};

	(void)state;
	assert_called(constructors,
		      (const char *const[]){"A::A() [_ZN1AC1Ev]", "A::A() [_ZN1AC2Ev]", NULL});
}

static void functions_of_one_linkage_name_have_their_places(void **state)
{
	const struct namesake statics[] = {{"help", "help", "/src/a.c", 3},
					   {"help", "help", "/src/b.c", 3}};
	const struct namesake in_one[] = {{"help", "help", "/src/a.c", 3},
					  {"help", "help", "/src/a.c", 9}};

	(void)state;
	assert_called(statics, (const char *const[]){"help [a.c]", "help [b.c]", NULL});
	assert_called(in_one, (const char *const[]){"help [a.c:3]", "help [a.c:9]", NULL});
}

static void alone_a_function_keeps_its_name_and_is_found_as_another_clone(void **state)
{
	const struct namesake old = {"f(int)", "_Z1fi.part.0", "f.cc", 1};
	const struct namesake new = {"f(int)", "_Z1fi.part.1", "f.cc", 1};
	struct annotation *list[] = {annotation_of(&old, METRIC_TIME),
				     annotation_of(&old, METRIC_MEM)};

	(void)state;
	namesakes_tell_apart(list, 2); /* two metrics of one function */
	assert_string_equal(list[0]->function, "f(int)");
	assert_string_equal(list[1]->function, "f(int)");
	assert_int_equal(namesakes_match("f(int)", &new), NAMESAKES_ALIKE);
	assert_int_equal(namesakes_match("f(int) [part.0]", &new), NAMESAKES_OTHER);
	assert_int_equal(namesakes_match("f", &new), NAMESAKES_OTHER);
	assert_int_equal(namesakes_match("f(int)[]", &new), NAMESAKES_OTHER);
	annotation_destroy(list[0]);
	annotation_destroy(list[1]);
}

static void a_pattern_finds_the_function_in_a_program(void **state)
{
	static const char *const patterns[][2] = {
		{"work(int)", "work(int)"},
		{"work(int) [resume]", "work(int)"},
		{"work(int) [part.0]", "work(int)"},
		{"A::A() [_ZN1AC1Ev]", "A::A()"},
		{"_Z1fi [_Z1fi.resume]", "_Z1fi"},
		{"help [a.c]", "a.c:help"},
		{"help [a.c:3]", "a.c:help"},
		{"operator[]", "operator[]"},
		{"]", "]"},
		{"", ""},
	};
	struct arena *arena = arena_create();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		assert_string_equal(namesakes_pattern(patterns[i][0], arena), patterns[i][1]);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_coroutine_have_their_words),
		cmocka_unit_test(without_a_better_word_the_linkage_name_tells),
		cmocka_unit_test(functions_of_one_linkage_name_have_their_places),
		cmocka_unit_test(alone_a_function_keeps_its_name_and_is_found_as_another_clone),
		cmocka_unit_test(a_pattern_finds_the_function_in_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
