/* Displaced instructions on a target that is only memory. */
#include "check.h"

#include <string.h>

#include "trace/probe/displaced.h"

enum { CODE = 0x401000, SLOT = 0x300000, STACK = 0x7000 };

struct fake {
	uint64_t words[16]; /* at STACK */
	bool unreadable;
};

static unsigned fake_read(void *self, pid_t tid, struct memory_read *reads, size_t n)
{
	struct fake *fake = self;
	size_t i;

	(void)tid;
	for (i = 0; i < n; i++) {
		reads[i].ok = !fake->unreadable && reads[i].address >= STACK &&
			      reads[i].address + reads[i].size <= STACK + sizeof(fake->words);
		if (reads[i].ok)
			memcpy(reads[i].to, (uint8_t *)fake->words + (reads[i].address - STACK),
			       reads[i].size);
	}
	return 1;
}

static bool fake_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
	struct fake *fake = self;

	(void)tid;
	if (address < STACK || address + size > STACK + sizeof(fake->words))
		return false;
	memcpy((uint8_t *)fake->words + (address - STACK), bytes, size);
	return true;
}

static const struct target_ops fake_ops = {.read = fake_read, .write = fake_write};

static struct insn decode(const uint8_t *bytes, size_t n)
{
	struct insn_decoder *decoder;
	struct insn insn;
	struct err err;

	assert_true(insn_decoder_create(&decoder, &err));
	assert_true(insn_decode(decoder, bytes, n, CODE, &insn));
	insn_decoder_destroy(decoder);
	return insn;
}

#define DECODE(...) decode((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static bool step(struct fake *fake, struct insn insn, struct user_regs_struct *registers)
{
	const struct target target = {&fake_ops, fake};
	const struct displaced displaced = {.insn = insn};

	assert_true(displaced_is_emulated(&insn));
	return displaced_step(&displaced, &target, 1, registers);
}

static void a_return_is_emulated_on_the_stack(void **state)
{
	struct fake fake = {.words = {[2] = 0x1234}};
	struct user_regs_struct registers = {.rsp = STACK + 16, .rip = CODE};

	(void)state;
	assert_true(step(&fake, DECODE(0xc3), &registers));
	assert_int_equal(registers.rip, 0x1234);
	assert_int_equal(registers.rsp, STACK + 24);
	registers.rsp = STACK + 16;
	assert_true(step(&fake, DECODE(0xc2, 0x10, 0x00), &registers));
	assert_int_equal(registers.rsp, STACK + 40);
}

static void a_call_pushes_the_address_behind_it(void **state)
{
	struct fake fake = {0};
	struct user_regs_struct registers = {.rsp = STACK + 16, .rip = CODE};

	(void)state;
	assert_true(step(&fake, DECODE(0xe8, 0x00, 0x01, 0x00, 0x00), &registers));
	assert_int_equal(registers.rip, CODE + 5 + 0x100);
	assert_int_equal(registers.rsp, STACK + 8);
	assert_int_equal(fake.words[1], CODE + 5);
}

static void an_indirect_call_reads_its_target_before_it_pushes(void **state)
{
	struct fake fake = {.words = {[4] = 0x5678}};
	struct user_regs_struct registers = {.rsp = STACK + 16, .rax = STACK + 0x18, .rip = CODE};

	(void)state;
	assert_true(step(&fake, DECODE(0xff, 0x50, 0x08), &registers)); /* call *8(%rax) */
	assert_int_equal(registers.rip, 0x5678);
	assert_int_equal(fake.words[1], CODE + 3);
}

static void conditional_jumps_follow_the_flags(void **state)
{
	struct fake fake = {0};
	struct user_regs_struct registers = {.rip = CODE, .eflags = 0x40};

	(void)state;
	assert_true(step(&fake, DECODE(0x74, 0x10), &registers)); /* je */
	assert_int_equal(registers.rip, CODE + 2 + 0x10);
	registers.eflags = 0;
	assert_true(step(&fake, DECODE(0x74, 0x10), &registers));
	assert_int_equal(registers.rip, CODE + 2);
}

static void loops_count_down_and_jump_until_nothing_is_left(void **state)
{
	struct fake fake = {0};
	struct user_regs_struct registers = {.rip = CODE, .rcx = 2};

	(void)state;
	assert_true(step(&fake, DECODE(0xe2, 0xf0), &registers)); /* loop */
	assert_int_equal(registers.rcx, 1);
	assert_int_equal(registers.rip, CODE + 2 - 16);
	assert_true(step(&fake, DECODE(0xe2, 0xf0), &registers));
	assert_int_equal(registers.rcx, 0);
	assert_int_equal(registers.rip, CODE + 2);
	assert_true(step(&fake, DECODE(0xe2, 0xf0), &registers)); /* from 0 it starts anew */
	assert_int_equal(registers.rcx, UINT64_MAX);
	assert_int_equal(registers.rip, CODE + 2 - 16);
	registers.rcx = 0x500000001;
	assert_true(step(&fake, DECODE(0x67, 0xe2, 0xf0), &registers)); /* counts in ecx */
	assert_int_equal(registers.rcx, 0);
	assert_int_equal(registers.rip, CODE + 3);
}

static void loops_look_at_the_zero_flag_if_they_say_so(void **state)
{
	struct fake fake = {0};
	struct user_regs_struct registers = {.rip = CODE, .rcx = 9, .eflags = 0x40};

	(void)state;
	assert_true(step(&fake, DECODE(0xe1, 0x10), &registers)); /* loope */
	assert_int_equal(registers.rip, CODE + 2 + 0x10);
	assert_true(step(&fake, DECODE(0xe0, 0x10), &registers)); /* loopne */
	assert_int_equal(registers.rip, CODE + 2);
	assert_int_equal(registers.rcx, 7);
}

static void jumps_on_an_empty_count_leave_it_as_it_is(void **state)
{
	struct fake fake = {0};
	struct user_regs_struct registers = {.rip = CODE, .rcx = 0x500000000};

	(void)state;
	assert_true(step(&fake, DECODE(0xe3, 0x10), &registers)); /* jrcxz */
	assert_int_equal(registers.rip, CODE + 2);
	assert_true(step(&fake, DECODE(0x67, 0xe3, 0x10), &registers)); /* jecxz */
	assert_int_equal(registers.rip, CODE + 3 + 0x10);
	assert_int_equal(registers.rcx, 0x500000000);
}

static void a_step_that_cannot_use_memory_changes_nothing(void **state)
{
	struct fake fake = {.unreadable = true};
	struct user_regs_struct registers = {.rsp = STACK + 16, .rip = CODE};

	(void)state;
	assert_false(step(&fake, DECODE(0xc3), &registers));
	assert_int_equal(registers.rip, CODE);
	assert_int_equal(registers.rsp, STACK + 16);
}

static void a_slot_is_a_copy_and_a_jump_back(void **state)
{
	static const uint8_t expected[] = {0x41, 0x57, 0xe9};
	struct insn insn = DECODE(0x41, 0x57); /* push %r15 */
	uint8_t code[SLOT_SIZE];
	int32_t distance;

	(void)state;
	assert_false(displaced_is_emulated(&insn));
	assert_true(displaced_compile(&insn, SLOT, code));
	assert_memory_equal(code, expected, sizeof(expected));
	memcpy(&distance, code + 3, 4);
	assert_int_equal(SLOT + 7 + distance, CODE + 2);
}

static void a_rip_relative_operand_still_means_the_same_address(void **state)
{
	struct insn insn = DECODE(0x48, 0x8b, 0x05, 0x34, 0x12, 0x00, 0x00);
	uint8_t code[SLOT_SIZE];
	int32_t displacement;

	(void)state;
	assert_true(displaced_compile(&insn, SLOT, code));
	memcpy(&displacement, code + 3, 4);
	assert_int_equal(SLOT + 7 + displacement, CODE + 7 + 0x1234);
	assert_false(displaced_compile(&insn, 0x7f0000000000, code)); /* out of reach */
}

static void a_far_slot_jumps_back_through_memory(void **state)
{
	struct insn insn = DECODE(0x55);
	uint8_t code[SLOT_SIZE];
	uint64_t to;

	(void)state;
	assert_true(displaced_compile(&insn, 0x7f0000000000, code));
	assert_int_equal(code[1], 0xff);
	assert_int_equal(code[2], 0x25);
	memcpy(&to, code + 7, 8);
	assert_int_equal(to, CODE + 1);
}

static void a_tracee_in_a_slot_is_sent_home(void **state)
{
	const struct displaced displaced = {.insn = DECODE(0x41, 0x57), .slot = SLOT};
	uint64_t home = 0;
	bool again = false;

	(void)state;
	assert_true(displaced_home(&displaced, SLOT, &home, &again));
	assert_true(again);
	assert_int_equal(home, CODE);
	assert_true(displaced_home(&displaced, SLOT + 2, &home, &again));
	assert_false(again);
	assert_int_equal(home, CODE + 2);
	assert_false(displaced_home(&displaced, SLOT + SLOT_SIZE, &home, &again));
}

static void what_cannot_be_moved_is_refused_with_a_reason(void **state)
{
	const struct insn transaction = DECODE(0xc7, 0xf8, 0x00, 0x00, 0x00, 0x00); /* xbegin */
	const struct insn system_call = DECODE(0x0f, 0x05);
	const struct insn trap = DECODE(0xcc);
	const char *why = NULL;

	(void)state;
	assert_false(displaced_possible(&transaction, &why));
	assert_non_null(why);
	assert_false(displaced_possible(&system_call, &why));
	assert_false(displaced_possible(&trap, &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_return_is_emulated_on_the_stack),
		cmocka_unit_test(a_call_pushes_the_address_behind_it),
		cmocka_unit_test(an_indirect_call_reads_its_target_before_it_pushes),
		cmocka_unit_test(conditional_jumps_follow_the_flags),
		cmocka_unit_test(loops_count_down_and_jump_until_nothing_is_left),
		cmocka_unit_test(loops_look_at_the_zero_flag_if_they_say_so),
		cmocka_unit_test(jumps_on_an_empty_count_leave_it_as_it_is),
		cmocka_unit_test(a_step_that_cannot_use_memory_changes_nothing),
		cmocka_unit_test(a_slot_is_a_copy_and_a_jump_back),
		cmocka_unit_test(a_rip_relative_operand_still_means_the_same_address),
		cmocka_unit_test(a_far_slot_jumps_back_through_memory),
		cmocka_unit_test(a_tracee_in_a_slot_is_sent_home),
		cmocka_unit_test(what_cannot_be_moved_is_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
