/* Emulating, copying and leaving displaced instructions. */
#include "displaced.h"

#include <string.h>

#include "trace/kernel/registers.h"

bool displaced_possible(const struct insn *insn, const char **ret_why)
{
	switch (insn->kind) {
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_RETURN:
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		return true;
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_INDIRECT:
		*ret_why = "it jumps through thread-local memory";
		return !insn->operand.segment && (insn->operand.base >= 0 || insn->operand.memory);
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		break;
	}
	*ret_why = "its instruction there cannot run elsewhere";
	return false;
}

bool displaced_is_emulated(const struct insn *insn)
{
	return insn->kind != INSN_PLAIN;
}

bool displaced_gains_by_slot(const struct insn *insn)
{
	return insn->kind == INSN_RETURN;
}

static bool fits_32(int64_t distance)
{
	return distance >= INT32_MIN && distance <= INT32_MAX;
}

/* jmp rel32, or jmp [rip+0] with the address behind it. Registers and flags stay as they are. */
static void compile_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	static const uint8_t far[] = {0xff, 0x25, 0, 0, 0, 0};
	int64_t distance = to - (from + 5);
	int32_t near = distance;

	if (fits_32(distance)) {
		at[0] = 0xe9;
		memcpy(at + 1, &near, sizeof(near));
		return;
	}
	memcpy(at, far, sizeof(far));
	memcpy(at + sizeof(far), &to, sizeof(to));
}

bool displaced_copy(const struct insn *insn, uint64_t to, uint8_t ret[INSN_SIZE_MAX])
{
	int32_t displacement;
	int64_t moved;

	memcpy(ret, insn->bytes, insn->size);
	if (!insn->rip_offset)
		return true;
	if (insn->rip_offset + sizeof(displacement) > insn->size)
		return false;
	memcpy(&displacement, ret + insn->rip_offset, sizeof(displacement));
	moved = (int64_t)(insn->address - to) + displacement;
	if (!fits_32(moved))
		return false;
	displacement = moved;
	memcpy(ret + insn->rip_offset, &displacement, sizeof(displacement));
	return true;
}

bool displaced_compile(const struct insn *insn, uint64_t slot, uint8_t ret[SLOT_SIZE])
{
	uint8_t code[SLOT_SIZE];

	memset(code, 0xcc, sizeof(code));
	if (!displaced_copy(insn, slot, code))
		return false;
	compile_jump(code + insn->size, slot + insn->size, insn->address + insn->size);
	memcpy(ret, code, SLOT_SIZE);
	return true;
}

static bool displaced_read_word(const struct target *target, pid_t tid, uint64_t address,
				uint64_t *ret)
{
	struct memory_read read = {.address = address, .to = ret, .size = sizeof(*ret)};

	target->ops->read(target->self, tid, &read, 1);
	return read.ok;
}

static uint64_t operand_register(const struct user_regs_struct *registers, int number)
{
	uint64_t by_number[17];

	if (number < 0)
		return 0;
	registers_by_number(registers, by_number);
	return by_number[number];
}

/* @registers->rip must be the next instruction's: RIP-relative operands count from there. */
static bool indirect_target(const struct insn *insn, const struct target *target, pid_t tid,
			    const struct user_regs_struct *registers, uint64_t *ret)
{
	const struct insn_operand *operand = &insn->operand;
	uint64_t base = operand_register(registers, operand->base);

	if (!operand->memory) {
		*ret = base;
		return true;
	}
	return displaced_read_word(
		target, tid,
		base + operand_register(registers, operand->index) * operand->scale +
			operand->displacement,
		ret);
}

static bool call(const struct target *target, pid_t tid, struct user_regs_struct *registers,
		 uint64_t to)
{
	if (!target->ops->write(target->self, tid, registers->rsp - 8, &registers->rip, 8))
		return false;
	registers->rsp -= 8;
	registers->rip = to;
	return true;
}

static bool emulate(const struct insn *insn, const struct target *target, pid_t tid,
		    struct user_regs_struct *registers)
{
	uint64_t to, count;

	registers->rip = insn->address + insn->size;
	switch (insn->kind) {
	case INSN_RETURN:
		if (!displaced_read_word(target, tid, registers->rsp, &to))
			return false;
		registers->rip = to;
		registers->rsp += 8 + insn->return_pop;
		return true;
	case INSN_CALL:
		return call(target, tid, registers, insn->target);
	case INSN_CALL_INDIRECT:
		return indirect_target(insn, target, tid, registers, &to) &&
		       call(target, tid, registers, to);
	case INSN_JUMP:
		registers->rip = insn->target;
		return true;
	case INSN_JUMP_INDIRECT:
		if (!indirect_target(insn, target, tid, registers, &to))
			return false;
		registers->rip = to;
		return true;
	case INSN_JUMP_IF:
		if (insn_condition_holds(insn->condition, registers->eflags))
			registers->rip = insn->target;
		return true;
	case INSN_LOOP:
		count = registers->rcx;
		if (insn_loop_jumps(insn, &count, registers->eflags))
			registers->rip = insn->target;
		registers->rcx = count;
		return true;
	case INSN_NOP:
		return true;
	case INSN_PLAIN:
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		break;
	}
	return false;
}

bool displaced_step(const struct displaced *displaced, const struct target *target, pid_t tid,
		    struct user_regs_struct *registers)
{
	struct user_regs_struct changed = *registers;

	if (displaced->slot) {
		registers->rip = displaced->slot;
		return true;
	}
	if (!emulate(&displaced->insn, target, tid, &changed))
		return false;
	*registers = changed;
	return true;
}

bool displaced_home(const struct displaced *displaced, uint64_t pc, uint64_t *ret, bool *ret_again)
{
	uint64_t offset = pc - displaced->slot;

	if (!displaced->slot || offset >= SLOT_SIZE)
		return false;
	*ret_again = offset == 0;
	*ret = displaced->insn.address + (offset ? displaced->insn.size : 0);
	return true;
}
