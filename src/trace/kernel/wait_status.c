/* Decoding wait statuses of seized tracees (ptrace(2), "Stopped states"). */
#include "wait_status.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* PTRACE_EVENT_STOP is a group stop for these signals. */
static enum stop_kind event_stop_kind(int signal)
{
	switch (signal) {
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return STOP_GROUP;
	default:
		return STOP_EVENT;
	}
}

static enum stop_kind event_kind(int event, int signal)
{
	switch (event) {
	case 0:
		return STOP_SIGNAL;
	case PTRACE_EVENT_CLONE:
		return STOP_CLONE;
	case PTRACE_EVENT_FORK:
		return STOP_FORK;
	case PTRACE_EVENT_VFORK:
		return STOP_VFORK;
	case PTRACE_EVENT_EXEC:
		return STOP_EXEC;
	case PTRACE_EVENT_EXIT:
		return STOP_EXITING;
	case PTRACE_EVENT_STOP:
		return event_stop_kind(signal);
	default:
		return STOP_EVENT;
	}
}

struct stop wait_status_decode(pid_t tid, int status)
{
	struct stop stop = {.tid = tid};

	if (WIFEXITED(status)) {
		stop.kind = STOP_EXITED;
		stop.number = WEXITSTATUS(status);
	} else if (WIFSIGNALED(status)) {
		stop.kind = STOP_KILLED;
		stop.number = WTERMSIG(status);
	} else {
		stop.number = WSTOPSIG(status);
		stop.kind = event_kind(status >> 16, stop.number);
	}
	return stop;
}

long wait_status_options(bool launched)
{
	return PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
	       (launched ? PTRACE_O_EXITKILL : 0);
}

long wait_status_exits(void)
{
	return PTRACE_O_TRACEEXIT;
}
