/*
 * Finds the functions at an address, inlined ones too, and describes them there. feature_list.c
 * finds what can be read, dwarf/location/unwind_row.c how to unwind.
 */
#include "call_scope.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/bisect.h"
#include "core/cxx_name.h"
#include "feature_list.h"
#include "dwarf/feature/variable_path.h"
#include "dwarf/location/call_values.h"
#include "dwarf/location/frame_base.h"
#include "dwarf/file/line_table.h"
#include "dwarf/file/die_name.h"
#include "dwarf/search/function_search.h"
#include "dwarf/location/unwind_row.h"
#include "dwarf/search/die_walk.h"

enum { RANGES_OF_UNIT_MAX = 65536, PLACES_MAX = 64, NESTING_MAX = 128 };

struct unit_range {
	uint64_t low_addr, high_addr;
	Dwarf_Die unit;
};

/* A site found before, by its address. */
struct kept_site {
	uint64_t addr;
	bool is_whole; /* else only the row */
	struct call_site site;
	UT_hash_handle hh;
};

struct call_sites {
	struct arena *arena;
	struct elf_file *image;
	struct feature_limits limits;
	const struct required_feature *required;
	size_t n_required;
	struct function_features sources;
	struct unit_range *units;
	size_t n_units, units_capacity;
	struct kept_site *kept;
	struct kept_function *functions;
	uint64_t base_addr;
	struct catalogue classes; /* of all sites so far; module 0 is the image */
	struct class_map map;
};

/* A function found before, by the beginning of its code there. */
struct kept_function {
	uint64_t addr;
	const struct call_place *place;
	UT_hash_handle hh;
};

/* The function that contains an address, as the walk over its unit finds it. */
struct owner {
	uint64_t addr;
	bool found;
	Dwarf_Die die;
	struct text scope;
};

static void unit_add(struct call_sites *sites, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (int i = 0; i < RANGES_OF_UNIT_MAX; i++) {
		at = dwarf_ranges(unit, at, &base, &low, &high);
		if (at <= 0)
			return;
		sites->units = mem_grow(sites->units, &sites->units_capacity, sites->n_units + 1,
					sizeof(*sites->units));
		sites->units[sites->n_units++] = (struct unit_range){low, high, *unit};
	}
}

static void units_find(struct call_sites *sites)
{
	struct unit_cursor cursor = {.unit = NULL};

	while (sites->image->dwarf && die_walk_next_unit(sites->image, &cursor))
		if (!cursor.is_type)
			unit_add(sites, &cursor.die);
}

bool call_sites_open(const char *path, const struct catalogue_request *request,
		     struct call_sites **ret, struct err *err)
{
	struct call_sites *sites;
	struct elf_file *image;
	struct module module;
	struct arena *arena;
	Dwarf_Addr bias = 0;

	if (!elf_file_open_any(path, request->debuginfo_path, &image, err))
		return false;
	arena = arena_create();
	if (!elf_file_describe(image, path, arena, &module, err)) {
		elf_file_close(image);
		arena_destroy(arena);
		return false;
	}
	sites = mem_alloc(sizeof(*sites));
	*sites = (struct call_sites){
		.arena = arena,
		.image = image,
		.limits = {request->max_depth, request->max_features, request->globals,
			   .shows_objects = true, .containers = request->containers},
		.required = request->required,
		.n_required = request->n_required,
		.base_addr = module.base_addr,
	};
	units_find(sites);
	function_features_init(image, 0, 0, arena, &sites->sources);
	/* Read it now: the first row would wait for it. */
	dwfl_module_eh_cfi(image->module, &bias);
	dwfl_module_dwarf_cfi(image->module, &bias);
	*ret = sites;
	return true;
}

void call_sites_close(struct call_sites *sites)
{
	struct kept_site *each, *next;
	struct kept_function *function, *next_function;

	if (!sites)
		return;
	HASH_ITER (hh, sites->functions, function, next_function) {
		HASH_DEL(sites->functions, function);
		free(function);
	}
	HASH_ITER (hh, sites->kept, each, next) {
		HASH_DEL(sites->kept, each);
		free(each);
	}
	function_features_deinit(&sites->sources);
	free(sites->units);
	free((void *)sites->map.ranges);
	elf_file_close(sites->image);
	arena_destroy(sites->arena);
	free(sites);
}

uint64_t call_sites_base(const struct call_sites *sites)
{
	return sites->base_addr;
}

static bool owner_enters(void *self, Dwarf_Die *die)
{
	struct owner *owner = self;

	return dwarf_tag(die) != DW_TAG_subprogram || dwarf_haspc(die, owner->addr) > 0;
}

static void owner_see(void *self, Dwarf_Die *die, const char *scope)
{
	struct owner *owner = self;

	if (dwarf_haspc(die, owner->addr) <= 0)
		return;
	owner->found = true;
	owner->die = *die;
	text_cut(&owner->scope, 0);
	text_add_string(&owner->scope, scope);
}

static bool owner_find(const struct call_sites *sites, struct owner *owner)
{
	struct walk_visitor visitor = {
		.subprogram = owner_see, .enters = owner_enters, .self = owner};

	for (size_t i = 0; i < sites->n_units && !owner->found; i++) {
		const struct unit_range *range = &sites->units[i];
		Dwarf_Die unit = range->unit;

		if (owner->addr < range->low_addr || owner->addr >= range->high_addr)
			continue;
		die_walk_unit(&visitor, &unit);
		/* A lambda expression's is within a function's, and its code elsewhere. */
		visitor.enters = NULL;
		if (!owner->found)
			die_walk_unit(&visitor, &unit);
		visitor.enters = owner_enters;
	}
	return owner->found;
}

/* The DIEs of the functions at @addr within @function, itself first. Returns their number. */
static size_t nest_find(Dwarf_Die *function, uint64_t addr, Dwarf_Die ret[PLACES_MAX])
{
	Dwarf_Die block = *function, child;
	size_t n = 1;

	ret[0] = *function;
	for (int i = 0; i < NESTING_MAX; i++) {
		bool more = die_first(&block, &child);

		for (; more; more = die_next(&child)) {
			const int tag = dwarf_tag(&child);

			if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
			    dwarf_haspc(&child, addr) > 0)
				break;
		}
		if (!more)
			return n;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
			if (n == PLACES_MAX)
				return n;
			ret[n++] = child;
		}
		block = child;
	}
	return n;
}

static void name_place(const struct call_sites *sites, Dwarf_Die *die, const char *scope,
		       struct call_place *place)
{
	Dwarf_Addr entry = 0;
	struct die_naming naming;
	uint64_t line;

	place->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	if (place->is_inlined || !die_entry(die, &entry))
		entry = 0;
	place->declared_file = die_file(die, DW_AT_decl_file);
	place->declared_line = die_number(die, DW_AT_decl_line, &line) ? (unsigned)line : 0;
	if (!die_name(sites->image, die, scope, entry, sites->arena, &naming))
		return;
	place->function = arena_printf(sites->arena, "%.*s",
				       (int)function_search_base_length(naming.name), naming.name);
	place->linkage = naming.linkage;
}

/* The limits at @place, with its required features. */
static struct feature_limits limits_of(const struct call_sites *sites,
				       const struct call_place *place)
{
	struct feature_limits limits = sites->limits;

	feature_list_require(sites->required, sites->n_required, place->function, sites->arena,
			     &limits);
	return limits;
}

/* Keep those features of a call's begin that are also valid in the middle of the function. */
static void keep_features(struct call_sites *sites, const struct function *function,
			  struct call_place *place)
{
	struct feature *kept = arena_array(sites->arena, struct feature, function->n_features + 1);

	for (size_t i = 0; i < function->n_features; i++) {
		const struct feature *feature = &function->features[i];

		if (feature->provenance == FROM_PARAMETER || feature->provenance == FROM_GLOBAL)
			kept[place->n_features++] = *feature;
	}
	place->features = kept;
	place->features_cut = function->features_cut;
}

/* The frame of @function at @addr, where slots are filled only after the prologue. */
static bool frame_at(const struct call_sites *sites, Dwarf_Die *function, uint64_t addr,
		     struct frame_base *ret)
{
	Dwarf_Addr entry = 0;
	const char *why;

	if (!frame_base_init(sites->image, function, addr, sites->arena, ret, &why))
		return false;
	ret->has_caller = true;
	if (die_entry(function, &entry) && addr >= entry)
		ret->unfilled = addr < line_table_prologue_end(function);
	return true;
}

static struct kept_site *kept_find(const struct call_sites *sites, uint64_t addr)
{
	struct kept_site *kept;

	HASH_FIND(hh, sites->kept, &addr, sizeof(addr), kept);
	return kept;
}

bool call_sites_scope(struct call_sites *sites, uint64_t addr, size_t place, struct call_scope *ret)
{
	struct owner owner = {.addr = addr};
	Dwarf_Die nest[PLACES_MAX];
	struct kept_site *kept = kept_find(sites, addr);
	size_t n = 0;

	if (owner_find(sites, &owner))
		n = nest_find(&owner.die, addr, nest);
	text_deinit(&owner.scope);
	if (place >= n || !frame_at(sites, &owner.die, addr, &ret->frame))
		return false;
	ret->frame.asked = kept ? &kept->site.asked : NULL;
	ret->function = nest[n - 1 - place];
	ret->sources = &sites->sources;
	ret->limits = sites->limits;
	return true;
}

bool call_sites_tail_calls(struct call_sites *sites, uint64_t addr, size_t most,
			   struct call_hop *ret, size_t *ret_n)
{
	struct owner owner = {.addr = addr};
	struct frame_base frame;
	const bool ok = owner_find(sites, &owner) && frame_at(sites, &owner.die, addr, &frame) &&
			call_values_tail_calls(&owner.die, &frame, most, sites->arena, ret, ret_n);

	text_deinit(&owner.scope);
	return ok;
}

static void places_of_debug_information(struct call_sites *sites, struct owner *owner,
					struct call_site *ret)
{
	Dwarf_Die nest[PLACES_MAX];
	const size_t n = nest_find(&owner->die, owner->addr, nest);
	struct call_place *places = arena_array(sites->arena, struct call_place, n);
	struct frame_base frame;
	const bool framed = frame_at(sites, &owner->die, owner->addr, &frame);
	Dwarf_Addr entry;

	frame.asked = &ret->asked;
	if (framed)
		call_values_find(&owner->die, owner->addr + 1, &frame, sites->arena, &ret->passing);
	ret->entry_addr = die_entry(&owner->die, &entry) ? entry : 0;
	ret->calls_itself = call_values_calls_itself(&owner->die);

	for (size_t i = 0; i < n; i++) {
		struct call_place *place = &places[n - 1 - i];
		struct function function = {.name = NULL};
		struct feature_limits limits;
		uint64_t line;

		name_place(sites, &nest[i],
			   i                    ? ""
			   : owner->scope.bytes ? owner->scope.bytes
						: "",
			   place);
		if (i + 1 == n)
			line_table_source(&owner->die, owner->addr, &place->file, &place->line);
		else if (die_number(&nest[i + 1], DW_AT_call_line, &line)) {
			place->file = die_file(&nest[i + 1], DW_AT_call_file);
			place->line = (unsigned)line;
		}
		limits = limits_of(sites, place);
		if (framed)
			feature_list_find(&nest[i], &frame, &sites->sources, &limits, sites->arena,
					  &function);
		keep_features(sites, &function, place);
	}
	ret->places = places;
	ret->n_places = n;
}

/* Of names for one address prefer the public one: global, with few leading underscores. */
static bool site_is_better(const struct elf_symbol *a, const struct elf_symbol *b)
{
	if (a->is_local != b->is_local)
		return !a->is_local;
	return strspn(a->name, "_") < strspn(b->name, "_");
}

static const struct elf_symbol *symbol_find(const struct elf_file *image, uint64_t addr)
{
	const struct elf_symbol *best = NULL;
	size_t low = BISECT_FIRST(i, image->n_symbols, image->symbols[i].addr <= addr);

	for (; low > 0; low--) {
		const struct elf_symbol *each = &image->symbols[low - 1];

		if (best && each->addr != best->addr)
			break;
		if (addr - each->addr < each->size && (!best || site_is_better(each, best)))
			best = each;
		else if (!best && low < image->n_symbols && each->size)
			break;
	}
	return best;
}

static const char *symbol_at(const struct elf_file *image, uint64_t addr)
{
	const struct elf_symbol *best = symbol_find(image, addr);
	GElf_Sym symbol;
	GElf_Off offset;

	if (best)
		return best->name;
	return dwfl_module_addrinfo(image->module, addr, &offset, &symbol, NULL, NULL, NULL);
}

static void place_of_symbol(struct call_sites *sites, uint64_t addr, struct call_site *ret)
{
	struct call_place *place = arena_new(sites->arena, struct call_place);
	const char *name = symbol_at(sites->image, addr);
	const char *demangled = name ? die_name_demangle(name, sites->arena) : NULL;

	if (name)
		place->function = demangled ? cxx_name_canonical(sites->arena, demangled)
					    : arena_strdup(sites->arena, name);
	place->linkage = name ? arena_strdup(sites->arena, name) : NULL;
	place->is_symbol = true;
	ret->places = place;
	ret->n_places = 1;
}

static void places_find(struct call_sites *sites, uint64_t addr, struct call_site *ret)
{
	struct owner owner = {.addr = addr};

	if (owner_find(sites, &owner))
		places_of_debug_information(sites, &owner, ret);
	else
		place_of_symbol(sites, addr, ret);
	text_deinit(&owner.scope);
}

static struct kept_site *kept_get(struct call_sites *sites, uint64_t addr)
{
	struct kept_site *kept = kept_find(sites, addr);

	if (kept)
		return kept;
	kept = mem_alloc(sizeof(*kept));
	kept->addr = addr;
	unwind_row_compile(sites->image, addr, sites->arena, &kept->site.row);
	HASH_ADD(hh, sites->kept, addr, sizeof(kept->addr), kept);
	return kept;
}

const struct call_site *call_sites_find(struct call_sites *sites, uint64_t addr)
{
	struct kept_site *kept = kept_get(sites, addr);

	if (!kept->is_whole)
		places_find(sites, addr, &kept->site);
	kept->is_whole = true;
	return &kept->site;
}

const struct unwind_row *call_sites_row(struct call_sites *sites, uint64_t addr)
{
	return &kept_get(sites, addr)->site.row;
}

const struct call_site *call_sites_known(const struct call_sites *sites, uint64_t addr)
{
	const struct kept_site *kept = kept_find(sites, addr);

	return kept && kept->is_whole ? &kept->site : NULL;
}

static const struct call_place *function_place(struct call_sites *sites, uint64_t addr)
{
	struct owner owner = {.addr = addr};
	struct call_site site = {.n_places = 0};

	if (owner_find(sites, &owner)) {
		struct call_place *place = arena_new(sites->arena, struct call_place);

		name_place(sites, &owner.die, owner.scope.bytes ? owner.scope.bytes : "", place);
		site.places = place;
	} else {
		place_of_symbol(sites, addr, &site);
	}
	text_deinit(&owner.scope);
	return site.places;
}

const struct call_place *call_sites_function(struct call_sites *sites, uint64_t addr)
{
	const struct elf_symbol *symbol = symbol_find(sites->image, addr);
	const uint64_t key = symbol ? symbol->addr : addr;
	struct kept_function *kept;

	HASH_FIND(hh, sites->functions, &key, sizeof(key), kept);
	if (!kept) {
		kept = mem_alloc(sizeof(*kept));
		kept->addr = key;
		kept->place = function_place(sites, addr);
		HASH_ADD(hh, sites->functions, addr, sizeof(kept->addr), kept);
	}
	return kept->place;
}

static int by_low(const void *a, const void *b)
{
	const struct class_map_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Vtables at run-time addresses; of overlapping ones the first is kept. */
static void vtables_map(struct call_sites *sites, uint64_t load_bias)
{
	const struct catalogue *from = &sites->classes;
	struct class_map_range *ranges = mem_alloc((from->n_vtables + 1) * sizeof(*ranges));
	size_t kept = 0;

	for (size_t i = 0; i < from->n_vtables; i++)
		ranges[i] = (struct class_map_range){
			module_runtime(load_bias, from->vtables[i].low_addr),
			module_runtime(load_bias, from->vtables[i].high_addr),
			from->vtables[i].class_type};
	qsort(ranges, from->n_vtables, sizeof(*ranges), by_low);
	for (size_t i = 0; i < from->n_vtables; i++)
		if (ranges[i].low < ranges[i].high &&
		    (!kept || ranges[i].low >= ranges[kept - 1].high))
			ranges[kept++] = ranges[i];
	free((void *)sites->map.ranges);
	sites->map = (struct class_map){ranges, kept, from->classes, from->casts, from->n_casts};
}

const struct class_map *call_sites_classes(struct call_sites *sites, uint64_t load_bias,
					   const struct class_type **ret_classes,
					   size_t *ret_n_classes)
{
	sites->classes = (struct catalogue){.arena = sites->arena};
	if (sites->sources.classes)
		classes_publish(sites->sources.classes, &sites->classes);
	vtables_map(sites, load_bias);
	*ret_classes = sites->classes.classes;
	*ret_n_classes = sites->classes.n_classes;
	return &sites->map;
}

const char *call_sites_variable(const struct call_sites *sites, uint64_t addr, struct arena *arena,
				uint64_t *ret_offset)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name = dwfl_module_addrinfo(sites->image->module, addr, &offset, &symbol, NULL,
						NULL, NULL);
	const char *demangled;

	if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
		return NULL;
	*ret_offset = offset;
	demangled = die_name_demangle(name, arena);
	return demangled ? demangled : name;
}

const char *call_sites_variable_path(const struct call_sites *sites, uint64_t addr, bool whole,
				     struct arena *arena)
{
	uint64_t offset;

	return sites->image->dwarf && call_sites_variable(sites, addr, arena, &offset)
		       ? variable_path_find(sites->image, addr - offset, offset, whole, arena)
		       : NULL;
}
