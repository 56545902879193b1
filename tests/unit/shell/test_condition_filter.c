/* Conditions as plans: what these say of calls, beside what the conditions themselves say. */
#include "shell/condition_filter.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "core/plan/plan_runner.h"

enum { NAMES = 4 };

/* a, b, c and d are in the registers 0 to 3, as these types; a symbol is the number 1. */
static const char *const types[NAMES] = {"signed 4", "unsigned 8", "signed 8", "bool 1"};

struct filtered {
	struct arena *arena;
	const struct call_condition *condition;
	const struct condition_name *names;
	size_t n;
	struct condition_reading readings[NAMES];
	struct read_plan plan;
	bool has_plan;
};

static unsigned number_of(const struct condition_name *name)
{
	return (unsigned)(name->expression[0] - 'a');
}

static struct filtered filter_make(const char *text, const char *float_name)
{
	struct filtered made = {.arena = arena_create()};
	struct err err;

	assert_true(condition_parse(text, NULL, made.arena, &made.condition, &err));
	made.n = condition_names(made.condition, &made.names);
	for (size_t i = 0; i < made.n; i++) {
		const unsigned number = number_of(&made.names[i]);
		const bool is_float = float_name && !strcmp(made.names[i].expression, float_name);
		struct read_plan *plan = arena_new(made.arena, struct read_plan);

		assert_true(read_plan_parse(arena_printf(made.arena, "reg %u; %s", number,
							 is_float ? "float 8" : types[number]),
					    made.arena, plan, &err));
		made.readings[i] = (struct condition_reading){.plan = plan, .symbol = 1};
	}
	made.has_plan = condition_filter(made.condition, made.readings, made.arena, &made.plan);
	return made;
}

/* What the filter and the condition say of these numbers. */
static bool says_no(const struct filtered *made, const struct plan_context *context)
{
	const struct read_plan *plans[] = {&made->plan};
	struct plan_runner *runner = plan_runner_create();
	struct word word;

	plan_runner_run_words(runner, plans, 1, context, &word);
	plan_runner_destroy(runner);
	return word.absence == PRESENT && !word.bits;
}

static enum condition_answer answer_of(const struct filtered *made,
				       const struct plan_context *context)
{
	struct plan_runner *runner = plan_runner_create();
	struct value values[NAMES];

	for (size_t i = 0; i < made->n; i++) {
		const struct read_plan *plans[] = {made->readings[i].plan};

		plan_runner_run(runner, plans, 1, context, &values[i]);
		if (made->names[i].symbol)
			values[i].number = values[i].number == 1;
	}
	plan_runner_destroy(runner);
	return condition_holds(made->condition, values);
}

static void what_is_about_whole_numbers_is_decided_as_the_condition_does(void **state)
{
	static const char *const texts[] = {
		"a > 1000",
		"a >= -1",
		"a < 0",
		"a <= 7",
		"a == 7",
		"a != 7",
		"1000 < a",
		"b > 1000",
		"b <= 7",
		"b >= 0",
		"c < -5",
		"c == -5",
		"a",
		"!a",
		"d",
		"d == 0",
		"a > 7 && b < 9",
		"a > 7 || b < 9",
		"!(a > 7 || b < 9)",
		"a == RED",
		"a != RED",
		"a > d",
		"a == RED || c > 7 && !d",
	};
	static const uint64_t numbers[] = {
		0, 1, 7, 8, 1000, 1001, UINT64_MAX, (uint64_t)-5, UINT32_MAX, UINT64_C(1) << 40};
	const size_t n = sizeof(numbers) / sizeof(*numbers);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct filtered made = filter_make(texts[i], NULL);

		if (!made.has_plan)
			fail_msg("%s has no plan", texts[i]);
		for (size_t j = 0; j < n * n; j++) {
			const uint64_t x = numbers[j % n], y = numbers[j / n];
			const struct plan_context context = {.registers = {x, y, y, x}};
			const enum condition_answer answer = answer_of(&made, &context);

			if (says_no(&made, &context) != (answer == CONDITION_NO))
				fail_msg("%s with %lx and %lx", texts[i], x, y);
		}
		arena_destroy(made.arena);
	}
}

static void an_absent_value_leaves_it_open(void **state)
{
	const struct filtered made = filter_make("a > 7 || b > 7", NULL);
	const struct plan_context context = {.registers = {1, 1}, .unknown = 2};

	(void)state;
	assert_false(says_no(&made, &context));
	arena_destroy(made.arena);
}

/* One side of an && is enough to say no; of an || it is not. */
static void what_no_plan_can_decide_is_left_open(void **state)
{
	static const char *const open[] = {"c > 7.5",       "a + 1 > 7", "c > 7 || a > 3",
					   "!(c > 1 && a)", "c == a",    "b > -1",
					   "a / b > 2",     "c"};
	const struct filtered made = filter_make("a > 7 && c > 2.5", "c");
	const struct plan_context low = {.registers = {7, 0, 0}};
	const struct plan_context high = {.registers = {8, 0, 0}};

	(void)state;
	assert_true(made.has_plan);
	assert_true(says_no(&made, &low));
	assert_false(says_no(&made, &high));
	arena_destroy(made.arena);
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++) {
		const struct filtered other = filter_make(open[i], "c");

		if (other.has_plan)
			fail_msg("%s has a plan", open[i]);
		arena_destroy(other.arena);
	}
}

/* As many steps as there may be in a plan. */
static void what_is_too_long_has_no_plan(void **state)
{
	char text[1024] = "a > 0";
	struct filtered made;

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(text, " && a > 0");
	made = filter_make(text, NULL);
	assert_false(made.has_plan);
	arena_destroy(made.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_about_whole_numbers_is_decided_as_the_condition_does),
		cmocka_unit_test(an_absent_value_leaves_it_open),
		cmocka_unit_test(what_no_plan_can_decide_is_left_open),
		cmocka_unit_test(what_is_too_long_has_no_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
