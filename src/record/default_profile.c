/* Renames files. A lock of flock(2), which SQLite does not use, tells a profile in use. */
#include "default_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* *@ret_fd: the one before, locked; -1: there is none. */
static bool lock_before(int *ret_fd, struct err *err)
{
	*ret_fd = open(DEFAULT_PROFILE, O_RDONLY | O_CLOEXEC);
	if (*ret_fd < 0 || flock(*ret_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	close(*ret_fd);
	return err_set(err, ERR_IO,
		       "another measurement is writing %s here: -o PROFILE names another file",
		       DEFAULT_PROFILE);
}

bool default_profile_check(struct err *err)
{
	int fd;

	if (access(".", W_OK | X_OK) != 0)
		return err_set_errno(err, ERR_IO, errno,
				     "the current folder (-o PROFILE names a file elsewhere)");
	if (!lock_before(&fd, err))
		return false;
	if (fd >= 0)
		close(fd);
	return true;
}

/* With what a crash left beside it, which is a part of it. */
static bool set_aside(struct err *err)
{
	static const char *const parts[] = {"-journal", "-wal", ""};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char from[sizeof(DEFAULT_PROFILE) + 8], to[sizeof(DEFAULT_PROFILE_OLD) + 8];

		snprintf(from, sizeof(from), DEFAULT_PROFILE "%s", parts[i]);
		snprintf(to, sizeof(to), DEFAULT_PROFILE_OLD "%s", parts[i]);
		unlink(to);
		if (rename(from, to) != 0 && errno != ENOENT)
			return err_set_errno(err, ERR_IO, errno, "%s", from);
	}
	return true;
}

bool default_profile_begin(int *ret_lock, struct err *err)
{
	bool ok;
	int fd;

	if (!lock_before(&fd, err))
		return false;
	ok = fd < 0 || set_aside(err);
	if (fd >= 0)
		close(fd);
	if (!ok)
		return false;
	fd = open(DEFAULT_PROFILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
		err_set_errno(err, ERR_IO, errno, "%s", DEFAULT_PROFILE);
		if (fd >= 0)
			close(fd);
		return false;
	}
	*ret_lock = fd;
	return true;
}
