/*
 * Signals to programs: sending them, their sender and effect. The session decides what is
 * delivered.
 */
#include "ptrace_target.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "trace/kernel/proc.h"

bool ptrace_signal_send(void *self, pid_t pid, int signal)
{
	(void)self;
	return kill(pid, signal) == 0;
}

/* A terminal's signals come from the kernel; others from it are never asked about. */
enum signal_sender ptrace_signal_sender(void *self, pid_t tid)
{
	siginfo_t info;

	(void)self;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
		return SENDER_OTHER;
	if (info.si_code > 0 && (info.si_signo == SIGSEGV || info.si_signo == SIGBUS ||
				 info.si_signo == SIGFPE || info.si_signo == SIGILL))
		return SENDER_FAULT;
	if (info.si_code == SI_KERNEL)
		return SENDER_TERMINAL;
	if ((info.si_code == SI_USER || info.si_code == SI_TKILL) && info.si_pid == getpid())
		return SENDER_US;
	return SENDER_OTHER;
}

/* Source: signal(7), "Standard signals". */
static bool ends_by_default(int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	}
	return true;
}

bool ptrace_signal_is_stop(void *self, pid_t tid, int signal)
{
	(void)self;
	if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
		return !(proc_status_mask(tid, "SigCgt:") >> (signal - 1) & 1);
	return signal == SIGSTOP;
}

/*
 * In a thread killed while stopped, as by another's exec, even the SIGTRAP of an int3 looks like a
 * signal; it is gone, or it stopped again on its way to its end.
 */
static bool is_dying(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 ||
	       (info.si_signo == SIGTRAP && info.si_code == (SIGTRAP | PTRACE_EVENT_EXIT << 8));
}

bool ptrace_signal_is_fatal(void *self, pid_t tid, int signal)
{
	const uint64_t handled =
		proc_status_mask(tid, "SigCgt:") | proc_status_mask(tid, "SigIgn:");

	(void)self;
	return ends_by_default(signal) && !(handled >> (signal - 1) & 1) && !is_dying(tid);
}
