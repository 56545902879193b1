/* A snapshot of a process halted by a session, with all traces of breakpoints removed. */
#include "base/mem.h"
#include "trace/probe/breakpoint.h"
#include "trace/probe/displaced.h"
#include "trace/state/engine.h"
#include "trace/ring/pad_stop.h"
#include "trace/session_halt.h"
#include "trace/snapshot/snapshot_pages.h"
#include "trace/snapshot/snapshot_thread.h"

#include <stdlib.h>

static struct inferior *halted_find_inferior(const struct session *session, pid_t pid)
{
	struct inferior *inferior = session->inferiors;

	while (inferior && inferior->pid != pid)
		inferior = inferior->next;
	return inferior;
}

static bool is_breakpoint(const struct inferior *inferior, uint64_t pc)
{
	return (inferior->start_pc && pc == inferior->start_pc) ||
	       (inferior->breakpoints && breakpoint_find(inferior->breakpoints, pc));
}

/* The PC without us: not behind our int3, not in a slot or pad. */
static uint64_t home(const struct tracee *tracee, uint64_t pc)
{
	const struct inferior *inferior = tracee->inferior;
	const struct breakpoint *breakpoint;
	bool ignored;

	if (tracee->at_breakpoint && is_breakpoint(inferior, pc - 1))
		return pc - 1;
	pc = pad_stop_home(tracee, pc);
	breakpoint = inferior->breakpoints ? breakpoint_by_slot(inferior->breakpoints, pc) : NULL;
	if (breakpoint)
		displaced_home(&breakpoint->displaced, pc, &pc, &ignored);
	return pc;
}

/* Uses the kernel's registers: ours may be those after an emulated instruction. */
static void halted_take_held(const struct tracee *tracee, struct snapshot *snapshot,
			     struct stopped_thread *ret)
{
	const struct target *target = &tracee->inferior->session->target;
	uint64_t xmm[16];
	const bool has_xmm = target->ops->get_xmm(target->self, tracee->tid, xmm);

	ret->is_stopped = tracee->next == NEXT_LISTEN;
	ret->signal = tracee->signal;
	ret->raw.rip = home(tracee, ret->raw.rip);
	snapshot_thread_held(snapshot, NULL, has_xmm ? xmm : NULL, ret);
}

/* Skip a first thread that ended before the others. */
static void halted_take(const struct tracee *tracee, struct snapshot *snapshot)
{
	struct stopped_thread *thread = &snapshot->threads[snapshot->n_threads];
	const struct target *target = &tracee->inferior->session->target;

	*thread = (struct stopped_thread){.tid = tracee->tid};
	snapshot_thread_name(thread);
	if (tracee->stopped &&
	    target->ops->get_registers(target->self, tracee->tid, &thread->raw)) {
		halted_take_held(tracee, snapshot, thread);
	} else {
		snapshot_thread_unstopped(thread);
		if (thread->state == 'Z')
			return;
	}
	snapshot->n_threads++;
}

static void clean(void *self, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct inferior *inferior = self;

	if (inferior->start_pc >= address && inferior->start_pc < address + size)
		bytes[inferior->start_pc - address] = inferior->start_byte;
	if (inferior->breakpoints)
		breakpoint_table_unsee(inferior->breakpoints, address, bytes, size);
}

/* A thread that still has the memory: the first may have ended. */
static pid_t find_way(const struct session *session, const struct inferior *inferior)
{
	const struct tracee *tracee;

	for (tracee = session->tracees; tracee; tracee = tracee->hh.next)
		if (tracee->inferior == inferior && tracee->stopped)
			return tracee->tid;
	return inferior->pid;
}

static int tid_by_number(const void *a, const void *b)
{
	const struct stopped_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

bool session_snapshot(struct session *session, pid_t pid, struct snapshot **ret, struct err *err)
{
	const struct target *target = &session->target;
	struct inferior *inferior = halted_find_inferior(session, pid);
	const struct tracee *tracee;
	struct snapshot *snapshot;

	if (!inferior || !session->halted)
		return err_set(err, ERR_TARGET,
			       "process %d is not halted: there is no such process, or it runs",
			       (int)pid);
	snapshot = snapshot_create(pid);
	snapshot->is_halted = true;
	snapshot->began_ns = target->ops->now_ns(target->self);
	snapshot_pages_until(snapshot->pages, UINT64_MAX);
	snapshot_pages_from(snapshot->pages, find_way(session, inferior), clean, inferior);
	snapshot->threads = mem_alloc((inferior->n_tracees + 1) * sizeof(*snapshot->threads));
	for (tracee = session->tracees; tracee; tracee = tracee->hh.next)
		if (tracee->inferior == inferior && tracee->role == TRACEE_THREAD)
			halted_take(tracee, snapshot);
	qsort(snapshot->threads, snapshot->n_threads, sizeof(*snapshot->threads), tid_by_number);
	*ret = snapshot;
	return true;
}
