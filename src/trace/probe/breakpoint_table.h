/* What a table of breakpoints is: for breakpoint.c and breakpoint_copy.c alone. */
#pragma once

#include "breakpoint.h"
#include "scratch.h"
#include "semaphores.h"

enum { INT3 = 0xcc };

struct breakpoint_table {
	const struct target *target;
	struct insn_decoder *decoder;
	pid_t pid;
	struct scratch *scratch;
	struct breakpoint *by_address;
	struct recovery *guard;
	struct semaphores semaphores;
	uint64_t code;
	bool in_registers; /* breakpoints are in these, not in the code */
	struct debug_registers registers;
	void (*unsee_jumps)(const void *self, uint64_t address, uint8_t *bytes, size_t n);
	const void *jumps;
};

/* Have the guard know it. False: it has no room. */
bool breakpoint_note(struct breakpoint_table *table, struct breakpoint *breakpoint,
		     struct err *err);

/* Restore the byte if our int3 is there. False: unreadable or unwritable. */
bool breakpoint_restore(struct breakpoint_table *table, pid_t tid,
			const struct breakpoint *breakpoint);
