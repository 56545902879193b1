/* Planting jumps, lifting them, and what is at their places else: int3s. */
#include "pads_jumps.h"

#include <stdlib.h>

#include "base/mem.h"
#include "trace/call/branches.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/measured.h"

bool pads_jumps_is_spoiled(const struct pads *pads, uint64_t run)
{
	for (size_t i = 0; i < pads->n_spoiled; i++)
		if (pads->spoiled[i] == run)
			return true;
	return false;
}

void pads_spoil(struct inferior *inferior, const struct pad_patch *patch)
{
	struct pads *pads = inferior->pads;

	pads->spoiled = mem_grow(pads->spoiled, &pads->spoiled_capacity, pads->n_spoiled + 1,
				 sizeof(*pads->spoiled));
	pads->spoiled[pads->n_spoiled++] = patch->run;
	pads->dirty = pads->urgent = true;
}

/* The breakpoint of a site: at the endbr64 before it, if there is one. */
struct breakpoint *pads_jumps_breakpoint(struct inferior *inferior, const struct pad_site *site)
{
	struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, site->pc);

	if (!breakpoint && (site->kind == PAD_ENTRY || site->kind == PAD_COST_ENTRY ||
			    site->kind == PAD_LOCK_ENTRY || site->kind == PAD_STREAM_ENTRY ||
			    site->kind == PAD_ASK || site->kind == PAD_ASK_IF_OPEN))
		breakpoint = breakpoint_find(inferior->breakpoints, site->pc - 4);
	return breakpoint;
}

struct breakpoint *pads_breakpoint(struct inferior *inferior, const struct pad_patch *patch,
				   unsigned probe)
{
	return pads_jumps_breakpoint(inferior, &patch->sites[probe]);
}

static bool is_probe_of(struct inferior *inferior, const struct pad_patch *patch,
			const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < patch->n_probes; i++)
		if (pads_breakpoint(inferior, patch, i) == breakpoint)
			return true;
	return false;
}

/* Does a breakpoint in the run stay that is no probe of the patch? */
static bool has_strangers(struct inferior *inferior, const struct pad_patch *patch)
{
	for (uint64_t at = patch->run; at < patch->run + patch->size; at++) {
		const struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, at);

		if (breakpoint && breakpoint->planted && !is_probe_of(inferior, patch, breakpoint))
			return true;
	}
	return false;
}

/* Threads may run a closed run where it stands, behind its jump. */
static bool is_kept(const struct pad_patch *patch, const struct breakpoint *breakpoint)
{
	return patch->closed && breakpoint->address - patch->run >= patch->jumps[0].bytes.size;
}

static void set_padded(struct inferior *inferior, pid_t tid, const struct pad_patch *patch,
		       bool padded)
{
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (!breakpoint)
			continue;
		breakpoint->padded = padded;
		breakpoint->kept = padded && is_kept(patch, breakpoint);
		if (breakpoint_is_due(breakpoint) && measured_wants(inferior, breakpoint))
			breakpoint_replant(inferior->breakpoints, tid, breakpoint);
	}
}

static bool is_given_up(const struct inferior *inferior, const struct pad_site *site)
{
	return (site->kind == PAD_BRANCH || site->kind == PAD_TURN) &&
	       !branches_is_live(&inferior->image->functions[site->function->number], site->branch);
}

/* Branches given up need no probe any more; runs that faulted must be as they were. */
static bool is_stale(const struct inferior *inferior, const struct pad_patch *patch)
{
	bool stale = pads_jumps_is_spoiled(inferior->pads, patch->run);

	for (size_t i = 0; i < patch->n_probes; i++)
		stale |= is_given_up(inferior, &patch->sites[i]);
	return stale;
}

static void plant_now(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct err ignored;

	if (patch->planted || patch->is_pointed_into || is_stale(inferior, patch) ||
	    has_strangers(inferior, patch))
		return;
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && !is_kept(patch, breakpoint))
			breakpoint_lift(inferior->breakpoints, tid, breakpoint);
	}
	set_padded(inferior, tid, patch,
		   pad_patch_plant(inferior->pads->patches, tid, patch, &ignored));
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && breakpoint->returns && !breakpoint->planted)
			breakpoint_plant_over(inferior->breakpoints, tid, breakpoint->address,
					      &breakpoint, &ignored);
	}
}

/* What only lends is planted for those that borrow. */
void pads_jumps_plant(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct pad_patch *lender = pad_patch_lender(inferior->pads->patches, patch);

	if (!patch->n_probes || (patch->withdrawn && !inferior->session->restores))
		return;
	if (lender)
		plant_now(inferior, tid, lender);
	plant_now(inferior, tid, patch);
	if (patch->withdrawn && !patch->planted)
		set_padded(inferior, tid, patch, false);
	patch->withdrawn = false;
}

/* Who borrows from it has int3s again. */
static void lift_borrowers(struct inferior *inferior, pid_t tid, const struct pad_patch *patch)
{
	struct pad_patch *const *list;
	size_t n;

	list = pad_patch_table_list(inferior->pads->patches, &n);
	for (size_t i = 0; i < n && patch->lends; i++)
		if (pad_patch_lender(inferior->pads->patches, list[i]) == patch)
			pads_jumps_lift(inferior, tid, list[i]);
}

static bool has_landing(const struct pad_patch *patch)
{
	return patch->n_probes && patch->sites[0].kind == PAD_LANDING;
}

/* An int3 over the jump's first byte restores that; it must restore the code's. */
void pads_jumps_lift(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct breakpoint *over = breakpoint_find(inferior->breakpoints, patch->run);
	const bool was_over = over && over->planted;

	if (patch->withdrawn)
		set_padded(inferior, tid, patch, false);
	patch->withdrawn = false;
	if (!patch->planted)
		return;
	lift_borrowers(inferior, tid, patch);
	if (was_over)
		breakpoint_lift(inferior->breakpoints, tid, over);
	pad_patch_lift(inferior->pads->patches, tid, patch);
	if (patch->planted)
		return;
	inferior->pads->landless |= has_landing(patch);
	if (over)
		over->original = over->displaced.insn.bytes[0];
	set_padded(inferior, tid, patch, false);
	if (was_over)
		breakpoint_replant(inferior->breakpoints, tid, over);
}

static bool can_be_withdrawn(struct inferior *inferior, const struct pad_patch *patch)
{
	if (!patch->planted || patch->lends)
		return false;
	for (size_t i = 0; i < patch->n_probes; i++) {
		const struct pad_site *site = &patch->sites[i];
		const struct breakpoint *breakpoint = pads_jumps_breakpoint(inferior, site);
		const struct measured_function *measured;

		if (!breakpoint || breakpoint->returns ||
		    (site->kind != PAD_ENTRY && site->kind != PAD_RETURN &&
		     site->kind != PAD_BRANCH && site->kind != PAD_TURN && site->kind != PAD_TAIL))
			return false;
		measured = &inferior->image->functions[site->function->number];
		if (!measured->withdrawn || !measured_is_shut(measured) || measured->exits_stay)
			return false;
	}
	return true;
}

void pads_jumps_withdraw(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	if (!can_be_withdrawn(inferior, patch))
		return;
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		breakpoint->kept = false;
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
	}
	pad_patch_lift(inferior->pads->patches, tid, patch);
	patch->withdrawn = !patch->planted;
}

void pads_jumps_each(struct inferior *inferior, pid_t tid, pads_jumps_visit *visit)
{
	struct pad_patch *const *list;
	size_t n;

	list = pad_patch_table_list(inferior->pads->patches, &n);
	for (size_t i = 0; i < n; i++)
		visit(inferior, tid, list[i]);
}

void pads_jumps_lift_int3s(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	for (size_t i = 0; i < patch->n_probes && !patch->planted && !patch->withdrawn; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint)
			breakpoint_lift(inferior->breakpoints, tid, breakpoint);
	}
}

/* Where no jump does their work. */
void pads_jumps_plant_int3s(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	for (size_t i = 0; i < patch->n_probes && !patch->planted; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && measured_wants(inferior, breakpoint))
			breakpoint_replant(inferior->breakpoints, tid, breakpoint);
	}
}

/* Its breakpoint is for nothing any more, either. */
void pads_jumps_lift_stale(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	if (!is_stale(inferior, patch))
		return;
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && is_given_up(inferior, &patch->sites[i]))
			breakpoint->branch_of = -1;
	}
	pads_jumps_lift(inferior, tid, patch);
}

void pads_lift(struct inferior *inferior, pid_t tid)
{
	if (!inferior->pads)
		return;
	pads_jumps_each(inferior, tid, pads_jumps_lift);
	inferior->pads->planted = false;
	inferior->cost.lasting = false;
}

void pads_restore_copy(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	if (!inferior || !inferior->pads || !inferior->pads->planted)
		return;
	pad_patch_table_restore_in(inferior->pads->patches, tracee->tid);
}

bool pads_go_on(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct pads *pads = tracee->inferior->pads;
	const struct pad_patch *patch =
		pads ? pad_patch_by_run(pads->patches, breakpoint->address) : NULL;

	if (!patch || !patch->planted || patch->run != breakpoint->address)
		return false;
	tracee->registers.rip = patch->pad;
	return true;
}

void pads_unmap(struct inferior *inferior, pid_t tid)
{
	if (inferior->pads)
		pad_area_unmap(inferior->pads->area, tid);
}
