/* System calls injected into a tracee of the live target. */
#include "ptrace_target.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lifeline.h"
#include "trace/kernel/proc.h"

#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP \
	(1 << 21) /* as in <linux/ptrace.h>, which does not go with <sys/ptrace.h> */
#endif

/*
 * Run the tracee until its int3. Only unblockable signals can intervene. A group stop is reported
 * again when the tracee goes on.
 */
static bool run_to_trap(struct ptrace_target *live, pid_t tid)
{
	bool again = false;
	long signal = 0;

	for (;;) {
		struct stop stop;

		register_cache_forget(&live->registers);
		if (ptrace(PTRACE_CONT, tid, NULL, signal) != 0 ||
		    !ptrace_wait_for_one(live, tid, &stop))
			return false;
		if (stop.kind == STOP_EXITED || stop.kind == STOP_KILLED) {
			ptrace_fetch_keep_stop(live, &stop);
			return false;
		}
		if (ptrace_wait_is_breakpoint(&stop))
			break;
		signal = ptrace_wait_hold_signal(live, &stop);
		again |= stop.kind == STOP_GROUP;
	}
	if (again)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

enum { INT3_END = 3 /* bytes from the beginning of the code */ };

static bool set_mask(pid_t tid, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask) == 0;
}

static void load_call(struct user_regs_struct *registers, const struct remote_call *call)
{
	registers->rip = call->code;
	registers->rax = call->number;
	registers->orig_rax = -1; /* not in a system call that could be restarted */
	registers->rdi = call->arguments[0];
	registers->rsi = call->arguments[1];
	registers->rdx = call->arguments[2];
	registers->r10 = call->arguments[3];
	registers->r8 = call->arguments[4];
	registers->r9 = call->arguments[5];
}

static void note_call(struct ptrace_target *live, pid_t tid, const struct remote_call *call,
		      const struct user_regs_struct *own, const uint8_t *original)
{
	struct recovery_call noted = {.registers = *own, .code = call->code};

	memcpy(noted.bytes, original, sizeof(noted.bytes));
	recovery_set_call(live->guard, tid, &noted);
}

/*
 * The int3 needs SIGTRAP unblocked: else the kernel would reset its action. If the tracer dies
 * meanwhile the tracee comes to the int3, again if need be, and lifeline_trap.h does the rest: so
 * its registers are changed first, and restored last.
 */
static bool remote_make_call(struct ptrace_target *live, pid_t tid, const struct remote_call *call,
			     uint64_t mask, int64_t *ret)
{
	static const uint8_t code[] = {0x0f, 0x05, 0xcc, 0xeb, 0xfd}; /* syscall; int3; jmp -1 */
	const uint64_t all_but_trap = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct user_regs_struct saved, registers;
	uint8_t original[sizeof(code)];
	struct memory_read read = {.address = call->code, .to = original, .size = sizeof(original)};
	bool done;

	ptrace_memory_read(live, tid, &read, 1);
	if (!read.ok || !register_cache_get(&live->registers, tid, &saved))
		return false;
	registers = saved;
	load_call(&registers, call);
	note_call(live, tid, call, &saved, original);
	lifeline_note_call(&saved, call->code + INT3_END);
	lifeline_note_mask(&mask);
	done = ptrace_memory_write(live, tid, call->code, code, sizeof(code)) &&
	       register_cache_set(&live->registers, tid, &registers) &&
	       set_mask(tid, all_but_trap) && run_to_trap(live, tid) &&
	       register_cache_get(&live->registers, tid, &registers);
	*ret = registers.rax;
	done = set_mask(tid, mask) && done;
	done = register_cache_set(&live->registers, tid, &saved) && done;
	done = ptrace_memory_write(live, tid, call->code, original, sizeof(original)) && done;
	lifeline_note_call(NULL, 0);
	lifeline_note_mask(NULL);
	return done;
}

/* A tracee in a group stop must stay stopped afterwards: it is made to report it again. */
static bool is_in_group_stop(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
	       info.si_code >> 8 == PTRACE_EVENT_STOP && info.si_signo != SIGTRAP;
}

/* Memory of ours is recorded before it can exist, until it surely does not. */
static void note_memory(struct ptrace_target *live, pid_t tid, const struct remote_call *call,
			bool before)
{
	pid_t pid = live->guard ? proc_status(tid, "Tgid:") : 0;

	if (call->number == SYS_mmap && before)
		recovery_add_area(live->guard, pid,
				  &(struct recovery_area){.address = call->arguments[0],
							  .size = call->arguments[1],
							  .kind = call->area});
	else
		recovery_remove_area(live->guard, pid, call->arguments[0]);
}

/* The mode of seccomp(2), and the number of filters (Linux 5.9). */
uint64_t ptrace_syscall_forbidden(void *self, pid_t tid)
{
	(void)self;
	return (uint64_t)proc_status(tid, "Seccomp:") << 32 |
	       (uint32_t)proc_status(tid, "Seccomp_filters:");
}

/*
 * A tracee's seccomp filters beyond our own (containers) might kill it. With CAP_SYS_ADMIN the
 * kernel suspends them meanwhile.
 */
static bool permit_calls(const struct ptrace_target *live, pid_t tid, bool permitted)
{
	const long options = ptrace_wait_options(live);

	return ptrace(PTRACE_SETOPTIONS, tid, NULL,
		      options | (permitted ? PTRACE_O_SUSPEND_SECCOMP : 0)) == 0;
}

/* The action for SIGTRAP, set first, is recorded likewise; who wants no old one restores it. */
static void note_action(struct ptrace_target *live, pid_t tid, const struct remote_call *call,
			bool before)
{
	const bool sets = call->arguments[1] && call->arguments[2];
	const bool restores = call->arguments[1] && !call->arguments[2];
	const pid_t pid = live->guard ? proc_status(tid, "Tgid:") : 0;

	if (call->arguments[0] == SIGTRAP && (before ? sets : restores))
		recovery_set_action(live->guard, pid, before ? call->arguments[1] : 0,
				    call->arguments[2]);
}

static bool call_unblocked(struct ptrace_target *live, pid_t tid, const struct remote_call *call,
			   int64_t *ret)
{
	bool group = is_in_group_stop(tid);
	siginfo_t info;
	uint64_t mask;
	bool done;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0 ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
		return false;
	recovery_set_mask(live->guard, tid, mask);
	if (call->number == SYS_mmap)
		note_memory(live, tid, call, true);
	else if (call->number == SYS_rt_sigaction)
		note_action(live, tid, call, true);
	done = remote_make_call(live, tid, call, mask, ret);
	if (done && call->number == SYS_rt_sigaction)
		note_action(live, tid, call, false);
	else if (done && (call->number == SYS_munmap || *ret != (int64_t)call->arguments[0]))
		note_memory(live, tid, call, false);
	/* A signal to be delivered keeps what it says; a group-stop is none any more. */
	if (group)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	else
		ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
	recovery_set_call(live->guard, tid, NULL);
	return done;
}

bool ptrace_syscall(void *self, pid_t tid, const struct remote_call *call, int64_t *ret)
{
	struct ptrace_target *live = self;
	bool sealed =
		ptrace_syscall_forbidden(self, tid) != ptrace_syscall_forbidden(self, gettid());
	bool done;

	if (sealed && !permit_calls(self, tid, true))
		return false;
	counters_suspend(live->counters, tid);
	done = call_unblocked(self, tid, call, ret);
	counters_continue(live->counters, tid);
	if (sealed)
		permit_calls(self, tid, false);
	return done;
}
