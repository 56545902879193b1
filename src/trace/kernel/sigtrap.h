/*
 * SIGTRAP of a tracee, which the program may use itself.
 *
 * At an int3 while SIGTRAP is blocked or ignored, the kernel unblocks it and resets its action:
 * force_sig_info_to_task() in Linux's kernel/signal.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sigtrap_action { TRAP_DEFAULT, TRAP_IGNORED, TRAP_CAUGHT };

/*
 * Was SIGTRAP blocked, too, before an int3 that left the signals of @mask blocked? (Signal N is bit
 * N - 1.) A guess: masks that block the other signals of faulty instructions are usually made from
 * the full set. A pure function.
 */
bool sigtrap_was_blocked(uint64_t mask);

/* Have @tid, which hit an int3, block SIGTRAP again if it did before. */
void sigtrap_block(pid_t tid);

/* The same of a thread whose instruction has raised @signal: SIGSEGV or SIGBUS. */
void sigtrap_block_fault(pid_t tid, int signal);

/*
 * Would a fault of @tid change the action of its process, besides those in @ours? Its mask can be
 * put back.
 */
bool sigtrap_holds_faults(pid_t tid, uint64_t ours);

/*
 * Does the stopped @tid have the SIGTRAP of a breakpoint pending? An interrupt is reported before
 * the signal that the kernel has queued. Async-signal-safe.
 */
bool sigtrap_is_owed(pid_t tid);

/* The process's current action for @signal. */
enum sigtrap_action sigtrap_action(pid_t tid, int signal);
