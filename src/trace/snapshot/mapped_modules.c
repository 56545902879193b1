/*
 * What a process has mapped, and how to open its files from here, though deleted or in another
 * mount namespace.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc.h"
#include "trace/snapshot.h"

enum { VDSO_MAX = 1 << 16 };

struct collector {
	pid_t pid;
	struct arena *arena;
	struct mapped_module *modules;
	struct mapped_code *code;
	size_t n, capacity, n_code, code_capacity;
};

static bool is_file(const char *path, uint64_t inode)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino == inode;
}

/* Devices are not compared: maps and stat(2) disagree in some file systems. */
static const char *find_file(struct collector *collector, const struct mapped_file *file)
{
	const int pid = (int)collector->pid;
	const char *path;

	if (is_file(file->path, file->inode))
		return file->path;
	path = arena_printf(collector->arena, "/proc/%d/root%s", pid, file->path);
	if (is_file(path, file->inode))
		return path;
	path = arena_printf(collector->arena, "/proc/%d/exe", pid);
	if (is_file(path, file->inode))
		return path;
	path = arena_printf(collector->arena, "/proc/%d/map_files/%lx-%lx", pid, file->low,
			    file->high);
	return is_file(path, file->inode) ? path : NULL;
}

static size_t module_add(struct collector *collector, uint64_t low, const char *path,
			 const char *opens)
{
	collector->modules = mem_grow(collector->modules, &collector->capacity, collector->n + 1,
				      sizeof(*collector->modules));
	collector->modules[collector->n] = (struct mapped_module){low, path, opens};
	return collector->n++;
}

static void code_add(struct collector *collector, uint64_t low, uint64_t high, size_t module)
{
	collector->code = mem_grow(collector->code, &collector->code_capacity,
				   collector->n_code + 1, sizeof(*collector->code));
	collector->code[collector->n_code++] = (struct mapped_code){low, high, module};
}

/* Pieces of a file follow each other, the one with its first byte first. */
static void files_add(struct collector *collector)
{
	struct mapped_file *files;
	const size_t n = proc_files(collector->pid, collector->arena, &files);
	const struct mapped_file *first = NULL;
	size_t module = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct mapped_file *file = &files[i];

		if (file->offset == 0 || !first || file->inode != first->inode ||
		    file->device != first->device) {
			first = file;
			module = SIZE_MAX;
		}
		if (!file->code || first->low - first->offset > file->low)
			continue;
		if (module == SIZE_MAX)
			module = module_add(collector, first->low - first->offset, file->path,
					    find_file(collector, file));
		code_add(collector, file->low, file->high, module);
	}
}

/* A file with what the kernel maps. -1: unavailable. */
static int vdso_copy(pid_t pid, uint64_t low, uint64_t high)
{
	char *bytes = mem_alloc(high - low);
	const struct iovec local = {bytes, high - low}, remote = {(void *)low, high - low};
	int fd = -1;

	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)(high - low))
		fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes, high - low) != (ssize_t)(high - low)) {
		close(fd);
		fd = -1;
	}
	free(bytes);
	return fd;
}

static void vdso_add(struct collector *collector, int *ret_fd)
{
	unsigned long low, high;
	struct proc_lines maps;
	const char *line;

	proc_lines_open(&maps, collector->pid, "maps");
	while ((line = proc_lines_next(&maps))) {
		if (!strstr(line, "[vdso]") || sscanf(line, "%lx-%lx", &low, &high) != 2 ||
		    high <= low || high - low > VDSO_MAX)
			continue;
		*ret_fd = vdso_copy(collector->pid, low, high);
		if (*ret_fd >= 0)
			code_add(collector, low, high,
				 module_add(collector, low, "[vdso]",
					    arena_printf(collector->arena, "/proc/self/fd/%d",
							 *ret_fd)));
		break;
	}
	proc_lines_close(&maps);
}

void mapped_modules_read(pid_t pid, struct arena *arena, struct mapped_modules *ret)
{
	struct collector collector = {.pid = pid, .arena = arena};

	*ret = (struct mapped_modules){.vdso_fd = -1};
	files_add(&collector);
	vdso_add(&collector, &ret->vdso_fd);
	ret->list = arena_copy(arena, collector.modules, collector.n * sizeof(*ret->list));
	ret->n = collector.n;
	ret->code = arena_copy(arena, collector.code, collector.n_code * sizeof(*ret->code));
	ret->n_code = collector.n_code;
	free(collector.modules);
	free(collector.code);
}

void mapped_modules_deinit(struct mapped_modules *modules)
{
	if (modules->vdso_fd >= 0)
		close(modules->vdso_fd);
	modules->vdso_fd = -1;
}

const struct mapped_module *mapped_modules_find(const struct mapped_modules *modules,
						uint64_t address)
{
	for (size_t i = 0; i < modules->n_code; i++)
		if (address >= modules->code[i].low && address < modules->code[i].high)
			return &modules->list[modules->code[i].module];
	return NULL;
}
