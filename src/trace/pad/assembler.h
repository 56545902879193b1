/*
 * Writing x86-64 machine code into a buffer, the few instructions that pads need. Registers have
 * DWARF numbers (0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8–15), as in read plans.
 * Encodings: Intel's manual, volume 2.
 *
 * Code that does not fit sets `failed`; what is written then is nothing to run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assembler {
	uint8_t *bytes; /* borrowed */
	size_t size, capacity;
	uint64_t address; /* run-time, of bytes[0] */
	bool failed;
};

enum asm_alu { ASM_ADD, ASM_OR, ASM_AND = 4, ASM_SUB, ASM_XOR, ASM_CMP };
enum asm_shift { ASM_ROL, ASM_ROR, ASM_SHL = 4, ASM_SHR, ASM_SAR = 7 };
enum asm_unary { ASM_NOT = 2, ASM_NEG = 3, ASM_MUL = 4, ASM_IMUL = 5, ASM_DIV = 6, ASM_IDIV = 7 };
/* Conditions, as in insn.h's `condition`. */
enum asm_condition {
	ASM_BELOW = 2,
	ASM_NOT_BELOW,
	ASM_EQUAL,
	ASM_NOT_EQUAL,
	ASM_NOT_ABOVE,
	ASM_ABOVE,
	ASM_LESS = 12,
	ASM_NOT_LESS,
};

enum { ASM_GS = -1 /* a thread block */, ASM_ABSOLUTE = -2 };

/* A place in memory: base + displacement; @base may be one of these. */
struct asm_place {
	int base;
	int32_t displacement;
};

/* A jump whose target is not known yet. */
struct asm_fixup {
	size_t at; /* of its 32-bit displacement; 0: none */
};

uint64_t assembler_here(const struct assembler *code); /* run-time address of what comes next */
void assembler_bytes(struct assembler *code, const void *bytes, size_t n);
void assembler_byte(struct assembler *code, uint8_t byte);
void assembler_word(struct assembler *code, uint32_t word);

/* 64-bit moves; loads of 1, 2, 4 bytes are zero-extended. */
void assembler_load(struct assembler *code, int to, struct asm_place from, unsigned size);
/* 4 bytes, sign-extended. */
void assembler_load_signed(struct assembler *code, int to, struct asm_place from);
void assembler_store(struct assembler *code, struct asm_place to, int from, unsigned size);
void assembler_store_constant(struct assembler *code, struct asm_place to, int32_t number,
			      unsigned size);
void assembler_move(struct assembler *code, int to, int from);
/* The shortest form that keeps the flags. */
void assembler_constant(struct assembler *code, int to, uint64_t number);
void assembler_address(struct assembler *code, int to, int base, int32_t displacement); /* lea */
/* The address of bytes[@offset]; as long wherever the code is. */
void assembler_own_address(struct assembler *code, int to, size_t offset);

/* 64-bit arithmetic. */
void assembler_alu(struct assembler *code, enum asm_alu op, int to, int from);
void assembler_alu_constant(struct assembler *code, enum asm_alu op, int to, int32_t number);
void assembler_alu_load(struct assembler *code, enum asm_alu op, int to, struct asm_place from);
void assembler_alu_store(struct assembler *code, enum asm_alu op, struct asm_place to, int from);
/* @size: 4 or 8. */
void assembler_alu_store_constant(struct assembler *code, enum asm_alu op, struct asm_place to,
				  int32_t number, unsigned size);
void assembler_multiply(struct assembler *code, int to, int from);
/* to = from * number */
void assembler_multiply_load(struct assembler *code, int to, struct asm_place from, int32_t number);
void assembler_unary(struct assembler *code, enum asm_unary op, int reg);
void assembler_shift(struct assembler *code, enum asm_shift op, int reg, uint8_t by);
void assembler_shift_cl(struct assembler *code, enum asm_shift op, int reg);
void assembler_set(struct assembler *code, enum asm_condition condition, int reg); /* 0 or 1 */
void assembler_sign_extend(struct assembler *code, int reg, unsigned from_size);
void assembler_zero_extend(struct assembler *code, int reg, unsigned from_size);

/* Jumps with 32-bit displacements. */
struct asm_fixup assembler_jump_if(struct assembler *code, enum asm_condition condition);
struct asm_fixup assembler_jump(struct assembler *code);
void assembler_fix(struct assembler *code, struct asm_fixup jump); /* it leads here */
void assembler_fix_to(struct assembler *code, struct asm_fixup jump, size_t offset);
void assembler_jump_to(struct assembler *code, uint64_t address);
void assembler_jump_back_if(struct assembler *code, enum asm_condition condition, size_t offset);

void assembler_rdtsc(struct assembler *code); /* edx:eax */

/* The thread pointer, fs:0. */
void assembler_thread_pointer(struct assembler *code, int to);

/* Low half of xmm register @from, 0 to 15. */
void assembler_move_xmm(struct assembler *code, int to, int from);

/* SSE: the prefix (0: none) and the opcode behind 0x0f. */
enum asm_sse {
	ASM_LOAD_XMM = 0x10,  /* all 16 bytes; addresses need no alignment */
	ASM_STORE_XMM = 0x11, /* this and ASM_STORE_DOUBLE: from the register to the place */
	ASM_LOAD_DOUBLE = 0xf210,
	ASM_STORE_DOUBLE = 0xf211,
	ASM_ADD_DOUBLE = 0xf258,
	ASM_DOUBLE_OF_FLOAT = 0xf35a,
	ASM_CONTROL = 0xae, /* as @xmm: 2 loads MXCSR, 3 stores it */
};
void assembler_sse(struct assembler *code, enum asm_sse op, int xmm, struct asm_place place);
