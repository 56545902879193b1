/*
 * System calls that a stop of ours interrupts: they are repeated, so that the program notices
 * nothing.
 *
 * PTRACE_INTERRUPT takes a thread out of the call that it waits in. The kernel restarts most calls,
 * with the rest of their timeout. Some fail with EINTR instead (epoll_wait, semop, sigtimedwait,
 * io_getevents, io_uring_enter, transfers by sockets with a timeout), as they do when a process is
 * stopped and continued. Those are repeated here; their timeout starts anew.
 *
 * Source: signal(7), "Interruption of system calls and library functions by stop signals".
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * The stopped @tid has @registers, after PTRACE_INTERRUPT (PTRACE_EVENT_STOP, but no group stop) or
 * a signal that it ignores. If only that makes its call fail with EINTR, change @registers so that
 * it is repeated on resume; the caller writes them. False: unchanged.
 */
bool syscall_restart_repeat(pid_t tid, struct user_regs_struct *registers);

/* Its parts. By the registers alone: would a repeatable call fail with EINTR? */
bool syscall_restart_is(const struct user_regs_struct *registers);
void syscall_restart_undo(struct user_regs_struct *registers);

/* By the registers alone: was it in a call that is restarted, by the kernel or by us? */
bool syscall_restart_goes_on(const struct user_regs_struct *registers);

/*
 * Is a signal about to be delivered to @tid that would interrupt a call? Blocked or ignored ones
 * would not, though they are pending while a thread is traced.
 */
bool syscall_restart_by_signal(pid_t tid);

/*
 * Would @tid, untraced, not notice signal @number? The kernel wakes a traced thread for ignored
 * signals too, and its call may fail with EINTR.
 */
bool syscall_restart_is_ignored(pid_t tid, int number);
