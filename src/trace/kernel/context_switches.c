/* The ring buffer of one thread's switches. tracee_run_time.c and tracer_runs.c interpret them. */
#include "context_switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { PAGE = 4096, DATA = 2 * PAGE, SAMPLED = 8 * PAGE, RECORD = 24, SAMPLE = 32 };

struct context_switches {
	int fd;
	struct perf_event_mmap_page *page; /* `size` bytes of records follow */
	size_t size;
};

/* Without @period_ns the event itself counts nothing; it wakes no reader. */
static int switch_open_event(pid_t tid, uint64_t period_ns)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = period_ns ? PERF_COUNT_SW_TASK_CLOCK
							   : PERF_COUNT_SW_DUMMY,
				       .sample_period = period_ns,
				       .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						      (period_ns ? PERF_SAMPLE_IP : 0),
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .context_switch = 1,
				       .sample_id_all = 1,
				       .watermark = 1,
				       .wakeup_watermark = UINT32_MAX,
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

struct context_switches *context_switches_open_sampled(pid_t tid, uint64_t period_ns)
{
	const size_t size = period_ns ? SAMPLED : DATA;
	struct context_switches *switches;
	int fd = switch_open_event(tid, period_ns);
	int number;
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) { /* beyond the limit of locked memory */
		number = errno;
		close(fd);
		errno = number;
		return NULL;
	}
	switches = mem_alloc(sizeof(*switches));
	*switches = (struct context_switches){fd, page, size};
	return switches;
}

struct context_switches *context_switches_open(pid_t tid)
{
	return context_switches_open_sampled(tid, 0);
}

void context_switches_close(struct context_switches *switches)
{
	if (!switches)
		return;
	munmap(switches->page, PAGE + switches->size);
	close(switches->fd);
	free(switches);
}

/* Records consist of words and may wrap around the ring's end. */
static uint64_t word_at(const struct context_switches *switches, uint64_t at)
{
	const char *data = (const char *)switches->page + PAGE;

	return *(const volatile uint64_t *)(data + at % switches->size);
}

static uint64_t head_of(const struct context_switches *switches)
{
	return __atomic_load_n(&switches->page->data_head, __ATOMIC_ACQUIRE);
}

bool context_switches_full(const struct context_switches *switches)
{
	return head_of(switches) - switches->page->data_tail > switches->size - 8 * SAMPLE;
}

/* A sample begins with its program counter. */
static struct context_switch switch_decode(const struct context_switches *switches, uint64_t at,
					   const struct perf_event_header *header)
{
	const bool is_sample = header->type == PERF_RECORD_SAMPLE;
	const uint64_t time_at = at + (is_sample ? 16 : 8);

	return (struct context_switch){
		.when_ns = word_at(switches, time_at),
		.processor = (unsigned)word_at(switches, time_at + 8),
		.off = !is_sample && header->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempted = !is_sample && header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
		.is_sample = is_sample,
		.pc = is_sample ? word_at(switches, at + 8) : 0};
}

bool context_switches_take(struct context_switches *switches, struct context_switch *ret)
{
	const uint64_t head = head_of(switches);
	uint64_t at = switches->page->data_tail;
	bool found = false;

	while (at < head && !found) {
		const uint64_t word = word_at(switches, at);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header)) { /* the kernel writes none */
			at = head;
			break;
		}
		found = (header.type == PERF_RECORD_SWITCH && header.size == RECORD) ||
			(header.type == PERF_RECORD_SAMPLE && header.size == SAMPLE);
		*ret = switch_decode(switches, at, &header);
		at += header.size;
	}
	__atomic_store_n(&switches->page->data_tail, at, __ATOMIC_RELEASE);
	return found;
}
