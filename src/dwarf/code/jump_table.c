/*
 * Follows an index through registers to the jump through its table. function_code.c decides whether
 * it is a table.
 */
#include "jump_table.h"

enum { CHECK_DISTANCE = 4, FAR = 1 << 20 };

void jump_table_reset(struct jump_table *state)
{
	*state = (struct jump_table){.scaled = -1, .placed = -1, .table = -1, .since_above = FAR};
}

static bool writes(const struct insn *insn, int reg)
{
	return reg >= 0 && (insn->writes >> reg & 1);
}

/* Is a table of addresses at @operand's displacement? */
static bool table_of_addresses(const struct insn_operand *operand, struct table_index *ret)
{
	if (operand->base >= 0 || operand->index < 0 || operand->scale != 8 || operand->segment)
		return false;
	*ret = (struct table_index){.reg = operand->index, .scale = 1};
	return true;
}

/* Compilers that know the lowest case subtract it from the displacement. */
static bool table_of_offsets(struct jump_table *state, const struct insn_operand *operand)
{
	if (operand->scale != 4 || operand->base < 0 || operand->index < 0 ||
	    operand->base == operand->index || operand->displacement % 4)
		return false;
	state->index = (struct table_index){
		.reg = operand->index, .scale = 1, .bias = operand->displacement / 4};
	state->table = operand->base;
	return true;
}

static bool table_of_scaled(struct jump_table *state, const struct insn_operand *operand)
{
	if (operand->scale != 1 || operand->displacement || state->scaled < 0 ||
	    state->placed < 0 || state->scale != 4 || operand->base != state->scaled ||
	    operand->index != state->placed)
		return false;
	state->index = (struct table_index){.reg = state->scaled, .scale = 4};
	state->table_place = state->place;
	return true;
}

static void see_load(struct jump_table *state, const struct insn *insn)
{
	const struct insn_operand *operand = &insn->operand;

	state->load = *insn;
	state->added = insn->table_entry == 8;
	state->table = -1;
	state->table_place = 0;
	if (insn->table_register < 0 || operand->segment)
		state->loaded = false;
	else if (insn->table_entry == 8)
		state->loaded = table_of_addresses(operand, &state->index);
	else
		state->loaded = table_of_offsets(state, operand) || table_of_scaled(state, operand);
	if (writes(insn, state->table)) /* so it cannot be added later */
		state->loaded = false;
}

static bool is_table(const struct jump_table *state, int reg)
{
	return reg >= 0 && (reg == state->table || (state->table_place && reg == state->placed &&
						    state->place == state->table_place));
}

/* Follow the loaded entry. */
static void follow_entry(struct jump_table *state, const struct insn *insn)
{
	const int entry = state->load.table_register;

	if (insn->arithmetic == INSN_ADD && insn->to == entry && !state->added &&
	    is_table(state, insn->from))
		state->added = true;
	else if (writes(insn, entry) && !(insn->is_cltq && !state->load.table_extended))
		state->loaded = false;
	if (writes(insn, state->table))
		state->table = -1;
}

static void follow_addresses(struct jump_table *state, const struct insn *insn)
{
	if (writes(insn, state->scaled))
		state->scaled = -1;
	if (writes(insn, state->placed))
		state->placed = -1;
	if (insn->arithmetic == INSN_SCALE) {
		state->scaled = insn->to;
		state->scale = insn->number;
	} else if (insn->arithmetic == INSN_ADDRESS) {
		state->placed = insn->to;
		state->place = insn->number;
	}
}

void jump_table_see(struct jump_table *state, const struct insn *insn)
{
	enum { ABOVE = 7 };
	const unsigned since = state->since_above;

	if (insn->kind != INSN_PLAIN && insn->kind != INSN_NOP) {
		jump_table_reset(state);
		if (insn->kind == INSN_JUMP_IF && insn->condition == ABOVE)
			state->since_above = 0;
		return;
	}
	state->since_above = since < FAR ? since + 1 : FAR;
	if (state->loaded)
		follow_entry(state, insn);
	if (insn->table_entry)
		see_load(state, insn);
	follow_addresses(state, insn);
}

bool jump_table_find(const struct jump_table *state, const struct insn *jump,
		     struct branch_site *ret, bool *ret_checked)
{
	struct table_index index = state->index;

	*ret_checked = state->since_above <= CHECK_DISTANCE;
	if (jump->operand.memory) {
		if (!table_of_addresses(&jump->operand, &index))
			return false;
	} else if (!state->loaded || !state->added ||
		   state->load.table_register != jump->operand.base) {
		return false;
	}
	*ret = (struct branch_site){
		.kind = BRANCH_SWITCH,
		.addr = jump->operand.memory ? jump->address : state->load.address,
		.index = index,
	};
	return true;
}
