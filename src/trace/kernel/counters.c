/* Opening and reading the counters of threads. proc_counters.c reads /proc. */
#include "trace/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uthash.h>

#include "base/mem.h"
#include "proc_counters.h"
#include "proc_file.h"

/*
 * In the order in which a group is opened. The task clock is for kernels without scheduler
 * statistics: it omits some µs of each switch, and so differs from what the program sees of its own
 * time.
 */
static const struct event {
	enum metric metric;
	uint32_t type;
	uint64_t config;
} events[] = {
	{METRIC_CPU, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{METRIC_PFAULTS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{METRIC_MAJOR_PFAULTS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{METRIC_SWITCHES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{METRIC_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{METRIC_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{METRIC_CACHE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{METRIC_BRANCH_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

enum { EVENTS = sizeof(events) / sizeof(events[0]), GROUP_MAX = 4 };

/* Events read together through the first one's file. */
struct group {
	int fds[GROUP_MAX];
	enum metric metrics[GROUP_MAX];
	size_t n;
};

struct thread {
	pid_t tid;
	uint64_t opening;
	bool since_birth;
	unsigned by_files; /* metrics read from `files` */
	struct group software, hardware;
	struct proc_counters files;
	struct thread_counts left_out; /* `numbers` and `uncounted_ns` of our own doing */
	struct thread_counts suspended;
	UT_hash_handle hh;
};

struct counters {
	struct thread *threads;
	uint64_t openings;
};

/* Source: perf_event_open(2), PERF_FORMAT_GROUP. */
struct group_reading {
	uint64_t n, enabled_ns, running_ns;
	uint64_t values[GROUP_MAX];
};

/* An event of the kernel itself, or of the processor in user mode. */
static int open_event(pid_t tid, const struct event *event, int leader)
{
	struct perf_event_attr attributes = {
		.type = event->type,
		.size = sizeof(attributes),
		.config = event->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = event->type == PERF_TYPE_HARDWARE,
		.exclude_hv = event->type == PERF_TYPE_HARDWARE,
	};

	return syscall(SYS_perf_event_open, &attributes, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void close_group(struct group *group)
{
	while (group->n)
		close(group->fds[--group->n]);
}

/*
 * Returns an errno, 0 if all events of @type for @metrics are open; @ret_metric is the first that
 * is not.
 */
static int open_group(pid_t tid, uint32_t type, unsigned metrics, struct group *group,
		      enum metric *ret_metric)
{
	const struct event *event;
	int number = 0;

	group->n = 0;
	for (event = events; event < events + EVENTS; event++) {
		int fd;

		if (event->type != type || !(metrics & 1u << event->metric))
			continue;
		fd = open_event(tid, event, group->n ? group->fds[0] : -1);
		if (fd >= 0) {
			group->fds[group->n] = fd;
			group->metrics[group->n++] = event->metric;
		} else if (!number) {
			number = errno;
			*ret_metric = event->metric;
		}
	}
	return number;
}

static bool read_group(const struct group *group, struct thread_counts *ret)
{
	struct group_reading reading;
	const ssize_t size = sizeof(uint64_t) * (3 + group->n);

	if (read(group->fds[0], &reading, sizeof(reading)) != size || reading.n != group->n)
		return false;
	for (size_t i = 0; i < group->n; i++) {
		ret->numbers[group->metrics[i]] = reading.values[i];
		ret->known |= 1u << group->metrics[i];
	}
	if (ret->known & HARDWARE_METRICS)
		ret->uncounted_ns = reading.enabled_ns - reading.running_ns;
	return true;
}

static void close_thread(struct thread *thread)
{
	close_group(&thread->software);
	close_group(&thread->hardware);
	proc_counters_close(&thread->files);
}

/* Those of @metrics that /proc has for @tid. */
static unsigned known_by_files(pid_t tid, unsigned metrics)
{
	uint64_t numbers[METRIC_SUMS];
	struct proc_counters files;
	unsigned known;

	proc_counters_open(&files, tid, metrics);
	known = proc_counters_read(&files, numbers);
	proc_counters_close(&files);
	return known & metrics;
}

static struct thread *open_thread(struct counters *counters, pid_t tid, unsigned wanted)
{
	const unsigned metrics = wanted & COUNTED_METRICS;
	struct thread *thread;
	enum metric ignored;

	if (!proc_file_room((HASH_COUNT(counters->threads) + 1) * EVENTS, 2))
		return NULL;
	thread = mem_alloc(sizeof(*thread));
	thread->tid = tid;
	thread->opening = ++counters->openings;
	thread->since_birth = wanted & COUNTED_SINCE_BIRTH;
	thread->by_files = thread->since_birth
				   ? metrics & ~HARDWARE_METRICS
				   : known_by_files(tid, metrics & metric_set_from(METRIC_PROC));
	if (open_group(tid, PERF_TYPE_SOFTWARE, metrics & ~thread->by_files, &thread->software,
		       &ignored) != 0) {
		close_group(&thread->software);
		thread->by_files = metrics & ~HARDWARE_METRICS;
	}
	open_group(tid, PERF_TYPE_HARDWARE, metrics, &thread->hardware, &ignored);
	proc_counters_open(&thread->files, tid, thread->by_files);
	HASH_ADD_INT(counters->threads, tid, thread);
	return thread;
}

static struct thread *counters_find_thread(const struct counters *counters, pid_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(counters->threads, &tid, thread);
	return thread;
}

/* All counts, those that are not the thread's own included. */
static void read_thread(const struct thread *thread, struct thread_counts *ret)
{
	*ret = (struct thread_counts){.opening = thread->opening};
	ret->known = proc_counters_read(&thread->files, ret->numbers) & thread->by_files;
	if (thread->software.n)
		read_group(&thread->software, ret);
	if (thread->hardware.n)
		read_group(&thread->hardware, ret);
}

static void counters_subtract(struct thread_counts *from, const struct thread_counts *counts)
{
	for (size_t i = 0; i < METRIC_SUMS; i++)
		from->numbers[i] -= counts->numbers[i];
	from->uncounted_ns -= counts->uncounted_ns;
}

unsigned counters_since_birth(unsigned metrics)
{
	return known_by_files(gettid(), metrics);
}

struct counters *counters_create(void)
{
	return mem_alloc(sizeof(struct counters));
}

static void counters_forget_thread(struct counters *counters, struct thread *thread)
{
	close_thread(thread);
	HASH_DEL(counters->threads, thread);
	free(thread);
}

void counters_destroy(struct counters *counters)
{
	struct thread *thread, *next;

	if (!counters)
		return;
	HASH_ITER (hh, counters->threads, thread, next)
		counters_forget_thread(counters, thread);
	free(counters);
}

void counters_read(struct counters *counters, pid_t tid, unsigned metrics,
		   struct thread_counts *ret)
{
	struct thread *thread = counters_find_thread(counters, tid);

	*ret = (struct thread_counts){.opening = 0};
	if (!thread)
		thread = open_thread(counters, tid, metrics);
	if (!thread)
		return;
	read_thread(thread, ret);
	if (!thread->since_birth)
		counters_subtract(ret, &thread->left_out);
}

void counters_suspend(struct counters *counters, pid_t tid)
{
	struct thread *thread = counters_find_thread(counters, tid);

	if (thread)
		read_thread(thread, &thread->suspended);
}

void counters_continue(struct counters *counters, pid_t tid)
{
	struct thread *thread = counters_find_thread(counters, tid);
	struct thread_counts now;

	if (!thread)
		return;
	read_thread(thread, &now);
	if (now.known != thread->suspended.known) {
		counters_forget_thread(counters, thread);
		return;
	}
	counters_subtract(&thread->suspended, &now);
	counters_subtract(&thread->left_out, &thread->suspended);
}

bool counters_is_open(const struct counters *counters, pid_t tid)
{
	return counters_find_thread(counters, tid) != NULL;
}

void counters_forget(struct counters *counters, pid_t tid)
{
	struct thread *thread = counters_find_thread(counters, tid);

	if (thread)
		counters_forget_thread(counters, thread);
}

bool counters_refused(enum metric metric, int number, struct err *err)
{
	const char *keyword = metric_info(metric)->keyword;

	switch (number) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s cannot be measured: this machine, which may be a virtual one, has no "
			"hardware "
			"counter for it; leave it out (cpu and time need none)",
			keyword);
	case EACCES:
	case EPERM:
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s cannot be measured: the kernel does not let you use hardware counters; "
			"run as "
			"root, or sudo sysctl kernel.perf_event_paranoid=2 (in a container: also "
			"let it "
			"call perf_event_open)",
			keyword);
	case ENOSYS:
		return err_set(err, ERR_UNSUPPORTED,
			       "%s cannot be measured: the kernel has no perf_event_open", keyword);
	case EINVAL:
	case ENOSPC:
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s cannot be measured together with the other hardware counters: the "
			"processor has too few; ask for fewer of them",
			keyword);
	}
	return err_set_errno(err, ERR_UNSUPPORTED, number, "%s cannot be measured", keyword);
}

static bool check_hardware(unsigned metrics, struct err *err)
{
	struct group group;
	enum metric metric;
	int number = open_group(0, PERF_TYPE_HARDWARE, metrics, &group, &metric);

	close_group(&group);
	return number == 0 || counters_refused(metric, number, err);
}

static bool check_files(unsigned metrics, struct err *err)
{
	const unsigned missing = metrics & ~known_by_files(gettid(), metrics);
	enum metric metric;

	for (metric = 0; metric < METRIC_SUMS; metric++)
		if (missing & 1u << metric)
			return err_set(
				err, ERR_UNSUPPORTED,
				"%s cannot be measured: perf_event_open is refused, and /proc "
				"does not tell it either",
				metric_info(metric)->keyword);
	return true;
}

bool counters_check(unsigned metrics, const char **ret_note, struct err *err)
{
	const unsigned totals = metric_totals(metrics) & COUNTED_METRICS;
	const unsigned software = totals & ~HARDWARE_METRICS &
				  ~known_by_files(gettid(), totals & metric_set_from(METRIC_PROC));
	struct group group;
	enum metric ignored;
	bool refused;

	if (!check_hardware(totals, err))
		return false;
	refused = open_group(0, PERF_TYPE_SOFTWARE, software, &group, &ignored) != 0;
	close_group(&group);
	if (refused && !check_files(software, err))
		return false;
	*ret_note =
		refused ? "faults and switches are read in /proc, which takes longer: "
			  "the kernel does not let you use perf_event_open for them (run as root, "
			  "in a container with the right to it, or sudo "
			  "sysctl kernel.perf_event_paranoid=1)"
			: NULL;
	return true;
}
