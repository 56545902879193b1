/* All patches of an inferior, as those see them that make and plant them. */
#pragma once

#include "pad_patch.h"

struct pad_patch_table {
	struct pad_patch_setting setting;
	struct pad_patch **by_run; /* those that may be planted */
	size_t n, capacity;
	struct pad_patch **by_pad; /* all; owned */
	size_t n_pads, pads_capacity;
	struct pad_patch **by_gap; /* those of by_run that have one */
	size_t n_gaps, gaps_capacity;
};

enum { PAD_RUN_BYTES = PAD_RUN_MAX * INSN_SIZE_MAX };

/* Takes ownership. One without instructions is found by its pad alone. */
void pad_patch_table_add(struct pad_patch_table *table, struct pad_patch *patch);
void pad_patch_table_sort(struct pad_patch_table *table); /* after adding */
void pad_patch_table_free(struct pad_patch *patch);       /* one that was not added */

/* The patch at @index of by_run may not be planted any more. It stays known by its pad. */
void pad_patch_table_retire(struct pad_patch_table *table, size_t index);

/* How many in by_run, or by_gap, begin up to @address. */
size_t pad_patch_table_runs_up_to(const struct pad_patch_table *table, uint64_t address);
size_t pad_patch_table_gaps_up_to(const struct pad_patch_table *table, uint64_t address);

/* The planted one with the first gap that overlaps [low, high); NULL: none. */
struct pad_patch *pad_patch_table_overlapping_gap(const struct pad_patch_table *table, uint64_t low,
						  uint64_t high);

/* The code, without breakpoints. False: unreadable. */
bool pad_patch_table_read(const struct pad_patch_table *table, pid_t tid, uint64_t address,
			  uint8_t *bytes, size_t size);

void pad_patch_table_unguard(const struct pad_patch_table *table, struct pad_jump *jump);
void pad_patch_table_unguard_all(const struct pad_patch_table *table, struct pad_patch *patch);

static inline unsigned pad_patch_table_n_jumps(const struct pad_patch *patch)
{
	return patch->gap ? 2 : 1;
}

static inline int pad_patch_table_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}
