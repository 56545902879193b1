/*
 * System calls in words: which descriptor, lock, child or time a thread waits for. Memory
 * identifies locks, /proc/PID/fd descriptors.
 */
#include "trace/wait_reason.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/kernel/proc_file.h"
#include "sockets.h"
#include "syscall_name.h"

enum {
	SHOWN_MAX = 4, /* descriptors per phrase */
	POLLED_MAX = 1024,
	OWNER_OFFSET = 8,   /* in a mutex */
	LOCK_CONTENDED = 2, /* a mutex with waiters */
};

struct describing {
	const struct snapshot *snapshot;
	const struct stopped_thread *thread;
	struct arena *arena;
	struct stack_wait *wait;
	const char *words; /* as in struct call_rule */
	const char *limit; /* ", for 5 s at most"; empty: none */
};

static bool wait_read_memory(const struct describing *d, uint64_t address, void *to, size_t size)
{
	struct memory_read read = {address, to, size, false};

	d->snapshot->memory.read(d->snapshot->memory.self, &read, 1);
	return read.ok;
}

static const struct stopped_thread *wait_find_thread(const struct describing *d, pid_t tid)
{
	for (size_t i = 0; i < d->snapshot->n_threads; i++)
		if (d->snapshot->threads[i].tid == tid)
			return &d->snapshot->threads[i];
	return NULL;
}

/* A path, or "pipe:[4711]". */
static const char *descriptor(const struct describing *d, int64_t fd)
{
	char path[64], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%" PRId64, (int)d->snapshot->pid, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return arena_printf(d->arena, "descriptor %" PRId64, fd);
	target[n] = '\0';
	return arena_printf(d->arena, "descriptor %" PRId64 " (%s)", fd, target);
}

/* Three digits: the rest of an interrupted sleep is no round number. */
static const char *duration(const struct describing *d, int64_t seconds, int64_t ns)
{
	if (seconds == 0 && ns < 1000000)
		return arena_printf(d->arena, "%.3g us", (double)ns / 1e3);
	if (seconds == 0)
		return arena_printf(d->arena, "%.3g ms", (double)ns / 1e6);
	return arena_printf(d->arena, seconds < 999 ? "%.3g s" : "%.0f s",
			    (double)seconds + (double)ns / 1e9);
}

/* From the process's struct timespec. */
static const char *wait_limit_of(const struct describing *d, uint64_t address)
{
	struct timespec time;

	if (!address || !wait_read_memory(d, address, &time, sizeof(time)))
		return "";
	return arena_printf(d->arena, ", for %s at most", duration(d, time.tv_sec, time.tv_nsec));
}

static const char *limit_of_ms(const struct describing *d, int ms)
{
	if (ms < 0)
		return "";
	return arena_printf(d->arena, ", for %s at most",
			    duration(d, ms / 1000, ms % 1000 * INT64_C(1000000)));
}

static const char *limit_of_timeval(const struct describing *d, uint64_t address)
{
	struct timeval time;

	if (!address || !wait_read_memory(d, address, &time, sizeof(time)))
		return "";
	return arena_printf(d->arena, ", %s of its time left",
			    duration(d, time.tv_sec, time.tv_usec * 1000));
}

static void say_descriptor(const struct describing *d, const char *verb)
{
	const int fd = (int)d->thread->arguments[0];

	d->wait->descriptor = fd;
	d->wait->what = arena_printf(d->arena, "%s %s", verb, descriptor(d, fd));
}

/* A list of descriptors, of which the first are shown. */
struct listing {
	struct text text;
	size_t n;
};

static void listing_add(const struct describing *d, struct listing *listing, int fd)
{
	if (listing->n++ >= SHOWN_MAX)
		return;
	if (listing->n > 1)
		text_add_string(&listing->text, ", ");
	text_add_string(&listing->text, descriptor(d, fd));
}

static void say_listing(const struct describing *d, struct listing *listing)
{
	const char *more = "";

	if (listing->n > SHOWN_MAX)
		more = arena_printf(d->arena, " and %zu more", listing->n - SHOWN_MAX);
	if (!listing->n)
		d->wait->what = arena_printf(d->arena, "waits for no descriptor%s", d->limit);
	else
		d->wait->what = arena_printf(d->arena, "waits for %s%s%s", listing->text.bytes,
					     more, d->limit);
	text_deinit(&listing->text);
}

static void describe_poll(const struct describing *d)
{
	const uint64_t address = d->thread->arguments[0];
	const uint64_t n = d->thread->arguments[1] & UINT32_MAX;
	struct listing listing = {.n = 0};

	for (uint64_t i = 0; i < n && i < POLLED_MAX; i++) {
		struct pollfd each;

		if (!wait_read_memory(d, address + i * sizeof(each), &each, sizeof(each)))
			break;
		if (each.fd >= 0)
			listing_add(d, &listing, each.fd);
	}
	say_listing(d, &listing);
}

static void describe_select(const struct describing *d)
{
	const uint64_t *arguments = d->thread->arguments;
	const int n = (int)arguments[0];
	struct listing listing = {.n = 0};
	uint8_t sets[3][FD_SETSIZE / 8] = {{0}};

	for (int i = 0; i < 3; i++) {
		const size_t size = n > 0 && n <= FD_SETSIZE ? (size_t)(n + 63) / 64 * 8 : 0;

		if (arguments[1 + i] && !wait_read_memory(d, arguments[1 + i], sets[i], size))
			memset(sets[i], 0, sizeof(sets[i]));
	}
	for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++)
		if ((sets[0][fd / 8] | sets[1][fd / 8] | sets[2][fd / 8]) >> fd % 8 & 1)
			listing_add(d, &listing, fd);
	say_listing(d, &listing);
}

/* The kernel lists an epoll descriptor's targets. */
static void describe_epoll(const struct describing *d)
{
	const int epoll = (int)d->thread->arguments[0];
	struct listing listing = {.n = 0};
	struct proc_lines watched;
	const char *line;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "fdinfo/%d", epoll);
	proc_lines_open(&watched, d->snapshot->pid, name);
	while ((line = proc_lines_next(&watched)))
		if (sscanf(line, "tfd: %d", &fd) == 1)
			listing_add(d, &listing, fd);
	proc_lines_close(&watched);
	d->wait->descriptor = epoll;
	say_listing(d, &listing);
}

static void say_owner(const struct describing *d, const struct stopped_thread *owner,
		      const char *fmt)
{
	d->wait->owner = owner->tid;
	d->wait->is_lock = true;
	d->wait->what =
		arena_printf(d->arena, "waits for %s 0x%" PRIx64 ", which thread %d (%s) holds",
			     fmt, d->wait->address, (int)owner->tid, owner->name);
}

/* The thread that a word of memory names; NULL: not of the process, or the waiting one itself. */
static const struct stopped_thread *owner_in(const struct describing *d, uint64_t address,
					     uint32_t mask)
{
	uint32_t word;

	if (!wait_read_memory(d, address, &word, sizeof(word)))
		return NULL;
	return wait_find_thread(d, (pid_t)(word & mask));
}

static void describe_futex(const struct describing *d)
{
	const uint64_t *arguments = d->thread->arguments;
	const unsigned operation = arguments[1] & FUTEX_CMD_MASK;
	const uint32_t expected = (uint32_t)arguments[2];
	const struct stopped_thread *owner = NULL;
	const char *kind = "mutex";
	const char *limit;
	uint32_t word;

	d->wait->address = arguments[0];
	d->wait->is_limited = arguments[3] != 0;
	d->wait->is_private = arguments[1] & FUTEX_PRIVATE_FLAG &&
			      wait_read_memory(d, arguments[0], &word, sizeof(word)) &&
			      word == expected; /* else it is being woken */
	if (operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2 || expected >> 31) {
		owner = owner_in(d, arguments[0], FUTEX_TID_MASK);
	} else if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
		if (expected == LOCK_CONTENDED)
			owner = owner_in(d, arguments[0] + OWNER_OFFSET, UINT32_MAX);
		else if (wait_find_thread(d, (pid_t)expected) && (pid_t)expected != d->thread->tid)
			owner = owner_in(d, arguments[0], UINT32_MAX), kind = NULL;
	}
	if (owner && kind) {
		say_owner(d, owner, kind);
		return;
	}
	if (owner && owner->tid == (pid_t)expected) {
		d->wait->owner = owner->tid;
		d->wait->what = arena_printf(d->arena, "waits for thread %d (%s) to end",
					     (int)owner->tid, owner->name);
		return;
	}
	limit = operation == FUTEX_WAIT ? wait_limit_of(d, arguments[3]) : "";
	d->wait->what = arena_printf(d->arena, "waits for futex 0x%" PRIx64 " to change from %u%s",
				     arguments[0], expected, limit);
}

static void describe_sleep(const struct describing *d)
{
	const uint64_t *arguments = d->thread->arguments;
	const bool has_clock = d->thread->call == SYS_clock_nanosleep;
	struct timespec time;

	if (!wait_read_memory(d, arguments[has_clock ? 2 : 0], &time, sizeof(time)))
		return;
	if (has_clock && arguments[1] & TIMER_ABSTIME)
		d->wait->what = arena_printf(d->arena, "sleeps until %lld.%09ld on its clock",
					     (long long)time.tv_sec, time.tv_nsec);
	else
		d->wait->what = arena_printf(d->arena, "sleeps for %s",
					     duration(d, time.tv_sec, time.tv_nsec));
}

static const char *process_name(const struct describing *d, int pid)
{
	char name[64];

	proc_read(pid, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	return *name ? arena_printf(d->arena, " (%s)", name) : "";
}

static void describe_child(const struct describing *d)
{
	const uint64_t *arguments = d->thread->arguments;
	const bool has_kind = d->thread->call == SYS_waitid;
	const int child = has_kind && arguments[0] != P_PID ? 0 : (int)arguments[has_kind];

	if (child > 0)
		d->wait->what = arena_printf(d->arena, "waits for child %d%s to end", child,
					     process_name(d, child));
	else
		d->wait->what = "waits for any child to end";
}

static void describe_fcntl(const struct describing *d)
{
	const unsigned command = (unsigned)d->thread->arguments[1];

	if (command == F_SETLKW || command == F_OFD_SETLKW)
		say_descriptor(d, "waits for a lock of");
	else
		say_descriptor(d, "is in fcntl on");
}

static void describe_descriptor(const struct describing *d)
{
	say_descriptor(d, d->words);
}

static void describe_semaphores(const struct describing *d)
{
	d->wait->what = arena_printf(d->arena, "%s %d", d->words, (int)d->thread->arguments[0]);
}

static void describe_words(const struct describing *d)
{
	d->wait->what = arena_printf(d->arena, "%s%s", d->words, d->limit);
}

/* The words for a call, and which argument limits its time, in which form. */
struct call_rule {
	uint32_t calls[5]; /* 0: the end, except first: SYS_read is 0 */
	void (*describe)(const struct describing *d);
	const char *words;
	enum { LIMIT_NONE, LIMIT_MS, LIMIT_TIMESPEC, LIMIT_LEFT /* struct timeval */ } limit;
	unsigned argument;
};

static const struct call_rule rules[] = {
	{{SYS_futex}, describe_futex},
	{{SYS_poll}, describe_poll, NULL, LIMIT_MS, 2},
	{{SYS_ppoll}, describe_poll, NULL, LIMIT_TIMESPEC, 2},
	{{SYS_select}, describe_select, NULL, LIMIT_LEFT, 4},
	{{SYS_pselect6}, describe_select, NULL, LIMIT_TIMESPEC, 4},
	{{SYS_epoll_wait, SYS_epoll_pwait}, describe_epoll, NULL, LIMIT_MS, 3},
	{{SYS_epoll_pwait2}, describe_epoll, NULL, LIMIT_TIMESPEC, 3},
	{{SYS_nanosleep, SYS_clock_nanosleep}, describe_sleep},
	{{SYS_wait4, SYS_waitid}, describe_child},
	{{SYS_fcntl}, describe_fcntl},
	{{SYS_pause, SYS_rt_sigsuspend}, describe_words, "waits for a signal"},
	{{SYS_rt_sigtimedwait}, describe_words, "waits for a signal", LIMIT_TIMESPEC, 2},
	{{SYS_vfork}, describe_words, "waits until its child runs another program or ends"},
	{{SYS_semop, SYS_semtimedop}, describe_semaphores, "waits for semaphores"},
	{{SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_preadv2},
	 describe_descriptor,
	 "reads from"},
	{{SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2},
	 describe_descriptor,
	 "writes to"},
	{{SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg}, describe_descriptor, "receives from"},
	{{SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_sendfile}, describe_descriptor, "sends to"},
	{{SYS_accept, SYS_accept4}, describe_descriptor, "waits for a connection to"},
	{{SYS_connect}, describe_descriptor, "connects"},
	{{SYS_flock}, describe_descriptor, "waits for a lock of"},
	{{SYS_fsync, SYS_fdatasync, SYS_syncfs}, describe_descriptor, "waits for the disk to have"},
	{{SYS_ioctl}, describe_descriptor, "is in ioctl on"},
	{{SYS_getdents64}, describe_descriptor, "lists"},
	{{SYS_io_uring_enter}, describe_descriptor, "waits for completions of"},
};

static const char *limit_by(const struct describing *d, const struct call_rule *rule)
{
	const uint64_t argument = d->thread->arguments[rule->argument];

	switch (rule->limit) {
	case LIMIT_NONE:
		break;
	case LIMIT_MS:
		return limit_of_ms(d, (int)argument);
	case LIMIT_TIMESPEC:
		return wait_limit_of(d, argument);
	case LIMIT_LEFT:
		return limit_of_timeval(d, argument);
	}
	return "";
}

static bool rule_is_for(const struct call_rule *rule, uint64_t call)
{
	for (size_t i = 0; i < sizeof(rule->calls) / sizeof(*rule->calls); i++)
		if (rule->calls[i] == call && (call || !i))
			return true;
	return false;
}

static void describe_call(struct describing *d)
{
	const struct call_rule *rule = rules, *end = rules + sizeof(rules) / sizeof(*rules);

	while (rule < end && !rule_is_for(rule, d->thread->call))
		rule++;
	if (rule == end)
		return;
	d->words = rule->words;
	d->limit = limit_by(d, rule);
	rule->describe(d);
}

void wait_reason_describe(const struct snapshot *snapshot, const struct stopped_thread *thread,
			  struct arena *arena, struct stack_wait *ret)
{
	struct describing describing = {snapshot, thread, arena, ret};

	*ret = (struct stack_wait){.descriptor = -1};
	if (!thread->is_calling)
		return;
	ret->call = syscall_name(thread->call);
	if (!ret->call)
		ret->call = arena_printf(arena, "system call %" PRIu64, thread->call);
	describe_call(&describing);
}

const char *wait_reason_name_sockets(pid_t pid, const char *what, struct arena *arena)
{
	static const char mark[] = "(socket:[";
	const char *at = what ? strstr(what, mark) : NULL;
	struct text text = {.n = 0};
	const char *ret;

	if (!at)
		return what;
	for (; at; at = strstr(what, mark)) {
		char *end;
		const uint64_t inode = strtoull(at + sizeof(mark) - 1, &end, 10);
		const char *name = sockets_describe(pid, inode, arena);

		text_add(&text, what, (size_t)(at + 1 - what));
		what = at + 1;
		if (name && *end == ']') {
			text_add_string(&text, name);
			what = end + 1;
		}
	}
	text_add_string(&text, what);
	ret = arena_strdup(arena, text.bytes);
	text_deinit(&text);
	return ret;
}
