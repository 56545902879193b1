/* Forks a measuring process for each; looks for names in /proc. */
#include "watch_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "trace/kernel/proc_file.h"

enum { STAT_START = 22, COMM_MAX = 15 };

static bool find_start(pid_t pid, uint64_t *ret)
{
	char text[PROC_STAT];

	return proc_read(pid, "stat", text, sizeof(text)) && !proc_is_dead(pid) &&
	       proc_number(proc_stat_field(text, STAT_START), 10, ret);
}

static bool is_among(const struct watched_process *list, size_t n, pid_t pid, uint64_t start)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].pid == pid && list[i].start == start)
			return true;
	return false;
}

/* In the child: ends with the parent; only errors are told. */
static _Noreturn void measure_child(const struct watch_processes *processes, pid_t pid,
				    pid_t parent)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	interrupt_stop();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_UNUSABLE);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
	}
	exit(processes->measure(processes->context, pid));
}

static bool watch_one(struct watch_processes *processes, pid_t pid, uint64_t start, struct err *err)
{
	const pid_t parent = getpid();
	pid_t child;

	if (processes->n == WATCH_PROCESSES_MAX)
		return err_set(err, ERR_USAGE, "at most %d processes are watched at once",
			       WATCH_PROCESSES_MAX);
	child = fork();
	if (child < 0)
		return err_set_errno(err, ERR_IO, errno, "no process to measure %d", (int)pid);
	if (child == 0)
		measure_child(processes, pid, parent);
	processes->list[processes->n++] = (struct watched_process){pid, start, child};
	return true;
}

bool watch_processes_add(struct watch_processes *processes, pid_t pid, struct err *err)
{
	uint64_t start;

	if (!find_start(pid, &start))
		return err_set(err, ERR_USAGE, "there is no process %d: see ps", (int)pid);
	return is_among(processes->list, processes->n, pid, start) ||
	       watch_one(processes, pid, start, err);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By the kernel's name, which is cut, the first word of the command, or the program's file. */
static bool has_name(pid_t pid, const char *name)
{
	char text[4096], link[32];
	ssize_t length;
	size_t n = proc_read(pid, "comm", text, sizeof(text));

	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	if (n && strlen(name) <= COMM_MAX && !strcmp(text, name))
		return true;
	if (proc_read(pid, "cmdline", text, sizeof(text)) && !strcmp(base_of(text), name))
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	length = readlink(link, text, sizeof(text) - 1);
	if (length < 0)
		return false;
	text[length] = '\0';
	return !strcmp(base_of(text), name);
}

/* For proc_each_number(). */
static void take_named(void *context, pid_t pid)
{
	struct watch_processes *processes = context;
	const size_t refused =
		processes->n_refused < WATCH_REFUSED_MAX ? processes->n_refused : WATCH_REFUSED_MAX;
	uint64_t start;
	struct err err;

	if (pid == getpid() || processes->n == WATCH_PROCESSES_MAX ||
	    !has_name(pid, processes->name) || !find_start(pid, &start) ||
	    is_among(processes->list, processes->n, pid, start) ||
	    is_among(processes->refused, refused, pid, start))
		return;
	if (!watch_one(processes, pid, start, &err))
		message_error("%s", err.text);
}

/* One that still lives could not be measured: once is enough. */
static void take_end(struct watch_processes *processes, size_t at, int status)
{
	const struct watched_process ended = processes->list[at];

	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_DONE)
		processes->status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_TARGET;
	processes->refused[processes->n_refused++ % WATCH_REFUSED_MAX] = ended;
	memmove(&processes->list[at], &processes->list[at + 1],
		(processes->n - at - 1) * sizeof(ended));
	processes->n--;
}

void watch_processes_tend(struct watch_processes *processes)
{
	size_t i = 0;
	int status;

	while (i < processes->n) {
		if (waitpid(processes->list[i].child, &status, WNOHANG) > 0)
			take_end(processes, i, status);
		else
			i++;
	}
	if (processes->name)
		proc_each_number("/proc", take_named, processes);
}

void watch_processes_end(struct watch_processes *processes)
{
	int status;

	for (size_t i = 0; i < processes->n; i++)
		kill(processes->list[i].child, SIGTERM);
	for (size_t i = 0; i < processes->n; i++)
		while (waitpid(processes->list[i].child, &status, 0) < 0 && errno == EINTR)
			continue;
	processes->n = 0;
}

const char *watch_processes_text(const struct watch_processes *processes, struct arena *arena)
{
	const char *ret = "";

	for (size_t i = 0; i < processes->n; i++)
		ret = arena_printf(arena, "%s%s%d:%" PRIu64, ret, i ? " " : "",
				   (int)processes->list[i].pid, processes->list[i].start);
	return ret;
}

const char *watch_processes_pids(const struct watch_processes *processes, struct arena *arena)
{
	const char *ret = "";

	for (size_t i = 0; i < processes->n; i++)
		ret = arena_printf(arena, "%s%s%d", ret, i ? " " : "", (int)processes->list[i].pid);
	return ret;
}

static bool has_process(const char *text, const char *word, size_t length)
{
	const char *at;
	size_t n;

	for (at = text; *at; at += n + strspn(at + n, " ")) {
		n = strcspn(at, " ");
		if (n == length && !memcmp(at, word, n))
			return true;
	}
	return false;
}

bool watch_processes_are_new(const char *before, const char *now)
{
	const char *at;
	size_t n;

	for (at = now; *at; at += n + strspn(at + n, " ")) {
		n = strcspn(at, " ");
		if (!has_process(before, at, n))
			return true;
	}
	return false;
}
