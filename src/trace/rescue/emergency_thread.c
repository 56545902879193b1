/* Reading and changing a stopped thread. */
#include "emergency_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/kernel/syscall_restart.h"
#include "trace/kernel/proc_file.h"

/* The file says "-1 SP PC" outside of system calls. */
bool emergency_thread_traced_pc(pid_t tid, uint64_t *ret)
{
	char text[256];

	if (proc_state(tid) != 't' || !proc_read(tid, "syscall", text, sizeof(text)) ||
	    text[0] != '-')
		return false;
	return proc_number(strrchr(text, ' '), 16, ret);
}

/* The breakpoint at @address, or with @in_slot the one whose slot contains it. */
static const struct recovery_breakpoint *thread_search(const struct recovery_table *table,
						       pid_t owner, uint64_t address, bool in_slot)
{
	for (uint32_t i = 1; i < table->n_breakpoints && i < RECOVERY_BREAKPOINTS; i++) {
		const struct recovery_breakpoint *entry = &table->breakpoints[i];

		if ((in_slot ? entry->slot && address - entry->slot < GUARD_SLOT_SIZE
			     : entry->address == address) &&
		    entry->pid == owner && entry->state != RECOVERY_FREE)
			return entry;
	}
	return NULL;
}

const struct recovery_breakpoint *emergency_thread_find(const struct recovery_table *table,
							pid_t owner, uint64_t address)
{
	return thread_search(table, owner, address, false);
}

bool emergency_thread_read(struct emergency_thread *thread)
{
	return ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->registers) == 0;
}

static uint8_t byte_at(pid_t tid, uint64_t address)
{
	uint64_t aligned = address & ~UINT64_C(7);
	long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)aligned, NULL);

	return word >> (address - aligned) * 8;
}

/*
 * The signal owed to a thread stopped by an int3. If that was ours, it may have been handled since,
 * and the thread sent to a slot, with int3s around; one of the program's own is still there.
 */
static int owed_by_int3(struct emergency_thread *thread, const struct recovery_breakpoint *behind)
{
	uint64_t pc = thread->registers.rip;

	if (behind) {
		thread->registers.rip--;
		return 0;
	}
	if (thread_search(thread->table, thread->owner, pc, true))
		return 0;
	return byte_at(thread->tid, pc - 1) == 0xcc ? SIGTRAP : 0;
}

/* The signal that was about to be delivered. */
static int owed(struct emergency_thread *thread, const struct recovery_breakpoint *behind)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0)
		return 0;
	if (info.si_code >> 8 && info.si_code > 0) { /* a stop of ptrace(2) itself */
		if (info.si_code >> 8 == PTRACE_EVENT_STOP && info.si_signo == SIGTRAP &&
		    syscall_restart_is(&thread->registers))
			syscall_restart_undo(&thread->registers);
		return 0;
	}
	if (info.si_signo == SIGTRAP && info.si_code == SI_KERNEL)
		return owed_by_int3(thread, behind);
	return info.si_signo == SIGSTOP && thread->was_stopped_by_us ? 0 : info.si_signo;
}

/*
 * A thread behind the first byte of a longer instruction must have hit its int3. Behind a
 * single-byte one it may just be running on.
 */
static bool met_int3(const struct emergency_thread *thread,
		     const struct recovery_breakpoint *behind)
{
	return behind && (behind->size > 1 || thread->is_behind_int3);
}

static void go_home(struct emergency_thread *thread)
{
	const struct recovery_breakpoint *at =
		thread_search(thread->table, thread->owner, thread->registers.rip, true);

	if (at)
		thread->registers.rip =
			at->address + (thread->registers.rip == at->slot ? 0 : at->size);
}

static bool undo_remote_call(struct emergency_thread *thread)
{
	struct recovery_table *table = thread->table;

	if (table->mask.tid == thread->tid)
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(table->mask.own), &table->mask.own);
	if (table->call.tid != thread->tid)
		return false;
	thread->registers = table->call.registers;
	return true;
}

int emergency_thread_put_right(struct emergency_thread *thread)
{
	const struct recovery_breakpoint *behind =
		emergency_thread_find(thread->table, thread->owner, thread->registers.rip - 1);
	uint64_t pc = thread->registers.rip;
	int signal = 0;

	if (!undo_remote_call(thread)) {
		signal = owed(thread, behind);
		if (thread->registers.rip == pc && met_int3(thread, behind))
			thread->registers.rip--;
		go_home(thread);
	}
	ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
	return signal;
}

static bool write_code(pid_t tid, uint64_t code, const uint8_t *bytes)
{
	int memory;
	bool done;

	if (!proc_open(tid, "mem", O_WRONLY, &memory))
		return false;
	done = pwrite(memory, bytes, RECOVERY_CODE, code) == RECOVERY_CODE;
	close(memory);
	return done;
}

/* Only unblockable signals can intervene. */
static bool thread_run_to_trap(pid_t tid)
{
	siginfo_t info;
	int status;

	do {
		if (ptrace(PTRACE_CONT, tid, NULL, NULL) != 0)
			return false;
		while (waitpid(tid, &status, __WALL) < 0)
			if (errno != EINTR)
				return false;
		if (!WIFSTOPPED(status) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
			return false;
	} while (info.si_signo != SIGTRAP || info.si_code != SI_KERNEL);
	return true;
}

static void load_unmap(struct user_regs_struct *registers, uint64_t code, uint64_t address)
{
	registers->rip = code;
	registers->rax = SYS_munmap;
	registers->orig_rax = -1;
	registers->rdi = address;
	registers->rsi = GUARD_AREA_SIZE;
}

bool emergency_thread_unmap(pid_t tid, uint64_t code, uint64_t address)
{
	static const uint8_t call[RECOVERY_CODE] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */
	const uint64_t all_but_trap = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct user_regs_struct own, registers;
	uint8_t original[RECOVERY_CODE];
	uint64_t mask;
	bool done;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &own) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0)
		return false;
	for (int i = 0; i < RECOVERY_CODE; i++)
		original[i] = byte_at(tid, code + i);
	registers = own;
	load_unmap(&registers, code, address);
	done = ptrace(PTRACE_SETSIGMASK, tid, sizeof(all_but_trap), &all_but_trap) == 0 &&
	       write_code(tid, code, call) && ptrace(PTRACE_SETREGS, tid, NULL, &registers) == 0 &&
	       thread_run_to_trap(tid);
	write_code(tid, code, original);
	ptrace(PTRACE_SETREGS, tid, NULL, &own);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	return done;
}
