/* Loops are seen by what only grows or only shrinks from sample to sample of one frame. */
#include "inspect/loop_look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 60, SP = 7, RCX = 2, R8 = 8, RAX = 0 };

/* A millisecond apart, 1000 to 1099 turns each; every third moment is within a callee. */
static void moments_make(struct loop_moment moments[N])
{
	uint64_t turns = 0;

	memset(moments, 0, N * sizeof(*moments));
	for (unsigned i = 0; i < N; i++) {
		const unsigned is_callee = i % 3 == 2;

		turns += 1000 + i * 37 % 100;
		moments[i].thread = 5;
		moments[i].when_ns = i * 1000000;
		moments[i].registers[SP] = 0x7000 - 64 * is_callee;
		moments[i].registers[RCX] = is_callee ? 77 : turns;
		moments[i].registers[R8] = is_callee ? 0 : 0x10000000 - 24 * turns;
		moments[i].registers[RAX] = i * 7919 % 31; /* goes up and down */
		moments[i].words[3] = is_callee ? 1 : i / 10;
	}
}

static void turns_are_what_all_changes_share(void **state)
{
	struct loop_moment moments[N];
	struct loop_counter counters[COUNTERS_MOST];

	(void)state;
	moments_make(moments);
	assert_int_equal(loop_look_counters(moments, N, counters), 2);
	assert_int_equal(counters[0].place, MOMENT_REGISTERS + 3);
	assert_float_equal(counters[0].rate, 5 / 0.058, 2);
	/* The pointer goes down by 24 as often as the count goes up by 1, so it is told once. */
	assert_true(counters[1].place == RCX || counters[1].place == R8);
	assert_float_equal(counters[1].rate, 1049500, 10000);
}

static void few_moments_of_a_frame_tell_nothing(void **state)
{
	struct loop_moment moments[N];
	struct loop_counter counters[COUNTERS_MOST];

	(void)state;
	moments_make(moments);
	assert_int_equal(loop_look_counters(moments, 24, counters), 0);
	for (unsigned i = 0; i < N; i++)
		moments[i].registers[SP] -= 16 * i;
	assert_int_equal(loop_look_counters(moments, N, counters), 0);
	assert_int_equal(loop_look_counters(moments, 0, counters), 0);
}

static void what_goes_up_and_down_is_no_counter(void **state)
{
	struct loop_moment moments[N];
	struct loop_counter counters[COUNTERS_MOST];

	(void)state;
	moments_make(moments);
	moments[30].registers[RCX]++;
	moments[31].registers[RCX] = 0;
	for (unsigned i = 0; i < N; i++) {
		moments[i].registers[R8] = 5;
		moments[i].words[3] = 0;
	}
	assert_int_equal(loop_look_counters(moments, N, counters), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_are_what_all_changes_share),
		cmocka_unit_test(few_moments_of_a_frame_tell_nothing),
		cmocka_unit_test(what_goes_up_and_down_is_no_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
