/*
 * Single steps of a tracee of the live target, and runs until a signal.
 *
 * Signals are blocked, except those that an instruction itself can raise: the kernel would reset
 * the action of a blocked one. The stop's siginfo is put back, so that the tracee is stopped for
 * what it was stopped for, even if the instruction raised a signal.
 */
#include "ptrace_target.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "lifeline.h"
#include "trace/kernel/syscall_restart.h"

enum { TRAP_FLAG = 0x100 };

static bool has_prefix(const uint8_t bytes[2], uint8_t first, uint8_t second)
{
	return bytes[0] == first && bytes[1] == second;
}

/* The instruction at the PC; bytes that cannot be read are 0. */
static void step_look(struct ptrace_target *live, pid_t tid, uint64_t pc, uint8_t ret[2])
{
	struct memory_read reads[] = {{.address = pc, .to = ret, .size = 1},
				      {.address = pc + 1, .to = ret + 1, .size = 1}};

	ret[0] = ret[1] = 0;
	ptrace_memory_read(live, tid, reads, 2);
}

/* Those that pads make. */
static bool returns_at_once(const struct user_regs_struct *registers)
{
	return registers->rax == SYS_getrusage || registers->rax == SYS_clock_gettime;
}

/* A system call that is begun, may last, or that the kernel would begin again. */
static bool is_system_call(const uint8_t bytes[2], const struct user_regs_struct *registers)
{
	return (has_prefix(bytes, 0x0f, 0x05) && !returns_at_once(registers)) ||
	       has_prefix(bytes, 0x0f, 0x34) || has_prefix(bytes, 0xcd, 0x80) ||
	       syscall_restart_goes_on(registers) || syscall_restart_is(registers);
}

/* A pushf pushes the trap flag that only the step set. */
static void mend_pushed_flags(struct ptrace_target *live, pid_t tid, const uint8_t bytes[2])
{
	struct user_regs_struct registers;
	uint16_t flags;
	struct memory_read read = {.to = &flags, .size = sizeof(flags)};

	if ((bytes[0] != 0x9c && !has_prefix(bytes, 0x66, 0x9c)) ||
	    !register_cache_get(&live->registers, tid, &registers))
		return;
	read.address = registers.rsp;
	ptrace_memory_read(live, tid, &read, 1);
	flags &= ~TRAP_FLAG;
	if (read.ok)
		ptrace_memory_write(live, tid, read.address, &flags, sizeof(flags));
}

/* By the instruction itself, not sent by anybody. */
static bool is_raised(const siginfo_t *info)
{
	return info->si_code > 0;
}

/*
 * Interrupts that arrive meanwhile are taken note of, and made again. False: it ended, and that is
 * queued.
 */
static bool step_until_raised(struct ptrace_target *live, pid_t tid, enum __ptrace_request how,
			      int *ret_signal)
{
	bool again = false;
	long pass = 0;
	siginfo_t info;
	struct stop stop;

	do {
		register_cache_forget(&live->registers);
		if (ptrace(how, tid, NULL, pass) != 0 || !ptrace_wait_for_one(live, tid, &stop))
			return false;
		if (stop.kind == STOP_EXITED || stop.kind == STOP_KILLED) {
			ptrace_fetch_keep_stop(live, &stop);
			return false;
		}
		again |= stop.kind == STOP_GROUP || stop.kind == STOP_EVENT;
		pass = 0;
		if (stop.kind != STOP_SIGNAL)
			continue;
		if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
			return false;
		if (!is_raised(&info))
			pass = ptrace_wait_hold_signal(live, &stop);
	} while (stop.kind != STOP_SIGNAL || !is_raised(&info));
	*ret_signal = stop.number == SIGTRAP && info.si_code != SI_KERNEL ? 0 : stop.number;
	if (again)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

static uint64_t all_but_raised(void)
{
	static const int raised[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	uint64_t mask = ~UINT64_C(0);

	for (size_t i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		mask &= ~(UINT64_C(1) << (raised[i] - 1));
	return mask;
}

static bool step_blocked(struct ptrace_target *live, pid_t tid, enum __ptrace_request how,
			 int *ret_signal)
{
	const uint64_t mask = all_but_raised();
	uint64_t own;
	bool done;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(own), &own) != 0)
		return false;
	recovery_set_mask(live->guard, tid, own);
	lifeline_note_mask(&own);
	done = ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask) == 0 &&
	       step_until_raised(live, tid, how, ret_signal);
	done = ptrace(PTRACE_SETSIGMASK, tid, sizeof(own), &own) == 0 && done;
	lifeline_note_mask(NULL);
	return done;
}

/* As it was stopped before. */
static bool step_keep_stop(struct ptrace_target *live, pid_t tid, enum __ptrace_request how,
			   int *ret_signal)
{
	siginfo_t info;
	bool group, done;

	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
		return false;
	group = info.si_code >> 8 == PTRACE_EVENT_STOP && info.si_signo != SIGTRAP;
	done = step_blocked(live, tid, how, ret_signal);
	/* This stop is no group-stop any more: who listened there would miss the end of that. */
	if (done && !group)
		ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
	recovery_set_call(live->guard, tid, NULL);
	if (group)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return done;
}

bool ptrace_step(void *self, pid_t tid, int *ret_signal)
{
	struct ptrace_target *live = self;
	struct user_regs_struct registers;
	uint8_t bytes[2];

	*ret_signal = 0;
	if (!register_cache_get(&live->registers, tid, &registers))
		return false;
	step_look(live, tid, registers.rip, bytes);
	if (is_system_call(bytes, &registers) ||
	    !step_keep_stop(live, tid, PTRACE_SINGLESTEP, ret_signal))
		return false;
	if (!*ret_signal)
		mend_pushed_flags(live, tid, bytes);
	return true;
}

bool ptrace_step_run(void *self, pid_t tid, int *ret_signal)
{
	*ret_signal = 0;
	return step_keep_stop(self, tid, PTRACE_CONT, ret_signal);
}
