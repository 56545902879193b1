/* Renames files. A lock of flock(2), which SQLite does not use, tells a profile in use. */
#include "default_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile.h"

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

/* Rename it, with what a crash left beside it, which is a part of it; NULL: remove it. */
static bool move_before(const char *name, struct err *err)
{
	static const char *const parts[] = {"-journal", "-wal", ""};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char from[sizeof(DEFAULT_PROFILE) + 8], to[sizeof(DEFAULT_PROFILE_OLD) + 8];

		snprintf(from, sizeof(from), DEFAULT_PROFILE "%s", parts[i]);
		snprintf(to, sizeof(to), "%s%s", name ? name : "", parts[i]);
		if (name)
			unlink(to);
		if ((name ? rename(from, to) : unlink(from)) != 0 && errno != ENOENT)
			return err_set_errno(err, ERR_IO, errno, "%s", from);
	}
	return true;
}

/* Has the one before no samples, as its program ended too early? */
static bool is_void(void)
{
	const char *const *functions;
	struct profile *profile;
	struct stat status;
	struct err ignored;
	bool ret;

	if (stat(DEFAULT_PROFILE, &status) == 0 && !status.st_size)
		return true;
	if (!profile_open(DEFAULT_PROFILE, &profile, &ignored))
		return false;
	ret = !profile_functions(profile, &functions);
	profile_close(profile);
	return ret;
}

bool default_profile_begin(int *ret_lock, struct err *err)
{
	bool ok;
	int fd;

	if (!lock_before(&fd, err))
		return false;
	ok = fd < 0 || move_before(is_void() ? NULL : DEFAULT_PROFILE_OLD, err);
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
