/*
 * A pseudo-terminal in place of the terminal: programs buffer and format differently for a pipe.
 * explore/live_run.c calls the pump.
 */
#include "live_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"

enum { LAST_WORDS_MS = 200, BLOCK = 4096 };

static bool is_terminal(int fd, int terminal)
{
	unsigned a, b;

	return ioctl(fd, TIOCGDEV, &a) == 0 && ioctl(terminal, TIOCGDEV, &b) == 0 && a == b;
}

/* Pass bytes unchanged: the real terminal processes them later. */
static void make_plain(int slave, int terminal)
{
	struct termios modes;
	struct winsize size;

	if (tcgetattr(slave, &modes) == 0) {
		modes.c_oflag &= ~OPOST;
		modes.c_lflag &= ~(ECHO | ICANON | ISIG);
		tcsetattr(slave, TCSANOW, &modes);
	}
	if (ioctl(terminal, TIOCGWINSZ, &size) == 0)
		ioctl(slave, TIOCSWINSZ, &size);
}

static bool open_pair(struct live_streams *streams, int *ret_slave)
{
	char name[64];

	streams->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (streams->master < 0 || grantpt(streams->master) != 0 ||
	    unlockpt(streams->master) != 0 || ptsname_r(streams->master, name, sizeof(name)) != 0)
		return false;
	*ret_slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_slave < 0)
		return false;
	make_plain(*ret_slave, streams->terminal);
	return true;
}

static void replace(struct live_streams *streams, int fd, int by)
{
	int before = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (before < 0)
		return;
	streams->before[fd] = before;
	dup2(by, fd);
}

static bool take_output(struct live_streams *streams, struct err *err)
{
	const bool out = is_terminal(STDOUT_FILENO, streams->terminal);
	const bool errors = is_terminal(STDERR_FILENO, streams->terminal);
	int slave;

	if (!out && !errors)
		return true;
	if (!open_pair(streams, &slave))
		return err_set_errno(err, ERR_IO, errno,
				     "cannot make a terminal for what the program writes; send "
				     "standard output and error to files");
	fflush(stdout);
	if (out)
		replace(streams, STDOUT_FILENO, slave);
	if (errors)
		replace(streams, STDERR_FILENO, slave);
	close(slave);
	return true;
}

/* The explorer alone reads the keyboard. */
static void take_input(struct live_streams *streams)
{
	int nothing;

	if (!is_terminal(STDIN_FILENO, streams->terminal))
		return;
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0)
		return;
	replace(streams, STDIN_FILENO, nothing);
	close(nothing);
}

bool live_streams_take(struct live_streams *streams, int terminal, struct err *err)
{
	*streams =
		(struct live_streams){.terminal = terminal, .master = -1, .before = {-1, -1, -1}};
	streams->kept = mem_alloc(STREAMS_KEPT);
	take_input(streams);
	return take_output(streams, err);
}

/* Errors are ignored: the terminal is gone. */
static void stream_write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		bytes += done;
		n -= done;
	}
}

static void stream_keep(struct live_streams *streams, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		streams->kept[streams->n++ % STREAMS_KEPT] = bytes[i];
}

bool live_streams_pump(struct live_streams *streams)
{
	char bytes[BLOCK];
	ssize_t n;

	if (streams->master < 0)
		return false;
	n = read(streams->master, bytes, sizeof(bytes));
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (streams->passes)
		stream_write_all(streams->terminal, bytes, n);
	else
		stream_keep(streams, bytes, n);
	return n > 0;
}

void live_streams_pass(struct live_streams *streams)
{
	const size_t at = streams->n % STREAMS_KEPT;
	static const char cut[] = "[...]\n";

	if (streams->passes)
		return;
	streams->passes = true;
	if (streams->n > STREAMS_KEPT) {
		stream_write_all(streams->terminal, cut, sizeof(cut) - 1);
		stream_write_all(streams->terminal, streams->kept + at, STREAMS_KEPT - at);
	}
	stream_write_all(streams->terminal, streams->kept, at);
}

/* Read output until no writer is left, or none writes for LAST_WORDS_MS. */
static void take_last_words(struct live_streams *streams)
{
	struct pollfd fd = {.fd = streams->master, .events = POLLIN};

	while (poll(&fd, 1, LAST_WORDS_MS) > 0 && live_streams_pump(streams))
		;
}

void live_streams_give_back(struct live_streams *streams)
{
	int fd;

	if (!streams->kept)
		return;
	fflush(stdout);
	for (fd = 0; fd < 3; fd++)
		if (streams->before[fd] >= 0) {
			dup2(streams->before[fd], fd);
			close(streams->before[fd]);
			streams->before[fd] = -1;
		}
	if (streams->master >= 0)
		take_last_words(streams);
	live_streams_pass(streams);
	free(streams->kept);
	streams->kept = NULL;
}
