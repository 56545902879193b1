/* Starting programs, looking at them from outside, and asking them whether they were harmed. */
#include "live_program.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dwarf_fixture.h"
#include "trace/session_halt.h"

enum { DEADLINE = 6000 /* times 10 ms */ };

bool program_read(pid_t pid, const char *name, char *ret, size_t size)
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

void program_start(void **state, const char *name, char *const arguments[], struct program *ret)
{
	char line[64];
	int ends[2];

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->path, sizeof(ret->path), "%s", fixture(state, name));
	assert_int_equal(pipe(ends), 0);
	ret->pid = fork();
	if (ret->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* of a test that fails */
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

void program_await_threads(const struct program *program, unsigned n)
{
	char line[32], status[4096];
	int i;

	snprintf(line, sizeof(line), "Threads:\t%u\n", n);
	for (i = 0; i < DEADLINE; i++) {
		if (program_read(program->pid, "status", status, sizeof(status)) &&
		    strstr(status, line))
			return;
		usleep(10000);
	}
	fail_msg("there are not %u threads: %s", n, status);
}

/*
 * Let the threads come up, so that their stacks are among the maps: until nothing comes for a
 * while.
 */
void program_settle(struct program *program)
{
	static char now[PROGRAM_TEXT];
	int same = 0;

	program_read(program->pid, "maps", program->maps, sizeof(program->maps));
	while (same < 3) {
		usleep(50000);
		program_read(program->pid, "maps", now, sizeof(now));
		same = strcmp(now, program->maps) ? 0 : same + 1;
		memcpy(program->maps, now, sizeof(now));
	}
}

void assert_code_is_as_in_file(const struct program *program)
{
	char copy[PROGRAM_TEXT], path[64], executed[64], name[4096], access[5];
	unsigned long low, high, offset;
	static char found[1 << 16], expected[1 << 16];
	char *line, *rest;
	FILE *memory, *file;
	size_t n;

	program_read(program->pid, "maps", copy, sizeof(copy));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)program->pid);
	snprintf(executed, sizeof(executed), "/proc/%d/exe", (int)program->pid);
	memory = fopen(path, "r");
	assert_non_null(memory);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*u %4095s", &low, &high, access, &offset,
			   name) != 5 ||
		    access[2] != 'x' || strcmp(name, program->path))
			continue;
		file = fopen(executed, "r"); /* its path may lead to another by now */
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

void assert_no_code_is_ours(const struct program *program)
{
	char copy[PROGRAM_TEXT], access[5], name[4096];
	char *line, *rest;

	program_read(program->pid, "maps", copy, sizeof(copy));
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strstr(line, "/memfd:") ||
		    (sscanf(line, "%*s %4s %*s %*s %*u %4095s", access, name) == 1 &&
		     access[2] == 'x'))
			fail_msg("it is not the program's: %s", line);
	}
}

/*
 * Are the states of all threads among @states, and does nobody trace them? Else @ret is one of
 * them.
 */
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
		if (!program_read(program->pid, name, ret, 4096))
			continue; /* it ended meanwhile */
		ok = strstr(ret, "TracerPid:\t0\n") &&
		     strchr(states, *(strstr(ret, "State:\t") + 7));
	}
	closedir(tasks);
	return ok;
}

/* A thread that is let go takes its time to be what it was. */
void assert_threads(const struct program *program, const char *states)
{
	char status[4096];
	int i;

	for (i = 0; i < DEADLINE; i++) {
		if (has_threads(program, states, status))
			return;
		usleep(10000);
	}
	fail_msg("a thread is not in %s: %s", states, status);
}

void assert_unharmed(struct program *program, const char *states)
{
	char now[PROGRAM_TEXT];

	assert_code_is_as_in_file(program);
	assert_threads(program, states);
	program_read(program->pid, "maps", now, sizeof(now));
	assert_string_equal(now, program->maps);
}

/* Count the lines that it prints when it is asked to end; each must end with @right. */
size_t program_finish(struct program *program, const char *right)
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

enum session_probes live_probes;

int run_by_both(int argc, char **argv, struct CMUnitTest *tests, size_t n)
{
	int failed;

	live_probes = PROBES_STOPS;
	failed = run_with_fixtures(argc, argv, tests, n);
	live_probes = PROBES_PADS;
	return failed + run_with_fixtures(argc, argv, tests, n);
}

/* For who cannot be attached to: "R S D " of its threads. */
static const char *states_of(pid_t pid, char *ret, size_t size)
{
	char path[64], name[300], status[4096];
	const struct dirent *entry;
	size_t n = 0;
	DIR *tasks;

	*ret = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) && n + 2 < size) {
		snprintf(name, sizeof(name), "task/%s/status", entry->d_name);
		if (program_read(pid, name, status, sizeof(status)) && strstr(status, "State:\t"))
			n += (size_t)snprintf(ret + n, size - n, "%c ",
					      *(strstr(status, "State:\t") + 7));
	}
	if (tasks)
		closedir(tasks);
	return ret;
}

struct session *session_of(const struct catalogue *catalogue, pid_t pid)
{
	const struct session_options options = {.probes = live_probes, .every_call = true};
	struct session *session;
	char states[256];
	struct err err;

	if (!session_attach(catalogue, pid, &options, &session, &err))
		fail_msg("%s; its threads are %s", err.text,
			 states_of(pid, states, sizeof(states)));
	return session;
}

void session_must_halt(struct session *session)
{
	struct err err;

	if (!session_halt(session, &err))
		fail_msg("%s", err.text);
	assert_true(session_is_halted(session));
}

struct session_event session_must_next(struct session *session)
{
	struct session_event event;
	struct err err;

	do
		assert_true(session_next(session, &event, &err));
	while (event.kind == SESSION_LIMIT);
	if (event.kind == SESSION_NOTE)
		fail_msg("%s", event.note);
	return event;
}

struct session_event session_must_call(struct session *session)
{
	struct session_event event;

	do
		event = session_must_next(session);
	while (live_probes == PROBES_PADS && event.kind == SESSION_PAUSE);
	assert_int_equal(event.kind, SESSION_CALL);
	return event;
}

/* Calls, until there were @n. */
void session_take_calls(struct session *session, unsigned n)
{
	while (n) {
		const struct session_event event = session_must_call(session);

		assert_int_equal(event.call.features[0].absence, PRESENT);
		n--;
	}
}

void session_leave_well(struct session *session)
{
	session_detach(session);
	while (session_must_next(session).kind != SESSION_ENDED)
		;
	session_destroy(session);
}

struct catalogue *program_catalogue(const struct program *program, const char *pattern)
{
	struct catalogue *catalogue;
	struct err err;

	if (!build(program->path, pattern, &catalogue, &err))
		fail_msg("%s", err.text);
	return catalogue;
}
