/* Instructions that run in a pad do there what they did in place. */
#include "check.h"
#include "pad_play.h"

#include <string.h>

#include "trace/pad/pad_moved.h"

/* @run, of at least 5 bytes, is moved. */
#define MOVED(name, before, run, after)                                                      \
	__asm__(".text\n.balign 64\n" #name ":\n" before "\n" #name "_run:\n" run "\n" after \
		"\n ret\n");                                                                 \
	void name(void);                                                                     \
	void name##_run(void)

#define NOP3       "\n .byte 0x0f, 0x1f, 0"
#define SKIP_FIRST "mov $1, %eax\n 1:"

__asm__(".data\n.balign 8\nmoved_number: .quad 0x123456789abcdef\nmoved_target: .quad moved_there\n"
	"moved_place: .quad moved_callee\n"
	".text\nmoved_callee: mov (%rsp), %rax\n xor %edx, %edx\n ret\n");

MOVED(load, "", "mov moved_number(%rip), %rax", "");
MOVED(address, "", "lea moved_number(%rip), %rdx", "");
MOVED(compare, "", "cmpl $0x89abcdef, moved_number(%rip)", "");
MOVED(several, "push %rbx", "mov %rsp, %rbx\n push %rax\n pop %rsi\n sub %rsp, %rbx", "pop %rbx");
MOVED(no_operation, "", ".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0", "");
MOVED(if_equal, "", "je 1f" NOP3, SKIP_FIRST);
MOVED(if_overflow, "", "jo 1f" NOP3, SKIP_FIRST);
MOVED(if_greater, "", "jg 1f" NOP3, SKIP_FIRST);
MOVED(if_near, "", ".byte 0x0f, 0x82\n .long 1f - . - 4", SKIP_FIRST);
MOVED(if_backwards, "jmp 2f\n 1: inc %rax\n jmp 3f\n 2:", "jne 1b" NOP3, "3:");
MOVED(jump, "", "jmp 1f" NOP3, SKIP_FIRST);
MOVED(jump_near, "", ".byte 0xe9\n .long 1f - . - 4", SKIP_FIRST);
MOVED(jump_register, "lea 1f(%rip), %rdx", "jmp *%rdx" NOP3, SKIP_FIRST);
MOVED(jump_memory, "", "jmp *moved_target(%rip)", "mov $1, %eax\n moved_there:");
MOVED(loop_count, "", "loop 1f" NOP3, SKIP_FIRST);
MOVED(loop_short_count, "", "addr32 loop 1f" NOP3, SKIP_FIRST);
MOVED(loop_equal, "", "loope 1f" NOP3, SKIP_FIRST);
MOVED(loop_not_equal, "", "loopne 1f" NOP3, SKIP_FIRST);
MOVED(no_count, "", "jrcxz 1f" NOP3, SKIP_FIRST);
MOVED(no_short_count, "", "jecxz 1f" NOP3, SKIP_FIRST);
MOVED(leaves, "", "ret\n .byte 0x0f, 0x1f, 0x40, 0", "mov $1, %eax");
/* What is called tells where it returns to. */
MOVED(calls, "", "call moved_callee", "inc %rax");
MOVED(calls_register, "lea moved_callee(%rip), %r9", "mov %rdi, %rdx\n call *%r9", "inc %rax");
MOVED(calls_low_register, "lea moved_callee(%rip), %rdx", "mov %rdi, %rsi\n call *%rdx",
      "inc %rax");
MOVED(calls_memory, "", "call *moved_place(%rip)", "inc %rax");
MOVED(calls_by_stack, "push moved_place(%rip)", "mov %rdi, %rdx\n call *(%rsp)", "pop %rsi");
MOVED(calls_too_early, "", "call *%rax" NOP3, "");
MOVED(calls_short, "", ".byte 0x66\n call *moved_place(%rip)", "");
MOVED(traps, "", "int3\n .byte 0x0f, 0x1f, 0x40, 0", "");
MOVED(system_call, "", "syscall" NOP3, "");

static const struct moved {
	const char *name;
	void (*function)(void), (*run)(void);
} table[] = {
#define ROW(name)                       \
	{                               \
#name, name, name##_run \
	}
	ROW(load),
	ROW(address),
	ROW(compare),
	ROW(several),
	ROW(no_operation),
	ROW(if_equal),
	ROW(if_overflow),
	ROW(if_greater),
	ROW(if_near),
	ROW(if_backwards),
	ROW(jump),
	ROW(jump_near),
	ROW(jump_register),
	ROW(jump_memory),
	ROW(loop_count),
	ROW(loop_short_count),
	ROW(loop_equal),
	ROW(loop_not_equal),
	ROW(no_count),
	ROW(no_short_count),
	ROW(calls),
	ROW(calls_register),
	ROW(calls_low_register),
	ROW(calls_memory),
	ROW(calls_by_stack),
	ROW(leaves),
};

/* Of counts around 0 in rcx and ecx, with flags that conditions tell apart. */
enum { STATES = 15 };

static struct pad_play_state given_state(unsigned number)
{
	static const uint64_t counts[] = {0, 1, 2, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1};
	static const uint64_t flags[] = {0, 0x40, 0x8d5};
	struct pad_play_state state = {.flags = flags[number / 5]};

	for (unsigned i = 0; i < 16; i++)
		state.registers[i] = (i + 1) * UINT64_C(0x0102030405060709);
	state.registers[2] = counts[number % 5];
	return state;
}

static void run_all(void (*function)(void), struct pad_play_state *results)
{
	for (unsigned i = 0; i < STATES; i++) {
		results[i] = given_state(i);
		pad_play_run(&results[i], (const void *)(uintptr_t)function);
	}
}

static void moved_instructions_do_the_same(void **state)
{
	struct pad_play_state in_place[STATES], in_pad[STATES];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct pad_play *play = pad_play_start();
		struct err err;

		memset(in_place, 0, sizeof(in_place));
		memset(in_pad, 0, sizeof(in_pad));
		run_all(table[i].function, in_place);
		if (!pad_play_can_replace(play, table[i].run, &err))
			fail_msg("%s: %s", table[i].name, err.text);
		assert_int_equal(*(const uint8_t *)(uintptr_t)table[i].run, 0xe9);
		run_all(table[i].function, in_pad);
		if (memcmp(in_place, in_pad, sizeof(in_pad)))
			fail_msg("%s does something else", table[i].name);
		pad_play_end(play);
	}
}

static void expect_refusal(void (*run)(void), const char *why)
{
	struct pad_play *play = pad_play_start();
	struct err err;

	assert_false(pad_play_can_replace(play, run, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	pad_play_end(play);
}

static void calls_within_a_run_and_traps_stay(void **state)
{
	(void)state;
	expect_refusal(calls_too_early_run, "would return into the run");
	expect_refusal(calls_short_run, "of no known form");
	expect_refusal(traps_run, "it traps");
	expect_refusal(system_call_run, "depends on where it is");
}

static bool moves_to(uint64_t address, struct insn insn, struct err *err)
{
	uint8_t bytes[32];
	struct assembler code = {.bytes = bytes, .capacity = sizeof(bytes), .address = address};

	return pad_moved_write(&code, &insn, err);
}

static void what_is_out_of_reach_is_told(void **state)
{
	const uint64_t low = 0x10000, reach = UINT64_C(1) << 31;
	const struct insn jump_if = {.address = 0x20000,
				     .bytes = {0x74, 0},
				     .size = 2,
				     .kind = INSN_JUMP_IF,
				     .target = low,
				     .condition = 4};
	/* lea rax, [rip - 0x10007] */
	const struct insn lea = {.address = 0x20000,
				 .bytes = {0x48, 0x8d, 0x05, 0xf9, 0xff, 0xfe, 0xff},
				 .size = 7,
				 .kind = INSN_PLAIN,
				 .rip_offset = 3};
	struct err err;

	(void)state;
	assert_true(moves_to(low + reach - 6, jump_if, &err));
	assert_false(moves_to(low + reach - 5, jump_if, &err));
	assert_non_null(strstr(err.text, "0x20000 cannot be moved: its target is out of reach"));
	assert_true(moves_to(low + reach - 7, lea, &err));
	assert_false(moves_to(low + reach - 6, lea, &err));
	assert_non_null(strstr(err.text, "its operand is out of reach"));
}

static void moved_instructions_are_located(void **state)
{
	const struct insn run[] = {
		{.bytes = {0x90}, .size = 1, .kind = INSN_NOP},
		{.bytes = {0x74, 0}, .size = 2, .kind = INSN_JUMP_IF, .target = 0, .condition = 4},
		{.bytes = {0xc3}, .size = 1, .kind = INSN_RETURN}};
	const struct pad_request request = {.run = run, .n_run = 3};
	struct pad_code code;
	struct err err;

	(void)state;
	assert_true(pad_code_make(&request, &code, &err));
	assert_int_equal(code.moved[1], 1);
	assert_int_equal(code.moved_size[1], 6);
	assert_int_equal(code.moved[2], 7);
	assert_int_equal(code.moved_size[2], 1);
	assert_int_equal(code.size, 8); /* nothing goes on behind a return */
	pad_code_deinit(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved_instructions_do_the_same),
		cmocka_unit_test(calls_within_a_run_and_traps_stay),
		cmocka_unit_test(what_is_out_of_reach_is_told),
		cmocka_unit_test(moved_instructions_are_located),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
