/* Files of a process, by its root, maps and links in /proc (proc(5)). */
#include "process_files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/kernel/proc.h"

enum { LIBRARIES_MAX = 4096 };

static bool process_is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *process_files_root(struct arena *arena, pid_t pid)
{
	const char *root = arena_printf(arena, "/proc/%d/root", (int)pid);
	const char *mounts = arena_printf(arena, "/proc/%d/ns/mnt", (int)pid);

	if (access(root, X_OK) != 0 ||
	    (process_is_same_file(root, "/") && process_is_same_file(mounts, "/proc/self/ns/mnt")))
		return NULL;
	return root;
}

const char *process_files_program(struct arena *arena, pid_t pid, const char *path)
{
	const char *root = process_files_root(arena, pid);
	char target[PATH_MAX];
	const char *there;
	ssize_t n;

	if (!root || strncmp(path, "/proc/", 6) ||
	    (n = readlink(path, target, sizeof(target) - 1)) <= 0)
		return path;
	target[n] = '\0';
	there = arena_printf(arena, "%s%s", root, target);
	return process_is_same_file(there, path) ? there : path;
}

static bool is_mapped_as(const char *path, const struct mapped_file *file, bool same_device)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_ino == file->inode && (!same_device || status.st_dev == file->device);
}

/*
 * The path in our namespace, in that of the process, or the kernel's link, which also opens deleted
 * files but needs privileges. Overlays have other device numbers in maps than in stat.
 */
static const char *open_name(struct arena *arena, pid_t pid, const char *root,
			     const struct mapped_file *file)
{
	const char *there = arena_printf(arena, "%s%s", root ? root : "", file->path);
	const char *link =
		arena_printf(arena, "/proc/%d/map_files/%lx-%lx", (int)pid, file->low, file->high);

	if (is_mapped_as(file->path, file, true))
		return file->path;
	if (is_mapped_as(there, file, false))
		return there;
	return is_mapped_as(link, file, false) ? link : NULL;
}

const char *process_files_environment(struct arena *arena, pid_t pid, const char *name)
{
	const char *path = arena_printf(arena, "/proc/%d/environ", (int)pid);
	FILE *file = fopen(path, "re");
	const size_t n = strlen(name);
	const char *found = NULL;
	char *entry = NULL;
	size_t capacity = 0;

	while (file && !found && getdelim(&entry, &capacity, '\0', file) > 0)
		if (!strncmp(entry, name, n) && entry[n] == '=')
			found = arena_strdup(arena, entry + n + 1);
	free(entry);
	if (file)
		fclose(file);
	return found;
}

size_t process_files_libraries(struct arena *arena, pid_t pid, const char *const **ret)
{
	const char **paths = arena_array(arena, const char *, LIBRARIES_MAX);
	const char *root = process_files_root(arena, pid);
	struct mapped_file *files;
	size_t n_files = proc_files(pid, arena, &files);
	size_t n = 0;

	for (size_t i = 0; i < n_files && n < LIBRARIES_MAX; i++) {
		if (!files[i].code)
			continue;
		paths[n] = open_name(arena, pid, root, &files[i]);
		n += paths[n] != NULL;
	}
	*ret = paths;
	return n;
}

/* Strips /proc/PID/root; resolves other links in /proc. */
const char *process_files_file_name(struct arena *arena, const char *path)
{
	static const char gone[] = " (deleted)";
	char target[PATH_MAX];
	int n_root = 0;
	char *real;
	ssize_t n;

	sscanf(path, "/proc/%*u/root%n", &n_root);
	if (n_root && path[n_root] == '/')
		return arena_strdup(arena, path + n_root);
	if (!strncmp(path, "/proc/", 6) && (n = readlink(path, target, sizeof(target) - 1)) > 0) {
		target[n] = '\0';
		if (n > (ssize_t)strlen(gone) && !strcmp(target + n - strlen(gone), gone))
			target[n - strlen(gone)] = '\0';
		return arena_strdup(arena, target);
	}
	real = realpath(path, NULL);
	path = arena_strdup(arena, real ? real : path);
	free(real);
	return path;
}
