/* By /proc/PID/fd, and for sockets by a copy of the descriptor, which lives for some µs. */
#include "other_end.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc_file.h"
#include "trace/kernel/stream_position.h"

struct other_end {
	pid_t process;
	int fd;
	bool is_ours;
	/* What of it comes at times of its own: of a pipe or timer it is looked up once. */
	enum pace { PACE_UNKNOWN, PACE_OWN, PACE_NONE, PACE_STREAM } pace;
	uint64_t sent; /* STREAM: when that was asked last */
};

enum {
	NAME = 64,
	/* Who holds more descriptors is not looked into: each is compared with all of ours. */
	FEEDER_FDS = 64
};

struct searching {
	char name[NAME]; /* "pipe:[1234]" */
	mode_t mode;     /* S_IRUSR, S_IWUSR: what this end is for */
	struct stream_position stream;
	bool is_stream;
	pid_t process; /* whose descriptors are looked at */
	bool found;
};

/* Its name, and what it is for. False: it is not there any more. */
static bool read_link(pid_t process, int fd, char name[NAME], mode_t *ret_mode)
{
	char path[NAME];
	struct stat status;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)process, fd);
	n = readlink(path, name, NAME - 1);
	if (n < 0 || lstat(path, &status) != 0)
		return false;
	name[n] = '\0';
	*ret_mode = status.st_mode & (S_IRUSR | S_IWUSR);
	return true;
}

static void look_at(void *context, pid_t fd)
{
	struct searching *searching = context;
	struct stream_position stream;
	char name[NAME];
	mode_t mode;

	if (searching->found || !read_link(searching->process, fd, name, &mode))
		return;
	if (searching->is_stream)
		searching->found = !strncmp(name, "socket:", 7) &&
				   stream_position_read(searching->process, fd, &stream) &&
				   stream.sending == searching->stream.receiving;
	else
		searching->found = !strcmp(name, searching->name) && mode & ~searching->mode;
}

/* Of a socket that is not of the network: the process that made the other one. */
static pid_t socket_peer(pid_t process, int fd)
{
	const int of = (int)syscall(SYS_pidfd_open, process, 0);
	const int copy = of < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, of, fd, 0);
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	int listens = 1;

	if (of >= 0)
		close(of);
	if (copy < 0)
		return 0;
	if (getsockopt(copy, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		peer.pid = 0;
	size = sizeof(listens); /* then its peer is itself */
	if (getsockopt(copy, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens)
		peer.pid = 0;
	close(copy);
	return peer.pid;
}

static bool search(pid_t process, int fd, const pid_t *ours, size_t n_ours)
{
	struct searching searching = {.found = false};
	char path[NAME];
	pid_t peer;
	size_t i;

	if (!read_link(process, fd, searching.name, &searching.mode))
		return false;
	if (!strncmp(searching.name, "socket:", 7)) {
		peer = socket_peer(process, fd);
		for (i = 0; peer > 0 && i < n_ours; i++)
			if (ours[i] == peer)
				return true;
		searching.is_stream = stream_position_read(process, fd, &searching.stream);
		if (!searching.is_stream)
			return false;
	} else if (strncmp(searching.name, "pipe:", 5) != 0) {
		return false;
	}
	for (i = 0; i < n_ours && !searching.found; i++) {
		searching.process = ours[i];
		snprintf(path, sizeof(path), "/proc/%d/fd", (int)ours[i]);
		look_at(&searching, 0);
		proc_each_number(path, look_at, &searching);
	}
	return searching.found;
}

static struct other_end *find_end(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
				  size_t n_ours)
{
	struct other_end *end;
	size_t i;

	for (i = 0; i < ends->n; i++)
		if (ends->known[i].process == process && ends->known[i].fd == fd)
			return &ends->known[i];
	ends->known = mem_grow(ends->known, &ends->capacity, ends->n + 1, sizeof(*ends->known));
	end = &ends->known[ends->n++];
	*end = (struct other_end){
		.process = process, .fd = fd, .is_ours = search(process, fd, ours, n_ours)};
	return end;
}

bool other_end_is_ours(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
		       size_t n_ours)
{
	return find_end(ends, process, fd, ours, n_ours)->is_ours;
}

/* Who writes to a pipe. */
struct feeders {
	const char *name;
	const pid_t *ours;
	size_t n_ours;
	pid_t process;
	int fds[FEEDER_FDS];
	size_t n_fds;
	bool writes;  /* this process */
	bool found;   /* one that does */
	bool answers; /* one of them may get something from us */
};

static void collect_fd(void *context, pid_t fd)
{
	struct feeders *feeders = context;
	char name[NAME];
	mode_t mode;

	if (!read_link(feeders->process, fd, name, &mode))
		return;
	feeders->writes |= mode & S_IWUSR && !strcmp(name, feeders->name);
	if (feeders->n_fds < FEEDER_FDS && mode & S_IRUSR)
		feeders->fds[feeders->n_fds] = fd;
	feeders->n_fds += (mode & S_IRUSR) != 0;
}

static void look_at_feeder(void *context, pid_t process)
{
	struct feeders *feeders = context;
	char path[NAME];

	for (size_t i = 0; i < feeders->n_ours; i++)
		if (feeders->ours[i] == process)
			return;
	feeders->process = process;
	feeders->n_fds = 0;
	feeders->writes = false;
	collect_fd(feeders, 0);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
	proc_each_number(path, collect_fd, feeders);
	if (!feeders->writes)
		return;
	feeders->found = true;
	feeders->answers |= feeders->n_fds > FEEDER_FDS;
	for (size_t i = 0; i < feeders->n_fds && !feeders->answers; i++)
		feeders->answers = search(process, feeders->fds[i], feeders->ours, feeders->n_ours);
}

static bool is_fed_only(const char *name, const pid_t *ours, size_t n_ours)
{
	struct feeders feeders = {.name = name, .ours = ours, .n_ours = n_ours};

	proc_each_number("/proc", look_at_feeder, &feeders);
	return feeders.found && !feeders.answers;
}

/* Again and again: a timer of one shot may be set once something is done. */
static bool is_periodic_timer(pid_t process, int fd)
{
	static const char INTERVAL[] = "it_interval: (";
	char name[NAME], text[512];
	const char *at;
	uint64_t s, ns;

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	at = proc_read(process, name, text, sizeof(text)) ? strstr(text, INTERVAL) : NULL;
	at = at ? proc_number(at + strlen(INTERVAL), 10, &s) : NULL;
	return at && *at == ',' && proc_number(at + 1, 10, &ns) && (s || ns);
}

/* What can be known once of @fd, whose name is known. */
static enum pace find_pace(pid_t process, int fd, const char *name, const pid_t *ours,
			   size_t n_ours)
{
	if (!strncmp(name, "pipe:", 5))
		return is_fed_only(name, ours, n_ours) ? PACE_OWN : PACE_NONE;
	if (!strcmp(name, "anon_inode:[timerfd]"))
		return is_periodic_timer(process, fd) ? PACE_OWN : PACE_NONE;
	return PACE_UNKNOWN;
}

bool other_end_paces(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
		     size_t n_ours)
{
	struct other_end *end = find_end(ends, process, fd, ours, n_ours);
	struct stream_position stream;
	char name[NAME];
	mode_t mode;
	bool silent;

	if (end->is_ours)
		return false;
	if (end->pace == PACE_UNKNOWN && read_link(process, fd, name, &mode))
		end->pace = find_pace(process, fd, name, ours, n_ours);
	if (end->pace == PACE_OWN || end->pace == PACE_NONE ||
	    !stream_position_read(process, fd, &stream))
		return end->pace == PACE_OWN;
	silent = end->pace == PACE_STREAM && stream.sent == end->sent;
	end->pace = PACE_STREAM;
	end->sent = stream.sent;
	return silent;
}

void other_end_forget(struct other_ends *ends)
{
	free(ends->known);
	*ends = (struct other_ends){0};
}
