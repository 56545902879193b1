/*
 * fathom run --with: both ends of one host's connections in one command. The server has a session
 * of its own, in another process of this program; then both profiles are merged.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd.h"
#include "shell/shell_words.h"
#include "trace/kernel/proc_file.h"

/* For a server to listen, and to end. */
static const uint64_t PATIENCE_NS = 10000000000;

enum { TURN_US = 20000, OPTIONS = 16 };

struct server {
	pid_t attached;          /* 0: it is launched */
	struct line_word *words; /* [n_words] of the command, in the arena */
	size_t n_words;
	pid_t session; /* 0: ended */
	int status;
	char *folder, *profile, *client; /* in the arena */
};

static const char *metrics_text(struct arena *arena, uint64_t metrics)
{
	const char *text = "time,remote";

	for (enum metric metric = 0; metric < METRIC_MEASURED; metric++)
		if (metrics & METRIC_BIT(metric) && metric != METRIC_TIME &&
		    metric != METRIC_REMOTE)
			text = arena_printf(arena, "%s,%s", text, metric_info(metric)->keyword);
	return text;
}

static bool server_parse(const struct options *options, struct server *server, struct err *err)
{
	const char *end = proc_number(options->with, 10, &(uint64_t){0});

	if (!options->output || !options->n_functions || !options->serve)
		return err_set(err, ERR_USAGE,
			       "--with needs -f FUNCTION of what asks, --serve FUNCTION of what "
			       "answers, and -o PROFILE for both");
	if (end && !*end) {
		server->attached = (pid_t)strtol(options->with, NULL, 10);
		return true;
	}
	return shell_words_split(options->with, options->arena, &server->words, &server->n_words,
				 err) &&
	       (server->n_words ||
		err_set(err, ERR_USAGE, "--with needs a process or a command line"));
}

static bool server_start(const struct options *options, struct server *server, struct err *err)
{
	const size_t n = OPTIONS + server->n_words;
	char **words = arena_array(options->arena, char *, n);
	size_t at = 0;
	int failed;

	words[at++] = "fathom";
	words[at++] = server->attached ? "attach" : "run";
	words[at++] = "-q";
	words[at++] = "--no-models";
	words[at++] = "--max-overhead=none";
	words[at++] = "--samples=all";
	words[at++] = "-m";
	words[at++] = arena_strdup(options->arena, metrics_text(options->arena, options->metrics));
	words[at++] = "-f";
	words[at++] = arena_strdup(options->arena, options->serve);
	words[at++] = "-o";
	words[at++] = server->profile;
	if (options->follow_fork)
		words[at++] = "--follow-fork";
	words[at++] = "--";
	if (server->attached)
		words[at++] = arena_strdup(options->arena, options->with);
	for (size_t i = 0; i < server->n_words; i++)
		words[at++] = arena_strdup(options->arena, server->words[i].text);
	words[at] = NULL;
	failed = posix_spawn(&server->session, "/proc/self/exe", NULL, NULL, words, environ);
	return !failed ||
	       err_set(err, ERR_IO, "cannot start the server's session: %s", strerror(failed));
}

/* Does it accept connections? */
struct listener {
	int process;
	bool found;
};

static void look_at_descriptor(void *context, pid_t fd)
{
	struct listener *listener = context;
	const int copy = (int)syscall(SYS_pidfd_getfd, listener->process, fd, 0);
	socklen_t size = sizeof(int);
	int listens = 0;

	if (copy < 0)
		return;
	if (getsockopt(copy, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
		listener->found = true;
	close(copy);
}

/* One of @pid and its descendants. */
static bool some_listen(pid_t pid)
{
	struct listener listener = {.process = (int)syscall(SYS_pidfd_open, pid, 0)};
	char path[64], children[1024];
	const char *rest = children;
	uint64_t child;

	if (listener.process < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	proc_each_number(path, look_at_descriptor, &listener);
	close(listener.process);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (!listener.found && proc_read_path(path, children, sizeof(children)))
		while (!listener.found && (rest = proc_number(rest, 10, &child)))
			listener.found = some_listen((pid_t)child);
	return listener.found;
}

static bool server_is_ready(const struct server *server)
{
	if (!server->attached)
		return some_listen(server->session);
	return proc_status(server->attached, "TracerPid:") &&
	       !strchr("tT", proc_state(server->attached));
}

static bool server_has_ended(struct server *server)
{
	if (server->session &&
	    waitpid(server->session, &server->status, WNOHANG) == server->session)
		server->session = 0;
	return !server->session;
}

/* Waits for as long as it is worth while; is it so then? */
static bool server_await(struct server *server, bool (*is_so)(struct server *server))
{
	const uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

	while (!is_so(server) && clock_now_ns() < until_ns)
		usleep(TURN_US);
	return is_so(server);
}

static bool server_is_ready_or_ended(struct server *server)
{
	return server_has_ended(server) || server_is_ready(server);
}

static bool server_get_ready(struct server *server, struct err *err)
{
	if (!server_await(server, server_is_ready_or_ended))
		return err_set(err, ERR_TARGET,
			       "the server does not listen after 10 s: start it before, and give "
			       "--with its process");
	return server->session ||
	       err_set(err, ERR_TARGET, "the measurement of the server has ended too early");
}

/* It is asked to end, then told; a process that was there before goes on. */
static void server_stop(struct server *server)
{
	if (server->session)
		kill(server->session, server->attached ? SIGINT : SIGTERM);
	if (server->session && !server_await(server, server_has_ended)) {
		kill(server->session, SIGTERM);
		waitpid(server->session, &server->status, 0);
	}
}

static struct options client_options(const struct options *options, const struct server *server)
{
	struct options own = *options;

	own.with = NULL;
	own.output = server->client;
	own.report = NULL;
	own.no_models = true;
	own.samples = 0;
	own.max_overhead = 0;
	own.metrics |= METRIC_BIT(METRIC_TIME) | METRIC_BIT(METRIC_REMOTE);
	return own;
}

static bool both_merge(const struct options *options, struct server *server, struct err *err)
{
	struct options own = *options;
	char *profiles[] = {server->client, server->profile, NULL};

	own.arguments = profiles;
	own.n_arguments = 2;
	own.n_functions = 0;
	own.metrics = 0;
	return cmd_merge_profiles(&own, err);
}

bool cmd_run_with(const struct options *options,
		  bool (*measure)(struct options *options, struct err *err), struct err *err)
{
	const char *place = getenv("TMPDIR");
	struct server server = {.attached = 0};
	struct options client;
	bool ok;

	if (!server_parse(options, &server, err))
		return false;
	server.folder =
		arena_printf(options->arena, "%s/fathom.XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(server.folder))
		return err_set(err, ERR_IO, "cannot make %s: %s", server.folder, strerror(errno));
	server.profile = arena_printf(options->arena, "%s/server", server.folder);
	server.client = arena_printf(options->arena, "%s/client", server.folder);
	client = client_options(options, &server);
	ok = server_start(options, &server, err) && server_get_ready(&server, err) &&
	     measure(&client, err);
	server_stop(&server);
	ok = ok && both_merge(options, &server, err);
	unlink(server.profile);
	unlink(server.client);
	rmdir(server.folder);
	return ok;
}
