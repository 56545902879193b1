/*
 * Finds blocks by the line table, or by probes, and through which exits of its function a block
 * can be left. Its features are those of the place where it begins: describe_function.c.
 */
#include "block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "dwarf/code/bare_function.h"
#include "dwarf/code/function_code.h"
#include "dwarf/file/die_name.h"
#include "dwarf/file/line_table.h"
#include "dwarf/location/frame_base.h"
#include "dwarf/location/stap_argument.h"
#include "dwarf/search/die_walk.h"
#include "line_addresses.h"

enum { HOSTS_MAX = 64, PROBES_LINE = 150 };

/* The function that has the code at an address. */
struct host_search {
	uint64_t addr;
	Dwarf_Die die;
	bool found;
};

static bool host_enters(void *self, Dwarf_Die *die)
{
	const struct host_search *search = self;

	return dwarf_tag(die) != DW_TAG_subprogram || dwarf_haspc(die, search->addr) > 0;
}

static void host_see(void *self, Dwarf_Die *die, const char *scope)
{
	struct host_search *search = self;

	(void)scope;
	if (dwarf_haspc(die, search->addr) <= 0)
		return;
	search->die = *die;
	search->found = true;
}

static bool host_find(const struct elf_file *image, uint64_t addr, Dwarf_Die *ret)
{
	struct host_search search = {.addr = addr};
	const struct walk_visitor visitor = {
		.subprogram = host_see, .enters = host_enters, .self = &search};
	struct unit_cursor cursor = {.unit = NULL};

	while (!search.found && die_walk_next_unit(image, &cursor))
		if (!cursor.is_type && dwarf_haspc(&cursor.die, addr) > 0)
			die_walk_unit(&visitor, &cursor.die);
	*ret = search.die;
	return search.found;
}

/* Where a block may begin, and where it may end. */
struct block_places {
	struct line_places begins, ends;
	const struct stap_probe *probes; /* of the beginning's provider */
	size_t n_probes;
};

/* Beginnings with ends in their functions: of lines one of each function, of probes all. */
struct hosts {
	struct block list[HOSTS_MAX];
	size_t n;
	const char *begins; /* the name of one that has the first line; NULL: none */
};

static const char *host_name(const struct elf_file *image, const struct block *block,
			     struct arena *arena)
{
	Dwarf_Die die = block->host;
	struct die_naming naming;
	const char *symbol;

	if (!block->bare)
		return die_name(image, &die, "", 0, arena, &naming) ? naming.name : "a function";
	symbol = elf_file_symbol(image, block->bare->entry_addr, "");
	return symbol ? symbol
		      : arena_printf(arena, "the function at 0x%" PRIx64, block->bare->entry_addr);
}

static bool block_host_has(const struct block *block, uint64_t addr)
{
	Dwarf_Die die = block->host;

	return block->bare ? catalogue_contains(block->bare, addr) : dwarf_haspc(&die, addr) > 0;
}

static bool block_host_find(const struct elf_file *image, struct arena *arena, struct block *ret)
{
	struct function *bare;

	if (host_find(image, ret->begin_addr, &ret->host))
		return true;
	bare = arena_new(arena, struct function);
	ret->bare = bare;
	return bare_function_find(image, ret->begin_addr, arena, bare);
}

bool block_shares_host(const struct block *a, const struct block *b)
{
	/* Found from another part, it may seem to be entered elsewhere. */
	return a->bare && b->bare ? catalogue_contains(a->bare, b->begin_addr)
				  : !a->bare && !b->bare && a->host.addr == b->host.addr;
}

static bool hosts_have(const struct hosts *hosts, const struct block *block)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (block_shares_host(&hosts->list[i], block))
			return true;
	return false;
}

/* A line may have several beginnings in a function, of which the first counts. */
static void hosts_add(const struct elf_file *image, uint64_t begin_addr,
		      const struct block_places *places, struct arena *arena, struct hosts *ret)
{
	const struct line_places *ends = &places->ends;
	uint64_t *addrs = arena_array(arena, uint64_t, ends->n);
	struct block block = {.begin_addr = begin_addr, .end_addrs = addrs};

	if (ret->n == HOSTS_MAX || !block_host_find(image, arena, &block) ||
	    (!places->n_probes && hosts_have(ret, &block)))
		return;
	ret->begins = host_name(image, &block, arena);
	for (size_t i = 0; i < ends->n; i++)
		if (block_host_has(&block, ends->addrs[i]))
			addrs[block.n_ends++] = ends->addrs[i];
	if (block.n_ends)
		ret->list[ret->n++] = block;
}

static bool hosts_explain(const struct elf_file *image, const struct pattern *pattern,
			  const struct hosts *hosts, struct arena *arena, struct err *err)
{
	struct text names = {.n = 0};

	if (!hosts->n)
		return err_set(
			err, ERR_USAGE,
			hosts->begins ? "%s: it begins in %s, and does not end there: both must be "
					"of one function"
				      : "%s: it begins in no known function",
			pattern->given, hosts->begins);
	for (size_t i = 0; i < hosts->n; i++) {
		text_add_string(&names, i ? ", " : "");
		text_add_string(&names, host_name(image, &hosts->list[i], arena));
	}
	err_set(err, ERR_USAGE,
		"%s is code of several functions, as it was inlined, or is a template: %s",
		pattern->given, names.bytes);
	text_deinit(&names);
	return false;
}

static bool places_of_lines(const struct elf_file *image, const char *path,
			    const struct pattern *pattern, struct arena *arena,
			    struct block_places *ret, struct err *err)
{
	const struct line first = {pattern->source, pattern->first_line};
	const struct line last = {pattern->source, pattern->last_line};
	struct err why;

	return (line_addresses_of(image, path, &first, arena, &ret->begins, &why) &&
		line_addresses_of(image, path, &last, arena, &ret->ends, &why)) ||
	       err_set(err, ERR_USAGE, "%s: %s", pattern->given, why.text);
}

/* What it has instead, as far as a line has room. */
static bool probe_missing(const struct block_places *places, const struct pattern *pattern,
			  const char *name, size_t n, struct err *err)
{
	struct text others = {.n = 0};

	for (size_t i = 0; i < places->n_probes && others.n < PROBES_LINE; i++) {
		const char *other = places->probes[i].name;

		if (i && !strcmp(other, places->probes[i - 1].name))
			continue;
		text_add_string(&others, i ? ", " : "");
		text_add_string(&others, other);
	}
	err_set(err, ERR_USAGE, "%s: %s has no probe %.*s, but %.*s%s", pattern->given,
		pattern->source, (int)n, name, PROBES_LINE, others.bytes,
		others.n > PROBES_LINE ? "..." : "");
	text_deinit(&others);
	return false;
}

/* Of the probes called @name, [n]. */
static bool places_of_name(const struct block_places *places, const struct pattern *pattern,
			   const char *name, size_t n, struct line_places *ret, struct err *err)
{
	uint64_t *addrs = (uint64_t *)ret->addrs;

	for (size_t i = 0; i < places->n_probes; i++)
		if (strlen(places->probes[i].name) == n &&
		    !strncmp(places->probes[i].name, name, n))
			addrs[ret->n++] = places->probes[i].addr;
	return ret->n || probe_missing(places, pattern, name, n, err);
}

static bool places_of_probes(const struct pattern *pattern, struct arena *arena,
			     struct block_places *ret, struct err *err)
{
	const size_t n = pattern->is_lone_probe ? strcspn(pattern->name, "#")
						: (size_t)(pattern->block_end - 2 - pattern->name);

	ret->begins.addrs = arena_array(arena, uint64_t, ret->n_probes);
	ret->ends.addrs = arena_array(arena, uint64_t, ret->n_probes);
	return places_of_name(ret, pattern, pattern->name, n, &ret->begins, err) &&
	       places_of_name(ret, pattern, pattern->block_end, strcspn(pattern->block_end, "#"),
			      &ret->ends, err);
}

static const struct stap_probe *probe_at(const struct block_places *places, uint64_t addr)
{
	for (size_t i = 0; i < places->n_probes; i++)
		if (places->probes[i].addr == addr)
			return &places->probes[i];
	return NULL;
}

static void block_semaphore_add(const struct stap_probe *probe, uint64_t *addrs, size_t *n)
{
	if (!probe || !probe->semaphore_addr)
		return;
	for (size_t i = 0; i < *n; i++)
		if (addrs[i] == probe->semaphore_addr)
			return;
	addrs[(*n)++] = probe->semaphore_addr;
}

static void block_semaphores_take(const struct block_places *places, struct arena *arena,
				  struct block *block)
{
	uint64_t *addrs = arena_array(arena, uint64_t, block->n_ends + 1);

	block->semaphore_addrs = addrs;
	block_semaphore_add(block->probe, addrs, &block->n_semaphores);
	for (size_t i = 0; i < block->n_ends; i++)
		block_semaphore_add(probe_at(places, block->end_addrs[i]), addrs,
				    &block->n_semaphores);
}

static int block_begin_order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->begin_addr > y->begin_addr) - (x->begin_addr < y->begin_addr);
}

/* A probe that the code has several times is as many blocks, with a number each. */
static bool sites_name(const struct pattern *pattern, struct arena *arena, struct hosts *hosts,
		       struct err *err)
{
	const char *number = strchr(pattern->block_end, '#');
	const int n_plain =
		(int)(number ? (size_t)(number - pattern->given) : strlen(pattern->given));
	size_t kept = 0;

	qsort(hosts->list, hosts->n, sizeof(*hosts->list), block_begin_order);
	for (size_t i = 0; i < hosts->n; i++) {
		struct block *block = &hosts->list[i];
		char text[32];

		snprintf(text, sizeof(text), "#%zu", i + 1);
		block->name = hosts->n == 1 ? arena_printf(arena, "%.*s", n_plain, pattern->given)
					    : arena_printf(arena, "%.*s%s", n_plain, pattern->given,
							   text);
		if (!number || !strcmp(number, text))
			hosts->list[kept++] = *block;
	}
	if (!kept)
		return err_set(err, ERR_USAGE, "%s: the code has it %zu time%s, from #1 on",
			       pattern->given, hosts->n, hosts->n == 1 ? "" : "s");
	hosts->n = kept;
	return true;
}

bool block_find(const struct elf_file *image, const char *path, const struct pattern *pattern,
		struct arena *arena, const struct block **ret, size_t *ret_n, struct err *err)
{
	struct block_places places = {.n_probes = 0};
	struct hosts *hosts = arena_new(arena, struct hosts);

	*ret = hosts->list;
	*ret_n = 0;
	if (!pattern->first_line)
		places.n_probes = stap_probes_find(image, pattern->source + strlen("usdt:"), arena,
						   &places.probes);
	if (pattern->first_line ? !line_addresses_has(image, pattern->source) : !places.n_probes)
		return true;
	if (!(pattern->first_line ? places_of_lines(image, path, pattern, arena, &places, err)
				  : places_of_probes(pattern, arena, &places, err)))
		return false;
	for (size_t i = 0; i < places.begins.n; i++)
		hosts_add(image, places.begins.addrs[i], &places, arena, hosts);
	if (!hosts->n || (pattern->first_line && hosts->n > 1))
		return hosts_explain(image, pattern, hosts, arena, err);
	hosts->list[0].name = pattern->given;
	if (!pattern->first_line && !sites_name(pattern, arena, hosts, err))
		return false;
	for (size_t i = 0; i < hosts->n; i++) {
		struct block *block = &hosts->list[i];

		block->pattern = pattern;
		block->probe = probe_at(&places, block->begin_addr);
		block_semaphores_take(&places, arena, block);
	}
	*ret_n = hosts->n;
	return true;
}

int block_order(const struct block *a, const struct block *b)
{
	const struct pattern *x = a->pattern, *y = b->pattern;

	if (x->first_line != y->first_line)
		return x->first_line < y->first_line ? -1 : 1;
	return (x->last_line < y->last_line) - (x->last_line > y->last_line);
}

/* What the code of a block leads to. */
struct block_walk {
	const struct describer *describer;
	const struct block *block;
	const struct function *host;
	bool *seen; /* [size] by the address, from `low` on */
	uint64_t low, size;
	uint64_t *waiting;
	size_t n, capacity;
	bool *leaves; /* [host->n_exits] */
	bool ends, unknown;
};

static void walk_go(struct block_walk *walk, uint64_t addr)
{
	if (!catalogue_contains(walk->host, addr) || walk->seen[addr - walk->low])
		return;
	walk->seen[addr - walk->low] = true;
	walk->waiting =
		mem_grow(walk->waiting, &walk->capacity, walk->n + 1, sizeof(*walk->waiting));
	walk->waiting[walk->n++] = addr;
}

static bool is_block_end(const struct block *block, uint64_t addr)
{
	for (size_t i = 0; i < block->n_ends; i++)
		if (block->end_addrs[i] == addr)
			return true;
	return false;
}

static void walk_insn(struct block_walk *walk, const struct insn *insn)
{
	const uint64_t next = insn->address + insn->size;

	for (size_t i = 0; i < walk->host->n_exits; i++)
		walk->leaves[i] |= walk->host->exits[i].addr == insn->address;
	switch (insn->kind) {
	case INSN_RETURN:
	case INSN_TRAP:
		break;
	case INSN_JUMP:
		walk_go(walk, insn->target);
		break;
	case INSN_JUMP_IF:
	case INSN_LOOP:
		walk_go(walk, insn->target);
		walk_go(walk, next);
		break;
	case INSN_JUMP_INDIRECT: /* by a table, say: anywhere */
		walk->unknown = true;
		break;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_UNMOVABLE:
		walk_go(walk, next);
		break;
	}
}

/* Where a block ends it was not left, where it begins again it was. */
static void walk_block(struct block_walk *walk)
{
	walk_go(walk, walk->block->begin_addr);
	while (walk->n) {
		const uint64_t addr = walk->waiting[--walk->n];
		size_t size = 0;
		const uint8_t *code = elf_file_code(walk->describer->image, addr, &size);
		struct insn insn;

		if (!code || !insn_decode(walk->describer->decoder, code, size, addr, &insn))
			continue;
		if (addr != walk->block->begin_addr && is_block_end(walk->block, addr))
			walk->ends = true;
		else
			walk_insn(walk, &insn);
		walk->ends |= insn.kind != INSN_RETURN && addr == walk->block->begin_addr &&
			      is_block_end(walk->block, addr);
	}
}

/* Sets host->exits' `leaves`; false: the end is never reached. */
static bool leaves_find(const struct describer *describer, const struct block *block,
			const struct function *host, bool *leaves)
{
	struct block_walk walk = {describer, block, host, .leaves = leaves};
	uint64_t high = 0;

	walk.low = UINT64_MAX;
	for (size_t i = 0; i < host->n_ranges; i++) {
		walk.low =
			host->ranges[i].low_addr < walk.low ? host->ranges[i].low_addr : walk.low;
		high = host->ranges[i].high_addr > high ? host->ranges[i].high_addr : high;
	}
	walk.seen = mem_alloc(high - walk.low + 1);
	walk_block(&walk);
	for (size_t i = 0; walk.unknown && i < host->n_exits; i++)
		leaves[i] = true;
	free(walk.seen);
	free(walk.waiting);
	return walk.ends || walk.unknown;
}

static bool end_cfa(const struct describer *describer, uint64_t addr, unsigned number,
		    const struct read_plan **ret)
{
	struct read_plan *plan = arena_new(describer->arena, struct read_plan);
	struct frame_base frame;
	const char *why;

	*ret = plan;
	return frame_base_cfa(describer->image, addr, describer->arena, &frame, &why) &&
	       describe_function_cfa(&frame, number, describer->arena, plan);
}

static void exits_describe(const struct describer *describer, const struct block *block,
			   const struct function *host, struct function *ret)
{
	struct exit_site *exits =
		arena_array(describer->arena, struct exit_site, block->n_ends + host->n_exits);
	bool *leaves = mem_alloc(host->n_exits + 1);

	if (!leaves_find(describer, block, host, leaves) && !ret->ends_with_function)
		ret->unmeasurable = "its end is never reached from its beginning";
	for (size_t i = 0; i < block->n_ends; i++) {
		struct exit_site *exit = &exits[ret->n_exits++];

		*exit = (struct exit_site){.addr = block->end_addrs[i], .kind = EXIT_BLOCK};
		if (!end_cfa(describer, exit->addr, ret->block, &exit->cfa))
			ret->unmeasurable = "its call frame information is too complex";
	}
	for (size_t i = 0; i < host->n_exits; i++)
		if (leaves[i])
			exits[ret->n_exits++] = host->exits[i];
	for (size_t i = 0; i < ret->n_exits; i++)
		exits[i].site = (struct jump_site){.why = "it is a block"};
	ret->exits = exits;
	free(leaves);
}

static void arguments_describe(const struct describer *describer, const struct stap_probe *probe,
			       struct function *ret)
{
	enum { ARGUMENTS_MAX = 12 };
	struct arena *arena = describer->arena;
	const char *text = probe->arguments;
	struct feature *features = arena_array(arena, struct feature, ARGUMENTS_MAX);
	struct stap_argument argument;
	size_t n = 0;

	while (n < ARGUMENTS_MAX && stap_argument_next(&text, &argument)) {
		const struct steps *steps = &argument.at.steps;
		struct feature *feature = &features[n++];

		*feature = (struct feature){
			.expression = arena_printf(arena, "$arg%zu", n),
			.type = FEATURE_INT,
			.provenance = FROM_PARAMETER,
			.explanation = arena_printf(arena, "of the probe %s", probe->name),
		};
		if (argument.at.kind == LOCATION_ABSENT) {
			feature->absence = argument.at.absence;
			feature->explanation = argument.at.where;
			continue;
		}
		feature->plan = (struct read_plan){
			arena_copy(arena, steps->step, steps->n * sizeof(*steps->step)), steps->n,
			argument.is_signed ? PLAN_SIGNED : PLAN_UNSIGNED, argument.size};
	}
	ret->features = features;
	ret->n_features = n;
}

void block_describe(const struct describer *describer, const struct block *block, unsigned number,
		    struct function *ret)
{
	const struct code_source code = {.image = describer->image, .decoder = describer->decoder};
	Dwarf_Die host_die = block->host, *die = block->bare ? NULL : &host_die;
	struct function host = {.name = block->name};
	unsigned line = block->pattern->first_line;
	uint64_t undecoded;
	const char *file;

	if (!die)
		file = NULL;
	else if (!line_table_source(die, block->begin_addr, &file, &line))
		file = block->pattern->source;
	*ret = (struct function){
		.name = arena_strdup(describer->arena, block->name),
		.file = file ? arena_strdup(describer->arena, file) : NULL,
		.line = line,
		.module = describer->module,
		.block = number,
		.ends_with_function = block->pattern->is_lone_probe,
		.site = {.why = "it is a block"},
	};
	ret->linkage = ret->name;
	if (!die) {
		host.n_ranges = block->bare->n_ranges;
		host.entry_addr = block->bare->entry_addr;
		host.ranges = arena_copy(describer->arena, block->bare->ranges,
					 host.n_ranges * sizeof(*host.ranges));
	} else if (!die_ranges(describer->image, die, describer->arena, &host)) {
		return;
	}
	host.probe_addr = host.entry_addr;
	function_code_exits(&code, die, describer->arena, &host, &undecoded);
	ret->ranges = host.ranges;
	ret->n_ranges = host.n_ranges;
	ret->entry_addr = ret->probe_addr = block->begin_addr;
	exits_describe(describer, block, &host, ret);
	if (block->probe && describer->request->features && !ret->unmeasurable)
		arguments_describe(describer, block->probe, ret);
	if (!ret->unmeasurable)
		describe_function_features(describer, die, ret);
	ret->semaphore_addrs = arena_copy(describer->arena, block->semaphore_addrs,
					  block->n_semaphores * sizeof(*block->semaphore_addrs));
	ret->n_semaphores = block->n_semaphores;
}
