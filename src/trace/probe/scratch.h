/* Scratch pages: memory in the inferior, near its code, for the slots of displaced instructions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/target/recovery.h"
#include "trace/target/target.h"

struct scratch;

enum { SCRATCH_AREA_SIZE = GUARD_AREA_SIZE };

/* @code: a run-time address of unneeded code, for remote system calls. */
struct scratch *scratch_create(const struct target *target, uint64_t code);
void scratch_destroy(struct scratch *scratch); /* NULL is fine; unmaps nothing */

/* For a child with a copy of the memory. */
struct scratch *scratch_copy(const struct scratch *scratch);

/*
 * Have the stopped @tid unmap everything. No tracee may be in it. If seccomp forbids that, and we
 * may not overrule it, the memory stays.
 */
void scratch_unmap(struct scratch *scratch, pid_t tid);

/*
 * Reserve a slot of SLOT_SIZE bytes within reach of a 32-bit displacement from @near, mapping
 * memory if needed and still allowed. @tid is a stopped tracee. ERR_TARGET: no memory there.
 */
bool scratch_reserve(struct scratch *scratch, pid_t tid, uint64_t near, uint64_t *ret,
		     struct err *err);

/* Can more memory be mapped, so that slots are not scarce? */
bool scratch_grows(const struct scratch *scratch);

/* Free the slot: no tracee is in it, or will jump there. */
void scratch_release(struct scratch *scratch, uint64_t slot);

/*
 * Map what breakpoints may want later, near all code, and nothing from now on: a running program
 * may have forbidden itself the system call.
 */
void scratch_complete(struct scratch *scratch, pid_t tid);

/*
 * New code was mapped: allow mapping again, unless @tid has changed its seccomp filters since the
 * start.
 */
void scratch_reopen(struct scratch *scratch, pid_t tid);

/* Is @pc in a scratch page? @ret_slot: the start of its slot. */
bool scratch_contains(const struct scratch *scratch, uint64_t pc, uint64_t *ret_slot);
