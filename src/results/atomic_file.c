/* Temporary files and rename(). cli/output.c decides what may be overwritten. */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign_link.h"
#include "base/mem.h"
#include "temp_cleanup.h"
#include "cli/output.h"

enum { TRIES = 100 };

/* Resolve symbolic links, since rename() would replace them. False: a dangling link. */
static bool file_resolve(const char *path, char **ret, struct err *err)
{
	struct stat status;
	char *real;

	if (!foreign_link_refuse(path, err))
		return false;
	real = realpath(path, NULL);
	if (!real && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
		return err_set(err, ERR_IO, "cannot write %s: it is a link that leads nowhere",
			       path);
	*ret = mem_alloc(strlen(real ? real : path) + 1);
	strcpy(*ret, real ? real : path);
	free(real);
	return true;
}

static char *beside_name(const char *path, unsigned number)
{
	const char *slash = strrchr(path, '/');
	char *name = NULL;

	if (asprintf(&name, "%.*s.fathom-%d-%u", slash ? (int)(slash + 1 - path) : 0, path,
		     (int)getpid(), number) < 0)
		abort();
	return name;
}

/* With the mode of @old, or the usual one if it is NULL. */
static int create_beside_blocked(const char *path, const struct stat *old, char **ret)
{
	for (unsigned i = 0; i < TRIES; i++) {
		int fd;

		*ret = beside_name(path, i);
		fd = open(*ret, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 && old && fchmod(fd, old->st_mode & 0777) != 0)
			errno = 0; /* not possible there: keep the usual mode */
		if (fd >= 0)
			return fd;
		free(*ret);
		*ret = NULL;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

static int create_beside(const char *path, const struct stat *old, char **ret)
{
	const sigset_t before = temp_cleanup_hold();
	const int fd = create_beside_blocked(path, old, ret);
	const int number = errno;

	if (fd >= 0)
		temp_cleanup_add(*ret);
	temp_cleanup_release(&before);
	errno = number;
	return fd;
}

/* May the existing file @path be overwritten? */
static bool check_place(const char *path, const char *const *inputs, size_t n, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool ok;

	if (access(path, W_OK) != 0)
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	ok = access(path, W_OK) == 0 && (fd < 0 || output_harmless(fd, path, inputs, n, err));
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool is_regular(const struct stat *status)
{
	return S_ISREG(status->st_mode);
}

bool atomic_file_begin(const char *path, const char *const *inputs, size_t n_inputs,
		       struct atomic_file *ret, struct err *err)
{
	struct atomic_file begun = {NULL};
	struct stat status;
	bool exists;
	int fd;

	if (output_is_standard(path)) {
		*ret = (struct atomic_file){.file = stdout};
		return true;
	}
	if (!file_resolve(path, &begun.path, err))
		return false;
	exists = stat(begun.path, &status) == 0;
	if (exists && is_regular(&status) && !check_place(path, inputs, n_inputs, err)) {
		free(begun.path);
		return false;
	}
	if (exists && !is_regular(&status))
		fd = open(begun.path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = create_beside(begun.path, exists ? &status : NULL, &begun.beside);
	if (fd < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
		free(begun.path);
		return false;
	}
	begun.file = fdopen(fd, "w");
	*ret = begun;
	return true;
}

static void file_forget(struct atomic_file *replacement)
{
	if (replacement->beside)
		temp_cleanup_forget(replacement->beside);
	free(replacement->beside);
	free(replacement->path);
	*replacement = (struct atomic_file){NULL};
}

static bool close_file(struct atomic_file *replacement, struct err *err)
{
	const char *name = replacement->path ? replacement->path : "the results";
	bool ok = fflush(replacement->file) == 0 && !ferror(replacement->file);

	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot write %s", name);
	if (!replacement->path)
		return ok;
	if (fclose(replacement->file) != 0 && ok)
		ok = err_set_errno(err, ERR_IO, errno, "cannot write %s", name);
	return ok;
}

bool atomic_file_finish(struct atomic_file *replacement, struct err *err)
{
	bool ok = close_file(replacement, err);

	if (ok && replacement->beside && rename(replacement->beside, replacement->path) != 0)
		ok = err_set_errno(err, ERR_IO, errno, "cannot write %s", replacement->path);
	if (!ok && replacement->beside)
		unlink(replacement->beside);
	file_forget(replacement);
	return ok;
}

void atomic_file_drop(struct atomic_file *replacement)
{
	struct err err;

	if (replacement->path)
		close_file(replacement, &err);
	if (replacement->beside)
		unlink(replacement->beside);
	file_forget(replacement);
}

bool atomic_file_possible(const char *path, struct err *err)
{
	struct atomic_file file;
	struct stat status;

	if (output_is_standard(path) || (stat(path, &status) == 0 && !is_regular(&status)))
		return true;
	if (!atomic_file_begin(path, NULL, 0, &file, err))
		return false;
	atomic_file_drop(&file);
	return true;
}
