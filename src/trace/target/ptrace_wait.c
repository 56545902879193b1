/* Stops of the live target: queued as fetched (ptrace_fetch.c), completed, returned one by one. */
#include "ptrace_target.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"
#include "trace/kernel/syscall_restart.h"

uint64_t ptrace_wait_now_ns(void *self)
{
	(void)self;
	return clock_now_ns();
}

long ptrace_wait_options(const struct ptrace_target *live)
{
	return wait_status_options(live->launched) | (live->tells_exits ? wait_status_exits() : 0);
}

static bool is_trap(const struct stop *stop, int code)
{
	siginfo_t info;

	if (stop->kind != STOP_SIGNAL || stop->number != SIGTRAP)
		return false;
	return ptrace(PTRACE_GETSIGINFO, stop->tid, NULL, &info) == 0 && info.si_code == code;
}

bool ptrace_wait_is_breakpoint(const struct stop *stop)
{
	return is_trap(stop, SI_KERNEL);
}

/*
 * The flags of the clone(2) that @tid is in. ptrace(2) names events by the child's exit signal,
 * which does not say whether it shares the memory.
 */
static bool clone_flags(struct ptrace_target *live, pid_t tid, uint64_t *ret)
{
	struct user_regs_struct registers;
	struct memory_read read = {.to = ret, .size = sizeof(*ret)};

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		return false;
	switch (registers.orig_rax) {
	case SYS_clone:
		*ret = registers.rdi;
		return true;
	case SYS_clone3: /* the first member of its first argument */
		read.address = registers.rdi;
		ptrace_memory_read(live, tid, &read, 1);
		return read.ok;
	default:
		return false;
	}
}

static enum stop_kind birth_kind(struct ptrace_target *live, const struct stop *stop)
{
	uint64_t flags;

	if (!clone_flags(live, stop->tid, &flags))
		return stop->kind;
	if (!(flags & CLONE_VM))
		return STOP_FORK;
	return flags & CLONE_THREAD ? STOP_CLONE : STOP_VFORK;
}

/*
 * An ignored signal wakes only traced threads; their call must not fail for it. SIGCONT comes after
 * a stop, which had woken the thread.
 */
static void call_again(struct ptrace_target *live, struct stop *stop)
{
	const bool counted = counters_is_open(live->counters, stop->tid);
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, stop->tid, NULL, &registers) != 0 ||
	    !(syscall_restart_is(&registers) || (counted && syscall_restart_goes_on(&registers))) ||
	    !syscall_restart_is_ignored(stop->tid, stop->number))
		return;
	stop->sleeps_again = stop->number != SIGCONT && syscall_restart_goes_on(&registers);
	if (!syscall_restart_repeat(stop->tid, &registers))
		return;
	register_cache_forget(&live->registers);
	ptrace(PTRACE_SETREGS, stop->tid, NULL, &registers);
}

static void stop_complete(struct ptrace_target *live, struct stop *stop)
{
	unsigned long message = 0;

	stop->hardware = is_trap(stop, TRAP_HWBKPT);
	if (stop->hardware || ptrace_wait_is_breakpoint(stop))
		stop->kind = STOP_BREAKPOINT;
	switch (stop->kind) {
	case STOP_SIGNAL:
		call_again(live, stop);
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		stop->kind = birth_kind(live, stop);
		ptrace(PTRACE_GETEVENTMSG, stop->tid, NULL, &message);
		stop->child = message;
		ptrace_fetch_add(live, stop->child);
		break;
	case STOP_EXEC:
		ptrace(PTRACE_GETEVENTMSG, stop->tid, NULL, &message);
		stop->child = message;
		break;
	default:
		break;
	}
}

/* The oldest one. */
static struct stop stop_take(struct ptrace_target *live)
{
	const struct stop stop = live->stops[live->first_stop++];

	if (--live->n_stops == 0)
		live->first_stop = 0;
	return stop;
}

int ptrace_wait_hold_signal(struct ptrace_target *live, const struct stop *stop)
{
	if (stop->kind != STOP_SIGNAL)
		return 0;
	if (stop->number == SIGSTOP)
		return SIGSTOP;
	live->held =
		mem_grow(live->held, &live->held_capacity, live->n_held + 1, sizeof(*live->held));
	live->held[live->n_held++] = (struct deferred_signal){stop->tid, stop->number};
	return 0;
}

/* EINTR must not make us leave a tracee in our code. */
bool ptrace_wait_for_one(struct ptrace_target *live, pid_t tid, struct stop *ret)
{
	int status;
	pid_t ended;

	do
		ended = waitpid(tid, &status, __WALL);
	while (ended < 0 && errno == EINTR);
	if (ended != tid)
		return false;
	*ret = wait_status_decode(tid, status);
	ret->when_ns = ptrace_wait_now_ns(live);
	return true;
}

/* At exec a thread takes its process's id, whose first thread ends unreported. */
static void forget_ended(struct ptrace_target *live, const struct stop *stop)
{
	if (stop->kind == STOP_EXITED || stop->kind == STOP_KILLED) {
		tracee_run_time_ended(live->run_clock, stop->tid);
		counters_forget(live->counters, stop->tid);
		ptrace_fetch_remove(live, stop->tid);
	} else if (stop->kind == STOP_EXEC) {
		counters_forget(live->counters, stop->tid);
		counters_forget(live->counters, stop->child);
		if (stop->child != stop->tid)
			ptrace_fetch_remove(live, stop->child);
	}
}

static void find_idle_time(struct ptrace_target *live, struct stop *stop)
{
	bool far;

	if (stop->kind != STOP_BREAKPOINT && stop->kind != STOP_SIGNAL && stop->kind != STOP_EVENT)
		return;
	stop->idle_ns = tracee_run_time_stopped(live->run_clock, stop->tid, stop->when_ns, &far);
	stop->late_ns = tracee_run_time_late(live->run_clock, stop->tid);
	stop->far = far && stop->kind == STOP_BREAKPOINT;
}

enum wait_result ptrace_wait(void *self, uint64_t until_ns, struct stop *ret)
{
	struct ptrace_target *live = self;
	enum wait_result result;

	if (!live->n_stops) {
		result = ptrace_fetch(live, until_ns);
		if (result == WAIT_NOTHING)
			tracee_run_time_update(live->run_clock);
		if (result != WAIT_STOP)
			return result;
	}
	*ret = stop_take(live);
	stop_complete(live, ret);
	find_idle_time(live, ret);
	forget_ended(live, ret);
	if (ret->kind == STOP_EXEC || ret->kind == STOP_EXITED || ret->kind == STOP_KILLED)
		ptrace_memory_forget(self);
	if (ret->kind == STOP_EXEC && ret->tid == live->pid)
		ptrace_memory_open(live);
	return WAIT_STOP;
}
