/* Encodings, by running them: every register in every place, against what C computes. */
#include "check.h"
#include "code_runner.h"

#include <string.h>

#include "trace/pad/assembler.h"

enum { RSP = 7, REGISTERS = 16 };

struct run {
	struct assembler code;
	struct code_state state;
	uint64_t block[64], stack[64];
};

static void start(struct run *run)
{
	int i;

	memset(run, 0, sizeof(*run));
	for (i = 0; i < REGISTERS; i++)
		run->state.registers[i] = UINT64_C(0x9182736455463728) * (i + 1);
	for (i = 0; i < 64; i++)
		run->block[i] = UINT64_C(0xf1e2d3c4b5a69788) * (i + 3);
	run->state.registers[RSP] = (uintptr_t)&run->stack[32];
	run->state.control = 0x1f80;
	run->code = code_runner_start(run->block);
}

static void execute(struct run *run)
{
	code_runner_run(&run->code, NULL, &run->state);
	code_runner_stop(&run->code);
}

/* What register @reg holds after the code ran; nothing but it may have changed. */
static uint64_t result(struct run *run, int reg)
{
	const struct code_state before = run->state;
	int i;

	execute(run);
	for (i = 0; i < REGISTERS; i++)
		if (i != reg)
			assert_int_equal(run->state.registers[i], before.registers[i]);
	return run->state.registers[reg];
}

static uint64_t alu(enum asm_alu op, uint64_t a, uint64_t b)
{
	switch (op) {
	case ASM_ADD:
		return a + b;
	case ASM_OR:
		return a | b;
	case ASM_AND:
		return a & b;
	case ASM_SUB:
		return a - b;
	case ASM_XOR:
		return a ^ b;
	case ASM_CMP:
		return a;
	}
	return 0;
}

static const enum asm_alu alu_ops[] = {ASM_ADD, ASM_OR, ASM_AND, ASM_SUB, ASM_XOR, ASM_CMP};

static void check_pair(int to, int from)
{
	struct run run;
	uint64_t a, b;
	size_t i;

	for (i = 0; i < sizeof(alu_ops) / sizeof(*alu_ops); i++) {
		start(&run);
		a = run.state.registers[to], b = run.state.registers[from];
		assembler_alu(&run.code, alu_ops[i], to, from);
		assert_int_equal(result(&run, to), alu(alu_ops[i], a, b));
	}
	start(&run);
	assembler_move(&run.code, to, from);
	assert_int_equal(result(&run, to), b);
	start(&run);
	assembler_multiply(&run.code, to, from);
	assert_int_equal(result(&run, to), a * b);
}

static void every_pair_of_registers_moves_adds_and_multiplies(void **state)
{
	int to, from;

	(void)state;
	for (to = 0; to < REGISTERS; to++)
		for (from = 0; from < REGISTERS; from++)
			if (to != RSP && from != RSP)
				check_pair(to, from);
}

static void check_constants(int reg, int64_t number)
{
	const int32_t word = (int32_t)number;
	struct run run;
	uint64_t a;
	size_t i;

	start(&run);
	a = run.state.registers[reg];
	assembler_constant(&run.code, reg, number);
	assert_int_equal(result(&run, reg), number);
	for (i = 0; i < sizeof(alu_ops) / sizeof(*alu_ops); i++) {
		start(&run);
		assembler_alu_constant(&run.code, alu_ops[i], reg, word);
		assert_int_equal(result(&run, reg), alu(alu_ops[i], a, (uint64_t)(int64_t)word));
	}
	start(&run);
	assembler_address(&run.code, reg, reg, word);
	assert_int_equal(result(&run, reg), a + (uint64_t)(int64_t)word);
	start(&run);
	assembler_multiply_load(&run.code, reg, (struct asm_place){ASM_GS, 24}, word);
	a = run.block[3];
	assert_int_equal(result(&run, reg), a * (uint64_t)(int64_t)word);
}

static void constants_have_their_shortest_form_and_sign(void **state)
{
	static const int64_t numbers[] = {0,         1,          127,       128,
					  -1,        -128,       -129,      INT32_MAX,
					  INT32_MIN, UINT32_MAX, INT64_MIN, (int64_t)INT32_MIN - 1,
					  INT64_MAX};
	size_t i;
	int reg;

	(void)state;
	for (reg = 0; reg < REGISTERS; reg++)
		for (i = 0; reg != RSP && i < sizeof(numbers) / sizeof(*numbers); i++)
			check_constants(reg, numbers[i]);
}

static uint64_t low_bytes(uint64_t word, unsigned size)
{
	return size == 8 ? word : word & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t sign_extended(uint64_t word, unsigned size)
{
	const unsigned unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(word << unused) >> unused);
}

static void check_widths(int reg, unsigned size)
{
	struct run run;
	uint64_t a;

	start(&run);
	a = run.state.registers[reg] | UINT64_C(0x8080008080);
	run.state.registers[reg] = a;
	assembler_zero_extend(&run.code, reg, size);
	assert_int_equal(result(&run, reg), low_bytes(a, size));
	start(&run);
	run.state.registers[reg] = a;
	assembler_sign_extend(&run.code, reg, size);
	assert_int_equal(result(&run, reg), sign_extended(a, size));
}

static void registers_widen(void **state)
{
	unsigned size;
	int reg;

	(void)state;
	for (reg = 0; reg < REGISTERS; reg++)
		for (size = 1; reg != RSP && size <= 8; size *= 2)
			check_widths(reg, size);
}

/* A word in the block before and after a store of @number there. */
static uint64_t stored(uint64_t before, uint64_t number, unsigned size)
{
	memcpy(&before, &number, size);
	return before;
}

static void start_at(struct run *run, int base, int32_t displacement)
{
	start(run);
	if (base >= 0)
		run->state.registers[base] =
			(uintptr_t)&run->block[32] - (uint64_t)(int64_t)displacement;
}

static void check_memory(int base, int reg, int32_t displacement, unsigned size)
{
	const struct asm_place place = {base, base < 0 ? 32 * 8 : displacement};
	struct run run;
	uint64_t word;

	start_at(&run, base, displacement);
	word = run.block[32];
	assembler_load(&run.code, reg, place, size);
	assert_int_equal(result(&run, reg), low_bytes(word, size));
	start_at(&run, base, displacement);
	assembler_store(&run.code, place, reg, size);
	result(&run, RSP);
	assert_int_equal(run.block[32], stored(word, run.state.registers[reg], size));
	start_at(&run, base, displacement);
	assembler_store_constant(&run.code, place, -0x12345678, size);
	result(&run, RSP);
	assert_int_equal(run.block[32], stored(word, (uint64_t)-INT64_C(0x12345678), size));
}

static void check_memory_arithmetic(int base, int reg, int32_t displacement)
{
	const struct asm_place place = {base, base < 0 ? 32 * 8 : displacement};
	struct run run;
	uint64_t a, word;
	size_t i;

	for (i = 0; i < sizeof(alu_ops) / sizeof(*alu_ops); i++) {
		start_at(&run, base, displacement);
		a = run.state.registers[reg], word = run.block[32];
		assembler_alu_load(&run.code, alu_ops[i], reg, place);
		assert_int_equal(result(&run, reg), alu(alu_ops[i], a, word));
		start_at(&run, base, displacement);
		a = run.state.registers[reg];
		assembler_alu_store(&run.code, alu_ops[i], place, reg);
		result(&run, RSP);
		assert_int_equal(run.block[32], alu(alu_ops[i], word, a));
		start_at(&run, base, displacement);
		assembler_alu_store_constant(&run.code, alu_ops[i], place, -1000, 8);
		assembler_alu_store_constant(&run.code, alu_ops[i], place, 100, 4);
		result(&run, RSP);
		word = alu(alu_ops[i], word, (uint64_t)-INT64_C(1000));
		assert_int_equal(run.block[32], stored(word, alu(alu_ops[i], word, 100), 4));
	}
}

static void every_register_reaches_memory_as_base_and_operand(void **state)
{
	static const int32_t displacements[] = {0, 1, 127, -128, 128, -100000};
	unsigned size;
	int base, reg;
	size_t i;

	(void)state;
	for (base = -1; base < REGISTERS; base++) {
		for (i = 0; base != RSP && i < sizeof(displacements) / sizeof(*displacements);
		     i++) {
			reg = (base + 5 + (int)i) % REGISTERS;
			if (reg == RSP)
				continue;
			for (size = 1; size <= 8; size *= 2)
				check_memory(base, reg, displacements[i], size);
			check_memory_arithmetic(base, reg, displacements[i]);
		}
	}
	for (reg = 0; reg < REGISTERS; reg++)
		for (size = 1; reg != RSP && size <= 8; size *= 2)
			check_memory(reg == 3 ? 4 : 3, reg, 8, size);
}

static void the_stack_pointer_is_a_base(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	assembler_store_constant(&run.code, (struct asm_place){RSP, -8}, 4711, 8);
	assembler_load(&run.code, 12, (struct asm_place){RSP, -8}, 8);
	assert_int_equal(result(&run, 12), 4711);
	start(&run);
	assembler_store_constant(&run.code, (struct asm_place){RSP, -8}, 0xfffffffe, 4);
	assembler_load_signed(&run.code, 9, (struct asm_place){RSP, -8});
	assert_int_equal(result(&run, 9), -2);
}

static void check_shift(enum asm_shift op, int reg,
			uint64_t (*expected)(uint64_t word, unsigned by))
{
	struct run run;
	uint64_t word;

	start(&run);
	word = run.state.registers[reg];
	assembler_shift(&run.code, op, reg, 13);
	assert_int_equal(result(&run, reg), expected(word, 13));
	start(&run);
	run.state.registers[2] = 17;
	assembler_shift_cl(&run.code, op, reg);
	assert_int_equal(result(&run, reg), expected(reg == 2 ? 17 : word, 17));
}

static uint64_t rol(uint64_t word, unsigned by)
{
	return word << by | word >> (64 - by);
}

static uint64_t ror(uint64_t word, unsigned by)
{
	return word >> by | word << (64 - by);
}

static uint64_t shl(uint64_t word, unsigned by)
{
	return word << by;
}

static uint64_t shr(uint64_t word, unsigned by)
{
	return word >> by;
}

static uint64_t sar(uint64_t word, unsigned by)
{
	return (uint64_t)((int64_t)word >> by);
}

static void shifts_are_by_constants_and_by_cl(void **state)
{
	int reg;

	(void)state;
	for (reg = 0; reg < REGISTERS; reg++) {
		if (reg == RSP)
			continue;
		check_shift(ASM_ROL, reg, rol);
		check_shift(ASM_ROR, reg, ror);
		check_shift(ASM_SHL, reg, shl);
		check_shift(ASM_SHR, reg, shr);
		check_shift(ASM_SAR, reg, sar);
	}
}

static void unary_operations(void **state)
{
	struct run run;
	uint64_t a;

	(void)state;
	start(&run);
	a = run.state.registers[13];
	assembler_unary(&run.code, ASM_NOT, 13);
	assert_int_equal(result(&run, 13), ~a);
	start(&run);
	assembler_unary(&run.code, ASM_NEG, 13);
	assert_int_equal(result(&run, 13), -a);
	start(&run);
	run.state.registers[0] = 1000, run.state.registers[1] = 0;
	assembler_unary(&run.code, ASM_MUL, 9);
	execute(&run);
	assert_int_equal(run.state.registers[0], 1000 * run.state.registers[9]);
	assert_int_equal(run.state.registers[1],
			 (uint64_t)(((unsigned __int128)1000 * run.state.registers[9]) >> 64));
	start(&run);
	run.state.registers[0] = 1003, run.state.registers[1] = 0, run.state.registers[9] = 10;
	assembler_unary(&run.code, ASM_DIV, 9);
	execute(&run);
	assert_int_equal(run.state.registers[0], 100);
	assert_int_equal(run.state.registers[1], 3);
}

/* 1 if a jump over "the result is 0" was taken. */
static uint64_t jumped(enum asm_condition condition, uint64_t a, uint64_t b)
{
	struct asm_fixup jump;
	struct run run;

	start(&run);
	run.state.registers[8] = a, run.state.registers[4] = b, run.state.registers[10] = 1;
	assembler_alu(&run.code, ASM_CMP, 8, 4);
	jump = assembler_jump_if(&run.code, condition);
	assembler_constant(&run.code, 10, 0);
	assembler_fix(&run.code, jump);
	return result(&run, 10);
}

static uint64_t set(enum asm_condition condition, int reg, uint64_t a, uint64_t b)
{
	struct run run;

	start(&run);
	run.state.registers[8] = a, run.state.registers[4] = b;
	assembler_alu(&run.code, ASM_CMP, 8, 4);
	assembler_set(&run.code, condition, reg);
	return result(&run, reg);
}

static void check_condition(enum asm_condition condition, uint64_t a, uint64_t b, bool holds)
{
	int reg;

	assert_int_equal(jumped(condition, a, b), holds);
	for (reg = 0; reg < REGISTERS; reg++)
		if (reg != RSP)
			assert_int_equal(set(condition, reg, a, b), holds);
}

static void conditions_compare(void **state)
{
	static const uint64_t words[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63};
	size_t i, k;

	(void)state;
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 4; k++) {
			const uint64_t a = words[i], b = words[k];

			check_condition(ASM_BELOW, a, b, a < b);
			check_condition(ASM_NOT_BELOW, a, b, a >= b);
			check_condition(ASM_EQUAL, a, b, a == b);
			check_condition(ASM_NOT_EQUAL, a, b, a != b);
			check_condition(ASM_NOT_ABOVE, a, b, a <= b);
			check_condition(ASM_ABOVE, a, b, a > b);
			check_condition(ASM_LESS, a, b, (int64_t)a < (int64_t)b);
			check_condition(ASM_NOT_LESS, a, b, (int64_t)a >= (int64_t)b);
		}
	}
}

static void jumps_lead_forward_back_and_to_addresses(void **state)
{
	struct asm_fixup over;
	struct run run;
	uint64_t there;
	size_t loop;

	(void)state;
	start(&run);
	assembler_constant(&run.code, 9, 0);
	over = assembler_jump(&run.code);
	there = assembler_here(&run.code);
	assembler_alu_constant(&run.code, ASM_ADD, 9, 1000);
	code_runner_end(&run.code);
	assembler_fix(&run.code, over);
	run.state.registers[8] = 10;
	loop = run.code.size;
	assembler_alu_constant(&run.code, ASM_ADD, 9, 1);
	assembler_alu(&run.code, ASM_CMP, 9, 8);
	assembler_jump_back_if(&run.code, ASM_NOT_EQUAL, loop);
	assembler_jump_to(&run.code, there);
	assert_int_equal(result(&run, 9), 1010);
}

static void the_clock_is_read(void **state)
{
	uint64_t before, after, now;
	struct run run;

	(void)state;
	start(&run);
	assembler_rdtsc(&run.code);
	before = __builtin_ia32_rdtsc();
	execute(&run);
	after = __builtin_ia32_rdtsc();
	now = run.state.registers[1] << 32 | run.state.registers[0];
	assert_in_range(now, before, after);
}

/* Flags survive a constant: pads set registers between a comparison and its jump. */
static void constants_keep_the_flags(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	assembler_alu(&run.code, ASM_CMP, 8, 8);
	assembler_constant(&run.code, 8, 0);
	assembler_constant(&run.code, 11, 0);
	assembler_set(&run.code, ASM_EQUAL, 11);
	run.state.registers[8] = 0;
	assert_int_equal(result(&run, 11), 1);
}

static void bytes_are_those_of_the_manual(void **state)
{
	static const uint8_t expected[] = {
		0x48, 0x8b, 0x47, 0x10,                               /* mov 0x10(%rdi),%rax */
		0x65, 0x48, 0x89, 0x04, 0x25, 0x00, 0x01, 0x00, 0x00, /* mov %rax,%gs:0x100 */
		0x4d, 0x8d, 0x64, 0x24, 0x08,                         /* lea 0x8(%r12),%r12 */
		0x40, 0x88, 0x75, 0x00,                               /* mov %sil,0x0(%rbp) */
		0xb8, 0x01, 0x00, 0x00, 0x00,                         /* mov $1,%eax */
		0x49, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff,             /* mov $-1,%r8 */
	};
	uint8_t bytes[64];
	struct assembler code = {.bytes = bytes, .capacity = sizeof(bytes)};

	(void)state;
	assembler_load(&code, 0, (struct asm_place){5, 16}, 8);
	assembler_store(&code, (struct asm_place){-1, 0x100}, 0, 8);
	assembler_address(&code, 12, 12, 8);
	assembler_store(&code, (struct asm_place){6, 0}, 4, 1);
	assembler_constant(&code, 0, 1);
	assembler_constant(&code, 8, UINT64_MAX);
	assert_int_equal(code.size, sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
}

static void the_thread_pointer_is_read(void **state)
{
	struct run run;
	int reg;

	(void)state;
	for (reg = 0; reg < REGISTERS; reg++) {
		start(&run);
		assembler_thread_pointer(&run.code, reg);
		if (reg != RSP)
			assert_int_equal(result(&run, reg), (uintptr_t)__builtin_thread_pointer());
		else
			code_runner_stop(&run.code);
	}
}

static void code_finds_its_own_bytes(void **state)
{
	struct run run;
	int reg;

	(void)state;
	for (reg = 0; reg < REGISTERS; reg++) {
		start(&run);
		run.state.registers[RSP] = 0;
		assembler_constant(&run.code, 9, 0);
		assembler_own_address(&run.code, reg, 3);
		run.state.registers[9] = 0;
		assert_int_equal(result(&run, reg), run.code.address + 3);
	}
}

static void xmm_registers_move_to_others(void **state)
{
	struct run run;
	int to, from;

	(void)state;
	for (from = 0; from < REGISTERS; from++) {
		for (to = 0; to < REGISTERS; to += 5) {
			start(&run);
			run.state.xmm[from][0] = UINT64_C(0x123456789abcdef0);
			assembler_move_xmm(&run.code, to, from);
			assert_int_equal(result(&run, to), UINT64_C(0x123456789abcdef0));
		}
	}
}

/* A float and a double in memory are added in the given rounding mode. */
static void doubles_add(void **state)
{
	const struct asm_place word = {-1, 0}, sum = {-1, 8}, control = {-1, 16}, all = {-1, 24};
	const float single = 1.5F;
	const double number = 2.25;
	struct run run;
	double found;

	(void)state;
	start(&run);
	memcpy(&run.block[0], &single, sizeof(single));
	memcpy(&run.block[1], &number, sizeof(number));
	run.block[2] = 0x7f80;
	run.state.xmm[9][1] = 4711;
	assembler_sse(&run.code, ASM_DOUBLE_OF_FLOAT, 9, word);
	assembler_sse(&run.code, ASM_ADD_DOUBLE, 9, sum);
	assembler_sse(&run.code, ASM_STORE_DOUBLE, 9, sum);
	assembler_sse(&run.code, ASM_STORE_XMM, 9, all);
	assembler_sse(&run.code, ASM_LOAD_XMM, 10, all);
	assembler_sse(&run.code, ASM_CONTROL, 2, control);
	assembler_store_constant(&run.code, control, 0, 8);
	assembler_sse(&run.code, ASM_CONTROL, 3, control);
	assembler_sse(&run.code, ASM_LOAD_DOUBLE, 11, sum);
	execute(&run);
	memcpy(&found, &run.block[1], sizeof(found));
	assert_true(found == 3.75);
	assert_memory_equal(run.state.xmm[10], &run.block[3], 16);
	assert_int_equal(run.state.xmm[10][1], 4711);
	assert_int_equal(run.state.xmm[11][0], run.block[1]);
	assert_int_equal(run.block[2], 0x7f80);
}

static void code_that_does_not_fit_fails(void **state)
{
	uint8_t bytes[8] = {0};
	struct assembler code = {.bytes = bytes, .capacity = 6};
	struct assembler far = {.bytes = bytes, .capacity = 8, .address = 0x1000};

	(void)state;
	assembler_constant(&code, 0, 1);
	assert_false(code.failed);
	assembler_constant(&code, 0, 1);
	assert_true(code.failed);
	assert_int_equal(bytes[6], 0);
	assembler_fix(&code, (struct asm_fixup){4});
	assert_int_equal(bytes[6], 0);
	assembler_jump_to(&far, UINT64_C(0x7fff00000000));
	assert_true(far.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_registers_moves_adds_and_multiplies),
		cmocka_unit_test(constants_have_their_shortest_form_and_sign),
		cmocka_unit_test(registers_widen),
		cmocka_unit_test(every_register_reaches_memory_as_base_and_operand),
		cmocka_unit_test(the_stack_pointer_is_a_base),
		cmocka_unit_test(shifts_are_by_constants_and_by_cl),
		cmocka_unit_test(unary_operations),
		cmocka_unit_test(conditions_compare),
		cmocka_unit_test(jumps_lead_forward_back_and_to_addresses),
		cmocka_unit_test(the_clock_is_read),
		cmocka_unit_test(constants_keep_the_flags),
		cmocka_unit_test(bytes_are_those_of_the_manual),
		cmocka_unit_test(the_thread_pointer_is_read),
		cmocka_unit_test(code_finds_its_own_bytes),
		cmocka_unit_test(xmm_registers_move_to_others),
		cmocka_unit_test(doubles_add),
		cmocka_unit_test(code_that_does_not_fit_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
