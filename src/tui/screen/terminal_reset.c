/* Records what restores a terminal; the caller decides when to use it. */
#include "terminal_reset.h"

#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "base/terminfo_lend.h"

/* A capability of the terminal; NULL: none. */
static const char *capability(const char *name)
{
	const char *text = tigetstr(name);

	return text == (const char *)-1 ? NULL : text;
}

static void reset_add(struct terminal_reset *rescue, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (n > sizeof(rescue->bytes) - rescue->n)
		return;
	memcpy(rescue->bytes + rescue->n, text ? text : "", n);
	rescue->n += n;
}

/* Mouse off first, so that no more of its input comes; cursor last. */
static void reset_gather(struct terminal_reset *ret)
{
	static const char *const names[] = {"rmkx", "sgr0", "op", "rmcup", "cnorm"};
	size_t i;

	if (capability("kmous"))
		reset_add(ret, "\033[?1006;1000l");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		reset_add(ret, capability(names[i]));
}

static bool check_name(int fd, struct err *err)
{
	const char *name = getenv("TERM");
	int status;
	bool is_known;

	if (!name || !*name)
		return err_set(err, ERR_UNSUPPORTED,
			       "TERM is not set, which says what terminal this is: set it, for "
			       "example to xterm");
	terminfo_lend();
	is_known = setupterm(NULL, fd, &status) == OK;
	terminfo_lend_end();
	if (is_known)
		return true;
	return err_set(
		err, ERR_UNSUPPORTED,
		"the terminal '%s' is not known here, or cannot show the explorer: set TERM to one "
		"that infocmp knows",
		name);
}

bool terminal_reset_prepare(int fd, struct terminal_reset *ret, struct err *err)
{
	struct terminal_reset rescue = {.fd = fd};
	bool ok;

	if (!isatty(fd) || tcgetattr(fd, &rescue.modes) != 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "the explorer needs a terminal, as standard input and output");
	if (!check_name(fd, err))
		return false;
	ok = capability("cup") && capability("clear");
	if (ok)
		reset_gather(&rescue);
	del_curterm(cur_term);
	if (!ok)
		return err_set(err, ERR_UNSUPPORTED,
			       "the terminal '%s' cannot put characters where they belong: set "
			       "TERM to what it really is",
			       getenv("TERM"));
	*ret = rescue;
	return true;
}

/*
 * In the background, restore the modes only if they are still ours, without signals of keys: else
 * the shell has set its own.
 */
static bool are_ours(int fd)
{
	struct termios modes;

	return tcgetpgrp(fd) == getpgrp() ||
	       (tcgetattr(fd, &modes) == 0 && !(modes.c_lflag & ISIG));
}

void terminal_reset_apply(const struct terminal_reset *rescue)
{
	sigset_t stop, before;
	size_t done = 0;
	ssize_t n;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stop, &before);
	while (done < rescue->n) {
		n = write(rescue->fd, rescue->bytes + done, rescue->n - done);
		if (n <= 0)
			break;
		done += n;
	}
	if (are_ours(rescue->fd))
		tcsetattr(rescue->fd, TCSADRAIN, &rescue->modes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
