/*
 * System calls that a stop of ours interrupts: they are made again, so that the program sees
 * nothing.
 *
 * PTRACE_INTERRUPT takes a thread out of the call that it waits in. Most calls are started again by
 * the kernel, with what is left of their timeout. Some fail with EINTR instead (epoll_wait, semop,
 * sigtimedwait, io_getevents, io_uring_enter, transfers by sockets with a timeout), as they do when
 * a process is stopped and continued. Those are made again here; a timeout that they have begins
 * anew.
 *
 * Source: signal(7), "Interruption of system calls and library functions by stop signals".
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * @tid is stopped by PTRACE_INTERRUPT (PTRACE_EVENT_STOP, and no group stop) or by a signal that it
 * ignores, with
 * @registers: will the call that it was in fail with EINTR, and is no other signal the reason? Then
 * change them so that the call is made again when it is resumed; the caller sets them. False:
 * nothing is to be done.
 */
bool syscall_restart_repeat(pid_t tid, struct user_regs_struct *registers);

/*
 * Its parts. By the registers alone: is the call one that may be made again, and does it fail with
 * EINTR?
 */
bool syscall_restart_is(const struct user_regs_struct *registers);
void syscall_restart_undo(struct user_regs_struct *registers);

/*
 * By the registers alone: was it taken out of a call that is made again, now or when we have
 * changed them?
 */
bool syscall_restart_goes_on(const struct user_regs_struct *registers);

/*
 * Is a signal about to be delivered to @tid that would interrupt a call? Those that are blocked or
 * ignored would not, even though they wait while a thread is traced.
 */
bool syscall_restart_by_signal(pid_t tid);

/*
 * Would @tid not have noticed signal @number without a tracer? The kernel wakes a traced thread for
 * signals that are ignored, too, and a call that it was in may fail with EINTR.
 */
bool syscall_restart_is_ignored(pid_t tid, int number);
