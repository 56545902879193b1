/* The rings of all threads. The layout of records is that of perf_event_open(2). */
#include "trace/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/user_stack.h"

enum { PAGE = 4096, DATA_MOST = 128 * PAGE, DATA_LEAST = 4 * PAGE, RECORD_MOST = 1 << 16 };

struct thread_ring {
	pid_t tid;
	int fd;
	struct perf_event_mmap_page *page; /* `size` bytes of records follow */
	size_t size;
	bool is_over; /* the thread has ended */
};

struct sampler {
	pid_t pid;
	unsigned period_us;
	struct thread_ring *rings;
	size_t n, capacity;
	size_t at;    /* the ring that is being read */
	char *record; /* [RECORD_MOST] the last one, in one piece */
	uint64_t lost;
};

static int sampler_open_event(pid_t tid, unsigned period_us)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_us * UINT64_C(1000),
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = USER_STACK_MASK,
		.sample_stack_user = SAMPLE_STACK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Smaller where the limit of locked memory is near. 0, or the number of an error. */
static int ring_open(struct thread_ring *ring, pid_t tid, unsigned period_us)
{
	int number;

	*ring = (struct thread_ring){.tid = tid, .fd = sampler_open_event(tid, period_us)};
	if (ring->fd < 0)
		return errno;
	for (ring->size = DATA_MOST; ring->size >= DATA_LEAST; ring->size /= 2) {
		ring->page = mmap(NULL, PAGE + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				  ring->fd, 0);
		if (ring->page != MAP_FAILED)
			return 0;
	}
	number = errno;
	close(ring->fd);
	return number;
}

static void ring_close(struct thread_ring *ring)
{
	munmap(ring->page, PAGE + ring->size);
	close(ring->fd);
}

/* 0, or the error of the first thread that cannot be sampled, though it is there. */
static int sampler_add_threads(struct sampler *sampler)
{
	pid_t *tids;
	const size_t n = proc_threads(sampler->pid, &tids);
	int number = 0;

	for (size_t i = 0; i < sampler->n; i++)
		sampler->rings[i].is_over = true;
	for (size_t i = 0; i < n; i++) {
		struct thread_ring ring;
		size_t at = 0;
		int failed;

		while (at < sampler->n && sampler->rings[at].tid != tids[i])
			at++;
		if (at < sampler->n) {
			sampler->rings[at].is_over = false;
			continue;
		}
		failed = ring_open(&ring, tids[i], sampler->period_us);
		if (failed && failed != ESRCH && !number)
			number = failed;
		if (failed)
			continue;
		sampler->rings = mem_grow(sampler->rings, &sampler->capacity, sampler->n + 1,
					  sizeof(*sampler->rings));
		sampler->rings[sampler->n++] = ring;
	}
	free(tids);
	return number;
}

bool sampler_open(pid_t pid, unsigned period_us, struct sampler **ret, struct err *err)
{
	struct sampler *sampler = mem_alloc(sizeof(*sampler));
	int number;

	*sampler = (struct sampler){
		.pid = pid, .period_us = period_us, .record = mem_alloc(RECORD_MOST)};
	number = sampler_add_threads(sampler);
	if (sampler->n || !number) {
		*ret = sampler;
		return true;
	}
	sampler_close(sampler);
	return err_set_errno(err, ERR_UNSUPPORTED, number,
			     "perf_event_open, which /proc/sys/kernel/perf_event_paranoid may "
			     "forbid (2 or less permits it)");
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->n; i++)
		ring_close(&sampler->rings[i]);
	free(sampler->rings);
	free(sampler->record);
	free(sampler);
}

static uint64_t ring_head(const struct thread_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

void sampler_follow(struct sampler *sampler)
{
	size_t kept = 0;

	sampler_add_threads(sampler);
	for (size_t i = 0; i < sampler->n; i++) {
		struct thread_ring *ring = &sampler->rings[i];

		if (ring->is_over && ring->page->data_tail == ring_head(ring))
			ring_close(ring);
		else
			sampler->rings[kept++] = *ring;
	}
	sampler->n = kept;
	sampler->at = 0;
}

/* Copy @size bytes at @at, which may wrap around the ring's end. */
static void ring_copy(const struct thread_ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + PAGE;
	const size_t from = at % ring->size;
	const size_t first = size < ring->size - from ? size : ring->size - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

/* False: the record has no registers, as of a thread of the kernel, or is cut. */
static bool sample_parse(const char *record, size_t size, struct stack_sample *ret)
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(ret->when_ns);
	struct user_stack stack;

	if (size < head || !user_stack_parse(record + head, size - head, &stack))
		return false;
	memcpy(&ret->when_ns, record + sizeof(struct perf_event_header), sizeof(ret->when_ns));
	memcpy(ret->registers, stack.registers, sizeof(ret->registers));
	ret->stack = stack.bytes;
	ret->stack_size = stack.size;
	return true;
}

/* The next sample of @ring. */
static bool ring_take(struct sampler *sampler, struct thread_ring *ring, struct stack_sample *ret)
{
	const uint64_t head = ring_head(ring);
	uint64_t at = ring->page->data_tail;
	bool found = false;

	while (at < head && !found) {
		struct perf_event_header header;

		ring_copy(ring, at, &header, sizeof(header));
		if (header.size < sizeof(header)) { /* the kernel writes none */
			at = head;
			break;
		}
		ring_copy(ring, at, sampler->record, header.size);
		if (header.type == PERF_RECORD_LOST && header.size >= sizeof(header) + 16) {
			uint64_t lost;

			memcpy(&lost, sampler->record + sizeof(header) + 8, sizeof(lost));
			sampler->lost += lost;
		}
		ret->thread = ring->tid;
		found = header.type == PERF_RECORD_SAMPLE &&
			sample_parse(sampler->record, header.size, ret);
		at += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
	return found;
}

bool sampler_take(struct sampler *sampler, struct stack_sample *ret)
{
	for (; sampler->at < sampler->n; sampler->at++)
		if (ring_take(sampler, &sampler->rings[sampler->at], ret))
			return true;
	sampler->at = 0;
	return false;
}

uint64_t sampler_lost(const struct sampler *sampler)
{
	return sampler->lost;
}
