/*
 * Planning patches, having their pads made, and writing both. Patches that are replaced or whose
 * code is gone stay known by their pads, where a thread may still be.
 */
#include "pad_patch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"

_Static_assert((int)RECOVERY_JUMP == JUMP_SIZE, "the rescue restores jumps");

enum { RUN_BYTES = PAD_RUN_MAX * INSN_SIZE_MAX, JUMP_OPCODE = 0xe9, SHORT_OPCODE = 0xeb };

struct pad_patch_table {
	struct pad_patch_setting setting;
	struct pad_patch **by_run; /* those that may be planted */
	size_t n, capacity;
	struct pad_patch **by_pad; /* all; owned */
	size_t n_pads, pads_capacity;
	struct pad_patch **by_gap; /* those of by_run that have one */
	size_t n_gaps, gaps_capacity;
};

/* What patches are sorted by. */
typedef uint64_t patch_key(const struct pad_patch *patch);

static uint64_t patch_key_run(const struct pad_patch *patch)
{
	return patch->run;
}

static uint64_t patch_key_pad(const struct pad_patch *patch)
{
	return patch->pad;
}

static uint64_t patch_key_gap(const struct pad_patch *patch)
{
	return patch->gap;
}

static void patch_unguard(const struct pad_patch_table *table, struct pad_jump *jump)
{
	recovery_forget(table->setting.guard, jump->guarded);
	jump->guarded = 0;
}

static void patch_unguard_all(const struct pad_patch_table *table, struct pad_patch *patch)
{
	patch_unguard(table, &patch->jumps[0]);
	patch_unguard(table, &patch->jumps[1]);
}

static unsigned patch_n_jumps(const struct pad_patch *patch)
{
	return patch->gap ? 2 : 1;
}

static void patch_free(struct pad_patch *patch)
{
	pad_code_deinit(&patch->code);
	free((void *)patch->sites);
	free((void *)patch->probes);
	free(patch);
}

struct pad_patch_table *pad_patch_table_create(const struct pad_patch_setting *setting)
{
	struct pad_patch_table *table = mem_alloc(sizeof(*table));

	table->setting = *setting;
	return table;
}

void pad_patch_table_destroy(struct pad_patch_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_pads; i++) {
		patch_unguard_all(table, table->by_pad[i]);
		patch_free(table->by_pad[i]);
	}
	free(table->by_run);
	free(table->by_pad);
	free(table->by_gap);
	free(table);
}

static void *patch_copy_list(const void *list, size_t n, size_t size)
{
	void *copy = mem_alloc((n + 1) * size);

	if (n)
		memcpy(copy, list, n * size);
	return copy;
}

static void patch_keep(struct pad_patch ***list, size_t *n, size_t *capacity,
		       struct pad_patch *patch)
{
	*list = mem_grow(*list, capacity, *n + 1, sizeof(**list));
	(*list)[(*n)++] = patch;
}

static int three_way(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int patch_order_runs(const void *a, const void *b)
{
	return three_way((*(struct pad_patch *const *)a)->run,
			 (*(struct pad_patch *const *)b)->run);
}

static int patch_order_pads(const void *a, const void *b)
{
	return three_way((*(struct pad_patch *const *)a)->pad,
			 (*(struct pad_patch *const *)b)->pad);
}

static int patch_order_gaps(const void *a, const void *b)
{
	return three_way((*(struct pad_patch *const *)a)->gap,
			 (*(struct pad_patch *const *)b)->gap);
}

static void patch_sort(struct pad_patch **list, size_t n,
		       int (*order)(const void *a, const void *b))
{
	if (n)
		qsort(list, n, sizeof(struct pad_patch *), order);
}

static void patch_list_gaps(struct pad_patch_table *table)
{
	table->n_gaps = 0;
	for (size_t i = 0; i < table->n; i++)
		if (table->by_run[i]->gap)
			patch_keep(&table->by_gap, &table->n_gaps, &table->gaps_capacity,
				   table->by_run[i]);
	patch_sort(table->by_gap, table->n_gaps, patch_order_gaps);
}

static struct pad_patch *patch_copy(const struct pad_patch *patch)
{
	struct pad_patch *twin = patch_copy_list(patch, 1, sizeof(*patch));
	struct pad_code *code = &twin->code;

	twin->sites = patch_copy_list(patch->sites, patch->n_sites, sizeof(*patch->sites));
	twin->probes = patch_copy_list(patch->probes, patch->n_probes, sizeof(*patch->probes));
	code->faults.list =
		patch_copy_list(code->faults.list, code->faults.n, sizeof(*code->faults.list));
	code->faults.capacity = code->faults.n;
	code->windows = patch_copy_list(code->windows, code->n_windows, sizeof(*code->windows));
	code->questions =
		patch_copy_list(code->questions, code->n_questions, sizeof(*code->questions));
	twin->jumps[0].guarded = twin->jumps[1].guarded = 0;
	return twin;
}

struct pad_patch_table *pad_patch_table_copy(const struct pad_patch_table *table,
					     const struct pad_patch_setting *setting)
{
	struct pad_patch_table *copy = pad_patch_table_create(setting);

	for (size_t i = 0; i < table->n_pads; i++) {
		struct pad_patch *twin = patch_copy(table->by_pad[i]);

		patch_keep(&copy->by_pad, &copy->n_pads, &copy->pads_capacity, twin);
		for (unsigned k = twin->planted ? patch_n_jumps(twin) : 0; k > 0; k--)
			recovery_plant_jump(setting->guard, setting->pid, &twin->jumps[k - 1].bytes,
					    &twin->jumps[k - 1].guarded);
	}
	for (size_t i = 0; i < table->n; i++)
		patch_keep(&copy->by_run, &copy->n, &copy->capacity,
			   pad_patch_by_pc(copy, table->by_run[i]->pad));
	patch_list_gaps(copy);
	return copy;
}

/* How many of the @n in @list, sorted by @key, have one up to @address. */
static size_t patch_count(struct pad_patch *const *list, size_t n, uint64_t address, patch_key *key)
{
	size_t low = 0;
	size_t high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (key(list[middle]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct pad_patch *pad_patch_by_pc(const struct pad_patch_table *table, uint64_t pc)
{
	const size_t n = patch_count(table->by_pad, table->n_pads, pc, patch_key_pad);
	struct pad_patch *patch = n ? table->by_pad[n - 1] : NULL;

	return patch && pc - patch->pad < patch->code.size ? patch : NULL;
}

struct pad_patch *pad_patch_by_run(const struct pad_patch_table *table, uint64_t address)
{
	const size_t n = patch_count(table->by_run, table->n, address, patch_key_run);
	struct pad_patch *patch = n ? table->by_run[n - 1] : NULL;

	return patch && address - patch->run < patch->size ? patch : NULL;
}

/* The planted one with the first gap that overlaps [low, high); NULL: none. */
static struct pad_patch *patch_with_gap(const struct pad_patch_table *table, uint64_t low,
					uint64_t high)
{
	size_t i = patch_count(table->by_gap, table->n_gaps, low - JUMP_SIZE, patch_key_gap);

	for (; i < table->n_gaps && table->by_gap[i]->gap < high; i++)
		if (table->by_gap[i]->planted)
			return table->by_gap[i];
	return NULL;
}

struct pad_patch *pad_patch_by_gap(const struct pad_patch_table *table, uint64_t pc)
{
	struct pad_patch *patch = patch_with_gap(table, pc, pc + 1);

	return patch && patch->gap == pc ? patch : NULL;
}

struct pad_patch *pad_patch_lender(const struct pad_patch_table *table,
				   const struct pad_patch *patch)
{
	return patch->borrows ? pad_patch_by_run(table, patch->gap) : NULL;
}

static void patch_unsee_jump(const struct pad_jump *jump, uint64_t address, uint8_t *byte)
{
	if (address - jump->bytes.address < jump->bytes.size)
		*byte = jump->bytes.original[address - jump->bytes.address];
}

void pad_patch_table_unsee(const struct pad_patch_table *table, uint64_t address, uint8_t *bytes,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pad_patch *patch = pad_patch_by_run(table, address + i);

		if (patch && patch->planted)
			patch_unsee_jump(&patch->jumps[0], address + i, &bytes[i]);
		patch = patch_with_gap(table, address + i, address + i + 1);
		if (patch)
			patch_unsee_jump(&patch->jumps[1], address + i, &bytes[i]);
	}
}

bool pad_patch_is_inside(const struct pad_patch_table *table, uint64_t pc)
{
	const struct pad_patch *patch = pad_patch_by_run(table, pc);

	return patch && pc != patch->run;
}

void pad_patch_table_scan(struct pad_patch_table *table, const uint64_t *words, size_t n)
{
	const uint64_t low = table->n ? table->by_run[0]->run : 0;
	const uint64_t high =
		table->n ? table->by_run[table->n - 1]->run + table->by_run[table->n - 1]->size : 0;

	for (size_t i = 0; i < n; i++)
		if (words[i] >= low && words[i] < high && pad_patch_is_inside(table, words[i]))
			pad_patch_by_run(table, words[i])->is_pointed_into = true;
}

void pad_patch_table_rescan(struct pad_patch_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		table->by_run[i]->is_pointed_into = false;
}

struct pad_patch *const *pad_patch_table_list(const struct pad_patch_table *table, size_t *ret_n)
{
	*ret_n = table->n;
	return table->by_run;
}

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

static bool patch_read(const struct pad_patch_table *table, pid_t tid, uint64_t address,
		       uint8_t *bytes, size_t size)
{
	const struct target *target = table->setting.target;
	struct memory_read read = {.address = address, .to = bytes, .size = size};

	target->ops->read(target->self, tid, &read, 1);
	if (read.ok)
		breakpoint_table_unsee(table->setting.breakpoints, address, bytes, size);
	return read.ok;
}

static bool patch_decode(const struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
			 struct err *err)
{
	uint8_t bytes[RUN_BYTES];
	struct insn *insn;

	if (patch->size < patch->jumps[0].bytes.size || patch->size > sizeof(bytes))
		return err_set(err, ERR_UNSUPPORTED, "a jump cannot replace %lu bytes at %#lx",
			       patch->size, patch->run);
	if (!patch_read(table, tid, patch->run, bytes, patch->size))
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
		if (!patch_falls_through(insn))
			break; /* the rest is padding */
	}
	return true;
}

/* Before the same instruction: begin, branch, return. */
static int patch_kind_order(enum pad_probe_kind kind)
{
	switch (kind) {
	case PAD_ENTRY:
		return 0;
	case PAD_BRANCH:
		return 1;
	case PAD_ASK:
	case PAD_END:
	case PAD_TAIL:
	case PAD_RETURN:
		return 2;
	}
	return 0;
}

static int patch_order_probes(const void *a, const void *b)
{
	const struct pad_site *x = a;
	const struct pad_site *y = b;
	int order = three_way(!x->function, !y->function);

	if (!order)
		order = three_way(x->pc, y->pc);
	if (!order)
		order = three_way(patch_kind_order(x->kind), patch_kind_order(y->kind));
	if (!order && x->function)
		order = three_way(x->function->number, y->function->number);
	return order ? order : three_way(x->branch, y->branch);
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
	struct pad_site *sites = patch_copy_list(group, n, sizeof(*group));
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
					       .index = sites[i].index,
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
	};

	return pad_code_make(&request, ret, err);
}

/* Made for its size as if it were in the run's place, from where all that it refers to is near. */
static bool patch_make_pad(struct pad_patch_table *table, pid_t tid, struct pad_patch *patch,
			   struct err *err)
{
	const struct target *target = table->setting.target;
	struct pad_code first;
	size_t size;

	if (!patch_make_code(table, patch, patch->run, &first, err))
		return false;
	size = first.size;
	pad_code_deinit(&first);
	if (!pad_area_allocate(table->setting.area, tid, size, patch->run, &patch->pad, err) ||
	    !patch_make_code(table, patch, patch->pad, &patch->code, err))
		return false;
	assert(patch->code.size <= size);
	if (!target->ops->write(target->self, tid, patch->pad, patch->code.bytes, patch->code.size))
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
	if (patch->gap && !patch_read(table, tid, patch->gap, far->original, JUMP_SIZE))
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
	for (size_t i = 0; i < n; i++)
		if (group[i].run + group[i].size > patch->run + patch->size)
			patch->size = group[i].run + group[i].size - patch->run;
	if (patch->size < JUMP_SIZE) {
		patch->gap = group[0].gap;
		patch->borrows = group[0].lender_size;
	}
	if (!patch_place_jumps(table, tid, patch, err) || !patch_decode(table, tid, patch, err) ||
	    !patch_place_probes(patch, group, n, err) || !patch_make_pad(table, tid, patch, err)) {
		patch_free(patch);
		return false;
	}
	patch_make_jumps(patch);
	patch_keep(&table->by_run, &table->n, &table->capacity, patch);
	patch_keep(&table->by_pad, &table->n_pads, &table->pads_capacity, patch);
	return true;
}

bool pad_patch_make_end(struct pad_patch_table *table, pid_t tid, uint64_t near,
			const struct pad_function *function, uint64_t *ret, struct err *err)
{
	struct pad_patch *patch = mem_alloc(sizeof(*patch));
	const struct pad_site site = {.kind = PAD_END, .function = function};
	const struct pad_probe probe = {.kind = PAD_END, .function = function};

	patch->run = near;
	patch->sites = patch_copy_list(&site, 1, sizeof(site));
	patch->n_sites = 1;
	patch->probes = patch_copy_list(&probe, 1, sizeof(probe));
	patch->n_probes = 1;
	if (!patch_make_pad(table, tid, patch, err)) {
		patch_free(patch);
		return false;
	}
	*ret = patch->pad;
	patch_keep(&table->by_pad, &table->n_pads, &table->pads_capacity, patch);
	patch_sort(table->by_pad, table->n_pads, patch_order_pads);
	return true;
}

/* It stays known by its pad. */
static void patch_retire(struct pad_patch_table *table, size_t index)
{
	struct pad_patch *patch = table->by_run[index];

	patch_unguard_all(table, patch);
	patch->planted = false;
	memmove(&table->by_run[index], &table->by_run[index + 1],
		(--table->n - index) * sizeof(struct pad_patch *));
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

	while ((i = patch_count(table->by_run, table->n, last, patch_key_run))) {
		struct pad_patch *patch = table->by_run[i - 1];

		if (patch->run + patch->size <= site->run)
			break;
		pad_patch_lift(table, tid, patch);
		if (patch->planted)
			return err_set(err, ERR_TARGET, "the code at %#lx cannot be written",
				       patch->run);
		patch_retire(table, i - 1);
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
	const int order = three_way(x->run, y->run);

	return order ? order : three_way(x->gap, y->gap);
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
	patch_sort(table->by_run, table->n, patch_order_runs);
	patch_sort(table->by_pad, table->n_pads, patch_order_pads);
	patch_list_gaps(table);
	return failed;
}

/* Is the code what was decoded? */
static bool patch_is_as_before(const struct pad_patch_table *table, pid_t tid,
			       const struct pad_patch *patch)
{
	uint8_t bytes[RUN_BYTES];

	if (!patch_read(table, tid, patch->run, bytes, patch->size))
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

	if (patch_with_gap(table, patch->gap, patch->gap + JUMP_SIZE))
		return false;
	if (patch->borrows)
		return lender && lender->planted && !lender->gap &&
		       patch->gap >= lender->run + JUMP_SIZE &&
		       patch->gap + JUMP_SIZE <= lender->run + lender->size;
	for (uint64_t at = patch->gap; at < patch->gap + JUMP_SIZE; at++)
		if (pad_patch_by_run(table, at))
			return false;
	return patch_read(table, tid, patch->gap, bytes, JUMP_SIZE) &&
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
	patch_unguard(table, jump);
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
	for (unsigned i = 0; i < patch_n_jumps(patch); i++)
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
	if (patch_with_gap(table, patch->run, patch->run + patch->size) ||
	    (patch->gap && !patch_has_gap(table, tid, patch)))
		return err_set(err, ERR_FORMAT, "the gap of the run at %#lx is not free",
			       patch->run);
	for (unsigned i = patch_n_jumps(patch); i > 0; i--) {
		if (patch_write_jump(table, tid, &patch->jumps[i - 1], err))
			continue;
		if (i == 1 && patch->gap && patch_restore_jump(table, tid, &patch->jumps[1]))
			patch_unguard(table, &patch->jumps[1]);
		return false;
	}
	patch->planted = true;
	patch_count_loan(table, patch, 1);
	return true;
}

static void patch_lift_borrowers(struct pad_patch_table *table, pid_t tid,
				 const struct pad_patch *patch)
{
	size_t i = patch_count(table->by_gap, table->n_gaps, patch->run, patch_key_gap);

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
	patch_unguard_all(table, patch);
}

void pad_patch_table_lift_all(struct pad_patch_table *table, pid_t tid)
{
	for (size_t i = 0; i < table->n; i++)
		pad_patch_lift(table, tid, table->by_run[i]);
}

void pad_patch_table_restore_in(struct pad_patch_table *table, pid_t tid)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->by_run[i]->planted)
			patch_restore(table, tid, table->by_run[i]);
}

void pad_patch_table_forget(struct pad_patch_table *table, uint64_t low, uint64_t high)
{
	for (size_t i = table->n; i > 0; i--)
		if (table->by_run[i - 1]->run >= low && table->by_run[i - 1]->run < high)
			patch_retire(table, i - 1);
	patch_list_gaps(table);
}
