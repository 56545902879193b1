/* What a look through all code of a module needs of each instruction, without its operands. */
#include "insn_outline.h"

#include <string.h>

#include "insn_capstone.h"

unsigned insn_shadow_stack_size(const uint8_t *bytes, size_t n)
{
	const unsigned rex = n > 1 && (bytes[1] & 0xf0) == 0x40;
	const uint8_t *code = bytes + 1 + rex;

	if (n < 4 + rex || bytes[0] != 0xf3 || code[0] != 0x0f)
		return 0;
	return (code[1] == 0x1e && (code[2] & 0xf8) == 0xc8) ||
			       (code[1] == 0xae && (code[2] & 0xf8) == 0xe8)
		       ? 4 + rex
		       : 0;
}

bool insn_is_prefix(uint8_t byte)
{
	return byte && strchr("\xf2\xf3\x66\x67\x2e\x36\x3e\x26\x64\x65\xf0", byte);
}

/* Of one byte, but of 0f and ff, which have more. */
static enum insn_kind opcode_kind(uint8_t opcode)
{
	if ((opcode & 0xf0) == 0x70)
		return INSN_JUMP_IF;
	if ((opcode & 0xfc) == 0xe0)
		return INSN_LOOP;
	switch (opcode) {
	case 0xe8:
		return INSN_CALL;
	case 0xe9:
	case 0xeb:
		return INSN_JUMP;
	case 0xc2:
	case 0xc3:
		return INSN_RETURN;
	case 0xcc:
	case 0xf4:
		return INSN_TRAP;
	default:
		return INSN_PLAIN;
	}
}

static enum insn_kind outline_kind(const uint8_t *bytes, size_t opcode, size_t size)
{
	const uint8_t second = opcode + 1 < size ? bytes[opcode + 1] : 0;
	const bool is_repeat = opcode && bytes[0] == 0xf3;

	switch (bytes[opcode]) {
	case 0x90: /* with a prefix it is pause, or exchanges r8 */
		return !opcode || bytes[0] == 0x66 ? INSN_NOP : INSN_PLAIN;
	case 0x0f:
		return (second & 0xf0) == 0x80                           ? INSN_JUMP_IF
		       : second == 0x0b                                  ? INSN_TRAP
		       : second == 0x1f || (second == 0x1e && is_repeat) ? INSN_NOP
									 : INSN_PLAIN;
	case 0xff:
		return (second & 0x38) == 0x10   ? INSN_CALL_INDIRECT
		       : (second & 0x38) == 0x20 ? INSN_JUMP_INDIRECT
						 : INSN_PLAIN;
	default:
		return opcode_kind(bytes[opcode]);
	}
}

/* The distance is the last operand. */
static uint64_t outline_target(const uint8_t *bytes, size_t opcode, size_t size, uint64_t address)
{
	const size_t n_opcode = bytes[opcode] == 0x0f ? 2 : 1;
	int32_t distance = 0;

	if (size - opcode - n_opcode >= 4)
		memcpy(&distance, bytes + size - 4, sizeof(distance));
	else
		distance = (int8_t)bytes[size - 1];
	return address + size + (uint64_t)(int64_t)distance;
}

bool insn_outline(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		  struct insn_outline *ret)
{
	const uint8_t *rest = bytes;
	size_t size = insn_shadow_stack_size(bytes, n), opcode = 0;

	if (!size &&
	    cs_disasm_iter(decoder->sizes, &rest, &n, &(uint64_t){address}, decoder->sized))
		size = decoder->sized->size;
	if (!size || size > INSN_SIZE_MAX)
		return false;
	while (opcode + 1 < size && insn_is_prefix(bytes[opcode]))
		opcode++;
	if (opcode + 1 < size && (bytes[opcode] & 0xf0) == 0x40) /* REX */
		opcode++;
	*ret = (struct insn_outline){
		.size = size, .opcode = opcode, .kind = outline_kind(bytes, opcode, size)};
	switch (ret->kind) {
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		ret->target = outline_target(bytes, opcode, size, address);
		break;
	default:
		for (size_t i = opcode + 1; i + 5 <= size; i++)
			ret->may_use_rip |= (bytes[i] & 0xc7) == 0x05;
	}
	return true;
}
