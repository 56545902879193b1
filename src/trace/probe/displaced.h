/*
 * Displaced instructions: getting past a breakpoint that stays in the code.
 *
 * The instruction under an int3 runs elsewhere. Transfers of control and no-ops are emulated on the
 * registers (returns only without a slot). All others are copied to a slot in the inferior, with
 * RIP-relative operands rewritten and a jump back: the tracee runs through the slot and returns by
 * itself, so that a hit costs one stop.
 *
 * displaced_home() moves a tracee that stops in a slot (by a signal) to where it would be without
 * breakpoints.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "core/catalogue/insn.h"
#include "trace/target/recovery.h"
#include "trace/target/target.h"

enum { SLOT_SIZE = GUARD_SLOT_SIZE }; /* an instruction and a far jump: 15 + 14 bytes */

struct displaced {
	struct insn insn; /* at its original run-time address */
	uint64_t slot;    /* where the copy is; 0: the instruction is emulated */
};

/* Can it run displaced? If not, *@ret_why is a phrase, static. */
bool displaced_possible(const struct insn *insn, const char **ret_why);

/* Can it be emulated, without a slot? */
bool displaced_is_emulated(const struct insn *insn);

/* Is a slot cheaper all the same? For a return, whose stack need not be read then. */
bool displaced_gains_by_slot(const struct insn *insn);

/* Fill @ret with the instruction as it must be at @to. False: as for displaced_compile(). */
bool displaced_copy(const struct insn *insn, uint64_t to, uint8_t ret[INSN_SIZE_MAX]);

/* Fill @ret with the slot's code. False: a RIP-relative operand is out of reach. */
bool displaced_compile(const struct insn *insn, uint64_t slot, uint8_t ret[SLOT_SIZE]);

/*
 * Change @registers of a tracee that hit the breakpoint, so that it goes on as if the instruction
 * were in place. Emulated calls and returns use the tracee's stack. False: memory that it needs is
 * inaccessible (the instruction itself would fault); @registers are unchanged.
 */
bool displaced_step(const struct displaced *displaced, const struct target *target, pid_t tid,
		    struct user_regs_struct *registers);

/*
 * True if @pc is in the slot. @ret: the PC without breakpoints; @ret_again: the instruction has not
 * run, and the breakpoint will be hit again.
 */
bool displaced_home(const struct displaced *displaced, uint64_t pc, uint64_t *ret, bool *ret_again);
