/* The breakpoints of a forked child, whose memory is a copy: its table, and the bytes there. */
#include <stdlib.h>

#include "base/mem.h"
#include "breakpoint_table.h"

struct breakpoint_table *breakpoint_table_copy(const struct breakpoint_table *table, pid_t pid)
{
	struct breakpoint_table *copy = mem_alloc(sizeof(*copy));
	struct breakpoint *breakpoint, *next;
	struct err ignored;

	copy->target = table->target;
	copy->decoder = table->decoder;
	copy->pid = pid;
	copy->scratch = scratch_copy(table->scratch);
	copy->code = table->code;
	copy->in_registers = table->in_registers;
	copy->registers = table->registers;
	copy->semaphores = (struct semaphores){.target = table->target, .pid = pid};
	breakpoint_table_set_guard(copy, table->guard);
	recovery_copy_areas(table->guard, table->pid, pid);
	semaphores_copy(&table->semaphores, &copy->semaphores);
	HASH_ITER (hh, table->by_address, breakpoint, next) {
		struct breakpoint *twin = mem_alloc(sizeof(*twin));

		*twin = *breakpoint;
		twin->returns = 0;
		twin->cost_entry = twin->cost_exit = NULL;
		twin->guarded = 0;
		if (twin->planted && !copy->in_registers)
			breakpoint_note(copy, twin, &ignored);
		HASH_ADD(hh, copy->by_address, address, sizeof(twin->address), twin);
	}
	return copy;
}

void breakpoint_table_restore_in(struct breakpoint_table *table, pid_t tid)
{
	struct breakpoint *breakpoint, *next;

	HASH_ITER (hh, table->by_address, breakpoint, next)
		breakpoint_restore(table, tid, breakpoint);
	semaphores_lower_in(&table->semaphores, tid);
}

void breakpoint_table_restore_lifted(struct breakpoint_table *table, pid_t tid)
{
	const struct target *target = table->target;
	const size_t n = HASH_COUNT(table->by_address);
	struct memory_read *reads = mem_alloc((n + 1) * sizeof(*reads));
	struct breakpoint **list = mem_alloc((n + 1) * sizeof(*list));
	uint8_t *bytes = mem_alloc(n + 1);
	struct breakpoint *breakpoint, *next;
	size_t n_lifted = 0;

	HASH_ITER (hh, table->by_address, breakpoint, next) {
		if (breakpoint->planted)
			continue;
		reads[n_lifted] = (struct memory_read){
			.address = breakpoint->address, .to = &bytes[n_lifted], .size = 1};
		list[n_lifted++] = breakpoint;
	}
	if (n_lifted)
		target->ops->read(target->self, tid, reads, n_lifted);
	for (size_t i = 0; i < n_lifted; i++)
		if (reads[i].ok && bytes[i] == INT3)
			target->ops->write(target->self, tid, list[i]->address, &list[i]->original,
					   1);
	free(bytes);
	free(list);
	free(reads);
}
