/* Operands as capstone tells them, the registers apart. */
#include "insn_shape.h"

#include "insn_capstone.h"

/* FNV-1a over words. */
static void shape_mix(struct insn_shape *shape, uint64_t number)
{
	shape->operands = (shape->operands ^ number) * 0x100000001b3;
}

/* The stack pointer is never another register in its place. */
static void shape_use(struct insn_shape *shape, x86_reg reg)
{
	const x86_reg whole = insn_whole_register(reg);

	if (whole == X86_REG_INVALID || whole == X86_REG_RSP || whole == X86_REG_RIP ||
	    (unsigned)whole >= INSN_SHAPE_REGISTERS || shape->n_uses == INSN_SHAPE_USES)
		shape_mix(shape, whole);
	else
		shape->uses[shape->n_uses++] = whole;
}

static void shape_take(struct insn_shape *shape, const cs_x86_op *op)
{
	shape_mix(shape, op->type);
	shape_mix(shape, op->size);
	switch (op->type) {
	case X86_OP_REG:
		shape_use(shape, op->reg);
		break;
	case X86_OP_IMM:
		shape_mix(shape, (uint64_t)op->imm);
		break;
	case X86_OP_MEM:
		shape_mix(shape, op->mem.segment);
		shape_mix(shape, (uint64_t)op->mem.scale);
		shape_use(shape, op->mem.base);
		shape_use(shape, op->mem.index);
		if (op->mem.base != X86_REG_RIP)
			shape_mix(shape, (uint64_t)op->mem.disp);
		break;
	case X86_OP_INVALID:
		break;
	}
}

bool insn_shape(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		struct insn_shape *ret)
{
	const cs_x86 *x86;

	if (!cs_disasm_iter(decoder->handle, &bytes, &n, &address, decoder->insn))
		return false;
	x86 = &decoder->insn->detail->x86;
	*ret = (struct insn_shape){.mnemonic = decoder->insn->id, .operands = 0xcbf29ce484222325};
	for (size_t i = 0; i < sizeof(x86->prefix); i++)
		shape_mix(ret, x86->prefix[i]);
	for (uint8_t i = 0; i < x86->op_count; i++)
		shape_take(ret, &x86->operands[i]);
	return true;
}
