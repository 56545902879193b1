/*
 * Memory of the live target: process_vm_readv(2), /proc/PID/mem, and PTRACE_PEEKDATA where these
 * are refused.
 */
#include "ptrace_target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trace/kernel/proc.h"

enum { PIECES_AT_ONCE = 1024 /* IOV_MAX */ };

void ptrace_memory_forget(struct ptrace_target *live)
{
	if (live->memory_fd >= 0)
		close(live->memory_fd);
	live->memory_fd = -1;
}

void ptrace_memory_open(struct ptrace_target *live)
{
	if (live->first_fd >= 0)
		close(live->first_fd);
	if (!proc_open(live->pid, "mem", O_RDWR, &live->first_fd))
		live->first_fd = -1;
}

/*
 * The memory of an undumpable process is closed to the unprivileged, even to its tracer, except
 * through a file opened before.
 */
static int first_memory(const struct ptrace_target *live, pid_t tid)
{
	return tid == live->pid || proc_status(tid, "Tgid:") == live->pid ? live->first_fd : -1;
}

static bool read_first(const struct ptrace_target *live, pid_t tid, const struct memory_read *read)
{
	const int fd = first_memory(live, tid);

	return fd >= 0 && pread(fd, read->to, read->size, read->address) == (ssize_t)read->size;
}

/* Word by word, by ptrace, past some other protections. */
static bool peek(pid_t tid, const struct memory_read *read)
{
	size_t done;

	for (done = 0; done < read->size;) {
		uint64_t address = read->address + done;
		size_t skip = address % sizeof(long);
		size_t size = sizeof(long) - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, tid, (void *)(address - skip), NULL);
		if (errno)
			return false;
		size = size < read->size - done ? size : read->size - done;
		memcpy((char *)read->to + done, (char *)&word + skip, size);
		done += size;
	}
	return true;
}

/*
 * One call for a few reads. Returns how many were settled: those before the first failure, and it.
 */
static size_t read_some(const struct ptrace_target *live, pid_t tid, struct memory_read *reads,
			size_t n)
{
	struct iovec local[PIECES_AT_ONCE], remote[PIECES_AT_ONCE];
	ssize_t got;
	size_t i;

	if (n == 0)
		return 0;
	n = n < PIECES_AT_ONCE ? n : PIECES_AT_ONCE;
	for (i = 0; i < n; i++) {
		local[i] = (struct iovec){reads[i].to, reads[i].size};
		remote[i] = (struct iovec){(void *)reads[i].address, reads[i].size};
		reads[i].ok = false;
	}
	got = process_vm_readv(tid, local, n, remote, n, 0);
	if (got < 0 && errno == EPERM) { /* not dumpable any more */
		reads[0].ok = read_first(live, tid, &reads[0]) || peek(tid, &reads[0]);
		return 1;
	}
	for (i = 0; i < n && got >= (ssize_t)reads[i].size; i++) {
		got -= reads[i].size;
		reads[i].ok = true;
	}
	return i < n ? i + 1 : n;
}

unsigned ptrace_memory_read(void *self, pid_t tid, struct memory_read *reads, size_t n)
{
	unsigned calls = 0;

	while (n) {
		size_t settled = read_some(self, tid, reads, n);

		reads += settled;
		n -= settled;
		calls++;
	}
	return calls;
}

/* Word by word; bytes beyond the end stay as they are. */
static bool poke(pid_t tid, uint64_t address, const uint8_t *bytes, size_t size)
{
	for (; size; size -= size < 8 ? size : 8, address += 8, bytes += 8) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, tid, (void *)address, NULL);
		if (errno)
			return false;
		memcpy(&word, bytes, size < 8 ? size : 8);
		if (ptrace(PTRACE_POKEDATA, tid, (void *)address, word) != 0)
			return false;
	}
	return true;
}

/* Writes mostly go to one process, so its file stays open; an exec makes it stale. */
static ssize_t write_memory(struct ptrace_target *live, pid_t tid, uint64_t address,
			    const void *bytes, size_t size)
{
	if (live->memory_fd < 0 || live->memory_tid != tid) {
		ptrace_memory_forget(live);
		if (!proc_open(tid, "mem", O_WRONLY, &live->memory_fd)) {
			live->memory_fd = -1;
			return -1;
		}
		live->memory_tid = tid;
	}
	return pwrite(live->memory_fd, bytes, size, address);
}

static bool write_first(const struct ptrace_target *live, pid_t tid, uint64_t address,
			const void *bytes, size_t size)
{
	const int fd = first_memory(live, tid);

	return fd >= 0 && pwrite(fd, bytes, size, address) == (ssize_t)size;
}

/* /proc/PID/mem is quick; where the kernel refuses it, ptrace still works. */
bool ptrace_memory_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
	return write_memory(self, tid, address, bytes, size) == (ssize_t)size ||
	       write_first(self, tid, address, bytes, size) || poke(tid, address, bytes, size);
}

/* One call for many. Returns how many bytes were written. */
static size_t write_some(pid_t pid, const struct memory_write *writes, size_t n)
{
	struct iovec local[PIECES_AT_ONCE], remote[PIECES_AT_ONCE];
	ssize_t done;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){(void *)writes[i].from, writes[i].size};
		remote[i] = (struct iovec){(void *)writes[i].address, writes[i].size};
	}
	done = process_vm_writev(pid, local, n, remote, n, 0);
	return done < 0 ? 0 : done;
}

bool ptrace_memory_write_many(void *self, pid_t pid, const struct memory_write *writes, size_t n)
{
	bool all = true;

	while (n) {
		const size_t some = n < PIECES_AT_ONCE ? n : PIECES_AT_ONCE;
		size_t done = write_some(pid, writes, some);

		for (size_t i = 0; i < some; i++) {
			const size_t size = writes[i].size;

			if (done < size)
				all &= ptrace_memory_write(self, pid, writes[i].address,
							   writes[i].from, size);
			done -= done < size ? done : size;
		}
		writes += some;
		n -= some;
	}
	return all;
}
