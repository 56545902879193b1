/* Breakpoints in debug registers, on a target that is only code, and that nobody may write to. */
#include "check.h"

#include <string.h>

#include "trace/probe/breakpoint.h"
#include "trace/state/hardware.h"
#include "trace/target/debug_registers.h"

enum { CODE = 0x401000, NOPS = 64, PID = 7 };

static unsigned fake_read(void *self, pid_t tid, struct memory_read *reads, size_t n)
{
	(void)self, (void)tid;
	for (size_t i = 0; i < n; i++) {
		reads[i].ok =
			reads[i].address >= CODE && reads[i].address + reads[i].size <= CODE + NOPS;
		if (reads[i].ok)
			memset(reads[i].to, 0x90, reads[i].size);
	}
	return 1;
}

static bool fake_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
	(void)self, (void)tid, (void)address, (void)bytes, (void)size;
	fail_msg("text is left alone");
	return false;
}

static const struct target_ops fake_ops = {.read = fake_read, .write = fake_write};
static const struct target target = {&fake_ops, NULL};

struct tried {
	struct insn_decoder *decoder;
	struct breakpoint_table *table;
	struct breakpoint *planted[DEBUG_REGISTERS];
};

/* Four breakpoints, at each other nop. */
static struct tried four_plant(void)
{
	struct tried tried;
	struct err err;

	assert_true(insn_decoder_create(&tried.decoder, &err));
	tried.table = breakpoint_table_create(&target, tried.decoder, PID, CODE);
	breakpoint_table_use_registers(tried.table);
	for (int i = 0; i < DEBUG_REGISTERS; i++)
		assert_true(
			breakpoint_plant(tried.table, PID, CODE + 2 * i, &tried.planted[i], &err));
	return tried;
}

static void tried_end(struct tried *tried)
{
	breakpoint_table_destroy(tried->table);
	insn_decoder_destroy(tried->decoder);
}

/* In how many registers @address is. */
static int held(const struct breakpoint_table *table, uint64_t address)
{
	const struct debug_registers registers = breakpoint_table_registers(table);
	int n = 0;

	for (int i = 0; i < DEBUG_REGISTERS; i++)
		n += registers.addresses[i] == address;
	return n;
}

static void each_has_a_register_and_the_fifth_none(void **state)
{
	struct tried tried = four_plant();
	struct breakpoint *fifth;
	struct err err;

	(void)state;
	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		assert_true(tried.planted[i]->planted);
		assert_int_equal(held(tried.table, CODE + 2 * i), 1);
	}
	assert_false(breakpoint_plant(tried.table, PID, CODE + 20, &fifth, &err));
	assert_string_equal(err.text, "--probes hardware has four addresses");
	assert_int_equal(held(tried.table, CODE + 20), 0);
	tried_end(&tried);
}

static void an_address_that_is_planted_twice_takes_one(void **state)
{
	struct tried tried = four_plant();
	struct breakpoint *again;
	struct err err;

	(void)state;
	assert_true(breakpoint_plant(tried.table, PID, CODE + 4, &again, &err));
	assert_ptr_equal(again, tried.planted[2]);
	assert_int_equal(held(tried.table, CODE + 4), 1);
	tried_end(&tried);
}

static void what_is_lifted_is_free_for_another_and_comes_back_after_it(void **state)
{
	struct tried tried = four_plant();
	struct breakpoint *fifth;
	struct err err;

	(void)state;
	breakpoint_lift(tried.table, PID, tried.planted[1]);
	assert_int_equal(held(tried.table, CODE + 2), 0);
	assert_true(breakpoint_plant(tried.table, PID, CODE + 20, &fifth, &err));
	assert_int_equal(held(tried.table, CODE + 20), 1);
	assert_int_equal(held(tried.table, CODE + 4), 1);
	assert_false(breakpoint_replant(tried.table, PID, tried.planted[1]));
	breakpoint_lift(tried.table, PID, fifth);
	assert_true(breakpoint_replant(tried.table, PID, tried.planted[1]));
	assert_int_equal(held(tried.table, CODE + 2), 1);
	tried_end(&tried);
}

static void all_are_lifted_at_once_and_a_child_has_its_own(void **state)
{
	struct tried tried = four_plant();
	struct breakpoint_table *child = breakpoint_table_copy(tried.table, PID + 1);

	(void)state;
	breakpoint_table_lift_all(tried.table, PID);
	assert_int_equal(held(tried.table, 0), DEBUG_REGISTERS);
	for (int i = 0; i < DEBUG_REGISTERS; i++)
		assert_int_equal(held(child, CODE + 2 * i), 1);
	breakpoint_table_destroy(child);
	tried_end(&tried);
}

/* Does a function with so many exits fit, beside one with a single exit? */
static bool fits(size_t n_exits, enum exit_kind kind, bool is_unmeasurable, struct err *err)
{
	struct exit_site one = {.kind = EXIT_RETURN};
	struct exit_site exits[DEBUG_REGISTERS] = {{.kind = kind}};
	struct function functions[] = {
		{.name = "one", .exits = &one, .n_exits = 1},
		{.name = "other",
		 .exits = exits,
		 .n_exits = n_exits,
		 .unmeasurable = is_unmeasurable ? "as it is" : NULL},
	};
	const struct catalogue catalogue = {.functions = functions, .n_functions = 2};
	const struct session_options options = {.probes = PROBES_HARDWARE};

	return hardware_fits(&catalogue, &options, err);
}

static void two_functions_with_one_exit_each_fit_and_no_more(void **state)
{
	struct err err;

	(void)state;
	assert_true(fits(1, EXIT_RETURN, false, &err));
	assert_false(fits(2, EXIT_RETURN, false, &err));
	assert_non_null(strstr(err.text, "four addresses, not 5: other has 2 exits"));
	assert_true(fits(2, EXIT_RETURN, true, &err));
	assert_false(fits(1, EXIT_TAIL_JUMP, false, &err));
	assert_non_null(strstr(err.text, "other, which leaves by a jump"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_a_register_and_the_fifth_none),
		cmocka_unit_test(an_address_that_is_planted_twice_takes_one),
		cmocka_unit_test(what_is_lifted_is_free_for_another_and_comes_back_after_it),
		cmocka_unit_test(all_are_lifted_at_once_and_a_child_has_its_own),
		cmocka_unit_test(two_functions_with_one_exit_each_fit_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
