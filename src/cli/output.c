/* Opens the report, unless that would destroy an input, a program or a profile. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	size_t i;

	for (i = 0; i < n; i++)
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
static int open_report(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

	return fd >= 0 ? fd : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
}

bool output_is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

bool output_open(const char *path, const char *const *inputs, size_t n_inputs, struct output *ret,
		 struct err *err)
{
	int fd;

	if (output_is_standard(path)) {
		*ret = (struct output){stdout, NULL};
		return true;
	}
	fd = open_report(path);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	if (!output_harmless(fd, path, inputs, n_inputs, err)) {
		close(fd);
		return false;
	}
	*ret = (struct output){fdopen(fd, "w"), path};
	return true;
}

void output_begin(const struct output *output)
{
	/* Devices and pipes cannot be truncated, and need not be. */
	if (output->path && ftruncate(fileno(output->file), 0) != 0)
		return;
}

bool output_close(struct output *output, struct err *err)
{
	FILE *file = output->file;
	bool ok;

	output->file = NULL;
	if (!file)
		return true;
	ok = fflush(file) == 0 && !ferror(file);
	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot write %s",
			      output->path ? output->path : "the results");
	if (output->path)
		fclose(file);
	return ok;
}
