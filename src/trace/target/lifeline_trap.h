/*
 * A handler of SIGTRAP, SIGSEGV and SIGBUS for when the tracer is dead. A thread that runs into an
 * int3 of ours then, or whose stop for one the tracer had not seen yet, gets SIGTRAP; one whose pad
 * follows a pointer that leads nowhere gets one of the others; and its program would end.
 *
 * The handler is in the lifeline's page, and needs nobody. Behind an int3 in a pad it goes on, as
 * behind a load that faults; in a system call that the tracer had it make, it gets its registers
 * back; of a single step nothing is left. Any other of these signals, and each while the tracer
 * lives, has the effect that it has without us.
 * Nothing of the inferior is read or written but the frame of that signal.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

enum {
	LIFELINE_TRAP_PADS = 128,
	LIFELINE_TRAP_REGISTERS = 18,
	LIFELINE_TRAP_CODE = 512,
	LIFELINE_TRAP_ALIGNMENT = 16
};

/* As rt_sigaction(2) takes it from x86-64. */
struct lifeline_trap_action {
	uint64_t handler, flags, restorer, mask;
};

/* Before the code of each pad, one behind the other: its loads that may fault. */
struct lifeline_trap_pad {
	uint32_t size; /* in all, a multiple of LIFELINE_TRAP_ALIGNMENT; 0: no more pads */
	uint32_t n_faults;
	struct {
		uint32_t at, resume; /* offsets in this */
	} faults[];
};

/* The beginning of a lifeline's page, which the inferior may read and execute. */
struct lifeline_trap {
	union {
		pthread_mutex_t mutex;
		_Atomic int32_t word; /* what pads look at */
		uint8_t reserved[56];
	};
	int32_t alive; /* the word's value while the tracer lives */
	/* The one thread that has another signal mask, for a moment, or other registers. */
	_Atomic uint64_t is_masked, call_end; /* 0: none; the address behind the call's int3 */
	uint64_t mask, call[LIFELINE_TRAP_REGISTERS]; /* as in a signal's frame: its own */
	struct {
		uint64_t low, size;
	} pads[LIFELINE_TRAP_PADS]; /* where pads are; unused ones have no size */
	struct lifeline_trap_action action, by_default; /* to set and to restore */
	uint8_t code[LIFELINE_TRAP_CODE];
};

/* Of a page that is all 0 but for the mutex, and is at @address in the inferior. */
void lifeline_trap_init(struct lifeline_trap *page, uint64_t address);

/* Are the LIFELINE_TRAP_CODE bytes at @code the handler's? Async-signal-safe. */
bool lifeline_trap_is_code(const uint8_t *code);

/* Its own registers, before they are changed; NULL: they are restored. See call_end. */
void lifeline_trap_note_call(struct lifeline_trap *page, const struct user_regs_struct *own,
			     uint64_t end);
/* The same of its signal mask. */
void lifeline_trap_note_mask(struct lifeline_trap *page, const uint64_t *own);
