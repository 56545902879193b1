/* Stacks are told apart by the memory region they lie in. */
#pragma once

#include "engine.h"

/* Identity of the stack at @address; 0: unknown. _known() never rereads the mappings. */
uint64_t stack_regions_identity(const struct tracee *tracee, uint64_t address);
uint64_t stack_regions_known(const struct inferior *inferior, uint64_t address);

/*
 * The own stack of @tracee, whose registers are @registers: from *@ret_low on; its size in bytes,
 * 0: unknown.
 */
uint64_t stack_regions_own(const struct tracee *tracee, const struct user_regs_struct *registers,
			   uint64_t *ret_low);

/* The return address of the frame at @cfa, a block's perhaps; 0: unreadable. */
uint64_t stack_regions_return_address(const struct tracee *tracee, uint64_t cfa);
