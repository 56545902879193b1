/* Decoding: what tracing needs to know of an instruction. Bytes are as assembled by GNU as. */
#include "check.h"

#include "core/catalogue/insn.h"

static struct insn decode(const uint8_t *bytes, size_t n)
{
	struct insn_decoder *decoder;
	struct insn insn;
	struct err err;

	assert_true(insn_decoder_create(&decoder, &err));
	assert_true(insn_decode(decoder, bytes, n, 0x1000, &insn));
	insn_decoder_destroy(decoder);
	return insn;
}

#define DECODE(...) decode((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void transfers_have_kind_and_target(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0xc3).kind, INSN_RETURN);
	assert_int_equal(DECODE(0xf3, 0xc3).kind, INSN_RETURN); /* repz ret */
	assert_int_equal(DECODE(0xc2, 0x10, 0x00).return_pop, 16);
	assert_int_equal(DECODE(0xe8, 0x0b, 0x00, 0x00, 0x00).kind, INSN_CALL);
	assert_int_equal(DECODE(0xe8, 0x0b, 0x00, 0x00, 0x00).target, 0x1010);
	assert_int_equal(DECODE(0xeb, 0xfe).kind, INSN_JUMP);
	assert_int_equal(DECODE(0xeb, 0xfe).target, 0x1000);
	assert_int_equal(DECODE(0x74, 0x0e).kind, INSN_JUMP_IF);
	assert_int_equal(DECODE(0x74, 0x0e).condition, 4);
	assert_int_equal(DECODE(0x0f, 0x8f, 0x00, 0x01, 0x00, 0x00).condition, 15);
	assert_int_equal(DECODE(0x0f, 0x8f, 0x00, 0x01, 0x00, 0x00).target, 0x1106);
	assert_int_equal(DECODE(0xe2, 0x00).kind, INSN_LOOP);
	assert_int_equal(DECODE(0xe2, 0x00).loop, INSN_LOOP_IF_COUNT);
	assert_int_equal(DECODE(0xe1, 0x00).loop, INSN_LOOP_IF_COUNT_AND_EQUAL);
	assert_int_equal(DECODE(0xe0, 0x00).loop, INSN_LOOP_IF_COUNT_AND_OTHER);
	assert_int_equal(DECODE(0xe3, 0x00).loop, INSN_LOOP_IF_ZERO_COUNT);
	assert_false(DECODE(0xe3, 0x00).short_count);
	assert_true(DECODE(0x67, 0xe3, 0x00).short_count);
	assert_int_equal(DECODE(0xcc).kind, INSN_TRAP);
	assert_int_equal(DECODE(0x0f, 0x05).kind, INSN_UNMOVABLE); /* syscall */
}

static void only_string_instructions_are_repeated(void **state)
{
	(void)state;
	assert_true(insn_repeats(&(struct insn){.size = 0}) == false);
	assert_true(insn_repeats((struct insn[]){DECODE(0xf3, 0xa4)}));       /* rep movsb */
	assert_true(insn_repeats((struct insn[]){DECODE(0xf3, 0x48, 0xab)})); /* rep stosq */
	assert_true(insn_repeats((struct insn[]){DECODE(0x66, 0xf2, 0xaf)})); /* repne scasw */
	assert_false(insn_repeats((struct insn[]){DECODE(0xa4)}));            /* movsb */
	assert_false(insn_repeats((struct insn[]){DECODE(0xf3, 0x0f, 0x1e, 0xfa)})); /* endbr64 */
	assert_false(insn_repeats((struct insn[]){DECODE(0x55)}));
}

static void indirect_transfers_tell_where_their_target_is(void **state)
{
	struct insn insn;

	(void)state;
	insn = DECODE(0xff, 0xe0); /* jmp *%rax */
	assert_int_equal(insn.kind, INSN_JUMP_INDIRECT);
	assert_false(insn.operand.memory);
	assert_int_equal(insn.operand.base, 0);
	insn = DECODE(0xff, 0x24, 0xcd, 0x00, 0x20, 0x40, 0x00); /* jmp *0x402000(,%rcx,8) */
	assert_int_equal(insn.kind, INSN_JUMP_INDIRECT);
	assert_true(insn.operand.memory);
	assert_int_equal(insn.operand.base, -1);
	assert_int_equal(insn.operand.index, 2);
	assert_int_equal(insn.operand.scale, 8);
	assert_int_equal(insn.operand.displacement, 0x402000);
	insn = DECODE(0xff, 0x25, 0x10, 0x00, 0x00, 0x00); /* jmp *0x10(%rip) */
	assert_int_equal(insn.operand.base, 16);
	insn = DECODE(0x64, 0xff, 0x20); /* jmp *%fs:(%rax) */
	assert_true(insn.operand.segment);
}

static void no_ops_and_plain_instructions_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0xf3, 0x0f, 0x1e, 0xfa).kind, INSN_NOP); /* endbr64 */
	/* rdsspq %rax, rdsspd %eax, incsspq %rcx */
	assert_int_equal(DECODE(0xf3, 0x48, 0x0f, 0x1e, 0xc8).size, 5);
	assert_int_equal(DECODE(0xf3, 0x0f, 0x1e, 0xc8).kind, INSN_PLAIN);
	assert_int_equal(DECODE(0xf3, 0x48, 0x0f, 0xae, 0xe9, 0x90).size, 5);
	assert_int_equal(DECODE(0x0f, 0xae, 0xe8).size, 3); /* lfence */
	assert_int_equal(DECODE(0x90).kind, INSN_NOP);
	assert_int_equal(DECODE(0x55).kind, INSN_PLAIN); /* push %rbp */
	assert_int_equal(DECODE(0x55).rip_offset, 0);
}

static void rip_relative_operands_are_found(void **state)
{
	(void)state;
	/* mov 0x1234(%rip),%rax */
	assert_int_equal(DECODE(0x48, 0x8b, 0x05, 0x34, 0x12, 0x00, 0x00).rip_offset, 3);
	/* cmpl $1,0x10(%rip): an immediate follows the displacement */
	assert_int_equal(DECODE(0x83, 0x3d, 0x10, 0x00, 0x00, 0x00, 0x01).rip_offset, 2);
	/* mov (%rax),%rax */
	assert_int_equal(DECODE(0x48, 0x8b, 0x00).rip_offset, 0);
	/* movdqa, and movw $1: of these capstone says that the displacement has 2 bytes. */
	assert_int_equal(DECODE(0x66, 0x0f, 0x6f, 0x05, 0xca, 0x99, 0x08, 0x00).rip_offset, 4);
	assert_int_equal(DECODE(0x66, 0xc7, 0x05, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00).rip_offset,
			 3);
}

static void jump_table_loads_are_marked(void **state)
{
	struct insn insn;

	(void)state;
	insn = DECODE(0x48, 0x63, 0x04, 0x82); /* movslq (%rdx,%rax,4),%rax */
	assert_int_equal(insn.table_entry, 4);
	assert_int_equal(insn.table_register, 0);
	assert_int_equal(insn.table_address, 0);
	assert_true(insn.table_extended);
	insn = DECODE(0x8b, 0x04, 0x02); /* mov (%rdx,%rax,1),%eax */
	assert_int_equal(insn.table_entry, 4);
	assert_int_equal(insn.table_register, 0);
	assert_false(insn.table_extended);
	assert_true(DECODE(0x48, 0x98).is_cltq);
	insn = DECODE(0x48, 0x8b, 0x04, 0xc5, 0x00, 0x20, 0x40,
		      0x00); /* mov 0x402000(,%rax,8),%rax */
	assert_int_equal(insn.table_entry, 8);
	assert_int_equal(insn.table_address, 0x402000);
	insn = DECODE(0xff, 0x24, 0xcd, 0x00, 0x20, 0x40, 0x00); /* jmp *0x402000(,%rcx,8) */
	assert_int_equal(insn.table_address, 0x402000);
	/* mov (%rdx,%rax,1),%al */
	assert_int_equal(DECODE(0x8a, 0x04, 0x02).table_entry, 0);
}

static void stores_tell_where_and_how_much(void **state)
{
	const struct {
		struct insn insn;
		int base, displacement;
		unsigned size;
	} stores[] = {
		{DECODE(0x88, 0x45, 0xff), 6, -1, 1},              /* mov %al,-1(%rbp) */
		{DECODE(0x66, 0x89, 0x7d, 0xec), 6, -20, 2},       /* mov %di,-20(%rbp) */
		{DECODE(0x89, 0x7d, 0xec), 6, -20, 4},             /* mov %edi,-20(%rbp) */
		{DECODE(0x48, 0x89, 0x7c, 0x24, 0x08), 7, 8, 8},   /* mov %rdi,8(%rsp) */
		{DECODE(0x49, 0x89, 0x3c, 0x24), 12, 0, 8},        /* mov %rdi,(%r12) */
		{DECODE(0xf3, 0x0f, 0x11, 0x45, 0xe8), 6, -24, 4}, /* movss %xmm0,-24(%rbp) */
		{DECODE(0xf2, 0x0f, 0x11, 0x45, 0xe8), 6, -24, 8}, /* movsd %xmm0,-24(%rbp) */
		{DECODE(0x66, 0x0f, 0xd6, 0x45, 0xe8), 6, -24, 8}, /* movq %xmm0,-24(%rbp) */
		{DECODE(0x0f, 0x29, 0x45, 0xe0), 6, -32, 16},      /* movaps %xmm0,-32(%rbp) */
		{DECODE(0xc5, 0xfc, 0x11, 0x85, 0x00, 0xff, 0xff, 0xff), 6, -256, 32}, /* vmovups */
		{DECODE(0xdb, 0x7d, 0xe0), 6, -32, 10}, /* fstpt -32(%rbp) */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++) {
		assert_int_equal(stores[i].insn.store.size, stores[i].size);
		assert_int_equal(stores[i].insn.store.base, stores[i].base);
		assert_int_equal(stores[i].insn.store.displacement, stores[i].displacement);
	}
}

static void what_an_instruction_reads_and_copies_is_told(void **state)
{
	struct insn insn = DECODE(0x48, 0x8b, 0x45, 0xd8); /* mov -0x28(%rbp),%rax */

	(void)state;
	assert_int_equal(insn.loads, 0);
	assert_int_equal(insn.memory.base, 6);
	assert_int_equal(insn.memory.displacement, -0x28);
	assert_true(insn.memory.read && !insn.memory.written);
	assert_int_equal(insn.values, 0);

	insn = DECODE(0x03, 0x54, 0x8f, 0x08); /* add 8(%rdi,%rcx,4),%edx */
	assert_int_equal(insn.loads, -1);
	assert_int_equal(insn.memory.base, 5);
	assert_int_equal(insn.memory.index, 2);
	assert_int_equal(insn.memory.size, 4);
	assert_true(insn.memory.read && !insn.memory.written);
	assert_int_equal(insn.values, 1 << 1);

	insn = DECODE(0x83, 0x00, 0x01); /* addl $1,(%rax) */
	assert_true(insn.memory.read && insn.memory.written);

	insn = DECODE(0x48, 0x8d, 0x47, 0x10); /* lea 16(%rdi),%rax */
	assert_int_equal(insn.arithmetic, INSN_COPY);
	assert_int_equal(insn.to, 0);
	assert_int_equal(insn.from, 5);
	assert_int_equal(insn.number, 16);
	assert_int_equal(insn.memory.size, 0);

	insn = DECODE(0x48, 0x8d, 0x04, 0x0f); /* lea (%rdi,%rcx),%rax */
	assert_int_not_equal(insn.arithmetic, INSN_COPY);
	assert_int_equal(insn.values, 1 << 5 | 1 << 2);
}

static void what_is_no_plain_store_tells_none(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0x8b, 0x7d, 0xec).store.size, 0); /* a load */
	assert_int_equal(DECODE(0x01, 0x7d, 0xec).store.size, 0); /* add %edi,-20(%rbp) */
	assert_int_equal(DECODE(0x39, 0x7d, 0xec).store.size, 0); /* cmp %edi,-20(%rbp) */
	assert_int_equal(DECODE(0x89, 0xf8).store.size, 0);       /* mov %edi,%eax */
	assert_int_equal(DECODE(0x4a, 0x89, 0x44, 0xe4, 0x28).store.size, 0); /* 40(%rsp,%r12,8) */
	assert_int_equal(DECODE(0x64, 0x89, 0x45, 0x08).store.size, 0);       /* %fs:8(%rbp) */
	assert_int_equal(DECODE(0x67, 0x89, 0x45, 0x08).store.size, 0);       /* 8(%ebp) */
}

static void bytes_that_are_no_instruction_are_refused(void **state)
{
	static const uint8_t truncated[] = {0x48, 0x8b, 0x05, 0x34};
	struct insn_decoder *decoder;
	struct insn insn;
	struct err err;

	(void)state;
	assert_true(insn_decoder_create(&decoder, &err));
	assert_false(insn_decode(decoder, truncated, sizeof(truncated), 0, &insn));
	assert_false(insn_decode(decoder, truncated, 0, 0, &insn));
	insn_decoder_destroy(decoder);
}

static void instructions_tell_which_registers_they_write(void **state)
{
	enum { RAX = 1 << 0, RDX = 1 << 1, RSI = 1 << 4, RDI = 1 << 5, RBP = 1 << 6, RSP = 1 << 7 };
	const uint64_t xmm0 = UINT64_C(1) << 17, xmm1 = UINT64_C(1) << 18;

	(void)state;
	assert_int_equal(DECODE(0xf3, 0x0f, 0x1e, 0xfa).writes, 0);    /* endbr64 */
	assert_int_equal(DECODE(0x55).writes, RSP);                    /* push %rbp */
	assert_int_equal(DECODE(0x48, 0x89, 0xe5).writes, RBP);        /* mov %rsp,%rbp */
	assert_int_equal(DECODE(0x89, 0x7d, 0xfc).writes, 0);          /* mov %edi,-4(%rbp) */
	assert_int_equal(DECODE(0x85, 0xff).writes, 0);                /* test %edi,%edi */
	assert_int_equal(DECODE(0x40, 0xb7, 0x01).writes, RDI);        /* mov $1,%dil */
	assert_int_equal(DECODE(0xb4, 0x01).writes, RAX);              /* mov $1,%ah */
	assert_int_equal(DECODE(0x48, 0x87, 0xfe).writes, RSI | RDI);  /* xchg */
	assert_int_equal(DECODE(0x48, 0xf7, 0xef).writes, RAX | RDX);  /* imul %rdi */
	assert_int_equal(DECODE(0xf2, 0x0f, 0x58, 0xc1).writes, xmm0); /* addsd */
	assert_int_equal(DECODE(0xc5, 0xfd, 0x28, 0xc8).writes, xmm1); /* vmovapd %ymm0,%ymm1 */
	assert_int_equal(DECODE(0xf2, 0x48, 0x0f, 0x2c, 0xf8).writes, RDI); /* cvttsd2si */
	assert_int_equal(DECODE(0xf2, 0x0f, 0x11, 0x45, 0xf8).writes, 0);   /* movsd to memory */
}

static void what_an_instruction_writes_may_be_unknown(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0xe8, 0, 0, 0, 0).writes, UINT64_MAX);       /* call */
	assert_int_equal(DECODE(0x48, 0x0f, 0xb1, 0x37).writes, UINT64_MAX); /* cmpxchg */
	assert_int_equal(DECODE(0xd7).writes, UINT64_MAX);                   /* xlat */
}

/* Intel SDM volume 1, appendix B: EFLAGS condition codes. */
static void conditions_follow_the_flags(void **state)
{
	enum { CF = 1, PF = 4, ZF = 64, SF = 128, OF = 2048 };

	(void)state;
	assert_true(insn_condition_holds(0, OF));
	assert_true(insn_condition_holds(1, CF));
	assert_true(insn_condition_holds(2, CF));
	assert_false(insn_condition_holds(3, CF));
	assert_true(insn_condition_holds(4, ZF));
	assert_false(insn_condition_holds(5, ZF));
	assert_true(insn_condition_holds(6, ZF));
	assert_true(insn_condition_holds(7, 0));
	assert_false(insn_condition_holds(7, CF));
	assert_true(insn_condition_holds(8, SF));
	assert_true(insn_condition_holds(10, PF));
	assert_true(insn_condition_holds(12, SF));
	assert_false(insn_condition_holds(12, SF | OF));
	assert_true(insn_condition_holds(13, SF | OF));
	assert_true(insn_condition_holds(14, ZF));
	assert_true(insn_condition_holds(15, 0));
	assert_false(insn_condition_holds(15, ZF));
	assert_false(insn_condition_holds(15, OF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers_have_kind_and_target),
		cmocka_unit_test(only_string_instructions_are_repeated),
		cmocka_unit_test(indirect_transfers_tell_where_their_target_is),
		cmocka_unit_test(no_ops_and_plain_instructions_are_told_apart),
		cmocka_unit_test(rip_relative_operands_are_found),
		cmocka_unit_test(jump_table_loads_are_marked),
		cmocka_unit_test(stores_tell_where_and_how_much),
		cmocka_unit_test(what_an_instruction_reads_and_copies_is_told),
		cmocka_unit_test(what_is_no_plain_store_tells_none),
		cmocka_unit_test(bytes_that_are_no_instruction_are_refused),
		cmocka_unit_test(instructions_tell_which_registers_they_write),
		cmocka_unit_test(what_an_instruction_writes_may_be_unknown),
		cmocka_unit_test(conditions_follow_the_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
