/*
 * A function's variables: parameters, return value, globals; its locals, which have no value when a
 * call begins, are of blocks, and else only counted. feature_visit.c follows them.
 */
#include "root_variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cast_types.h"
#include "dwarf/location/die_location.h"
#include "range_pairs.h"
#include "dwarf/type/return_value.h"
#include "variables.h"

enum { PARAMETERS_MAX = 256, BLOCKS_MAX = 64, LOCALS_MAX = 1 << 16 };

/* The parameters met so far. */
struct parameters {
	struct feature_search *finder;
	Dwarf_Off origins[PARAMETERS_MAX]; /* abstract DIEs; 0: none */
	size_t n;
};

static Dwarf_Off origin_of(Dwarf_Die *die)
{
	Dwarf_Die origin;

	return die_reference(die, DW_AT_abstract_origin, &origin) ? dwarf_dieoffset(&origin) : 0;
}

/* gcc describes a parameter twice if it splits it in a clone. */
static bool root_is_known(const struct parameters *parameters, Dwarf_Off origin)
{
	for (size_t i = 0; i < parameters->n && origin; i++)
		if (parameters->origins[i] == origin)
			return true;
	return false;
}

/*
 * clang gives all parameters of a pack one name, which debuggers resolve to the last: number them.
 */
static const char *unique_name(struct arena *arena, Dwarf_Die *parent, Dwarf_Die *die,
			       const char *name)
{
	size_t n = 0, number = 0;
	Dwarf_Die child;

	for (bool more = die_first(parent, &child); more && n < PARAMETERS_MAX;
	     more = die_next(&child)) {
		const char *other = dwarf_diename(&child);

		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !other || strcmp(other, name))
			continue;
		if (child.addr == die->addr)
			number = n;
		n++;
	}
	return n > 1 ? arena_printf(arena, "%s#%zu", name, number) : arena_strdup(arena, name);
}

/* The object of a member function, or a lambda's captures. */
static bool is_object(const char *name)
{
	return name && (!strcmp(name, "this") || !strcmp(name, "__closure"));
}

static bool has_pack(Dwarf_Die *function)
{
	Dwarf_Die child;

	for (bool more = die_first(function, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack)
			return true;
	return false;
}

/* Copies of functions list a pack's parameters beside the pack. */
static bool is_in_pack(Dwarf_Die *parent)
{
	Dwarf_Die origin;

	return dwarf_tag(parent) == DW_TAG_GNU_formal_parameter_pack || has_pack(parent) ||
	       (die_reference(parent, DW_AT_abstract_origin, &origin) && has_pack(&origin));
}

static void parameter_push(struct parameters *parameters, Dwarf_Die *parent, Dwarf_Die *die)
{
	struct feature_search *finder = parameters->finder;
	const char *name = dwarf_diename(die);
	const bool artificial = die_flag(die, DW_AT_artificial);
	struct node node = {.type = feature_search_type(finder, die)}, cast;
	bool casts;

	if (artificial && !is_object(name))
		return; /* the compiler's own, like __in_chrg */
	if (root_is_known(parameters, origin_of(die)))
		return;
	parameters->origins[parameters->n] = origin_of(die);
	node.is_this = artificial;
	if (name && *name && strlen(name) <= FINDER_NAME_MAX) {
		node.name = node.expression = unique_name(finder->arena, parent, die, name);
		die_location(die, finder->frame, finder->arena, &node.at);
		if (node.at.kind == LOCATION_ABSENT && node.at.absence == ABSENT_OPTIMIZED_OUT &&
		    dwarf_tag(parent) == DW_TAG_subprogram &&
		    die_location_at_call(die, finder->frame, &node.at))
			node.expression = arena_printf(finder->arena, "%s@entry", node.name);
	} else {
		node.expression = arena_printf(finder->arena, "<parameter %zu>", parameters->n + 1);
		location_absent(&node.at, ABSENT_UNSUPPORTED,
				is_in_pack(parent) ? "one of a pack, whose names gcc does not tell"
						   : "it has no name");
	}
	parameters->n++;
	casts = cast_types_find(finder, parent, &node, &cast);
	node.known_as = casts ? cast.known_as : NULL;
	if (feature_search_claim(finder, node.expression))
		feature_search_push(finder, &node);
	if (casts && feature_search_claim(finder, cast.expression))
		feature_search_push(finder, &cast);
}

static void parameters_push(struct parameters *parameters, Dwarf_Die *parent, int nesting)
{
	Dwarf_Die child;

	for (bool more = die_first(parent, &child); more; more = die_next(&child)) {
		if (parameters->n == PARAMETERS_MAX)
			return;
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			parameter_push(parameters, parent, &child);
		else if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack && nesting == 0)
			parameters_push(parameters, &child, 1);
	}
}

void root_variables_parameters(struct feature_search *finder, Dwarf_Die *die)
{
	struct parameters parameters = {.finder = finder};
	const size_t first = finder->n_queued;

	parameters_push(&parameters, die, 0);
	range_pairs_emit(finder, first);
}

void root_variables_returned(struct feature_search *finder, Dwarf_Die *die)
{
	struct node node = {.expression = "return", .type = feature_search_type(finder, die)};

	if (return_value_locate(finder->sources->image, die, finder->arena, &node.at) &&
	    feature_search_claim(finder, node.expression))
		feature_search_push(finder, &node);
}

static bool global_push(void *self, const struct variable *variable)
{
	struct feature_search *finder = self;
	Dwarf_Die die = variable->die;
	const struct node node = {
		.expression = variable->expression,
		.at = variable->at,
		.type = feature_search_type(finder, &die),
	};

	if (finder->required_only && !feature_search_leads_there(finder, node.expression))
		return true;
	return !feature_search_claim(finder, node.expression) || feature_search_push(finder, &node);
}

void root_variables_globals(struct feature_search *finder, Dwarf_Die *die, enum globals which)
{
	if (which != GLOBALS_NONE && finder->sources->variables)
		variables_each(finder->sources->variables, die, which, global_push, finder);
}

/* Local variables, by the keys that identify a variable. */
struct locals {
	Dwarf_Off *variables;
	size_t n, capacity;
};

/* Static ones have an address. */
static bool is_static(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n == 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_form_tls_address ||
		    ops[i].atom == DW_OP_GNU_push_tls_address)
			return true;
	return ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
	       ops[0].atom == DW_OP_GNU_addr_index;
}

static bool is_local(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && *name && !die_flag(die, DW_AT_artificial) && !is_static(die) &&
	       !dwarf_hasattr_integrate(die, DW_AT_const_value) &&
	       !dwarf_hasattr(die, DW_AT_declaration) && !dwarf_hasattr(die, DW_AT_external);
}

/* What is declared later has no value yet. */
static void local_push(struct feature_search *finder, Dwarf_Die *die, unsigned line)
{
	struct node node = {.type = feature_search_type(finder, die)};
	uint64_t declared;

	if (dwarf_tag(die) == DW_TAG_formal_parameter ? !dwarf_diename(die) : !is_local(die))
		return;
	if (!die_number(die, DW_AT_decl_line, &declared) || declared >= line ||
	    strlen(dwarf_diename(die)) > FINDER_NAME_MAX)
		return;
	node.name = node.expression = arena_strdup(finder->arena, dwarf_diename(die));
	die_location(die, finder->frame, finder->arena, &node.at);
	if (feature_search_claim(finder, node.expression))
		feature_search_push(finder, &node);
}

static void locals_push(struct feature_search *finder, Dwarf_Die *scope, unsigned line, int nesting)
{
	const bool is_inlined = dwarf_tag(scope) == DW_TAG_inlined_subroutine;
	Dwarf_Die child;

	for (bool more = die_first(scope, &child); more; more = die_next(&child)) {
		const int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block || tag == DW_TAG_inlined_subroutine) &&
		    nesting < BLOCKS_MAX && dwarf_haspc(&child, finder->frame->addr) > 0)
			locals_push(finder, &child, line, nesting + 1);
	}
	for (bool more = die_first(scope, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_variable ||
		    (is_inlined && dwarf_tag(&child) == DW_TAG_formal_parameter))
			local_push(finder, &child, line);
}

void root_variables_locals(struct feature_search *finder, Dwarf_Die *die, unsigned line)
{
	locals_push(finder, die, line, 0);
}

static void local_add(struct locals *locals, Dwarf_Die *die)
{
	const Dwarf_Off origin = origin_of(die);

	if (!is_local(die))
		return;
	locals->variables = mem_grow(locals->variables, &locals->capacity, locals->n + 1,
				     sizeof(*locals->variables));
	locals->variables[locals->n++] = origin ? origin : dwarf_dieoffset(die);
}

static void locals_add(struct locals *locals, Dwarf_Die *block, int nesting)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child)) {
		if (locals->n == LOCALS_MAX)
			return;
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
			local_add(locals, &child);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (nesting < BLOCKS_MAX)
				locals_add(locals, &child, nesting + 1);
			break;
		}
	}
}

static int by_offset(const void *a, const void *b)
{
	const Dwarf_Off x = *(const Dwarf_Off *)a, y = *(const Dwarf_Off *)b;

	return (x > y) - (x < y);
}

size_t root_variables_count_locals(Dwarf_Die *die)
{
	struct locals locals = {.n = 0};
	size_t n = 0;

	locals_add(&locals, die, 0);
	if (locals.n)
		qsort(locals.variables, locals.n, sizeof(*locals.variables), by_offset);
	for (size_t i = 0; i < locals.n; i++)
		n += i == 0 || locals.variables[i] != locals.variables[i - 1];
	free(locals.variables);
	return n;
}
