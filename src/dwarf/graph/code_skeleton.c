/* Two passes over the instructions: loops, then calls, which the loops are around. */
#include "code_skeleton.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/catalogue/insn_outline.h"
#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/file/line_table.h"

/* Of one function. */
enum { LOOPS_MAX = 64, CALLS_MAX = 1000 };

struct code_loop {
	uint64_t first_addr, last_addr; /* of the jump backwards */
};

struct skeleton_search {
	const struct elf_file *image;
	const struct code_graph *graph;
	struct insn_decoder *decoder;
	struct arena *arena;
	size_t node;
	struct code_loop loops[LOOPS_MAX];
	size_t n_loops;
	struct skeleton_call *calls;
	size_t n_calls;
	struct skeleton *skeleton;
};

typedef void insn_visitor(struct skeleton_search *search, uint64_t addr,
			  const struct insn_outline *insn);

static void insns_visit(struct skeleton_search *search, insn_visitor *visit)
{
	const struct code_node *node = &search->graph->nodes[search->node];
	size_t size = 0;
	const uint8_t *code = elf_file_code(search->image, node->addr, &size);
	const size_t n = code && size < node->size ? size : code ? node->size : 0;
	struct insn_outline insn;

	for (size_t at = 0; at < n; at += insn.size) {
		if (!insn_outline(search->decoder, code + at, n - at, node->addr + at, &insn))
			return;
		visit(search, node->addr + at, &insn);
	}
}

/* Several jumps back to one place, as of `continue`, are of one loop. */
static void loop_see(struct skeleton_search *search, uint64_t addr, const struct insn_outline *insn)
{
	const struct code_node *node = &search->graph->nodes[search->node];
	size_t i = 0;

	if ((insn->kind != INSN_JUMP && insn->kind != INSN_JUMP_IF && insn->kind != INSN_LOOP) ||
	    insn->target > addr || insn->target < node->addr)
		return;
	while (i < search->n_loops && search->loops[i].first_addr != insn->target)
		i++;
	if (i < search->n_loops)
		search->loops[i].last_addr = addr;
	else if (i < LOOPS_MAX)
		search->loops[search->n_loops++] = (struct code_loop){insn->target, addr};
}

static void call_add(struct skeleton_search *search, uint64_t addr, size_t callee)
{
	unsigned *around = arena_array(search->arena, unsigned, search->n_loops + 1);
	struct skeleton_call *call = &search->calls[search->n_calls++];

	*call = (struct skeleton_call){
		.function = arena_strdup(search->arena, search->graph->nodes[callee].name),
		.loops = around,
	};
	for (size_t i = 0; i < search->n_loops; i++)
		if (search->loops[i].first_addr <= addr && addr <= search->loops[i].last_addr)
			around[call->n_loops++] = (unsigned)i;
}

/* A jump to the beginning of another function is a call in its end. */
static void call_see(struct skeleton_search *search, uint64_t addr, const struct insn_outline *insn)
{
	const bool is_jump = insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_IF;
	size_t callee;

	if (insn->kind == INSN_CALL_INDIRECT)
		search->skeleton->calls_unknown = true;
	if (insn->kind != INSN_CALL && !is_jump)
		return;
	callee = code_graph_at(search->graph, insn->target);
	if (callee == search->node)
		search->skeleton->is_recursive |= insn->kind == INSN_CALL;
	else if (callee != CODE_NONE && search->n_calls < CALLS_MAX)
		call_add(search, addr, callee);
	else if (insn->kind == INSN_CALL)
		search->skeleton->calls_unknown = true;
}

static int compare_loops(const void *a, const void *b)
{
	const struct code_loop *x = a, *y = b;

	return (x->first_addr > y->first_addr) - (x->first_addr < y->first_addr);
}

static void loops_describe(struct skeleton_search *search)
{
	struct skeleton_loop *loops =
		arena_array(search->arena, struct skeleton_loop, search->n_loops + 1);
	const uint64_t begin = search->graph->nodes[search->node].addr;
	Dwarf_Die unit;
	const bool has_unit =
		search->n_loops && search->image->dwarf && die_unit_at(search->image, begin, &unit);

	for (size_t i = 0; i < search->n_loops; i++) {
		const uint64_t addr = search->loops[i].last_addr;

		loops[i].offset = search->loops[i].first_addr - begin;
		if (has_unit && line_table_source(&unit, addr, &loops[i].file, &loops[i].line))
			loops[i].file = arena_strdup(search->arena, loops[i].file);
	}
	search->skeleton->loops = loops;
	search->skeleton->n_loops = search->n_loops;
}

static void skeleton_fill(struct skeleton_search *search)
{
	struct skeleton *skeleton = search->skeleton;

	*skeleton = (struct skeleton){
		.function = arena_strdup(search->arena, search->graph->nodes[search->node].name)};
	search->calls = arena_array(search->arena, struct skeleton_call, CALLS_MAX);
	insns_visit(search, loop_see);
	qsort(search->loops, search->n_loops, sizeof(*search->loops), compare_loops);
	insns_visit(search, call_see);
	loops_describe(search);
	skeleton->calls = search->calls;
	skeleton->n_calls = search->n_calls;
}

bool code_skeleton_find(const char *path, const char *debuginfo_path,
			const struct code_graph *graph, size_t node, struct arena *arena,
			struct skeleton *ret, struct err *err)
{
	struct skeleton_search search = {
		.graph = graph, .arena = arena, .node = node, .skeleton = ret};
	struct elf_file *image;
	bool ok;

	if (!elf_file_open_any(path, debuginfo_path, &image, err))
		return false;
	search.image = image;
	ok = insn_decoder_create(&search.decoder, err);
	if (ok)
		skeleton_fill(&search);
	insn_decoder_destroy(search.decoder);
	elf_file_close(image);
	return ok;
}
