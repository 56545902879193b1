/* Call sites in DIEs of functions. call_sites.c has the addresses, location_compile.c the plans. */
#include "call_values.h"

#include <string.h>

#include "dwarf/file/die.h"
#include "unwind_row.h"

enum { NESTING_MAX = 64, TAIL_CALLS_MAX = 64 };

/* A walk over the calls of a function; @see ends it with true. */
struct call_walk {
	bool (*see)(struct call_walk *walk, Dwarf_Die *call);
	uint64_t return_addr;
	const char *linkage;
	uint64_t *returns; /* of calls that mean it */
	size_t most;
	Dwarf_Die found;
	Dwarf_Die tail_calls[TAIL_CALLS_MAX]; /* jumps, or functions that are jumped to */
	size_t n;
};

static bool walk_calls(struct call_walk *walk, Dwarf_Die *block, int nesting)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child))
		switch (dwarf_tag(&child)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			if (walk->see(walk, &child))
				return true;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_inlined_subroutine:
			if (nesting < NESTING_MAX && walk_calls(walk, &child, nesting + 1))
				return true;
			break;
		}
	return false;
}

static bool call_returns_to(Dwarf_Die *call, Dwarf_Addr *ret)
{
	Dwarf_Attribute attribute;

	return (dwarf_attr(call, DW_AT_call_return_pc, &attribute) ||
		dwarf_attr(call, DW_AT_low_pc, &attribute)) &&
	       dwarf_formaddr(&attribute, ret) == 0;
}

static bool is_return_here(struct call_walk *walk, Dwarf_Die *call)
{
	Dwarf_Addr addr;

	if (!call_returns_to(call, &addr) || addr != walk->return_addr)
		return false;
	walk->found = *call;
	return true;
}

static bool call_origin(Dwarf_Die *call, Dwarf_Die *ret)
{
	return die_reference(call, DW_AT_call_origin, ret) ||
	       die_reference(call, DW_AT_abstract_origin, ret);
}

/* The value of expression @name of @die as a plan without steps, or with. */
static void plan_attribute(Dwarf_Die *die, unsigned name, const struct frame_base *frame,
			   struct arena *arena, struct read_plan *ret)
{
	Dwarf_Attribute attribute;
	struct location at;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, name, &attribute) || dwarf_getlocation(&attribute, &ops, &n) != 0 ||
	    n == 0)
		return;
	location_compile(&attribute, ops, n, frame, NULL, arena, &at);
	/* What it leaves is the value itself (DWARF 5, 3.4.2), not an address. */
	if (at.kind == LOCATION_MEMORY)
		at.kind = LOCATION_VALUE;
	unwind_row_plan(&at, arena, ret);
}

/* What a parameter is passed in: a register; none if it was optimised away. False: elsewhere. */
static bool passed_in(Dwarf_Die *parameter, struct call_value *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die callees;
	Dwarf_Op *ops;
	size_t n;

	if (die_reference(parameter, DW_AT_call_parameter, &callees) ||
	    die_reference(parameter, DW_AT_abstract_origin, &callees)) {
		ret->parameter = callees.addr;
		return true;
	}

	if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1 || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return false;
	ret->reg = ops[0].atom - DW_OP_reg0;
	return ret->reg < PLAN_PASSED_IN;
}

static void values_find(Dwarf_Die *call, const struct frame_base *frame, struct arena *arena,
			struct call_passing *ret)
{
	struct call_value *values = arena_array(arena, struct call_value, CALL_PASSING_MAX);
	Dwarf_Die child;

	for (bool more = die_first(call, &child); more && ret->n < CALL_PASSING_MAX;
	     more = die_next(&child)) {
		struct call_value *value = &values[ret->n];
		const bool is_gnu = dwarf_tag(&child) == DW_TAG_GNU_call_site_parameter;

		*value = (struct call_value){.reg = 0};
		if ((!is_gnu && dwarf_tag(&child) != DW_TAG_call_site_parameter) ||
		    !passed_in(&child, value))
			continue;
		plan_attribute(&child, is_gnu ? DW_AT_GNU_call_site_value : DW_AT_call_value, frame,
			       arena, &value->plan);
		ret->n += value->plan.n_steps != 0;
	}
	ret->values = values;
}

/* Where the function is that the linker knows by @name; 0: nowhere, or in several places. */
static uint64_t named_entry(const struct elf_file *image, const char *name)
{
	uint64_t found = 0;

	for (size_t i = 0; image && name && i < image->n_symbols; i++) {
		if (strcmp(image->symbols[i].name, name) != 0)
			continue;
		if (found && found != image->symbols[i].addr)
			return 0;
		found = image->symbols[i].addr;
	}
	return found;
}

static const char *linker_name(Dwarf_Die *function)
{
	const char *linkage = die_linkage(function);

	return linkage ? linkage : dwarf_diename(function);
}

/* What @call calls, and passes. */
static void call_describe(Dwarf_Die *call, const struct frame_base *frame, struct arena *arena,
			  struct call_passing *ret)
{
	Dwarf_Addr entry;
	Dwarf_Die callee;

	if (call_origin(call, &callee)) {
		ret->callee = linker_name(&callee);
		/* One that is only declared there may be defined by another name. */
		ret->callee_addr =
			die_entry(&callee, &entry) ? entry : named_entry(frame->image, ret->callee);
	} else {
		plan_attribute(call, DW_AT_call_target, frame, arena, &ret->target);
		if (!ret->target.n_steps)
			plan_attribute(call, DW_AT_GNU_call_site_target, frame, arena,
				       &ret->target);
	}
	values_find(call, frame, arena, ret);
}

void call_values_find(Dwarf_Die *function, uint64_t return_addr, const struct frame_base *frame,
		      struct arena *arena, struct call_passing *ret)
{
	struct call_walk walk = {.see = is_return_here, .return_addr = return_addr};

	*ret = (struct call_passing){.n = 0};
	if (walk_calls(&walk, function, 0))
		call_describe(&walk.found, frame, arena, ret);
}

static bool is_tail_call(Dwarf_Die *call)
{
	return die_flag(call, DW_AT_call_tail_call) || die_flag(call, DW_AT_GNU_tail_call);
}

static bool see_tail_call(struct call_walk *walk, Dwarf_Die *call)
{
	if (!is_tail_call(call))
		return false;
	if (walk->n == TAIL_CALLS_MAX)
		return true;
	walk->tail_calls[walk->n++] = *call;
	return false;
}

bool call_values_tail_calls(Dwarf_Die *function, const struct frame_base *frame, size_t most,
			    struct arena *arena, struct call_hop *ret, size_t *ret_n)
{
	struct call_walk walk = {.see = see_tail_call};

	if (walk_calls(&walk, function, 0) || walk.n > most)
		return false;
	for (size_t i = 0; i < walk.n; i++) {
		struct frame_base at = *frame;

		ret[i] = (struct call_hop){.asked.n = 0};
		at.asked = &ret[i].asked;
		/* It is about where the jump is, where the frame is gone and registers changed. */
		at.at_entry = at.unfilled = false;
		at.intact = 0;
		call_describe(&walk.tail_calls[i], &at, arena, &ret[i].passing);
		if (!ret[i].passing.callee)
			return false;
	}
	*ret_n = walk.n;
	return true;
}

static bool note_meaning(struct call_walk *walk, Dwarf_Die *call)
{
	const char *name;
	Dwarf_Addr addr;
	Dwarf_Die callee;

	if (is_tail_call(call) || !call_origin(call, &callee) || !call_returns_to(call, &addr))
		return false;
	name = linker_name(&callee);
	if (!name || strcmp(name, walk->linkage) != 0)
		return false;
	if (walk->n == walk->most)
		return true;
	walk->returns[walk->n++] = addr;
	return false;
}

bool call_values_meaning(Dwarf_Die *function, const char *linkage, size_t most, uint64_t *ret,
			 size_t *ret_n)
{
	struct call_walk walk = {
		.see = note_meaning, .linkage = linkage, .returns = ret, .most = most};
	const bool are_more = walk_calls(&walk, function, 0);

	*ret_n = walk.n;
	return !are_more;
}

static bool note_tail_call(struct call_walk *walk, Dwarf_Die *call)
{
	Dwarf_Die *callee = &walk->tail_calls[walk->n];

	if (!is_tail_call(call) || !call_origin(call, callee))
		return false;
	for (size_t i = 0; i < walk->n; i++)
		if (walk->tail_calls[i].addr == callee->addr)
			return false;
	return ++walk->n == TAIL_CALLS_MAX; /* too many to follow: perhaps */
}

bool call_values_calls_itself(Dwarf_Die *function)
{
	struct call_walk walk = {.see = note_tail_call};
	Dwarf_Die each = *function, abstract = *function;

	die_reference(function, DW_AT_abstract_origin, &abstract);
	if (walk_calls(&walk, function, 0))
		return true;
	for (size_t i = 0; i < walk.n; i++) {
		each = walk.tail_calls[i];
		if (each.addr == function->addr || each.addr == abstract.addr ||
		    walk_calls(&walk, &each, 0))
			return true;
	}
	return false;
}
