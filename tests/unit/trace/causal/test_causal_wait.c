/* What a process waits for, told from outside: children of the test wait for known things. */
#include "check.h"

#include <arpa/inet.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/causal/causal_wait.h"
#include "trace/kernel/proc_file.h"

/* The child that waits in @number with these arguments, once it does. */
static pid_t waiting(long number, long a, long b, long c, long d)
{
	const pid_t pid = fork();
	uint64_t seen = UINT64_MAX;
	char text[256];

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(number, a, b, c, d, 0, FUTEX_BITSET_MATCH_ANY);
		_exit(0);
	}
	assert_true(pid > 0);
	while (seen != (uint64_t)number || proc_state(pid) != 'S')
		if (!proc_read(pid, "syscall", text, sizeof(text)) || !proc_number(text, 10, &seen))
			seen = UINT64_MAX;
	return pid;
}

static struct causal_wait look(pid_t pid, const pid_t *ours, size_t n_ours)
{
	struct other_ends ends = {0};
	struct causal_wait wait = {.until_ns = 0};

	assert_true(causal_wait_look(pid, pid, 1000, &ends, ours, n_ours, &wait));
	other_end_forget(&ends);
	return wait;
}

static void let_go(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* It waits for us, so we decide whether what it waits for is of the program; if not, @by. */
static void check_ours(pid_t pid, enum causal_wake by)
{
	const pid_t both[] = {pid, getpid()};

	assert_int_equal(look(pid, both, 2).by, CAUSAL_WAKE_THREAD);
	assert_false(look(pid, both, 2).paced);
	assert_int_equal(look(pid, both, 1).by, by);
	assert_int_equal(look(pid, both, 1).paced, by == CAUSAL_WAKE_OUTSIDE);
	let_go(pid);
}

/* A child that waits to read from @fd; without @closed (-1: none). */
static pid_t reading(int fd, int closed)
{
	const pid_t pid = fork();
	char byte;

	if (!pid) {
		close(closed);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(fd, &byte, 1) > 0);
	}
	assert_true(pid > 0);
	while (proc_state(pid) != 'S')
		continue;
	return pid;
}

static void a_pipe_is_of_the_program_if_its_other_end_is(void **state)
{
	int ends[2], back[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO); /* number 0, too */
	check_ours(reading(STDIN_FILENO, ends[1]), CAUSAL_WAKE_PACED);
	/* What it could write to us we could answer. */
	assert_int_equal(pipe(back), 0);
	check_ours(reading(STDIN_FILENO, ends[1]), CAUSAL_WAKE_OUTSIDE);
	close(back[0]);
	check_ours(reading(STDIN_FILENO, ends[1]), CAUSAL_WAKE_PACED);
	close(back[1]);
	close(ends[1]);
}

static void so_are_a_pair_of_sockets_and_a_poll_of_it_alone(void **state)
{
	static struct pollfd polled[2];
	const struct sockaddr_un at = {.sun_family = AF_UNIX};
	static char byte;
	int pair[2];
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	check_ours(waiting(SYS_recvfrom, pair[0], (long)&byte, 1, 0), CAUSAL_WAKE_OUTSIDE);
	polled[0] = (struct pollfd){.fd = pair[0], .events = POLLIN};
	/* A listening socket, to which anybody may connect. */
	polled[1] = (struct pollfd){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .events = POLLPRI};
	check_ours(waiting(SYS_poll, (long)polled, 1, -1, 0), CAUSAL_WAKE_OUTSIDE);
	assert_int_equal(bind(polled[1].fd, (struct sockaddr *)&at, sizeof(at.sun_family)), 0);
	assert_int_equal(listen(polled[1].fd, 1), 0);
	pid = waiting(SYS_poll, (long)polled, 2, -1, 0);
	assert_int_equal(look(pid, (pid_t[]){pid, getpid()}, 2).by, CAUSAL_WAKE_OUTSIDE);
	let_go(pid);
}

static void a_connection_on_this_host_is_looked_up_by_its_addresses(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	const int listening = socket(AF_INET, SOCK_STREAM, 0);
	const int here = socket(AF_INET, SOCK_STREAM, 0);
	struct other_ends ends = {0};
	struct causal_wait wait;
	pid_t pid;
	int there;

	(void)state;
	assert_int_equal(bind(listening, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(connect(here, (struct sockaddr *)&at, sizeof(at)), 0);
	there = accept(listening, NULL, NULL);
	assert_true(there >= 0);
	check_ours(reading(here, there), CAUSAL_WAKE_OUTSIDE);
	pid = reading(here, there);
	/* Whether something was sent is known from the second look on. */
	for (int sent = 0; sent < 3; sent++) {
		assert_true(causal_wait_look(pid, pid, 1000, &ends, &pid, 1, &wait));
		assert_int_equal(wait.by, sent == 1 ? CAUSAL_WAKE_PACED : CAUSAL_WAKE_OUTSIDE);
		assert_true(sent != 1 || write(here, "x", 1) == 1);
	}
	other_end_forget(&ends);
	let_go(pid);
	close(there);
}

static void the_time_is_outside_and_a_futex_until_its_time_is_over(void **state)
{
	static struct timespec limit = {.tv_sec = 1000}, late = {.tv_sec = 1000000};
	static unsigned word;
	const pid_t self = getpid();
	struct causal_wait wait;
	uint64_t now_ns;
	pid_t pid;

	(void)state;
	pid = waiting(SYS_nanosleep, (long)&limit, 0, 0, 0);
	wait = look(pid, &self, 1);
	assert_true(wait.by == CAUSAL_WAKE_OUTSIDE && wait.sleeps && !wait.paced);
	assert_true(wait.until_ns == 1000 + UINT64_C(1000000000000));
	let_go(pid);
	pid = waiting(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&late, 0);
	assert_true(look(pid, &self, 1).until_ns == UINT64_C(1000000000000000));
	let_go(pid);
	pid = waiting(SYS_futex, (long)&word, FUTEX_WAIT, 0, 0);
	wait = look(pid, NULL, 0);
	assert_true(wait.by == CAUSAL_WAKE_THREAD && !wait.sleeps && !wait.paced);
	assert_true(wait.until_ns == UINT64_MAX);
	let_go(pid);
	pid = waiting(SYS_futex, (long)&word, FUTEX_WAIT, 0, (long)&limit);
	assert_true(look(pid, NULL, 0).until_ns == 1000 + UINT64_C(1000000000000));
	let_go(pid);
	pid = waiting(SYS_poll, 0, 0, 2000000, 0);
	assert_true(look(pid, &self, 1).until_ns == 1000 + UINT64_C(2000000000000));
	let_go(pid);
	now_ns = clock_now_ns();
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 1000;
	pid = waiting(SYS_futex, (long)&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0,
		      (long)&limit);
	/* A second for clocks that are set meanwhile. */
	assert_in_range(look(pid, NULL, 0).until_ns, now_ns + UINT64_C(999000000000),
			clock_now_ns() + UINT64_C(1001000000000));
	let_go(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_is_of_the_program_if_its_other_end_is),
		cmocka_unit_test(so_are_a_pair_of_sockets_and_a_poll_of_it_alone),
		cmocka_unit_test(a_connection_on_this_host_is_looked_up_by_its_addresses),
		cmocka_unit_test(the_time_is_outside_and_a_futex_until_its_time_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
