/* From symbols to functions; code_body.c reads each. */
#include "code_graph_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code_body.h"
#include "core/catalogue/insn.h"
#include "core/cxx_name.h"
#include "dwarf/file/die_name.h"

struct graph_parts {
	struct code_part *list;
	size_t n, capacity;
};

/* "work.cold", "work.cold.3": a part of the function work, unless nothing jumps there. */
static bool is_cold_part(const char *name)
{
	const char *at = strstr(name, ".cold");

	return at && at > name && (!at[5] || at[5] == '.');
}

static uint64_t symbol_size(const struct elf_file *image, const struct elf_symbol *symbol)
{
	const struct elf_symbol *end = image->symbols + image->n_symbols;
	uint64_t size = symbol->size;
	size_t room;

	if (!elf_file_code(image, symbol->addr, &room))
		return 0;
	for (const struct elf_symbol *next = symbol + 1; next < end; next++)
		if (next->addr != symbol->addr) {
			if (!size || size > next->addr - symbol->addr)
				size = next->addr - symbol->addr;
			break;
		}
	return size && size < room ? size : room;
}

static void graph_function_add(struct code_graph *graph, const struct elf_symbol *symbol,
			       uint64_t size)
{
	struct arena *arena = graph->arena;
	const char *linkage =
		arena_printf(arena, "%.*s", (int)strcspn(symbol->name, "@"), symbol->name);
	const char *demangled = die_name_demangle(linkage, arena);
	const struct code_node node = {
		.kind = CODE_FUNCTION,
		.name = cxx_name_canonical(arena, demangled ? demangled : linkage),
		.linkage = linkage,
		.addr = symbol->addr,
		.size = size,
	};

	code_graph_add(graph, &node);
}

/* Of several names of one address: one that other units know; then the first. */
static const struct elf_symbol *best_name(const struct elf_file *image, size_t *at)
{
	const struct elf_symbol *best = &image->symbols[*at];
	const uint64_t addr = best->addr;

	for (; *at < image->n_symbols && image->symbols[*at].addr == addr; ++*at) {
		const struct elf_symbol *other = &image->symbols[*at];

		if (best->is_local && !other->is_local)
			best = other;
	}
	return best;
}

static void graph_functions_add(const struct elf_file *image, struct code_graph *graph,
				struct graph_parts *parts)
{
	for (size_t i = 0; i < image->n_symbols;) {
		const struct elf_symbol *symbol = best_name(image, &i);
		const uint64_t size = symbol_size(image, &image->symbols[i - 1]);

		if (!size)
			continue;
		if (!is_cold_part(symbol->name)) {
			graph_function_add(graph, symbol, size);
			continue;
		}
		parts->list =
			mem_grow(parts->list, &parts->capacity, parts->n + 1, sizeof(*parts->list));
		parts->list[parts->n++] = (struct code_part){symbol->addr, size, false};
	}
}

static bool graph_fill(const struct elf_file *image, enum code_sameness sameness,
		       struct code_graph *graph, struct err *err)
{
	struct graph_parts parts = {.n = 0};
	struct insn_decoder *decoder;
	struct code_places *places;
	struct code_body *body;

	if (!insn_decoder_create(&decoder, err))
		return false;
	graph_functions_add(image, graph, &parts);
	places = code_places_create(image, graph);
	body = code_body_create(image, decoder, places, graph, sameness);
	code_body_take_parts(body, parts.list, parts.n);
	for (size_t i = 0; i < graph->n_functions; i++)
		code_body_read(body, i);
	code_places_follow(places);
	code_graph_finish(graph);
	code_body_destroy(body);
	code_places_destroy(places);
	insn_decoder_destroy(decoder);
	free(parts.list);
	return true;
}

/* Only what other modules may call is named: any program has local functions, of the linker's. */
static bool is_stripped(const struct elf_file *image)
{
	for (size_t i = 0; i < image->n_symbols; i++)
		if (image->symbols[i].is_local)
			return false;
	return true;
}

bool code_graph_build(const char *path, const char *debuginfo_path, enum code_sameness sameness,
		      struct code_graph **ret, struct err *err)
{
	struct code_graph *graph;
	struct elf_file *image;
	struct module module;
	bool ok;

	if (!elf_file_open_any(path, debuginfo_path, &image, err))
		return false;
	graph = code_graph_create();
	ok = !is_stripped(image)
		     ? graph_fill(image, sameness, graph, err)
		     : err_set(err, ERR_UNSUPPORTED,
			       "%s: it is stripped, without names of functions: build it "
			       "without strip, or install its -dbgsym package",
			       path);
	ok = ok && elf_file_describe(image, path, graph->arena, &module, err);
	graph->build_id = ok ? module.build_id : NULL;
	elf_file_close(image);
	if (ok)
		*ret = graph;
	else
		code_graph_destroy(graph);
	return ok;
}
