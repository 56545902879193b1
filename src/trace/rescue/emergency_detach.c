/*
 * Freeing the processes of a dead or dying tracer. supervisor.c notices the death;
 * emergency_thread.c works out where a thread would be without us.
 */
#include "emergency_detach.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/kernel/proc_file.h"
#include "emergency_thread.h"
#include "trace/target/debug_registers.h"
#include "trace/kernel/sigtrap.h"
#include "trace/target/lifeline.h"
#include "trace/target/lifeline_trap.h"

static const uint8_t INT3 = 0xcc;
static const int PATIENCE_MS = 2000;

static void nap(void)
{
	const struct timespec time = {.tv_nsec = 200000};

	nanosleep(&time, NULL);
}

/* Is it our int3, in an unchanged instruction? The rest of that may contain other int3s. */
static bool emergency_is_ours(const struct recovery_breakpoint *entry, const uint8_t *bytes)
{
	if (bytes[0] != INT3)
		return false;
	for (size_t i = 1; i < entry->size && i < INSN_SIZE_MAX; i++)
		if (bytes[i] != entry->bytes[i] && bytes[i] != INT3)
			return false;
	return true;
}

/* Failures are ignored: the memory is unmapped then. */
static void write_or_not(ssize_t written)
{
	(void)written;
}

static void emergency_restore(int memory, const struct recovery_breakpoint *entry)
{
	uint8_t bytes[INSN_SIZE_MAX];
	size_t size = entry->size < INSN_SIZE_MAX ? entry->size : INSN_SIZE_MAX;

	if (pread(memory, bytes, size, entry->address) == (ssize_t)size &&
	    emergency_is_ours(entry, bytes))
		write_or_not(pwrite(memory, entry->bytes, 1, entry->address));
}

static void emergency_restore_jump(int memory, const struct recovery_breakpoint *entry)
{
	uint8_t bytes[RECOVERY_JUMP];
	size_t size = entry->size < RECOVERY_JUMP ? entry->size : RECOVERY_JUMP;

	if (pread(memory, bytes, size, entry->address) == (ssize_t)size &&
	    !memcmp(bytes, entry->jump, size))
		write_or_not(pwrite(memory, entry->bytes, size, entry->address));
}

/* If it is as it was raised to: so it is lowered once, however often the rescue comes by. */
static void emergency_lower(int memory, const struct recovery_breakpoint *entry)
{
	uint16_t count, raised;

	memcpy(&raised, entry->bytes, sizeof(raised));
	if (pread(memory, &count, sizeof(count), entry->address) != sizeof(count) ||
	    count != raised || !count)
		return;
	count--;
	write_or_not(pwrite(memory, &count, sizeof(count), entry->address));
}

/* Call @restore for each of @owner's in @state, with the memory of @pid. */
static void emergency_each(const struct recovery_table *table, int memory, pid_t owner,
			   enum recovery_state state,
			   void (*restore)(int memory, const struct recovery_breakpoint *entry))
{
	uint32_t n = table->n_breakpoints < RECOVERY_BREAKPOINTS ? table->n_breakpoints
								 : RECOVERY_BREAKPOINTS;

	for (uint32_t i = 1; i < n; i++)
		if (table->breakpoints[i].state == state && table->breakpoints[i].pid == owner)
			restore(memory, &table->breakpoints[i]);
}

static struct recovery_process *emergency_find_process(struct recovery_table *table, pid_t pid)
{
	for (size_t i = 0; pid && i < table->n_processes; i++)
		if (table->processes[i].pid == pid)
			return &table->processes[i];
	return NULL;
}

void emergency_detach_text(struct recovery_table *table, pid_t pid, pid_t owner)
{
	int memory;

	if (!proc_open(pid, "mem", O_RDWR, &memory))
		return;
	emergency_each(table, memory, owner, RECOVERY_PLANTED, emergency_restore);
	emergency_each(table, memory, owner, RECOVERY_RAISED, emergency_lower);
	close(memory);
}

void emergency_detach_jumps(struct recovery_table *table, pid_t pid, pid_t owner)
{
	int memory;

	if (!proc_open(pid, "mem", O_RDWR, &memory))
		return;
	emergency_each(table, memory, owner, RECOVERY_JUMPING, emergency_restore_jump);
	close(memory);
}

static void restore_call(const struct recovery_table *table)
{
	const pid_t tid = table->call.tid;
	int memory;

	if (!tid || !proc_open(tid, "mem", O_RDWR, &memory))
		return;
	write_or_not(pwrite(memory, table->call.bytes, RECOVERY_CODE, table->call.code));
	close(memory);
}

/* The process whose memory this one shares or has a copy of: itself, or its parent. 0: unknown. */
static pid_t owner_of(struct recovery_table *table, pid_t pid)
{
	const struct recovery_process *process = emergency_find_process(table, pid);
	pid_t parent;

	if (process)
		return process->like ? process->like : pid;
	parent = proc_status(pid, "PPid:");
	return emergency_find_process(table, parent) ? parent : 0;
}

struct search {
	struct recovery_table *table;
	pid_t tracer;
	size_t n;
};

static void take_traced(void *context, pid_t pid)
{
	struct search *search = context;

	if (search->n < RECOVERY_PROCESSES && proc_status(pid, "TracerPid:") == search->tracer &&
	    owner_of(search->table, pid))
		search->table->rescued[search->n++] = pid;
}

/* Known processes traced by @tracer; the rest of the array is 0. */
static size_t find_traced(struct recovery_table *table, pid_t tracer)
{
	struct search search = {.table = table, .tracer = tracer};

	memset(table->rescued, 0, sizeof(table->rescued));
	proc_each_number("/proc", take_traced, &search);
	return search.n;
}

struct thread_list {
	pid_t *tids;
	size_t n;
};

static void emergency_take_thread(void *context, pid_t tid)
{
	struct thread_list *list = context;

	if (list->n < RECOVERY_THREADS)
		list->tids[list->n++] = tid;
}

static size_t list_threads(struct recovery_table *table, pid_t pid)
{
	struct thread_list list = {.tids = table->threads};

	proc_each_thread(pid, emergency_take_thread, &list);
	return list.n;
}

/* A seized thread stops soon. False: not until @until_ms. */
static bool wait_until_stopped(pid_t tid, int64_t until_ms)
{
	struct user_regs_struct ignored;

	while (ptrace(PTRACE_GETREGS, tid, NULL, &ignored) != 0) {
		if (proc_is_dead(tid))
			return false;
		if (clock_now_ms() >= until_ms)
			return false;
		nap();
	}
	return true;
}

/* A thread with the SIGTRAP of our int3 pending must report that before detach. */
static void stop_for_good(pid_t tid, int64_t until_ms)
{
	while (wait_until_stopped(tid, until_ms) && sigtrap_is_owed(tid) &&
	       clock_now_ms() < until_ms)
		ptrace(PTRACE_CONT, tid, NULL, NULL);
}

/* Threads may be born until all are stopped: then the list stays the same. */
static size_t emergency_stop_all(struct recovery_table *table, pid_t pid, bool seize)
{
	int64_t until_ms = clock_now_ms() + PATIENCE_MS;
	size_t before = 0;
	size_t n = list_threads(table, pid);
	size_t i;

	do {
		for (i = 0; i < n; i++) {
			if (seize)
				ptrace(PTRACE_SEIZE, table->threads[i], NULL, NULL);
			ptrace(PTRACE_INTERRUPT, table->threads[i], NULL, NULL);
		}
		for (i = 0; i < n; i++)
			stop_for_good(table->threads[i], until_ms);
		before = n;
		n = list_threads(table, pid);
	} while (n != before && clock_now_ms() < until_ms);
	return n;
}

static bool was_at_breakpoint(const struct recovery_table *table, pid_t tid)
{
	for (size_t i = 0; i < RECOVERY_THREADS && table->at_breakpoint[i]; i++)
		if (table->at_breakpoint[i] == tid)
			return true;
	return false;
}

/* Pads and blocks, which need nobody, stay if a thread may be in a pad. */
static void emergency_unmap(struct recovery_process *process, pid_t tid, bool all)
{
	if (all && process->action)
		all = emergency_thread_reset_actions(tid, process);
	for (size_t i = 0; i < RECOVERY_AREAS; i++) {
		if (!process->areas[i].address ||
		    (process->areas[i].kind != RECOVERY_SCRATCH && !all))
			continue;
		if (!emergency_thread_unmap(tid, process->code, &process->areas[i]))
			return;
		process->areas[i].address = 0;
	}
}

static void give_affinity_back(struct recovery_table *table)
{
	if (table->affinity.tid)
		sched_setaffinity(table->affinity.tid, sizeof(table->affinity.own),
				  &table->affinity.own);
	table->affinity.tid = 0;
}

static void take_blocks(struct recovery_table *table, pid_t owner, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct emergency_thread thread = {
			.table = table, .owner = owner, .tid = -table->threads[i]};

		if (table->threads[i] < 0 && emergency_thread_read(&thread))
			emergency_thread_take_block(&thread);
	}
}

/* Put the threads of @pid right and detach them. @seize: this process does not trace it yet. */
static void free_process(struct recovery_table *table, pid_t pid, bool seize)
{
	pid_t owner = owner_of(table, pid);
	struct recovery_process *process = emergency_find_process(table, pid);
	size_t n = emergency_stop_all(table, pid, seize);
	bool all = true;
	bool out = true;
	pid_t helper = 0;

	for (size_t i = 0; i < n; i++) {
		pid_t tid = table->threads[i];
		struct emergency_thread thread = {
			.table = table,
			.owner = owner,
			.tid = tid,
			.is_behind_int3 = was_at_breakpoint(table, tid),
			.was_stopped_by_us = seize,
		};
		bool stopped = emergency_thread_read(&thread);

		all = all && (stopped || proc_is_dead(tid));
		if (!stopped)
			continue;
		debug_registers_set(tid, &(struct debug_registers){.addresses = {0}});
		if (!helper || !emergency_thread_is_in_call(tid))
			helper = tid;
		table->threads[i] = -tid; /* to be detached */
		table->signals[i] = emergency_thread_put_right(&thread);
		out = emergency_thread_leave_pad(&thread) && out;
	}
	/* A thread that runs could meet half a jump; until then jumps are harmless. */
	if (all)
		emergency_detach_jumps(table, pid, owner);
	if (all && out)
		take_blocks(table, owner, n);
	if (helper && all && process && process->code && emergency_thread_leave_call(helper))
		emergency_unmap(process, helper, out);
	for (size_t i = 0; i < n; i++)
		if (table->threads[i] < 0)
			ptrace(PTRACE_DETACH, -table->threads[i], NULL, (long)table->signals[i]);
}

/* Of the processes in the table. Returns how many processes @tracer traces, also copies of them. */
static size_t restore_known_text(struct recovery_table *table, pid_t tracer)
{
	size_t n;

	for (size_t i = 0; i < table->n_processes; i++)
		if (table->processes[i].pid)
			emergency_detach_text(table, table->processes[i].pid,
					      owner_of(table, table->processes[i].pid));
	n = find_traced(table, tracer);
	memset(table->at_breakpoint, 0, sizeof(table->at_breakpoint));
	return n;
}

void emergency_detach_by_tracer(struct recovery_table *table)
{
	size_t n;

	/* Before anybody runs on: nobody answers questions any more. */
	lifeline_let_go();
	n = restore_known_text(table, getpid());
	restore_call(table);
	for (size_t i = 0; i < n; i++)
		if (!emergency_find_process(table, table->rescued[i]))
			emergency_detach_text(table, table->rescued[i],
					      owner_of(table, table->rescued[i]));
	give_affinity_back(table);
	for (size_t i = 0; i < n; i++)
		free_process(table, table->rescued[i], false);
}

/*
 * Behind a breakpoint, @tid may have been interrupted rather than have run into it. What the tracer
 * has not seen yet is the thread's exit code; that is 0 from then on.
 */
static bool has_met_int3(const struct recovery_table *table, pid_t tid)
{
	enum { EXIT_CODE = 52 };
	const int unseen = proc_stat_number(tid, EXIT_CODE);

	if (unseen > 0)
		return unseen == SIGTRAP;
	return table->stopped_otherwise[tid % RECOVERY_THREADS] != tid;
}

/* Record threads right after an int3 of ours in the program's text. */
static size_t emergency_note_breakpoints(struct recovery_table *table, pid_t owner, size_t n,
					 size_t n_noted)
{
	for (size_t i = 0; i < n && !table->settled; i++) {
		uint64_t pc;

		if (n_noted < RECOVERY_THREADS &&
		    emergency_thread_traced_pc(table->threads[i], &pc) &&
		    emergency_thread_find(table, owner, pc - 1) &&
		    has_met_int3(table, table->threads[i]))
			table->at_breakpoint[n_noted++] = table->threads[i];
	}
	return n_noted;
}

/*
 * Keep the threads of @pid from running before we return. Those that can go on alone are spared
 * that: if this process is killed, too, they would stay stopped.
 */
static size_t emergency_send_stops(struct recovery_table *table, pid_t pid, size_t n_noted)
{
	const pid_t owner = owner_of(table, pid);
	const struct recovery_process *process = emergency_find_process(table, owner);
	const size_t n = list_threads(table, pid);
	const size_t noted = emergency_note_breakpoints(table, owner, n, n_noted);

	if (noted > n_noted || !process || !process->action)
		for (size_t i = 0; i < n; i++)
			syscall(SYS_tgkill, pid, table->threads[i], SIGSTOP);
	return noted;
}

void emergency_detach_before(struct recovery_table *table, pid_t tracer)
{
	const size_t n = restore_known_text(table, tracer);
	size_t noted = 0;

	for (size_t i = 0; i < n; i++) {
		if (!emergency_find_process(table, table->rescued[i]))
			emergency_detach_text(table, table->rescued[i],
					      owner_of(table, table->rescued[i]));
		noted = emergency_send_stops(table, table->rescued[i], noted);
	}
}

void emergency_detach_after(struct recovery_table *table)
{
	give_affinity_back(table);
	for (size_t i = 0; i < RECOVERY_PROCESSES && table->rescued[i]; i++)
		free_process(table, table->rescued[i], true);
	restore_call(table);
	for (size_t i = 0; i < RECOVERY_PROCESSES && table->rescued[i]; i++) {
		const struct recovery_process *process =
			emergency_find_process(table, table->rescued[i]);

		if (!process || !process->stopped)
			kill(table->rescued[i], SIGCONT);
	}
}

/* Its memory is the one that was traced. */
static bool emergency_is_same(const struct recovery_process *process)
{
	uint8_t code[LIFELINE_TRAP_CODE];
	int memory;
	bool same = false;

	if (!proc_open(process->pid, "mem", O_RDONLY, &memory))
		return false;
	for (size_t i = 0; i < RECOVERY_AREAS && !same; i++)
		same = process->areas[i].kind == RECOVERY_LIFE && process->areas[i].address &&
		       pread(memory, code, sizeof(code),
			     process->areas[i].address + offsetof(struct lifeline_trap, code)) ==
			       sizeof(code) &&
		       lifeline_trap_is_code(code);
	close(memory);
	return same;
}

void emergency_detach_late(struct recovery_table *table)
{
	size_t n = 0;

	memset(table->rescued, 0, sizeof(table->rescued));
	for (size_t i = 0; i < table->n_processes; i++) {
		const struct recovery_process *process = &table->processes[i];

		if (!process->pid || !emergency_is_same(process))
			continue;
		emergency_detach_text(table, process->pid, process->pid);
		table->rescued[n++] = process->pid;
	}
	emergency_detach_after(table);
}
