/* Sections, relocations and objects, each sorted by address, are searched in turn. */
#include "code_places.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/cxx_name.h"
#include "dwarf/file/die_name.h"
#include "dwarf/file/relocated_words.h"

enum { SECTIONS_MAX = 4096, STUB_SIZE = 16 };
#define CONTENTS_MAX ((size_t)1 << 28) /* bytes of objects that are looked at, all in all */

struct place_section {
	uint64_t addr, size;
	const uint8_t *bytes; /* NULL: no contents in the file */
	size_t n_bytes;
	bool is_code, is_written, is_list; /* the last: of functions that the loader calls */
};

struct place_object {
	uint64_t addr, size;
	const char *name;
	size_t node; /* CODE_NONE: not asked for yet */
};

struct place_import {
	const char *name;
	size_t node;
};

struct code_places {
	const struct elf_file *image;
	struct code_graph *graph;
	struct place_section *sections;
	size_t n_sections, sections_capacity;
	struct relocated_word *words;
	size_t n_words;
	struct place_object *objects;
	size_t n_objects;
	struct place_import *imports; /* sorted by name */
	size_t n_imports, imports_capacity;
	size_t n_contents;
};

/* The last of @n elements of @size bytes, sorted by their first member, at or before @addr. */
static void *last_before(const void *list, size_t n, size_t size, uint64_t addr)
{
	const size_t low =
		BISECT_FIRST(i, n, *(const uint64_t *)((const char *)list + i * size) <= addr);

	return low ? (char *)list + (low - 1) * size : NULL;
}

static int place_order(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static const struct place_section *place_section_of(const struct code_places *places, uint64_t addr)
{
	const struct place_section *section =
		last_before(places->sections, places->n_sections, sizeof(*places->sections), addr);

	return section && addr - section->addr < section->size ? section : NULL;
}

static void section_add(struct code_places *places, Elf_Scn *scn, const GElf_Shdr *header)
{
	const Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);

	if (!(header->sh_flags & SHF_ALLOC) || header->sh_flags & SHF_TLS ||
	    places->n_sections == SECTIONS_MAX)
		return;
	places->sections = mem_grow(places->sections, &places->sections_capacity,
				    places->n_sections + 1, sizeof(*places->sections));
	places->sections[places->n_sections++] = (struct place_section){
		.addr = header->sh_addr,
		.size = header->sh_size,
		.bytes = data ? data->d_buf : NULL,
		.n_bytes = data && data->d_buf ? data->d_size : 0,
		.is_code = header->sh_flags & SHF_EXECINSTR,
		.is_written = header->sh_flags & SHF_WRITE,
		.is_list = header->sh_type == SHT_INIT_ARRAY || header->sh_type == SHT_FINI_ARRAY ||
			   header->sh_type == SHT_PREINIT_ARRAY,
	};
}

/* Without the number of a local one, which others of the unit change. */
static const char *plain_object(const char *name, struct arena *arena)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n > 1 && name[n] && name[n - 1] == '.' ? arena_printf(arena, "%.*s", (int)n, name)
						      : name;
}

static void objects_add(struct code_places *places)
{
	const struct elf_file *image = places->image;

	places->objects = mem_alloc((image->n_objects + 1) * sizeof(*places->objects));
	for (size_t i = 0; i < image->n_objects; i++)
		if (!image->objects[i].is_tls)
			places->objects[places->n_objects++] = (struct place_object){
				image->objects[i].addr, image->objects[i].size,
				image->objects[i].name, CODE_NONE};
	qsort(places->objects, places->n_objects, sizeof(*places->objects), place_order);
}

struct code_places *code_places_create(const struct elf_file *image, struct code_graph *graph)
{
	struct code_places *places = mem_alloc(sizeof(*places));
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	places->image = image;
	places->graph = graph;
	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, &header))
			section_add(places, scn, &header);
	relocated_words_find(image, &places->words, &places->n_words);
	if (places->n_sections)
		qsort(places->sections, places->n_sections, sizeof(*places->sections), place_order);
	objects_add(places);
	return places;
}

void code_places_destroy(struct code_places *places)
{
	free(places->sections);
	free(places->words);
	free(places->objects);
	free(places->imports);
	free(places);
}

static size_t import_node(struct code_places *places, const char *name)
{
	struct arena *arena = places->graph->arena;
	struct code_node node = {.kind = CODE_IMPORT};
	size_t low;
	const char *demangled;

	low = BISECT_FIRST(i, places->n_imports, strcmp(places->imports[i].name, name) < 0);
	if (low < places->n_imports && !strcmp(places->imports[low].name, name))
		return places->imports[low].node;
	places->imports = mem_grow(places->imports, &places->imports_capacity,
				   places->n_imports + 1, sizeof(*places->imports));
	memmove(places->imports + low + 1, places->imports + low,
		(places->n_imports++ - low) * sizeof(*places->imports));
	node.linkage = arena_strdup(arena, name);
	demangled = die_name_demangle(node.linkage, arena);
	node.name = cxx_name_canonical(arena, demangled ? demangled : node.linkage);
	places->imports[low] =
		(struct place_import){node.linkage, code_graph_add(places->graph, &node)};
	return places->imports[low].node;
}

/*
 * The contents of a constant; in files with fixed addresses without the words that may be such.
 * 0: it is none.
 */
static uint64_t constant_hash(struct code_places *places, const struct place_object *object)
{
	const struct place_section *section = place_section_of(places, object->addr);
	uint64_t hash = 0xcbf29ce484222325;
	size_t from, n;

	if (!section || section->is_written || section->is_code ||
	    object->addr - section->addr >= section->n_bytes || places->n_contents > CONTENTS_MAX)
		return 0;
	from = object->addr - section->addr;
	n = section->n_bytes - from < object->size ? section->n_bytes - from : object->size;
	places->n_contents += n;
	for (size_t i = 0; i < n; i++) {
		uint64_t word = 0;

		if (!places->image->relocatable && i % 8 == 0 && i + 8 <= n) {
			memcpy(&word, section->bytes + from + i, sizeof(word));
			if (word && place_section_of(places, word)) {
				i += 7;
				continue;
			}
		}
		hash = (hash ^ section->bytes[from + i]) * 0x100000001b3;
	}
	return hash;
}

static struct place object_place(struct code_places *places, uint64_t addr)
{
	struct place_object *object =
		last_before(places->objects, places->n_objects, sizeof(*places->objects), addr);
	struct arena *arena = places->graph->arena;

	if (!object || (addr != object->addr && addr - object->addr >= object->size))
		return (struct place){.kind = PLACE_NOWHERE};
	while (object > places->objects && object[-1].addr == object->addr)
		object--;
	if (object->node == CODE_NONE) {
		struct code_node node = {
			.kind = CODE_OBJECT,
			.addr = object->addr,
			.size = object->size,
			.hash = constant_hash(places, object),
			.linkage = plain_object(arena_strdup(arena, object->name), arena)};
		const char *demangled = die_name_demangle(node.linkage, arena);

		node.name = demangled ? demangled : node.linkage;
		object->node = code_graph_add(places->graph, &node);
	}
	return (struct place){PLACE_NODE, object->node, addr - object->addr, NULL, 0};
}

static size_t place_function(const struct code_graph *graph, uint64_t addr)
{
	const size_t low = BISECT_FIRST(i, graph->n_functions, graph->nodes[i].addr <= addr);

	return low && addr - graph->nodes[low - 1].addr < graph->nodes[low - 1].size ? low - 1
										     : CODE_NONE;
}

static struct place word_place(struct code_places *places, const struct relocated_word *word)
{
	struct place place;
	size_t function;

	if (word->name)
		return (struct place){PLACE_WORD, import_node(places, word->name), 0, NULL, 0};
	function = place_function(places->graph, word->value);
	if (function != CODE_NONE)
		return (struct place){PLACE_WORD, function,
				      word->value - places->graph->nodes[function].addr, NULL, 0};
	place = object_place(places, word->value);
	if (place.kind == PLACE_NODE)
		place.kind = PLACE_WORD;
	return place;
}

/* A stub of the linker's table: it jumps through a word. */
static struct place stub_place(struct code_places *places, const struct place_section *section,
			       uint64_t addr)
{
	const uint8_t *bytes = section->bytes + (addr - section->addr);
	const size_t room = section->n_bytes - (addr - section->addr);
	const struct relocated_word *word;
	struct place place;
	int32_t displacement;

	for (size_t i = 0; i + 6 <= room && i + 6 <= STUB_SIZE; i++) {
		if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
			continue;
		memcpy(&displacement, bytes + i + 2, sizeof(displacement));
		word = relocated_words_at(places->words, places->n_words,
					  addr + i + 6 + (uint64_t)(int64_t)displacement);
		if (!word)
			break;
		place = word_place(places, word);
		place.kind = place.kind == PLACE_WORD ? PLACE_NODE : place.kind;
		return place;
	}
	return (struct place){.kind = PLACE_NOWHERE};
}

bool code_places_has(const struct code_places *places, uint64_t addr)
{
	return place_section_of(places, addr);
}

struct place code_places_at(struct code_places *places, uint64_t addr)
{
	const size_t function = place_function(places->graph, addr);
	const struct place_section *section;
	const struct relocated_word *word;
	struct place place;

	if (function != CODE_NONE)
		return (struct place){PLACE_NODE, function,
				      addr - places->graph->nodes[function].addr, NULL, 0};
	place = object_place(places, addr);
	if (place.kind != PLACE_NOWHERE)
		return place;
	word = relocated_words_at(places->words, places->n_words, addr);
	if (word)
		return word_place(places, word);
	section = place_section_of(places, addr);
	if (!section || addr - section->addr >= section->n_bytes)
		return place;
	if (section->is_code)
		return stub_place(places, section, addr);
	if (!section->is_written)
		place = (struct place){PLACE_BYTES, 0, 0, section->bytes + (addr - section->addr),
				       section->n_bytes - (addr - section->addr)};
	return place;
}

/* What a word with this value refers to, if that is a beginning. */
static void value_link(struct code_places *places, size_t from, const struct relocated_word *word)
{
	const struct place place = word_place(places, word);

	if (place.kind == PLACE_WORD &&
	    (!place.offset || places->graph->nodes[place.node].kind == CODE_OBJECT))
		code_graph_link(places->graph, from, place.node, CODE_REFERENCE);
}

/* By relocations; in a file with fixed addresses, by anything that looks like one. */
static void object_follow(struct code_places *places, size_t node)
{
	const uint64_t low = places->graph->nodes[node].addr,
		       high = low + places->graph->nodes[node].size;
	const struct place_section *section = place_section_of(places, low);
	const struct relocated_word *word = last_before(places->words, places->n_words,
							sizeof(*places->words), low ? low - 1 : 0);

	for (word = word ? word + 1 : places->words;
	     word < places->words + places->n_words && word->addr < high &&
	     places->n_contents < CONTENTS_MAX;
	     word++, places->n_contents += 8)
		value_link(places, node, word);
	if (places->image->relocatable || !section || section->is_code)
		return;
	for (uint64_t at = (low + 7) & ~UINT64_C(7);
	     at + 8 <= high && at - section->addr + 8 <= section->n_bytes &&
	     places->n_contents < CONTENTS_MAX;
	     at += 8, places->n_contents += 8) {
		struct relocated_word found = {.addr = at};

		memcpy(&found.value, section->bytes + (at - section->addr), 8);
		if (found.value && code_places_has(places, found.value))
			value_link(places, node, &found);
	}
}

static void entry_mark(struct code_places *places, uint64_t addr)
{
	const size_t node = place_function(places->graph, addr);

	if (node != CODE_NONE)
		places->graph->nodes[node].is_entry = true;
}

/* Functions that the loader calls. */
static void list_follow(struct code_places *places, const struct place_section *section)
{
	for (uint64_t at = 0; at + 8 <= section->n_bytes; at += 8) {
		const struct relocated_word *word =
			relocated_words_at(places->words, places->n_words, section->addr + at);
		uint64_t value;

		memcpy(&value, section->bytes + at, sizeof(value));
		entry_mark(places, word && !word->name ? word->value : value);
	}
}

/* What other modules may call. */
static void exports_mark(struct code_places *places)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while (!data && (scn = elf_nextscn(places->image->elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_DYNSYM)
			data = elf_getdata(scn, NULL);
	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
		if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			entry_mark(places, symbol.st_value);
}

void code_places_follow(struct code_places *places)
{
	struct code_graph *graph = places->graph;

	for (size_t i = graph->n_functions; i < graph->n; i++)
		if (graph->nodes[i].kind == CODE_OBJECT)
			object_follow(places, i);
	for (size_t i = 0; i < places->n_sections; i++)
		if (places->sections[i].is_list)
			list_follow(places, &places->sections[i]);
	exports_mark(places);
	entry_mark(places, places->image->entry_addr);
	for (size_t i = 0; i < graph->n_functions; i++)
		if (!strcmp(graph->nodes[i].linkage, "main"))
			graph->nodes[i].is_entry = true;
}
