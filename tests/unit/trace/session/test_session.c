/*
 * The session on a scripted target: calls, signals, breakpoints, the end. Who is born and what is
 * executed is test_births.c's.
 */
#include "session_fixture.h"
#include "trace/probe/breakpoint.h"
#include "trace/probe/displaced.h"
#include "trace/state/tsc_clock.h"

/* Pads read the processor's counter, which others may change the pace of with that of the processor. */
static void without_a_counter_of_constant_rate_stops_measure_calls_and_it_is_said(void **state)
{
	static const struct cpuid_leaf leaves[] = {
		{.edx = 1u << 8}, {.edx = ~(1u << 8)}, {.edx = 0}};
	struct session_options options = {.probes = PROBES_PADS};
	struct session_event event;
	struct fixture f;
	const char *why;

	(void)state;
	for (int i = 0; i < 3; i++) {
		options.power = &leaves[i];
		assert_int_equal(session_pads_possible(&options, &why), i == 0);
	}
	assert_string_equal(why, "the processor has no time stamp counter of constant rate");
	PLAY_WITH(&f, &options, START, HIT(1, F, TOP - 8, 42, 10000),
		  HIT(1, F_RET, TOP - 8, 0, 25000), EXIT(30000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_NOTE);
	assert_string_equal(event.note, "calls are measured by stops: the processor has no time "
					"stamp counter of constant rate");
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.stops, 2);
	assert_ends(&f);
}

static void a_call_is_measured_from_its_resume_to_its_last_stop(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 42, 10000), HIT(1, F_RET, TOP - 8, 0, 25000),
	     EXIT(30000));
	f.target.resume_delay_ns = 3000;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.features[0].number == 42);
	assert_true(event.call.metrics[METRIC_TIME].number == 12.0); /* 25 - (10 + 3) µs */
	assert_ends(&f);
}

/* Others stop and continue it: how long a call would have taken without that is not known. */
static void a_call_that_others_stopped_in_its_middle_is_said_to_be_halted(void **state)
{
	struct session_event inner, outer, later;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), EVENT(1, STOP_GROUP, SIGSTOP, 0, 12000),
	     EVENT(1, STOP_EVENT, SIGTRAP, 0, 90000), HIT(1, G, TOP - 108, 2, 91000),
	     HIT(1, G_RET, TOP - 108, 0, 92000), HIT(1, F_RET, TOP - 8, 0, 93000),
	     HIT(1, F, TOP - 8, 1, 94000), EVENT(1, STOP_EVENT, SIGTRAP, 0, 95000),
	     HIT(1, F_RET, TOP - 8, 0, 96000), EXIT(97000));
	inner = next(&f);
	assert_int_equal(inner.call.function, 1);
	assert_false(inner.call.was_halted);
	outer = next(&f);
	assert_true(outer.call.was_halted);
	later = next(&f);
	assert_false(later.call.was_halted); /* a stop of ours is no such stop */
	assert_ends(&f);
}

/* 20 calls, of which a half have a rank in the lower half: 10 +- 5 standard deviations of 2.2. */
static void each_call_has_a_rank_by_chance_and_none_is_missing(void **state)
{
	struct scripted_stop script[42] = {START};
	struct fixture f;
	int lower = 0;
	size_t i;

	(void)state;
	for (i = 0; i < 20; i++) {
		script[1 + 2 * i] =
			(struct scripted_stop)HIT(1, F, TOP - 8, 42, 10000 * (2 * i + 1));
		script[2 + 2 * i] =
			(struct scripted_stop)HIT(1, F_RET, TOP - 8, 0, 10000 * (2 * i + 2));
	}
	script[41] = (struct scripted_stop)EXIT(900000);
	play(&f, script, 42, &(struct session_options){0});
	for (i = 0; i < 20; i++) {
		const struct session_event event = next(&f);

		assert_int_equal(event.kind, SESSION_CALL);
		assert_true(event.call.limit == SESSION_RANK_ALL);
		lower += event.call.rank < 1u << 31;
	}
	assert_in_range(lower, 1, 19);
	assert_ends(&f);
}

static void time_in_stops_of_inner_calls_is_not_charged(void **state)
{
	struct session_event inner, outer;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, G, TOP - 108, 2, 20000),
	     HIT(1, G_RET, TOP - 108, 0, 30000), HIT(1, F_RET, TOP - 8, 0, 40000), EXIT(50000));
	f.target.resume_delay_ns = 3000;
	inner = next(&f);
	assert_int_equal(inner.call.function, 1);
	assert_int_equal(inner.call.parent, 1);
	assert_true(inner.call.metrics[METRIC_TIME].number == 7.0);
	outer = next(&f);
	assert_int_equal(outer.call.parent, 0);
	assert_true(outer.call.metrics[METRIC_TIME].number == 21.0); /* 40 - 13 - 2 × 3 */
	assert_ends(&f);
}

static void the_calibrated_cost_of_every_stop_is_subtracted(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, G, TOP - 108, 2, 20000),
	     HIT(1, G_RET, TOP - 108, 0, 30000), HIT(1, F_RET, TOP - 8, 0, 40000), EXIT(50000));
	f.session->account.calibration = (struct calibration){.pair = {1}, .stop = {1}};
	event = next(&f);
	assert_true(event.call.metrics[METRIC_TIME].number == 9.0);
	event = next(&f);
	assert_true(event.call.metrics[METRIC_TIME].number == 27.0); /* three stops end within it */
	assert_ends(&f);
}

static void what_a_tracee_did_not_run_before_its_stop_was_seen_is_subtracted(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000),
	     {.stop = {.tid = 1, .kind = STOP_BREAKPOINT, .idle_ns = 2000},
	      .rip = G + 1,
	      .rsp = TOP - 108,
	      .now_ns = 20000},
	     {.stop = {.tid = 1, .kind = STOP_BREAKPOINT, .idle_ns = 500},
	      .rip = G_RET + 1,
	      .rsp = TOP - 108,
	      .now_ns = 30000},
	     HIT(1, F_RET, TOP - 8, 0, 40000), EXIT(50000));
	event = next(&f);
	assert_true(event.call.metrics[METRIC_TIME].number == 9.5);
	event = next(&f);
	assert_true(event.call.metrics[METRIC_TIME].number == 27.5);
	assert_ends(&f);
}

static void the_displaced_instruction_runs_in_a_slot_and_so_does_a_return(void **state)
{
	struct breakpoint *breakpoint;
	struct fixture f;
	char rip[64];

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 42, 10000), HIT(1, F_RET, TOP - 8, 0, 25000),
	     EXIT(30000));
	next(&f);
	breakpoint = breakpoint_find(f.session->inferiors->breakpoints, F);
	assert_int_not_equal(breakpoint->displaced.slot, 0);
	snprintf(rip, sizeof(rip), "rip 1 %lx\nresume 1 0\n", breakpoint->displaced.slot);
	assert_logged(&f, rip);
	breakpoint = breakpoint_find(f.session->inferiors->breakpoints, F_RET);
	assert_int_not_equal(breakpoint->displaced.slot, 0);
	snprintf(rip, sizeof(rip), "rip 1 %lx\nresume 1 0\n", breakpoint->displaced.slot);
	next(&f);
	assert_logged(&f, rip);
	session_destroy(f.session);
}

static void a_tail_call_ends_when_its_return_address_is_reached(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_TAIL, TOP - 8, 0, 20000),
	     HIT(1, G, TOP - 8, 2, 21000), HIT(1, G_RET, TOP - 8, 0, 30000),
	     HIT(1, CALLER, TOP, 0, 31000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.call.function, 1);
	assert_true(event.call.metrics[METRIC_TIME].number == 9.0);
	event = next(&f);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.metrics[METRIC_TIME].number == 21.0);
	assert_logged(&f, "plant 1 400400\n");
	assert_logged(&f, "lift 1 400400\n");
	assert_ends(&f);
}

/* An exception leaves them, and the same place calls again. */
static void calls_that_left_by_a_tail_call_do_not_wait_for_ever(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_TAIL, TOP - 8, 0, 20000),
	     HIT(1, G, TOP - 8, 2, 21000), HIT(1, F, TOP - 8, 3, 30000),
	     HIT(1, F_TAIL, TOP - 8, 0, 31000), HIT(1, F, TOP - 8, 4, 40000),
	     HIT(1, F_RET, TOP - 8, 0, 41000), HIT(1, CALLER, TOP, 0, 42000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.features[0].number == 4);
	assert_int_equal(event.call.parent, 0);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(session_function_account(f.session, 0, 0)->abandoned, 2);
	assert_int_equal(session_function_account(f.session, 0, 1)->abandoned, 1);
	session_destroy(f.session);
}

/* Functions that tail-call each other wait for each other. */
static void a_call_waits_for_what_its_tail_call_goes_on_with(void **state)
{
	struct session_event event;
	struct fixture f;
	int i;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_TAIL, TOP - 8, 0, 20000),
	     HIT(1, G, TOP - 8, 2, 21000), HIT(1, G_TAIL, TOP - 8, 0, 22000),
	     HIT(1, F, TOP - 8, 3, 23000), HIT(1, F_RET, TOP - 8, 0, 30000),
	     HIT(1, CALLER, TOP, 0, 31000), EXIT(50000));
	for (i = 3; i > 0; i--) {
		event = next(&f);
		assert_true(event.call.features[0].number == i);
		assert_true((event.call.parent == 0) == (i == 1));
	}
	assert_ends(&f);
}

static void a_call_without_an_end_is_abandoned_and_counted(void **state)
{
	struct fixture f;

	(void)state;
	/*
	 * The second call has a higher frame: the first was left by an exception. Then the program
	 * exits.
	 */
	PLAY(&f, START, HIT(1, F, TOP - 208, 1, 10000), HIT(1, F, TOP - 8, 2, 20000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(session_function_account(f.session, 0, 0)->calls, 0);
	assert_int_equal(session_function_account(f.session, 0, 0)->abandoned, 2);
	session_destroy(f.session);
}

static void signals_are_delivered_and_never_see_a_slot(void **state)
{
	struct fixture f;
	/* Where scratch memory goes, see mapping_find_gap(); the first slot is the return's. */
	uint64_t slot = CODE - 0x20000 + SLOT_SIZE;
	struct session_event event;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000),
	     {.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = SIGALRM},
	      .rip = slot,
	      .rsp = TOP - 8,
	      .now_ns = 11000},
	     HIT(1, F, TOP - 8, 1, 20000), HIT(1, F_RET, TOP - 8, 0, 25000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.id, 1); /* the second hit was no second call */
	assert_int_equal(breakpoint_find(f.session->inferiors->breakpoints, F)->displaced.slot,
			 slot);
	assert_logged(&f, "rip 1 400200\nresume 1 e\n");
	assert_ends(&f);
}

static void a_return_that_a_signal_interrupts_in_its_slot_ends_its_call_once(void **state)
{
	struct fixture f;
	uint64_t slot = CODE - 0x20000;
	struct session_event event;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 208, 1, 10000), HIT(1, F, TOP - 308, 1, 11000),
	     HIT(1, F_RET, TOP - 308, 0, 12000),
	     {.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = SIGALRM},
	      .rip = slot,
	      .rsp = TOP - 308,
	      .now_ns = 13000},
	     HIT(1, F_RET, TOP - 308, 0, 20000), HIT(1, F_RET, TOP - 208, 0, 25000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.call.id, 2);
	assert_int_equal(breakpoint_find(f.session->inferiors->breakpoints, F_RET)->displaced.slot,
			 slot);
	event = next(&f);
	assert_int_equal(event.call.id, 1);
	assert_logged(&f, "rip 1 400210\nresume 1 e\n");
	assert_ends(&f);
}

/* The handler jumps out of the call, and the next one of the same place has another argument. */
static void a_call_that_a_signal_kept_from_beginning_has_not_begun(void **state)
{
	struct fixture f;
	uint64_t slot = CODE - 0x20000 + SLOT_SIZE; /* the first one is the return's */
	struct session_event event;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000),
	     {.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = SIGALRM},
	      .rip = slot,
	      .rsp = TOP - 8,
	      .now_ns = 11000},
	     HIT(1, F, TOP - 8, 2, 20000), HIT(1, F_RET, TOP - 8, 0, 25000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.features[0].number == 2);
	assert_true(event.call.metrics[METRIC_TIME].number == 5.0);
	assert_int_equal(session_function_account(f.session, 0, 0)->abandoned, 0);
	assert_ends(&f);
}

static void the_programs_own_int3_is_its_own(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, CODE + 0x800, TOP, 0, 10000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 1 5\n");
	session_destroy(f.session);
}

static void a_sigtrap_that_was_ignored_does_no_harm(void **state)
{
	struct scripted_stop sent = EVENT(1, STOP_SIGNAL, SIGTRAP, 0, 20000);
	struct scripted_stop start = START;
	struct fixture f;

	(void)state;
	start.trap = TRAP_IGNORED;
	PLAY(&f, start, HIT(1, F, TOP - 8, 1, 10000), sent, EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "block 1 0\n");
	assert_null(strstr(f.target.log, "resume 1 5\n"));
	session_destroy(f.session);
}

static void a_sigtrap_that_was_not_ignored_is_delivered(void **state)
{
	struct scripted_stop exits = EXIT(50000);
	struct scripted_stop start = START;
	struct fixture f;

	(void)state;
	start.trap = TRAP_IGNORED;
	exits.trap = TRAP_CAUGHT; /* by then the program has a handler */
	PLAY(&f, start, EVENT(1, STOP_SIGNAL, SIGTRAP, 0, 20000), exits);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 1 5\n");
	session_destroy(f.session);
}

static void a_tracee_that_is_gone_meanwhile_is_no_error(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), EVENT(1, STOP_KILLED, SIGKILL, 0, 11000));
	f.target.gone = true;
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void a_breakpoint_that_can_neither_be_passed_nor_lifted_is_no_endless_loop(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_RET, TOP - 8, 0, 20000),
	     HIT(1, F_RET, TOP - 8, 0, 30000), EVENT(1, STOP_KILLED, SIGTRAP, 0, 40000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	/* The return is emulated, as it is where no memory was left for its slot. */
	breakpoint_find(f.session->inferiors->breakpoints, F_RET)->displaced.slot = 0;
	f.target.closed = true;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_NOTE);
	assert_non_null(strstr(event.note, "memory"));
	assert_ends(&f);
	assert_logged(&f, "resume 1 5\n");
}

static void the_end_is_told_with_its_status(void **state)
{
	struct session_event event;
	struct fixture f;
	struct err err;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_KILLED, SIGSEGV, 0, 10000));
	event = next(&f);
	assert_int_equal(event.ending.how, ENDED_SIGNALLED);
	assert_int_equal(event.ending.number, SIGSEGV);
	assert_false(session_next(f.session, &event, &err));
	session_destroy(f.session);
}

enum { FAR = 0x7fffffff8000, SLOTS_OF_AN_AREA = 2048 };

static struct scratch *make_scratch(struct scripted_target *target)
{
	static struct target ops;

	memset(target, 0, sizeof(*target));
	ops = (struct target){&scripted_ops, target};
	return scratch_create(&ops, CODE);
}

static void slots_are_used_again(void **state)
{
	struct scripted_target target;
	struct scratch *scratch = make_scratch(&target);
	struct err err;
	uint64_t slot;
	int i;

	(void)state;
	scratch_complete(scratch, 1);
	for (i = 0; i < 2 * SLOTS_OF_AN_AREA; i++) {
		assert_true(scratch_reserve(scratch, 1, CODE, &slot, &err));
		scratch_release(scratch, slot);
	}
	for (i = 0; i < SLOTS_OF_AN_AREA; i++)
		assert_true(scratch_reserve(scratch, 1, CODE, &slot, &err));
	assert_false(scratch_reserve(scratch, 1, CODE, &slot, &err));
	scratch_destroy(scratch);
}

static void released_slots_that_are_out_of_reach_are_not_used(void **state)
{
	struct scripted_target target;
	struct scratch *scratch = make_scratch(&target);
	struct err err;
	uint64_t slot;

	(void)state;
	assert_true(scratch_reserve(scratch, 1, CODE, &slot, &err));
	scratch_release(scratch, slot);
	assert_true(scratch_reserve(scratch, 1, FAR, &slot, &err));
	assert_true(FAR - slot < 0x7f000000);
	scratch_destroy(scratch);
}

static void a_program_that_forbade_itself_something_is_asked_for_nothing(void **state)
{
	struct scripted_target target;
	struct scratch *scratch = make_scratch(&target);
	struct err err;
	uint64_t slot;

	(void)state;
	scratch_complete(scratch, 1);
	assert_false(scratch_reserve(scratch, 1, FAR, &slot, &err));
	target.forbidden = 1;
	scratch_reopen(scratch, 1);
	assert_false(scratch_reserve(scratch, 1, FAR, &slot, &err));
	target.forbidden = 0;
	scratch_reopen(scratch, 1);
	assert_true(scratch_reserve(scratch, 1, FAR, &slot, &err));
	scratch_destroy(scratch);
}

static void a_breakpoint_is_made_anew_when_the_code_changed_meanwhile(void **state)
{
	struct scripted_target target;
	struct target ops = {&scripted_ops, &target};
	struct breakpoint_table *table;
	struct breakpoint *breakpoint;
	struct insn_decoder *decoder;
	struct err err;

	(void)state;
	memset(&target, 0, sizeof(target));
	assert_true(insn_decoder_create(&decoder, &err));
	table = breakpoint_table_create(&ops, decoder, 1, CODE);
	put(&target, F, "\x53", 1);
	assert_true(breakpoint_plant(table, 1, F, &breakpoint, &err));
	breakpoint_lift(table, 1, breakpoint);
	put(&target, F, "\xc3", 1);
	assert_true(breakpoint_plant(table, 1, F, &breakpoint, &err));
	breakpoint_lift(table, 1, breakpoint);
	assert_int_equal(target.code[F - CODE], 0xc3);
	breakpoint_table_destroy(table);
	insn_decoder_destroy(decoder);
}

static void a_byte_that_is_no_int3_of_ours_is_not_restored(void **state)
{
	struct breakpoint *breakpoint;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_RET, TOP - 8, 0, 20000),
	     EXIT(50000));
	next(&f);
	breakpoint = breakpoint_find(f.session->inferiors->breakpoints, F);
	put(&f.target, F, "\x41", 1); /* other memory is there now */
	breakpoint_lift(f.session->inferiors->breakpoints, 1, breakpoint);
	assert_int_equal(f.target.code[F - CODE], 0x41);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			without_a_counter_of_constant_rate_stops_measure_calls_and_it_is_said),
		cmocka_unit_test(a_call_is_measured_from_its_resume_to_its_last_stop),
		cmocka_unit_test(a_call_that_others_stopped_in_its_middle_is_said_to_be_halted),
		cmocka_unit_test(each_call_has_a_rank_by_chance_and_none_is_missing),
		cmocka_unit_test(time_in_stops_of_inner_calls_is_not_charged),
		cmocka_unit_test(the_calibrated_cost_of_every_stop_is_subtracted),
		cmocka_unit_test(what_a_tracee_did_not_run_before_its_stop_was_seen_is_subtracted),
		cmocka_unit_test(the_displaced_instruction_runs_in_a_slot_and_so_does_a_return),
		cmocka_unit_test(a_tail_call_ends_when_its_return_address_is_reached),
		cmocka_unit_test(calls_that_left_by_a_tail_call_do_not_wait_for_ever),
		cmocka_unit_test(a_call_waits_for_what_its_tail_call_goes_on_with),
		cmocka_unit_test(a_call_without_an_end_is_abandoned_and_counted),
		cmocka_unit_test(signals_are_delivered_and_never_see_a_slot),
		cmocka_unit_test(a_return_that_a_signal_interrupts_in_its_slot_ends_its_call_once),
		cmocka_unit_test(a_call_that_a_signal_kept_from_beginning_has_not_begun),
		cmocka_unit_test(the_programs_own_int3_is_its_own),
		cmocka_unit_test(a_sigtrap_that_was_ignored_does_no_harm),
		cmocka_unit_test(a_sigtrap_that_was_not_ignored_is_delivered),
		cmocka_unit_test(a_tracee_that_is_gone_meanwhile_is_no_error),
		cmocka_unit_test(
			a_breakpoint_that_can_neither_be_passed_nor_lifted_is_no_endless_loop),
		cmocka_unit_test(the_end_is_told_with_its_status),
		cmocka_unit_test(slots_are_used_again),
		cmocka_unit_test(released_slots_that_are_out_of_reach_are_not_used),
		cmocka_unit_test(a_program_that_forbade_itself_something_is_asked_for_nothing),
		cmocka_unit_test(a_breakpoint_is_made_anew_when_the_code_changed_meanwhile),
		cmocka_unit_test(a_byte_that_is_no_int3_of_ours_is_not_restored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
