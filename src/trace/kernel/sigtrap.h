/*
 * SIGTRAP of a tracee, which is the program's own signal too.
 *
 * For an int3 that is met while SIGTRAP is blocked or ignored, the kernel unblocks the signal and
 * resets what the program does about it: force_sig_info_to_task() in Linux's kernel/signal.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sigtrap_action { TRAP_DEFAULT, TRAP_IGNORED, TRAP_CAUGHT };

/*
 * Was SIGTRAP blocked, too, before an int3 was met that left these signals blocked? (Signal N is
 * bit N - 1.) Masks that block the other signals of faulty instructions are made from that of all
 * signals. A pure function.
 */
bool sigtrap_was_blocked(uint64_t mask);

/* @tid, which has met an int3, blocks SIGTRAP again if it did before. */
void sigtrap_block(pid_t tid);

/*
 * Has the stopped @tid met an int3 that it has not been told of yet? An interrupt comes before the
 * signal that the kernel has queued for it. May be called in a signal handler.
 */
bool sigtrap_is_owed(pid_t tid);

/* What the process does about SIGTRAP at the moment. */
enum sigtrap_action sigtrap_action(pid_t tid);
