/*
 * Following the stores of a prologue. Only the plain moves to the frame that compilers use for
 * parameters are understood. Source: Intel SDM volume 2, chapter 2 (prefixes, ModRM, SIB).
 */
#include "dwarf/spill.h"

#include <string.h>

#include "dwarf/frame.h"

enum { INSNS_MAX = 256, REG_RBP = 6, REG_RSP = 7 };

/* A store to memory at a register plus a displacement. */
struct store {
	unsigned reg; /* DWARF number */
	int64_t displacement;
	size_t size;
};

/* An instruction's parts up to its opcode. */
struct opcode {
	const uint8_t *at, *end; /* behind the opcode */
	bool rex_w, rex_b;
	unsigned prefix; /* 0, 0x66, 0xf2 or 0xf3 */
	bool two_bytes;  /* 0f xx, or its VEX form */
	bool wide;       /* 32-byte vectors */
	uint8_t byte;
};

static bool vex_parse(struct opcode *op)
{
	static const unsigned prefixes[] = {0, 0x66, 0xf3, 0xf2};

	if (op->end - op->at < 2)
		return false;
	op->wide = op->at[0] & 4;
	op->prefix = prefixes[op->at[0] & 3];
	op->two_bytes = true;
	op->byte = op->at[1];
	op->at += 2;
	return true;
}

static bool opcode_parse(const struct insn *insn, struct opcode *ret)
{
	struct opcode op = {.at = insn->bytes, .end = insn->bytes + insn->size};

	for (; op.at < op.end && (*op.at == 0x66 || *op.at == 0xf2 || *op.at == 0xf3); op.at++)
		op.prefix = *op.at;
	if (op.at < op.end && (*op.at & 0xf0) == 0x40) {
		op.rex_w = *op.at & 8;
		op.rex_b = *op.at & 1;
		op.at++;
	}
	if (op.at < op.end && *op.at == 0xc5) {
		op.at++;
		*ret = op;
		return vex_parse(ret);
	}
	if (op.at < op.end && *op.at == 0x0f) {
		op.two_bytes = true;
		op.at++;
	}
	if (op.at >= op.end)
		return false;
	op.byte = *op.at++;
	*ret = op;
	return true;
}

/*
 * How many bytes the instruction stores if its operand is memory; 0: it is no store that we know.
 */
static size_t store_size(const struct opcode *op)
{
	const size_t vector = op->wide ? 32 : 16;

	if (!op->two_bytes) {
		if (op->byte == 0x88 || op->byte == 0xc6)
			return 1;
		if (op->byte == 0xdb && op->at < op->end && (*op->at >> 3 & 7) == 7)
			return 10; /* fstpt */
		if (op->byte != 0x89 && op->byte != 0xc7)
			return 0;
		return op->rex_w ? 8 : op->prefix == 0x66 ? 2 : 4;
	}
	switch (op->byte) {
	case 0x11: /* movups, movupd, movss, movsd */
		return op->prefix == 0xf3 ? 4 : op->prefix == 0xf2 ? 8 : vector;
	case 0x29: /* movaps, movapd */
		return vector;
	case 0x7f: /* movq, movdqa, movdqu */
		return op->prefix ? vector : 8;
	case 0x13: /* movlps */
	case 0x17: /* movhps */
	case 0xd6: /* movq */
		return 8;
	case 0x7e: /* movd, movq */
		return op->prefix == 0x66 ? (op->rex_w ? 8 : 4) : 0;
	}
	return 0;
}

/* The operand: rbp or rsp and a displacement, nothing else. */
static bool operand_parse(const struct opcode *op, struct store *ret)
{
	const uint8_t *at = op->at;
	int32_t wide;

	if (op->end - at < 2 || op->rex_b)
		return false;
	if ((*at & 7) == 5 && *at >> 6 != 0)
		ret->reg = REG_RBP;
	else if ((*at & 7) == 4 && (at[1] & 0x3f) == 0x24)
		ret->reg = REG_RSP;
	else
		return false;
	ret->displacement = 0;
	at += ret->reg == REG_RSP ? 2 : 1;
	switch (*op->at >> 6) {
	case 0:
		return true;
	case 1:
		if (op->end - at < 1)
			return false;
		ret->displacement = (int8_t)*at;
		return true;
	case 2:
		if (op->end - at < 4)
			return false;
		memcpy(&wide, at, sizeof(wide));
		ret->displacement = wide;
		return true;
	}
	return false;
}

static bool store_parse(const struct insn *insn, struct store *ret)
{
	struct opcode op;

	if (insn->kind != INSN_PLAIN || !opcode_parse(insn, &op))
		return false;
	ret->size = store_size(&op);
	return ret->size && operand_parse(&op, ret);
}

/*
 * The offset of the store from the CFA. False: the CFA is not known in terms of the store's
 * register.
 */
static bool store_offset(const struct image *image, const struct insn *insn,
			 const struct store *store, struct arena *scratch, int64_t *ret)
{
	struct frame frame;
	const char *why;
	int64_t offset;
	unsigned reg;

	if (!frame_cfa(image, insn->address, scratch, &frame, &why) ||
	    !frame_register_offset(&frame.cfa.steps, &reg, &offset) || reg != store->reg)
		return false;
	*ret = store->displacement - offset;
	return true;
}

/* Note what is stored; true if the slot is filled by it. */
static bool spill_see(struct spill *spill, int64_t offset, size_t size)
{
	bool changed = false;

	for (size_t i = 0; i < spill->size; i++) {
		const int64_t at = spill->offset + (int64_t)i;
		const uint8_t bit = 1 << i % 8;

		if (at >= offset && at < offset + (int64_t)size && (spill->missing[i / 8] & bit)) {
			spill->missing[i / 8] &= ~bit;
			changed = true;
		}
	}
	for (size_t i = 0; i < sizeof(spill->missing); i++)
		changed &= !spill->missing[i];
	return changed;
}

static void spill_init(struct spill *spill)
{
	memset(spill->missing, 0, sizeof(spill->missing));
	for (size_t i = 0; i < spill->size; i++)
		spill->missing[i / 8] |= 1 << i % 8;
}

static bool falls_through(const struct insn *insn)
{
	return insn->kind == INSN_PLAIN || insn->kind == INSN_NOP || insn->kind == INSN_CALL ||
	       insn->kind == INSN_CALL_INDIRECT;
}

uint64_t spill_end(const struct image *image, struct insn_decoder *decoder,
		   const struct function *function, struct spill *spills, size_t n, uint64_t from)
{
	struct arena *scratch = arena_create();
	uint64_t addr = function->entry_addr, end = from;
	size_t size = 0, open = n;
	const uint8_t *code = image_code(image, addr, &size);

	for (size_t i = 0; i < n; i++)
		spill_init(&spills[i]);
	for (int k = 0; k < INSNS_MAX && open && code && function_contains(function, addr); k++) {
		struct insn insn;
		struct store store;
		int64_t offset;

		if (!insn_decode(decoder, code, size, addr, &insn) || !falls_through(&insn))
			break;
		code += insn.size;
		size -= insn.size;
		addr += insn.size;
		if (!store_parse(&insn, &store) ||
		    !store_offset(image, &insn, &store, scratch, &offset))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (!spill_see(&spills[i], offset, store.size))
				continue;
			open--;
			if (addr > end)
				end = addr;
		}
	}
	arena_destroy(scratch);
	return end;
}
