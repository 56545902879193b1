/* The pages of dead tracers tell where their pads are; the mapped files, what the code was. */
#include "leftovers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/target/lifeline.h"
#include "trace/target/lifeline_trap.h"

enum { CHUNK = 1 << 16, JUMP = 5, SHORT = 2, JUMP_OPCODE = 0xe9, SHORT_OPCODE = 0xeb, INT3 = 0xcc };

struct leftover {
	uint64_t address;
	size_t size;
	uint8_t original[JUMP];
};

struct leftovers {
	const struct target *target;
	pid_t tid;
	struct lifeline_trap *pages; /* owned, as is the list */
	size_t n_pages, pages_capacity;
	struct leftover *list;
	size_t n, capacity;
};

static bool read_code(const struct leftovers *left, uint64_t address, void *to, size_t size)
{
	struct memory_read read = {.address = address, .to = to, .size = size};

	left->target->ops->read(left->target->self, left->tid, &read, 1);
	return read.ok;
}

static bool is_pad(const struct leftovers *left, uint64_t address)
{
	for (size_t i = 0; i < left->n_pages; i++)
		for (size_t k = 0; k < LIFELINE_TRAP_PADS; k++)
			if (address - left->pages[i].pads[k].low < left->pages[i].pads[k].size)
				return true;
	return false;
}

static bool is_jump(const struct leftovers *left, const uint8_t bytes[JUMP], uint64_t address)
{
	int32_t displacement;

	memcpy(&displacement, bytes + 1, sizeof(displacement));
	return bytes[0] == JUMP_OPCODE &&
	       is_pad(left, address + JUMP + (uint64_t)(int64_t)displacement);
}

/* By way of a gap. */
static bool is_short_jump(const struct leftovers *left, const uint8_t bytes[SHORT],
			  uint64_t address)
{
	const uint64_t gap = address + SHORT + (uint64_t)(int64_t)(int8_t)bytes[1];
	uint8_t jump[JUMP];

	return bytes[0] == SHORT_OPCODE && read_code(left, gap, jump, JUMP) &&
	       is_jump(left, jump, gap);
}

/* What is over byte @i of @code: *@ret_size from where it begins; 0: nothing of ours. */
static size_t find_begin(const struct leftovers *left, const uint8_t *code, uint64_t address,
			 size_t i, size_t *ret_size)
{
	for (size_t at = i + 1 > JUMP ? i + 1 - JUMP : 0; at <= i; at++) {
		*ret_size = JUMP;
		if (is_jump(left, code + at, address + at))
			return at;
		*ret_size = SHORT;
		if (at + SHORT > i && is_short_jump(left, code + at, address + at))
			return at;
	}
	*ret_size = code[i] == INT3;
	return i;
}

static void leftovers_add(struct leftovers *left, uint64_t address, const uint8_t *original,
			  size_t size)
{
	struct leftover *one;

	if (left->n && left->list[left->n - 1].address == address)
		return; /* it reaches into the next chunk */
	left->list = mem_grow(left->list, &left->capacity, left->n + 1, sizeof(*left->list));
	one = &left->list[left->n++];
	*one = (struct leftover){.address = address, .size = size};
	memcpy(one->original, original, size);
}

/* @n bytes of code and of the file, with JUMP more before and behind. */
static void compare_chunk(struct leftovers *left, const uint8_t *code, const uint8_t *file,
			  uint64_t address, size_t n)
{
	for (size_t i = JUMP; i < n + JUMP; i++) {
		size_t size, begin;

		if (code[i] == file[i])
			continue;
		begin = find_begin(left, code, address - JUMP, i, &size);
		if (size)
			leftovers_add(left, address - JUMP + begin, file + begin, size);
	}
}

/* Without its file: is there nothing to restore? */
static bool is_clean(const struct leftovers *left, const uint8_t *code, uint64_t address, size_t n)
{
	for (size_t i = JUMP; i < n + JUMP; i++)
		if (is_jump(left, code + i, address - JUMP + i))
			return false;
	return true;
}

/* The file as it was mapped; -1: it is gone. */
static int open_mapped(const struct leftovers *left, const struct mapped_file *mapped)
{
	char path[4096 + 32];
	struct stat status;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)left->tid, mapped->path) >=
		    sizeof(path) ||
	    (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	if (fstat(fd, &status) == 0 && status.st_ino == mapped->inode)
		return fd;
	close(fd);
	return -1;
}

/* Code at the ends of a mapping has nothing before or behind it: zeros. */
static bool search_chunk(struct leftovers *left, const struct mapped_file *mapped, int fd,
			 uint64_t address)
{
	static const size_t ROOM = CHUNK + 2 * JUMP;
	const size_t n = mapped->high - address < CHUNK ? mapped->high - address : CHUNK;
	const size_t before = address == mapped->low ? 0 : JUMP;
	const size_t behind = address + n == mapped->high ? 0 : JUMP;
	uint8_t *code = mem_alloc(2 * ROOM);
	uint8_t *file = code + ROOM;
	bool ok = true;

	if (read_code(left, address - before, code + JUMP - before, before + n + behind)) {
		memcpy(file, code, ROOM);
		if (fd < 0)
			ok = is_clean(left, code, address, n);
		else if (pread(fd, file + JUMP - before, before + n + behind,
			       (off_t)(mapped->offset + (address - before - mapped->low))) > 0)
			compare_chunk(left, code, file, address, n);
	}
	free(code);
	return ok;
}

static bool search_file(struct leftovers *left, const struct mapped_file *mapped, struct err *err)
{
	const int fd = open_mapped(left, mapped);
	bool ok = true;

	for (uint64_t at = mapped->low; ok && at < mapped->high; at += CHUNK)
		ok = search_chunk(left, mapped, fd, at);
	if (fd >= 0)
		close(fd);
	return ok || err_set(err, ERR_TARGET,
			     "a fathom that was killed has left jumps in the code of %s, and that "
			     "file is gone, by which to take them out: restart the program",
			     mapped->path);
}

static bool is_page(const struct mapped_file *mapped)
{
	return mapped->code && mapped->high - mapped->low == LIFELINE_SIZE &&
	       mapped->high <= UINT32_MAX && !strncmp(mapped->path, "/memfd:", 7);
}

static void add_page(struct leftovers *left, const struct mapped_file *mapped)
{
	left->pages = mem_grow(left->pages, &left->pages_capacity, left->n_pages + 1,
			       sizeof(*left->pages));
	left->n_pages +=
		read_code(left, mapped->low, &left->pages[left->n_pages], sizeof(*left->pages));
}

static bool leftovers_restore(const struct leftovers *left, struct err *err)
{
	for (size_t i = 0; i < left->n; i++)
		if (!left->target->ops->write(left->target->self, left->tid, left->list[i].address,
					      left->list[i].original, left->list[i].size))
			return err_set(err, ERR_TARGET, "the code at %#lx cannot be written",
				       left->list[i].address);
	return true;
}

bool leftovers_remove(const struct target *target, pid_t tid, size_t *ret, struct err *err)
{
	struct leftovers left = {.target = target, .tid = tid};
	struct arena *arena = arena_create();
	struct mapped_file *files;
	const size_t n = target->ops->files(target->self, tid, arena, &files);
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		if (is_page(&files[i]))
			add_page(&left, &files[i]);
	for (size_t i = 0; ok && left.n_pages && i < n; i++)
		if (files[i].code && !is_page(&files[i]))
			ok = search_file(&left, &files[i], err);
	ok = ok && leftovers_restore(&left, err);
	if (ok)
		*ret = left.n;
	free(left.list);
	free(left.pages);
	arena_destroy(arena);
	return ok;
}
