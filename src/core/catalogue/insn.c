/*
 * Decoding instructions with capstone, reduced to what tracing needs. trace/
 * moves and runs them.
 */
#include "insn.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "insn_capstone.h"

bool insn_decoder_create(struct insn_decoder **ret, struct err *err)
{
	struct insn_decoder *decoder = mem_alloc(sizeof(*decoder));
	cs_err failed = cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle);

	if (failed == CS_ERR_OK) {
		failed = cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->sizes);
		if (failed != CS_ERR_OK)
			cs_close(&decoder->handle);
	}
	if (failed != CS_ERR_OK) {
		free(decoder);
		return err_set(err, ERR_UNSUPPORTED, "capstone: %s", cs_strerror(failed));
	}
	cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->insn = cs_malloc(decoder->handle);
	decoder->sized = cs_malloc(decoder->sizes);
	*ret = decoder;
	return true;
}

void insn_decoder_destroy(struct insn_decoder *decoder)
{
	if (!decoder)
		return;
	cs_free(decoder->insn, 1);
	cs_free(decoder->sized, 1);
	cs_close(&decoder->handle);
	cs_close(&decoder->sizes);
	free(decoder);
}

/* System V psABI number of a 64-bit general register; -1: another. (capstone's
 * order differs.) */
static int dwarf_register(x86_reg reg)
{
	static const x86_reg order[] = {
		X86_REG_RAX, X86_REG_RDX, X86_REG_RCX, X86_REG_RBX, X86_REG_RSI, X86_REG_RDI,
		X86_REG_RBP, X86_REG_RSP, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15, X86_REG_RIP,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (order[i] == reg)
			return i;
	return -1;
}

x86_reg insn_whole_register(x86_reg reg)
{
	static const struct {
		x86_reg whole, parts[4];
	} registers[] = {
		{X86_REG_RAX, {X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
		{X86_REG_RDX, {X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
		{X86_REG_RCX, {X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
		{X86_REG_RBX, {X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
		{X86_REG_RSI, {X86_REG_ESI, X86_REG_SI, X86_REG_SIL}},
		{X86_REG_RDI, {X86_REG_EDI, X86_REG_DI, X86_REG_DIL}},
		{X86_REG_RBP, {X86_REG_EBP, X86_REG_BP, X86_REG_BPL}},
		{X86_REG_RSP, {X86_REG_ESP, X86_REG_SP, X86_REG_SPL}},
		{X86_REG_R8, {X86_REG_R8D, X86_REG_R8W, X86_REG_R8B}},
		{X86_REG_R9, {X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}},
		{X86_REG_R10, {X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}},
		{X86_REG_R11, {X86_REG_R11D, X86_REG_R11W, X86_REG_R11B}},
		{X86_REG_R12, {X86_REG_R12D, X86_REG_R12W, X86_REG_R12B}},
		{X86_REG_R13, {X86_REG_R13D, X86_REG_R13W, X86_REG_R13B}},
		{X86_REG_R14, {X86_REG_R14D, X86_REG_R14W, X86_REG_R14B}},
		{X86_REG_R15, {X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}},
	};

	for (size_t i = 0; reg && i < sizeof(registers) / sizeof(*registers); i++)
		for (size_t k = 0; k < 4; k++)
			if (registers[i].parts[k] == reg)
				return registers[i].whole;
	return reg;
}

/* The bit of a vector register in `writes`; 0 for others. */
static uint64_t vector_bit(x86_reg reg)
{
	static const x86_reg firsts[] = {X86_REG_XMM0, X86_REG_YMM0, X86_REG_ZMM0};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(*firsts); i++)
		if (reg >= firsts[i] && reg < firsts[i] + 16)
			return UINT64_C(1) << (17 + (reg - firsts[i]));
	return 0;
}

static uint64_t register_bit(x86_reg reg)
{
	const int general = dwarf_register(insn_whole_register(reg));

	return general >= 0 ? UINT64_C(1) << general : vector_bit(reg);
}

/*
 * capstone is wrong about what some instructions write (cmpxchg, xlat, enter),
 * so trust it only for those that prologues consist of.
 */
static bool is_ordinary(const struct insn_decoder *decoder, const cs_insn *insn)
{
	static const x86_insn general[] = {
		X86_INS_MOV,    X86_INS_MOVABS, X86_INS_MOVZX, X86_INS_MOVSX, X86_INS_MOVSXD,
		X86_INS_LEA,    X86_INS_PUSH,   X86_INS_POP,   X86_INS_ADD,   X86_INS_SUB,
		X86_INS_ADC,    X86_INS_SBB,    X86_INS_AND,   X86_INS_OR,    X86_INS_XOR,
		X86_INS_CMP,    X86_INS_TEST,   X86_INS_INC,   X86_INS_DEC,   X86_INS_NEG,
		X86_INS_NOT,    X86_INS_SHL,    X86_INS_SHR,   X86_INS_SAR,   X86_INS_IMUL,
		X86_INS_XCHG,   X86_INS_CDQE,   X86_INS_CDQ,   X86_INS_CQO,   X86_INS_CWDE,
		X86_INS_BT,     X86_INS_BSWAP,  X86_INS_SETE,  X86_INS_SETNE, X86_INS_CMOVE,
		X86_INS_CMOVNE, X86_INS_NOP,    X86_INS_LEAVE, X86_INS_RET,   X86_INS_ENDBR64,
	};
	static const uint8_t vector[] = {X86_GRP_SSE1, X86_GRP_SSE2, X86_GRP_AVX};

	for (size_t i = 0; i < sizeof(general) / sizeof(*general); i++)
		if (general[i] == insn->id)
			return true;
	for (size_t i = 0; i < sizeof(vector); i++)
		if (cs_insn_group(decoder->handle, insn, vector[i]))
			return true;
	return false;
}

static uint64_t written(const struct insn_decoder *decoder, const cs_insn *insn)
{
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;
	uint64_t bits = 0;

	if (!is_ordinary(decoder, insn) ||
	    cs_regs_access(decoder->handle, insn, reads, &n_reads, writes, &n_writes) != CS_ERR_OK)
		return UINT64_MAX;
	for (uint8_t i = 0; i < n_writes; i++)
		bits |= register_bit(writes[i]);
	return bits;
}

static enum insn_kind transfer_kind(const cs_insn *insn, const cs_x86_op *operand)
{
	bool direct = operand->type == X86_OP_IMM;

	switch (insn->id) {
	case X86_INS_CALL:
		return direct ? INSN_CALL : INSN_CALL_INDIRECT;
	case X86_INS_JMP:
		return direct ? INSN_JUMP : INSN_JUMP_INDIRECT;
	default:
		return direct ? INSN_JUMP_IF : INSN_UNMOVABLE;
	}
}

static enum insn_kind insn_kind_of(const struct insn_decoder *decoder, const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_NOP:
	case X86_INS_ENDBR64:
		return INSN_NOP;
	case X86_INS_RET:
		return INSN_RETURN;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
	case X86_INS_JECXZ:
	case X86_INS_JRCXZ:
		return INSN_LOOP;
	case X86_INS_INT3:
	case X86_INS_INT1:
	case X86_INS_INT:
	case X86_INS_UD0:
	case X86_INS_UD2:
	case X86_INS_HLT:
		return INSN_TRAP;
	case X86_INS_XBEGIN:
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
	case X86_INS_LJMP:
	case X86_INS_LCALL:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return INSN_UNMOVABLE;
	default:
		break;
	}
	if (!cs_insn_group(decoder->handle, insn, CS_GRP_JUMP) &&
	    !cs_insn_group(decoder->handle, insn, CS_GRP_CALL))
		return INSN_PLAIN;
	if (insn->detail->x86.op_count != 1)
		return INSN_UNMOVABLE;
	return transfer_kind(insn, &insn->detail->x86.operands[0]);
}

static void take_indirect(const cs_x86_op *op, struct insn_operand *ret)
{
	ret->memory = op->type == X86_OP_MEM;
	ret->index = -1;
	if (!ret->memory) {
		ret->base = dwarf_register(op->reg);
		return;
	}
	ret->base = dwarf_register(op->mem.base);
	ret->index = dwarf_register(op->mem.index);
	ret->scale = op->mem.scale;
	ret->displacement = op->mem.disp;
	ret->segment = op->mem.segment == X86_REG_FS || op->mem.segment == X86_REG_GS;
}

/* Jump tables hold 8-byte addresses or 4-byte offsets. */
static uint8_t table_entry(const cs_insn *insn, const cs_x86_op *op, bool jump)
{
	if (op->mem.index == X86_REG_INVALID)
		return 0;
	if (op->mem.scale == 8 && (jump || (insn->id == X86_INS_MOV && op->size == 8)))
		return 8;
	if (op->mem.scale == 4 && insn->id == X86_INS_MOVSXD)
		return 4;
	/* Without optimisation the index is scaled earlier. */
	return insn->id == X86_INS_MOV && op->size == 4 ? 4 : 0;
}

static int register_of(const cs_x86_op *op)
{
	/* As the destination of a 4-byte load, eax is the low half of rax. */
	return op->type == X86_OP_REG
		       ? dwarf_register(op->reg == X86_REG_EAX ? X86_REG_RAX : op->reg)
		       : -1;
}

static void take_table(const cs_insn *insn, const cs_x86_op *op, struct insn *ret)
{
	bool jump = ret->kind == INSN_JUMP_INDIRECT;
	uint8_t entry = table_entry(insn, op, jump);

	if (!entry)
		return;
	take_indirect(op, &ret->operand);
	ret->table_entry = entry;
	ret->table_extended = insn->id != X86_INS_MOV || entry == 8;
	ret->table_register = jump ? -1 : register_of(&insn->detail->x86.operands[0]);
	ret->table_address = op->mem.base == X86_REG_INVALID ? (uint64_t)op->mem.disp : 0;
}

/* Moves whose first operand, the destination, may be memory. */
static bool is_move(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_MOV:
	case X86_INS_FSTP:
	case X86_INS_MOVD:
	case X86_INS_MOVQ:
	case X86_INS_MOVSS:
	case X86_INS_MOVSD:
	case X86_INS_MOVAPS:
	case X86_INS_MOVAPD:
	case X86_INS_MOVUPS:
	case X86_INS_MOVUPD:
	case X86_INS_MOVDQA:
	case X86_INS_MOVDQU:
	case X86_INS_MOVLPS:
	case X86_INS_MOVLPD:
	case X86_INS_MOVHPS:
	case X86_INS_MOVHPD:
	case X86_INS_VMOVD:
	case X86_INS_VMOVQ:
	case X86_INS_VMOVSS:
	case X86_INS_VMOVSD:
	case X86_INS_VMOVAPS:
	case X86_INS_VMOVAPD:
	case X86_INS_VMOVUPS:
	case X86_INS_VMOVUPD:
	case X86_INS_VMOVDQA:
	case X86_INS_VMOVDQU:
	case X86_INS_VMOVLPS:
	case X86_INS_VMOVLPD:
	case X86_INS_VMOVHPS:
	case X86_INS_VMOVHPD:
		return true;
	default:
		return false;
	}
}

static void take_store(const cs_x86_op *op, struct insn *ret)
{
	const int base = dwarf_register(op->mem.base);

	if (base >= 0 && op->mem.index == X86_REG_INVALID && op->mem.segment == X86_REG_INVALID)
		ret->store = (struct insn_store){op->size, base, op->mem.disp};
}

/* The RIP-relative operand, stores, and loads like those from jump tables. */
static void take_memory(const cs_insn *insn, struct insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (int i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		/* It has 4 bytes, though behind a prefix of 0x66 capstone says 2. */
		if (op->mem.base == X86_REG_RIP && x86->encoding.disp_offset &&
		    x86->encoding.disp_offset + 4 <= insn->size)
			ret->rip_offset = x86->encoding.disp_offset;
		if (i > 0 || ret->kind == INSN_JUMP_INDIRECT)
			take_table(insn, op, ret);
		if (i == 0 && is_move(insn))
			take_store(op, ret);
	}
}

static bool is_address_only(const cs_insn *insn)
{
	return insn->id == X86_INS_LEA || insn->id == X86_INS_NOP;
}

static void take_used_memory(const cs_insn *insn, int i, struct insn *ret)
{
	const cs_x86_op *op = &insn->detail->x86.operands[i];
	const bool only_reads = i > 0 ? insn->id != X86_INS_XCHG
				      : insn->id == X86_INS_CMP || insn->id == X86_INS_TEST ||
						insn->id == X86_INS_PUSH || insn->id == X86_INS_BT;

	ret->memory = (struct insn_memory){
		.size = op->size,
		.base = (int8_t)dwarf_register(insn_whole_register(op->mem.base)),
		.index = (int8_t)dwarf_register(insn_whole_register(op->mem.index)),
		.displacement = (int32_t)op->mem.disp,
		.read = i > 0 || !is_move(insn),
		.written = !only_reads,
	};
}

/* Registers whose values matter, and the memory that is used. */
static void take_operands(const cs_insn *insn, struct insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (int i = 0; i < insn->detail->regs_read_count; i++)
		ret->values |= register_bit(insn->detail->regs_read[i]);
	for (int i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_REG && (op->access != CS_AC_WRITE))
			ret->values |= register_bit(op->reg);
		else if (op->type == X86_OP_MEM && is_address_only(insn))
			ret->values |= register_bit(op->mem.base) | register_bit(op->mem.index);
		else if (op->type == X86_OP_MEM)
			take_used_memory(insn, i, ret);
	}
	if (insn->id == X86_INS_MOV && x86->operands[0].type == X86_OP_REG &&
	    x86->operands[1].type == X86_OP_MEM && x86->operands[1].size == 8)
		ret->loads = (int8_t)dwarf_register(x86->operands[0].reg);
}

static void take_copy(int from, int64_t number, struct insn *ret)
{
	ret->arithmetic = INSN_COPY;
	ret->from = (int8_t)from;
	ret->number = (uint64_t)number;
}

static void take_lea(const cs_insn *insn, const cs_x86_op *op, struct insn *ret)
{
	ret->to = dwarf_register(insn->detail->x86.operands[0].reg);
	ret->from = dwarf_register(op->mem.index);
	if (op->mem.base == X86_REG_RIP && ret->from < 0) {
		ret->arithmetic = INSN_ADDRESS;
		ret->number = ret->address + ret->size + op->mem.disp;
	} else if (op->mem.base == X86_REG_INVALID && ret->from >= 0 && !op->mem.disp) {
		ret->arithmetic = INSN_SCALE;
		ret->number = op->mem.scale;
	} else if (op->mem.base != X86_REG_RIP && op->mem.index == X86_REG_INVALID) {
		take_copy(dwarf_register(op->mem.base), op->mem.disp, ret);
	}
}

static void take_arithmetic(const cs_insn *insn, struct insn *ret)
{
	const cs_x86_op *ops = insn->detail->x86.operands;

	if (insn->detail->x86.op_count != 2 || ops[0].type != X86_OP_REG || ops[0].size != 8)
		return;
	if (insn->id == X86_INS_LEA && ops[1].type == X86_OP_MEM &&
	    insn->detail->x86.addr_size == 8) {
		take_lea(insn, &ops[1], ret);
	} else if (insn->id == X86_INS_ADD && ops[1].type == X86_OP_REG) {
		ret->arithmetic = INSN_ADD;
		ret->to = dwarf_register(ops[0].reg);
		ret->from = dwarf_register(ops[1].reg);
	} else if (insn->id == X86_INS_MOV && ops[1].type == X86_OP_REG) {
		ret->to = dwarf_register(ops[0].reg);
		take_copy(dwarf_register(ops[1].reg), 0, ret);
	} else if ((insn->id == X86_INS_ADD || insn->id == X86_INS_SUB) &&
		   ops[1].type == X86_OP_IMM) {
		ret->to = dwarf_register(ops[0].reg);
		take_copy(ret->to, insn->id == X86_INS_ADD ? ops[1].imm : -ops[1].imm, ret);
	}
}

static enum insn_loop loop_of(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_LOOP:
		return INSN_LOOP_IF_COUNT;
	case X86_INS_LOOPE:
		return INSN_LOOP_IF_COUNT_AND_EQUAL;
	case X86_INS_LOOPNE:
		return INSN_LOOP_IF_COUNT_AND_OTHER;
	default:
		return INSN_LOOP_IF_ZERO_COUNT;
	}
}

static void take_transfer(const cs_insn *insn, struct insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;

	switch (ret->kind) {
	case INSN_LOOP:
		ret->loop = loop_of(insn);
		ret->short_count = x86->addr_size == 4;
		ret->target = x86->operands[0].imm;
		break;
	case INSN_CALL:
	case INSN_JUMP:
		ret->target = x86->operands[0].imm;
		break;
	case INSN_JUMP_IF:
		ret->target = x86->operands[0].imm;
		ret->condition = (x86->opcode[0] == 0x0f ? x86->opcode[1] : x86->opcode[0]) & 15;
		break;
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_INDIRECT:
		take_indirect(&x86->operands[0], &ret->operand);
		break;
	case INSN_RETURN:
		if (x86->op_count == 1)
			ret->return_pop = x86->operands[0].imm;
		break;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		break;
	}
}

static void insn_init(const uint8_t *bytes, size_t size, uint64_t address, struct insn *ret)
{
	*ret = (struct insn){.address = address,
			     .size = size,
			     .table_register = -1,
			     .to = -1,
			     .from = -1,
			     .loads = -1,
			     .operand = {.base = -1, .index = -1}};
	memcpy(ret->bytes, bytes, size);
}

bool insn_decode(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		 struct insn *ret)
{
	const unsigned shadow = insn_shadow_stack_size(bytes, n);
	cs_insn *insn = decoder->insn;
	uint64_t next = address;

	if (shadow) {
		insn_init(bytes, shadow, address, ret);
		ret->kind = INSN_PLAIN;
		ret->writes = ~UINT64_C(0);
		return true;
	}
	if (!cs_disasm_iter(decoder->handle, &bytes, &n, &next, insn) || insn->size > INSN_SIZE_MAX)
		return false;
	insn_init(insn->bytes, insn->size, address, ret);
	ret->kind = insn_kind_of(decoder, insn);
	ret->is_cltq = insn->id == X86_INS_CDQE;
	ret->writes = written(decoder, insn);
	take_memory(insn, ret);
	take_operands(insn, ret);
	take_arithmetic(insn, ret);
	take_transfer(insn, ret);
	return true;
}

/* Before other instructions the prefix means something else. */
bool insn_repeats(const struct insn *insn)
{
	size_t i = 0;
	uint8_t byte;
	bool repeats = false;

	for (; i + 1 < insn->size && insn->bytes[i] != 0xf0 && insn_is_prefix(insn->bytes[i]); i++)
		repeats |= insn->bytes[i] == 0xf2 || insn->bytes[i] == 0xf3;
	if (i + 1 < insn->size && (insn->bytes[i] & 0xf0) == 0x40) /* REX */
		i++;
	byte = insn->bytes[i];
	return repeats && ((byte >= 0xa4 && byte <= 0xa7) || (byte >= 0xaa && byte <= 0xaf) ||
			   (byte >= 0x6c && byte <= 0x6f));
}

bool insn_loop_jumps(const struct insn *insn, uint64_t *count, uint64_t flags)
{
	const uint64_t mask = insn->short_count ? UINT32_MAX : UINT64_MAX;
	const bool zero = flags >> 6 & 1;

	if (insn->loop == INSN_LOOP_IF_ZERO_COUNT)
		return (*count & mask) == 0;
	/* Like any 32-bit instruction it clears the upper half. */
	*count = (*count - 1) & mask;
	switch (insn->loop) {
	case INSN_LOOP_IF_COUNT:
		return *count != 0;
	case INSN_LOOP_IF_COUNT_AND_EQUAL:
		return *count != 0 && zero;
	case INSN_LOOP_IF_COUNT_AND_OTHER:
		return *count != 0 && !zero;
	case INSN_LOOP_IF_ZERO_COUNT:
		break;
	}
	return false;
}

bool insn_condition_holds(uint8_t condition, uint64_t flags)
{
	bool carry = flags >> 0 & 1;
	bool parity = flags >> 2 & 1;
	bool zero = flags >> 6 & 1;
	bool sign = flags >> 7 & 1;
	bool overflow = flags >> 11 & 1;
	const bool holds[8] = {
		overflow,
		carry,
		zero,
		carry || zero,
		sign,
		parity,
		sign != overflow,
		zero || sign != overflow,
	};

	return holds[condition >> 1 & 7] != (condition & 1);
}
