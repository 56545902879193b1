/* Writing jumps into the inferior's code, and restoring it. */
#include "pad_patch.h"

#include <string.h>

#include "core/catalogue/catalogue.h"
#include "pad_patch_table.h"

_Static_assert((int)RECOVERY_JUMP == JUMP_SIZE, "the rescue restores jumps");

/* Is the code what was decoded? */
static bool patch_is_as_before(const struct pad_patch_table *table, pid_t tid,
			       const struct pad_patch *patch)
{
	uint8_t bytes[PAD_RUN_BYTES];

	if (!pad_patch_table_read(table, tid, patch->run, bytes, patch->size))
		return false;
	for (size_t i = 0; i < patch->n_insns; i++)
		if (memcmp(bytes + (patch->insns[i].address - patch->run), patch->insns[i].bytes,
			   patch->insns[i].size) != 0)
			return false;
	return true;
}

/*
 * May @patch use its gap? Its lender has jumped over those bytes; to padding nobody else has a
 * right.
 */
static bool patch_has_gap(const struct pad_patch_table *table, pid_t tid,
			  const struct pad_patch *patch)
{
	const struct recovery_jump *jump = &patch->jumps[1].bytes;
	const struct pad_patch *lender = pad_patch_lender(table, patch);
	uint8_t bytes[JUMP_SIZE];

	if (pad_patch_table_overlapping_gap(table, patch->gap, patch->gap + JUMP_SIZE))
		return false;
	if (patch->borrows)
		return lender && lender->planted && !lender->gap &&
		       patch->gap >= lender->run + JUMP_SIZE &&
		       patch->gap + JUMP_SIZE <= lender->run + lender->size;
	for (uint64_t at = patch->gap; at < patch->gap + JUMP_SIZE; at++)
		if (pad_patch_by_run(table, at))
			return false;
	return pad_patch_table_read(table, tid, patch->gap, bytes, JUMP_SIZE) &&
	       !memcmp(bytes, jump->original, JUMP_SIZE);
}

static bool patch_write_jump(struct pad_patch_table *table, pid_t tid, struct pad_jump *jump,
			     struct err *err)
{
	const struct target *target = table->setting.target;
	const struct recovery_jump *bytes = &jump->bytes;

	if (!recovery_plant_jump(table->setting.guard, table->setting.pid, bytes, &jump->guarded))
		return err_set(err, ERR_TARGET, "there is no room for more than %d breakpoints",
			       RECOVERY_BREAKPOINTS);
	if (target->ops->write(target->self, tid, bytes->address, bytes->jump, bytes->size))
		return true;
	pad_patch_table_unguard(table, jump);
	return err_set(err, ERR_TARGET, "the code at %#lx cannot be written", bytes->address);
}

/* False: unreadable or unwritable. */
static bool patch_restore_jump(const struct pad_patch_table *table, pid_t tid,
			       const struct pad_jump *jump)
{
	const struct target *target = table->setting.target;
	const struct recovery_jump *ours = &jump->bytes;
	uint8_t bytes[JUMP_SIZE];
	struct memory_read read = {.address = ours->address, .to = bytes, .size = ours->size};

	target->ops->read(target->self, tid, &read, 1);
	if (!read.ok)
		return false;
	breakpoint_table_unsee_int3s(table->setting.breakpoints, ours->address, bytes, ours->size);
	return memcmp(bytes, ours->jump, ours->size) != 0 ||
	       target->ops->write(target->self, tid, ours->address, ours->original, ours->size);
}

/* The short jump goes first. */
static bool patch_restore(const struct pad_patch_table *table, pid_t tid,
			  const struct pad_patch *patch)
{
	for (unsigned i = 0; i < pad_patch_table_n_jumps(patch); i++)
		if (!patch_restore_jump(table, tid, &patch->jumps[i]))
			return false;
	return true;
}

static void patch_count_loan(struct pad_patch_table *table, const struct pad_patch *patch, int by)
{
	struct pad_patch *lender = pad_patch_lender(table, patch);

	if (lender)
		lender->lends += by;
}

bool pad_patch_plant(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
		     struct err *err)
{
	if (patch->planted)
		return true;
	if (!patch_is_as_before(table, tid, patch))
		return err_set(err, ERR_FORMAT, "the code at %#lx has changed", patch->run);
	if (pad_patch_table_overlapping_gap(table, patch->run, patch->run + patch->size) ||
	    (patch->gap && !patch_has_gap(table, tid, patch)))
		return err_set(err, ERR_FORMAT, "the gap of the run at %#lx is not free",
			       patch->run);
	for (unsigned i = pad_patch_table_n_jumps(patch); i > 0; i--) {
		if (patch_write_jump(table, tid, &patch->jumps[i - 1], err))
			continue;
		if (i == 1 && patch->gap && patch_restore_jump(table, tid, &patch->jumps[1]))
			pad_patch_table_unguard(table, &patch->jumps[1]);
		return false;
	}
	patch->planted = patch->was_planted = true;
	patch_count_loan(table, patch, 1);
	return true;
}

static void patch_lift_borrowers(struct pad_patch_table *table, pid_t tid,
				 const struct pad_patch *patch)
{
	size_t i = pad_patch_table_gaps_up_to(table, patch->run);

	for (; patch->lends && i < table->n_gaps; i++)
		if (table->by_gap[i]->borrows && table->by_gap[i]->gap < patch->run + patch->size)
			pad_patch_lift(table, tid, table->by_gap[i]);
}

/* As long as something jumps into the run, that must stay. */
void pad_patch_lift(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch)
{
	if (!patch->planted)
		return;
	patch_lift_borrowers(table, tid, patch);
	if (patch->lends || !patch_restore(table, tid, patch))
		return;
	patch->planted = false;
	patch_count_loan(table, patch, -1);
	pad_patch_table_unguard_all(table, patch);
}

void pad_patch_table_lift_all(struct pad_patch_table *table, pid_t tid)
{
	for (size_t i = 0; i < table->n; i++)
		pad_patch_lift(table, tid, table->by_run[i]);
}

void pad_patch_table_restore_in(struct pad_patch_table *table, pid_t tid)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->by_run[i]->planted || table->by_run[i]->was_planted)
			patch_restore(table, tid, table->by_run[i]);
}

void pad_patch_table_restore_lifted(struct pad_patch_table *table, pid_t tid)
{
	for (size_t i = 0; i < table->n; i++)
		if (!table->by_run[i]->planted && table->by_run[i]->was_planted)
			patch_restore(table, tid, table->by_run[i]);
}
