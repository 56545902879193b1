/*
 * Read plans: a feature's location, compiled once into typed steps, so that the hot path never
 * looks at DWARF.
 *
 * A plan is a program for a small stack of 64-bit words. It starts with an empty stack and leaves
 * one word, which @result and @size turn into a number. Registers have their DWARF numbers (System
 * V x86-64 psABI, figure 3.36).
 *
 * Text form, steps then result, as printed by read_plan_print(): `reg 5; nonnull; add 16; load 8;
 * signed 8`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/arena.h"

enum plan_op {
	/*
	 * push register @arg: 0–15 general, 16 the PC, 17–32 low halves of xmm0–15, 58 fs.base;
	 * 33–57 are 0–24 as they were when the function was called
	 */
	PLAN_REG,
	PLAN_CONST, /* push @arg */
	/* push the run-time address of the link-time address @arg in the function's module */
	PLAN_ADDRESS,
	PLAN_ADD,     /* top += @arg */
	PLAN_LOAD,    /* pop an address, push the @arg (1, 2, 4, 8) bytes there, zero-extended */
	PLAN_NONNULL, /* the value is ABSENT_NULL if the top is 0 */
	PLAN_STRLEN,  /* pop an address, push the length of the C string there */
	PLAN_STRNLEN, /* the same in an array of @arg bytes; no end in it: ABSENT_TOO_LONG */
	/* pop an address, push the sum of the array there; @arg is read_plan_pack_array()'s */
	PLAN_SUM,
	/* pop b; the value is ABSENT_UNREADABLE if the top is greater than b, unsigned */
	PLAN_BOUND,
	PLAN_REQUIRE, /* pop; if it was 0, the value is absent for the reason @arg (enum absence) */
	/* pop the high, pop the low half of an integer, signed if @arg; push it as a double */
	PLAN_INT128,
	/* pop sign and exponent, pop the significand of an 80-bit float; push it as a double */
	PLAN_X87,
	PLAN_CLASS, /* pop a vtable pointer, push the number of the class; ABSENT_UNKNOWN_CLASS */
	PLAN_CAST,  /* pop a vtable pointer, push the offset of cast @arg; ABSENT_OTHER_CLASS */
	/*
	 * pop the second (of more than 16: the last) and first 8 bytes and the length of a text;
	 * push its number in the pool
	 */
	PLAN_TEXT,
	PLAN_SEXT, /* sign-extend the top from @arg bytes (1, 2, 4) */
	PLAN_DUP,  /* push the top again */
	PLAN_DROP, /* pop */
	PLAN_SWAP, /* exchange the top two */
	PLAN_PICK, /* push the word @arg below the top (0 is the top) */
	/* Binary: pop b, pop a, push (a op b). Shifts by 64 or more give 0 (or the sign). */
	PLAN_PLUS,
	PLAN_MINUS,
	PLAN_MUL,
	PLAN_DIV, /* signed; a divisor of 0 makes the value ABSENT_UNSUPPORTED */
	PLAN_AND,
	PLAN_OR,
	PLAN_XOR,
	PLAN_SHL,
	PLAN_SHR,
	PLAN_SHRA,
	PLAN_MOD,     /* unsigned; a divisor of 0 makes the value ABSENT_UNSUPPORTED */
	PLAN_EQUAL,   /* comparisons give 1 or 0 */
	PLAN_LESS,    /* signed */
	PLAN_BELOW,   /* unsigned */
	PLAN_NEG,     /* top = -top */
	PLAN_NOT,     /* top = ~top */
	PLAN_ROT,     /* rotate the top three: a b c becomes c a b */
	PLAN_CONVERT, /* convert the top between formats; @arg is plan_convert_pack()'s */
	PLAN_DOUBLE,  /* pop b, pop a, push (a op b), doubles; @arg is '+', '-', '*' or '/' */
	PLAN_OP_COUNT,
};

enum plan_result {
	PLAN_SIGNED,   /* the low @size bytes (1, 2, 4, 8), sign-extended */
	PLAN_UNSIGNED, /* the low @size bytes */
	PLAN_FLOAT,    /* the low @size bytes (4, 8) as an IEEE 754 number */
	PLAN_BOOL,     /* 0 or 1: are the low @size bytes not all zero? */
	PLAN_RESULT_COUNT,
};

enum {
	PLAN_STACK = 8,      /* words */
	PLAN_STEPS_MAX = 64, /* longer plans are refused */
	PLAN_REGISTERS = 64,
	PLAN_XMM0 = 17,
	PLAN_ENTRY = 33, /* and PLAN_ENTRY + N, register N at the call; N below PLAN_PASSED_IN */
	PLAN_PASSED_IN = 25,
	PLAN_ASKED = 58, /* and behind it: parameters that are in no register, only callers know */
	PLAN_FS_BASE = 63,
	PLAN_STRING_MAX = 1 << 20, /* bytes looked at for the end of a string */
	PLAN_ARRAY_MAX = 1 << 16,  /* bytes of an array that is summed */
};

/* What PLAN_SUM sums: integers as int64_t, floats as double. */
struct plan_array {
	uint32_t n;               /* elements, at least 1; n * size is at most PLAN_ARRAY_MAX */
	unsigned size;            /* of an element: 1, 2, 4 or 8 bytes; floats: 4 or 8 */
	enum plan_result element; /* PLAN_SIGNED, PLAN_UNSIGNED, PLAN_FLOAT or PLAN_BOOL */
};
int64_t read_plan_pack_array(const struct plan_array *array);
struct plan_array read_plan_unpack_array(int64_t arg);

/* Formats of numbers in a word: integers extended to 64 bits, 4-byte floats in the low half. */
enum plan_format {
	PLAN_FORMAT_SIGNED,
	PLAN_FORMAT_UNSIGNED,
	PLAN_FORMAT_FLOAT,
	PLAN_FORMAT_DOUBLE,
	PLAN_FORMAT_COUNT,
};

/*
 * Converting a float that is not finite to an integer gives ABSENT_NOT_FINITE, one beyond 64 bits
 * ABSENT_UNSUPPORTED.
 */
static inline int64_t plan_convert_pack(enum plan_format from, enum plan_format to)
{
	return from * PLAN_FORMAT_COUNT + to;
}

struct plan_step {
	enum plan_op op;
	int64_t arg;
};

struct read_plan {
	const struct plan_step *steps;
	unsigned n_steps; /* 0: no plan */
	enum plan_result result;
	unsigned size;
};

/*
 * Does every step have its operands and a valid @arg, and is one word left? ERR_FORMAT: what is
 * wrong.
 */
bool read_plan_verify(const struct read_plan *plan, struct err *err);

/* Words on the stack behind the first @n_steps of a verified plan. */
unsigned read_plan_depth(const struct read_plan *plan, unsigned n_steps);

/* Does the plan read an xmm register? (That costs another system call.) */
bool read_plan_uses_xmm(const struct read_plan *plan);

void read_plan_print(const struct read_plan *plan, FILE *out);

/* Parse the text form into a verified plan with steps in @arena. ERR_FORMAT: what is wrong. */
bool read_plan_parse(const char *text, struct arena *arena, struct read_plan *ret, struct err *err);
