/* From sites to patches: what they replace, their pads, and where those are. */
#include "pad_patch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"
#include "pad_patch_table.h"
#include "trace/target/lifeline_trap.h"

enum { JUMP_OPCODE = 0xe9, SHORT_OPCODE = 0xeb };

/* Does execution go on behind it? */
static bool patch_falls_through(const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_RETURN:
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT:
	case INSN_TRAP:
		return false;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_IF:
	case INSN_LOOP:
	case INSN_UNMOVABLE:
		break;
	}
	return true;
}

static bool patch_decode(const struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
			 struct err *err)
{
	uint8_t bytes[PAD_RUN_BYTES];
	struct insn *insn;

	if (patch->size < patch->jumps[0].bytes.size || patch->size > sizeof(bytes))
		return err_set(err, ERR_UNSUPPORTED, "a jump cannot replace %lu bytes at %#lx",
			       patch->size, patch->run);
	if (!pad_patch_table_read(table, tid, patch->run, bytes, patch->size))
		return err_set(err, ERR_TARGET, "the code at %#lx cannot be read", patch->run);
	memcpy(patch->jumps[0].bytes.original, bytes, patch->jumps[0].bytes.size);
	for (uint64_t at = 0; at < patch->size; at += insn->size) {
		if (patch->n_insns == PAD_RUN_MAX)
			return err_set(err, ERR_UNSUPPORTED, "too many instructions at %#lx",
				       patch->run);
		insn = &patch->insns[patch->n_insns];
		if (!insn_decode(table->setting.decoder, bytes + at, patch->size - at,
				 patch->run + at, insn))
			return err_set(err, ERR_FORMAT, "there is no valid instruction at %#lx",
				       patch->run + at);
		patch->n_insns++;
		if (!patch->closed && !patch_falls_through(insn))
			break; /* the rest is padding */
	}
	return true;
}

/* Before the same instruction: land, begin, turn, branch, return. */
static int patch_kind_order(enum pad_probe_kind kind)
{
	switch (kind) {
	case PAD_LANDING:
		return 0;
	case PAD_ENTRY:
		return 1;
	case PAD_TURN:
	case PAD_BRANCH:
		return 2;
	case PAD_ASK:
	case PAD_ASK_IF_OPEN:
	case PAD_END:
	case PAD_RESUME:
	case PAD_TAIL:
	case PAD_RETURN:
	case PAD_COST_ENTRY:
	case PAD_COST_EXIT:
	case PAD_COST_JUMP:
	case PAD_LOCK_ENTRY:
	case PAD_LOCK_EXIT:
	case PAD_LOCK_JUMP:
	case PAD_STREAM_ENTRY:
	case PAD_STREAM_EXIT:
		return 3;
	}
	return 0;
}

static int patch_order_probes(const void *a, const void *b)
{
	const struct pad_site *x = a;
	const struct pad_site *y = b;
	int order = pad_patch_table_order(!x->function, !y->function);

	if (!order)
		order = pad_patch_table_order(x->pc, y->pc);
	if (!order)
		order = pad_patch_table_order(patch_kind_order(x->kind), patch_kind_order(y->kind));
	if (!order && x->function)
		order = pad_patch_table_order(x->function->number, y->function->number);
	return order ? order : pad_patch_table_order(x->branch, y->branch);
}

static bool find_insn(const struct pad_patch *patch, uint64_t pc, unsigned *ret)
{
	for (size_t i = 0; i < patch->n_insns; i++)
		if (patch->insns[i].address == pc) {
			*ret = i;
			return true;
		}
	return false;
}

static bool patch_place_probes(struct pad_patch *patch, const struct pad_site *group, size_t n,
			       struct err *err)
{
	struct pad_site *sites = mem_copy(group, n, sizeof(*group));
	struct pad_probe *probes = mem_alloc((n + 1) * sizeof(*probes));

	qsort(sites, n, sizeof(*sites), patch_order_probes);
	patch->sites = sites;
	patch->n_sites = n;
	patch->probes = probes;
	for (size_t i = 0; i < n && sites[i].function; i++) {
		patch->n_probes++;
		probes[i] = (struct pad_probe){.kind = sites[i].kind,
					       .function = sites[i].function,
					       .branch = sites[i].branch,
					       .is_rare = sites[i].is_rare,
					       .index = sites[i].index,
					       .cost = sites[i].cost,
					       .gives_argument = sites[i].gives_argument,
					       .lands = sites[i].lands,
					       .flags_live = sites[i].flags_live};
		if (!find_insn(patch, sites[i].pc, &probes[i].insn))
			return err_set(err, ERR_FORMAT, "no instruction begins at %#lx",
				       sites[i].pc);
	}
	return true;
}

static bool patch_make_code(const struct pad_patch_table *table, const struct pad_patch *patch,
			    uint64_t address, struct pad_code *ret, struct err *err)
{
	const struct pad_request request = {
		.address = address,
		.run = patch->insns,
		.n_run = patch->n_insns,
		.next = patch->run + patch->size,
		.probes = patch->probes,
		.n_probes = patch->n_probes,
		.costs = table->setting.costs,
		.life = pad_area_life(table->setting.area),
	};

	return pad_code_make(&request, ret, err);
}

/* Of what is before its code: see struct lifeline_trap_pad. */
static size_t patch_header_size(size_t n_faults)
{
	const size_t size = sizeof(struct lifeline_trap_pad) + n_faults * 2 * sizeof(uint32_t);

	return (size + LIFELINE_TRAP_ALIGNMENT - 1) & ~(size_t)(LIFELINE_TRAP_ALIGNMENT - 1);
}

static bool patch_write_pad(const struct target *target, pid_t tid, const struct pad_patch *patch,
			    size_t size)
{
	const struct pad_faults *faults = &patch->code.faults;
	const size_t before = patch_header_size(faults->n);
	struct lifeline_trap_pad *pad = mem_alloc(size);
	bool done;

	pad->size = (uint32_t)size;
	pad->n_faults = (uint32_t)faults->n;
	for (size_t i = 0; i < faults->n; i++) {
		pad->faults[i].at = (uint32_t)before + faults->list[i].at;
		pad->faults[i].resume = (uint32_t)before + faults->list[i].resume;
	}
	memcpy((uint8_t *)pad + before, patch->code.bytes, patch->code.size);
	done = target->ops->write(target->self, tid, patch->pad - before, pad, size);
	free(pad);
	return done;
}

/* Made for its size as if it were in the run's place, from where all that it refers to is near. */
static bool patch_make_pad(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
			   struct err *err)
{
	const struct target *target = table->setting.target;
	struct pad_code first;
	size_t before, size;

	if (!patch_make_code(table, patch, patch->run, &first, err))
		return false;
	before = patch_header_size(first.faults.n);
	size = before + first.size + LIFELINE_TRAP_ALIGNMENT - 1;
	size -= size % LIFELINE_TRAP_ALIGNMENT;
	pad_code_deinit(&first);
	if (!pad_area_allocate(table->setting.area, tid, size, patch->run, &patch->pad, err))
		return false;
	patch->pad += before;
	if (!patch_make_code(table, patch, patch->pad, &patch->code, err))
		return false;
	assert(before + patch->code.size <= size &&
	       patch_header_size(patch->code.faults.n) == before);
	if (!patch_write_pad(target, tid, patch, size))
		return err_set(err, ERR_TARGET, "a pad at %#lx cannot be written", patch->pad);
	free(patch->code.bytes);
	patch->code.bytes = NULL;
	return true;
}

static void make_jump(struct recovery_jump *jump, uint64_t to)
{
	const int32_t displacement = to - (jump->address + jump->size);

	jump->jump[0] = jump->size == JUMP_SIZE ? JUMP_OPCODE : SHORT_OPCODE;
	memcpy(jump->jump + 1, &displacement, jump->size - 1U);
}

/* Which bytes it overwrites. What is in the gap is read when all has been lifted there. */
static bool patch_place_jumps(const struct pad_patch_table *table, pid_t tid,
			      struct pad_patch *patch, struct err *err)
{
	struct recovery_jump *first = &patch->jumps[0].bytes;
	struct recovery_jump *far = &patch->jumps[1].bytes;
	const uint64_t end = patch->run + SHORT_JUMP_SIZE;

	first->address = patch->run;
	first->size = patch->gap ? SHORT_JUMP_SIZE : JUMP_SIZE;
	far->address = patch->gap;
	far->size = JUMP_SIZE;
	if (patch->gap && (int64_t)(patch->gap - end) != (int8_t)(patch->gap - end))
		return err_set(err, ERR_UNSUPPORTED, "the gap at %#lx is too far away", patch->gap);
	if (patch->gap && !pad_patch_table_read(table, tid, patch->gap, far->original, JUMP_SIZE))
		return err_set(err, ERR_TARGET, "the code at %#lx cannot be read", patch->gap);
	return true;
}

static void patch_make_jumps(struct pad_patch *patch)
{
	make_jump(&patch->jumps[0].bytes, patch->gap ? patch->gap : patch->pad);
	if (patch->gap)
		make_jump(&patch->jumps[1].bytes, patch->pad);
}

static bool patch_make(struct pad_patch_table *table, pid_t tid, const struct pad_site *group,
		       size_t n, struct err *err)
{
	struct pad_patch *patch = mem_alloc(sizeof(*patch));

	patch->run = group[0].run;
	for (size_t i = 0; i < n; i++) {
		patch->closed |= group[i].closed;
		if (group[i].run + group[i].size > patch->run + patch->size)
			patch->size = group[i].run + group[i].size - patch->run;
	}
	if (patch->size < JUMP_SIZE) {
		patch->gap = group[0].gap;
		patch->borrows = group[0].lender_size;
	}
	if (!patch_place_jumps(table, tid, patch, err) || !patch_decode(table, tid, patch, err) ||
	    !patch_place_probes(patch, group, n, err) || !patch_make_pad(table, tid, patch, err)) {
		pad_patch_table_free(patch);
		return false;
	}
	patch_make_jumps(patch);
	pad_patch_table_add(table, patch);
	return true;
}

bool pad_patch_make_alone(struct pad_patch_table *table, pid_t tid, uint64_t near,
			  const struct pad_probe *probe, uint64_t *ret, struct err *err)
{
	struct pad_patch *patch = mem_alloc(sizeof(*patch));
	const struct pad_site site = {.kind = probe->kind, .function = probe->function};

	patch->run = near;
	patch->sites = mem_copy(&site, 1, sizeof(site));
	patch->n_sites = 1;
	patch->probes = mem_copy(probe, 1, sizeof(*probe));
	patch->n_probes = 1;
	if (!patch_make_pad(table, tid, patch, err)) {
		pad_patch_table_free(patch);
		return false;
	}
	*ret = patch->pad;
	pad_patch_table_add(table, patch);
	pad_patch_table_sort(table);
	return true;
}

struct site_list {
	struct pad_site *sites;
	size_t n, capacity;
};

/* The patches that @site overlaps make way for it. */
static bool replace_patches(struct pad_patch_table *table, pid_t tid, const struct pad_site *site,
			    struct site_list *list, struct err *err)
{
	const uint64_t last = site->run + site->size - 1;
	size_t i;

	while ((i = pad_patch_table_runs_up_to(table, last))) {
		struct pad_patch *patch = table->by_run[i - 1];

		if (patch->run + patch->size <= site->run)
			break;
		pad_patch_lift(table, tid, patch);
		if (patch->planted)
			return err_set(err, ERR_TARGET, "the code at %#lx cannot be written",
				       patch->run);
		pad_patch_table_retire(table, i - 1);
	}
	list->sites = mem_grow(list->sites, &list->capacity, list->n + 1, sizeof(*site));
	list->sites[list->n++] = *site;
	return true;
}

/* Without it the site cannot be planted, which is found out then. */
static void replace_lender(struct pad_patch_table *table, pid_t tid, const struct pad_site *site,
			   struct site_list *list)
{
	const struct pad_site lender = {.run = site->lender, .size = site->lender_size};
	struct err ignored;

	if (site->lender_size)
		replace_patches(table, tid, &lender, list, &ignored);
}

static size_t count_probes(const struct pad_site *sites, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += sites[i].function != NULL;
	return found;
}

static int order_sites(const void *a, const void *b)
{
	const struct pad_site *x = a;
	const struct pad_site *y = b;
	const int order = pad_patch_table_order(x->run, y->run);

	return order ? order : pad_patch_table_order(x->gap, y->gap);
}

/* How many of the sorted @n @sites have runs that overlap the first one's, or each other's. */
static size_t group_size(const struct pad_site *sites, size_t n)
{
	uint64_t end = sites[0].run + sites[0].size;
	size_t i;

	for (i = 1; i < n && sites[i].run < end; i++)
		if (sites[i].run + sites[i].size > end)
			end = sites[i].run + sites[i].size;
	return i;
}

size_t pad_patch_prepare(struct pad_patch_table *table, pid_t tid, const struct pad_site *sites,
			 size_t n, struct err *err)
{
	struct site_list list = {.n = 0};
	size_t failed = 0;
	size_t size;

	for (size_t i = 0; i < n; i++) {
		failed += !replace_patches(table, tid, &sites[i], &list, err);
		replace_lender(table, tid, &sites[i], &list);
	}
	if (list.n)
		qsort(list.sites, list.n, sizeof(*list.sites), order_sites);
	for (size_t i = 0; i < list.n; i += size) {
		size = group_size(list.sites + i, list.n - i);
		if (!patch_make(table, tid, list.sites + i, size, err))
			failed += count_probes(list.sites + i, size);
	}
	free(list.sites);
	pad_patch_table_sort(table);
	return failed;
}
