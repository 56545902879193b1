/*
 * Machine instructions, as far as control flow and moving them is concerned.
 *
 * x86-64 only. Decoding is capstone's; nothing outside insn.c sees it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { INSN_SIZE_MAX = 15 };

enum insn_kind {
	INSN_PLAIN, /* falls through; can run anywhere once a RIP-relative operand is rewritten */
	INSN_NOP,   /* does nothing: nop, endbr64 */
	INSN_RETURN,
	INSN_CALL,          /* to `target` */
	INSN_CALL_INDIRECT, /* through `operand` */
	INSN_JUMP,          /* to `target` */
	INSN_JUMP_INDIRECT, /* through `operand` */
	INSN_JUMP_IF,       /* to `target` if `condition` holds */
	INSN_LOOP,      /* loop, loope, loopne, jrcxz and jecxz: to `target` or on, see `loop` */
	INSN_TRAP,      /* int3, ud2, hlt and kin: execution does not go on behind it */
	INSN_UNMOVABLE, /* cannot run elsewhere: far transfers, xbegin */
};

/* When an INSN_LOOP jumps. All but INSN_LOOP_IF_ZERO_COUNT take one from the count first. */
enum insn_loop {
	INSN_LOOP_IF_COUNT,           /* loop: the count is not 0 */
	INSN_LOOP_IF_COUNT_AND_EQUAL, /* loope: and the zero flag is set */
	INSN_LOOP_IF_COUNT_AND_OTHER, /* loopne: and it is not */
	INSN_LOOP_IF_ZERO_COUNT,      /* jrcxz, jecxz */
};

/* Where an indirect jump or call finds its target. Registers have DWARF numbers (16 is the PC). */
struct insn_operand {
	bool memory; /* the 8 bytes at base + index * scale + displacement; else register `base` */
	int base, index; /* -1: none */
	unsigned scale;
	int64_t displacement;
	bool segment; /* relative to fs or gs: the address cannot be computed */
};

/* A move of a register or constant to memory at a register plus a displacement. */
struct insn_store {
	uint8_t size; /* bytes; 0: the instruction is none */
	int8_t base;  /* DWARF number */
	int32_t displacement;
};

/* What the addresses of jump tables are computed with, of 64 bits. */
enum insn_arithmetic {
	INSN_OTHER,
	INSN_SCALE,   /* to = from * number */
	INSN_ADDRESS, /* to = number, as an address relative to the PC */
	INSN_ADD,     /* to += from */
};

struct insn {
	uint64_t address;
	uint8_t bytes[INSN_SIZE_MAX];
	uint8_t size;
	enum insn_kind kind;
	uint64_t target; /* absolute, of direct transfers */
	/* INSN_JUMP_IF: the low four bits of the opcode (0 overflow … 15 greater) */
	uint8_t condition;
	enum insn_loop loop; /* INSN_LOOP */
	bool short_count;    /* INSN_LOOP: counts in ecx, not rcx */
	uint16_t return_pop; /* INSN_RETURN: bytes of arguments that it pops */
	uint8_t rip_offset;  /* offset in `bytes` of a RIP-relative 32-bit displacement; 0: none */
	struct insn_operand operand; /* of INSN_CALL_INDIRECT, INSN_JUMP_INDIRECT and table reads */
	/*
	 * A load, or the jump itself, through base + index, as jump tables are read: the size of an
	 * entry (4 or 8), the register that is loaded, and where the table is, if the instruction
	 * alone says that. 0, -1, 0: none, none, unknown. Entries of 4 bytes must be sign-extended,
	 * by the load itself or by a cltq behind it.
	 */
	uint8_t table_entry;
	int8_t table_register;
	uint64_t table_address;
	bool table_extended;
	bool is_cltq;
	enum insn_arithmetic arithmetic;
	int8_t to, from; /* registers of `arithmetic` */
	uint64_t number; /* of `arithmetic` */
	struct insn_store store;
	/*
	 * Bit N: the instruction may write register N, or a part of it (DWARF numbers: 0–15
	 * general, 17–32 xmm); all bits if that is not known, as of calls.
	 */
	uint64_t writes;
};

struct insn_decoder;

bool insn_decoder_create(struct insn_decoder **ret, struct err *err);
void insn_decoder_destroy(struct insn_decoder *decoder); /* NULL is fine */

/* Decode the instruction at @address from up to @n bytes. False: no valid instruction there. */
bool insn_decode(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		 struct insn *ret);

/* Is it a string instruction that repeats itself, and can be interrupted in between? */
bool insn_repeats(const struct insn *insn);

/*
 * Does a loop instruction jump, with this rcx and these processor flags? @count is what it leaves
 * there.
 */
bool insn_loop_jumps(const struct insn *insn, uint64_t *count, uint64_t flags);

/* Does condition 0–15 hold with these processor flags (the RFLAGS register)? */
bool insn_condition_holds(uint8_t condition, uint64_t flags);
