/*
 * Jump sites: each rule by a function in assembly (fixtures/trace/runs.c); and what must hold of
 * every run of compiled programs, checked by decoding their functions again.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dwarf_fixture.h"

#include "dwarf/code/jump_sites.h"

static const char entered[] = "a jump may lead between the instructions around it";
static const char call[] = "a call is in the way";
static const char stays[] = "an instruction that cannot be moved is in the way";
static const char alone[] = "too few bytes belong together with it";
static const char endbr[] = "a jump leads behind its endbr64";
static const char targets[] = "the jumps of the function are not all understood";

enum { ENTRY = -1, EXITS_MAX = 8 };

static char *runs; /* the program with these functions */

struct expected {
	const char *name;
	int exit; /* its number, or ENTRY */
	unsigned offset, size;
	const char *why;
};

static const struct jump_site *site_of(const struct function *function, int exit)
{
	if (exit == ENTRY)
		return &function->site;
	assert_in_range(exit, 0, function->n_exits - 1);
	return &function->exits[exit].site;
}

static void assert_sites(const struct expected *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct catalogue *catalogue;
		const struct jump_site *site;
		struct err err;

		if (!build(runs, rows[i].name, &catalogue, &err))
			fail_msg("%s: %s", rows[i].name, err.text);
		site = site_of(only_function(catalogue), rows[i].exit);
		if (site->size != rows[i].size ||
		    (site->size &&
		     site->addr != only_function(catalogue)->entry_addr + rows[i].offset) ||
		    (!rows[i].why != !site->why) ||
		    (site->why && strcmp(site->why, rows[i].why) != 0))
			fail_msg("%s, exit %d: %u bytes at +%ld, %s", rows[i].name, rows[i].exit,
				 site->size,
				 (long)(site->addr - only_function(catalogue)->entry_addr),
				 site->why ? site->why : "no reason");
		catalogue_destroy(catalogue);
	}
}

#define ASSERT_SITES(rows) assert_sites(rows, sizeof(rows) / sizeof(*(rows)))

static void a_run_is_whole_instructions_and_the_shortest(void **state)
{
	static const struct expected rows[] = {
		{"hand_plain", ENTRY, 0, 7, NULL},  {"hand_plain", 0, 3, 5, NULL},
		{"hand_padded", ENTRY, 0, 9, NULL}, {"hand_pops", 0, 0, 5, NULL},
		{"hand_loop", ENTRY, 0, 5, NULL},   {"hand_indirect", 0, 0, 5, NULL},
		{"hand_tail", 0, 2, 5, NULL},       {"hand_tail_if", 0, 0, 6, NULL},
		{"hand_free", ENTRY, 0, 5, NULL},   {"hand_free", 0, 0, 5, NULL},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void padding_belongs_to_the_return_before_it(void **state)
{
	static const struct expected rows[] = {
		{"hand_padded", 0, 9, 7, NULL},
		{"hand_int3", 0, 9, 5, NULL},
		{"hand_repeated", 0, 0, 7, NULL},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void nothing_is_found_where_too_little_stands(void **state)
{
	static const struct expected rows[] = {
		{"hand_alone", ENTRY, 0, 0, alone},
		{"hand_alone", 0, 0, 0, alone},
		{"hand_system", ENTRY, 0, 0, stays},
		{"hand_undecodable", ENTRY, 0, 0, "bytes of the function are no instructions"},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void own_jumps_may_lead_into_a_run_behind_its_jump(void **state)
{
	static const struct expected rows[] = {
		{"hand_entered", 0, 2, 8, NULL},
		{"hand_not_padding", 0, 2, 8, NULL},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void a_call_may_only_end_a_run(void **state)
{
	static const struct expected rows[] = {
		{"hand_calls", ENTRY, 0, 9, NULL},
		{"hand_calls", 0, 9, 5, NULL},
		{"hand_call_between", ENTRY, 0, 5, NULL},
		{"hand_call_between", 0, 0, 0, call},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void an_endbr64_stays(void **state)
{
	static const struct expected rows[] = {
		{"hand_endbr", ENTRY, 4, 7, NULL},
		{"hand_endbr_loop", ENTRY, 0, 0, endbr},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void whatever_leads_into_a_run_forbids_it(void **state)
{
	static const struct expected rows[] = {
		{"hand_split", ENTRY, 0, 0, entered}, {"hand_offsets", 0, 0, 0, entered},
		{"hand_words", 1, 0, 0, entered},     {"hand_landing", ENTRY, 0, 0, entered},
		{"hand_landing", 0, 0, 0, entered},   {"hand_near", ENTRY, 0, 0, entered},
		{"hand_far", ENTRY, 0, 0, entered},   {"hand_computed", ENTRY, 0, 0, targets},
		{"hand_computed", 1, 0, 0, targets},  {"hand_summed", ENTRY, 0, 0, targets},
	};

	(void)state;
	ASSERT_SITES(rows);
}

static void assert_short(const char *name, int exit, unsigned offset, unsigned gap, unsigned lender)
{
	struct catalogue *catalogue;
	const struct function *function;
	const struct jump_site *site;
	struct err err;

	assert_true(build(runs, name, &catalogue, &err));
	function = only_function(catalogue);
	site = site_of(function, exit);
	assert_null(site->why);
	assert_int_equal(site->addr, function->entry_addr + offset);
	assert_int_equal(site->size, 2);
	assert_int_equal(site->gap_addr, function->entry_addr + gap);
	assert_int_equal(site->lender_size, lender ? 10 : 0);
	assert_int_equal(site->lender_addr, lender ? function->entry_addr + lender : 0);
	catalogue_destroy(catalogue);
}

/* A lender is the one of which least is moved for its gap alone: the entry has moved some. */
static void a_short_run_has_a_gap_in_padding_or_behind_another_jump(void **state)
{
	static const struct expected rows[] = {{"hand_lacks", 0, 0, 0, entered}};

	(void)state;
	assert_short("hand_lends", 0, 14, 9, 4);
	assert_short("hand_pads", 1, 14, 9, 0);
	ASSERT_SITES(rows);
}

static void the_text_says_which_probes_have_none_and_why(void **state)
{
	static const char expected[] =
		"    pads: no entry, 0 of 1 return, 0 of 1 branch; entry at +0x0: int3, because "
		"an instruction that cannot be moved is in the way; return at +0x7: int3, because "
		"a jump may lead between the instructions around it; branch at +0x2: int3";
	struct catalogue *catalogue;
	char *text = NULL;
	struct err err;
	size_t size;
	FILE *out;

	(void)state;
	assert_true(build(runs, "hand_lacks", &catalogue, &err));
	out = open_memstream(&text, &size);
	catalogue_print(catalogue, CATALOGUE_SITES | CATALOGUE_BRANCHES, out);
	fclose(out);
	if (!strstr(text, expected))
		fail_msg("%s", text);
	free(text);
	catalogue_destroy(catalogue);
}

/* All instructions of a program's functions, decoded again. */
struct decoded {
	struct elf_file *image;
	struct insn_decoder *decoder;
	uint64_t *targets; /* of direct jumps and calls, and entries */
	size_t n_targets;
	uint64_t *begins; /* of instructions */
	size_t n_begins;
	uint64_t *gaps;
	size_t n_gaps;
};

enum { ADDRESSES_MAX = 1 << 20 };

static void target_note(struct decoded *decoded, uint64_t addr)
{
	assert_in_range(decoded->n_targets, 0, ADDRESSES_MAX - 1);
	decoded->targets[decoded->n_targets++] = addr;
}

static bool is_direct(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_IF || insn->kind == INSN_LOOP ||
	       insn->kind == INSN_CALL;
}

static void function_decode(struct decoded *decoded, const struct function *function)
{
	struct insn insn;

	if (function->unmeasurable)
		return;
	target_note(decoded, function->entry_addr);
	for (size_t i = 0; i < function->n_ranges; i++) {
		for (uint64_t addr = function->ranges[i].low_addr;
		     addr < function->ranges[i].high_addr; addr += insn.size) {
			size_t size;
			const uint8_t *bytes = elf_file_code(decoded->image, addr, &size);

			assert_non_null(bytes);
			insn.size = 1;
			if (!insn_decode(decoded->decoder, bytes, size, addr, &insn))
				continue;
			assert_in_range(decoded->n_begins, 0, ADDRESSES_MAX - 1);
			decoded->begins[decoded->n_begins++] = addr;
			if (is_direct(&insn))
				target_note(decoded, insn.target);
		}
	}
}

static int address_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void decoded_init(struct decoded *decoded, const char *path,
			 const struct catalogue *catalogue)
{
	struct err err;

	*decoded = (struct decoded){.targets = malloc(ADDRESSES_MAX * sizeof(uint64_t)),
				    .begins = malloc(ADDRESSES_MAX * sizeof(uint64_t)),
				    .gaps = malloc(ADDRESSES_MAX * sizeof(uint64_t))};
	assert_true(elf_file_open(path, &decoded->image, &err));
	assert_true(insn_decoder_create(&decoded->decoder, &err));
	for (size_t i = 0; i < catalogue->n_functions; i++)
		function_decode(decoded, &catalogue->functions[i]);
	qsort(decoded->targets, decoded->n_targets, sizeof(uint64_t), address_order);
	qsort(decoded->begins, decoded->n_begins, sizeof(uint64_t), address_order);
}

static void decoded_deinit(struct decoded *decoded)
{
	elf_file_close(decoded->image);
	insn_decoder_destroy(decoded->decoder);
	free(decoded->targets);
	free(decoded->begins);
	free(decoded->gaps);
}

static bool is_target(const struct decoded *decoded, uint64_t addr)
{
	return bsearch(&addr, decoded->targets, decoded->n_targets, sizeof(addr), address_order);
}

/* Does execution leave the run behind it? */
static bool is_last(const struct insn *insn)
{
	return insn->kind == INSN_RETURN || insn->kind == INSN_JUMP ||
	       insn->kind == INSN_JUMP_INDIRECT;
}

/* Whole instructions, into whose middle nothing leads. */
static void assert_run(const struct decoded *decoded, const char *name, uint64_t low, uint64_t end,
		       uint64_t probed)
{
	bool ended = false, met = false;
	struct insn insn;

	if (!bsearch(&low, decoded->begins, decoded->n_begins, sizeof(low), address_order))
		fail_msg("%s: no instruction begins at %#lx", name, low);
	for (uint64_t addr = low + 1; addr < end; addr++)
		if (is_target(decoded, addr))
			fail_msg("%s: something leads to %#lx, in the run at %#lx", name, addr,
				 low);
	for (uint64_t addr = low; addr < end; addr += insn.size) {
		size_t size;
		const uint8_t *bytes = elf_file_code(decoded->image, addr, &size);

		assert_non_null(bytes);
		assert_true(insn_decode(decoded->decoder, bytes, size, addr, &insn));
		assert_true(addr + insn.size <= end);
		met |= addr == probed || addr == probed + 4;
		if (ended) {
			assert_true(insn.kind == INSN_NOP || insn.bytes[0] == 0xcc);
			continue;
		}
		assert_int_not_equal(insn.kind, INSN_TRAP);
		assert_int_not_equal(insn.kind, INSN_UNMOVABLE);
		if (insn.kind == INSN_CALL || insn.kind == INSN_CALL_INDIRECT)
			assert_true(addr + insn.size == end);
		ended = is_last(&insn);
	}
	assert_true(met);
}

/* Nothing but nop or int3 of one byte or more, to which nothing leads. */
static void assert_padding(const struct decoded *decoded, uint64_t addr)
{
	for (uint64_t at = addr; at < addr + JUMP_SIZE; at++)
		assert_false(is_target(decoded, at));
	for (unsigned back = 0; back < 16; back++) {
		struct insn insn = {.size = 0};
		size_t size;
		const uint8_t *bytes = elf_file_code(decoded->image, addr - back, &size);

		if (bytes && insn_decode(decoded->decoder, bytes, size, addr - back, &insn) &&
		    insn.size > back && (insn.kind == INSN_NOP || insn.bytes[0] == 0xcc))
			return;
	}
	fail_msg("there is no padding at %#lx", addr);
}

static void gap_note(struct decoded *decoded, uint64_t addr)
{
	assert_in_range(decoded->n_gaps, 0, ADDRESSES_MAX - 1);
	decoded->gaps[decoded->n_gaps++] = addr;
}

static void assert_gap(struct decoded *decoded, const char *name, const struct jump_site *site)
{
	const int64_t distance = (int64_t)site->gap_addr - (int64_t)(site->addr + SHORT_JUMP_SIZE);
	const uint64_t lender_end = site->lender_addr + site->lender_size;

	assert_true(site->size >= SHORT_JUMP_SIZE && site->size < JUMP_SIZE);
	assert_true(distance >= -128 && distance <= 127);
	gap_note(decoded, site->gap_addr);
	if (!site->lender_size) {
		assert_padding(decoded, site->gap_addr);
		return;
	}
	assert_run(decoded, name, site->lender_addr, lender_end, site->lender_addr);
	assert_true(site->gap_addr >= site->lender_addr + JUMP_SIZE);
	assert_true(site->gap_addr + JUMP_SIZE <= lender_end);
	assert_true(site->addr >= lender_end || site->addr + site->size <= site->lender_addr);
}

/* How many of the sorted targets are @addr. */
static size_t count_targets(const struct decoded *decoded, uint64_t addr)
{
	size_t n = 0;

	for (size_t i = 0; i < decoded->n_targets; i++)
		n += decoded->targets[i] == addr;
	return n;
}

/* All that leads into its middle is in it, and leads behind the jump. */
static void assert_closed(const struct decoded *decoded, const struct jump_site *site)
{
	const uint64_t end = site->addr + site->size;
	size_t into = 0, own = 0;
	struct insn insn;

	for (uint64_t addr = site->addr + 1; addr < end; addr++)
		into += count_targets(decoded, addr);
	for (uint64_t addr = site->addr; addr < end; addr += insn.size) {
		size_t size;
		const uint8_t *bytes = elf_file_code(decoded->image, addr, &size);

		assert_true(insn_decode(decoded->decoder, bytes, size, addr, &insn));
		assert_true(addr + insn.size <= end);
		assert_int_not_equal(insn.kind, INSN_CALL);
		assert_int_not_equal(insn.kind, INSN_CALL_INDIRECT);
		if (!is_direct(&insn) || insn.target <= site->addr || insn.target >= end)
			continue;
		assert_true(insn.target >= site->addr + JUMP_SIZE);
		own++;
	}
	assert_int_equal(own, into);
}

static void assert_site(struct decoded *decoded, const char *name, uint64_t probed,
			const struct jump_site *site)
{
	if (!site->size)
		return;
	assert_null(site->why);
	if (site->closed)
		assert_closed(decoded, site);
	else
		assert_run(decoded, name, site->addr, site->addr + site->size, probed);
	if (site->gap_addr)
		assert_gap(decoded, name, site);
	else
		assert_true(site->size >= JUMP_SIZE);
}

/* The same code may be several functions. */
static void assert_gaps_apart(struct decoded *decoded)
{
	qsort(decoded->gaps, decoded->n_gaps, sizeof(uint64_t), address_order);
	for (size_t i = 1; i < decoded->n_gaps; i++)
		assert_true(decoded->gaps[i] >= decoded->gaps[i - 1] + JUMP_SIZE);
}

struct tally {
	size_t runs, probes, gaps, closed;
};

static bool is_same_code(const struct catalogue *catalogue, size_t i)
{
	return catalogue->functions[i].n_ranges && i &&
	       catalogue_find_same(catalogue, catalogue, i) < i;
}

static void runs_check(const char *path, const char *pattern, struct tally *tally)
{
	struct decoded decoded;
	struct catalogue *catalogue;
	struct err err;

	assert_true(build(path, pattern, &catalogue, &err));
	decoded_init(&decoded, path, catalogue);
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (function->unmeasurable || is_same_code(catalogue, i))
			continue;
		assert_site(&decoded, function->name, function->probe_addr, &function->site);
		tally->runs += function->site.size != 0;
		tally->probes += 1 + function->n_exits;
		for (size_t k = 0; k < function->n_exits; k++) {
			assert_site(&decoded, function->name, function->exits[k].addr,
				    &function->exits[k].site);
			tally->runs += function->exits[k].site.size != 0;
			tally->closed += function->exits[k].site.closed;
		}
		for (size_t k = 0; k < function->n_branches; k++)
			assert_site(&decoded, function->name, function->branches[k].addr,
				    &function->branches[k].site);
	}
	assert_gaps_apart(&decoded);
	tally->gaps += decoded.n_gaps;
	decoded_deinit(&decoded);
	catalogue_destroy(catalogue);
}

static void no_jump_leads_into_a_run_of_compiled_programs(void **state)
{
	static const char *const builds[] = {"O0",        "O0-fixed",     "O1",
					     "O2",        "O2-fixed",     "Os",
					     "O2-static", "O3-protected", "O2-fixed-protected"};
	static const char *const programs[] = {"branches", "throws", "news", "jumps", "gives"};
	struct tally tally = {0};
	size_t files = 0;

	for (size_t i = 0; i < 2 * sizeof(builds) / sizeof(*builds); i++) {
		for (size_t k = 0; k < sizeof(programs) / sizeof(*programs); k++) {
			char name[64];

			snprintf(name, sizeof(name), "%s-%s-%s", programs[k],
				 i % 2 ? "clang" : "gcc", builds[i / 2]);
			if (!has_fixture(state, name))
				continue;
			runs_check(fixture(state, name), NULL, &tally);
			files++;
		}
	}
	assert_true(files >= 5);
	assert_true(tally.runs > tally.probes / 2);
	assert_true(tally.gaps > files);
	assert_true(tally.closed > 0);
}

/* The C library has code written by hand. */
static void no_jump_leads_into_a_run_of_the_c_library(void **state)
{
	struct tally tally = {0};

	runs_check(fixture(state, "throws-gcc-O2-static"), "*mem*", &tally);
	assert_true(tally.probes > 50);
	assert_true(tally.runs > tally.probes / 2);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_whole_instructions_and_the_shortest),
		cmocka_unit_test(padding_belongs_to_the_return_before_it),
		cmocka_unit_test(nothing_is_found_where_too_little_stands),
		cmocka_unit_test(own_jumps_may_lead_into_a_run_behind_its_jump),
		cmocka_unit_test(a_call_may_only_end_a_run),
		cmocka_unit_test(an_endbr64_stays),
		cmocka_unit_test(whatever_leads_into_a_run_forbids_it),
		cmocka_unit_test(a_short_run_has_a_gap_in_padding_or_behind_another_jump),
		cmocka_unit_test(the_text_says_which_probes_have_none_and_why),
		cmocka_unit_test(no_jump_leads_into_a_run_of_compiled_programs),
		cmocka_unit_test(no_jump_leads_into_a_run_of_the_c_library),
	};

	if (argc > 1 && asprintf(&runs, "%s/runs", argv[1]) < 0)
		return 1;
	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
