/*
 * Signals to programs: sending them, who sent them, and what they will do. What is delivered is the
 * engine's matter.
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

/* A terminal's signals come from the kernel, and so do some others that nobody asks about. */
enum signal_sender ptrace_signal_sender(void *self, pid_t tid)
{
	siginfo_t info;

	(void)self;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
		return SENDER_OTHER;
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

/*
 * Of a thread that was killed in its stop, as by an exec of another, even the int3 that it hit
 * looks like a signal.
 */
bool ptrace_signal_is_fatal(void *self, pid_t tid, int signal)
{
	const uint64_t handled =
		proc_status_mask(tid, "SigCgt:") | proc_status_mask(tid, "SigIgn:");
	siginfo_t info;

	(void)self;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
		return false;
	return ends_by_default(signal) && !(handled >> (signal - 1) & 1);
}
