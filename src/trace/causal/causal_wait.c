/* From /proc/TID/syscall, without a stop. Source: proc(5), futex(2). */
#include "causal_wait.h"

#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "trace/kernel/proc_file.h"

enum { ARGUMENTS = 6, POLLED_MOST = 16 };

/* Of a pace: equal distances in a row; times that passed; what reading two clocks takes. */
enum { PACE_KEPT = 3, PACE_MISSED = 8, PACE_OFF_NS = 2000 };

struct looking {
	pid_t process;
	struct other_ends *ends;
	const pid_t *ours;
	size_t n_ours;
	uint64_t number, arguments[ARGUMENTS];
};

static bool wait_copy(const struct looking *looking, uint64_t address, void *ret, size_t size)
{
	const struct iovec local = {ret, size}, remote = {(void *)address, size};

	return process_vm_readv(looking->process, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static int64_t timespec_ns(const struct timespec *time)
{
	const int64_t most_s = INT64_MAX / 2000000000;

	return time->tv_sec > most_s ? INT64_MAX / 2 : time->tv_sec * 1000000000 + time->tv_nsec;
}

/* When the time at @address is over, by CLOCK_MONOTONIC. */
static uint64_t time_over_ns(const struct looking *looking, uint64_t address, bool is_relative,
			     bool is_real, uint64_t since_ns)
{
	struct timespec limit, now, real;

	if (!address || !wait_copy(looking, address, &limit, sizeof(limit)) || limit.tv_sec < 0 ||
	    limit.tv_nsec < 0 || limit.tv_nsec >= 1000000000)
		return UINT64_MAX;
	if (is_relative)
		return since_ns + (uint64_t)timespec_ns(&limit);
	if (!is_real)
		return (uint64_t)timespec_ns(&limit);
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_REALTIME, &real);
	limit.tv_sec -= real.tv_sec - now.tv_sec;
	limit.tv_nsec -= real.tv_nsec - now.tv_nsec;
	return limit.tv_sec < 0 ? 0 : (uint64_t)timespec_ns(&limit);
}

static uint64_t futex_until_ns(const struct looking *looking, uint64_t since_ns)
{
	const uint64_t operation = looking->arguments[1] & FUTEX_CMD_MASK;

	if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
		return UINT64_MAX;
	return time_over_ns(looking, looking->arguments[3], operation == FUTEX_WAIT,
			    looking->arguments[1] & FUTEX_CLOCK_REALTIME, since_ns);
}

static uint64_t poll_until_ns(const struct looking *looking, uint64_t since_ns)
{
	const int ms = (int)looking->arguments[2];

	if (looking->number == SYS_ppoll)
		return time_over_ns(looking, looking->arguments[2], true, false, since_ns);
	return ms < 0 ? UINT64_MAX : since_ns + (uint64_t)ms * 1000000;
}

/* Of other clocks than these two it is not known. */
static uint64_t sleep_until_ns(const struct looking *looking, uint64_t since_ns)
{
	const uint64_t clock = looking->arguments[0];

	if (looking->number == SYS_nanosleep)
		return time_over_ns(looking, looking->arguments[0], true, false, since_ns);
	return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC
		       ? UINT64_MAX
		       : time_over_ns(looking, looking->arguments[2],
				      !(looking->arguments[1] & TIMER_ABSTIME),
				      clock == CLOCK_REALTIME, since_ns);
}

/* other_end_is_ours(), other_end_paces() */
typedef bool judge_end(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
		       size_t n_ours);

static bool judge_fd(const struct looking *looking, judge_end *judge, int fd)
{
	return judge(looking->ends, looking->process, fd, looking->ours, looking->n_ours);
}

/* What any of several may end is up to threads only if all of them are. */
static bool judge_poll(const struct looking *looking, judge_end *judge)
{
	const uint64_t n = looking->arguments[1];
	struct pollfd polled[POLLED_MOST];
	bool all = n > 0;

	if (n > POLLED_MOST ||
	    !wait_copy(looking, looking->arguments[0], polled, n * sizeof(*polled)))
		return false;
	for (uint64_t i = 0; i < n && all; i++)
		all = polled[i].fd < 0 || judge_fd(looking, judge, polled[i].fd);
	return all;
}

static enum causal_wake wait_by(const struct looking *looking)
{
	const int fd = (int)looking->arguments[0];
	bool ours = false, paces = false;

	switch (looking->number) {
	case SYS_futex:
		ours = true;
		break;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
		ours = judge_fd(looking, other_end_is_ours, fd);
		paces = judge_fd(looking, other_end_paces, fd);
		break;
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
		ours = judge_fd(looking, other_end_is_ours, fd);
		break;
	case SYS_poll:
	case SYS_ppoll:
		ours = judge_poll(looking, other_end_is_ours);
		paces = judge_poll(looking, other_end_paces);
		break;
	default:
		break;
	}
	return ours ? CAUSAL_WAKE_THREAD : paces ? CAUSAL_WAKE_PACED : CAUSAL_WAKE_OUTSIDE;
}

/* By a file's data the program is waited for, not the other way round. */
static bool is_file(const struct looking *looking)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)looking->process,
		 (int)looking->arguments[0]);
	return stat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

static bool is_paced(const struct looking *looking)
{
	switch (looking->number) {
	case SYS_read:
	case SYS_readv:
		return !is_file(looking);
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return true;
	default:
		return false;
	}
}

bool causal_wait_keeps_pace(struct causal_pace *pace, uint64_t until_ns)
{
	const int64_t distance_ns = (int64_t)(until_ns - pace->until_ns);
	const int64_t step_ns = (int64_t)pace->step_ns;
	const int64_t steps = step_ns ? (distance_ns + step_ns / 2) / step_ns : 0;

	if (llabs(distance_ns) <= PACE_OFF_NS) /* the same sleep, looked at again */
		return pace->kept >= PACE_KEPT;
	pace->until_ns = until_ns;
	if (steps >= 1 && steps <= PACE_MISSED &&
	    llabs(distance_ns - steps * step_ns) <= PACE_OFF_NS)
		return ++pace->kept >= PACE_KEPT;
	pace->step_ns = distance_ns > 0 ? (uint64_t)distance_ns : 0;
	pace->kept = 0;
	return false;
}

bool causal_wait_look(pid_t tid, pid_t process, uint64_t since_ns, struct other_ends *ends,
		      const pid_t *ours, size_t n_ours, struct causal_wait *ret)
{
	struct looking looking = {process, ends, ours, n_ours, 0, {0}};
	char text[256];
	const char *at;

	if (!proc_read(tid, "syscall", text, sizeof(text)) || text[0] == 'r') /* "running" */
		return false;
	*ret = (struct causal_wait){.by = CAUSAL_WAKE_OUTSIDE, .until_ns = UINT64_MAX};
	at = proc_number(text, 10, &looking.number);
	if (!at) /* -1: it is in none */
		return true;
	for (int i = 0; i < ARGUMENTS; i++)
		at = proc_number(at, 16, &looking.arguments[i]);
	if (looking.number == SYS_restart_syscall)
		return false;
	ret->by = wait_by(&looking);
	ret->paced = ret->by == CAUSAL_WAKE_OUTSIDE && is_paced(&looking);
	if (looking.number == SYS_futex)
		ret->until_ns = futex_until_ns(&looking, since_ns);
	if (looking.number == SYS_poll || looking.number == SYS_ppoll)
		ret->until_ns = poll_until_ns(&looking, since_ns);
	if (looking.number == SYS_nanosleep || looking.number == SYS_clock_nanosleep) {
		ret->until_ns = sleep_until_ns(&looking, since_ns);
		ret->sleeps = ret->until_ns != UINT64_MAX;
		ret->until = looking.number == SYS_clock_nanosleep &&
			     looking.arguments[1] & TIMER_ABSTIME;
	}
	return true;
}
