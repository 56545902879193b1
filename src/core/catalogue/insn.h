/*
 * Machine instructions, as far as control flow and moving them elsewhere need.
 * x86-64 only; nothing but insn.c sees capstone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { INSN_SIZE_MAX = 15 };

enum insn_kind {
	INSN_PLAIN, /* falls through; runs anywhere once its RIP-relative operand is
                 rewritten */
	INSN_NOP,   /* does nothing: nop, endbr64 */
	INSN_RETURN,
	INSN_CALL,          /* to `target` */
	INSN_CALL_INDIRECT, /* through `operand` */
	INSN_JUMP,          /* to `target` */
	INSN_JUMP_INDIRECT, /* through `operand` */
	INSN_JUMP_IF,       /* to `target` if `condition` holds */
	INSN_LOOP,          /* loop, loope, loopne, jrcxz, jecxz: to `target` or on, see `loop`
              */
	INSN_TRAP,          /* int3, ud2, hlt and the like: no execution behind it */
	INSN_UNMOVABLE,     /* cannot run elsewhere: far transfers, xbegin */
};

/* When an INSN_LOOP jumps. All but INSN_LOOP_IF_ZERO_COUNT first decrement the
 * count. */
enum insn_loop {
	INSN_LOOP_IF_COUNT,           /* loop: the count is not 0 */
	INSN_LOOP_IF_COUNT_AND_EQUAL, /* loope: and the zero flag is set */
	INSN_LOOP_IF_COUNT_AND_OTHER, /* loopne: and it is not */
	INSN_LOOP_IF_ZERO_COUNT,      /* jrcxz, jecxz */
};

/* Where an indirect jump or call finds its target. Registers have DWARF numbers
 * (16 is the PC). */
struct insn_operand {
	bool memory;     /* the 8 bytes at base + index * scale + displacement; else
                      register `base` */
	int base, index; /* -1: none */
	unsigned scale;
	int64_t displacement;
	bool segment; /* relative to fs or gs: the address cannot be computed */
};

/* A move of a register or constant to memory at base + displacement. */
struct insn_store {
	uint8_t size; /* bytes; 0: not a store */
	int8_t base;  /* DWARF number */
	int32_t displacement;
};

/* 64-bit arithmetic that computes addresses of jump tables. */
enum insn_arithmetic {
	INSN_OTHER,
	INSN_SCALE,   /* to = from * number */
	INSN_ADDRESS, /* to = number, a PC-relative address */
	INSN_ADD,     /* to += from */
	INSN_COPY,    /* to = from + number */
};

/* The operand in memory that an instruction uses; 0 bytes: none, or an address
 * only. */
struct insn_memory {
	uint8_t size;       /* bytes */
	int8_t base, index; /* DWARF numbers; -1: none */
	int32_t displacement;
	bool read, written; /* perhaps; what is only written is written for sure */
};

struct insn {
	uint64_t address;
	uint8_t bytes[INSN_SIZE_MAX];
	uint8_t size;
	enum insn_kind kind;
	uint64_t target; /* absolute, of direct transfers */
	/* INSN_JUMP_IF: the low four bits of the opcode (0 overflow … 15 greater) */
	uint8_t condition;
	enum insn_loop loop;         /* INSN_LOOP */
	bool short_count;            /* INSN_LOOP: counts in ecx, not rcx */
	uint16_t return_pop;         /* INSN_RETURN: bytes of arguments that it pops */
	uint8_t rip_offset;          /* offset in `bytes` of a RIP-relative 32-bit
                          displacement; 0: none */
	struct insn_operand operand; /* of INSN_CALL_INDIRECT, INSN_JUMP_INDIRECT and table reads */
	/*
   * A load or jump through base + index, as from a jump table: the size of an
   * entry (4 or 8; 0: none), the register loaded (-1: none), and where the
   * table is, if the instruction alone says so (0: unknown). Entries of 4 bytes
   * must be sign-extended, by the load or by a following cltq.
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
	struct insn_memory memory;
	int8_t loads;    /* the register that a move of 8 bytes from `memory` fills; -1:
                   none */
	uint64_t values; /* bit N: register N is read, other than for the address of
                      `memory` */
	/*
   * Bit N: it may write register N or a part of it (DWARF numbers: 0–15
   * general, 17–32 xmm); all bits if not known, as for calls.
   */
	uint64_t writes;
};

struct insn_decoder;

/* ERR_UNSUPPORTED: capstone cannot be initialised. */
bool insn_decoder_create(struct insn_decoder **ret, struct err *err);
void insn_decoder_destroy(struct insn_decoder *decoder); /* NULL is fine */

/* Decode the instruction at @address from up to @n bytes. False: not a valid
 * one. */
bool insn_decode(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		 struct insn *ret);

/* Is it a string instruction with a repeat prefix, which can be interrupted in
 * between? */
bool insn_repeats(const struct insn *insn);

/* Does a loop instruction jump with *@count in rcx and these RFLAGS? Updates
 * *@count. */
bool insn_loop_jumps(const struct insn *insn, uint64_t *count, uint64_t flags);

/* Does condition 0–15 hold with these RFLAGS? */
bool insn_condition_holds(uint8_t condition, uint64_t flags);
