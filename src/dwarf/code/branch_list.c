/* Collects branches; loops and doubtful switches are decided once all jumps are known. */
#include "branch_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "dwarf/file/line_table.h"

void branch_list_add(struct branch_list *list, const struct branch_site *branch, uint64_t jump_addr)
{
	list->branches =
		mem_grow(list->branches, &list->capacity, list->n + 1, sizeof(*list->branches));
	list->jumps =
		mem_grow(list->jumps, &list->jumps_capacity, list->n + 1, sizeof(*list->jumps));
	list->branches[list->n] = *branch;
	list->jumps[list->n++] = jump_addr;
}

void branch_list_jump(struct branch_list *list, const struct insn *insn)
{
	list->direct = mem_grow(list->direct, &list->direct_capacity, list->n_direct + 1,
				sizeof(*list->direct));
	list->direct[list->n_direct++] = (struct jump){insn->address, insn->target};
}

/* Before a branch of its address. */
void branch_list_loop(struct branch_list *list, const struct flow_loop *loop)
{
	const struct branch_site branch = {.kind = BRANCH_TURNS,
					   .addr = loop->turn_addr,
					   .target_addr = loop->jump_addr,
					   .in_loop = loop->depth > 0};
	size_t at;

	branch_list_add(list, &branch, 0);
	for (at = list->n - 1; at > 0 && list->branches[at - 1].addr >= branch.addr; at--) {
		list->branches[at] = list->branches[at - 1];
		list->jumps[at] = list->jumps[at - 1];
	}
	list->branches[at] = branch;
	list->jumps[at] = 0;
}

/* Branches and jumps are both sorted by address. */
static void loops_find(struct branch_list *list)
{
	uint64_t lowest_addr = UINT64_MAX;
	size_t at = list->n_direct;

	for (size_t i = list->n; i > 0; i--) {
		struct branch_site *branch = &list->branches[i - 1];

		for (; at > 0 && list->direct[at - 1].from_addr >= branch->addr; at--) {
			const struct jump *jump = &list->direct[at - 1];

			if (jump->to_addr <= jump->from_addr && jump->to_addr < lowest_addr)
				lowest_addr = jump->to_addr;
		}
		if (branch->kind != BRANCH_TURNS)
			branch->in_loop = lowest_addr <= branch->addr;
	}
}

static int target_order(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;

	return (x->to_addr > y->to_addr) - (x->to_addr < y->to_addr);
}

/* Does a jump lead past @after, up to @to? Jumps are sorted by target here. */
static bool is_joined(const struct branch_list *list, uint64_t after, uint64_t to)
{
	const size_t low = BISECT_FIRST(i, list->n_direct, list->direct[i].to_addr <= after);

	return low < list->n_direct && list->direct[low].to_addr <= to;
}

/*
 * Drop switches whose jump can be reached without reading the table: the table read would miss
 * cases.
 */
static void joined_switches_drop(struct branch_list *list, struct function *function)
{
	size_t kept = 0;

	if (list->n_direct)
		qsort(list->direct, list->n_direct, sizeof(*list->direct), target_order);
	for (size_t i = 0; i < list->n; i++) {
		if (list->jumps[i] && is_joined(list, list->branches[i].addr, list->jumps[i]))
			function->switches_cut++;
		else
			list->branches[kept++] = list->branches[i];
	}
	list->n = kept;
}

static const char *branch_name(const struct function *function, const struct branch_site *branch,
			       struct arena *arena)
{
	const bool before = branch->addr < function->entry_addr; /* in a cold part */
	const uint64_t offset =
		before ? function->entry_addr - branch->addr : branch->addr - function->entry_addr;
	const char *slash = branch->file ? strrchr(branch->file, '/') : NULL;

	if (!branch->file)
		return arena_printf(arena, "%s%s0x%" PRIx64, function->name, before ? "-" : "+",
				    offset);
	return arena_printf(arena, "%s:%u at %s%s0x%" PRIx64, slash ? slash + 1 : branch->file,
			    branch->line, function->name, before ? "-" : "+", offset);
}

/* Of several loops of one line, as of one that the compiler has made into two, the place, too. */
static const char *loop_name(const struct branch_list *list, size_t index,
			     const struct function *function, struct arena *arena)
{
	const struct branch_site *loop = &list->branches[index];
	const char *slash = loop->file ? strrchr(loop->file, '/') : NULL;
	const char *name = loop->file ? arena_printf(arena, "loop(%s:%u)",
						     slash ? slash + 1 : loop->file, loop->line)
				      : NULL;

	for (size_t i = 0; i < index && name; i++)
		if (list->branches[i].kind == BRANCH_TURNS && !strcmp(list->branches[i].name, name))
			name = NULL;
	return name ? name : arena_printf(arena, "loop(%s)", branch_name(function, loop, arena));
}

static void sources_find(struct branch_list *list, Dwarf_Die *die, struct arena *arena,
			 const struct function *function)
{
	const char *last = NULL, *own = NULL;

	for (size_t i = 0; i < list->n; i++) {
		struct branch_site *branch = &list->branches[i];

		const bool is_loop = branch->kind == BRANCH_TURNS;

		if (die && line_table_source(die, is_loop ? branch->target_addr : branch->addr,
					     &branch->file, &branch->line)) {
			if (!last || strcmp(last, branch->file) != 0) {
				last = branch->file;
				own = arena_strdup(arena, branch->file);
			}
			branch->file = own;
		}
		branch->name = is_loop ? loop_name(list, i, function, arena)
				       : branch_name(function, branch, arena);
	}
}

void branch_list_take(struct branch_list *list, Dwarf_Die *die, struct arena *arena,
		      struct function *function)
{
	loops_find(list);
	joined_switches_drop(list, function);
	sources_find(list, die, arena, function);
	function->n_branches = list->n;
	function->branches =
		list->n ? arena_copy(arena, list->branches, list->n * sizeof(*list->branches))
			: NULL;
	free(list->branches);
	free(list->jumps);
	free(list->direct);
}
