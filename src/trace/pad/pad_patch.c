/*
 * The table of patches. Those that are replaced or whose code is gone stay known by their pads,
 * where a thread may still be.
 */
#include "pad_patch_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/catalogue/catalogue.h"

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

void pad_patch_table_unguard(const struct pad_patch_table *table, struct pad_jump *jump)
{
	recovery_forget(table->setting.guard, jump->guarded);
	jump->guarded = 0;
}

void pad_patch_table_unguard_all(const struct pad_patch_table *table, struct pad_patch *patch)
{
	pad_patch_table_unguard(table, &patch->jumps[0]);
	pad_patch_table_unguard(table, &patch->jumps[1]);
}

void pad_patch_table_free(struct pad_patch *patch)
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
		pad_patch_table_unguard_all(table, table->by_pad[i]);
		pad_patch_table_free(table->by_pad[i]);
	}
	free(table->by_run);
	free(table->by_pad);
	free(table->by_gap);
	free(table);
}

static void patch_keep(struct pad_patch ***list, size_t *n, size_t *capacity,
		       struct pad_patch *patch)
{
	*list = mem_grow(*list, capacity, *n + 1, sizeof(**list));
	(*list)[(*n)++] = patch;
}

static int patch_order_runs(const void *a, const void *b)
{
	return pad_patch_table_order((*(struct pad_patch *const *)a)->run,
				     (*(struct pad_patch *const *)b)->run);
}

static int patch_order_pads(const void *a, const void *b)
{
	return pad_patch_table_order((*(struct pad_patch *const *)a)->pad,
				     (*(struct pad_patch *const *)b)->pad);
}

static int patch_order_gaps(const void *a, const void *b)
{
	return pad_patch_table_order((*(struct pad_patch *const *)a)->gap,
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

void pad_patch_table_add(struct pad_patch_table *table, struct pad_patch *patch)
{
	if (patch->n_insns)
		patch_keep(&table->by_run, &table->n, &table->capacity, patch);
	patch_keep(&table->by_pad, &table->n_pads, &table->pads_capacity, patch);
}

void pad_patch_table_sort(struct pad_patch_table *table)
{
	patch_sort(table->by_run, table->n, patch_order_runs);
	patch_sort(table->by_pad, table->n_pads, patch_order_pads);
	patch_list_gaps(table);
}

static struct pad_patch *patch_copy(const struct pad_patch *patch)
{
	struct pad_patch *twin = mem_copy(patch, 1, sizeof(*patch));
	struct pad_code *code = &twin->code;

	twin->sites = mem_copy(patch->sites, patch->n_sites, sizeof(*patch->sites));
	twin->probes = mem_copy(patch->probes, patch->n_probes, sizeof(*patch->probes));
	code->faults.list = mem_copy(code->faults.list, code->faults.n, sizeof(*code->faults.list));
	code->faults.capacity = code->faults.n;
	code->windows = mem_copy(code->windows, code->n_windows, sizeof(*code->windows));
	code->stretches = mem_copy(code->stretches, code->n_stretches, sizeof(*code->stretches));
	code->questions = mem_copy(code->questions, code->n_questions, sizeof(*code->questions));
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
		for (unsigned k = twin->planted ? pad_patch_table_n_jumps(twin) : 0; k > 0; k--)
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
	return BISECT_FIRST(i, n, key(list[i]) <= address);
}

size_t pad_patch_table_runs_up_to(const struct pad_patch_table *table, uint64_t address)
{
	return patch_count(table->by_run, table->n, address, patch_key_run);
}

size_t pad_patch_table_gaps_up_to(const struct pad_patch_table *table, uint64_t address)
{
	return patch_count(table->by_gap, table->n_gaps, address, patch_key_gap);
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

struct pad_patch *pad_patch_table_overlapping_gap(const struct pad_patch_table *table, uint64_t low,
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
	struct pad_patch *patch = pad_patch_table_overlapping_gap(table, pc, pc + 1);

	return patch && patch->gap == pc ? patch : NULL;
}

struct pad_patch *pad_patch_lender(const struct pad_patch_table *table,
				   const struct pad_patch *patch)
{
	return patch->borrows ? pad_patch_by_run(table, patch->gap) : NULL;
}

static void patch_unsee_jump(const struct pad_jump *jump, uint64_t address, uint8_t *byte)
{
	const uint64_t at = address - jump->bytes.address;

	if (at < jump->bytes.size && *byte == jump->bytes.jump[at])
		*byte = jump->bytes.original[at];
}

void pad_patch_table_unsee(const struct pad_patch_table *table, uint64_t address, uint8_t *bytes,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pad_patch *patch = pad_patch_by_run(table, address + i);

		if (patch && patch->planted)
			patch_unsee_jump(&patch->jumps[0], address + i, &bytes[i]);
		patch = pad_patch_table_overlapping_gap(table, address + i, address + i + 1);
		if (patch)
			patch_unsee_jump(&patch->jumps[1], address + i, &bytes[i]);
	}
}

bool pad_patch_is_inside(const struct pad_patch_table *table, uint64_t pc)
{
	const struct pad_patch *patch = pad_patch_by_run(table, pc);

	return patch && pc != patch->run &&
	       (!patch->closed || pc - patch->run < patch->jumps[0].bytes.size);
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

void pad_patch_table_retire(struct pad_patch_table *table, size_t index)
{
	struct pad_patch *patch = table->by_run[index];

	pad_patch_table_unguard_all(table, patch);
	patch->planted = false;
	memmove(&table->by_run[index], &table->by_run[index + 1],
		(--table->n - index) * sizeof(struct pad_patch *));
}

bool pad_patch_table_read(const struct pad_patch_table *table, pid_t tid, uint64_t address,
			  uint8_t *bytes, size_t size)
{
	const struct target *target = table->setting.target;
	struct memory_read read = {.address = address, .to = bytes, .size = size};

	target->ops->read(target->self, tid, &read, 1);
	if (read.ok)
		breakpoint_table_unsee(table->setting.breakpoints, address, bytes, size);
	return read.ok;
}

void pad_patch_table_forget(struct pad_patch_table *table, uint64_t low, uint64_t high)
{
	for (size_t i = table->n; i > 0; i--)
		if (table->by_run[i - 1]->run >= low && table->by_run[i - 1]->run < high)
			pad_patch_table_retire(table, i - 1);
	patch_list_gaps(table);
}
