/* Unwinding by synthetic rows, and stacks as text. */
#include "base/mem.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "core/verdict/stack.h"
#include "core/plan/unwind.h"

enum { STACK = 0x7000, WORDS = 16, RBX = 3, RBP = 6 };

struct fixture {
	struct plan_runner *runner;
	uint64_t words[WORDS]; /* at STACK */
	struct memory memory;
	struct unwind_frame frame;
	struct unwind_registers caller;
};

static void read_words(void *self, struct memory_read *reads, size_t n)
{
	const struct fixture *f = self;

	for (size_t i = 0; i < n; i++) {
		const uint64_t offset = reads[i].address - STACK;

		reads[i].ok = reads[i].address >= STACK && offset < sizeof(f->words) &&
			      reads[i].size <= sizeof(f->words) - offset;
		if (reads[i].ok)
			memcpy(reads[i].to, (const char *)f->words + offset, reads[i].size);
	}
}

static int set_up(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->runner = plan_runner_create();
	f->memory = (struct memory){read_words, f};
	f->frame.registers.value[UNWIND_SP] = STACK;
	f->frame.registers.value[UNWIND_PC] = 0x1000;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	plan_runner_destroy(f->runner);
	free(f);
	return 0;
}

/* CFA = rsp + 16, the return address below it, rbp below that. */
static struct unwind_row ordinary_row(void)
{
	static const struct plan_step cfa[] = {{PLAN_REG, UNWIND_SP}, {PLAN_ADD, 16}};
	static const struct plan_step pc[] = {{PLAN_REG, UNWIND_SP}, {PLAN_ADD, 8}, {PLAN_LOAD, 8}};
	static const struct plan_step rbp[] = {{PLAN_REG, UNWIND_SP}, {PLAN_LOAD, 8}};
	struct unwind_row row = {.cfa = {cfa, 2, PLAN_UNSIGNED, 8}, .same = 1 << RBX};

	row.rules[UNWIND_PC] = (struct read_plan){pc, 3, PLAN_UNSIGNED, 8};
	row.rules[RBP] = (struct read_plan){rbp, 2, PLAN_UNSIGNED, 8};
	return row;
}

static enum unwind_end step(struct fixture *f, const struct unwind_row *row,
			    const struct unwind_frame *inner)
{
	return unwind_step(f->runner, &f->memory, row, inner, &f->frame, &f->caller);
}

static void what_is_kept_is_known_and_the_rest_is_not(void **state)
{
	const struct unwind_row row = ordinary_row();
	struct fixture *f = *state;

	f->words[0] = UINT64_C(0xfedcba9876543211); /* a double cannot hold it */
	f->words[1] = 0x2000;
	f->frame.registers.value[RBX] = 77;
	assert_int_equal(step(f, &row, NULL), UNWIND_CALLER);
	assert_int_equal(f->frame.cfa, STACK + 16);
	assert_int_equal(f->caller.value[UNWIND_SP], STACK + 16);
	assert_int_equal(f->caller.value[UNWIND_PC], 0x2000);
	assert_true(f->caller.value[RBP] == UINT64_C(0xfedcba9876543211));
	assert_int_equal(f->caller.value[RBX], 77);
	assert_int_equal(f->caller.unknown,
			 0x1ffff & ~(1 << RBX | 1 << RBP | 1 << UNWIND_SP | 1 << UNWIND_PC));
}

static void what_is_not_known_stays_so(void **state)
{
	const struct unwind_row row = ordinary_row();
	struct fixture *f = *state;

	f->words[1] = 0x2000;
	f->frame.registers.unknown = 1 << RBX;
	assert_int_equal(step(f, &row, NULL), UNWIND_CALLER);
	assert_true(f->caller.unknown & 1 << RBX);
	f->frame.registers.unknown = 1 << UNWIND_SP;
	assert_int_equal(step(f, &row, NULL), UNWIND_UNKNOWN);
}

static void stacks_end(void **state)
{
	struct unwind_row row = ordinary_row();
	struct unwind_frame inner = {.cfa = STACK + 16};
	struct fixture *f = *state;

	assert_int_equal(step(f, &row, NULL), UNWIND_OUTERMOST); /* the return address is 0 */
	f->words[1] = 0x2000;
	assert_int_equal(step(f, &row, &inner), UNWIND_BACKWARDS);
	row.is_signal = true; /* the interrupted code may be on another stack */
	assert_int_equal(step(f, &row, &inner), UNWIND_CALLER);
	f->frame.registers.value[UNWIND_SP] = 0x100;
	assert_int_equal(step(f, &row, NULL), UNWIND_UNREADABLE);
	row.is_outermost = true;
	assert_int_equal(step(f, &row, NULL), UNWIND_OUTERMOST);
	assert_null(unwind_end_phrase(UNWIND_OUTERMOST));
	assert_non_null(unwind_end_phrase(UNWIND_BACKWARDS));
}

static char *print(const struct stack *stack, bool whole)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	stack_print(stack, whole ? STACK_WHOLE : STACK_FRAMES, out);
	fclose(out);
	return text;
}

static const struct stack_value values[] = {
	{.expression = "p != 0", .type = FEATURE_BOOL, .value = {1}},
	{.expression = "p->n", .type = FEATURE_INT, .value = {-3}},
	{.expression = "q != 0", .type = FEATURE_BOOL, .value = {0}},
	{.expression = "q->n", .type = FEATURE_INT, .value = {.absence = ABSENT_NULL}},
	{.expression = "color", .type = FEATURE_ENUM, .value = {5}, .label = "GREEN"},
	{.expression = "gone",
	 .type = FEATURE_INT,
	 .value = {.absence = ABSENT_OPTIMIZED_OUT},
	 .why = "optimised out here"},
};

static struct stack_frame frames[] = {
	{.pc = 1, .function = "inner\033", .file = "/src/a.c", .line = 7, .is_inlined = true},
	{.pc = 1,
	 .function = "outer",
	 .file = "/src/a.c",
	 .line = 9,
	 .values = values,
	 .n_values = 6},
	{.pc = 2, .module = "/lib/libc.so.6", .is_signal = true},
	{.pc = 0x99},
};

static void threads_that_do_the_same_are_told_once(void **state)
{
	struct stack_thread threads[] = {
		{.tid = 10,
		 .name = "a",
		 .activity = STACK_WAITS,
		 .wait = {.call = "read", .what = "reads from descriptor 3"},
		 .frames = frames,
		 .n_frames = 4,
		 .end = "no more"},
		{.tid = 11, .name = "b", .activity = STACK_RUNS, .frames = frames, .n_frames = 1},
		{.tid = 12, .name = "c", .activity = STACK_RUNS, .frames = frames, .n_frames = 1},
	};
	const struct stack stack = {
		.pid = 10, .program = "/bin/x", .threads = threads, .n_threads = 3};
	char *text = print(&stack, false);

	(void)state;
	assert_string_equal(text, "process 10 (/bin/x), 3 threads\n"
				  "\n"
				  "thread 10 (a): reads from descriptor 3\n"
				  "  #0   inner? (inlined)  a.c:7\n"
				  "  #1   outer  a.c:9\n"
				  "        p->n = -3,  q = null,  color = GREEN\n"
				  "        gone: optimised out here\n"
				  "  #2   <signal handler called>  in libc.so.6\n"
				  "  #3   0x99  in no file that is mapped\n"
				  "  (the stack ends here: no more)\n"
				  "\n"
				  "thread 11 (b) and 1 more (12): running\n"
				  "  #0   inner? (inlined)  a.c:7\n");
	free(text);
	text = print(&stack, true);
	assert_non_null(strstr(text, "thread 12 (c): running"));
	free(text);
}

static void circles_of_owners_are_found(void **state)
{
	struct stack_thread threads[] = {
		{.tid = 1, .wait.owner = 2},
		{.tid = 2, .wait.owner = 3},
		{.tid = 3, .wait.owner = 2},
		{.tid = 4, .wait.owner = 5},
		{.tid = 5},
	};
	const struct stack stack = {.threads = threads, .n_threads = 5};
	pid_t circle[8];

	(void)state;
	assert_int_equal(stack_circle(&stack, 0, circle, 8), 0); /* it only leads to a circle */
	assert_int_equal(stack_circle(&stack, 1, circle, 8), 2);
	assert_int_equal(circle[0], 2);
	assert_int_equal(circle[1], 3);
	assert_int_equal(circle[2], 2);
	assert_int_equal(stack_circle(&stack, 3, circle, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_kept_is_known_and_the_rest_is_not, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_known_stays_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks_end, set_up, tear_down),
		cmocka_unit_test(threads_that_do_the_same_are_told_once),
		cmocka_unit_test(circles_of_owners_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
