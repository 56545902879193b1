/* Operators that compute or move words, also words of base types. */
#include "expression.h"

enum { SEQUENCE_MAX = 8 };

/* An operator's operands and result. */
enum shape {
	UNARY,
	BINARY,
	COMPARISON, /* the result is generic */
};

struct operation {
	unsigned atom;
	enum shape shape;
	struct plan_step steps[SEQUENCE_MAX]; /* ends at the first zero */
};

#define STOP PLAN_OP_COUNT

static const struct operation operations[] = {
	{DW_OP_plus, BINARY, {{PLAN_PLUS}, {STOP}}},
	{DW_OP_minus, BINARY, {{PLAN_MINUS}, {STOP}}},
	{DW_OP_mul, BINARY, {{PLAN_MUL}, {STOP}}},
	{DW_OP_div, BINARY, {{PLAN_DIV}, {STOP}}},
	{DW_OP_mod, BINARY, {{PLAN_MOD}, {STOP}}},
	{DW_OP_and, BINARY, {{PLAN_AND}, {STOP}}},
	{DW_OP_or, BINARY, {{PLAN_OR}, {STOP}}},
	{DW_OP_xor, BINARY, {{PLAN_XOR}, {STOP}}},
	{DW_OP_shl, BINARY, {{PLAN_SHL}, {STOP}}},
	{DW_OP_shr, BINARY, {{PLAN_SHR}, {STOP}}},
	{DW_OP_shra, BINARY, {{PLAN_SHRA}, {STOP}}},
	{DW_OP_neg, UNARY, {{PLAN_NEG}, {STOP}}},
	{DW_OP_not, UNARY, {{PLAN_NOT}, {STOP}}},
	/* With m = x >> 63, which is 0 or -1: (x ^ m) - m. */
	{DW_OP_abs,
	 UNARY,
	 {{PLAN_DUP},
	  {PLAN_CONST, 63},
	  {PLAN_SHRA},
	  {PLAN_SWAP},
	  {PLAN_PICK, 1},
	  {PLAN_XOR},
	  {PLAN_SWAP},
	  {PLAN_MINUS}}},
	{DW_OP_eq, COMPARISON, {{PLAN_EQUAL}, {STOP}}},
	{DW_OP_ne, COMPARISON, {{PLAN_EQUAL}, {PLAN_CONST, 1}, {PLAN_XOR}, {STOP}}},
	{DW_OP_lt, COMPARISON, {{PLAN_LESS}, {STOP}}},
	{DW_OP_ge, COMPARISON, {{PLAN_LESS}, {PLAN_CONST, 1}, {PLAN_XOR}, {STOP}}},
	{DW_OP_gt, COMPARISON, {{PLAN_SWAP}, {PLAN_LESS}, {STOP}}},
	{DW_OP_le, COMPARISON, {{PLAN_SWAP}, {PLAN_LESS}, {PLAN_CONST, 1}, {PLAN_XOR}, {STOP}}},
};

static const struct operation *find_operation(unsigned atom)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (operations[i].atom == atom)
			return &operations[i];
	return NULL;
}

/* The reason why @atom would be wrong for these types: words are computed with 64 bits. */
static const char *objection(unsigned atom, struct word_type a, struct word_type b)
{
	const bool is_typed = a.size != 0;

	if (a.is_float || b.is_float)
		return "of floating-point numbers is not supported";
	if (!is_typed)
		return NULL;
	if ((atom == DW_OP_shr && a.is_signed && a.size < 8) ||
	    (atom == DW_OP_shra && !a.is_signed) || (atom == DW_OP_mod && a.is_signed) ||
	    (atom == DW_OP_div && !a.is_signed && a.size == 8))
		return "of this type is not supported";
	return NULL;
}

static void steps_of(struct expression *e, const struct operation *operation, bool is_unsigned)
{
	for (size_t i = 0; i < SEQUENCE_MAX && operation->steps[i].op != STOP; i++) {
		const struct plan_step *step = &operation->steps[i];
		const bool below = step->op == PLAN_LESS && is_unsigned;

		location_push(&e->at->steps, below ? PLAN_BELOW : step->op, step->arg);
	}
}

static void operate(struct expression *e, const Dwarf_Op *op, const struct operation *operation)
{
	const unsigned n = operation->shape == UNARY ? 1 : 2;
	struct word_type a, b;
	const char *why;

	if (!expression_pop(e, n))
		return;
	a = e->types[e->depth];
	b = e->types[e->depth + n - 1];
	why = objection(op->atom, a, b);
	if (why) {
		expression_refuse(e, op, why);
		return;
	}
	steps_of(e, operation, a.size && !a.is_signed);
	if (operation->shape == COMPARISON)
		a = (struct word_type){0};
	expression_normalise(e, a);
	expression_push(e, a);
	expression_unclear(e);
}

static void word_pick(struct expression *e, uint64_t below)
{
	if (below >= e->depth) {
		location_absent(e->at, ABSENT_UNSUPPORTED, "its location is a broken expression");
		return;
	}
	location_push(&e->at->steps, PLAN_PICK, (int64_t)below);
	expression_push(e, e->types[e->depth - 1 - below]);
	expression_unclear(e);
}

/* Rotate the types of the top @n words like the words: the first goes below the others. */
static void turn(struct expression *e, enum plan_op op, unsigned n)
{
	struct word_type first;

	if (!expression_pop(e, n))
		return;
	e->depth += n;
	first = e->types[e->depth - 1];
	for (unsigned i = 1; i < n; i++)
		e->types[e->depth - i] = e->types[e->depth - i - 1];
	e->types[e->depth - n] = first;
	location_push(&e->at->steps, op, 0);
	expression_unclear(e);
}

bool arithmetic_compile(struct expression *e, const Dwarf_Op *op)
{
	const struct operation *operation = find_operation(op->atom);

	if (operation) {
		operate(e, op, operation);
		return true;
	}
	switch (op->atom) {
	case DW_OP_dup:
		word_pick(e, 0);
		return true;
	case DW_OP_over:
		word_pick(e, 1);
		return true;
	case DW_OP_pick:
		word_pick(e, op->number);
		return true;
	case DW_OP_drop:
		if (expression_pop(e, 1))
			location_push(&e->at->steps, PLAN_DROP, 0);
		expression_unclear(e);
		return true;
	case DW_OP_swap:
		turn(e, PLAN_SWAP, 2);
		return true;
	case DW_OP_rot:
		turn(e, PLAN_ROT, 3);
		return true;
	}
	return false;
}
