/* The tracer's side of the shared table. Free numbers are kept outside of it. */
#include "recovery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

struct recovery {
	struct recovery_table *table;
	unsigned *free;
	size_t n_free, capacity;
};

bool recovery_create(struct recovery **ret, struct err *err)
{
	struct recovery *guard;
	void *memory = mmap(NULL, sizeof(struct recovery_table), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return err_set_errno(err, ERR_IO, errno, "no shared memory for the guard");
	guard = mem_alloc(sizeof(*guard));
	guard->table = memory;
	guard->table->n_breakpoints = 1; /* number 0 is none */
	*ret = guard;
	return true;
}

void recovery_destroy(struct recovery *guard)
{
	if (!guard)
		return;
	munmap(guard->table, sizeof(*guard->table));
	free(guard->free);
	free(guard);
}

struct recovery_table *recovery_table(struct recovery *guard)
{
	return guard ? guard->table : NULL;
}

/* To touch all places would take some ms, in which an attached program waits for us. */
static struct recovery_process *recovery_find(struct recovery *guard, pid_t pid)
{
	for (size_t i = 0; guard && i < guard->table->n_processes; i++)
		if (guard->table->processes[i].pid == pid)
			return &guard->table->processes[i];
	return NULL;
}

/* NULL: no room. */
static struct recovery_process *recovery_find_free(struct recovery *guard)
{
	struct recovery_process *process = recovery_find(guard, 0);

	if (!process && guard && guard->table->n_processes < RECOVERY_PROCESSES)
		process = &guard->table->processes[guard->table->n_processes++];
	return process;
}

void recovery_add_process(struct recovery *guard, pid_t pid)
{
	recovery_begin_copy(guard, 0, pid);
}

void recovery_begin_copy(struct recovery *guard, pid_t from, pid_t pid)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (process || !(process = recovery_find_free(guard)))
		return;
	process->stopped = false;
	process->like = from;
	process->code = process->action = 0;
	for (size_t i = 0; i < RECOVERY_AREAS; i++)
		process->areas[i].address = 0;
	process->pid = pid;
}

void recovery_end_copy(struct recovery *guard, pid_t pid)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (process)
		process->like = 0;
}

void recovery_remove_process(struct recovery *guard, pid_t pid)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (process)
		process->pid = 0;
}

void recovery_set_stopped(struct recovery *guard, pid_t pid, bool stopped)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (process)
		process->stopped = stopped;
}

/* @address 0: a free one. */
static struct recovery_area *recovery_find_area(struct recovery *guard, pid_t pid, uint64_t address)
{
	struct recovery_process *process = recovery_find(guard, pid);

	for (size_t i = 0; process && i < RECOVERY_AREAS; i++)
		if (process->areas[i].address == address)
			return &process->areas[i];
	return NULL;
}

static void put_area(struct recovery_area *to, const struct recovery_area *area)
{
	to->address = 0;
	to->size = area->size;
	to->kind = area->kind;
	to->address = area->address;
}

void recovery_add_area(struct recovery *guard, pid_t pid, const struct recovery_area *area)
{
	struct recovery_area *room = recovery_find_area(guard, pid, 0);

	if (room)
		put_area(room, area);
}

void recovery_remove_area(struct recovery *guard, pid_t pid, uint64_t address)
{
	struct recovery_area *area = recovery_find_area(guard, pid, address);

	if (area)
		area->address = 0;
}

void recovery_copy_areas(struct recovery *guard, pid_t from, pid_t to)
{
	const struct recovery_process *parent = recovery_find(guard, from);
	struct recovery_process *child = recovery_find(guard, to);

	if (!parent || !child)
		return;
	for (size_t i = 0; i < RECOVERY_AREAS; i++)
		put_area(&child->areas[i], &parent->areas[i]);
	child->old_action = parent->old_action;
	child->action = parent->action;
}

void recovery_set_code(struct recovery *guard, pid_t pid, uint64_t code)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (process)
		process->code = code;
}

void recovery_set_stopped_otherwise(struct recovery *guard, pid_t tid, bool otherwise)
{
	if (guard)
		guard->table->stopped_otherwise[tid % RECOVERY_THREADS] = otherwise ? tid : 0;
}

void recovery_set_settled(struct recovery *guard, bool settled)
{
	if (guard)
		guard->table->settled = settled;
}

void recovery_set_action(struct recovery *guard, pid_t pid, uint64_t action, uint64_t old)
{
	struct recovery_process *process = recovery_find(guard, pid);

	if (!process)
		return;
	process->old_action = old;
	process->action = action;
}

static bool recovery_take_number(struct recovery *guard, unsigned *ret)
{
	struct recovery_table *table = guard->table;

	if (guard->n_free) {
		*ret = guard->free[--guard->n_free];
		return true;
	}
	if (table->n_breakpoints == RECOVERY_BREAKPOINTS)
		return false;
	*ret = table->n_breakpoints++;
	return true;
}

/* Entry *@number, or a new one, not valid yet; NULL: no room. */
static struct recovery_breakpoint *recovery_begin(struct recovery *guard, pid_t pid,
						  unsigned *number)
{
	struct recovery_breakpoint *entry;

	if (!*number && !recovery_take_number(guard, number))
		return NULL;
	entry = &guard->table->breakpoints[*number];
	entry->state = RECOVERY_FREE;
	entry->pid = pid;
	return entry;
}

/* Becomes valid by @what's state, last. */
static bool recovery_enter(struct recovery *guard, pid_t pid, unsigned *number,
			   const struct recovery_breakpoint *what)
{
	struct recovery_breakpoint *entry;

	if (!guard)
		return true;
	entry = recovery_begin(guard, pid, number);
	if (!entry)
		return false;
	entry->address = what->address;
	entry->slot = what->slot;
	entry->size = what->size;
	memcpy(entry->bytes, what->bytes, sizeof(entry->bytes));
	memcpy(entry->jump, what->jump, sizeof(entry->jump));
	entry->state = what->state;
	return true;
}

bool recovery_plant(struct recovery *guard, pid_t pid, const struct insn *insn, uint64_t slot,
		    unsigned *number)
{
	struct recovery_breakpoint what = {.state = RECOVERY_PLANTED,
					   .address = insn->address,
					   .slot = slot,
					   .size = insn->size};

	memcpy(what.bytes, insn->bytes, sizeof(what.bytes));
	return recovery_enter(guard, pid, number, &what);
}

bool recovery_plant_jump(struct recovery *guard, pid_t pid, const struct recovery_jump *jump,
			 unsigned *number)
{
	struct recovery_breakpoint what = {
		.state = RECOVERY_JUMPING, .address = jump->address, .size = jump->size};

	memcpy(what.bytes, jump->original, RECOVERY_JUMP);
	memcpy(what.jump, jump->jump, RECOVERY_JUMP);
	return recovery_enter(guard, pid, number, &what);
}

bool recovery_raise(struct recovery *guard, pid_t pid, uint64_t address, uint16_t count,
		    unsigned *number)
{
	struct recovery_breakpoint what = {
		.state = RECOVERY_RAISED, .address = address, .size = sizeof(count)};

	memcpy(what.bytes, &count, sizeof(count));
	return recovery_enter(guard, pid, number, &what);
}

void recovery_lift(struct recovery *guard, unsigned number)
{
	if (guard && number)
		guard->table->breakpoints[number].state = RECOVERY_LIFTED;
}

void recovery_forget(struct recovery *guard, unsigned number)
{
	if (!guard || !number)
		return;
	guard->table->breakpoints[number].state = RECOVERY_FREE;
	guard->free =
		mem_grow(guard->free, &guard->capacity, guard->n_free + 1, sizeof(*guard->free));
	guard->free[guard->n_free++] = number;
}

void recovery_set_affinity(struct recovery *guard, pid_t tid, const cpu_set_t *own)
{
	struct recovery_affinity *affinity = guard ? &guard->table->affinity : NULL;

	if (!affinity)
		return;
	affinity->tid = 0;
	if (!own)
		return;
	affinity->own = *own;
	affinity->tid = tid;
}

void recovery_set_mask(struct recovery *guard, pid_t tid, uint64_t own)
{
	if (!guard)
		return;
	guard->table->mask.tid = 0;
	guard->table->mask.own = own;
	guard->table->mask.tid = tid;
}

void recovery_set_call(struct recovery *guard, pid_t tid, const struct recovery_call *call)
{
	struct recovery_call *noted = guard ? &guard->table->call : NULL;

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
