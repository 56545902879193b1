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
#include <sys/timerfd.h>
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
	assert_true(wait.until_ns == 1000 + UINT64_C(1000000000000) && !wait.until);
	let_go(pid);
	pid = waiting(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&late, 0);
	assert_true(look(pid, &self, 1).until_ns == UINT64_C(1000000000000000));
	assert_true(look(pid, &self, 1).until);
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

static void a_timer_that_goes_off_again_and_again_paces_who_reads_it(void **state)
{
	const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec times = {.it_value = {.tv_sec = 1000}};
	static uint64_t times_over;
	pid_t pid;

	(void)state;
	assert_int_equal(timerfd_settime(fd, 0, &times, NULL), 0);
	pid = waiting(SYS_read, fd, (long)&times_over, sizeof(times_over), 0);
	assert_int_equal(look(pid, &pid, 1).by, CAUSAL_WAKE_OUTSIDE);
	times.it_interval.tv_nsec = 20000000;
	assert_int_equal(timerfd_settime(fd, 0, &times, NULL), 0);
	assert_int_equal(look(pid, &pid, 1).by, CAUSAL_WAKE_PACED);
	let_go(pid);
	close(fd);
}

/* Each 20 ms, to the ns; one was looked at twice, and before another two had passed. */
static void sleeps_until_even_times_are_paced_by_a_clock(void **state)
{
	struct causal_pace pace = {0};
	const uint64_t ms = 1000000;
	uint64_t until_ns = 777 * ms;

	(void)state;
	for (int i = 0; i < 5; i++, until_ns += 20 * ms)
		assert_int_equal(causal_wait_keeps_pace(&pace, until_ns), i >= 4);
	assert_true(causal_wait_keeps_pace(&pace, until_ns - 20 * ms));
	assert_true(causal_wait_keeps_pace(&pace, until_ns + 40 * ms));
	assert_true(causal_wait_keeps_pace(&pace, until_ns + 60 * ms + 500));
	/* Another pace begins. */
	assert_false(causal_wait_keeps_pace(&pace, until_ns + 67 * ms));
	for (int i = 1; i < 4; i++)
		assert_int_equal(causal_wait_keeps_pace(&pace, until_ns + (67 + 7 * i) * ms),
				 i >= 3);
}

/* 7 ms after work of 3 ms, which takes some µs more or less. */
static void sleeps_until_some_time_after_work_are_not(void **state)
{
	static const uint64_t OFF_US[] = {12, 3, 40, 21, 9, 33, 15, 60, 5, 28};
	struct causal_pace pace = {0};
	uint64_t until_ns = 777000000;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		until_ns += 10000000 + 1000 * OFF_US[i % 10];
		assert_false(causal_wait_keeps_pace(&pace, until_ns));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_is_of_the_program_if_its_other_end_is),
		cmocka_unit_test(so_are_a_pair_of_sockets_and_a_poll_of_it_alone),
		cmocka_unit_test(a_connection_on_this_host_is_looked_up_by_its_addresses),
		cmocka_unit_test(the_time_is_outside_and_a_futex_until_its_time_is_over),
		cmocka_unit_test(a_timer_that_goes_off_again_and_again_paces_who_reads_it),
		cmocka_unit_test(sleeps_until_even_times_are_paced_by_a_clock),
		cmocka_unit_test(sleeps_until_some_time_after_work_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
