/* Keeping a tracee's SIGTRAP as the program set it, as far as possible. */
#include "sigtrap.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "proc_file.h"

static uint64_t trap_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

bool sigtrap_was_blocked(uint64_t mask)
{
	const uint64_t faults =
		trap_bit(SIGILL) | trap_bit(SIGFPE) | trap_bit(SIGBUS) | trap_bit(SIGSEGV);
	const uint64_t real_time = UINT64_MAX << (34 - 1); /* without those of the C library */
	const uint64_t others = faults | real_time;

	return (mask & others) == others && !(mask & trap_bit(SIGTRAP));
}

void sigtrap_block(pid_t tid)
{
	uint64_t mask;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0 || !sigtrap_was_blocked(mask))
		return;
	mask |= trap_bit(SIGTRAP);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
}

void sigtrap_block_fault(pid_t tid, int signal)
{
	const uint64_t bit = trap_bit(signal);
	uint64_t mask;

	/* Besides this one, it blocks what is blocked in masks that are made from the full set. */
	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0 || mask & bit ||
	    !sigtrap_was_blocked((mask | bit) & ~trap_bit(SIGTRAP)))
		return;
	mask |= bit;
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
}

bool sigtrap_holds_faults(pid_t tid, uint64_t ours)
{
	static const char *const names[] = {"SigBlk:", "SigIgn:", "SigCgt:"};
	uint64_t masks[3], lost;

	proc_status_masks(tid, names, 3, masks);
	lost = (masks[0] & masks[2] & ~ours) | masks[1];
	return lost & (trap_bit(SIGSEGV) | trap_bit(SIGBUS));
}

bool sigtrap_is_owed(pid_t tid)
{
	enum { AT_ONCE = 8 };
	struct __ptrace_peeksiginfo_args args = {.nr = AT_ONCE};
	siginfo_t infos[AT_ONCE];
	long n, i;

	while ((n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, infos)) > 0) {
		for (i = 0; i < n; i++)
			if (infos[i].si_signo == SIGTRAP &&
			    (infos[i].si_code == SI_KERNEL || infos[i].si_code == TRAP_HWBKPT))
				return true;
		args.off += n;
	}
	return false;
}

enum sigtrap_action sigtrap_action(pid_t tid, int signal)
{
	if (proc_status_mask(tid, "SigCgt:") & trap_bit(signal))
		return TRAP_CAUGHT;
	return proc_status_mask(tid, "SigIgn:") & trap_bit(signal) ? TRAP_IGNORED : TRAP_DEFAULT;
}
