/*
 * Looking at real processes that are halted: the calls that are open, memory and registers, stacks;
 * and calls that were open before, which are adopted.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/verdict/stack.h"
#include "inspect/stack_capture.h"
#include "trace/session_halt.h"

static unsigned function_of(const struct catalogue *catalogue, const char *name)
{
	unsigned i;

	for (i = 0; i < catalogue->n_functions; i++)
		if (!strcmp(catalogue->functions[i].name, name))
			return i;
	fail_msg("there is no %s", name);
	return 0;
}

/* Of calls that end from now on each is told while its thread is stopped at its end. */
static void see_ends_of(struct session *session, unsigned function)
{
	session_must_halt(session);
	session_watch(session, 0, function, &(struct session_watch){.ends = true});
	while (session_must_next(session).kind != SESSION_PAUSE)
		;
	session_continue(session);
}

/* The thread whose call of inner() has just ended by a stop is within one of work(). */
static void open_calls_are_those_that_threads_are_in(void **state)
{
	char *const arguments[] = {"busy", "4", NULL};
	struct session_open_call *calls;
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct arena *arena = arena_create();
	int i;

	program_start(state, "busy-gcc-O0", arguments, &program);
	program_await_threads(&program, 4);
	catalogue = program_catalogue(&program, NULL);
	session = session_of(catalogue, program.pid);
	see_ends_of(session, function_of(catalogue, "inner"));
	for (i = 0; i < 20; i++) {
		struct session_event event;
		size_t seen = 0;
		size_t n;

		do
			event = session_must_next(session);
		while (event.kind != SESSION_CALL || !event.call.parent ||
		       event.call.function != function_of(catalogue, "inner"));
		session_must_halt(session);
		n = session_open_calls(session, arena, &calls);
		while (n--) {
			seen += calls[n].id == event.call.parent &&
				calls[n].thread == event.call.thread &&
				calls[n].function == function_of(catalogue, "work");
			assert_int_equal(calls[n].process, program.pid);
			assert_true(calls[n].at_least_ns >= 0);
			assert_true(calls[n].at_least_ns == calls[n].at_most_ns);
			assert_false(calls[n].is_adopted);
		}
		assert_int_equal(seen, 1);
		while (session_must_next(session).kind != SESSION_PAUSE)
			/*
			 * calls that ended meanwhile: once their threads go on they may be in
			 * others
			 */
			;
		session_continue(session);
	}
	session_leave_well(session);
	arena_destroy(arena);
	assert_int_equal(program_finish(&program, "right"), 4);
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
	struct mapped_modules modules;
	struct arena *arena = arena_create();
	uint64_t entry;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2-fixed", arguments, &program);
	program_await_threads(&program, 8);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	function = only_function(catalogue);
	entry = function->entry_addr;
	session = session_of(catalogue, program.pid);
	mapped_modules_read(program.pid, arena, &modules);
	for (i = 0; i < 50; i++) {
		uint8_t byte, own;
		struct memory_read read = {.address = entry, .to = &byte, .size = 1};
		FILE *memory;
		char path[64];
		size_t j;

		session_take_calls(session, 3);
		session_must_halt(session);
		assert_true(session_snapshot(session, program.pid, &snapshot, &err));
		assert_int_equal(snapshot->n_threads, 8);
		for (j = 0; j < snapshot->n_threads; j++) {
			const struct stopped_thread *thread = &snapshot->threads[j];
			const struct mapped_module *module =
				mapped_modules_find(&modules, thread->raw.rip);

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
		assert_true(own == 0xcc || own == 0xe9);
		assert_int_not_equal(byte, own);
		snapshot_destroy(snapshot);
		session_continue(session);
	}
	session_leave_well(session);
	mapped_modules_deinit(&modules);
	arena_destroy(arena);
	assert_int_equal(program_finish(&program, "right"), 8);
	catalogue_destroy(catalogue);
}

struct frame {
	uint64_t cfa, return_address;
};

/* As the program says it. */
static struct frame read_frame(struct program *program, const char *name)
{
	char line[128], said[64];
	struct frame frame;

	assert_non_null(fgets(line, sizeof(line), program->output));
	assert_int_equal(sscanf(line, "%63s %lx %lx", said, &frame.cfa, &frame.return_address), 3);
	assert_string_equal(said, name);
	return frame;
}

static struct session_event next_call(struct session *session)
{
	struct session_event event;
	struct err err;

	do
		assert_true(session_next(session, &event, &err));
	while (event.kind == SESSION_PAUSE);
	return event;
}

struct adopter {
	struct program program;
	struct catalogue *catalogue;
	struct session *session;
	struct frame held, outer;
};

static void adopter_start(void **state, struct adopter *ret)
{
	char *const arguments[] = {"halted", "calls", NULL};

	program_start(state, "halted-gcc-O0", arguments, &ret->program);
	ret->catalogue = program_catalogue(&ret->program, NULL);
	ret->outer = read_frame(&ret->program, "outer");
	ret->held = read_frame(&ret->program, "held");
	ret->session = session_of(ret->catalogue, ret->program.pid);
	session_must_halt(ret->session);
}

static bool adopt(struct adopter *adopter, const char *name, struct frame frame, double n)
{
	const unsigned function = function_of(adopter->catalogue, name);
	struct value *features =
		calloc(adopter->catalogue->functions[function].n_features + 1, sizeof(*features));
	const struct session_adoption adoption = {.thread = adopter->program.pid,
						  .function = function,
						  .cfa = frame.cfa,
						  .return_address = frame.return_address,
						  .features = features,
						  .at_most_ns = INT64_MAX};
	bool adopted;

	features[0].number = n;
	adopted = session_adopt(adopter->session, &adoption);
	free(features);
	return adopted;
}

static void assert_call(const struct adopter *adopter, const struct session_event *event,
			const char *name, double n, bool is_adopted)
{
	assert_int_equal(event->kind, SESSION_CALL);
	assert_string_equal(adopter->catalogue->functions[event->call.function].name, name);
	assert_true(event->call.features[0].number == n);
	assert_int_equal(event->call.is_adopted, is_adopted);
	assert_int_equal(event->call.metrics[METRIC_TIME].absence, PRESENT);
}

static void go_on(struct adopter *adopter)
{
	session_continue(adopter->session);
	kill(adopter->program.pid, SIGUSR1);
}

/*
 * What was open at the attach: a call that returns, then the next ones, which are ordinary. One is
 * left by a jump, and one ends with its thread.
 */
static void calls_that_were_open_before_end_when_they_return(void **state)
{
	struct session_open_call *calls;
	struct arena *arena = arena_create();
	struct session_event event;
	struct adopter adopter;
	int status;

	adopter_start(state, &adopter);
	assert_true(adopt(&adopter, "outer", adopter.outer, 3));
	assert_true(adopt(&adopter, "held", adopter.held, 4));
	assert_false(adopt(&adopter, "held", adopter.held, 4));
	assert_int_equal(session_open_calls(adopter.session, arena, &calls), 2);
	assert_true(calls[0].is_adopted);
	assert_true(calls[0].cfa == adopter.held.cfa);
	assert_true(calls[0].features[0].number == 4);
	assert_true(calls[0].at_most_ns == INT64_MAX);
	go_on(&adopter);
	event = next_call(adopter.session);
	assert_call(&adopter, &event, "held", 4, true);
	assert_int_equal(event.call.parent, calls[1].id);
	event = next_call(adopter.session);
	assert_call(&adopter, &event, "outer", 3, true);
	session_destroy(adopter.session);
	kill(adopter.program.pid, SIGKILL);
	waitpid(adopter.program.pid, &status, 0);
	fclose(adopter.program.output);
	arena_destroy(arena);
	catalogue_destroy(adopter.catalogue);
}

/* An exception or the like: what was in the frame is gone, and who waits is told so. */
static void a_call_that_was_open_before_can_be_left_by_a_jump(void **state)
{
	struct session_event event;
	struct adopter adopter;
	struct err err;
	int status;

	adopter_start(state, &adopter);
	session_destroy(adopter.session);
	kill(adopter.program.pid, SIGUSR1);
	adopter.outer = read_frame(&adopter.program, "outer");
	adopter.held = read_frame(&adopter.program, "held");
	adopter.session = session_of(adopter.catalogue, adopter.program.pid);
	session_must_halt(adopter.session);
	assert_true(adopt(&adopter, "outer", adopter.outer, 2000));
	assert_true(adopt(&adopter, "held", adopter.held, 2001));
	go_on(&adopter);
	do
		assert_true(session_next(adopter.session, &event, &err));
	while (event.kind != SESSION_NOTE);
	assert_non_null(strstr(event.note, "without a return that was seen"));
	session_destroy(adopter.session);
	kill(adopter.program.pid, SIGKILL);
	waitpid(adopter.program.pid, &status, 0);
	fclose(adopter.program.output);
	catalogue_destroy(adopter.catalogue);
}

static bool take_snapshot(void *self, pid_t pid, struct snapshot **ret, struct err *err)
{
	return session_snapshot(self, pid, ret, err);
}

static void assert_same_frame(const struct stack_frame *a, const struct stack_frame *b)
{
	size_t i;

	assert_int_equal(!a->function, !b->function);
	if (a->function)
		assert_string_equal(a->function, b->function);
	assert_int_equal(a->n_values, b->n_values);
	for (i = 0; i < a->n_values; i++) {
		assert_string_equal(a->values[i].expression, b->values[i].expression);
		assert_int_equal(a->values[i].value.absence, b->values[i].value.absence);
		assert_true(a->values[i].value.number == b->values[i].value.number);
	}
}

static void assert_same_stack(const struct stack *a, const struct stack *b)
{
	size_t i;

	assert_int_equal(a->n_threads, 1);
	assert_int_equal(b->n_threads, 1);
	assert_int_equal(a->threads->activity, b->threads->activity);
	assert_string_equal(a->threads->wait.call, b->threads->wait.call);
	assert_int_equal(a->threads->n_frames, b->threads->n_frames);
	/* The innermost one may be about to make its system call again. */
	for (i = 1; i < a->threads->n_frames; i++)
		assert_int_equal(a->threads->frames[i].pc, b->threads->frames[i].pc);
	for (i = 0; i < a->threads->n_frames; i++)
		assert_same_frame(&a->threads->frames[i], &b->threads->frames[i]);
}

/* Once by who only looks, once within a session that has breakpoints in all functions. */
static void the_stack_of_a_halted_process_is_as_without_a_session(void **state)
{
	const struct catalogue_request request = {
		.features = true, .max_depth = 2, .max_features = 100};
	struct stack *alone, *halted;
	struct adopter adopter;
	struct err err;
	int status;

	adopter_start(state, &adopter);
	session_destroy(adopter.session);
	assert_threads(&adopter.program, "S");
	assert_true(stack_capture_run(adopter.program.pid, &request, &alone, &err));
	adopter.session = session_of(adopter.catalogue, adopter.program.pid);
	session_must_halt(adopter.session);
	assert_true(stack_capture_run_with(
		adopter.program.pid, &request,
		&(struct stack_capture_source){take_snapshot, adopter.session}, &halted, &err));
	assert_true(alone->threads->n_frames >= 4);
	assert_same_stack(alone, halted);
	stack_destroy(alone);
	stack_destroy(halted);
	session_destroy(adopter.session);
	kill(adopter.program.pid, SIGKILL);
	waitpid(adopter.program.pid, &status, 0);
	fclose(adopter.program.output);
	catalogue_destroy(adopter.catalogue);
}

/* Who halts when he is told of a call still finds its frame. */
static void the_frame_of_a_call_that_has_just_ended_is_there(void **state)
{
	const struct catalogue_request request = {
		.features = true, .max_depth = 2, .max_features = 100};
	char *const arguments[] = {"busy", "2", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 2);
	catalogue = program_catalogue(&program, "work");
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	see_ends_of(session, 0);
	for (i = 0; i < 2; i++) {
		const struct session_event event = session_must_call(session);
		struct stack *stack;
		size_t j;

		session_must_halt(session);
		assert_true(stack_capture_run_with(
			program.pid, &request,
			&(struct stack_capture_source){take_snapshot, session}, &stack, &err));
		for (j = 0; j < stack->n_threads; j++)
			if (stack->threads[j].tid == event.call.thread)
				assert_string_equal(stack->threads[j].frames[0].function, "work");
		stack_destroy(stack);
		while (session_must_next(session).kind != SESSION_PAUSE)
			; /* those of the other thread, which goes on */
		session_continue(session);
	}
	session_leave_well(session);
	assert_int_equal(program_finish(&program, "right"), 2);
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_were_open_before_end_when_they_return),
		cmocka_unit_test(a_call_that_was_open_before_can_be_left_by_a_jump),
		cmocka_unit_test(the_stack_of_a_halted_process_is_as_without_a_session),
		cmocka_unit_test(the_frame_of_a_call_that_has_just_ended_is_there),
		cmocka_unit_test(open_calls_are_those_that_threads_are_in),
		cmocka_unit_test(a_snapshot_of_a_halted_process_shows_no_breakpoints),
	};

	return run_by_both(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
