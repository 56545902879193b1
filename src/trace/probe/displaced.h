/*
 * Displaced instructions: getting past a breakpoint that stays in the code.
 *
 * The instruction under an int3 runs elsewhere. Transfers of control and no-ops are emulated on the
 * registers (returns where there is no slot for them). Everything else is copied to a slot in the
 * inferior, RIP-relative operands rewritten, with a jump back behind it: the tracee goes on in the
 * slot and comes back by itself, so that a hit costs one stop.
 *
 * A slot is `copy of the instruction, jump back`. A tracee that is stopped in a slot (by a signal)
 * is moved to where it would be without breakpoints by displaced_home().
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

/* Can the instruction run displaced at all? If not, @ret_why is a phrase. */
bool displaced_possible(const struct insn *insn, const char **ret_why);

/* Can it be emulated, and needs no slot? */
bool displaced_is_emulated(const struct insn *insn);

/* Does it cost less in a slot all the same? A return does: its stack need not be read. */
bool displaced_gains_by_slot(const struct insn *insn);

/*
 * Fill @ret with the code of the slot at @slot. False: a RIP-relative operand cannot be reached
 * from there.
 */
bool displaced_compile(const struct insn *insn, uint64_t slot, uint8_t ret[SLOT_SIZE]);

/*
 * Change @registers, those of a tracee that hit the breakpoint, so that it goes on as if the
 * instruction were in place. Emulated calls and returns use the tracee's stack. False: memory it
 * needs cannot be used (the instruction itself would fault); @registers are unchanged.
 */
bool displaced_step(const struct displaced *displaced, const struct target *target, pid_t tid,
		    struct user_regs_struct *registers);

/*
 * If @pc is in the slot: true, and @ret is the PC that the tracee would have without breakpoints;
 * @ret_again says that the instruction has not run, and the breakpoint will be hit again.
 */
bool displaced_home(const struct displaced *displaced, uint64_t pc, uint64_t *ret, bool *ret_again);
