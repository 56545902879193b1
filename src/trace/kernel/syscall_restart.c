/* Which calls fail with EINTR when a thread is stopped, and how they are repeated. */
#include "syscall_restart.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "proc_file.h"

enum { SYSCALL_SIZE = 2, USER_64_BIT = 0x33 /* code segment */ };

/*
 * Calls that have had no effect when they fail with EINTR. Not close(), which has closed; nor
 * ioctl(), which may do anything.
 */
static bool is_repeatable(uint64_t number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_getrandom:
		return true;
	}
	return false;
}

bool syscall_restart_is(const struct user_regs_struct *registers)
{
	return registers->cs == USER_64_BIT && (int64_t)registers->orig_rax >= 0 &&
	       (int64_t)registers->rax == -EINTR && is_repeatable(registers->orig_rax);
}

/* Source: include/linux/errno.h of the kernel, which only tracers see: ERESTARTSYS and the like. */
static bool is_restarted(int64_t result)
{
	return (result <= -512 && result >= -514) || result == -516;
}

bool syscall_restart_goes_on(const struct user_regs_struct *registers)
{
	return syscall_restart_is(registers) ||
	       ((int64_t)registers->orig_rax >= 0 && is_restarted(registers->rax));
}

static uint64_t signal_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

struct signal_sets {
	uint64_t waiting, blocked, ignored, caught;
};

static struct signal_sets read_sets(pid_t tid)
{
	static const char *const names[] = {"SigPnd:", "ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:"};
	struct signal_sets sets = {0};
	uint64_t *const to[] = {&sets.waiting, &sets.waiting, &sets.blocked, &sets.ignored,
				&sets.caught};
	struct proc_lines status;
	const char *line;
	uint64_t set;

	proc_lines_open(&status, tid, "status");
	while ((line = proc_lines_next(&status)))
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (proc_number(proc_behind(line, names[i]), 16, &set))
				*to[i] |= set;
	proc_lines_close(&status);
	return sets;
}

/* Ignored by the program, or by default. */
static uint64_t all_ignored(const struct signal_sets *sets)
{
	const uint64_t harmless = signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) |
				  signal_bit(SIGWINCH);

	return sets->ignored | (harmless & ~sets->caught);
}

bool syscall_restart_by_signal(pid_t tid)
{
	const struct signal_sets sets = read_sets(tid);

	return sets.waiting & ~sets.blocked & ~all_ignored(&sets);
}

bool syscall_restart_is_ignored(pid_t tid, int number)
{
	const struct signal_sets sets = read_sets(tid);

	return number > 0 && number < NSIG && all_ignored(&sets) & signal_bit(number);
}

void syscall_restart_undo(struct user_regs_struct *registers)
{
	registers->rip -= SYSCALL_SIZE;
	registers->rax = registers->orig_rax;
}

bool syscall_restart_repeat(pid_t tid, struct user_regs_struct *registers)
{
	if (!syscall_restart_is(registers) || syscall_restart_by_signal(tid))
		return false;
	syscall_restart_undo(registers);
	return true;
}
