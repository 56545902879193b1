/*
 * Cost calls on a scripted target. Process 1 has a measured function and an allocator:
 *   f at CODE+0x200, returns at CODE+0x210
 *   malloc at CODE+0x300, returns at CODE+0x310; calloc at CODE+0x340, which is left by jumps
 *   free at CODE+0x380, realloc at CODE+0x3c0, returns at CODE+0x3d0
 */
#include "check.h"

#include <string.h>

#include "scripted_target.h"
#include "trace/state/engine.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = CODE + 0x210, CALLER = CODE + 0x500, IN_F = CODE + 0x204 };
enum { MALLOC = CODE + 0x300, MALLOC_RET = CODE + 0x310, CALLOC = CODE + 0x340 };
enum { FREE = CODE + 0x380, REALLOC = CODE + 0x3c0, REALLOC_RET = CODE + 0x3d0 };
enum { TOP = STACK + 0x1000, TOP2 = STACK + 0x1800 };
enum { F_SP = TOP - 8, SP = TOP - 24, DEEP = TOP - 64, F2_SP = TOP2 - 8, SP2 = TOP2 - 24 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range f_range = {F - CODE, MALLOC - CODE};
static const struct exit_site f_exits[] = {{F_RET - CODE, EXIT_RETURN}};
static const struct function function = {
	.name = "f",
	.linkage = "f",
	.ranges = &f_range,
	.n_ranges = 1,
	.entry_addr = F - CODE,
	.probe_addr = F - CODE,
	.cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	.exits = f_exits,
	.n_exits = 1,
};
static const uint64_t malloc_exits[] = {MALLOC_RET - CODE};
static const uint64_t realloc_exits[] = {REALLOC_RET - CODE};
static const struct cost_function cost_functions[] = {
	{.name = "malloc",
	 .kind = COST_ALLOCATE,
	 .entry_addr = MALLOC - CODE,
	 .exits = malloc_exits,
	 .n_exits = 1},
	{.name = "calloc", .kind = COST_ALLOCATE_ARRAY, .entry_addr = CALLOC - CODE},
	{.name = "free", .kind = COST_FREE, .entry_addr = FREE - CODE},
	{.name = "realloc",
	 .kind = COST_REALLOCATE,
	 .entry_addr = REALLOC - CODE,
	 .exits = realloc_exits,
	 .n_exits = 1},
};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};

struct fixture {
	struct scripted_target target;
	struct catalogue catalogue;
	struct session *session;
};

#define HIT(tid_, pc, sp, ...)                                                              \
	{                                                                                   \
		.stop = {.tid = tid_, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		.now_ns = 1000, __VA_ARGS__                                                 \
	}
#define EVENT(tid_, kind_, child_)                                                    \
	{                                                                             \
		.stop = {.tid = tid_, .kind = kind_, .child = child_}, .now_ns = 1000 \
	}
#define START      HIT(1, ENTRY, TOP)
#define BEGIN(tid) HIT(tid, F, (tid) == 1 ? F_SP : F2_SP)
#define END(tid)   HIT(tid, F_RET, (tid) == 1 ? F_SP : F2_SP)
#define EXIT       EVENT(1, STOP_EXITED, 0)
#define ALLOCATE(tid, size, block)                            \
	HIT(tid, MALLOC, (tid) == 1 ? SP : SP2, .rdi = size), \
		HIT(tid, MALLOC_RET, (tid) == 1 ? SP : SP2, .rax = block)

static void set_word(struct scripted_target *target, uint64_t address, uint64_t word)
{
	memcpy(target->stack + (address - STACK), &word, sizeof(word));
}

static void play(struct fixture *f, size_t n_cost_functions, const struct scripted_stop *script,
		 size_t n)
{
	static const uint64_t rets[] = {F_RET, MALLOC_RET, REALLOC_RET};
	struct err err;
	size_t i;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	for (i = 0; i < 3; i++)
		f->target.code[rets[i] - CODE] = 0xc3;
	set_word(&f->target, F_SP, CALLER);
	set_word(&f->target, F2_SP, CALLER);
	set_word(&f->target, SP, IN_F);
	set_word(&f->target, SP2, IN_F);
	set_word(&f->target, DEEP, MALLOC + 8);
	f->catalogue = (struct catalogue){.modules = &module,
					  .n_modules = 1,
					  .functions = &function,
					  .n_functions = 1,
					  .cost_functions = cost_functions,
					  .n_cost_functions = n_cost_functions};
	assert_true(session_create(
		&f->catalogue, (struct target){&scripted_ops, &f->target}, 1,
		&(struct session_options){.metrics = 1 << METRIC_MEM | 1 << METRIC_PEAK},
		&f->session, &err));
}

#define PLAY_WITH(f, n, ...)                                 \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, n, script, sizeof(script) / sizeof(script[0]))
#define PLAY(f, ...) PLAY_WITH(f, 4, __VA_ARGS__)

static struct session_event next(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	return event;
}

static void assert_call(struct fixture *f, double mem, double peak)
{
	struct session_event event = next(f);

	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.metrics[METRIC_MEM].absence, PRESENT);
	assert_true(event.call.metrics[METRIC_MEM].number == mem);
	assert_int_equal(event.call.metrics[METRIC_PEAK].absence, PRESENT);
	assert_true(event.call.metrics[METRIC_PEAK].number == peak);
}

static void assert_ends(struct fixture *f)
{
	assert_int_equal(next(f).kind, SESSION_ENDED);
	session_destroy(f->session);
}

static size_t count(const struct fixture *f, const char *text)
{
	const char *at = f->target.log;
	size_t n = 0;

	while ((at = strstr(at, text))) {
		n++;
		at += strlen(text);
	}
	return n;
}

static void cost_functions_are_probed_while_a_call_is_open(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, BEGIN(1), ALLOCATE(1, 10, 0x1000), END(1), EXIT);
	assert_call(&f, 10, 10);
	assert_int_equal(count(&f, "plant 1 400300\n"), 1);
	assert_int_equal(count(&f, "plant 1 400310\n"), 1);
	assert_int_equal(count(&f, "plant 1 4003d0\n"), 0); /* nobody called realloc() */
	assert_int_equal(count(&f, "lift 1 400300\n"), 0);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(count(&f, "lift 1 400300\n"), 1);
	assert_int_equal(count(&f, "lift 1 400310\n"), 1);
	assert_int_equal(count(&f, "lift 1 400340\n"), 1);
	assert_int_equal(count(&f, "lift 1 400200\n"), 0); /* f itself */
	session_destroy(f.session);
}

static void probes_stay_until_the_last_call_has_ended(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 2), BEGIN(1), BEGIN(2), ALLOCATE(1, 7, 0x2000), END(2),
	     ALLOCATE(1, 5, 0x3000), END(1), BEGIN(1), END(1), EXIT);
	assert_call(&f, 0, 0);
	assert_call(&f, 12, 12);
	assert_int_equal(count(&f, "lift 1 400300\n"), 0);
	assert_call(&f, 0, 0);
	assert_int_equal(count(&f, "lift 1 400300\n"), 1);
	assert_int_equal(count(&f, "plant 1 400300\n"), 2);
	assert_ends(&f);
}

static void a_function_that_is_left_by_jumps_ends_where_it_returns_to(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, BEGIN(1), HIT(1, CALLOC, SP, .rdi = 3, .rsi = 5),
	     HIT(1, IN_F, SP + 24, .rax = 1), /* of another frame */
	     HIT(1, IN_F, SP + 8, .rax = 0x1000), END(1), EXIT);
	assert_call(&f, 15, 15);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(count(&f, "lift 1 400204\n"), 1);
	session_destroy(f.session);
}

static void a_cost_call_within_another_one_is_a_part_of_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, BEGIN(1), HIT(1, CALLOC, SP, .rdi = 3, .rsi = 5),
	     HIT(1, MALLOC, DEEP, .rdi = 15), HIT(1, MALLOC_RET, DEEP, .rax = 0x1000),
	     HIT(1, IN_F, SP + 8, .rax = 0x1000), END(1), EXIT);
	assert_call(&f, 15, 15);
	assert_ends(&f);
}

static void what_fails_does_not_count(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, BEGIN(1), ALLOCATE(1, 10, 0x1000), ALLOCATE(1, 1000, 0),
	     HIT(1, REALLOC, SP, .rdi = 0x1000, .rsi = 500), HIT(1, REALLOC_RET, SP, .rax = 0),
	     ALLOCATE(1, 10, 0x2000), END(1), EXIT);
	assert_call(&f, 20, 20);
	assert_ends(&f);
}

/* An exception left malloc(), and the next call is above its frame. */
static void a_cost_call_whose_frame_is_gone_does_not_hide_the_next(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, BEGIN(1), HIT(1, MALLOC, DEEP, .rdi = 99), ALLOCATE(1, 10, 0x1000),
	     HIT(1, MALLOC, SP, .rdi = 98), ALLOCATE(1, 20, 0x2000), END(1), EXIT);
	assert_call(&f, 30, 30);
	assert_ends(&f);
}

static void blocks_are_freed_by_any_thread(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 2), BEGIN(1), ALLOCATE(1, 100, 0x1000),
	     HIT(2, FREE, SP2, .rdi = 0x1000), ALLOCATE(2, 1000, 0x5000), ALLOCATE(1, 30, 0x1000),
	     END(1), EXIT);
	assert_call(&f, 130, 100);
	assert_ends(&f);
}

/*
 * The other thread's realloc() has freed the block already when this thread gets another one at its
 * place.
 */
static void a_block_at_the_place_of_a_moved_one_is_another(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 2), BEGIN(1), ALLOCATE(1, 100, 0x1000),
	     HIT(2, REALLOC, SP2, .rdi = 0x1000, .rsi = 500), ALLOCATE(1, 30, 0x1000),
	     HIT(2, REALLOC_RET, SP2, .rax = 0x8000), ALLOCATE(1, 200, 0x9000), END(1), EXIT);
	assert_call(&f, 330, 230);
	assert_ends(&f);
}

static void a_heap_without_malloc_is_not_known(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY_WITH(&f, 0, START, BEGIN(1), END(1), EXIT);
	assert_int_equal(next(&f).kind, SESSION_NOTE);
	assert_int_equal(next(&f).kind, SESSION_NOTE);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.metrics[METRIC_MEM].absence, ABSENT_NOT_MEASURED);
	assert_int_equal(event.call.metrics[METRIC_PEAK].absence, ABSENT_NOT_MEASURED);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_functions_are_probed_while_a_call_is_open),
		cmocka_unit_test(probes_stay_until_the_last_call_has_ended),
		cmocka_unit_test(a_function_that_is_left_by_jumps_ends_where_it_returns_to),
		cmocka_unit_test(a_cost_call_within_another_one_is_a_part_of_it),
		cmocka_unit_test(what_fails_does_not_count),
		cmocka_unit_test(a_cost_call_whose_frame_is_gone_does_not_hide_the_next),
		cmocka_unit_test(blocks_are_freed_by_any_thread),
		cmocka_unit_test(a_block_at_the_place_of_a_moved_one_is_another),
		cmocka_unit_test(a_heap_without_malloc_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
