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
#include "trace/target/lifeline_trap.h"

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
		    entry->pid == owner &&
		    (entry->state == RECOVERY_PLANTED || entry->state == RECOVERY_LIFTED))
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

static const struct recovery_area *find_area(const struct recovery_table *table, pid_t owner,
					     uint64_t address, enum recovery_area_kind kind)
{
	for (size_t i = 0; i < table->n_processes; i++) {
		const struct recovery_process *process = &table->processes[i];

		for (size_t j = 0; process->pid == owner && j < RECOVERY_AREAS; j++)
			if (process->areas[j].kind == kind && process->areas[j].address &&
			    address - process->areas[j].address < process->areas[j].size)
				return &process->areas[j];
	}
	return NULL;
}

bool emergency_thread_is_pad(const struct recovery_table *table, pid_t owner, uint64_t pc)
{
	return find_area(table, owner, pc, RECOVERY_PADS) ||
	       find_area(table, owner, pc, RECOVERY_LIFE);
}

/*
 * The signal owed to a thread stopped by an int3. If that was ours, it may have been handled since,
 * and the thread sent to a slot, with int3s around; one of the program's own is still there. A pad
 * goes on behind an int3 in it.
 */
static int owed_by_int3(struct emergency_thread *thread, const struct recovery_breakpoint *behind)
{
	uint64_t pc = thread->registers.rip;

	if (behind) {
		thread->registers.rip -= !thread->table->settled;
		return 0;
	}
	if (thread_search(thread->table, thread->owner, pc, true) ||
	    emergency_thread_is_pad(thread->table, thread->owner, pc - 1))
		return 0;
	return byte_at(thread->tid, pc - 1) == 0xcc ? SIGTRAP : 0;
}

static bool thread_faults(const siginfo_t *info)
{
	return info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
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
	if (info.si_signo == SIGTRAP && info.si_code == TRAP_HWBKPT)
		return 0; /* programs have no such while they are traced */
	if (info.si_signo == SIGTRAP && info.si_code > 0 && thread->table->mask.tid == thread->tid)
		return 0; /* of a single step */
	if (thread_faults(&info) &&
	    emergency_thread_is_pad(thread->table, thread->owner, thread->registers.rip))
		return 0; /* it will again: see thread_step() */
	return info.si_signo == SIGSTOP && thread->was_stopped_by_us ? 0 : info.si_signo;
}

/*
 * A thread behind the first byte of a longer instruction must have hit its int3. Behind a
 * single-byte one it may just be running on.
 */
static bool met_int3(const struct emergency_thread *thread,
		     const struct recovery_breakpoint *behind)
{
	return behind && !thread->table->settled && (behind->size > 1 || thread->is_behind_int3);
}

static void go_home(struct emergency_thread *thread)
{
	const struct recovery_breakpoint *at =
		thread_search(thread->table, thread->owner, thread->registers.rip, true);

	if (at)
		thread->registers.rip =
			at->address + (thread->registers.rip == at->slot ? 0 : at->size);
}

/*
 * A thread that is at a jump to a pad may have come by a short one, and there is something else
 * behind the jump: it goes on in the pad.
 */
static void go_to_pad(struct emergency_thread *thread)
{
	const struct recovery_table *table = thread->table;

	for (uint32_t i = 1; i < table->n_breakpoints && i < RECOVERY_BREAKPOINTS; i++) {
		const struct recovery_breakpoint *entry = &table->breakpoints[i];
		int32_t displacement;

		if (entry->address != thread->registers.rip || entry->pid != thread->owner ||
		    entry->state != RECOVERY_JUMPING || entry->size != RECOVERY_JUMP)
			continue;
		memcpy(&displacement, entry->jump + 1, sizeof(displacement));
		thread->registers.rip += (uint64_t)(RECOVERY_JUMP + (int64_t)displacement);
		return;
	}
}

/* The signals that a remote call or a step blocks, and programs cannot. */
static bool has_our_mask(pid_t tid)
{
	const uint64_t internal = UINT64_C(3) << (32 - 1); /* of the C library */
	uint64_t mask;

	return ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) == 0 &&
	       (mask & internal) == internal;
}

/* It may have got its registers and its mask back already, see lifeline_trap.h. */
static bool undo_remote_call(struct emergency_thread *thread)
{
	struct recovery_table *table = thread->table;
	const uint64_t pc = thread->registers.rip;

	if (table->mask.tid == thread->tid && has_our_mask(thread->tid))
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(table->mask.own), &table->mask.own);
	if (table->call.tid != thread->tid || (pc - table->call.code >= RECOVERY_CODE &&
					       !find_area(table, thread->owner, pc, RECOVERY_LIFE)))
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
	}
	go_home(thread);
	go_to_pad(thread);
	ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
	return signal;
}

static uint64_t thread_word(pid_t tid, uint64_t address)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, tid, (void *)address, NULL);
}

/* A load of a pad has faulted: the thread goes on behind it. False: it was no such load. */
static bool thread_pass_fault(struct emergency_thread *thread)
{
	const pid_t tid = thread->tid;
	const uint64_t pc = thread->registers.rip;
	const struct recovery_area *area =
		find_area(thread->table, thread->owner, pc, RECOVERY_PADS);
	uint64_t pad = area ? area->address : pc;
	uint64_t head;

	/* As in struct lifeline_trap_pad. */
	while (pad < pc && (uint32_t)(head = thread_word(tid, pad))) {
		for (uint32_t i = 0; pc - pad < (uint32_t)head && i < head >> 32; i++) {
			const uint64_t fault = thread_word(tid, pad + (i + 1) * sizeof(fault));

			if ((uint32_t)fault != pc - pad)
				continue;
			thread->registers.rip = pad + (fault >> 32);
			return ptrace(PTRACE_SETREGS, tid, NULL, &thread->registers) == 0;
		}
		pad += (uint32_t)head;
	}
	return false;
}

/* A step; a question is not asked. False: it ended, or its own instruction raised a signal. */
static bool thread_step(struct emergency_thread *thread)
{
	siginfo_t info;
	int status;

	if (byte_at(thread->tid, thread->registers.rip) == 0xcc) {
		thread->registers.rip++;
		return ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers) == 0;
	}
	do {
		if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) != 0)
			return false;
		while (waitpid(thread->tid, &status, __WALL) < 0)
			if (errno != EINTR)
				return false;
		if (!WIFSTOPPED(status) || ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0)
			return false;
	} while (status >> 16 || info.si_code <= 0);
	if (thread_faults(&info))
		return thread_pass_fault(thread);
	return info.si_signo == SIGTRAP && emergency_thread_read(thread);
}

bool emergency_thread_leave_pad(struct emergency_thread *thread)
{
	enum { STEPS_MAX = 1 << 16 };
	const uint64_t all = ~(UINT64_C(1) << (SIGTRAP - 1) | UINT64_C(1) << (SIGSEGV - 1) |
			       UINT64_C(1) << (SIGBUS - 1));
	const struct recovery_table *table = thread->table;
	siginfo_t info;
	uint64_t mask;
	bool out = true;

	if (emergency_thread_is_pad(table, thread->owner, thread->registers.rip)) {
		if (ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0 ||
		    ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(mask), &mask) != 0)
			return false;
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(all), &all);
		for (int i = 0;
		     i < STEPS_MAX && out &&
		     emergency_thread_is_pad(table, thread->owner, thread->registers.rip);
		     i++)
			out = thread_step(thread);
		out = out && !emergency_thread_is_pad(table, thread->owner, thread->registers.rip);
		go_home(thread); /* PAD_RESUME leads to slots, too */
		ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask);
		ptrace(PTRACE_SETSIGINFO, thread->tid, NULL, &info);
	}
	return out;
}

void emergency_thread_take_block(struct emergency_thread *thread)
{
	if (!find_area(thread->table, thread->owner, thread->registers.gs_base, RECOVERY_BLOCKS))
		return;
	thread->registers.gs_base = 0;
	ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
}

/* The event of ptrace(2) that it is stopped by; 0: none. */
static int thread_event(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code > 0
		       ? info.si_code >> 8
		       : 0;
}

bool emergency_thread_is_in_call(pid_t tid)
{
	const int event = thread_event(tid);

	return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE ||
	       event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_VFORK_DONE;
}

/* Before anything else it stops at the end of the system call. */
bool emergency_thread_leave_call(pid_t tid)
{
	int status;

	if (!emergency_thread_is_in_call(tid))
		return true;
	if (thread_event(tid) == PTRACE_EVENT_VFORK || ptrace(PTRACE_SYSCALL, tid, NULL, NULL) != 0)
		return false;
	while (waitpid(tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return WIFSTOPPED(status);
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

static void thread_load_call(struct user_regs_struct *registers, uint64_t code, long number,
			     const uint64_t arguments[4])
{
	registers->rip = code;
	registers->rax = (uint64_t)number;
	registers->orig_rax = -1;
	registers->rdi = arguments[0];
	registers->rsi = arguments[1];
	registers->rdx = arguments[2];
	registers->r10 = arguments[3];
}

static bool thread_call(pid_t tid, uint64_t code, long number, const uint64_t arguments[4])
{
	static const uint8_t call[RECOVERY_CODE] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */
	const uint64_t all_but_trap = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct user_regs_struct own, registers;
	uint8_t original[RECOVERY_CODE];
	siginfo_t info;
	uint64_t mask;
	bool done;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &own) != 0 ||
	    ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0)
		return false;
	for (int i = 0; i < RECOVERY_CODE; i++)
		original[i] = byte_at(tid, code + i);
	registers = own;
	thread_load_call(&registers, code, number, arguments);
	done = ptrace(PTRACE_SETSIGMASK, tid, sizeof(all_but_trap), &all_but_trap) == 0 &&
	       write_code(tid, code, call) && ptrace(PTRACE_SETREGS, tid, NULL, &registers) == 0 &&
	       thread_run_to_trap(tid);
	write_code(tid, code, original);
	ptrace(PTRACE_SETREGS, tid, NULL, &own);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
	return done;
}

bool emergency_thread_unmap(pid_t tid, uint64_t code, const struct recovery_area *area)
{
	return thread_call(tid, code, SYS_munmap, (uint64_t[4]){area->address, area->size});
}

static bool thread_reset_action(pid_t tid, const struct recovery_process *process, int signal)
{
	const uint64_t number = (uint64_t)signal;
	const uint64_t old = process->old_action;
	const uint64_t ours = process->action;

	if (!thread_call(tid, process->code, SYS_rt_sigaction, (uint64_t[4]){number, 0, old, 8}))
		return false;
	/* The handler is the first word. */
	if (ptrace(PTRACE_PEEKDATA, tid, (void *)old, NULL) !=
	    ptrace(PTRACE_PEEKDATA, tid, (void *)ours, NULL))
		return true;
	return thread_call(tid, process->code, SYS_rt_sigaction,
			   (uint64_t[4]){number, ours + sizeof(struct lifeline_trap_action), 0, 8});
}

bool emergency_thread_reset_actions(pid_t tid, const struct recovery_process *process)
{
	return thread_reset_action(tid, process, SIGBUS) &&
	       thread_reset_action(tid, process, SIGSEGV) &&
	       thread_reset_action(tid, process, SIGTRAP);
}
