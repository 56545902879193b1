/*
 * Real processes that are halted, looked at, and go on: the programs of fixtures/trace/ say themselves whether they were
 * harmed.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/feature.h"
#include "trace/session_halt.h"

static void halt(struct session *session)
{
	struct err err;

	if (!session_halt(session, &err))
		fail_msg("%s", err.text);
	assert_true(session_is_halted(session));
}

static struct session_event next(struct session *session)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(session, &event, &err));
	if (event.kind == SESSION_NOTE)
		fail_msg("%s", event.note);
	return event;
}

/* Calls, until there were @n. */
static void take_calls(struct session *session, unsigned n)
{
	while (n) {
		const struct session_event event = next(session);

		assert_int_equal(event.kind, SESSION_CALL);
		assert_int_equal(event.call.features[0].absence, PRESENT);
		n--;
	}
}

/* What ended while everybody was being halted. */
static void drain(struct session *session)
{
	while (next(session).kind == SESSION_CALL)
		;
}

static void leave(struct session *session)
{
	session_detach(session);
	while (next(session).kind != SESSION_ENDED)
		;
	session_destroy(session);
}

static void busy_threads_are_halted_and_go_on_again_and_again(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	for (i = 0; i < 200; i++) {
		take_calls(session, i % 13);
		halt(session);
		if (i % 3 == 0)
			drain(session);
		session_continue(session);
		assert_false(session_is_halted(session));
	}
	leave(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, "worked right"), 8);
	catalogue_destroy(catalogue);
}

/* Whoever is halted can be left. */
static void a_halted_process_is_left_unharmed(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < 20; i++) {
		session = session_of(catalogue, program.pid);
		take_calls(session, i);
		halt(session);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(program_finish(&program, "worked right"), 8);
	catalogue_destroy(catalogue);
}

static void open_calls_are_those_that_threads_are_in(void **state)
{
	char *const arguments[] = {"busy", "4", NULL};
	struct session_open_call *calls;
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct arena *arena = arena_create();
	size_t seen = 0;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O0", arguments, &program);
	assert_true(build(program.path, NULL, &catalogue, &err));
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	for (i = 0; i < 20; i++) {
		size_t n;

		take_calls(session, 20);
		halt(session);
		n = session_open_calls(session, arena, &calls);
		while (n--) {
			const struct function *function = &catalogue->functions[calls[n].function];

			seen += !strcmp(function->name, "work") || !strcmp(function->name, "inner");
			assert_int_equal(calls[n].process, program.pid);
			assert_true(calls[n].at_least_ns >= 0);
			assert_true(calls[n].at_least_ns == calls[n].at_most_ns);
			assert_false(calls[n].is_adopted);
		}
		session_continue(session);
	}
	assert_true(seen > 0);
	leave(session);
	arena_destroy(arena);
	assert_int_equal(program_finish(&program, "worked right"), 4);
	catalogue_destroy(catalogue);
}

/* Who looks at code sees that of the file, and threads are in it. */
static void a_snapshot_of_a_halted_process_shows_no_breakpoints(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	const struct function *function;
	struct snapshot *snapshot;
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct held_modules modules;
	struct arena *arena = arena_create();
	uint64_t entry;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2-fixed", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	function = only_function(catalogue);
	entry = function->entry_addr;
	session = session_of(catalogue, program.pid);
	held_modules_read(program.pid, arena, &modules);
	for (i = 0; i < 50; i++) {
		uint8_t byte, own;
		struct memory_read read = {.address = entry, .to = &byte, .size = 1};
		FILE *memory;
		char path[64];
		size_t j;

		take_calls(session, 3);
		halt(session);
		assert_true(session_snapshot(session, program.pid, &snapshot, &err));
		assert_int_equal(snapshot->n_threads, 8);
		for (j = 0; j < snapshot->n_threads; j++) {
			const struct held_thread *thread = &snapshot->threads[j];
			const struct held_module *module =
				held_modules_find(&modules, thread->raw.rip);

			assert_true(thread->is_held);
			assert_non_null(module);
			assert_true(thread->registers[16] == thread->raw.rip);
		}
		snapshot->memory.read(snapshot->memory.self, &read, 1);
		assert_true(read.ok);
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)program.pid);
		memory = fopen(path, "r");
		fseek(memory, (long)entry, SEEK_SET);
		assert_int_equal(fread(&own, 1, 1, memory), 1);
		fclose(memory);
		assert_int_equal(own, 0xcc);
		assert_int_not_equal(byte, 0xcc);
		snapshot_destroy(snapshot);
		session_continue(session);
	}
	leave(session);
	held_modules_deinit(&modules);
	arena_destroy(arena);
	assert_int_equal(program_finish(&program, "worked right"), 8);
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_threads_are_halted_and_go_on_again_and_again),
		cmocka_unit_test(a_halted_process_is_left_unharmed),
		cmocka_unit_test(open_calls_are_those_that_threads_are_in),
		cmocka_unit_test(a_snapshot_of_a_halted_process_shows_no_breakpoints),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
