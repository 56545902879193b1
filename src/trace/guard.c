/* The shared table, as the tracer writes it. Which numbers are free is the tracer's own knowledge. */
#include "trace/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

struct guard {
	struct guard_table *table;
	unsigned *free;
	size_t n_free, capacity;
};

bool guard_create(struct guard **ret, struct err *err)
{
	struct guard *guard;
	void *memory = mmap(NULL, sizeof(struct guard_table), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return err_set_errno(err, ERR_IO, errno, "no shared memory for the guard");
	guard = mem_alloc(sizeof(*guard));
	guard->table = memory;
	guard->table->n_breakpoints = 1; /* number 0 is none */
	*ret = guard;
	return true;
}

void guard_destroy(struct guard *guard)
{
	if (!guard)
		return;
	munmap(guard->table, sizeof(*guard->table));
	free(guard->free);
	free(guard);
}

struct guard_table *guard_table(struct guard *guard)
{
	return guard ? guard->table : NULL;
}

/* With @pid 0: a free one. */
static struct guard_process *find(struct guard *guard, pid_t pid)
{
	size_t i;

	for (i = 0; guard && i < GUARD_PROCESSES; i++)
		if (guard->table->processes[i].pid == pid)
			return &guard->table->processes[i];
	return NULL;
}

void guard_add_process(struct guard *guard, pid_t pid)
{
	struct guard_process *process = find(guard, 0);
	size_t i;

	if (!process || find(guard, pid))
		return;
	process->stopped = false;
	process->code = 0;
	for (i = 0; i < GUARD_AREAS; i++)
		process->areas[i] = 0;
	process->pid = pid;
}

void guard_remove_process(struct guard *guard, pid_t pid)
{
	struct guard_process *process = find(guard, pid);

	if (process)
		process->pid = 0;
}

void guard_set_stopped(struct guard *guard, pid_t pid, bool stopped)
{
	struct guard_process *process = find(guard, pid);

	if (process)
		process->stopped = stopped;
}

static void replace_area(struct guard *guard, pid_t pid, uint64_t from, uint64_t to)
{
	struct guard_process *process = find(guard, pid);
	size_t i;

	for (i = 0; process && i < GUARD_AREAS; i++) {
		if (process->areas[i] != from)
			continue;
		process->areas[i] = to;
		return;
	}
}

void guard_add_area(struct guard *guard, pid_t pid, uint64_t address)
{
	replace_area(guard, pid, 0, address);
}

void guard_remove_area(struct guard *guard, pid_t pid, uint64_t address)
{
	replace_area(guard, pid, address, 0);
}

void guard_copy_areas(struct guard *guard, pid_t from, pid_t to)
{
	const struct guard_process *parent = find(guard, from);
	struct guard_process *child = find(guard, to);
	size_t i;

	for (i = 0; parent && child && i < GUARD_AREAS; i++)
		child->areas[i] = parent->areas[i];
}

void guard_set_code(struct guard *guard, pid_t pid, uint64_t code)
{
	struct guard_process *process = find(guard, pid);

	if (process)
		process->code = code;
}

static bool take_number(struct guard *guard, unsigned *ret)
{
	struct guard_table *table = guard->table;

	if (guard->n_free) {
		*ret = guard->free[--guard->n_free];
		return true;
	}
	if (table->n_breakpoints == GUARD_BREAKPOINTS)
		return false;
	*ret = table->n_breakpoints++;
	return true;
}

bool guard_plant(struct guard *guard, pid_t pid, const struct insn *insn, uint64_t slot,
		 unsigned *number)
{
	struct guard_breakpoint *entry;

	if (!guard)
		return true;
	if (!*number && !take_number(guard, number))
		return false;
	entry = &guard->table->breakpoints[*number];
	entry->state = GUARD_FREE;
	entry->pid = pid;
	entry->address = insn->address;
	entry->slot = slot;
	entry->size = insn->size;
	memcpy(entry->bytes, insn->bytes, sizeof(entry->bytes));
	entry->state = GUARD_PLANTED;
	return true;
}

void guard_lift(struct guard *guard, unsigned number)
{
	if (guard && number)
		guard->table->breakpoints[number].state = GUARD_LIFTED;
}

void guard_forget(struct guard *guard, unsigned number)
{
	if (!guard || !number)
		return;
	guard->table->breakpoints[number].state = GUARD_FREE;
	guard->free =
		mem_grow(guard->free, &guard->capacity, guard->n_free + 1, sizeof(*guard->free));
	guard->free[guard->n_free++] = number;
}

void guard_set_affinity(struct guard *guard, pid_t tid, const cpu_set_t *own)
{
	struct guard_affinity *affinity = guard ? &guard->table->affinity : NULL;

	if (!affinity)
		return;
	affinity->tid = 0;
	if (!own)
		return;
	affinity->own = *own;
	affinity->tid = tid;
}

void guard_set_mask(struct guard *guard, pid_t tid, uint64_t own)
{
	if (!guard)
		return;
	guard->table->mask.tid = 0;
	guard->table->mask.own = own;
	guard->table->mask.tid = tid;
}

void guard_set_call(struct guard *guard, pid_t tid, const struct guard_call *call)
{
	struct guard_call *noted = guard ? &guard->table->call : NULL;

	if (!noted)
		return;
	noted->tid = 0;
	if (!call) {
		guard->table->mask.tid = 0;
		return;
	}
	noted->registers = call->registers;
	noted->code = call->code;
	memcpy(noted->bytes, call->bytes, sizeof(noted->bytes));
	noted->tid = tid;
}
