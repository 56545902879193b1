/* Units of code from debug information; what is at an address is found once. */
#include "causal_units.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/mem.h"
#include "dwarf/call_sites.h"

struct known_address {
	uint64_t addr;
	int unit;
	UT_hash_handle hh;
};

struct causal_units {
	struct call_sites *sites;
	struct causal_scope scope;
	struct experiments *experiments;
	struct known_address *known;
};

bool causal_units_open(const char *path, const struct catalogue_request *request,
		       const struct causal_scope *scope, struct experiments *experiments,
		       struct causal_units **ret, struct err *err)
{
	struct causal_units *units;
	struct call_sites *sites;

	if (!call_sites_open(path, request, &sites, err))
		return false;
	units = mem_alloc(sizeof(*units));
	*units = (struct causal_units){sites, *scope, experiments, NULL};
	*ret = units;
	return true;
}

void causal_units_close(struct causal_units *units)
{
	struct known_address *each, *next;

	if (!units)
		return;
	HASH_ITER (hh, units->known, each, next) {
		HASH_DEL(units->known, each);
		free(each);
	}
	call_sites_close(units->sites);
	free(units);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool is_in_scope(const struct causal_scope *scope, const struct call_place *place)
{
	const char *file = base_name(place->file);

	return !scope->pattern || fnmatch(scope->pattern, place->function, 0) == 0 ||
	       (file && fnmatch(scope->pattern, file, 0) == 0);
}

/* By name: a unit may be at many addresses, and a function inlined in many others. */
static int find_unit(struct experiments *experiments, const char *name, const char *file,
		     unsigned line)
{
	size_t i;

	for (i = 0; i < experiments->n_units; i++) {
		const struct causal_unit *unit = &experiments->units[i];

		if (!strcmp(unit->name, name) && unit->line == line &&
		    !strcmp(unit->file ? unit->file : "", file ? file : ""))
			return (int)i;
	}
	return (int)experiment_table_add_unit(experiments, name, file, line);
}

/* The innermost place in scope, of a function that may be inlined in others. */
static int unit_of_site(struct causal_units *units, const struct call_site *site)
{
	size_t i;

	for (i = 0; i < site->n_places; i++) {
		const struct call_place *place = &site->places[i];
		const bool at_line = units->scope.lines && place->file && place->line;

		if (!place->function || !is_in_scope(&units->scope, place))
			continue;
		return find_unit(units->experiments, place->function,
				 base_name(at_line ? place->file : place->declared_file),
				 at_line ? place->line : place->declared_line);
	}
	return -1;
}

int causal_units_at(struct causal_units *units, uint64_t addr)
{
	struct known_address *known;

	HASH_FIND(hh, units->known, &addr, sizeof(addr), known);
	if (known)
		return known->unit;
	known = mem_alloc(sizeof(*known));
	known->addr = addr;
	known->unit = unit_of_site(units, call_sites_find(units->sites, addr));
	HASH_ADD(hh, units->known, addr, sizeof(known->addr), known);
	return known->unit;
}

bool causal_units_is_wanted(const struct causal_units *units, unsigned unit)
{
	const struct causal_unit *each = &units->experiments->units[unit];
	const char *only = units->scope.only;
	char place[1024];

	if (!only)
		return true;
	snprintf(place, sizeof(place), "%s:%u", each->file ? each->file : "", each->line);
	return !strcmp(each->name, only) || !strcmp(place, only);
}
