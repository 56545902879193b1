/*
 * What perf_event_open(2) notes of a thread in a sample: its registers and the top of its stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USER_STACK_REGISTERS = 17 };

/* attr.sample_regs_user: rax to rip, and r8 to r15, of enum perf_event_x86_regs. */
#define USER_STACK_MASK UINT64_C(0xff01ff)

struct user_stack {
	uint64_t registers[USER_STACK_REGISTERS]; /* by DWARF number; the last is the PC */
	const void *bytes;                        /* from the stack pointer on; in the record */
	uint64_t size;
};

/*
 * The part of a record that PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER make, of @size bytes
 * at @record. False: it has no registers, as of a thread of the kernel, or is cut.
 */
bool user_stack_parse(const char *record, size_t size, struct user_stack *ret);
