/* Reading maps, auxv, exe, threads and children. */
#include "proc.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"

size_t proc_regions(pid_t tid, struct region **ret)
{
	struct proc_lines maps;
	const char *line;
	size_t capacity = 0;
	size_t n = 0;

	*ret = NULL;
	proc_lines_open(&maps, tid, "maps");
	while ((line = proc_lines_next(&maps))) {
		unsigned long low, high;
		char access[5];

		if (sscanf(line, "%lx-%lx %4s", &low, &high, access) != 3)
			continue;
		*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
		(*ret)[n++] = (struct region){low, high, access[2] == 'x'};
	}
	proc_lines_close(&maps);
	return n;
}

/* Since Linux 6.11; as linux/fs.h has it (struct procmap_query, PROCMAP_QUERY). */
struct region_query {
	uint64_t size, flags, address;
	uint64_t low, high, access, page_size, offset, inode;
	uint32_t device_major, device_minor, name_size, build_id_size;
	uint64_t name, build_id;
};

enum { REGION_EXECUTABLE = 4 };
#define REGION_QUERY _IOWR('f', 17, struct region_query)

bool proc_region_at(pid_t tid, uint64_t address, struct region *ret)
{
	struct region_query query = {.size = sizeof(query), .address = address};
	char path[64];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ok = fd >= 0 && ioctl(fd, REGION_QUERY, &query) == 0;
	if (fd >= 0)
		close(fd);
	*ret = (struct region){query.low, query.high, query.access & REGION_EXECUTABLE};
	return ok;
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
	struct mapped_file *found = NULL;
	struct proc_lines maps;
	const char *line;
	size_t capacity = 0;
	size_t n = 0;

	*ret = NULL;
	proc_lines_open(&maps, tid, "maps");
	while ((line = proc_lines_next(&maps))) {
		found = mem_grow(found, &capacity, n + 1, sizeof(*found));
		n += parse_file(line, arena, &found[n]);
	}
	proc_lines_close(&maps);
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
 * The path as the process sees it; if that is another file for us (another mount namespace, or
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

struct thread_list {
	pid_t *tids;
	size_t n, capacity;
};

static void thread_list_add(void *context, pid_t tid)
{
	struct thread_list *list = context;

	list->tids = mem_grow(list->tids, &list->capacity, list->n + 1, sizeof(tid));
	list->tids[list->n++] = tid;
}

size_t proc_threads(pid_t pid, pid_t **ret)
{
	struct thread_list list = {.tids = NULL};

	proc_each_thread(pid, thread_list_add, &list);
	if (list.n)
		qsort(list.tids, list.n, sizeof(*list.tids), ascending);
	*ret = list.tids;
	return list.n;
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

/* Of the thread alone: for /proc/TID/stat the kernel adds up all threads of its process. */
int proc_open_own(pid_t tid)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
	proc_open(tid, name, O_RDONLY, &ret);
	return ret;
}

int proc_processor_by(int fd)
{
	char text[PROC_STAT];
	const ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof(text) - 1, 0);
	uint64_t number;

	text[n > 0 ? n : 0] = '\0';
	return proc_number(proc_stat_field(text, 39), 10, &number) && number <= INT_MAX
		       ? (int)number
		       : -1;
}

int proc_processor(pid_t tid)
{
	const int fd = proc_open_own(tid);
	const int ret = proc_processor_by(fd);

	if (fd >= 0)
		close(fd);
	return ret;
}

struct ring_search {
	pid_t pid;
	bool found;
};

static void look_for_ring(void *context, pid_t fd)
{
	static const char ring[] = "anon_inode:[io_uring]";
	struct ring_search *search = context;
	char path[64], name[sizeof(ring)];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", search->pid, fd);
	n = readlink(path, name, sizeof(name));
	search->found = search->found || (n == sizeof(ring) - 1 && !memcmp(name, ring, (size_t)n));
}

bool proc_has_ring(pid_t pid)
{
	struct ring_search search = {.pid = pid};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	proc_each_number(path, look_for_ring, &search);
	return search.found;
}
