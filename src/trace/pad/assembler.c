/* Encoding the instructions of pads. What to write is the callers' affair. */
#include "assembler.h"

#include <string.h>

/* What an instruction with a ModRM byte has besides its opcode. */
enum form {
	WIDE = 1,     /* 64-bit operands */
	HALF = 2,     /* 16-bit operands */
	LOW_BYTE = 4, /* an 8-bit register: without a REX prefix 4 to 7 were ah to bh */
	ESCAPE = 8,   /* the opcode is behind 0x0f */
};

uint64_t assembler_here(const struct assembler *code)
{
	return code->address + code->size;
}

void assembler_bytes(struct assembler *code, const void *bytes, size_t n)
{
	if (code->failed || n > code->capacity - code->size) {
		code->failed = true;
		return;
	}
	memcpy(code->bytes + code->size, bytes, n);
	code->size += n;
}

void assembler_byte(struct assembler *code, uint8_t byte)
{
	assembler_bytes(code, &byte, 1);
}

void assembler_word(struct assembler *code, uint32_t word)
{
	assembler_bytes(code, &word, 4);
}

/* Instructions number the first eight registers otherwise than DWARF. */
static unsigned hardware(int reg)
{
	static const uint8_t numbers[] = {0, 2, 1, 3, 6, 7, 5, 4};

	return reg < 8 ? numbers[reg] : (unsigned)reg;
}

static bool fits_byte(int32_t number)
{
	return number == (int8_t)number;
}

static void put_opcode(struct assembler *code, unsigned form, uint8_t opcode, unsigned reg,
		       unsigned rm)
{
	const unsigned rex = (form & WIDE ? 8 : 0) | (reg >> 3) << 2 | rm >> 3;

	if (form & HALF)
		assembler_byte(code, 0x66);
	if (rex || form & LOW_BYTE)
		assembler_byte(code, 0x40 | rex);
	if (form & ESCAPE)
		assembler_byte(code, 0x0f);
	assembler_byte(code, opcode);
}

static void put_modrm(struct assembler *code, unsigned mode, unsigned reg, unsigned rm)
{
	assembler_byte(code, mode << 6 | (reg & 7) << 3 | (rm & 7));
}

/* @reg: of the ModRM byte, a hardware number or a part of the opcode. */
static void with_place(struct assembler *code, unsigned form, uint8_t opcode, unsigned reg,
		       struct asm_place place)
{
	const unsigned base = place.base < 0 ? 0 : hardware(place.base);
	const unsigned mode = place.displacement == 0 && (base & 7) != 5 ? 0
			      : fits_byte(place.displacement)            ? 1
									 : 2;

	if (place.base < 0) {
		if (place.base == ASM_GS)
			assembler_byte(code, 0x65);
		put_opcode(code, form, opcode, reg, 0);
		put_modrm(code, 0, reg, 4);
		assembler_byte(code, 0x25);
		assembler_word(code, place.displacement);
		return;
	}
	put_opcode(code, form, opcode, reg, base);
	put_modrm(code, mode, reg, base);
	if ((base & 7) == 4)
		assembler_byte(code, 0x24);
	if (mode == 1)
		assembler_byte(code, place.displacement);
	if (mode == 2)
		assembler_word(code, place.displacement);
}

/* @rm: a DWARF number. */
static void with_register(struct assembler *code, unsigned form, uint8_t opcode, unsigned reg,
			  int rm)
{
	put_opcode(code, form, opcode, reg, hardware(rm));
	put_modrm(code, 3, reg, hardware(rm));
}

void assembler_load(struct assembler *code, int to, struct asm_place from, unsigned size)
{
	const unsigned reg = hardware(to);

	if (size >= 4)
		with_place(code, size == 8 ? WIDE : 0, 0x8b, reg, from);
	else
		with_place(code, ESCAPE, size == 2 ? 0xb7 : 0xb6, reg, from);
}

void assembler_load_signed(struct assembler *code, int to, struct asm_place from)
{
	with_place(code, WIDE, 0x63, hardware(to), from);
}

void assembler_store(struct assembler *code, struct asm_place to, int from, unsigned size)
{
	const unsigned form = size == 8 ? WIDE : size == 2 ? HALF : size == 1 ? LOW_BYTE : 0;

	with_place(code, form, size == 1 ? 0x88 : 0x89, hardware(from), to);
}

void assembler_store_constant(struct assembler *code, struct asm_place to, int32_t number,
			      unsigned size)
{
	const unsigned form = size == 8 ? WIDE : size == 2 ? HALF : 0;

	with_place(code, form, size == 1 ? 0xc6 : 0xc7, 0, to);
	assembler_bytes(code, &number, size < 4 ? size : 4);
}

void assembler_move(struct assembler *code, int to, int from)
{
	with_register(code, WIDE, 0x89, hardware(from), to);
}

/* Not by xor, which changes the flags. */
void assembler_constant(struct assembler *code, int to, uint64_t number)
{
	const unsigned reg = hardware(to);

	if (number == (uint64_t)(int64_t)(int32_t)number && number > UINT32_MAX) {
		with_register(code, WIDE, 0xc7, 0, to);
		assembler_word(code, number);
		return;
	}
	put_opcode(code, number > UINT32_MAX ? WIDE : 0, 0xb8 + (reg & 7), 0, reg);
	assembler_bytes(code, &number, number > UINT32_MAX ? 8 : 4);
}

void assembler_address(struct assembler *code, int to, int base, int32_t displacement)
{
	with_place(code, WIDE, 0x8d, hardware(to), (struct asm_place){base, displacement});
}

void assembler_own_address(struct assembler *code, int to, size_t offset)
{
	put_opcode(code, WIDE, 0x8d, hardware(to), 0);
	put_modrm(code, 0, hardware(to), 5);
	assembler_word(code, (uint32_t)(offset - (code->size + 4)));
}

void assembler_alu(struct assembler *code, enum asm_alu op, int to, int from)
{
	with_register(code, WIDE, op * 8 + 1, hardware(from), to);
}

static void put_immediate(struct assembler *code, int32_t number)
{
	assembler_bytes(code, &number, fits_byte(number) ? 1 : 4);
}

void assembler_alu_constant(struct assembler *code, enum asm_alu op, int to, int32_t number)
{
	with_register(code, WIDE, fits_byte(number) ? 0x83 : 0x81, op, to);
	put_immediate(code, number);
}

void assembler_alu_load(struct assembler *code, enum asm_alu op, int to, struct asm_place from)
{
	with_place(code, WIDE, op * 8 + 3, hardware(to), from);
}

void assembler_alu_store(struct assembler *code, enum asm_alu op, struct asm_place to, int from)
{
	with_place(code, WIDE, op * 8 + 1, hardware(from), to);
}

void assembler_alu_store_constant(struct assembler *code, enum asm_alu op, struct asm_place to,
				  int32_t number, unsigned size)
{
	with_place(code, size == 8 ? WIDE : 0, fits_byte(number) ? 0x83 : 0x81, op, to);
	put_immediate(code, number);
}

void assembler_multiply(struct assembler *code, int to, int from)
{
	with_register(code, WIDE | ESCAPE, 0xaf, hardware(to), from);
}

void assembler_multiply_load(struct assembler *code, int to, struct asm_place from, int32_t number)
{
	with_place(code, WIDE, 0x69, hardware(to), from);
	assembler_word(code, (uint32_t)number);
}

void assembler_unary(struct assembler *code, enum asm_unary op, int reg)
{
	with_register(code, WIDE, 0xf7, op, reg);
}

void assembler_shift(struct assembler *code, enum asm_shift op, int reg, uint8_t by)
{
	with_register(code, WIDE, 0xc1, op, reg);
	assembler_byte(code, by);
}

void assembler_shift_cl(struct assembler *code, enum asm_shift op, int reg)
{
	with_register(code, WIDE, 0xd3, op, reg);
}

void assembler_set(struct assembler *code, enum asm_condition condition, int reg)
{
	with_register(code, ESCAPE | LOW_BYTE, 0x90 + condition, 0, reg);
	assembler_zero_extend(code, reg, 1);
}

void assembler_sign_extend(struct assembler *code, int reg, unsigned from_size)
{
	if (from_size == 4)
		with_register(code, WIDE, 0x63, hardware(reg), reg);
	else if (from_size < 4)
		with_register(code, WIDE | ESCAPE, from_size == 2 ? 0xbf : 0xbe, hardware(reg),
			      reg);
}

void assembler_zero_extend(struct assembler *code, int reg, unsigned from_size)
{
	if (from_size == 4)
		with_register(code, 0, 0x89, hardware(reg), reg);
	else if (from_size < 4)
		with_register(code, ESCAPE | LOW_BYTE, from_size == 2 ? 0xb7 : 0xb6, hardware(reg),
			      reg);
}

/* A displacement that is written by assembler_fix(). */
static struct asm_fixup put_displacement(struct assembler *code)
{
	const struct asm_fixup jump = {code->size};

	assembler_word(code, 0);
	return jump;
}

struct asm_fixup assembler_jump_if(struct assembler *code, enum asm_condition condition)
{
	assembler_byte(code, 0x0f);
	assembler_byte(code, 0x80 + condition);
	return put_displacement(code);
}

struct asm_fixup assembler_jump(struct assembler *code)
{
	assembler_byte(code, 0xe9);
	return put_displacement(code);
}

void assembler_fix(struct assembler *code, struct asm_fixup jump)
{
	assembler_fix_to(code, jump, code->size);
}

void assembler_fix_to(struct assembler *code, struct asm_fixup jump, size_t offset)
{
	const uint32_t displacement = (uint32_t)(offset - (jump.at + 4));

	if (jump.at && !code->failed)
		memcpy(code->bytes + jump.at, &displacement, 4);
}

void assembler_jump_to(struct assembler *code, uint64_t address)
{
	const int64_t displacement = (int64_t)(address - (assembler_here(code) + 5));

	if (displacement != (int32_t)displacement)
		code->failed = true;
	assembler_byte(code, 0xe9);
	assembler_word(code, displacement);
}

void assembler_jump_back_if(struct assembler *code, enum asm_condition condition, size_t offset)
{
	assembler_byte(code, 0x0f);
	assembler_byte(code, 0x80 + condition);
	assembler_word(code, (uint32_t)(offset - (code->size + 4)));
}

void assembler_rdtsc(struct assembler *code)
{
	assembler_byte(code, 0x0f);
	assembler_byte(code, 0x31);
}

void assembler_thread_pointer(struct assembler *code, int to)
{
	const unsigned reg = hardware(to);

	assembler_byte(code, 0x64);
	put_opcode(code, WIDE, 0x8b, reg, 0);
	put_modrm(code, 0, reg, 4);
	assembler_byte(code, 0x25);
	assembler_word(code, 0);
}

void assembler_move_xmm(struct assembler *code, int to, int from)
{
	with_register(code, HALF | WIDE | ESCAPE, 0x7e, from, to);
}

void assembler_sse(struct assembler *code, enum asm_sse op, int xmm, struct asm_place place)
{
	if (op >> 8)
		assembler_byte(code, op >> 8);
	with_place(code, ESCAPE, op, xmm, place);
}
