/*
 * Following an index to the jump through its table. Whether it is a table at all is
 * function_code.c's to know.
 */
#include "jump_table.h"

enum { CHECK_DISTANCE = 4, FAR = 1 << 20 };

void jump_table_reset(struct jump_table *watch)
{
	*watch = (struct jump_table){.scaled = -1, .placed = -1, .table = -1, .since_above = FAR};
}

static bool writes(const struct insn *insn, int reg)
{
	return reg >= 0 && (insn->writes >> reg & 1);
}

/* The table of addresses at @operand's displacement. */
static bool tell_addresses(const struct insn_operand *operand, struct table_index *ret)
{
	if (operand->base >= 0 || operand->index < 0 || operand->scale != 8 || operand->segment)
		return false;
	*ret = (struct table_index){.reg = operand->index, .scale = 1};
	return true;
}

/* Compilers that know the lowest case subtract it from the displacement. */
static bool tell_offsets(struct jump_table *watch, const struct insn_operand *operand)
{
	if (operand->scale != 4 || operand->base < 0 || operand->index < 0 ||
	    operand->base == operand->index || operand->displacement % 4)
		return false;
	watch->index = (struct table_index){
		.reg = operand->index, .scale = 1, .bias = operand->displacement / 4};
	watch->table = operand->base;
	return true;
}

static bool tell_scaled(struct jump_table *watch, const struct insn_operand *operand)
{
	if (operand->scale != 1 || operand->displacement || watch->scaled < 0 ||
	    watch->placed < 0 || watch->scale != 4 || operand->base != watch->scaled ||
	    operand->index != watch->placed)
		return false;
	watch->index = (struct table_index){.reg = watch->scaled, .scale = 4};
	watch->table_place = watch->place;
	return true;
}

static void see_load(struct jump_table *watch, const struct insn *insn)
{
	const struct insn_operand *operand = &insn->operand;

	watch->load = *insn;
	watch->added = insn->table_entry == 8;
	watch->table = -1;
	watch->table_place = 0;
	if (insn->table_register < 0 || operand->segment)
		watch->loaded = false;
	else if (insn->table_entry == 8)
		watch->loaded = tell_addresses(operand, &watch->index);
	else
		watch->loaded = tell_offsets(watch, operand) || tell_scaled(watch, operand);
	if (writes(insn, watch->table)) /* it cannot be added any more */
		watch->loaded = false;
}

static bool is_table(const struct jump_table *watch, int reg)
{
	return reg >= 0 && (reg == watch->table || (watch->table_place && reg == watch->placed &&
						    watch->place == watch->table_place));
}

/* What becomes of the entry that was loaded. */
static void follow_entry(struct jump_table *watch, const struct insn *insn)
{
	const int entry = watch->load.table_register;

	if (insn->arithmetic == INSN_ADD && insn->to == entry && !watch->added &&
	    is_table(watch, insn->from))
		watch->added = true;
	else if (writes(insn, entry) && !(insn->is_cltq && !watch->load.table_extended))
		watch->loaded = false;
	if (writes(insn, watch->table))
		watch->table = -1;
}

static void follow_addresses(struct jump_table *watch, const struct insn *insn)
{
	if (writes(insn, watch->scaled))
		watch->scaled = -1;
	if (writes(insn, watch->placed))
		watch->placed = -1;
	if (insn->arithmetic == INSN_SCALE) {
		watch->scaled = insn->to;
		watch->scale = insn->number;
	} else if (insn->arithmetic == INSN_ADDRESS) {
		watch->placed = insn->to;
		watch->place = insn->number;
	}
}

void jump_table_see(struct jump_table *watch, const struct insn *insn)
{
	enum { ABOVE = 7 };
	const unsigned since = watch->since_above;

	if (insn->kind != INSN_PLAIN && insn->kind != INSN_NOP) {
		jump_table_reset(watch);
		if (insn->kind == INSN_JUMP_IF && insn->condition == ABOVE)
			watch->since_above = 0;
		return;
	}
	watch->since_above = since < FAR ? since + 1 : FAR;
	if (watch->loaded)
		follow_entry(watch, insn);
	if (insn->table_entry)
		see_load(watch, insn);
	follow_addresses(watch, insn);
}

bool jump_table_find(const struct jump_table *watch, const struct insn *jump,
		     struct branch_site *ret, bool *ret_checked)
{
	struct table_index index = watch->index;

	*ret_checked = watch->since_above <= CHECK_DISTANCE;
	if (jump->operand.memory) {
		if (!tell_addresses(&jump->operand, &index))
			return false;
	} else if (!watch->loaded || !watch->added ||
		   watch->load.table_register != jump->operand.base) {
		return false;
	}
	*ret = (struct branch_site){
		.kind = BRANCH_SWITCH,
		.addr = jump->operand.memory ? jump->address : watch->load.address,
		.index = index,
	};
	return true;
}
