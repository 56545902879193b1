/* The table of breakpoints: making, planting and lifting them. The session interprets hits. */
#include "breakpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "breakpoint_table.h"

void breakpoint_table_set_jumps(struct breakpoint_table *table,
				void (*unsee)(const void *self, uint64_t address, uint8_t *bytes,
					      size_t n),
				const void *self)
{
	table->unsee_jumps = unsee;
	table->jumps = self;
}

void breakpoint_table_set_guard(struct breakpoint_table *table, struct recovery *guard)
{
	table->guard = table->semaphores.guard = guard;
	recovery_set_code(guard, table->pid, table->code);
}

void breakpoint_table_use_registers(struct breakpoint_table *table)
{
	table->in_registers = true;
}

struct debug_registers breakpoint_table_registers(const struct breakpoint_table *table)
{
	return table->registers;
}

/* The register that holds @address, or with 0 a free one; NULL: none. */
static uint64_t *breakpoint_register(struct breakpoint_table *table, uint64_t address)
{
	for (int i = 0; i < DEBUG_REGISTERS; i++)
		if (table->registers.addresses[i] == address)
			return &table->registers.addresses[i];
	return NULL;
}

bool breakpoint_note(struct breakpoint_table *table, struct breakpoint *breakpoint, struct err *err)
{
	const struct displaced *displaced = &breakpoint->displaced;

	if (recovery_plant(table->guard, table->pid, &displaced->insn, displaced->slot,
			   &breakpoint->guarded))
		return true;
	return err_set(err, ERR_TARGET, "there is no room for more than %d breakpoints",
		       RECOVERY_BREAKPOINTS);
}

struct breakpoint_table *breakpoint_table_create(const struct target *target,
						 struct insn_decoder *decoder, pid_t pid,
						 uint64_t code)
{
	struct breakpoint_table *table = mem_alloc(sizeof(*table));

	table->target = target;
	table->decoder = decoder;
	table->pid = pid;
	table->code = code;
	table->scratch = scratch_create(target, code);
	table->semaphores = (struct semaphores){.target = target, .pid = pid};
	return table;
}

void breakpoint_table_destroy(struct breakpoint_table *table)
{
	struct breakpoint *breakpoint, *next;

	if (!table)
		return;
	HASH_ITER (hh, table->by_address, breakpoint, next) {
		HASH_DEL(table->by_address, breakpoint);
		recovery_forget(table->guard, breakpoint->guarded);
		free(breakpoint);
	}
	semaphores_forget(&table->semaphores, 0, UINT64_MAX);
	free(table->semaphores.list);
	scratch_destroy(table->scratch);
	free(table);
}

void breakpoint_table_complete(struct breakpoint_table *table, pid_t tid)
{
	if (!table->in_registers)
		scratch_complete(table->scratch, tid);
}

void breakpoint_table_reopen(struct breakpoint_table *table, pid_t tid)
{
	scratch_reopen(table->scratch, tid);
}

/* It is in the code no longer. */
static void breakpoint_clear(struct breakpoint_table *table, struct breakpoint *breakpoint)
{
	uint64_t *held = breakpoint->planted && table->in_registers
				 ? breakpoint_register(table, breakpoint->address)
				 : NULL;

	if (held)
		*held = 0;
	breakpoint->planted = false;
	recovery_lift(table->guard, breakpoint->guarded);
}

static bool breakpoint_lies_in(const struct breakpoint *breakpoint, uint64_t low, uint64_t high)
{
	return breakpoint->address >= low && breakpoint->address < high && !breakpoint->of_loader;
}

void breakpoint_table_unmapped(struct breakpoint_table *table, uint64_t low, uint64_t high)
{
	struct breakpoint *breakpoint, *next;

	HASH_ITER (hh, table->by_address, breakpoint, next) {
		if (!breakpoint_lies_in(breakpoint, low, high))
			continue;
		breakpoint_clear(table, breakpoint);
	}
	semaphores_forget(&table->semaphores, low, high);
}

static void release_slot(struct breakpoint_table *table, struct displaced *displaced)
{
	if (displaced->slot)
		scratch_release(table->scratch, displaced->slot);
	displaced->slot = 0;
}

void breakpoint_table_forget(struct breakpoint_table *table, uint64_t low, uint64_t high)
{
	struct breakpoint *breakpoint, *next;

	HASH_ITER (hh, table->by_address, breakpoint, next) {
		if (!breakpoint_lies_in(breakpoint, low, high))
			continue;
		breakpoint_clear(table, breakpoint);
		release_slot(table, &breakpoint->displaced);
		HASH_DEL(table->by_address, breakpoint);
		recovery_forget(table->guard, breakpoint->guarded);
		free(breakpoint);
	}
}

struct breakpoint *breakpoint_find(struct breakpoint_table *table, uint64_t address)
{
	struct breakpoint *found;

	HASH_FIND(hh, table->by_address, &address, sizeof(address), found);
	return found;
}

/* The next page may not be mapped, so bytes up to the page's end and beyond are read apart. */
static size_t read_code(const struct target *target, pid_t tid, uint64_t address,
			uint8_t bytes[INSN_SIZE_MAX])
{
	size_t first = 4096 - address % 4096;
	struct memory_read reads[2];

	if (first > INSN_SIZE_MAX)
		first = INSN_SIZE_MAX;
	reads[0] = (struct memory_read){.address = address, .to = bytes, .size = first};
	reads[1] = (struct memory_read){
		.address = address + first, .to = bytes + first, .size = INSN_SIZE_MAX - first};
	target->ops->read(target->self, tid, reads, first < INSN_SIZE_MAX ? 2 : 1);
	if (!reads[0].ok)
		return 0;
	return first < INSN_SIZE_MAX && !reads[1].ok ? first : INSN_SIZE_MAX;
}

void breakpoint_table_unsee_int3s(struct breakpoint_table *table, uint64_t address, uint8_t *bytes,
				  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct breakpoint *other =
			bytes[i] == INT3 ? breakpoint_find(table, address + i) : NULL;

		if (other && other->planted)
			bytes[i] = other->original;
	}
}

void breakpoint_table_unsee(struct breakpoint_table *table, uint64_t address, uint8_t *bytes,
			    size_t n)
{
	breakpoint_table_unsee_int3s(table, address, bytes, n);
	if (table->unsee_jumps)
		table->unsee_jumps(table->jumps, address, bytes, n);
}

/* @ret_byte: what an int3 there would replace: the first byte, or a jump's. */
static bool decode_at(struct breakpoint_table *table, pid_t tid, uint64_t address, struct insn *ret,
		      uint8_t *ret_byte, struct err *err)
{
	uint8_t bytes[INSN_SIZE_MAX];
	size_t n = read_code(table->target, tid, address, bytes);
	const char *why;

	if (!n)
		return err_set(err, ERR_TARGET, "the code at %#lx cannot be read", address);
	breakpoint_table_unsee_int3s(table, address, bytes, 1);
	*ret_byte = bytes[0];
	breakpoint_table_unsee(table, address, bytes, n);
	if (!insn_decode(table->decoder, bytes, n, address, ret))
		return err_set(err, ERR_UNSUPPORTED, "there is no valid instruction at %#lx",
			       address);
	if (!displaced_possible(ret, &why))
		return err_set(err, ERR_UNSUPPORTED, "no breakpoint can be set at %#lx: %s",
			       address, why);
	return true;
}

static bool fill_slot(struct breakpoint_table *table, pid_t tid, struct displaced *displaced,
		      struct err *err)
{
	const struct target *target = table->target;
	uint8_t code[SLOT_SIZE];
	uint64_t slot;

	if (!scratch_reserve(table->scratch, tid, displaced->insn.address, &slot, err))
		return false;
	if (!displaced_compile(&displaced->insn, slot, code) ||
	    !target->ops->write(target->self, tid, slot, code, sizeof(code)))
		return err_set(err, ERR_TARGET, "the instruction at %#lx cannot be displaced",
			       displaced->insn.address);
	displaced->slot = slot;
	return true;
}

/* Emulate what gains nothing by a slot, or would take a slot that others need. */
static bool breakpoint_place(struct breakpoint_table *table, pid_t tid, struct displaced *displaced,
			     struct err *err)
{
	struct err ignored;

	if (table->in_registers)
		return true;
	if (!displaced_is_emulated(&displaced->insn))
		return fill_slot(table, tid, displaced, err);
	if (displaced_gains_by_slot(&displaced->insn) && scratch_grows(table->scratch))
		fill_slot(table, tid, displaced, &ignored);
	return true;
}

static bool breakpoint_make(struct breakpoint_table *table, pid_t tid, uint64_t address,
			    struct breakpoint **ret, struct err *err)
{
	struct breakpoint fresh = {
		.address = address,
		.entry_of = -1,
		.exit_of = -1,
		.first_of = -1,
		.branch_of = -1,
		.line_of = -1,
	};
	struct breakpoint *breakpoint;

	if (!decode_at(table, tid, address, &fresh.displaced.insn, &fresh.original, err) ||
	    !breakpoint_place(table, tid, &fresh.displaced, err))
		return false;
	breakpoint = mem_alloc(sizeof(*breakpoint));
	*breakpoint = fresh;
	HASH_ADD(hh, table->by_address, address, sizeof(address), breakpoint);
	*ret = breakpoint;
	return true;
}

/* Is the displaced instruction still there? */
static bool is_as_before(struct breakpoint_table *table, pid_t tid,
			 const struct breakpoint *breakpoint)
{
	const struct insn *insn = &breakpoint->displaced.insn;
	uint8_t bytes[INSN_SIZE_MAX];
	size_t n = read_code(table->target, tid, breakpoint->address, bytes);

	if (n < insn->size)
		return false;
	breakpoint_table_unsee(table, breakpoint->address, bytes, insn->size);
	return !memcmp(bytes, insn->bytes, insn->size);
}

bool breakpoint_is_replaced(struct breakpoint_table *table, pid_t tid,
			    const struct breakpoint *breakpoint)
{
	uint8_t ignored[INSN_SIZE_MAX];

	return !table->in_registers &&
	       read_code(table->target, tid, breakpoint->address, ignored) >=
		       breakpoint->displaced.insn.size &&
	       !is_as_before(table, tid, breakpoint);
}

/* The code was replaced while the breakpoint was lifted (JIT, another library). */
static bool renew(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint,
		  struct err *err)
{
	struct displaced displaced = {.slot = 0};
	uint8_t original;

	if (!decode_at(table, tid, breakpoint->address, &displaced.insn, &original, err) ||
	    !breakpoint_place(table, tid, &displaced, err))
		return false;
	release_slot(table, &breakpoint->displaced);
	breakpoint->displaced = displaced;
	breakpoint->original = original;
	return true;
}

static bool breakpoint_hold(struct breakpoint_table *table, struct breakpoint *breakpoint,
			    struct err *err)
{
	uint64_t *held = breakpoint_register(table, 0);

	if (!held)
		return err_set(err, ERR_UNSUPPORTED, "--probes hardware has four addresses");
	*held = breakpoint->address;
	breakpoint->planted = true;
	return true;
}

static bool write_int3(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint,
		       struct err *err)
{
	static const uint8_t int3 = INT3;
	const struct target *target = table->target;

	if (table->in_registers)
		return breakpoint_hold(table, breakpoint, err);
	if (!breakpoint_note(table, breakpoint, err))
		return false;
	if (!target->ops->write(target->self, tid, breakpoint->address, &int3, 1)) {
		recovery_lift(table->guard, breakpoint->guarded);
		return err_set(err, ERR_TARGET, "the code at %#lx cannot be written",
			       breakpoint->address);
	}
	breakpoint->planted = true;
	return true;
}

bool breakpoint_prepare(struct breakpoint_table *table, pid_t tid, uint64_t address,
			struct breakpoint **ret, struct err *err)
{
	struct breakpoint *breakpoint = breakpoint_find(table, address);

	if (!breakpoint && !breakpoint_make(table, tid, address, &breakpoint, err))
		return false;
	*ret = breakpoint;
	return true;
}

bool breakpoint_plant(struct breakpoint_table *table, pid_t tid, uint64_t address,
		      struct breakpoint **ret, struct err *err)
{
	struct breakpoint *breakpoint;

	if (!breakpoint_prepare(table, tid, address, &breakpoint, err))
		return false;
	if (breakpoint_is_due(breakpoint) &&
	    ((!is_as_before(table, tid, breakpoint) && !renew(table, tid, breakpoint, err)) ||
	     !write_int3(table, tid, breakpoint, err)))
		return false;
	*ret = breakpoint;
	return true;
}

bool breakpoint_plant_over(struct breakpoint_table *table, pid_t tid, uint64_t address,
			   struct breakpoint **ret, struct err *err)
{
	const struct target *target = table->target;
	struct breakpoint *breakpoint;
	uint8_t byte;
	struct memory_read read = {.address = address, .to = &byte, .size = 1};

	if (!breakpoint_plant(table, tid, address, &breakpoint, err))
		return false;
	*ret = breakpoint;
	if (breakpoint->planted)
		return true;
	target->ops->read(target->self, tid, &read, 1);
	if (!read.ok)
		return err_set(err, ERR_TARGET, "the code at %#lx cannot be read", address);
	breakpoint->original = byte;
	return write_int3(table, tid, breakpoint, err);
}

/*
 * One read of all finds the unchanged ones; the others are checked singly. Those include
 * instructions with another breakpoint's int3 among their bytes.
 */
void breakpoint_plant_list_again(struct breakpoint_table *table, pid_t tid,
				 struct breakpoint *const *list, size_t n)
{
	const struct target *target = table->target;
	uint8_t(*bytes)[INSN_SIZE_MAX] = mem_alloc((n + 1) * sizeof(*bytes));
	struct memory_read *reads = mem_alloc((n + 1) * sizeof(*reads));
	struct breakpoint *ignored;
	struct err err;

	for (size_t i = 0; i < n; i++)
		reads[i] = (struct memory_read){.address = list[i]->address,
						.to = bytes[i],
						.size = list[i]->displaced.insn.size};
	if (n)
		target->ops->read(target->self, tid, reads, n);
	for (size_t i = 0; i < n; i++) {
		if (!breakpoint_is_due(list[i]))
			continue;
		if (!reads[i].ok ||
		    memcmp(bytes[i], list[i]->displaced.insn.bytes, reads[i].size) != 0)
			breakpoint_plant(table, tid, list[i]->address, &ignored, &err);
		else
			write_int3(table, tid, list[i], &err);
	}
	free(reads);
	free(bytes);
}

bool breakpoint_replant(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint)
{
	struct err ignored;

	return !breakpoint_is_due(breakpoint) || (is_as_before(table, tid, breakpoint) &&
						  write_int3(table, tid, breakpoint, &ignored));
}

bool breakpoint_restore(struct breakpoint_table *table, pid_t tid,
			const struct breakpoint *breakpoint)
{
	const struct target *target = table->target;
	uint8_t byte;
	struct memory_read read = {.address = breakpoint->address, .to = &byte, .size = 1};

	target->ops->read(target->self, tid, &read, 1);
	if (!read.ok)
		return false;
	return byte != INT3 ||
	       target->ops->write(target->self, tid, breakpoint->address, &breakpoint->original, 1);
}

void breakpoint_lift(struct breakpoint_table *table, pid_t tid, struct breakpoint *breakpoint)
{
	if (breakpoint->planted &&
	    (table->in_registers || breakpoint_restore(table, tid, breakpoint)))
		breakpoint_clear(table, breakpoint);
}

void breakpoint_lift_list(struct breakpoint_table *table, pid_t tid, struct breakpoint *const *list,
			  size_t n)
{
	const struct target *target = table->target;
	uint8_t *bytes = mem_alloc(n + 1);
	struct memory_read *reads = mem_alloc((n + 1) * sizeof(*reads));

	for (size_t i = 0; i < n; i++)
		reads[i] = (struct memory_read){
			.address = list[i]->address, .to = &bytes[i], .size = 1};
	if (n)
		target->ops->read(target->self, tid, reads, n);
	for (size_t i = 0; i < n; i++) {
		if (!list[i]->planted || !reads[i].ok)
			continue;
		list[i]->planted =
			bytes[i] == INT3 && !target->ops->write(target->self, tid, list[i]->address,
								&list[i]->original, 1);
		if (!list[i]->planted)
			recovery_lift(table->guard, list[i]->guarded);
	}
	free(reads);
	free(bytes);
}

void breakpoint_lift_again(struct breakpoint_table *table, pid_t tid,
			   const struct breakpoint *breakpoint)
{
	if (!table->in_registers)
		breakpoint_restore(table, tid, breakpoint);
}

void breakpoint_table_lift_all(struct breakpoint_table *table, pid_t tid)
{
	struct breakpoint *breakpoint, *next;

	HASH_ITER (hh, table->by_address, breakpoint, next)
		breakpoint_lift(table, tid, breakpoint);
	semaphores_lower(&table->semaphores, tid);
}

bool breakpoint_table_raise(struct breakpoint_table *table, pid_t tid, uint64_t address,
			    struct err *err)
{
	return semaphores_raise(&table->semaphores, tid, address, err);
}

void breakpoint_table_unmap(struct breakpoint_table *table, pid_t tid)
{
	scratch_unmap(table->scratch, tid);
}

struct breakpoint *breakpoint_by_slot(struct breakpoint_table *table, uint64_t pc)
{
	struct breakpoint *breakpoint, *next;
	uint64_t slot;

	if (!scratch_contains(table->scratch, pc, &slot))
		return NULL;
	HASH_ITER (hh, table->by_address, breakpoint, next)
		if (breakpoint->displaced.slot == slot)
			return breakpoint;
	return NULL;
}

void breakpoint_table_each(struct breakpoint_table *table,
			   void (*visit)(void *self, struct breakpoint *breakpoint), void *self)
{
	struct breakpoint *breakpoint, *next;

	HASH_ITER (hh, table->by_address, breakpoint, next)
		visit(self, breakpoint);
}
