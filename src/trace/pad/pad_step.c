/* Shifts, divisions, strings, arrays and casts: the same as plan_machine.c does. */
#include "pad_words.h"

#include "pad_block.h"

static void put_shift(struct pad_words *words, enum plan_op op, struct pad_word *a, uint64_t by)
{
	static const enum asm_shift shifts[PLAN_OP_COUNT] = {
		[PLAN_SHL] = ASM_SHL, [PLAN_SHR] = ASM_SHR, [PLAN_SHRA] = ASM_SAR};
	const bool far = by >= 64;

	pad_words_own(words, a);
	if (far && op != PLAN_SHRA)
		assembler_constant(words->code, a->home, 0);
	else
		assembler_shift(words->code, shifts[op], a->home, far ? 63 : by);
}

/* The processor shifts by the low six bits. */
static void shift_by_word(struct pad_words *words, enum plan_op op, struct pad_word *a,
			  struct pad_word *b)
{
	struct asm_fixup near;

	assembler_move(words->code, PAD_RCX, pad_words_read(words, b));
	pad_words_own(words, a);
	if (op != PLAN_SHRA)
		assembler_shift_cl(words->code, op == PLAN_SHL ? ASM_SHL : ASM_SHR, a->home);
	assembler_alu_constant(words->code, ASM_CMP, PAD_RCX, 63);
	near = assembler_jump_if(words->code, ASM_NOT_ABOVE);
	assembler_constant(words->code, op == PLAN_SHRA ? PAD_RCX : a->home,
			   op == PLAN_SHRA ? 63 : 0);
	assembler_fix(words->code, near);
	if (op == PLAN_SHRA)
		assembler_shift_cl(words->code, ASM_SAR, a->home);
}

void pad_step_shift(struct pad_words *words, enum plan_op op)
{
	struct pad_word *b = pad_words_pop(words);
	struct pad_word *a = pad_words_top(words);

	if (b->reg == PAD_NO_REGISTER)
		put_shift(words, op, a, b->number);
	else
		shift_by_word(words, op, a, b);
}

/* INT64_MIN / -1 has no result; the processor would trap. */
static void exit_if_overflow(struct pad_words *words)
{
	struct asm_fixup fine;

	assembler_alu_constant(words->code, ASM_CMP, PAD_RCX, -1);
	fine = assembler_jump_if(words->code, ASM_NOT_EQUAL);
	assembler_constant(words->code, PAD_RDX, (uint64_t)INT64_MIN);
	assembler_alu(words->code, ASM_CMP, PAD_RAX, PAD_RDX);
	pad_words_exit_if(words, ASM_EQUAL, ABSENT_UNSUPPORTED);
	assembler_fix(words->code, fine);
}

void pad_step_divide(struct pad_words *words, enum plan_op op)
{
	struct pad_word *b = pad_words_pop(words);
	struct pad_word *a = pad_words_top(words);

	assembler_move(words->code, PAD_RCX, pad_words_read(words, b));
	assembler_move(words->code, PAD_RAX, pad_words_read(words, a));
	assembler_alu_constant(words->code, ASM_CMP, PAD_RCX, 0);
	pad_words_exit_if(words, ASM_EQUAL, ABSENT_UNSUPPORTED);
	if (op == PLAN_DIV) {
		exit_if_overflow(words);
		assembler_move(words->code, PAD_RDX, PAD_RAX);
		assembler_shift(words->code, ASM_SAR, PAD_RDX, 63);
	} else {
		assembler_constant(words->code, PAD_RDX, 0);
	}
	assembler_unary(words->code, op == PLAN_DIV ? ASM_IDIV : ASM_DIV, PAD_RCX);
	assembler_move(words->code, a->home, op == PLAN_DIV ? PAD_RAX : PAD_RDX);
	pad_words_in_home(a);
}

/* The end of what may be looked at, into rcx: @limit bytes behind @begin, or fewer in the block. */
static void string_end(struct pad_words *words, int begin, uint32_t limit)
{
	struct assembler *code = words->code;
	struct asm_fixup is_less;

	if (!words->place->strings || limit <= PAD_STRINGS_LEAST) {
		assembler_address(code, PAD_RCX, begin, (int32_t)limit);
		return;
	}
	assembler_load(code, PAD_RCX, (struct asm_place){-1, words->place->strings}, 4);
	assembler_alu_constant(code, ASM_CMP, PAD_RCX, (int32_t)limit);
	is_less = assembler_jump_if(code, ASM_BELOW);
	assembler_constant(code, PAD_RCX, limit);
	assembler_fix(code, is_less);
	assembler_alu(code, ASM_ADD, PAD_RCX, begin);
}

void pad_step_string(struct pad_words *words, uint32_t limit)
{
	struct assembler *code = words->code;
	struct pad_word *top = pad_words_top(words);
	const int begin = pad_words_own(words, top);
	struct asm_fixup found;
	size_t loop;

	assembler_move(code, PAD_RAX, begin);
	string_end(words, begin, limit);
	loop = code->size;
	pad_words_may_fault(words);
	assembler_load(code, PAD_RDX, (struct asm_place){PAD_RAX, 0}, 1);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	found = assembler_jump_if(code, ASM_EQUAL);
	assembler_alu_constant(code, ASM_ADD, PAD_RAX, 1);
	assembler_alu(code, ASM_CMP, PAD_RAX, PAD_RCX);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, loop);
	pad_words_exit(words, ABSENT_TOO_LONG);
	assembler_fix(code, found);
	assembler_alu(code, ASM_SUB, PAD_RAX, begin);
	assembler_move(code, begin, PAD_RAX);
}

static void step_over_element(struct assembler *code, int at, unsigned size, size_t loop)
{
	assembler_alu_constant(code, ASM_ADD, at, (int32_t)size);
	assembler_alu(code, ASM_CMP, at, PAD_RCX);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, loop);
}

static void sum_integers(struct pad_words *words, const struct plan_array *array, int at)
{
	struct assembler *code = words->code;
	size_t loop;

	assembler_constant(code, PAD_RAX, 0);
	loop = code->size;
	pad_words_may_fault(words);
	assembler_load(code, PAD_RDX, (struct asm_place){at, 0}, array->size);
	if (array->element == PLAN_SIGNED)
		assembler_sign_extend(code, PAD_RDX, array->size);
	if (array->element == PLAN_BOOL) {
		assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
		assembler_set(code, ASM_NOT_EQUAL, PAD_RDX);
	}
	assembler_alu(code, ASM_ADD, PAD_RAX, PAD_RDX);
	step_over_element(code, at, array->size, loop);
	assembler_move(code, at, PAD_RAX);
}

/* What a sum of floats has in the block's scratch words. */
enum float_scratch { SAVED_XMM = 10, TERM = 12, SAVED_CONTROL = 13, CONTROL = 14, TOTAL = 15 };

static struct asm_place scratch(enum float_scratch word)
{
	return (struct asm_place){
		-1, (int32_t)(offsetof(struct pad_block, scratch) + 8 * (size_t)word)};
}

enum { LOAD_CONTROL = 2, STORE_CONTROL = 3, CONTROL_DEFAULT = 0x1f80 };

/* The program may have another rounding mode, and must not see exceptions of ours. */
static void float_begin(struct assembler *code)
{
	assembler_sse(code, ASM_STORE_XMM, 0, scratch(SAVED_XMM));
	assembler_sse(code, ASM_CONTROL, STORE_CONTROL, scratch(SAVED_CONTROL));
	assembler_store_constant(code, scratch(CONTROL), CONTROL_DEFAULT, 8);
	assembler_sse(code, ASM_CONTROL, LOAD_CONTROL, scratch(CONTROL));
	assembler_store_constant(code, scratch(TOTAL), 0, 8);
}

static void float_end(struct assembler *code)
{
	assembler_sse(code, ASM_LOAD_XMM, 0, scratch(SAVED_XMM));
	assembler_sse(code, ASM_CONTROL, LOAD_CONTROL, scratch(SAVED_CONTROL));
}

/* One register is enough: the total is in memory. */
static void sum_floats(struct pad_words *words, const struct plan_array *array, int at)
{
	struct assembler *code = words->code;
	struct asm_fixup done;
	size_t loop, fault;

	float_begin(code);
	loop = code->size;
	fault = pad_words_may_fault(words);
	assembler_sse(code, array->size == 4 ? ASM_DOUBLE_OF_FLOAT : ASM_LOAD_DOUBLE, 0,
		      (struct asm_place){at, 0});
	assembler_sse(code, ASM_STORE_DOUBLE, 0, scratch(TERM));
	assembler_sse(code, ASM_LOAD_DOUBLE, 0, scratch(TOTAL));
	assembler_sse(code, ASM_ADD_DOUBLE, 0, scratch(TERM));
	assembler_sse(code, ASM_STORE_DOUBLE, 0, scratch(TOTAL));
	step_over_element(code, at, array->size, loop);
	float_end(code);
	assembler_load(code, at, scratch(TOTAL), 8);
	done = assembler_jump(code);
	words->faults->list[fault].resume = (uint32_t)code->size;
	float_end(code);
	pad_words_exit(words, ABSENT_UNREADABLE);
	assembler_fix(code, done);
}

void pad_step_sum(struct pad_words *words, const struct plan_array *array)
{
	const int at = pad_words_own(words, pad_words_top(words));

	assembler_address(words->code, PAD_RCX, at, (int32_t)(array->n * array->size));
	if (array->element == PLAN_FLOAT)
		sum_floats(words, array, at);
	else
		sum_integers(words, array, at);
}

/* A row of a cast's table: an object's vtable pointer in [low, high) means this offset. */
struct cast_row {
	uint64_t high, low;
	uint64_t offset;
	uint64_t found; /* 0: the class has no such part */
};

enum { ROW_SHIFT = 5 };

_Static_assert(sizeof(struct cast_row) == 1 << ROW_SHIFT, "rows are found by shifts");

static struct cast_row cast_row(const struct class_map_range *range, const struct class_cast *cast)
{
	struct cast_row row = {.high = range->high, .low = range->low};

	for (size_t i = 0; i < cast->n_entries && !row.found; i++) {
		if (cast->entries[i].class_type != range->class_type)
			continue;
		row.offset = (uint64_t)cast->entries[i].offset;
		row.found = 1;
	}
	return row;
}

/* Between the code, which jumps over it. Returns its offset. */
static size_t put_table(struct assembler *code, const struct class_map *map, uint64_t cast)
{
	const struct asm_fixup over = assembler_jump(code);
	const size_t table = code->size;

	for (size_t i = 0; i < map->n_ranges; i++) {
		const struct cast_row row = cast_row(&map->ranges[i], &map->casts[cast]);

		assembler_bytes(code, &row, sizeof(row));
	}
	assembler_fix(code, over);
	return table;
}

static struct asm_place field(int row, size_t offset)
{
	return (struct asm_place){row, (int32_t)offset};
}

/*
 * The first row whose high is above the pointer, in rax; there are @n from @table on. rcx rows are
 * left, rdx is the middle one of them.
 */
static void search_row(struct assembler *code, int pointer, size_t table, size_t n)
{
	struct asm_fixup above, end;
	size_t loop;

	assembler_own_address(code, PAD_RAX, table);
	assembler_constant(code, PAD_RCX, n);
	loop = code->size;
	assembler_alu_constant(code, ASM_CMP, PAD_RCX, 0);
	end = assembler_jump_if(code, ASM_EQUAL);
	assembler_move(code, PAD_RDX, PAD_RCX);
	assembler_shift(code, ASM_SHR, PAD_RDX, 1);
	assembler_shift(code, ASM_SHL, PAD_RDX, ROW_SHIFT);
	assembler_alu(code, ASM_ADD, PAD_RDX, PAD_RAX);
	assembler_alu_load(code, ASM_CMP, pointer, field(PAD_RDX, offsetof(struct cast_row, high)));
	above = assembler_jump_if(code, ASM_BELOW);
	assembler_address(code, PAD_RAX, PAD_RDX, sizeof(struct cast_row));
	assembler_alu_constant(code, ASM_SUB, PAD_RCX, 1);
	assembler_fix(code, above);
	assembler_shift(code, ASM_SHR, PAD_RCX, 1);
	assembler_jump_to(code, code->address + loop);
	assembler_fix(code, end);
}

static void cast_by_table(struct pad_words *words, int pointer, size_t table, size_t n)
{
	struct assembler *code = words->code;

	search_row(code, pointer, table, n);
	assembler_own_address(code, PAD_RDX, table + n * sizeof(struct cast_row));
	assembler_alu(code, ASM_CMP, PAD_RAX, PAD_RDX);
	pad_words_exit_if(words, ASM_EQUAL, ABSENT_UNKNOWN_CLASS);
	assembler_alu_load(code, ASM_CMP, pointer, field(PAD_RAX, offsetof(struct cast_row, low)));
	pad_words_exit_if(words, ASM_BELOW, ABSENT_UNKNOWN_CLASS);
	assembler_load(code, PAD_RDX, field(PAD_RAX, offsetof(struct cast_row, found)), 8);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	pad_words_exit_if(words, ASM_EQUAL, ABSENT_OTHER_CLASS);
	assembler_load(code, pointer, field(PAD_RAX, offsetof(struct cast_row, offset)), 8);
}

void pad_step_cast(struct pad_words *words, uint64_t cast)
{
	const struct class_map *map = words->place->classes;
	const int pointer = pad_words_own(words, pad_words_top(words));

	if (map && cast < map->n_casts)
		cast_by_table(words, pointer, put_table(words->code, map, cast), map->n_ranges);
	else
		pad_words_exit(words, ABSENT_UNKNOWN_CLASS);
}
