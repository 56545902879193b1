/*
 * The two processes of a live run: forks the explorer, posts numbers to it, notices its end.
 * explore/explore.c shows the screens, explore/live_streams.c keeps the program's output.
 */
#include "live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/arena.h"
#include "base/mem.h"
#include "explore.h"
#include "cli/signal_forward.h"
#include "cli/interrupt.h"
#include "live_board.h"
#include "live_streams.h"
#include "cli/message.h"

enum { POST_MS = 100 };

struct live_run {
	struct arena *arena;
	const struct options *options;
	enum live_kind kind;
	const char *folder; /* of the temporary profile; NULL: there is none */
	const char *profile;
	int terminal;
	struct terminal_reset rescue;
	struct live_board *board;
	int explorer; /* a socket to the explorer */
	int life;     /* of a pipe: the explorer notices when all copies are closed */
	int far_life; /* the other ends */
	int far_explorer;
	struct live_streams streams;
	bool has_streams, has_begun;
	_Atomic(bool) was_quit;
	int64_t posted_ms;
	/* The keeper: a thread for the streams and the explorer's end. */
	pthread_t keeper;
	bool is_kept;
	int stop_fd;  /* tells the keeper to end */
	int ended_fd; /* the keeper's event: the explorer has ended */
};

/* The process that ends last removes it; doing it twice is harmless. */
static void remove_profile(const struct live_run *live)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char path[4096];

	if (!live->folder)
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", live->profile, suffixes[i]);
		unlink(path);
	}
	rmdir(live->folder);
}

static bool place_profile(struct live_run *live, struct err *err)
{
	const char *where = getenv("TMPDIR");
	char *folder;

	if (live->options->output) {
		live->profile = live->options->output;
		return true;
	}
	folder = arena_printf(live->arena, "%s/.fathom-XXXXXX", where && *where ? where : "/tmp");
	if (!mkdtemp(folder))
		return err_set_errno(err, ERR_IO, errno,
				     "cannot make a temporary profile in %s; set TMPDIR, or give "
				     "-o",
				     folder);
	live->folder = folder;
	live->profile = arena_printf(live->arena, "%s/samples.fathom", folder);
	return true;
}

static bool open_terminal(struct live_run *live, struct err *err)
{
	live->terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (live->terminal < 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "there is no terminal for --explore; fathom explore shows a profile "
			       "of -o later");
	return terminal_reset_prepare(live->terminal, &live->rescue, err);
}

static bool open_channels(struct live_run *live, struct err *err)
{
	int sockets[2], lives[2];

	live->board = mmap(NULL, sizeof(*live->board), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (live->board == MAP_FAILED) {
		live->board = NULL;
		return err_set_errno(err, ERR_IO, errno, "cannot share memory");
	}
	live->board->overhead = NAN;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make a socket");
	live->explorer = sockets[0];
	live->far_explorer = sockets[1];
	if (pipe2(lives, O_CLOEXEC) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make a pipe");
	live->far_life = lives[0];
	live->life = lives[1];
	return true;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Until it shows something, the explorer ends with the measuring process, not by signals. */
static void disregard_signals(void)
{
	static const int disregarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};

	for (size_t i = 0; i < sizeof(disregarded) / sizeof(disregarded[0]); i++)
		signal(disregarded[i], SIG_IGN);
}

static bool wait_for_begin(const struct live_run *live)
{
	struct pollfd fds[] = {{.fd = live->far_explorer, .events = POLLIN},
			       {.fd = live->far_life, .events = POLLIN}};
	char byte;

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !fds[1].revents && read(live->far_explorer, &byte, 1) == 1;
}

static void live_show(const struct live_run *live)
{
	const struct explorer_source source = {
		.path = live->profile, .options = live->options, .is_growing = true};
	const struct explore_feed feed = {.board = live->board,
					  .fds = {live->far_explorer, live->far_life}};
	const struct exploration exploration = {.rescue = &live->rescue,
						.colors = explore_colors(live->options),
						.source = &source,
						.feed = &feed};
	enum explore_ending ending = EXPLORE_LEFT;
	struct err err;
	int number;

	live->board->explorer = getpid();
	live->board->is_taken = true;
	if (!explore(&exploration, &ending, &number, &err)) {
		snprintf(live->board->why, sizeof(live->board->why), "%s", err.text);
		live->board->has_failed = true;
	}
	if (ending == EXPLORE_SIGNALLED && (number == SIGTERM || number == SIGHUP))
		live->board->ended_by = number;
	live->board->is_taken = false;
}

enum { PARTING_MS = 20, PARTINGS = 250 };

/*
 * Were the measuring processes killed? Their ends of both channels then close, in any order. If
 * only one closes, a process lives that cleans up.
 */
static bool is_alone(const struct live_run *live)
{
	struct pollfd fds[] = {{.fd = live->far_explorer, .events = POLLIN},
			       {.fd = live->far_life, .events = POLLIN}};

	for (unsigned i = 0; i < PARTINGS && !live->board->is_dismissed; i++) {
		if (poll(fds, 2, 0) == 2)
			return true;
		if (!fds[0].revents && !fds[1].revents)
			return false;
		poll(NULL, 0, PARTING_MS);
	}
	return false;
}

/* The explorer process. If the measuring ones were killed, it removes what they leave. */
static void live_run_explorer(struct live_run *live)
{
	close_fd(&live->explorer);
	close_fd(&live->life);
	prctl(PR_SET_NAME, "explorer");
	disregard_signals();
	if (wait_for_begin(live))
		live_show(live);
	if (is_alone(live))
		remove_profile(live);
	_exit(0);
}

/* Fork twice: the tracer waits for all its children, so the explorer must be none. */
static bool fork_explorer(struct live_run *live, struct err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot fork");
	if (pid == 0) {
		pid = fork();
		if (pid == 0)
			live_run_explorer(live);
		_exit(pid < 0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	close_fd(&live->far_explorer);
	close_fd(&live->far_life);
	return true;
}

bool live_run_start(const struct options *options, enum live_kind kind, struct live_run **ret,
		    struct err *err)
{
	struct live_run *live = mem_alloc(sizeof(*live));

	*live = (struct live_run){.arena = arena_create(),
				  .options = options,
				  .kind = kind,
				  .terminal = -1,
				  .explorer = -1,
				  .life = -1,
				  .far_life = -1,
				  .far_explorer = -1,
				  .stop_fd = -1,
				  .ended_fd = -1};
	if (!open_terminal(live, err) || !open_channels(live, err) || !place_profile(live, err) ||
	    !fork_explorer(live, err)) {
		live_run_destroy(live);
		return false;
	}
	*ret = live;
	return true;
}

void live_run_follow(struct live_run *live)
{
	close_fd(&live->life);
}

const char *live_run_profile(const struct live_run *live)
{
	return live->profile;
}

bool live_run_take_streams(struct live_run *live, struct err *err)
{
	live->has_streams = true;
	return live_streams_take(&live->streams, live->terminal, err);
}

/* The explorer has ended: restore the terminal and act on the reason. */
static void live_take_over(struct live_run *live)
{
	const bool is_early = live->board->phase < LIVE_ENDED;
	const bool was_killed = live->board->is_taken;

	if (was_killed)
		terminal_reset_apply(&live->rescue);
	live->board->is_taken = false;
	if (live->has_streams)
		live_streams_pass(&live->streams);
	if (live->board->has_failed)
		message_note("the explorer has failed: %s", live->board->why);
	if (!is_early || !live->has_begun || live->board->is_dismissed)
		return;
	if (live->board->ended_by && live->kind == LIVE_RUN) {
		signal_forward_echo(live->board->ended_by);
		return;
	}
	live->was_quit = live->kind == LIVE_ATTACH && !was_killed && !live->board->ended_by;
	if (live->kind == LIVE_ATTACH)
		kill(getpid(), SIGINT);
	else if (!live->options->quiet)
		message_note("the explorer %s; the program is measured to its end (Ctrl-C ends the "
			     "measurement)",
			     was_killed ? "was killed" : "has ended");
}

enum { KEPT_MASTER, KEPT_EXPLORER, KEPT_STOP, N_KEPT };

static void *keeper_run(void *self)
{
	struct live_run *live = self;
	struct pollfd fds[N_KEPT] = {
		[KEPT_MASTER] = {.fd = live->has_streams ? live->streams.master : -1,
				 .events = POLLIN},
		[KEPT_EXPLORER] = {.fd = live->explorer, .events = POLLIN},
		[KEPT_STOP] = {.fd = live->stop_fd, .events = POLLIN},
	};

	while (poll(fds, N_KEPT, -1) >= 0 || errno == EINTR) {
		if (fds[KEPT_MASTER].revents && !live_streams_pump(&live->streams))
			fds[KEPT_MASTER].fd = -1;
		if (fds[KEPT_EXPLORER].revents) {
			fds[KEPT_EXPLORER].fd = -1;
			live_take_over(live);
			eventfd_write(live->ended_fd, 1);
		}
		if (fds[KEPT_STOP].revents)
			break;
	}
	return NULL;
}

static bool start_keeper(struct live_run *live)
{
	sigset_t all, before;

	live->stop_fd = eventfd(0, EFD_CLOEXEC);
	live->ended_fd = eventfd(0, EFD_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	live->is_kept = live->stop_fd >= 0 && live->ended_fd >= 0 &&
			pthread_create(&live->keeper, NULL, keeper_run, live) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return live->is_kept;
}

/* Without a keeper there is no explorer. */
void live_run_begin(struct live_run *live)
{
	live->board->began_ms = clock_now_ms();
	live->board->phase = LIVE_MEASURING;
	live->has_begun = true;
	if (!start_keeper(live) || send(live->explorer, "", 1, MSG_NOSIGNAL) != 1)
		live_run_stop(live);
}

bool live_run_is_due(struct live_run *live)
{
	const int64_t now = clock_now_ms();

	if (now - live->posted_ms < POST_MS)
		return false;
	live->posted_ms = now;
	return true;
}

void live_run_post(struct live_run *live, const struct live_numbers *numbers)
{
	live->board->seen = numbers->seen;
	live->board->kept = numbers->kept;
	live->board->overhead = numbers->overhead;
}

void live_run_end(struct live_run *live)
{
	if (live->board->phase >= LIVE_ENDED)
		return;
	live->board->ended_ms = clock_now_ms();
	live->board->phase = LIVE_ENDED;
}

/* The explorer ends when its socket hangs up. */
static void hang_up(const struct live_run *live)
{
	live->board->is_dismissed = true;
	shutdown(live->explorer, SHUT_WR);
}

/* The signal is for one that writes to a terminal that nobody reads. */
void live_run_dismiss(struct live_run *live)
{
	hang_up(live);
	if (live->board->is_taken)
		kill(live->board->explorer, SIGTERM);
}

bool live_run_was_quit(const struct live_run *live)
{
	return live->was_quit;
}

static void wait_for_explorer(const struct live_run *live)
{
	const unsigned interrupts = interrupt_count();
	struct pollfd fd = {.fd = live->ended_fd, .events = POLLIN};

	while (poll(&fd, 1, -1) <= 0)
		if (interrupt_count() != interrupts)
			hang_up(live);
}

static void stop_keeper(struct live_run *live)
{
	if (!live->is_kept)
		return;
	eventfd_write(live->stop_fd, 1);
	pthread_join(live->keeper, NULL);
	live->is_kept = false;
}

void live_run_finish(struct live_run *live)
{
	live_run_end(live);
	live->board->phase = LIVE_STORED;
	if (live->is_kept)
		wait_for_explorer(live);
	live_run_stop(live);
}

/* No keeper was started: wait here. */
static void wait_alone(struct live_run *live)
{
	char byte;

	while (read(live->explorer, &byte, 1) < 0 && errno == EINTR)
		;
	live_take_over(live);
}

void live_run_stop(struct live_run *live)
{
	if (live->explorer < 0)
		return;
	live_run_end(live);
	hang_up(live);
	if (live->is_kept)
		wait_for_explorer(live);
	else
		wait_alone(live);
	stop_keeper(live);
	if (live->has_streams)
		live_streams_give_back(&live->streams);
	close_fd(&live->explorer);
}

void live_run_destroy(struct live_run *live)
{
	if (!live)
		return;
	close_fd(&live->far_life);
	close_fd(&live->far_explorer);
	live_run_stop(live);
	remove_profile(live);
	close_fd(&live->terminal);
	close_fd(&live->life);
	close_fd(&live->stop_fd);
	close_fd(&live->ended_fd);
	if (live->board)
		munmap(live->board, sizeof(*live->board));
	arena_destroy(live->arena);
	free(live);
}
