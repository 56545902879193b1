/*
 * Which register tells the case of a switch. Bytes are as assembled by GNU as; the last instruction
 * is the jump.
 */
#include "check.h"

#include "dwarf/code/jump_table.h"

enum { START = 0x1000, RAX = 0, RDX = 1, RDI = 5 };

struct told {
	bool ok, checked;
	struct branch_site site;
};

static struct told tell(const uint8_t *bytes, size_t n)
{
	struct insn_decoder *decoder;
	struct jump_table watch;
	struct told told = {false};
	struct insn insn;
	struct err err;
	size_t at;

	assert_true(insn_decoder_create(&decoder, &err));
	jump_table_reset(&watch);
	for (at = 0; at < n; at += insn.size) {
		assert_true(insn_decode(decoder, bytes + at, n - at, START + at, &insn));
		if (at + insn.size == n)
			told.ok = jump_table_find(&watch, &insn, &told.site, &told.checked);
		jump_table_see(&watch, &insn);
	}
	insn_decoder_destroy(decoder);
	return told;
}

#define TELL(...)   tell((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define LOAD_OFFSET 0x48, 0x63, 0x04, 0xb9       /* movslq (%rcx,%rdi,4),%rax */
#define ADD_TABLE   0x48, 0x01, 0xc8             /* add %rcx,%rax */
#define JUMP_RAX    0xff, 0xe0                   /* jmp *%rax */
#define CLEAR_RAX   0xb8, 0x00, 0x00, 0x00, 0x00 /* mov $0,%eax */
#define CLEAR_RCX   0xb9, 0x00, 0x00, 0x00, 0x00 /* mov $0,%ecx */
#define CLEAR_RDX   0xba, 0x00, 0x00, 0x00, 0x00 /* mov $0,%edx */
#define CLEAR_RDI   0xbf, 0x00, 0x00, 0x00, 0x00 /* mov $0,%edi */
#define IF_ABOVE    0x77, 0x10                   /* ja */
/* mov 0x402008(,%rax,8),%rax */
#define LOAD_ADDRESS    0x48, 0x8b, 0x04, 0xc5, 0x08, 0x20, 0x40, 0x00
#define JUMP_BY_ADDRESS 0xff, 0x24, 0xfd, 0x08, 0x20, 0x40, 0x00 /* jmp *0x402008(,%rdi,8) */
/* lea 0(,%rax,4),%rdx; lea 0x100(%rip),%rax; mov (%rdx,%rax,1),%eax */
#define SCALE       0x48, 0x8d, 0x14, 0x85, 0x00, 0x00, 0x00, 0x00
#define PLACE       0x48, 0x8d, 0x05, 0x00, 0x01, 0x00, 0x00
#define LOAD_SCALED 0x8b, 0x04, 0x02
#define CLTQ        0x48, 0x98
/* lea 0xf4(%rip),%rdx is the same place, 0xf5 is not; add %rdx,%rax */
#define PLACE_AGAIN 0x48, 0x8d, 0x15, 0xf4, 0x00, 0x00, 0x00
#define PLACE_OTHER 0x48, 0x8d, 0x15, 0xf5, 0x00, 0x00, 0x00
#define ADD_AGAIN   0x48, 0x01, 0xd0

static void assert_told(struct told told, uint64_t addr, int reg, int scale, int bias)
{
	assert_true(told.ok);
	assert_int_equal(told.site.kind, BRANCH_SWITCH);
	assert_int_equal(told.site.addr, addr);
	assert_int_equal(told.site.index.reg, reg);
	assert_int_equal(told.site.index.scale, scale);
	assert_int_equal(told.site.index.bias, bias);
}

static void a_jump_by_a_table_of_addresses_reads_it_itself(void **state)
{
	(void)state;
	assert_told(TELL(JUMP_BY_ADDRESS), START, RDI, 1, 0);
	assert_told(TELL(0x3e, JUMP_BY_ADDRESS), START, RDI, 1, 0); /* notrack */
}

static void an_address_may_be_loaded_before(void **state)
{
	(void)state;
	assert_told(TELL(LOAD_ADDRESS, JUMP_RAX), START, RAX, 1, 0);
	assert_told(TELL(LOAD_ADDRESS, CLEAR_RDX, 0x90, JUMP_RAX), START, RAX, 1, 0);
	assert_false(TELL(LOAD_ADDRESS, CLEAR_RAX, JUMP_RAX).ok);
	assert_false(TELL(LOAD_ADDRESS, 0xff, 0xe2).ok); /* jmp *%rdx */
}

static void offsets_are_added_to_their_table(void **state)
{
	(void)state;
	assert_told(TELL(LOAD_OFFSET, ADD_TABLE, JUMP_RAX), START, RDI, 1, 0);
	assert_told(TELL(CLEAR_RCX, LOAD_OFFSET, CLEAR_RDI, ADD_TABLE, CLEAR_RCX, JUMP_RAX),
		    START + 5, RDI, 1, 0);
	assert_false(TELL(LOAD_OFFSET, JUMP_RAX).ok);
	assert_false(TELL(LOAD_OFFSET, CLEAR_RCX, ADD_TABLE, JUMP_RAX).ok);
	assert_false(TELL(LOAD_OFFSET, ADD_TABLE, CLEAR_RAX, JUMP_RAX).ok);
	assert_false(TELL(LOAD_OFFSET, ADD_TABLE, ADD_TABLE, JUMP_RAX).ok);
	assert_false(TELL(LOAD_OFFSET, ADD_AGAIN, JUMP_RAX).ok);
}

/* movslq -0xc(%rcx,%rdi,4),%rax: the table begins at rcx, so that the lowest case is 3. */
static void lowest_cases_may_be_in_the_displacement(void **state)
{
	(void)state;
	assert_told(TELL(0x48, 0x63, 0x44, 0xb9, 0xf4, ADD_TABLE, JUMP_RAX), START, RDI, 1, -3);
	assert_false(TELL(0x48, 0x63, 0x44, 0xb9, 0xf3, ADD_TABLE, JUMP_RAX).ok);
}

static void without_optimisation_the_index_is_scaled_before(void **state)
{
	(void)state;
	assert_told(TELL(SCALE, PLACE, LOAD_SCALED, CLTQ, PLACE_AGAIN, ADD_AGAIN, JUMP_RAX),
		    START + 15, RDX, 4, 0);
	assert_false(TELL(SCALE, PLACE, LOAD_SCALED, CLTQ, PLACE_OTHER, ADD_AGAIN, JUMP_RAX).ok);
	assert_false(
		TELL(SCALE, PLACE, CLEAR_RDX, LOAD_SCALED, CLTQ, PLACE_AGAIN, ADD_AGAIN, JUMP_RAX)
			.ok);
	assert_false(TELL(PLACE, LOAD_SCALED, CLTQ, PLACE_AGAIN, ADD_AGAIN, JUMP_RAX).ok);
	assert_false(TELL(SCALE, LOAD_SCALED, CLTQ, PLACE_AGAIN, ADD_AGAIN, JUMP_RAX).ok);
}

static void nothing_is_known_across_a_jump(void **state)
{
	(void)state;
	assert_false(TELL(LOAD_OFFSET, IF_ABOVE, ADD_TABLE, JUMP_RAX).ok);
	assert_false(TELL(LOAD_OFFSET, ADD_TABLE, 0xe8, 0, 0, 0, 0, JUMP_RAX).ok); /* call */
}

static void an_index_that_was_compared_right_before_is_counted_from_the_first_entry(void **state)
{
	(void)state;
	assert_false(TELL(JUMP_BY_ADDRESS).checked);
	assert_true(TELL(IF_ABOVE, JUMP_BY_ADDRESS).checked);
	assert_true(TELL(IF_ABOVE, CLEAR_RDX, LOAD_ADDRESS, JUMP_RAX).checked);
	assert_false(TELL(0x74, 0x10, JUMP_BY_ADDRESS).checked); /* je */
	assert_false(TELL(IF_ABOVE, 0x90, 0x90, 0x90, 0x90, 0x90, JUMP_BY_ADDRESS).checked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_by_a_table_of_addresses_reads_it_itself),
		cmocka_unit_test(an_address_may_be_loaded_before),
		cmocka_unit_test(offsets_are_added_to_their_table),
		cmocka_unit_test(lowest_cases_may_be_in_the_displacement),
		cmocka_unit_test(without_optimisation_the_index_is_scaled_before),
		cmocka_unit_test(nothing_is_known_across_a_jump),
		cmocka_unit_test(
			an_index_that_was_compared_right_before_is_counted_from_the_first_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
