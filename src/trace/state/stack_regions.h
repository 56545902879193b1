/*
 * Stacks are told apart by the region of memory that they lie in. Private to trace/ and its tests.
 */
#pragma once

#include "engine.h"

/*
 * What tells the stack at @address from others; 0: it is not known. The second one does not ask
 * again where everything is.
 */
uint64_t stack_regions_identity(const struct tracee *tracee, uint64_t address);
uint64_t stack_regions_known(const struct inferior *inferior, uint64_t address);

/* The return address of the frame at @cfa; 0: it cannot be read. */
uint64_t stack_regions_return_address(const struct tracee *tracee, uint64_t cfa);
