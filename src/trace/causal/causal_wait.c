/* From /proc/TID/syscall, without a stop. Source: proc(5), futex(2). */
#include "causal_wait.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "trace/kernel/proc_file.h"

enum { ARGUMENTS = 6, POLLED_MOST = 16 };

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

/* When the wait for a futex ends by itself, by CLOCK_MONOTONIC. */
static uint64_t futex_until_ns(const struct looking *looking, uint64_t since_ns)
{
	const uint64_t operation = looking->arguments[1] & FUTEX_CMD_MASK;
	struct timespec limit, now, real;

	if ((operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) || !looking->arguments[3] ||
	    !wait_copy(looking, looking->arguments[3], &limit, sizeof(limit)) || limit.tv_sec < 0 ||
	    limit.tv_nsec < 0 || limit.tv_nsec >= 1000000000)
		return UINT64_MAX;
	if (operation == FUTEX_WAIT)
		return since_ns + (uint64_t)timespec_ns(&limit);
	if (!(looking->arguments[1] & FUTEX_CLOCK_REALTIME))
		return (uint64_t)timespec_ns(&limit);
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_REALTIME, &real);
	limit.tv_sec -= real.tv_sec - now.tv_sec;
	limit.tv_nsec -= real.tv_nsec - now.tv_nsec;
	return limit.tv_sec < 0 ? 0 : (uint64_t)timespec_ns(&limit);
}

static bool is_fd_ours(const struct looking *looking, int fd)
{
	return other_end_is_ours(looking->ends, looking->process, fd, looking->ours,
				 looking->n_ours);
}

/* What any of several may end is up to threads only if all of them are. */
static bool is_poll_ours(const struct looking *looking)
{
	const uint64_t n = looking->arguments[1];
	struct pollfd polled[POLLED_MOST];
	bool ours = n > 0;

	if (n > POLLED_MOST ||
	    !wait_copy(looking, looking->arguments[0], polled, n * sizeof(*polled)))
		return false;
	for (uint64_t i = 0; i < n && ours; i++)
		ours = polled[i].fd < 0 || is_fd_ours(looking, polled[i].fd);
	return ours;
}

static enum causal_wake wait_by(const struct looking *looking)
{
	bool ours;

	switch (looking->number) {
	case SYS_futex:
		ours = true;
		break;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
		ours = is_fd_ours(looking, (int)looking->arguments[0]);
		break;
	case SYS_poll:
	case SYS_ppoll:
		ours = is_poll_ours(looking);
		break;
	default:
		ours = false;
	}
	return ours ? CAUSAL_WAKE_THREAD : CAUSAL_WAKE_OUTSIDE;
}

bool causal_wait_look(pid_t tid, pid_t process, uint64_t since_ns, struct other_ends *ends,
		      const pid_t *ours, size_t n_ours, struct causal_wait *ret)
{
	struct looking looking = {process, ends, ours, n_ours, 0, {0}};
	char text[256];
	const char *at;

	if (!proc_read(tid, "syscall", text, sizeof(text)) || text[0] == 'r') /* "running" */
		return false;
	*ret = (struct causal_wait){CAUSAL_WAKE_OUTSIDE, UINT64_MAX};
	at = proc_number(text, 10, &looking.number);
	if (!at) /* -1: it is in none */
		return true;
	for (int i = 0; i < ARGUMENTS; i++)
		at = proc_number(at, 16, &looking.arguments[i]);
	if (looking.number == SYS_restart_syscall)
		return false;
	ret->by = wait_by(&looking);
	if (looking.number == SYS_futex)
		ret->until_ns = futex_until_ns(&looking, since_ns);
	return true;
}
