/* Values that are stored nowhere: constants of any length, and entry values of registers. */
#include <string.h>

#include "core/catalogue/call_site.h"
#include "expression.h"

enum { CONSTANT_SIZE_MAX = 512 };

/* Do the registers read by @steps still have their entry values, and is no memory read? */
static bool is_intact(const struct frame_base *frame, const struct steps *steps)
{
	for (unsigned i = 0; i < steps->n; i++) {
		const struct plan_step *step = &steps->step[i];

		if (step->op == PLAN_LOAD ||
		    (step->op == PLAN_REG && !(frame->intact >> step->arg & 1)))
			return false;
	}
	return true;
}

/* Is @value a register that the caller may be asked for? Then let it be that of the call. */
static bool of_caller(const struct frame_base *frame, struct location *value, struct arena *arena)
{
	struct plan_step *step = &value->steps.step[0];

	if (!frame->has_caller || value->steps.n != 1 || step->op != PLAN_REG ||
	    step->arg >= PLAN_PASSED_IN)
		return false;
	step->arg += PLAN_ENTRY;
	value->where = arena_printf(arena, "%s at the call", value->where);
	return true;
}

void implicit_values_entry_value(struct expression *e, const Dwarf_Op *op)
{
	struct location value;
	struct expression inner = {
		.frame = e->frame, .arena = e->arena, .at = &value, .nested = true};
	struct word_type type = {0};
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (e->nested || !e->attribute ||
	    dwarf_getlocation_attr(e->attribute, op, &attribute) != 0 ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n == 0) {
		expression_broken(e);
		return;
	}
	inner.attribute = &attribute;
	location_compile_expression(&inner, ops, n, NULL);
	if (value.kind == LOCATION_ABSENT || value.kind == LOCATION_PIECES) {
		expression_refuse(e, op, "of a computed value is not read");
		return;
	}
	/* The word is the value here, not an address. */
	if (value.kind == LOCATION_REGISTER)
		location_load(&value, 8);
	else
		type = inner.types[inner.depth - 1];
	if (!e->frame->at_entry && !is_intact(e->frame, &value.steps) &&
	    !of_caller(e->frame, &value, e->arena)) {
		location_absent(
			e->at, ABSENT_OPTIMIZED_OUT,
			arena_printf(e->arena,
				     "optimised out here: only its entry value is known (%s)",
				     expression_operator_name(op->atom, e->arena)));
		return;
	}
	expression_name(e, value.where, value.offset);
	if (!expression_push(e, type))
		return;
	location_append_steps(&e->at->steps, &value.steps);
}

void implicit_values_parameter(struct expression *e, const Dwarf_Op *op)
{
	struct call_asked *asked = e->frame->asked;
	Dwarf_Die parameter;
	size_t i = 0;

	if (!asked || !e->attribute || dwarf_getlocation_die(e->attribute, op, &parameter) != 0)
		i = CALL_ASKED_MAX;
	while (i < CALL_ASKED_MAX && i < asked->n && asked->parameters[i] != parameter.addr)
		i++;
	if (i == CALL_ASKED_MAX) {
		location_absent(e->at, ABSENT_OPTIMIZED_OUT,
				"optimised out: only the caller has it (DW_OP_GNU_parameter_ref)");
		return;
	}
	expression_name(e, "what the caller passes", 0);
	if (!expression_push(e, (struct word_type){0}))
		return;
	asked->parameters[i] = parameter.addr;
	asked->n += i == asked->n;
	location_push(&e->at->steps, PLAN_REG, PLAN_ASKED + (int64_t)i);
}

bool implicit_values_block(const Dwarf_Block *block, struct arena *arena, struct location *ret)
{
	const size_t n = (block->length + 7) / 8;
	struct piece *pieces;

	if (!block->length || block->length > CONSTANT_SIZE_MAX)
		return false;
	pieces = arena_array(arena, struct piece, n);
	for (size_t i = 0; i < n; i++) {
		const size_t left = block->length - i * 8, size = left < 8 ? left : 8;
		uint64_t number = 0;

		memcpy(&number, block->data + i * 8, size);
		pieces[i] = (struct piece){i * 8, size, {.kind = LOCATION_VALUE}};
		pieces[i].at.where = "a constant";
		location_push(&pieces[i].at.steps, PLAN_CONST, (int64_t)number);
	}
	*ret = n == 1 ? pieces->at
		      : (struct location){.kind = LOCATION_PIECES,
					  .where = "a constant",
					  .pieces = pieces,
					  .n_pieces = n};
	return true;
}

void implicit_values_constant(struct expression *e, const Dwarf_Op *op)
{
	struct location value;
	Dwarf_Block block;

	if (!e->attribute || e->depth ||
	    dwarf_getlocation_implicit_value(e->attribute, op, &block) != 0 ||
	    !implicit_values_block(&block, e->arena, &value)) {
		expression_refuse(e, op, "of an odd size is not read");
		return;
	}
	expression_name(e, value.where, 0);
	if (value.kind == LOCATION_PIECES || expression_push(e, (struct word_type){0}))
		*e->at = value;
}
