/* A part is followed for the first function that jumps there; the exits are the same for others. */
#include "cost_parts.h"

#include <string.h>

#include "base/arena.h"
#include "dwarf/location/exception_table.h"
#include "function_code.h"

enum { PARTS_MAX = 8 /* of a function, itself included */ };

struct parts {
	const struct code_source *code;
	struct arena *arena;
	const struct cost_function *list;
	size_t n;
	struct address_range ranges[PARTS_MAX]; /* of one function */
	size_t n_ranges;
	uint64_t exits[COST_EXITS_MAX];
	struct jump_site sites[COST_EXITS_MAX];
	size_t n_exits;
	struct cost_jump jumps[COST_EXITS_MAX];
	size_t n_jumps;
};

static uint64_t jump_target(const struct code_source *code, uint64_t addr)
{
	struct insn insn;
	size_t size = 0;
	const uint8_t *bytes = elf_file_code(code->image, addr, &size);

	return bytes && insn_decode(code->decoder, bytes, size, addr, &insn) ? insn.target : 0;
}

static bool jumps_there(const struct parts *parts, const struct cost_function *cost,
			uint64_t target)
{
	for (size_t i = 0; i < cost->n_jumps; i++)
		if (jump_target(parts->code, cost->jumps[i].addr) == target)
			return true;
	return false;
}

/* Calls of all functions end there: one of them has the exit. */
static const struct cost_function *find_exit(const struct parts *parts, uint64_t addr)
{
	for (size_t i = 0; i < parts->n; i++)
		for (size_t j = 0; j < parts->list[i].n_exits; j++)
			if (parts->list[i].exits[j] == addr)
				return &parts->list[i];
	return NULL;
}

/* The bytes of a call are known at its beginning, and it gives a block or NULL. */
static bool gives_block(enum cost_call_kind kind)
{
	return kind == COST_ALLOCATE || kind == COST_ALLOCATE_ARRAY ||
	       kind == COST_ALLOCATE_ALIGNED;
}

/* Do their exits mean the same? */
static bool end_alike(enum cost_call_kind one, enum cost_call_kind other)
{
	return one == other || (gives_block(one) && gives_block(other));
}

/* Nor is it shared with another kind, whose exits mean something else. */
static bool is_part(const struct parts *parts, enum cost_call_kind kind, uint64_t target)
{
	for (size_t i = 0; i < parts->n; i++)
		if (parts->list[i].entry_addr == target ||
		    (!end_alike(parts->list[i].kind, kind) &&
		     jumps_there(parts, &parts->list[i], target)))
			return false;
	return target;
}

static bool is_followed(const struct parts *parts, uint64_t addr)
{
	for (size_t i = 0; i < parts->n_ranges; i++)
		if (addr >= parts->ranges[i].low_addr && addr < parts->ranges[i].high_addr)
			return true;
	return false;
}

static void add_exits(struct parts *parts, const struct function *function)
{
	for (size_t i = 0; i < function->n_exits; i++) {
		const struct exit_site *exit = &function->exits[i];

		if (exit->kind == EXIT_RETURN && !find_exit(parts, exit->addr)) {
			parts->sites[parts->n_exits] = exit->site;
			parts->exits[parts->n_exits++] = exit->addr;
		} else if (exit->kind != EXIT_RETURN &&
			   !is_followed(parts, jump_target(parts->code, exit->addr))) {
			parts->jumps[parts->n_jumps++] =
				(struct cost_jump){exit->addr, exit->site, false};
		}
	}
}

static bool ends_another_kind(const struct parts *parts, const struct function *function,
			      enum cost_call_kind kind)
{
	for (size_t i = 0; i < function->n_exits; i++) {
		const struct cost_function *other = find_exit(parts, function->exits[i].addr);

		if (other && !end_alike(other->kind, kind))
			return true;
	}
	return false;
}

/* False: there is no part, or it is not understood. */
static bool add_part(struct parts *parts, enum cost_call_kind kind, uint64_t target)
{
	const struct address_range range = {
		target, target + (is_part(parts, kind, target)
					  ? exception_table_size(parts->code->image, target)
					  : 0)};
	struct function function = {.name = "",
				    .ranges = &range,
				    .n_ranges = 1,
				    .entry_addr = target,
				    .probe_addr = target};
	uint64_t undecoded;

	if (is_followed(parts, target))
		return true;
	if (range.high_addr == range.low_addr || range.high_addr - range.low_addr > COST_SIZE_MAX ||
	    parts->n_ranges == PARTS_MAX)
		return false;
	function_code_exits(parts->code, NULL, parts->arena, &function, &undecoded);
	if (undecoded || ends_another_kind(parts, &function, kind) ||
	    parts->n_exits + function.n_exits > COST_EXITS_MAX ||
	    parts->n_jumps + function.n_exits > COST_EXITS_MAX)
		return false;
	parts->ranges[parts->n_ranges++] = range;
	add_exits(parts, &function);
	return true;
}

static void parts_begin(struct parts *parts, const struct cost_function *cost)
{
	const uint64_t size = exception_table_size(parts->code->image, cost->entry_addr);

	parts->ranges[0] = (struct address_range){cost->entry_addr, cost->entry_addr + size};
	parts->n_ranges = 1;
	parts->n_exits = cost->n_exits;
	parts->n_jumps = cost->n_jumps;
	memcpy(parts->exits, cost->exits, cost->n_exits * sizeof(*cost->exits));
	memcpy(parts->sites, cost->exit_sites, cost->n_exits * sizeof(*cost->exit_sites));
	memcpy(parts->jumps, cost->jumps, cost->n_jumps * sizeof(*cost->jumps));
}

static void parts_end(const struct parts *parts, struct cost_function *cost)
{
	uint64_t *exits = arena_array(parts->arena, uint64_t, parts->n_exits);
	struct jump_site *sites = arena_array(parts->arena, struct jump_site, parts->n_exits);
	struct cost_jump *jumps = arena_array(parts->arena, struct cost_jump, parts->n_jumps);

	memcpy(exits, parts->exits, parts->n_exits * sizeof(*exits));
	memcpy(sites, parts->sites, parts->n_exits * sizeof(*sites));
	memcpy(jumps, parts->jumps, parts->n_jumps * sizeof(*jumps));
	cost->exits = exits;
	cost->exit_sites = sites;
	cost->n_exits = parts->n_exits;
	cost->jumps = jumps;
	cost->n_jumps = parts->n_jumps;
}

static void follow_function(struct parts *parts, struct cost_function *cost)
{
	size_t kept = 0;

	if (!cost->exits_known || !cost->n_jumps || cost_call_is_hooked(cost->kind))
		return;
	parts_begin(parts, cost);
	for (size_t i = 0; i < parts->n_jumps; i++) {
		const struct cost_jump jump = parts->jumps[i];

		if (jump.gives_argument ||
		    !add_part(parts, cost->kind, jump_target(parts->code, jump.addr)))
			parts->jumps[kept++] = jump;
	}
	parts->n_jumps = kept;
	parts_end(parts, cost);
}

void cost_parts_follow(const struct code_source *code, struct arena *arena,
		       struct cost_function *list, size_t n)
{
	struct parts parts = {.code = code, .arena = arena, .list = list, .n = n};

	for (size_t i = 0; i < n; i++)
		follow_function(&parts, &list[i]);
}
