/* Decoding wait statuses. The statuses are built as ptrace(2) describes them. */
#include "check.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "trace/probe/mapping.h"
#include "trace/kernel/wait_status.h"
#include "trace/kernel/sigtrap.h"

#define STOPPED(signal, event) ((event) << 16 | (signal) << 8 | 0x7f)

static void ends_are_decoded(void **state)
{
	(void)state;
	assert_int_equal(wait_status_decode(1, 3 << 8).kind, STOP_EXITED);
	assert_int_equal(wait_status_decode(1, 3 << 8).number, 3);
	assert_int_equal(wait_status_decode(1, SIGSEGV).kind, STOP_KILLED);
	assert_int_equal(wait_status_decode(1, SIGSEGV | 0x80).number, SIGSEGV); /* dumped core */
}

static void signals_are_told_from_group_stops_and_events(void **state)
{
	(void)state;
	assert_int_equal(wait_status_decode(1, STOPPED(SIGUSR1, 0)).kind, STOP_SIGNAL);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGUSR1, 0)).number, SIGUSR1);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGSTOP, 0)).kind, STOP_SIGNAL);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGSTOP, PTRACE_EVENT_STOP)).kind,
			 STOP_GROUP);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTTOU, PTRACE_EVENT_STOP)).kind,
			 STOP_GROUP);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_STOP)).kind,
			 STOP_EVENT);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_CLONE)).kind,
			 STOP_CLONE);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_FORK)).kind,
			 STOP_FORK);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_VFORK)).kind,
			 STOP_VFORK);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_EXEC)).kind,
			 STOP_EXEC);
	assert_int_equal(wait_status_decode(1, STOPPED(SIGTRAP, PTRACE_EVENT_EXIT)).kind,
			 STOP_EXITING);
}

static void scratch_goes_below_the_code_where_nothing_grows(void **state)
{
	static const struct region map[] = {
		{0x400000, 0x500000, true},
		{0x1000000, 0x1100000, false},
		{0x7f0000000000, 0x7f0000100000, true},
	};
	uint64_t gap = mapping_find_gap(map, 3, 0x401000, 0x10000, 0x7f000000);

	(void)state;
	assert_true(gap >= 0x10000 && gap + 0x10000 < 0x400000);
	gap = mapping_find_gap(map, 3, 0x7f0000001000, 0x10000, 0x7f000000);
	assert_true(gap + 0x10000 < 0x7f0000000000 && gap > 0x7f0000000000 - 0x7f000000);
}

static void scratch_goes_above_when_nothing_is_free_below(void **state)
{
	static const struct region map[] = {{0x10000, 0x500000, true}};
	uint64_t gap = mapping_find_gap(map, 1, 0x401000, 0x10000, 0x7f000000);

	(void)state;
	assert_true(gap > 0x500000);
}

static void blocks_go_to_the_middle_of_the_widest_gap(void **state)
{
	static const struct region map[] = {
		{0x400000, 0x500000, true},
		{0x600000, 0x700000, false},
		{0x200000000000, 0x200000100000, false},
		{0x200001000000, 0x7ffffff00000, true},
	};

	(void)state;
	assert_int_equal(mapping_find_middle(map, 4, 0x100000), 0x100000300000);
	assert_int_equal(mapping_find_middle(map, 4, 0x100000000000), 0);
}

static void no_room_within_reach_is_told(void **state)
{
	static const struct region map[] = {{0x10000, 0x7ffffff00000, true}};

	(void)state;
	assert_int_equal(mapping_find_gap(map, 1, 0x401000, 0x10000, 0x7f000000), 0);
}

static void a_mask_of_all_signals_blocked_sigtrap_too(void **state)
{
	const uint64_t trap = 1 << (SIGTRAP - 1), faults = 0x4c8, all = 0xfffffffffffbfeff;

	(void)state;
	assert_true(sigtrap_was_blocked(all & ~trap));
	assert_false(sigtrap_was_blocked(all)); /* it still is */
	assert_true(
		sigtrap_was_blocked(0xfffffffe7ffbfeff & ~trap)); /* as the C library makes it */
	assert_true(sigtrap_was_blocked(all & ~trap & ~UINT64_C(2))); /* all but SIGINT */
	assert_false(sigtrap_was_blocked(all & ~trap & ~faults));
	assert_false(sigtrap_was_blocked(faults));
	assert_false(sigtrap_was_blocked(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mask_of_all_signals_blocked_sigtrap_too),
		cmocka_unit_test(ends_are_decoded),
		cmocka_unit_test(signals_are_told_from_group_stops_and_events),
		cmocka_unit_test(scratch_goes_below_the_code_where_nothing_grows),
		cmocka_unit_test(scratch_goes_above_when_nothing_is_free_below),
		cmocka_unit_test(blocks_go_to_the_middle_of_the_widest_gap),
		cmocka_unit_test(no_room_within_reach_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
