/* Conditions about calls: what they say, what they need, and how wrong ones are refused. */
#include "shell/condition.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static const struct call_condition *parse(struct arena *arena, const char *text)
{
	const struct call_condition *watch = NULL;
	struct err err = {0};

	if (!condition_parse(text, NULL, arena, &watch, &err))
		fail_msg("%s: %s", text, err.text);
	return watch;
}

/* Of a condition whose names are n, m and so on: their values in the order in which they come. */
static enum condition_answer holds(const char *text, const double *numbers)
{
	struct arena *arena = arena_create();
	const struct call_condition *watch = parse(arena, text);
	const struct condition_name *names;
	struct value values[8] = {{0}};
	size_t n = condition_names(watch, &names);
	enum condition_answer answer;

	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++)
		values[i] = numbers[i] < -1e300
				    ? (struct value){.absence = ABSENT_NULL}
				    : (struct value){.number = numbers[i], .absence = PRESENT};
	answer = condition_holds(watch, values);
	arena_destroy(arena);
	return answer;
}

#define ABSENT           (-1e308)
#define HOLDS(text, ...) holds(text, (const double[]){__VA_ARGS__})

static void numbers_are_compared_and_computed_with(void **state)
{
	(void)state;
	assert_int_equal(HOLDS("n > 1000", 1001), CONDITION_YES);
	assert_int_equal(HOLDS("n > 1000", 1000), CONDITION_NO);
	assert_int_equal(HOLDS("n >= 1e3", 1000), CONDITION_YES);
	assert_int_equal(HOLDS("n != -2", -2), CONDITION_NO);
	assert_int_equal(HOLDS("n + 2 * m == 8", 2, 3), CONDITION_YES);
	assert_int_equal(HOLDS("(n + 2) * m == 12", 2, 3), CONDITION_YES);
	assert_int_equal(HOLDS("n - m - 1 == 0", 4, 3), CONDITION_YES);
	assert_int_equal(HOLDS("n / m > 1", 4, 0), CONDITION_UNKNOWN);
	assert_int_equal(HOLDS("b == true", 1), CONDITION_YES);
	assert_int_equal(HOLDS("n", 3), CONDITION_YES);
	assert_int_equal(HOLDS("!n", 3), CONDITION_NO);
}

static void whether_a_value_is_there_is_known(void **state)
{
	(void)state;
	assert_int_equal(HOLDS("defined(n)", 0), CONDITION_YES);
	assert_int_equal(HOLDS("defined(n)", ABSENT), CONDITION_NO);
	assert_int_equal(HOLDS("!defined(n->next)", ABSENT), CONDITION_YES);
	assert_int_equal(HOLDS("defined( strlen(n) ) && strlen(n) > 3", 4), CONDITION_YES);
	assert_int_equal(HOLDS("defined(n) && n > 3", ABSENT), CONDITION_NO);
	assert_int_equal(HOLDS("defined(n) || m", ABSENT, 1), CONDITION_YES);
	assert_int_equal(HOLDS("`defined(n)` > 1", 2), CONDITION_YES);
}

static void and_binds_closer_than_or_and_not_closest(void **state)
{
	(void)state;
	assert_int_equal(HOLDS("a == 1 || b == 1 && c == 1", 1, 0, 0), CONDITION_YES);
	assert_int_equal(HOLDS("(a == 1 || b == 1) && c == 1", 1, 0, 0), CONDITION_NO);
	assert_int_equal(HOLDS("! a == 1 && b", 0, 1), CONDITION_YES);
}

static void what_is_not_known_matters_only_where_it_decides(void **state)
{
	(void)state;
	assert_int_equal(HOLDS("n > 1", ABSENT), CONDITION_UNKNOWN);
	assert_int_equal(HOLDS("n > 1 && m > 1", ABSENT, 0), CONDITION_NO);
	assert_int_equal(HOLDS("n > 1 && m > 1", ABSENT, 2), CONDITION_UNKNOWN);
	assert_int_equal(HOLDS("n > 1 || m > 1", ABSENT, 2), CONDITION_YES);
	assert_int_equal(HOLDS("!(n > 1)", ABSENT), CONDITION_UNKNOWN);
}

static void numbers_with_units_are_in_the_unit_of_the_metric(void **state)
{
	(void)state;
	assert_int_equal(HOLDS("time > 2 ms", 2000.5), CONDITION_YES);
	assert_int_equal(HOLDS("time > 2ms", 1999), CONDITION_NO);
	assert_int_equal(HOLDS("elapsed > 1 min", 61e6), CONDITION_YES);
	assert_int_equal(HOLDS("time <= 500 ns", 0.5), CONDITION_YES);
	assert_int_equal(HOLDS("time == 3 \xc2\xb5s", 3), CONDITION_YES);
	assert_int_equal(HOLDS("mem >= 4 KiB", 4096), CONDITION_YES);
	assert_int_equal(HOLDS("mem >= 1.5 MB", 1.5e6), CONDITION_YES);
}

static void expect_name(const char *text, size_t index, enum condition_name_kind kind,
			const char *expression, const char *symbol)
{
	struct arena *arena = arena_create();
	const struct condition_name *names;
	size_t n = condition_names(parse(arena, text), &names);

	assert_true(index < n);
	assert_int_equal(names[index].kind, kind);
	if (kind == CONDITION_FEATURE)
		assert_string_equal(names[index].expression, expression);
	assert_int_equal(!names[index].symbol, !symbol);
	if (symbol)
		assert_string_equal(names[index].symbol, symbol);
	arena_destroy(arena);
}

static void names_are_native_expressions(void **state)
{
	static const char *const whole[] = {
		"thd->m_query_string.len", "*t",         "strlen(str)", "a[0].b",
		"'file.c'::counter",       "typeid(*p)", "(*p).x",      "system.load",
		"ns::Class::member",       "this->x",    "return",      "**argv",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s > 3", whole[i]);
		expect_name(text, 0, CONDITION_FEATURE, whole[i], NULL);
	}
	expect_name("`v->finish - v->start` > 3", 0, CONDITION_FEATURE, "v->finish - v->start",
		    NULL);
	expect_name("`time` > 3", 0, CONDITION_FEATURE, "time", NULL);
	expect_name("self.time > 3", 0, CONDITION_METRIC, NULL, NULL);
}

static void names_behind_equality_are_enumerators_or_classes(void **state)
{
	(void)state;
	expect_name("kind == RED", 0, CONDITION_FEATURE, "kind", "RED");
	expect_name("kind != ns::RED && n > 2", 0, CONDITION_FEATURE, "kind", "ns::RED");
	expect_name("typeid(*p) == \"std::map<int, int>\"", 0, CONDITION_FEATURE, "typeid(*p)",
		    "std::map<int, int>");
	expect_name("n == (m)", 1, CONDITION_FEATURE, "m", NULL);
	expect_name("n == `m`", 1, CONDITION_FEATURE, "m", NULL);
	assert_int_equal(HOLDS("kind != RED", 1), CONDITION_NO);
	assert_int_equal(HOLDS("kind == RED", 1), CONDITION_YES);
}

static void each_name_is_needed_once(void **state)
{
	struct arena *arena = arena_create();
	const struct condition_name *names;

	(void)state;
	assert_int_equal(
		condition_names(parse(arena, "n > 1 && n < 5 && (n) != 3 || 2*n > 7"), &names), 1);
	assert_int_equal(condition_names(parse(arena, "1 < 2"), &names), 0);
	arena_destroy(arena);
}

static void predicted_is_of_the_metric_on_the_other_side(void **state)
{
	struct arena *arena = arena_create();
	const struct condition_name *names;
	const struct call_condition *watch =
		parse(arena, "mem > 3 * predicted && predicted * 2 < cpu");

	(void)state;
	assert_int_equal(condition_names(watch, &names), 4);
	assert_int_equal(names[0].metric, METRIC_MEM);
	assert_int_equal(names[1].kind, CONDITION_PREDICTED);
	assert_int_equal(names[1].metric, METRIC_MEM);
	assert_int_equal(names[2].kind, CONDITION_PREDICTED);
	assert_int_equal(names[2].metric, METRIC_CPU);
	watch = parse(arena, "elapsed > predicted + 2 s");
	assert_int_equal(condition_names(watch, &names), 2);
	assert_int_equal(names[1].metric, METRIC_TIME);
	arena_destroy(arena);
}

static void what_has_no_metric_is_decided_before_the_end(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	assert_true(condition_is_early(parse(arena, "n > 3")));
	assert_true(condition_is_early(parse(arena, "elapsed > 3 s && n > 3")));
	assert_true(condition_is_elapsed(parse(arena, "n > 3 || elapsed > 3 s")));
	assert_false(condition_is_early(parse(arena, "time > 3 s")));
	assert_false(condition_is_elapsed(parse(arena, "time > 3 s")));
	arena_destroy(arena);
}

static void refuses(const char *text, const char *words)
{
	struct arena *arena = arena_create();
	const struct call_condition *watch = NULL;
	struct err err = {0};

	if (condition_parse(text, NULL, arena, &watch, &err))
		fail_msg("'%s' was not refused", text);
	assert_int_equal(err.code, ERR_FORMAT);
	assert_null(watch);
	if (!strstr(err.text, words))
		fail_msg("'%s': %s", text, err.text);
	arena_destroy(arena);
}

static void wrong_conditions_are_refused_with_the_place(void **state)
{
	static char deep[3000], wide[6000];

	(void)state;
	refuses("", "missing at the end");
	refuses("n >", "missing at the end");
	refuses("n > 3 m", "unit");
	refuses("n > 3 && ", "missing at the end");
	refuses("(n > 3", "')'");
	refuses("n > 3)", "character 6");
	refuses("`n", "backquote");
	refuses("n = 3", "character 3");
	refuses("predicted > 3", "compare it with a metric");
	refuses("predicted", "compare it with a metric");
	refuses("time > 3 MB", "different units");
	refuses("mem + elapsed > 3", "different units");
	refuses("time > 1 MB", "a time and a number of bytes");
	refuses("n > 1e999", "too large");
	memset(deep, '(', sizeof(deep) - 1);
	refuses(deep, "deep");
	memset(deep, '!', sizeof(deep) - 1);
	refuses(deep, "deep");
	memset(wide, 'n', sizeof(wide) - 1);
	refuses(wide, "longer");
}

/* What is known is one name, whatever is in it; short names stand for their expressions. */
static void known_names_are_taken_whole(void **state)
{
	static const struct condition_feature list[] = {
		{"v._end - v._begin", "v._end - v._begin"},
		{"v._end", "v._end"},
		{"v.size()", "v.size()"},
		{"size", "v.size()"},
		{"typeid(*p)", "typeid(*p)"},
		{"time", "clock->time"},
	};
	const struct condition_known known = {list, sizeof(list) / sizeof(*list)};
	static const struct {
		const char *text, *first, *second;
	} cases[] = {
		{"v._end - v._begin > 3", "v._end - v._begin", NULL},
		{"v._end - v._beginning > 3", "v._end", "v._beginning"},
		{"v.size() > 200 && size < 3", "v.size()", NULL},
		{"2*size - sizes > 0", "v.size()", "sizes"},
		{"typeid(*p) == Table<int, std::pair<int, int>>", "typeid(*p)", NULL},
		{"`time` > 3 && v.size()", "time", "v.size()"},
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct call_condition *watch;
		const struct condition_name *names;
		struct err err;

		if (!condition_parse(cases[i].text, &known, arena, &watch, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(condition_names(watch, &names), cases[i].second ? 2 : 1);
		assert_string_equal(names[0].expression, cases[i].first);
		if (cases[i].second)
			assert_string_equal(names[1].expression, cases[i].second);
	}
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_compared_and_computed_with),
		cmocka_unit_test(whether_a_value_is_there_is_known),
		cmocka_unit_test(and_binds_closer_than_or_and_not_closest),
		cmocka_unit_test(what_is_not_known_matters_only_where_it_decides),
		cmocka_unit_test(numbers_with_units_are_in_the_unit_of_the_metric),
		cmocka_unit_test(names_are_native_expressions),
		cmocka_unit_test(names_behind_equality_are_enumerators_or_classes),
		cmocka_unit_test(each_name_is_needed_once),
		cmocka_unit_test(predicted_is_of_the_metric_on_the_other_side),
		cmocka_unit_test(what_has_no_metric_is_decided_before_the_end),
		cmocka_unit_test(known_names_are_taken_whole),
		cmocka_unit_test(wrong_conditions_are_refused_with_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
