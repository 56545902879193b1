/*
 * Which annotation is an open call's, what its features are in the frame, and what its thread waits
 * for.
 */
#include "base/mem.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/verdict/stack_annotations.h"
#include "core/verdict/stack_words.h"

static void parse(const char *text, struct annotation_list *ret)
{
	struct err err;

	*ret = (struct annotation_list){.n = 0};
	if (!annotation_parse(text, strlen(text), ret, &err))
		fail_msg("%s", err.text);
}

/* Does an annotation called @name belong to the open call of @function? */
static bool is_of(const char *name, const char *function, const char *linkage)
{
	const struct stack_frame frame = {.function = function, .linkage = linkage};
	struct arena *arena = arena_create();
	struct annotation_list list;
	bool ret;

	parse(arena_printf(arena, "\"%s\".time { features: annotations: Norm(1, 1); }", name),
	      &list);
	ret = stack_annotations_find(&list, &frame, arena) != NULL;
	annotation_parse_deinit(&list);
	arena_destroy(arena);
	return ret;
}

static void annotations_belong_to_functions_as_programmers_write_them(void **state)
{
	(void)state;
	assert_true(is_of("parse", "parse", "parse"));
	assert_false(is_of("parse", "parser", "parser"));
	assert_true(is_of("sort", "std::list<int>::sort()", "_ZNSt4listIiE4sortEv"));
	assert_true(is_of("std::list<int>::sort()", "std::list<int>::sort()", NULL));
	assert_true(is_of("std::__cxx11::list<int, std::allocator<int> >::sort()",
			  "std::list<int>::sort()", NULL));
	assert_true(
		is_of("_ZNSt4listIiE4sortEv", "std::list<int>::sort()", "_ZNSt4listIiE4sortEv"));
	assert_false(is_of("f(long)", "f(int)", NULL));
}

/* A printed name is not a glob. */
static void the_star_of_a_pointer_matches_nothing_else(void **state)
{
	(void)state;
	assert_true(is_of("f(int*)", "f(int*)", NULL));
	assert_false(is_of("f(int*)", "f(int, char)", NULL));
	assert_false(is_of("*", "f", NULL));
}

static void frames_without_a_name_have_no_annotation(void **state)
{
	(void)state;
	assert_false(is_of("f", NULL, NULL));
}

static const char twice[] =
	"help.time { features: annotations: Norm(1, 1); // It is in /lib/liba.so.1.\n }"
	"help.time { features: annotations: Norm(2, 1); // It is in /lib/libb.so.1.\n }";

/* Text names the library, an annotation just made also the file. */
static void of_functions_that_are_called_alike_the_place_tells_which_is_meant(void **state)
{
	struct stack_frame frame = {.function = "help", .module = "/usr/lib/libb.so.1"};
	struct arena *arena = arena_create();
	struct annotation_list list;

	(void)state;
	parse(twice, &list);
	assert_int_equal(list.n, 2);
	assert_ptr_equal(stack_annotations_find(&list, &frame, arena), list.list[1]);
	frame.module = "/usr/lib/liba.so.1";
	assert_ptr_equal(stack_annotations_find(&list, &frame, arena), list.list[0]);
	frame = (struct stack_frame){
		.function = "help", .declared_file = "/build/src/b.c", .declared_line = 20};
	list.list[0]->file = "src/a.c";
	list.list[1]->file = "src/b.c";
	assert_ptr_equal(stack_annotations_find(&list, &frame, arena), list.list[1]);
	frame.declared_file = "a.c";
	assert_ptr_equal(stack_annotations_find(&list, &frame, arena), list.list[0]);
	frame.declared_file = "c.c"; /* no annotation has this file */
	assert_null(stack_annotations_find(&list, &frame, arena));
	annotation_parse_deinit(&list);
	arena_destroy(arena);
}

static void only_annotations_of_time_say_how_long(void **state)
{
	const struct stack_frame frame = {.function = "f"};
	struct arena *arena = arena_create();
	struct annotation_list list;

	(void)state;
	parse("f.mem { features: annotations: Norm(1, 1); }", &list);
	assert_null(stack_annotations_find(&list, &frame, arena));
	assert_null(stack_annotations_list(&list, arena));
	annotation_parse_deinit(&list);
	parse("a.time { features: annotations: Norm(1, 1); } b.mem { features: annotations: "
	      "Norm(1, 1); }"
	      "c.time { features: annotations: Norm(1, 1); }",
	      &list);
	assert_string_equal(stack_annotations_list(&list, arena), "a, c");
	annotation_parse_deinit(&list);
	arena_destroy(arena);
}

/* A stack of one frame f that has n = 100 and no m, in a thread that runs. */
struct one {
	struct stack_value values[3];
	struct stack_frame frame;
	struct stack_thread thread;
	struct stack stack;
};

static void one_init(struct one *one)
{
	*one = (struct one){
		.values =
			{
				{.expression = "n", .type = FEATURE_INT, .value = {100, PRESENT}},
				{.expression = "m",
				 .type = FEATURE_INT,
				 .value = {0, ABSENT_NULL},
				 .why = "gone"},
				{.expression = "color",
				 .type = FEATURE_ENUM,
				 .value = {5, PRESENT},
				 .label = "GREEN"},
			},
		.frame = {.function = "f", .n_values = 3},
		.thread = {.tid = 1,
			   .name = "one",
			   .activity = STACK_RUNS,
			   .wait = {.descriptor = -1},
			   .n_frames = 1,
			   .at_least_us = 900,
			   .at_most_us = 1000},
		.stack = {.n_threads = 1},
	};
	one->frame.values = one->values;
	one->thread.frames = &one->frame;
	one->stack.threads = &one->thread;
	one->stack.arena = arena_create();
}

static struct forecast judge(const char *text, struct annotation_list *list)
{
	struct one *one = mem_alloc(sizeof(*one));
	struct forecast ret;

	one_init(one);
	parse(text, list);
	assert_int_equal(stack_annotations_apply(&one->stack, list), 1);
	ret = *one->frame.forecast;
	if (ret.why)
		ret.why = strdup(ret.why);
	arena_destroy(one->stack.arena);
	free(one);
	return ret;
}

static void features_are_read_from_the_frame_by_their_expressions(void **state)
{
	struct annotation_list list;
	struct forecast forecast = judge(
		"f.time { features: int x = n; enum c = color; annotations: [c == GREEN] Norm(10 * "
		"x, 5); }",
		&list);

	(void)state;
	assert_true(forecast.is_expected);
	assert_float_equal(forecast.expectation.mean, 1000, 1e-9);
	assert_int_equal(forecast.verdict, FORECAST_WITHIN);
	annotation_parse_deinit(&list);
}

static void features_without_a_value_are_told_with_the_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"f.time { features: int m = m; annotations: Norm(m, 5); }",
		 "m must be known; m: gone"},
		{"f.time { features: int t = system.threads; annotations: Norm(t, 5); }",
		 "t must be known; t: it is about the moment in which the call began"},
		{"f.time { features: int r = return; annotations: Norm(r, 5); }",
		 "r must be known; r: it may be known when the call returns"},
		{"f.time { features: int z = zebra; annotations: Norm(z, 5); }",
		 "z must be known; z: there is no such value in the frame"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct annotation_list list;
		struct forecast forecast = judge(cases[i].text, &list);

		assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
		assert_string_equal(forecast.why, cases[i].why);
		free((char *)forecast.why);
		annotation_parse_deinit(&list);
	}
}

/* Neither of them is chosen. */
static void where_two_annotations_fit_nothing_is_expected(void **state)
{
	struct annotation_list list;
	struct forecast forecast = judge("f.time { features: annotations: Norm(1, 1); }"
					 "f.time { features: annotations: Norm(900, 50); }",
					 &list);

	(void)state;
	assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
	assert_string_equal(forecast.why, "2 annotations are of functions that are called f");
	free((char *)forecast.why);
	annotation_parse_deinit(&list);
}

/* Threads that wait for one another: 1 for 2, 2 for 3, and 3 for what @third says. */
static void chain_init(struct stack_thread threads[3], struct stack *stack, pid_t third)
{
	static const char *const whats[] = {"waits for A, which thread 2 (b) holds",
					    "waits for B, which thread 3 (c) holds", "sleeps"};

	for (int i = 0; i < 3; i++)
		threads[i] = (struct stack_thread){.tid = i + 1,
						   .name = "x",
						   .activity = STACK_WAITS,
						   .wait = {.call = "futex",
							    .what = whats[i],
							    .owner = i < 2 ? i + 2 : third}};
	*stack = (struct stack){.threads = threads, .n_threads = 3, .arena = arena_create()};
}

static void what_a_thread_waits_for_is_told_to_the_end_of_the_chain(void **state)
{
	struct stack_thread threads[3];
	struct stack stack;

	(void)state;
	chain_init(threads, &stack, 0);
	assert_string_equal(stack_annotations_wait(&stack, 0),
			    "waits for A, which thread 2 (b) holds; thread 2 waits for B, which "
			    "thread 3 (c) holds; thread 3 sleeps");
	threads[2].activity = STACK_RUNS;
	assert_non_null(strstr(stack_annotations_wait(&stack, 0), "; thread 3 runs"));
	assert_null(stack_annotations_wait(&stack, 2));
	threads[2].activity = STACK_STOPPED;
	assert_string_equal(stack_annotations_wait(&stack, 2), "stopped by a signal");
	arena_destroy(stack.arena);
}

static void a_circle_is_a_deadlock_and_told_once(void **state)
{
	struct stack_thread threads[3];
	struct stack stack;

	(void)state;
	chain_init(threads, &stack, 1);
	assert_string_equal(stack_annotations_wait(&stack, 0),
			    "waits for A, which thread 2 (b) holds: a deadlock");
	/* Threads that wait for the circle are not in it, and finding it must end. */
	threads[2].wait.owner = 2;
	assert_null(strstr(stack_annotations_wait(&stack, 0), "deadlock"));
	/* A thread cannot wait for itself, but memory may claim so. */
	threads[0].wait.owner = 1;
	assert_non_null(stack_annotations_wait(&stack, 0));
	threads[0].wait.owner = 77;
	assert_string_equal(stack_annotations_wait(&stack, 0),
			    "waits for A, which thread 2 (b) holds");
	arena_destroy(stack.arena);
}

static void a_thread_that_waits_for_nothing_in_particular_says_in_which_call(void **state)
{
	struct stack_thread thread = {
		.tid = 1, .activity = STACK_WAITS, .wait = {.call = "keyctl"}};
	struct stack stack = {.threads = &thread, .n_threads = 1, .arena = arena_create()};

	(void)state;
	assert_string_equal(stack_annotations_wait(&stack, 0), "in keyctl");
	thread.activity = STACK_ASLEEP;
	thread.wait.call = NULL;
	assert_string_equal(stack_annotations_wait(&stack, 0), "in uninterruptible sleep");
	arena_destroy(stack.arena);
}

static void verdicts_stand_below_the_values_and_are_true_of_all_threads(void **state)
{
	struct one one;
	struct stack_thread threads[2];
	struct stack_frame frames[2];
	struct annotation_list list;
	char *text = NULL;
	size_t n = 0;
	FILE *file;

	(void)state;
	one_init(&one);
	frames[0] = frames[1] = one.frame;
	threads[0] = threads[1] = one.thread;
	threads[0].frames = &frames[0];
	threads[1].frames = &frames[1];
	threads[1].tid = 2;
	threads[1].at_most_us = 5000;
	threads[1].at_least_us = 800;
	one.stack.threads = threads;
	one.stack.n_threads = 2;
	parse("f.time { features: int x = n; annotations: Norm(10 * x, 5); }", &list);
	assert_int_equal(stack_annotations_apply(&one.stack, &list), 2);
	file = open_memstream(&text, &n);
	stack_print(&one.stack, STACK_FRAMES, file);
	fclose(file);
	assert_non_null(strstr(text, "and 1 more (2): running\n"));
	assert_non_null(strstr(text, "        n = 100,  color = GREEN\n"));
	assert_non_null(strstr(text,
			       "        within its model, as far as is known\n"
			       "        it has run at least 800 µs, at most 5 ms; expected 1 ms"));
	free(text);
	/* With different verdicts they are shown separately. */
	threads[1].at_least_us = 2000;
	stack_annotations_apply(&one.stack, &list);
	file = open_memstream(&text, &n);
	stack_print(&one.stack, STACK_FRAMES, file);
	fclose(file);
	assert_null(strstr(text, "more"));
	assert_non_null(
		strstr(text, "longer than its model allows: at least 2 times what is expected"));
	free(text);
	annotation_parse_deinit(&list);
	arena_destroy(one.stack.arena);
}

/* What stack_words_print() says of @stack. */
static void assert_words(const struct stack *stack, const char *expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);

	stack_words_print(stack, file);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static void a_sentence_says_how_long_an_open_call_still_takes(void **state)
{
	struct annotation_list list;
	struct one one;

	(void)state;
	one_init(&one);
	one.values[0].value.number = 400000;
	one.thread.at_least_us = NAN;
	one.thread.at_most_us = 3.3e6;
	one.thread.processor_share = 0.5;
	parse("f.time { features: int n = n; // 3 .. 2996\n annotations: Norm(67.5 * n, 1e5); }",
	      &list);
	stack_annotations_apply(&one.stack, &list);
	assert_words(
		&one.stack,
		"f(n = 400000) has run at most 3.3 s of about 27 s (95 %: 26.8 s to 27.2 s): at "
		"least 23.7 s to go; the largest n seen before was 2,996; it had a processor "
		"for 50 % of the time in which it could run\n");
	one.thread.processor_share = 1;
	one.thread.at_least_us = one.thread.at_most_us = 40e6;
	one.values[0].value.number = 2000;
	stack_annotations_apply(&one.stack, &list);
	assert_words(&one.stack, "f(n = 2000) has run 40 s of about 135 ms (95 %: 0 ns to 331 ms): "
				 "39.9 s longer than expected\n");
	annotation_parse_deinit(&list);
	arena_destroy(one.stack.arena);
}

static void who_waits_for_a_circle_will_never_return(void **state)
{
	struct stack_thread threads[] = {
		{.tid = 1, .wait = {.owner = 2, .call = "futex"}},
		{.tid = 2, .wait = {.owner = 3, .is_lock = true, .object = "to->m"}},
		{.tid = 3, .wait = {.owner = 2, .is_lock = true, .address = 0x10}},
		{.tid = 4, .wait = {.owner = 5}},
		{.tid = 5},
		{.tid = 6, .wait = {.owner = 3, .is_limited = true}},
	};
	struct stack stack = {.threads = threads, .n_threads = 6};

	(void)state;
	assert_true(stack_is_hopeless(&stack, 0));
	assert_true(stack_is_hopeless(&stack, 1));
	assert_true(stack_is_hopeless(&stack, 2));
	for (size_t i = 3; i < 6; i++)
		assert_false(stack_is_hopeless(&stack, i));
	assert_words(&stack,
		     "deadlock: thread 2 holds the mutex at 0x10 and waits for to->m; thread 3 "
		     "holds to->m and waits for the mutex at 0x10: neither will ever return\n");
	/* What only hopeless threads could change stays; what a sleeper could, may not. */
	threads[3].wait = (struct stack_wait){.address = 0x20, .is_private = true};
	stack.n_threads = 4;
	assert_true(stack_is_hopeless(&stack, 3));
	stack.n_threads = 5;
	assert_false(stack_is_hopeless(&stack, 3));
	stack.n_threads = 4;
	threads[3].wait.is_limited = true;
	assert_false(stack_is_hopeless(&stack, 3));
	threads[2].wait.is_limited = true;
	assert_false(stack_is_hopeless(&stack, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotations_belong_to_functions_as_programmers_write_them),
		cmocka_unit_test(the_star_of_a_pointer_matches_nothing_else),
		cmocka_unit_test(frames_without_a_name_have_no_annotation),
		cmocka_unit_test(of_functions_that_are_called_alike_the_place_tells_which_is_meant),
		cmocka_unit_test(only_annotations_of_time_say_how_long),
		cmocka_unit_test(features_are_read_from_the_frame_by_their_expressions),
		cmocka_unit_test(features_without_a_value_are_told_with_the_reason),
		cmocka_unit_test(where_two_annotations_fit_nothing_is_expected),
		cmocka_unit_test(what_a_thread_waits_for_is_told_to_the_end_of_the_chain),
		cmocka_unit_test(a_circle_is_a_deadlock_and_told_once),
		cmocka_unit_test(a_thread_that_waits_for_nothing_in_particular_says_in_which_call),
		cmocka_unit_test(verdicts_stand_below_the_values_and_are_true_of_all_threads),
		cmocka_unit_test(a_sentence_says_how_long_an_open_call_still_takes),
		cmocka_unit_test(who_waits_for_a_circle_will_never_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
