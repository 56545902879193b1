/*
 * Leaving, and attaching, on a scripted target: process 1 with thread 2, both in f at CODE+0x200
 * (push %rbx, a return at CODE+0x210). In the first two stops of each script they are held while
 * the breakpoints are planted; at the PAUSE the test leaves, and what the script has behind it
 * happens meanwhile.
 */
#include "check.h"

#include <signal.h>
#include <string.h>

#include "scripted_target.h"
#include "trace/probe/displaced.h"
#include "trace/state/engine.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = CODE + 0x210, TOP = STACK + 0x1000, EPOLL_WAIT = 232 };
/* Where scratch memory goes, see mapping_find_gap(); the first slot is the return's. */
enum { SLOT = CODE - 0x20000 + SLOT_SIZE };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range range = {F - CODE, F_RET + 1 - CODE};
static const struct exit_site f_exit = {F_RET - CODE, EXIT_RETURN};
static const struct function function = {.name = "f",
					 .linkage = "f",
					 .ranges = &range,
					 .n_ranges = 1,
					 .probe_addr = F - CODE,
					 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
					 .exits = &f_exit,
					 .n_exits = 1};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {
	.modules = &module, .n_modules = 1, .functions = &function, .n_functions = 1};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define STOP(tid_, kind_, number_, child_)                                                \
	{                                                                                 \
		.stop = {.tid = tid_, .kind = kind_, .number = number_, .child = child_}, \
		.rip = CODE + 0x500, .rsp = TOP, .orig_rax = -1                           \
	}
#define AT(tid_, kind_, number_, pc)                                                \
	{                                                                           \
		.stop = {.tid = tid_, .kind = kind_, .number = number_}, .rip = pc, \
		.rsp = TOP - 8, .orig_rax = -1                                      \
	}
#define HELD STOP(1, STOP_EVENT, SIGTRAP, 0), STOP(2, STOP_EVENT, SIGTRAP, 0)
#define PAUSE                     \
	{                         \
		.is_signal = true \
	}

enum { FOLLOWED = -1 }; /* as borrower: there is none, and children are measured */

static void play(struct fixture *f, const struct scripted_stop *script, size_t n, pid_t borrower)
{
	const struct session_options options = {.follow_fork = borrower == FOLLOWED};
	const pid_t tids[] = {1, 2};
	struct session_event event;
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	f->target.borrower = borrower == FOLLOWED ? 0 : borrower;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	f->target.code[F - CODE] = 0x53;
	f->target.code[F_RET - CODE] = 0xc3;
	assert_true(session_create_attached(&catalogue, (struct target){&scripted_ops, &f->target},
					    1, tids, 2, &options, &f->session, &err));
	assert_int_equal(f->target.code[F - CODE], 0xcc);
	assert_true(session_next(f->session, &event, &err));
	assert_int_equal(event.kind, SESSION_PAUSE);
}

#define PLAY(f, borrower, ...)                               \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, script, sizeof(script) / sizeof(script[0]), borrower)

/* The text is as it was, nobody is left, and what is said is that the process goes on. */
static void leave(struct fixture *f)
{
	struct session_event event;
	struct err err;

	*f->target.log = '\0';
	session_detach(f->session);
	assert_int_equal(f->target.code[F - CODE], 0x53);
	assert_int_equal(f->target.code[F_RET - CODE], 0xc3);
	assert_null(f->session->tracees);
	assert_true(session_next(f->session, &event, &err));
	assert_int_equal(event.kind, SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_DETACHED);
	session_destroy(f->session);
}

static void assert_logged(const struct fixture *f, const char *text)
{
	if (!strstr(f->target.log, text))
		fail_msg("'%s' is not in:\n%s", text, f->target.log);
}

static void assert_not_logged(const struct fixture *f, const char *text)
{
	if (strstr(f->target.log, text))
		fail_msg("'%s' is in:\n%s", text, f->target.log);
}

static void everybody_is_stopped_and_let_go(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, HELD);
	leave(&f);
	assert_logged(&f, "interrupt 1 0\ninterrupt 2 0\n");
	assert_logged(&f, "call 2 b\n"); /* munmap */
	assert_logged(&f, "detach 1 0\ndetach 2 0\n");
	assert_not_logged(&f, "resume");
}

static void who_has_met_a_breakpoint_goes_back_to_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, AT(1, STOP_BREAKPOINT, SIGTRAP, F + 1),
	     STOP(2, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "rip 1 400200\n");
	assert_logged(&f, "detach 1 0\n");
}

/* Else a SIGCONT that comes before it is let go would be lost: our munmap(2) hides it. */
static void a_signal_that_stops_is_passed_on_before_anything_is_done(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, STOP(1, STOP_SIGNAL, SIGSTOP, 0), STOP(2, STOP_EVENT, SIGTRAP, 0),
	     STOP(1, STOP_EVENT, SIGTRAP, 0), PAUSE, STOP(2, STOP_SIGNAL, SIGSTOP, 0),
	     STOP(1, STOP_EVENT, SIGTRAP, 0), STOP(2, STOP_GROUP, SIGSTOP, 0));
	assert_logged(&f, "interrupt 1 0\nresume 1 13\n");
	leave(&f);
	assert_logged(&f, "interrupt 2 0\nresume 2 13\n");
	assert_logged(&f, "detach 1 0\ndetach 2 0\n");
}

static void who_has_not_said_yet_that_it_met_one_is_asked(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, AT(1, STOP_EVENT, SIGTRAP, F + 1),
	     AT(1, STOP_BREAKPOINT, SIGTRAP, F + 1), STOP(2, STOP_EVENT, SIGTRAP, 0));
	f.target.has_trap = true;
	leave(&f);
	assert_logged(&f, "resume 1 0\n");
	assert_logged(&f, "rip 1 400200\n");
}

static void who_is_behind_the_instruction_in_a_slot_is_moved_behind_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(2, STOP_EVENT, SIGTRAP, 0),
	     AT(1, STOP_EVENT, SIGTRAP, SLOT + 1));
	leave(&f);
	assert_logged(&f, "rip 1 400201\n");
}

static void who_is_at_the_start_of_a_slot_is_moved_home(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(2, STOP_EVENT, SIGTRAP, 0), AT(1, STOP_EVENT, SIGTRAP, SLOT));
	leave(&f);
	assert_logged(&f, "rip 1 400200\n");
}

static void a_signal_on_its_way_is_delivered(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, AT(1, STOP_SIGNAL, SIGALRM, CODE + 0x500),
	     STOP(2, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "detach 1 e\n");
}

static void the_programs_own_int3_is_reported_to_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, AT(1, STOP_BREAKPOINT, SIGTRAP, CODE + 0x601),
	     STOP(2, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "detach 1 5\n");
	assert_not_logged(&f, "rip 1 400600\n");
}

static void a_system_call_that_we_interrupted_is_made_again(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(2, STOP_EVENT, SIGTRAP, 0),
	     {.stop = {.tid = 1, .kind = STOP_EVENT, .number = SIGTRAP},
	      .rip = CODE + 0x702,
	      .rsp = TOP,
	      .rax = -4, /* EINTR */
	      .orig_rax = EPOLL_WAIT});
	leave(&f);
	assert_logged(&f, "rip 1 400700\n");
}

static void who_gives_birth_ends_that_first(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(1, STOP_CLONE, SIGTRAP, 3), STOP(3, STOP_EVENT, SIGTRAP, 0),
	     STOP(2, STOP_EVENT, SIGTRAP, 0), STOP(1, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "interrupt 1 0\nresume 1 0\n");
	assert_logged(&f, "detach 1 0\n");
	assert_logged(&f, "detach 2 0\n");
	assert_logged(&f, "detach 3 0\n");
	assert_not_logged(&f, "resume 3");
}

/* The twin keeps the memory of process 1 alone, so a child reads what its parent has: restored. */
static void a_child_that_is_born_meanwhile_is_let_go(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(1, STOP_FORK, SIGTRAP, 20), STOP(20, STOP_EVENT, SIGTRAP, 0),
	     STOP(2, STOP_EVENT, SIGTRAP, 0), STOP(1, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "detach 20 0\n");
}

/* Its children, which stop first, have a copy of its memory: what they are asked to map it has not. */
static void a_process_that_forks_while_it_is_attached_to_maps_our_memory_itself(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, FOLLOWED, STOP(1, STOP_FORK, SIGTRAP, 20), STOP(20, STOP_EVENT, SIGTRAP, 0),
	     STOP(2, STOP_FORK, SIGTRAP, 30), STOP(30, STOP_EVENT, SIGTRAP, 0),
	     STOP(1, STOP_EVENT, SIGTRAP, 0), STOP(2, STOP_EVENT, SIGTRAP, 0), PAUSE,
	     STOP(1, STOP_EVENT, SIGTRAP, 0), STOP(2, STOP_EVENT, SIGTRAP, 0),
	     STOP(20, STOP_EVENT, SIGTRAP, 0), STOP(30, STOP_EVENT, SIGTRAP, 0));
	assert_logged(&f, "call 1 9\n");
	assert_not_logged(&f, "call 20");
	assert_not_logged(&f, "call 30");
	leave(&f);
	assert_logged(&f, "detach 20 0\n");
	assert_logged(&f, "detach 30 0\n");
}

static void a_child_in_the_same_memory_is_let_go_before_its_parent_stops(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 30, HELD, PAUSE, AT(30, STOP_BREAKPOINT, SIGTRAP, F + 1),
	     STOP(2, STOP_EVENT, SIGTRAP, 0), STOP(1, STOP_EVENT, SIGTRAP, 0));
	leave(&f);
	assert_logged(&f, "rip 30 400200\n");
	assert_logged(&f, "detach 30 0\n");
}

static void a_process_that_ends_meanwhile_has_ended(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(2, STOP_EXITED, 0, 0), STOP(1, STOP_EXITED, 3, 0));
	*f.target.log = '\0';
	session_detach(f.session);
	assert_null(f.session->tracees);
	assert_int_equal(f.session->ending.how, ENDED_EXITED);
	assert_int_equal(f.session->ending.number, 3);
	session_destroy(f.session);
	assert_not_logged(&f, "detach");
}

static void who_is_at_its_end_unmaps_nothing(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, 0, HELD, PAUSE, STOP(1, STOP_EVENT, SIGTRAP, 0), STOP(2, STOP_EXITING, SIGTRAP, 0),
	     STOP(2, STOP_EXITED, 0, 0));
	leave(&f);
	assert_logged(&f, "call 1 b\n");
	assert_not_logged(&f, "call 2 b\n");
}

/* Whatever comes all the time, the caller can look at its deadline after so many stops. */
static void stops_that_tell_nothing_do_not_keep_the_caller(void **state)
{
	static const struct scripted_stop endless[] = {
		STOP(2, STOP_EVENT, SIGTRAP, 0),
		STOP(2, STOP_SIGNAL, SIGUSR1, 0),
		AT(2, STOP_BREAKPOINT, SIGTRAP, F_RET + 1),
		STOP(2, STOP_GROUP, SIGSTOP, 0),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		struct scripted_stop script[3 + 3 * SESSION_TURNS] = {HELD, PAUSE};
		const size_t n = sizeof(script) / sizeof(script[0]);
		struct session_event event = {.kind = SESSION_NOTE};
		struct fixture f;
		struct err err;

		for (size_t j = 3; j < n; j++)
			script[j] = endless[i];
		play(&f, script, n, 0);
		while (event.kind == SESSION_NOTE)
			assert_true(session_next(f.session, &event, &err));
		assert_int_equal(event.kind, SESSION_PAUSE);
		assert_in_range(f.target.next, 4, 3 + 2 * SESSION_TURNS);
		session_destroy(f.session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everybody_is_stopped_and_let_go),
		cmocka_unit_test(who_has_met_a_breakpoint_goes_back_to_it),
		cmocka_unit_test(a_signal_that_stops_is_passed_on_before_anything_is_done),
		cmocka_unit_test(who_has_not_said_yet_that_it_met_one_is_asked),
		cmocka_unit_test(who_is_behind_the_instruction_in_a_slot_is_moved_behind_it),
		cmocka_unit_test(who_is_at_the_start_of_a_slot_is_moved_home),
		cmocka_unit_test(a_signal_on_its_way_is_delivered),
		cmocka_unit_test(the_programs_own_int3_is_reported_to_it),
		cmocka_unit_test(a_system_call_that_we_interrupted_is_made_again),
		cmocka_unit_test(who_gives_birth_ends_that_first),
		cmocka_unit_test(a_child_that_is_born_meanwhile_is_let_go),
		cmocka_unit_test(
			a_process_that_forks_while_it_is_attached_to_maps_our_memory_itself),
		cmocka_unit_test(a_child_in_the_same_memory_is_let_go_before_its_parent_stops),
		cmocka_unit_test(a_process_that_ends_meanwhile_has_ended),
		cmocka_unit_test(who_is_at_its_end_unmaps_nothing),
		cmocka_unit_test(stops_that_tell_nothing_do_not_keep_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
