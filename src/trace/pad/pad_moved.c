/* Moving instructions: transfers of control are written anew, all others are copied. */
#include "pad_moved.h"

#include <inttypes.h>
#include <string.h>

#include "trace/probe/displaced.h"

static bool cannot_move(const struct insn *insn, const char *why, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "the instruction at 0x%" PRIx64 " cannot be moved: %s",
		       insn->address, why);
}

static bool pad_moved_copy(struct assembler *code, const struct insn *insn, struct err *err)
{
	uint8_t bytes[INSN_SIZE_MAX];

	if (!displaced_copy(insn, assembler_here(code), bytes))
		return cannot_move(insn, "its operand is out of reach", err);
	assembler_bytes(code, bytes, insn->size);
	return true;
}

/* Loops have only short jumps: one over a jump is followed by the jump itself. */
struct asm_fixup pad_moved_jump(struct assembler *code, const struct insn *insn)
{
	static const uint8_t over_jump[] = {0xeb, 5};

	if (insn->kind == INSN_JUMP)
		return assembler_jump(code);
	if (insn->kind == INSN_JUMP_IF)
		return assembler_jump_if(code, (enum asm_condition)insn->condition);
	assembler_bytes(code, insn->bytes, insn->size - 1);
	assembler_byte(code, sizeof(over_jump));
	assembler_bytes(code, over_jump, sizeof(over_jump));
	return assembler_jump(code);
}

/* The jump is the last thing that was written. */
static bool aim(struct assembler *code, struct asm_fixup jump, const struct insn *insn,
		struct err *err)
{
	const int64_t distance = (int64_t)(insn->target - assembler_here(code));
	const int32_t displacement = (int32_t)distance;

	if (code->failed)
		return true;
	if (distance != displacement)
		return cannot_move(insn, "its target is out of reach", err);
	memcpy(code->bytes + jump.at, &displacement, sizeof(displacement));
	return true;
}

enum { RSP = 7 };

/* Write the address behind @insn to the stack, @above its top. */
static void store_return(struct assembler *code, const struct insn *insn, int32_t above)
{
	const uint64_t address = insn->address + insn->size;

	assembler_store_constant(code, (struct asm_place){RSP, above}, (int32_t)address, 4);
	assembler_store_constant(code, (struct asm_place){RSP, above + 4}, (int32_t)(address >> 32),
				 4);
}

/* The same operand for pushq instead of call: both have opcode 0xff. */
static bool push_operand(struct assembler *code, const struct insn *insn, struct err *err)
{
	enum { OPERATION = 7 << 3, PUSH = 6 << 3, SHORT = 0x66, WIDE = 0x48 };
	uint8_t bytes[INSN_SIZE_MAX];
	bool is_short = false;
	size_t at = 0;

	if (!displaced_copy(insn, assembler_here(code), bytes))
		return cannot_move(insn, "its operand is out of reach", err);
	for (; at + 2 < insn->size && bytes[at] != 0xff; at++)
		is_short = (is_short || bytes[at] == SHORT) && (bytes[at] & 0xf8) != WIDE;
	if (bytes[at] != 0xff || is_short)
		return cannot_move(insn, "it is a call of no known form", err);
	bytes[at + 1] = (uint8_t)((bytes[at + 1] & ~OPERATION) | PUSH);
	assembler_bytes(code, bytes, insn->size);
	return true;
}

/*
 * Calls return to where they would have, so that the program's stack never has the address of a
 * pad. An operand is read before the stack changes, as a fault there is the program's own.
 */
static bool pad_moved_call(struct assembler *code, const struct insn *insn, struct err *err)
{
	static const uint8_t push_nothing[] = {0x6a, 0};
	static const uint8_t push_top[] = {0xff, 0x34, 0x24};

	if (insn->kind == INSN_CALL) {
		assembler_bytes(code, push_nothing, sizeof(push_nothing));
		store_return(code, insn, 0);
		return aim(code, assembler_jump(code), insn, err);
	}
	if (!push_operand(code, insn, err))
		return false;
	assembler_bytes(code, push_top, sizeof(push_top));
	store_return(code, insn, 8);
	assembler_byte(code, 0xc3);
	return true;
}

bool pad_moved_write(struct assembler *code, const struct insn *insn, struct err *err)
{
	switch (insn->kind) {
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_RETURN:
	case INSN_JUMP_INDIRECT:
		return pad_moved_copy(code, insn, err);
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		return aim(code, pad_moved_jump(code, insn), insn, err);
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return pad_moved_call(code, insn, err);
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		break;
	}
	return cannot_move(insn, "it traps or depends on where it is", err);
}
