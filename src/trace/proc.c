/* Reading maps, auxv and status. */
#include "trace/proc.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAP_LINE = PATH_MAX + 128 };

bool proc_open(pid_t tid, const char *name, int flags, int *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
	*ret = open(path, flags | O_CLOEXEC);
	return *ret >= 0;
}

static FILE *open_text(pid_t tid, const char *name)
{
	int fd;

	return proc_open(tid, name, O_RDONLY, &fd) ? fdopen(fd, "re") : NULL;
}

size_t proc_regions(pid_t tid, struct region **ret)
{
	FILE *maps = open_text(tid, "maps");
	size_t capacity = 0;
	size_t n = 0;
	char line[MAP_LINE];

	*ret = NULL;
	if (!maps)
		return 0;
	while (fgets(line, sizeof(line), maps)) {
		unsigned long low, high;
		char access[5];

		if (sscanf(line, "%lx-%lx %4s", &low, &high, access) != 3)
			continue;
		*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
		(*ret)[n++] = (struct region){low, high, access[2] == 'x'};
	}
	fclose(maps);
	return n;
}

/* Address, access, offset, device, inode, name; anonymous memory has inode 0. */
static bool parse_file(const char *line, struct arena *arena, struct mapped_file *ret)
{
	unsigned long low, high, offset, inode;
	unsigned device_major, device_minor;
	char access[5];
	int name = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &low, &high, access, &offset,
		   &device_major, &device_minor, &inode, &name) != 7 ||
	    !inode || !name)
		return false;
	*ret = (struct mapped_file){.low = low,
				    .high = high,
				    .offset = offset,
				    .device = makedev(device_major, device_minor),
				    .inode = inode,
				    .code = access[2] == 'x',
				    .path = arena_strdup(arena, line + name)};
	return true;
}

size_t proc_files(pid_t tid, struct arena *arena, struct mapped_file **ret)
{
	FILE *maps = open_text(tid, "maps");
	struct mapped_file *found = NULL;
	size_t capacity = 0;
	size_t n = 0;
	char line[MAP_LINE];

	*ret = NULL;
	if (!maps)
		return 0;
	while (fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = 0;
		found = mem_grow(found, &capacity, n + 1, sizeof(*found));
		n += parse_file(line, arena, &found[n]);
	}
	fclose(maps);
	if (n)
		*ret = arena_copy(arena, found, n * sizeof(*found));
	free(found);
	return n;
}

uint64_t proc_auxiliary(pid_t tid, uint64_t type)
{
	Elf64_auxv_t auxv;
	uint64_t value = 0;
	int fd;

	if (!proc_open(tid, "auxv", O_RDONLY, &fd))
		return 0;
	while (!value && read(fd, &auxv, sizeof(auxv)) == sizeof(auxv))
		if (auxv.a_type == type)
			value = auxv.a_un.a_val;
	close(fd);
	return value;
}

/*
 * The path as the process sees it; if that is another file for us (another mount namespace, or it was
 * deleted), the kernel's own link to it.
 */
const char *proc_executable(pid_t tid, struct arena *arena)
{
	const char *link = arena_printf(arena, "/proc/%d/exe", (int)tid);
	struct stat ours, its;
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	if (n <= 0 || stat(link, &its) != 0)
		return NULL;
	path[n] = '\0';
	if (stat(path, &ours) == 0 && ours.st_dev == its.st_dev && ours.st_ino == its.st_ino)
		return arena_strdup(arena, path);
	return link;
}

static int ascending(const void *a, const void *b)
{
	const pid_t *x = a;
	const pid_t *y = b;

	return (*x > *y) - (*x < *y);
}

size_t proc_threads(pid_t pid, pid_t **ret)
{
	const struct dirent *entry;
	size_t capacity = 0;
	size_t n = 0;
	char path[64];
	DIR *tasks;

	*ret = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while ((entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
		(*ret)[n++] = atoi(entry->d_name);
	}
	closedir(tasks);
	if (n)
		qsort(*ret, n, sizeof(**ret), ascending);
	return n;
}

size_t proc_children(pid_t pid, pid_t tid, pid_t **ret)
{
	size_t capacity = 0;
	size_t n = 0;
	char path[64];
	FILE *file;
	int child;

	*ret = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1) {
		*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
		(*ret)[n++] = child;
	}
	if (file)
		fclose(file);
	return n;
}

/* The text behind @name, without the space before it. */
static bool status_field(pid_t tid, const char *name, char *ret, size_t size)
{
	FILE *status = open_text(tid, "status");
	size_t length = strlen(name);
	char line[256];
	bool found = false;

	if (!status)
		return false;
	while (!found && fgets(line, sizeof(line), status)) {
		found = !strncmp(line, name, length);
		if (found)
			snprintf(ret, size, "%s", line + length + strspn(line + length, " \t"));
	}
	fclose(status);
	return found;
}

char proc_state(pid_t tid)
{
	char text[32];

	return status_field(tid, "State:", text, sizeof(text)) ? *text : '\0';
}

long proc_status(pid_t tid, const char *name)
{
	char text[32];

	return status_field(tid, name, text, sizeof(text)) ? strtol(text, NULL, 10) : 0;
}

uint64_t proc_status_mask(pid_t tid, const char *name)
{
	char text[32];

	return status_field(tid, name, text, sizeof(text)) ? strtoull(text, NULL, 16) : 0;
}

/* Field 39 of /proc/TID/stat. */
int processor_of(pid_t tid)
{
	char path[64], text[1024];
	const char *at;
	ssize_t n;
	int field, fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')'); /* the name in front may hold anything */
	for (field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : -1;
}
