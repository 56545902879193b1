/* Patches: planned, planted and lifted on a scripted target, and where threads must not be. */
#include "check.h"
#include "scripted_target.h"

#include <string.h>

#include "trace/pad/pad_patch.h"

/*
 * The code: a function from R, whose last 4 bytes are padding, and one from S. In reach of S_RETURN
 * are padding at P, and 10 bytes that can be lent at L.
 */
enum {
	R = CODE + 0x200,
	R_BRANCH = R + 4,
	R_RETURN = R + 8,
	S = CODE + 0x300,
	S_SHORT = S + 9,
	S_RETURN = S + 10,
	P = CODE + 0x320,
	L = CODE + 0x340,
	L_SIZE = 10,
	L_GAP = L + 5,
};

static const uint8_t r_code[] = {
	0x48, 0x8d, 0x47, 0x01, /* lea 1(%rdi), %rax */
	0x74, 0x7e,             /* je */
	0x90, 0x90,             /* nop, nop */
	0xc3,                   /* ret */
	0xcc, 0xcc, 0xcc, 0xcc, /* int3 */
};
static const uint8_t s_code[] = {0x0f, 0x1f, 0x44, 0, 0, 0x48, 0x89, 0xf8, 0x90, 0x90, 0xc3};

static const uint8_t p_code[] = {0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
static const uint8_t l_code[] = {0x48, 0x8d, 0x47, 1, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf8};

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa_plan = {cfa_steps, 2, PLAN_UNSIGNED, 8};
static const struct pad_function function = {
	.cfa = {.plan = &cfa_plan, .head = 2, .words = 1}, .n_words = 1, .n_branches = 1};

#define SITE(kind_, pc_, run_, size_)                                \
	{                                                            \
		pc_, run_, size_, kind_, &function, 0, true, 0, 0, 0 \
	}

static const struct pad_site entry = SITE(PAD_ENTRY, R, R, 6);
static const struct pad_site branch = SITE(PAD_BRANCH, R_BRANCH, R_BRANCH, 5);
static const struct pad_site leave = SITE(PAD_RETURN, R_RETURN, R_RETURN, 5);
static const struct pad_site other = SITE(PAD_ENTRY, S, S, 5);

static const struct pad_site in_padding = {.pc = S_RETURN,
					   .run = S_SHORT,
					   .size = 2,
					   .kind = PAD_RETURN,
					   .function = &function,
					   .gap = P};
static const struct pad_site borrower = {.pc = S_RETURN,
					 .run = S_SHORT,
					 .size = 2,
					 .kind = PAD_RETURN,
					 .function = &function,
					 .gap = L_GAP,
					 .lender = L,
					 .lender_size = L_SIZE};

struct fixture {
	struct scripted_target scripted;
	struct target target;
	struct insn_decoder *decoder;
	struct breakpoint_table *breakpoints;
	struct pad_area *area;
	struct recovery *guard;
	struct pad_patch_table *table;
};

static struct pad_patch_setting setting_of(const struct fixture *f, pid_t pid)
{
	return (struct pad_patch_setting){.target = &f->target,
					  .decoder = f->decoder,
					  .pid = pid,
					  .breakpoints = f->breakpoints,
					  .area = f->area,
					  .guard = f->guard};
}

static void setup(struct fixture *f)
{
	struct pad_patch_setting setting;
	struct err err;

	memset(f, 0, sizeof(*f));
	memcpy(f->scripted.code + (R - CODE), r_code, sizeof(r_code));
	memcpy(f->scripted.code + (S - CODE), s_code, sizeof(s_code));
	memcpy(f->scripted.code + (P - CODE), p_code, sizeof(p_code));
	memcpy(f->scripted.code + (L - CODE), l_code, sizeof(l_code));
	f->target = (struct target){&scripted_ops, &f->scripted};
	assert_true(insn_decoder_create(&f->decoder, &err));
	assert_true(recovery_create(&f->guard, &err));
	f->breakpoints = breakpoint_table_create(&f->target, f->decoder, 1, CODE);
	f->area = pad_area_create(&f->target, CODE);
	setting = setting_of(f, 1);
	f->table = pad_patch_table_create(&setting);
}

static void teardown(struct fixture *f)
{
	pad_patch_table_destroy(f->table);
	pad_area_destroy(f->area);
	breakpoint_table_destroy(f->breakpoints);
	recovery_destroy(f->guard);
	insn_decoder_destroy(f->decoder);
}

static struct pad_patch *prepare(struct fixture *f, const struct pad_site *sites, size_t n)
{
	struct err err;

	if (pad_patch_prepare(f->table, 1, sites, n, &err))
		fail_msg("%s", err.text);
	return pad_patch_by_run(f->table, sites[0].run);
}

static void plant(struct fixture *f, struct pad_patch *patch)
{
	struct err err;

	if (!pad_patch_plant(f->table, 1, patch, &err))
		fail_msg("%s", err.text);
}

static uint8_t *code_at(struct fixture *f, uint64_t address)
{
	return f->scripted.code + (address - CODE);
}

static void assert_jumps(struct fixture *f, uint64_t from, uint64_t to)
{
	int32_t displacement;

	assert_int_equal(*code_at(f, from), 0xe9);
	memcpy(&displacement, code_at(f, from + 1), sizeof(displacement));
	assert_int_equal(from + 5 + displacement, to);
}

static void assert_jumps_to_pad(struct fixture *f, const struct pad_patch *patch)
{
	assert_jumps(f, patch->run, patch->pad);
}

/* Entries of the recovery table for jumps of @pid. */
static size_t count_guarded(const struct fixture *f, pid_t pid)
{
	const struct recovery_table *table = recovery_table(f->guard);
	size_t n = 0;

	for (size_t i = 1; i < table->n_breakpoints; i++)
		n += table->breakpoints[i].state == RECOVERY_JUMPING &&
		     table->breakpoints[i].pid == pid;
	return n;
}

static void overlapping_runs_become_one_patch_with_the_probes_in_order(void **state)
{
	const struct pad_site sites[] = {leave, other, branch, entry};
	const struct pad_patch *patch;
	struct fixture f;
	size_t n;

	(void)state;
	setup(&f);
	patch = prepare(&f, sites, 4);
	pad_patch_table_list(f.table, &n);
	assert_int_equal(n, 2);
	assert_int_equal(patch->run, R);
	assert_int_equal(patch->size, 13);
	assert_int_equal(patch->n_insns, 5); /* without the padding */
	assert_int_equal(patch->n_probes, 3);
	assert_int_equal(patch->probes[0].kind, PAD_ENTRY);
	assert_int_equal(patch->probes[0].insn, 0);
	assert_int_equal(patch->probes[1].kind, PAD_BRANCH);
	assert_int_equal(patch->probes[1].insn, 1);
	assert_int_equal(patch->probes[2].kind, PAD_RETURN);
	assert_int_equal(patch->probes[2].insn, 4);
	assert_int_equal(patch->sites[1].pc, R_BRANCH);
	assert_true(pad_area_contains(f.area, patch->pad));
	assert_ptr_equal(pad_patch_by_run(f.table, S)->run + 5, S + 5);
	assert_memory_equal(code_at(&f, R), r_code, sizeof(r_code)); /* nothing is planted */
	teardown(&f);
}

static void runs_that_only_touch_stay_apart(void **state)
{
	const struct pad_site sites[] = {other, SITE(PAD_ENTRY, S + 5, S + 5, 5)};
	struct fixture f;
	size_t n;

	(void)state;
	setup(&f);
	prepare(&f, sites, 2);
	pad_patch_table_list(f.table, &n);
	assert_int_equal(n, 2);
	teardown(&f);
}

static void a_jump_is_written_and_taken_back(void **state)
{
	const struct pad_site sites[] = {entry, branch, leave};
	struct pad_patch *patch;
	struct fixture f;

	(void)state;
	setup(&f);
	patch = prepare(&f, sites, 3);
	plant(&f, patch);
	assert_true(patch->planted);
	assert_jumps_to_pad(&f, patch);
	assert_memory_equal(code_at(&f, R + 5), r_code + 5, sizeof(r_code) - 5);
	assert_int_equal(count_guarded(&f, 1), 1);
	pad_patch_lift(f.table, 1, patch);
	assert_false(patch->planted);
	assert_memory_equal(code_at(&f, R), r_code, sizeof(r_code));
	assert_int_equal(count_guarded(&f, 1), 0);
	plant(&f, patch);
	assert_jumps_to_pad(&f, patch);
	pad_patch_table_lift_all(f.table, 1);
	assert_memory_equal(code_at(&f, R), r_code, sizeof(r_code));
	teardown(&f);
}

static void only_a_jump_of_ours_is_taken_back(void **state)
{
	struct pad_patch *patch;
	struct fixture f;

	(void)state;
	setup(&f);
	patch = prepare(&f, &other, 1);
	plant(&f, patch);
	memset(code_at(&f, S), 0x90, 5); /* another library is there by now */
	pad_patch_lift(f.table, 1, patch);
	assert_false(patch->planted);
	assert_int_equal(*code_at(&f, S), 0x90);
	teardown(&f);
}

static void what_cannot_be_written_stays_planted(void **state)
{
	struct pad_patch *patch;
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	patch = prepare(&f, &other, 1);
	plant(&f, patch);
	f.scripted.closed = true;
	pad_patch_lift(f.table, 1, patch);
	assert_true(patch->planted);
	assert_int_equal(count_guarded(&f, 1), 1);
	/* Nor can it be replaced by another one. */
	assert_int_equal(pad_patch_prepare(f.table, 1, &other, 1, &err), 1);
	assert_int_equal(err.code, ERR_TARGET);
	assert_ptr_equal(pad_patch_by_run(f.table, S), patch);
	teardown(&f);
}

static void code_that_has_changed_is_left_alone(void **state)
{
	struct pad_patch *patch;
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	patch = prepare(&f, &entry, 1);
	*code_at(&f, R_BRANCH) = 0x75;
	assert_false(pad_patch_plant(f.table, 1, patch, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_false(patch->planted);
	assert_int_equal(*code_at(&f, R), r_code[0]);
	assert_int_equal(count_guarded(&f, 1), 0);
	teardown(&f);
}

static void a_site_that_fits_nowhere_does_not_keep_others_from_theirs(void **state)
{
	const struct pad_site sites[] = {SITE(PAD_ENTRY, R + 1, R, 6), other,
					 SITE(PAD_ENTRY, CODE + AREA + 8, CODE + AREA + 8, 5)};
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	assert_int_equal(pad_patch_prepare(f.table, 1, sites, 2, &err), 1);
	assert_int_equal(err.code, ERR_FORMAT);
	assert_null(pad_patch_by_run(f.table, R));
	assert_non_null(pad_patch_by_run(f.table, S));
	assert_int_equal(pad_patch_prepare(f.table, 1, &sites[2], 1, &err), 1);
	assert_int_equal(err.code, ERR_TARGET);
	teardown(&f);
}

static void breakpoints_are_no_part_of_the_code(void **state)
{
	const struct pad_patch *patch;
	struct breakpoint *breakpoint;
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	assert_true(breakpoint_plant(f.breakpoints, 1, R_BRANCH, &breakpoint, &err));
	assert_int_equal(*code_at(&f, R_BRANCH), 0xcc);
	patch = prepare(&f, &entry, 1);
	assert_int_equal(patch->insns[1].kind, INSN_JUMP_IF);
	assert_memory_equal(patch->jumps[0].bytes.original, r_code, 5);
	teardown(&f);
}

static void a_patch_makes_way_for_sites_that_overlap_it(void **state)
{
	const struct pad_site sites[] = {entry, branch};
	struct pad_patch *first, *patch;
	struct fixture f;
	uint64_t pad;
	size_t n;

	(void)state;
	setup(&f);
	first = prepare(&f, &entry, 1);
	pad = first->pad;
	plant(&f, first);
	patch = prepare(&f, sites, 2);
	pad_patch_table_list(f.table, &n);
	assert_int_equal(n, 1);
	assert_int_equal(patch->run, R);
	assert_int_equal(patch->n_probes, 2); /* not those of before once more */
	assert_int_equal(patch->probes[0].kind, PAD_ENTRY);
	assert_false(patch->planted);
	assert_memory_equal(code_at(&f, R), r_code, sizeof(r_code));
	assert_int_equal(count_guarded(&f, 1), 0);
	/* A thread may still be in its pad. */
	assert_ptr_equal(pad_patch_by_pc(f.table, pad), first);
	assert_ptr_equal(pad_patch_by_pc(f.table, patch->pad), patch);
	teardown(&f);
}

static void a_pad_is_found_by_each_of_its_addresses(void **state)
{
	const struct pad_site sites[] = {entry, other};
	struct pad_patch *r, *s;
	struct fixture f;

	(void)state;
	setup(&f);
	r = prepare(&f, sites, 2);
	s = pad_patch_by_run(f.table, S);
	assert_ptr_equal(pad_patch_by_pc(f.table, r->pad), r);
	assert_ptr_equal(pad_patch_by_pc(f.table, r->pad + r->code.size - 1), r);
	assert_ptr_equal(pad_patch_by_pc(f.table, s->pad + 1), s);
	assert_null(pad_patch_by_pc(f.table, (r->pad < s->pad ? r : s)->pad - 1));
	assert_null(pad_patch_by_pc(f.table, R));
	assert_null(pad_patch_by_run(f.table, R + 6));
	assert_null(pad_patch_by_run(f.table, R - 1));
	teardown(&f);
}

static void a_thread_inside_a_run_is_seen_and_one_at_its_ends_is_not(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	prepare(&f, &entry, 1);
	assert_false(pad_patch_is_inside(f.table, R));
	assert_true(pad_patch_is_inside(f.table, R + 1));
	assert_true(pad_patch_is_inside(f.table, R_BRANCH));
	assert_false(pad_patch_is_inside(f.table, R + 6));
	teardown(&f);
}

static void a_stack_that_points_into_a_run_marks_its_patch_alone(void **state)
{
	const struct pad_site sites[] = {entry, other};
	const uint64_t clean[] = {0, R, R + 6, S, S + 5, STACK, UINT64_MAX};
	const uint64_t words[] = {STACK, R_BRANCH, S};
	struct pad_patch *r, *s;
	struct fixture f;

	(void)state;
	setup(&f);
	pad_patch_table_scan(f.table, words, 3); /* nothing to be marked */
	r = prepare(&f, sites, 2);
	s = pad_patch_by_run(f.table, S);
	pad_patch_table_scan(f.table, clean, sizeof(clean) / sizeof(*clean));
	assert_false(r->is_pointed_into || s->is_pointed_into);
	pad_patch_table_scan(f.table, words, 3);
	assert_true(r->is_pointed_into);
	assert_false(s->is_pointed_into);
	pad_patch_table_rescan(f.table);
	assert_false(r->is_pointed_into);
	teardown(&f);
}

static void a_childs_copy_is_guarded_and_restored_by_itself(void **state)
{
	const struct pad_site sites[] = {entry, other};
	struct pad_patch_setting setting;
	struct pad_patch_table *copy;
	struct pad_patch *twin;
	struct fixture f;

	(void)state;
	setup(&f);
	plant(&f, prepare(&f, sites, 2));
	setting = setting_of(&f, 20);
	copy = pad_patch_table_copy(f.table, &setting);
	twin = pad_patch_by_run(copy, R);
	assert_ptr_not_equal(twin, pad_patch_by_run(f.table, R));
	assert_ptr_equal(pad_patch_by_pc(copy, twin->pad), twin);
	assert_true(twin->planted);
	assert_false(pad_patch_by_run(copy, S)->planted);
	assert_int_equal(count_guarded(&f, 1), 1);
	assert_int_equal(count_guarded(&f, 20), 1);
	pad_patch_table_destroy(copy);
	assert_int_equal(count_guarded(&f, 1), 1);
	assert_int_equal(count_guarded(&f, 20), 0);
	pad_patch_table_restore_in(f.table, 1);
	assert_memory_equal(code_at(&f, R), r_code, sizeof(r_code));
	assert_true(pad_patch_by_run(f.table, R)->planted);
	teardown(&f);
}

static void patches_of_unmapped_code_are_forgotten_but_for_their_pads(void **state)
{
	const struct pad_site sites[] = {entry, other};
	struct pad_patch *patch;
	struct fixture f;

	(void)state;
	setup(&f);
	patch = prepare(&f, sites, 2);
	plant(&f, patch);
	pad_patch_table_forget(f.table, R, S);
	assert_null(pad_patch_by_run(f.table, R));
	assert_non_null(pad_patch_by_run(f.table, S));
	assert_ptr_equal(pad_patch_by_pc(f.table, patch->pad), patch);
	assert_int_equal(count_guarded(&f, 1), 0);
	assert_jumps_to_pad(&f, patch); /* nothing was written */
	teardown(&f);
}

static void assert_right_code(struct fixture *f)
{
	assert_memory_equal(code_at(f, S), s_code, sizeof(s_code));
	assert_memory_equal(code_at(f, P), p_code, sizeof(p_code));
	assert_memory_equal(code_at(f, L), l_code, sizeof(l_code));
}

static void assert_jumps_short(struct fixture *f, uint64_t from, uint64_t to)
{
	assert_int_equal(*code_at(f, from), 0xeb);
	assert_int_equal(from + 2 + (int8_t)*code_at(f, from + 1), to);
}

static void a_short_run_is_left_by_way_of_padding(void **state)
{
	struct pad_patch *patch;
	uint8_t bytes[32];
	struct fixture f;

	(void)state;
	setup(&f);
	patch = prepare(&f, &in_padding, 1);
	assert_null(pad_patch_by_gap(f.table, P));
	plant(&f, patch);
	assert_jumps_short(&f, S_SHORT, P);
	assert_jumps(&f, P, patch->pad);
	assert_int_equal(count_guarded(&f, 1), 2);
	assert_ptr_equal(pad_patch_by_gap(f.table, P), patch);
	assert_null(pad_patch_by_gap(f.table, P + 1));
	memcpy(bytes, code_at(&f, S_SHORT), sizeof(bytes));
	pad_patch_table_unsee(f.table, S_SHORT, bytes, sizeof(bytes));
	assert_memory_equal(bytes, s_code + (S_SHORT - S), 2);
	assert_memory_equal(bytes + (P - S_SHORT), p_code, sizeof(p_code));
	pad_patch_lift(f.table, 1, patch);
	assert_right_code(&f);
	assert_int_equal(count_guarded(&f, 1), 0);
	assert_null(pad_patch_by_gap(f.table, P));
	teardown(&f);
}

static void a_lender_is_planted_first_and_does_not_go_alone(void **state)
{
	struct pad_patch *patch, *lender;
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	patch = prepare(&f, &borrower, 1);
	lender = pad_patch_lender(f.table, patch);
	assert_int_equal(lender->run, L);
	assert_int_equal(lender->size, L_SIZE);
	assert_int_equal(lender->n_probes, 0);
	assert_true(pad_patch_is_inside(f.table, L_GAP));
	assert_false(pad_patch_plant(f.table, 1, patch, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_right_code(&f);
	plant(&f, lender);
	plant(&f, patch);
	assert_jumps(&f, L, lender->pad);
	assert_jumps_short(&f, S_SHORT, L_GAP);
	assert_jumps(&f, L_GAP, patch->pad);
	assert_int_equal(count_guarded(&f, 1), 3);
	pad_patch_lift(f.table, 1, lender);
	assert_false(lender->planted || patch->planted);
	assert_right_code(&f);
	assert_int_equal(count_guarded(&f, 1), 0);
	teardown(&f);
}

static void a_lender_may_have_probes_and_several_borrowers(void **state)
{
	const struct pad_site sites[] = {
		borrower,
		SITE(PAD_BRANCH, L + 4, L + 4, 6),
		{.pc = S, .run = S, .size = 5, .kind = PAD_ENTRY, .function = &function}};
	struct pad_patch *lender;
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	*code_at(&f, L + 4) = 0x74; /* je */
	*code_at(&f, L + 5) = 0x7e;
	*code_at(&f, L + 6) = 0x90;
	assert_int_equal(pad_patch_prepare(f.table, 1, sites, 3, &err), 0);
	lender = pad_patch_by_run(f.table, L_GAP);
	assert_int_equal(lender->run, L);
	assert_int_equal(lender->n_probes, 1);
	assert_int_equal(lender->probes[0].kind, PAD_BRANCH);
	assert_int_equal(lender->n_sites, 2);
	/* Prepared once more, it has no more than before. */
	assert_int_equal(pad_patch_prepare(f.table, 1, sites, 3, &err), 0);
	lender = pad_patch_by_run(f.table, L_GAP);
	assert_int_equal(lender->n_probes, 1);
	assert_int_equal(lender->n_sites, 2);
	teardown(&f);
}

static void a_gap_has_one_jump_only(void **state)
{
	const struct pad_site sites[] = {in_padding,
					 {.pc = S + 5,
					  .run = S + 5,
					  .size = 3,
					  .kind = PAD_RETURN,
					  .function = &function,
					  .gap = P + 1}};
	const struct pad_site far = {.pc = S_RETURN,
				     .run = S_SHORT,
				     .size = 2,
				     .kind = PAD_RETURN,
				     .function = &function,
				     .gap = R};
	struct fixture f;
	struct err err;

	(void)state;
	setup(&f);
	assert_int_equal(pad_patch_prepare(f.table, 1, &far, 1, &err), 1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	plant(&f, prepare(&f, sites, 2));
	assert_false(pad_patch_plant(f.table, 1, pad_patch_by_run(f.table, S + 5), &err));
	assert_int_equal(err.code, ERR_FORMAT);
	pad_patch_table_lift_all(f.table, 1);
	assert_right_code(&f);
	teardown(&f);
}

static void a_copy_has_short_jumps_too(void **state)
{
	struct pad_patch_setting setting;
	struct pad_patch_table *copy;
	struct pad_patch *twin;
	struct fixture f;

	(void)state;
	setup(&f);
	prepare(&f, &borrower, 1);
	plant(&f, pad_patch_by_run(f.table, L));
	plant(&f, pad_patch_by_run(f.table, S_SHORT));
	setting = setting_of(&f, 20);
	copy = pad_patch_table_copy(f.table, &setting);
	twin = pad_patch_by_gap(copy, L_GAP);
	assert_ptr_equal(twin, pad_patch_by_run(copy, S_SHORT));
	assert_ptr_equal(pad_patch_lender(copy, twin), pad_patch_by_run(copy, L));
	assert_int_equal(count_guarded(&f, 20), 3);
	pad_patch_table_destroy(copy);
	pad_patch_table_restore_in(f.table, 1);
	assert_right_code(&f);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_runs_become_one_patch_with_the_probes_in_order),
		cmocka_unit_test(runs_that_only_touch_stay_apart),
		cmocka_unit_test(a_jump_is_written_and_taken_back),
		cmocka_unit_test(only_a_jump_of_ours_is_taken_back),
		cmocka_unit_test(what_cannot_be_written_stays_planted),
		cmocka_unit_test(code_that_has_changed_is_left_alone),
		cmocka_unit_test(a_site_that_fits_nowhere_does_not_keep_others_from_theirs),
		cmocka_unit_test(breakpoints_are_no_part_of_the_code),
		cmocka_unit_test(a_patch_makes_way_for_sites_that_overlap_it),
		cmocka_unit_test(a_pad_is_found_by_each_of_its_addresses),
		cmocka_unit_test(a_thread_inside_a_run_is_seen_and_one_at_its_ends_is_not),
		cmocka_unit_test(a_stack_that_points_into_a_run_marks_its_patch_alone),
		cmocka_unit_test(a_childs_copy_is_guarded_and_restored_by_itself),
		cmocka_unit_test(a_short_run_is_left_by_way_of_padding),
		cmocka_unit_test(a_lender_is_planted_first_and_does_not_go_alone),
		cmocka_unit_test(a_lender_may_have_probes_and_several_borrowers),
		cmocka_unit_test(a_gap_has_one_jump_only),
		cmocka_unit_test(a_copy_has_short_jumps_too),
		cmocka_unit_test(patches_of_unmapped_code_are_forgotten_but_for_their_pads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
