/*
 * The processor's debug registers of a tracee: breakpoints that leave its code as it is.
 *
 * The kernel keeps them for each thread. What a thread starts, by clone(2) or fork(2), has none;
 * exec clears them; the end of tracing does not. A hit is a SIGTRAP of TRAP_HWBKPT before the
 * instruction, which the kernel lets pass at the resume (RF in the flags).
 * Source: Intel's manual, volume 3, chapter 18 (debug registers); ptrace(2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { DEBUG_REGISTERS = 4 };

struct debug_registers {
	uint64_t addresses[DEBUG_REGISTERS]; /* run-time; 0: not used */
};

/* Set those of the stopped @tid. False: it is gone, or somebody else uses them. */
bool debug_registers_set(pid_t tid, const struct debug_registers *wanted);
