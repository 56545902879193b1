/*
 * Exits and branches of a function. core/catalogue/insn.c decodes instructions, jump_table.c
 * follows an index to a jump.
 */
#include "function_code.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "branch_list.h"
#include "core/flow/flow_loops.h"
#include "jump_gap.h"
#include "jump_run.h"
#include "jump_table.h"

/* Maximum of instructions between the load from a jump table and the jump. */
enum { TABLE_DISTANCE = 10 };

struct walk {
	const struct code_source *code;
	struct function *function;
	struct exit_site *exits;
	size_t n, capacity;
	struct branch_list branches;
	struct jump_sites sites;
	struct jump_table state;
	struct insn table;      /* the last load that may read a jump table */
	unsigned since_table;   /* in instructions */
	struct flow_insn *flow; /* if loops are looked for */
	size_t n_flow, flow_capacity;
};

static void exit_add(struct walk *walk, uint64_t addr, enum exit_kind kind)
{
	walk->exits = mem_grow(walk->exits, &walk->capacity, walk->n + 1, sizeof(*walk->exits));
	walk->exits[walk->n++] = (struct exit_site){addr, kind};
}

static void jump_see(struct walk *walk, const struct insn *insn)
{
	const struct branch_site branch = {
		.kind = insn->kind == INSN_LOOP ? BRANCH_LOOP : BRANCH_CONDITIONAL,
		.addr = insn->address,
		.target_addr = insn->target,
	};

	if (insn->kind != INSN_JUMP)
		branch_list_add(&walk->branches, &branch, 0);
	if (!catalogue_contains(walk->function, insn->target)) {
		exit_add(walk, insn->address, EXIT_TAIL_JUMP);
		return;
	}
	branch_list_jump(&walk->branches, insn);
	if (insn->target == walk->function->probe_addr)
		walk->function->probe_in_loop = true;
}

/*
 * Does the table's first address lie in the function? Tables of other functions' addresses serve
 * tail calls.
 */
static bool table_stays(const struct walk *walk, uint64_t addr)
{
	uint64_t target;

	return addr && elf_file_word(walk->code->image, addr, &target) &&
	       catalogue_contains(walk->function, target);
}

/*
 * Does @insn jump through a table of this function? Tables of 4-byte offsets always are, if the
 * loaded value is the jump's target. In doubt the jump counts as an exit, whose target is checked
 * when it executes.
 */
static bool jumps_by_table(const struct walk *walk, const struct insn *insn)
{
	const struct insn *table = &walk->table;

	if (insn->operand.memory)
		return table_stays(walk, insn->table_address);
	if (walk->since_table >= TABLE_DISTANCE || table->table_register != insn->operand.base ||
	    !table->table_extended)
		return false;
	return table->table_entry == 4 || table_stays(walk, table->table_address);
}

/*
 * Without a bounds check before the jump, the compiler may address the table from before its start
 * to skip the lowest cases; another table of the function may lie there.
 */
static bool table_begins(const struct walk *walk, uint64_t addr, bool checked)
{
	return checked || !addr || !table_stays(walk, addr - 8);
}

static void switch_see(struct walk *walk, const struct insn *insn)
{
	const uint64_t table_addr =
		insn->operand.memory ? insn->table_address : walk->table.table_address;
	struct branch_site branch;
	bool checked;

	jump_sites_table(&walk->sites, insn);
	if (jump_table_find(&walk->state, insn, &branch, &checked) &&
	    table_begins(walk, table_addr, checked))
		branch_list_add(&walk->branches, &branch, insn->address);
	else
		walk->function->switches_cut++;
}

static void table_see(struct walk *walk, const struct insn *insn)
{
	walk->since_table++;
	if (insn->is_cltq && walk->since_table == 1 && walk->table.table_register == 0)
		walk->table.table_extended = true;
	if (!insn->table_entry)
		return;
	walk->since_table = 0;
	walk->table = *insn;
}

static void insn_see(struct walk *walk, const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_RETURN:
		exit_add(walk, insn->address, EXIT_RETURN);
		break;
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		jump_see(walk, insn);
		break;
	case INSN_JUMP_INDIRECT:
		if (jumps_by_table(walk, insn)) {
			switch_see(walk, insn);
		} else {
			exit_add(walk, insn->address, EXIT_INDIRECT_JUMP);
			jump_sites_exit(&walk->sites, insn);
		}
		break;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		break;
	}
	table_see(walk, insn);
	jump_table_see(&walk->state, insn);
	if (walk->code->targets)
		jump_sites_see(&walk->sites, insn);
}

static void flow_add(struct walk *walk, enum flow_kind kind, uint64_t addr, uint64_t next_addr,
		     uint64_t target_addr)
{
	walk->flow =
		mem_grow(walk->flow, &walk->flow_capacity, walk->n_flow + 1, sizeof(*walk->flow));
	walk->flow[walk->n_flow++] = (struct flow_insn){
		kind, addr, next_addr,
		catalogue_contains(walk->function, target_addr) ? target_addr : 0};
}

/* What stands behind a jump to align what follows. */
static void flow_pad(struct walk *walk, const struct insn *insn)
{
	struct flow_insn *last = walk->n_flow ? &walk->flow[walk->n_flow - 1] : NULL;

	if (last && last->kind != FLOW_IF && last->next_addr == insn->address)
		last->next_addr += insn->size;
}

static void flow_see(struct walk *walk, const struct insn *insn)
{
	const uint64_t next_addr = insn->address + insn->size;

	switch (insn->kind) {
	case INSN_JUMP:
		flow_add(walk, FLOW_JUMP, insn->address, next_addr, insn->target);
		break;
	case INSN_JUMP_IF:
	case INSN_LOOP:
		flow_add(walk, FLOW_IF, insn->address, next_addr, insn->target);
		break;
	case INSN_JUMP_INDIRECT:
		flow_add(walk, jumps_by_table(walk, insn) ? FLOW_TABLE : FLOW_END, insn->address,
			 next_addr, 0);
		break;
	case INSN_RETURN:
	case INSN_TRAP:
		flow_add(walk, FLOW_END, insn->address, next_addr, 0);
		break;
	case INSN_NOP:
		flow_pad(walk, insn);
		break;
	case INSN_PLAIN:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_UNMOVABLE:
		break;
	}
}

/* Returns the number of bytes that could not be decoded. */
static uint64_t range_walk(struct walk *walk, const struct address_range *range)
{
	uint64_t undecoded = 0, addr = range->low_addr;
	size_t size = 0;
	const uint8_t *code = elf_file_code(walk->code->image, addr, &size);

	if (size > range->high_addr - addr)
		size = range->high_addr - addr;
	walk->since_table = TABLE_DISTANCE;
	jump_table_reset(&walk->state);
	while (code && size) {
		struct insn insn;
		size_t step = 1;

		if (insn_decode(walk->code->decoder, code, size, addr, &insn) && insn.size &&
		    insn.size <= size) {
			if (walk->code->loops)
				flow_see(walk, &insn);
			insn_see(walk, &insn);
			step = insn.size;
		} else {
			undecoded++;
			jump_table_reset(&walk->state);
			jump_sites_undecoded(&walk->sites);
		}
		code += step;
		size -= step;
		addr += step;
	}
	if (walk->code->loops)
		flow_add(walk, FLOW_END, range->high_addr - 1, range->high_addr, 0);
	if (walk->code->targets)
		jump_sites_padding(&walk->sites, walk->code, walk->function, range->high_addr);
	return undecoded;
}

typedef void visit_probe(struct jump_sites *sites, uint64_t addr, struct jump_site *site,
			 enum probe_fate fate);

/* The most important first. */
static void each_probe(struct walk *walk, visit_probe *visit)
{
	struct jump_sites *sites = &walk->sites;

	visit(sites, walk->function->probe_addr, &walk->function->site, PROBE_PAD);
	for (size_t i = 0; i < walk->n; i++)
		visit(sites, walk->exits[i].addr, &walk->exits[i].site,
		      walk->exits[i].kind == EXIT_BLOCK ? PROBE_INT3 : PROBE_PAD);
	for (size_t i = 0; i < walk->branches.n; i++) {
		struct branch_site *branch = &walk->branches.branches[i];

		visit(sites, branch->addr, &branch->site,
		      branch->kind == BRANCH_SWITCH ? PROBE_INT3 : PROBE_MAYBE);
	}
}

static void site_choose(struct jump_sites *sites, uint64_t addr, struct jump_site *site,
			enum probe_fate fate)
{
	(void)fate;
	*site = jump_run_at(sites, addr, JUMP_SIZE);
}

static void site_see(struct jump_sites *sites, uint64_t addr, struct jump_site *site,
		     enum probe_fate fate)
{
	jump_gap_see(sites, addr, site, fate);
}

static void site_lend(struct jump_sites *sites, uint64_t addr, struct jump_site *site,
		      enum probe_fate fate)
{
	if (fate != PROBE_INT3)
		jump_gap_find(sites, addr, site);
}

static void site_close(struct jump_sites *sites, uint64_t addr, struct jump_site *site,
		       enum probe_fate fate)
{
	if (fate == PROBE_PAD)
		jump_run_closed(sites, addr, site);
}

static void sites_choose(struct walk *walk)
{
	jump_sites_finish(&walk->sites, walk->code, walk->function);
	each_probe(walk, site_choose);
	each_probe(walk, site_see);
	each_probe(walk, site_lend);
	each_probe(walk, site_close);
	jump_sites_deinit(&walk->sites);
}

/* The outermost first; those of no more are looked at. */
enum { LOOPS_MAX = 16 };

static void loops_add(struct walk *walk)
{
	size_t n;
	struct flow_loop *loops =
		flow_loops_find(walk->flow, walk->n_flow, walk->function->entry_addr, &n);

	for (size_t i = 0; i < n && i < LOOPS_MAX; i++)
		branch_list_loop(&walk->branches, &loops[i]);
	free(loops);
	free(walk->flow);
}

void function_code_exits(const struct code_source *code, Dwarf_Die *die, struct arena *arena,
			 struct function *function, uint64_t *ret_undecoded)
{
	struct walk walk = {.code = code, .function = function};

	*ret_undecoded = 0;
	for (size_t i = 0; i < function->n_ranges; i++)
		*ret_undecoded += range_walk(&walk, &function->ranges[i]);
	if (code->loops)
		loops_add(&walk);
	if (code->targets)
		sites_choose(&walk);
	function->exits =
		walk.n ? arena_copy(arena, walk.exits, walk.n * sizeof(*walk.exits)) : NULL;
	function->n_exits = walk.n;
	free(walk.exits);
	branch_list_take(&walk.branches, die, arena, function);
}

static bool is_call_at(const struct jump_sites *sites, uint64_t addr)
{
	const struct code_insn *insn = jump_sites_find(sites, addr);

	return insn && insn->addr == addr && insn->part == PART_CALL && insn->size == JUMP_SIZE;
}

void function_code_landings(const struct code_source *code, const struct function *caller,
			    const uint64_t *calls, size_t n, struct jump_site *ret)
{
	struct function function = {.ranges = caller->ranges,
				    .n_ranges = caller->n_ranges,
				    .entry_addr = caller->entry_addr,
				    .probe_addr = caller->entry_addr};
	struct arena *arena = arena_create();
	struct walk walk = {.code = code, .function = &function};

	for (size_t i = 0; i < function.n_ranges; i++)
		range_walk(&walk, &function.ranges[i]);
	jump_sites_finish(&walk.sites, code, &function);
	for (size_t i = 0; i < n; i++) {
		const uint64_t addr = calls[i] + JUMP_SIZE;

		ret[i] = (struct jump_site){0};
		if (is_call_at(&walk.sites, calls[i]))
			ret[i] = jump_run_at(&walk.sites, addr, JUMP_SIZE);
		if (ret[i].size && ret[i].addr != addr)
			ret[i] = (struct jump_site){.why = "its landing is marked"};
	}
	jump_sites_deinit(&walk.sites);
	free(walk.exits);
	free(walk.flow);
	branch_list_take(&walk.branches, NULL, arena, &function);
	arena_destroy(arena);
}

uint64_t function_code_straight_end(const struct elf_file *image, struct insn_decoder *decoder,
				    const struct function *function, uint64_t addr)
{
	size_t size = 0;
	const uint8_t *code = elf_file_code(image, addr, &size);

	while (code && size && catalogue_contains(function, addr)) {
		struct insn insn;

		if (!insn_decode(decoder, code, size, addr, &insn) || !insn.size ||
		    (insn.kind != INSN_PLAIN && insn.kind != INSN_NOP))
			break;
		code += insn.size;
		size -= insn.size;
		addr += insn.size;
	}
	return addr;
}
