/* The ring buffer of one thread's switches. tracee_run_time.c and tracer_runs.c interpret them. */
#include "context_switches.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	PAGE = 4096,
	DATA = 2 * PAGE,
	SAMPLED_LEAST = 8 * PAGE,
	SAMPLED_MOST = 64 * PAGE,
	SWITCH = 24,
	SAMPLE = 32,
	PASS = 40,
	RECORD_MOST = 1 << 16,
};

struct context_switches {
	int fd;
	int passes[SWITCH_ADDRESSES]; /* [n_passes] their records are in the same ring */
	size_t n_passes;
	struct perf_event_mmap_page *page; /* `size` bytes of records follow */
	size_t size;
	bool lost;
	char *record; /* [RECORD_MOST] the last sample with a stack; NULL: they have none */
	struct user_stack stack;
};

static int switch_open(struct perf_event_attr *attr, pid_t tid)
{
	attr->size = sizeof(*attr);
	attr->exclude_kernel = attr->exclude_hv = attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1; /* it wakes no reader */
	attr->wakeup_watermark = UINT32_MAX;
	return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Without a period the event itself counts nothing. */
static int switch_open_event(pid_t tid, const struct switch_samples *samples)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = samples->period_ns ? PERF_COUNT_SW_TASK_CLOCK
								    : PERF_COUNT_SW_DUMMY,
				       .sample_period = samples->period_ns,
				       .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
				       .context_switch = 1,
				       .sample_id_all = 1};

	if (samples->period_ns)
		attr.sample_type |= PERF_SAMPLE_IP;
	if (samples->stack) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = USER_STACK_MASK;
		attr.sample_stack_user = samples->stack;
	}
	return switch_open(&attr, tid);
}

static __attribute__((noinline)) void switch_passed(void)
{
	__asm__ volatile("");
}

/* Some virtual machines take such an event, and it never comes: see that one of our own does. */
static bool switch_can_pass(void)
{
	static enum { UNKNOWN, FIRES, SILENT } known;
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .bp_type = HW_BREAKPOINT_X,
				       .bp_addr = (uint64_t)switch_passed,
				       .bp_len = sizeof(long)};
	const int fd = known == UNKNOWN ? switch_open(&attr, 0) : -1;
	uint64_t count = 0;

	if (fd >= 0) {
		switch_passed();
		known = read(fd, &count, sizeof(count)) == sizeof(count) && count ? FIRES : SILENT;
		close(fd);
	}
	if (known == SILENT)
		errno = EINVAL;
	return known != SILENT;
}

/* Records of this event are the only ones of their size. */
static bool switch_open_pass(struct context_switches *switches, pid_t tid, uint64_t address)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .bp_type = HW_BREAKPOINT_X,
				       .bp_addr = address,
				       .bp_len = sizeof(long),
				       .sample_period = 1,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
						      PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU};
	const int fd = switch_can_pass() ? switch_open(&attr, tid) : -1;

	if (fd < 0)
		return false;
	switches->passes[switches->n_passes++] = fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, switches->fd) == 0;
}

/* Smaller where the limit of locked memory is near. */
static bool switch_map(struct context_switches *switches, bool is_large)
{
	switches->size = is_large ? SAMPLED_MOST : DATA;
	do {
		switches->page = mmap(NULL, PAGE + switches->size, PROT_READ | PROT_WRITE,
				      MAP_SHARED, switches->fd, 0);
		if (switches->page != MAP_FAILED)
			return true;
		switches->size /= 2;
	} while (switches->size >= SAMPLED_LEAST);
	switches->page = NULL;
	return false;
}

struct context_switches *context_switches_open_sampled(pid_t tid,
						       const struct switch_samples *samples)
{
	const int fd = switch_open_event(tid, samples);
	struct context_switches *switches;
	bool ok;
	int number;

	if (fd < 0)
		return NULL;
	switches = mem_alloc(sizeof(*switches));
	*switches = (struct context_switches){
		.fd = fd, .record = samples->stack ? mem_alloc(RECORD_MOST) : NULL};
	ok = switch_map(switches, samples->period_ns > 0);
	for (size_t i = 0; i < samples->n_addresses && i < SWITCH_ADDRESSES && ok; i++)
		ok = switch_open_pass(switches, tid, samples->addresses[i]);
	if (ok)
		return switches;
	number = errno;
	context_switches_close(switches);
	errno = number;
	return NULL;
}

struct context_switches *context_switches_open(pid_t tid)
{
	return context_switches_open_sampled(tid, &(struct switch_samples){0});
}

void context_switches_close(struct context_switches *switches)
{
	if (!switches)
		return;
	for (size_t i = 0; i < switches->n_passes; i++)
		close(switches->passes[i]);
	if (switches->page)
		munmap(switches->page, PAGE + switches->size);
	close(switches->fd);
	free(switches->record);
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

/* The registers and stack of the sample at @at, in one piece. */
static const struct user_stack *switch_stack(struct context_switches *switches, uint64_t at,
					     size_t size)
{
	const char *data = (const char *)switches->page + PAGE;
	const size_t from = (at + SAMPLE) % switches->size;
	const size_t wanted = size - SAMPLE;
	const size_t first = wanted < switches->size - from ? wanted : switches->size - from;

	memcpy(switches->record, data + from, first);
	memcpy(switches->record + first, data, wanted - first);
	return user_stack_parse(switches->record, wanted, &switches->stack) ? &switches->stack
									    : NULL;
}

/* Samples begin with their program counter; passes have their address behind the time. */
static struct context_switch switch_decode(struct context_switches *switches, uint64_t at,
					   const struct perf_event_header *header)
{
	const bool is_switch = header->type == PERF_RECORD_SWITCH;
	const bool is_pass = !is_switch && header->size == PASS;
	const uint64_t time_at = at + (is_switch ? 8 : 16);

	return (struct context_switch){
		.when_ns = word_at(switches, time_at),
		.processor = (unsigned)word_at(switches, time_at + (is_pass ? 16 : 8)),
		.off = is_switch && header->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempted = is_switch && header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
		.is_sample = !is_switch && !is_pass,
		.is_pass = is_pass,
		.pc = is_switch ? 0 : word_at(switches, is_pass ? at + 24 : at + 8),
		.stack = !is_switch && header->size > PASS && switches->record
				 ? switch_stack(switches, at, header->size)
				 : NULL};
}

static bool switch_is_known(const struct context_switches *switches,
			    const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SWITCH)
		return header->size == SWITCH;
	return header->type == PERF_RECORD_SAMPLE &&
	       (header->size == SAMPLE || header->size == PASS ||
		(switches->record && header->size > PASS));
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
		switches->lost |= header.type == PERF_RECORD_LOST;
		found = switch_is_known(switches, &header);
		if (found)
			*ret = switch_decode(switches, at, &header);
		at += header.size;
	}
	__atomic_store_n(&switches->page->data_tail, at, __ATOMIC_RELEASE);
	return found;
}

bool context_switches_lost(struct context_switches *switches)
{
	const bool lost = switches->lost;

	switches->lost = false;
	return lost;
}
