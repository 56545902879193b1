/*
 * Attaching to real processes and leaving them: the programs of fixtures/trace/ say themselves whether they
 * were harmed, and their memory and threads are compared with what they were.
 */
#include "dwarf_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/session.h"

enum { ROUNDS = 200, TEXT = 65536 };

struct program {
	pid_t pid;
	FILE *output;
	char path[4096];
	char maps[TEXT];
};

static bool read_file(pid_t pid, const char *name, char *ret, size_t size)
{
	char path[64];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	n = fread(ret, 1, size - 1, file);
	ret[n] = '\0';
	fclose(file);
	return n > 0;
}

static void start(void **state, const char *name, char *const arguments[], struct program *ret)
{
	char line[64];
	int ends[2];

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->path, sizeof(ret->path), "%s", fixture(state, name));
	assert_int_equal(pipe(ends), 0);
	ret->pid = fork();
	if (ret->pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(ret->path, arguments);
		_exit(127);
	}
	close(ends[1]);
	ret->output = fdopen(ends[0], "r");
	assert_non_null(fgets(line, sizeof(line), ret->output));
	assert_string_equal(line, "ready\n");
}

/* Let the threads come up, so that their stacks are among the maps: until nothing comes for a while. */
static void settle(struct program *program)
{
	static char now[TEXT];
	int same = 0;

	read_file(program->pid, "maps", program->maps, sizeof(program->maps));
	while (same < 3) {
		usleep(50000);
		read_file(program->pid, "maps", now, sizeof(now));
		same = strcmp(now, program->maps) ? 0 : same + 1;
		memcpy(program->maps, now, sizeof(now));
	}
}

static void assert_code_is_as_in_file(const struct program *program)
{
	char copy[TEXT], path[64], name[4096], access[5];
	unsigned long low, high, offset;
	static char found[1 << 16], expected[1 << 16];
	char *line, *rest;
	FILE *memory, *file;
	size_t n;

	read_file(program->pid, "maps", copy, sizeof(copy));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)program->pid);
	memory = fopen(path, "r");
	assert_non_null(memory);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*u %4095s", &low, &high, access, &offset,
			   name) != 5 ||
		    access[2] != 'x' || strcmp(name, program->path))
			continue;
		file = fopen(name, "r");
		assert_non_null(file);
		fseek(file, offset, SEEK_SET);
		fseek(memory, low, SEEK_SET);
		assert_true(high - low <= sizeof(found));
		n = fread(expected, 1, high - low, file);
		assert_int_equal(fread(found, 1, n, memory), n);
		assert_memory_equal(found, expected, n);
		fclose(file);
	}
	fclose(memory);
}

/* Are the states of all threads among @states, and does nobody trace them? Else @ret is one of them. */
static bool has_threads(const struct program *program, const char *states, char ret[4096])
{
	const struct dirent *entry;
	char path[64], name[300];
	bool ok = true;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)program->pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while (ok && (entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(name, sizeof(name), "task/%s/status", entry->d_name);
		if (!read_file(program->pid, name, ret, 4096))
			continue; /* it ended meanwhile */
		ok = strstr(ret, "TracerPid:\t0\n") &&
		     strchr(states, *(strstr(ret, "State:\t") + 7));
	}
	closedir(tasks);
	return ok;
}

/* A thread that is let go takes its time to be what it was. */
static void assert_threads(const struct program *program, const char *states)
{
	char status[4096];
	int i;

	for (i = 0; i < 6000; i++) {
		if (has_threads(program, states, status))
			return;
		usleep(10000);
	}
	fail_msg("a thread is not in %s: %s", states, status);
}

static void assert_unharmed(struct program *program, const char *states)
{
	char now[TEXT];

	assert_code_is_as_in_file(program);
	assert_threads(program, states);
	read_file(program->pid, "maps", now, sizeof(now));
	assert_string_equal(now, program->maps);
}

/* Count the lines that it prints when it is asked to end; each must end with @right. */
static size_t finish(struct program *program, const char *right)
{
	char line[256];
	size_t n = 0;
	int status;

	kill(program->pid, SIGTERM);
	while (fgets(line, sizeof(line), program->output)) {
		if (!strstr(line, right))
			fail_msg("the program says: %s", line);
		n++;
	}
	fclose(program->output);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	assert_int_equal(status, 0);
	return n;
}

static struct session *attach(const struct catalogue *catalogue, pid_t pid)
{
	const struct session_options options = {.follow_fork = false};
	struct session *session;
	struct err err;

	if (!session_attach(catalogue, pid, &options, &session, &err))
		fail_msg("%s", err.text);
	return session;
}

/* Take calls until there were @n, then leave. Values are those that the program works on. */
static void measure(struct session *session, unsigned n)
{
	struct session_event event;
	struct err err;

	while (n) {
		assert_true(session_next(session, &event, &err));
		if (event.kind == SESSION_NOTE)
			fail_msg("%s", event.note);
		if (event.kind != SESSION_CALL)
			fail_msg("event %d, ending %d %d", event.kind, event.ending.how,
				 event.ending.number);
		assert_int_equal(event.call.features[0].absence, PRESENT);
		assert_true(event.call.features[0].number >= 0 &&
			    event.call.features[0].number <= 1010);
		n--;
	}
	session_detach(session);
	do
		assert_true(session_next(session, &event, &err));
	while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_DETACHED);
}

static void busy_threads_are_measured_and_left_again_and_again(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	start(state, "busy-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	for (i = 0; i < ROUNDS; i++) {
		struct session *session = attach(catalogue, program.pid);

		measure(session, i % 17);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(finish(&program, "worked right"), 8);
	catalogue_destroy(catalogue);
}

static void a_session_that_is_destroyed_leaves_too(void **state)
{
	char *const arguments[] = {"busy", "3", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;

	start(state, "busy-gcc-O0", arguments, &program);
	assert_true(build(program.path, "inner", &catalogue, &err));
	settle(&program);
	session_destroy(attach(catalogue, program.pid));
	assert_unharmed(&program, "RSD");
	assert_int_equal(finish(&program, "worked right"), 3);
	catalogue_destroy(catalogue);
}

static void threads_that_wait_go_on_waiting(void **state)
{
	char *const arguments[] = {"waits", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	start(state, "waits-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	for (i = 0; i < 20; i++) {
		struct session *session = attach(catalogue, program.pid);

		measure(session, 3);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(finish(&program, " 0\n"), 8);
	catalogue_destroy(catalogue);
}

/* The stop itself disturbs some calls, as signal(7) says. */
static void a_stopped_process_stays_stopped(void **state)
{
	char *const arguments[] = {"waits", "stopped", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int status;

	start(state, "waits-gcc-O2", arguments, &program);
	assert_int_equal(waitpid(program.pid, &status, WUNTRACED), program.pid);
	assert_true(WIFSTOPPED(status));
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	session = attach(catalogue, program.pid);
	measure(session, 0);
	session_destroy(session);
	assert_unharmed(&program, "T");

	session = attach(catalogue, program.pid);
	kill(program.pid, SIGCONT);
	measure(session, 10);
	session_destroy(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(finish(&program, ""), 8);
	catalogue_destroy(catalogue);
}

/* The kernel looks away for root alone. */
static void a_process_that_may_make_no_system_calls_is_measured(void **state)
{
	char *const arguments[] = {"strict", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	if (geteuid() != 0)
		skip();
	start(state, "strict-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	for (i = 0; i < 5; i++) {
		struct session *session = attach(catalogue, program.pid);

		measure(session, 10);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(finish(&program, "right"), 1);
	catalogue_destroy(catalogue);
}

/* Its maps change with its threads. */
static void threads_and_children_that_come_and_go_are_not_harmed(void **state)
{
	char *const arguments[] = {"churn", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	start(state, "churn-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	for (i = 0; i < 40; i++) {
		struct session *session = attach(catalogue, program.pid);

		measure(session, i % 23);
		session_destroy(session);
		assert_code_is_as_in_file(&program);
		assert_threads(&program, "RSDZX");
	}
	assert_int_equal(finish(&program, "right"), 3);
	catalogue_destroy(catalogue);
}

static void a_process_that_ends_ends_the_session(void **state)
{
	char *const arguments[] = {"busy", "4", NULL};
	struct session_event event;
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;

	start(state, "busy-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	settle(&program);
	session = attach(catalogue, program.pid);
	kill(program.pid, SIGTERM);
	do
		assert_true(session_next(session, &event, &err));
	while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	session_detach(session);
	session_destroy(session);
	catalogue_destroy(catalogue);
	fclose(program.output);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_threads_are_measured_and_left_again_and_again),
		cmocka_unit_test(a_session_that_is_destroyed_leaves_too),
		cmocka_unit_test(threads_that_wait_go_on_waiting),
		cmocka_unit_test(a_stopped_process_stays_stopped),
		cmocka_unit_test(a_process_that_may_make_no_system_calls_is_measured),
		cmocka_unit_test(threads_and_children_that_come_and_go_are_not_harmed),
		cmocka_unit_test(a_process_that_ends_ends_the_session),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
