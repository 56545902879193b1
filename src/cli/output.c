/* Opens the report, unless that would destroy an input, a program or a profile. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign_link.h"

static bool output_is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return path && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* A program or profile of any name: overwriting it must be a mistake. */
static bool is_precious(int fd)
{
	static const char profile[] = "SQLite format 3";
	char start[sizeof(profile)] = "";
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    pread(fd, start, sizeof(start), 0) < 4)
		return false;
	return !memcmp(start, "\177ELF", 4) || !memcmp(start, profile, sizeof(profile));
}

bool output_harmless(int fd, const char *path, const char *const *inputs, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (output_is_same_file(fd, inputs[i]))
			return err_set(err, ERR_USAGE,
				       "that would overwrite %s: give another file for the results",
				       inputs[i]);
	if (is_precious(fd))
		return err_set(err, ERR_USAGE,
			       "%s is a program or a profile: give another file for the results",
			       path);
	return true;
}

/* Readable for is_precious(), if possible: a pipe or terminal may not allow it. */
static int open_report(const char *path, int create)
{
	int fd = open(path, O_RDWR | create | O_CLOEXEC | O_NOCTTY, 0666);

	return fd >= 0 ? fd : open(path, O_WRONLY | create | O_CLOEXEC | O_NOCTTY, 0666);
}

bool output_is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

/*
 * A file without a name in the folder of @final, which takes the place of the file @old (-1: there
 * is none) when it is whole. -1: there is no such file here, as on some file systems.
 */
static int open_nameless(const char *final, int old)
{
	const char *slash = strrchr(final, '/');
	char *folder = slash ? strndup(final, (size_t)(slash + 1 - final)) : strdup(".");
	const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	struct stat status;

	free(folder);
	if (fd >= 0 && old >= 0 && fstat(old, &status) == 0 &&
	    fchmod(fd, status.st_mode & 0777) != 0)
		errno = 0; /* not possible there: keep the usual mode */
	return fd;
}

/* False: it does not exist, or cannot be replaced; then it is written as it is. */
static bool output_beside(const char *path, int old, struct output *ret)
{
	char *final = old < 0 ? strdup(path) : realpath(path, NULL);
	struct stat status;
	int fd = -1;

	if (final && (old < 0 || (fstat(old, &status) == 0 && S_ISREG(status.st_mode))))
		fd = open_nameless(final, old);
	if (fd < 0) {
		free(final);
		return false;
	}
	*ret = (struct output){.file = fdopen(fd, "w"), .path = path, .final = final};
	return true;
}

bool output_open(const char *path, const char *const *inputs, size_t n_inputs, struct output *ret,
		 struct err *err)
{
	struct stat status;
	int fd;

	if (output_is_standard(path)) {
		*ret = (struct output){.file = stdout};
		return true;
	}
	if (!foreign_link_refuse(path, err))
		return false;
	fd = open_report(path, 0);
	if (fd >= 0 && !output_harmless(fd, path, inputs, n_inputs, err)) {
		close(fd);
		return false;
	}
	if ((fd >= 0 || (errno == ENOENT && lstat(path, &status) != 0)) &&
	    output_beside(path, fd, ret)) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	fd = fd >= 0 ? fd : open_report(path, O_CREAT);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	*ret = (struct output){.file = fdopen(fd, "w"), .path = path};
	return true;
}

void output_begin(struct output *output)
{
	output->begun = true;
	/* Devices and pipes cannot be truncated, and need not be. */
	if (output->path && !output->final && ftruncate(fileno(output->file), 0) != 0)
		return;
}

/* The file gets a name beside the one it replaces, then that one. */
static bool output_publish(const struct output *output)
{
	char *beside, *nameless;
	bool ok;

	if (asprintf(&beside, "%s.fathom-%d", output->final, (int)getpid()) < 0 ||
	    asprintf(&nameless, "/proc/self/fd/%d", fileno(output->file)) < 0)
		abort();
	ok = linkat(AT_FDCWD, nameless, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0;
	if (ok && rename(beside, output->final) != 0) {
		unlink(beside);
		ok = false;
	}
	free(beside);
	free(nameless);
	return ok;
}

int output_failure(FILE *file)
{
	return write(fileno(file), "\n", 1) == 1 ? EIO : errno;
}

/* Is all that was printed in @file? If not, errno says why. */
static bool output_is_written(FILE *file)
{
	if (fflush(file) == 0 && !ferror(file))
		return true;
	errno = output_failure(file);
	return false;
}

bool output_close(struct output *output, struct err *err)
{
	FILE *file = output->file;
	bool ok;

	if (!file)
		return true;
	ok = output_is_written(file) &&
	     (!output->final || !output->begun || output_publish(output));
	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot write %s",
			      output->path ? output->path : "the results");
	if (output->path)
		fclose(file);
	free(output->final);
	*output = (struct output){.file = NULL};
	return ok;
}
