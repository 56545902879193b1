/*
 * Threads that wait in system calls are stopped and go on: each call must end as if nothing had
 * been. A child does the call; the status with which it ends says what it saw.
 */
#include "check.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/kernel/syscall_restart.h"

enum { STOPS = 3, PATIENCE_MS = 60000, SEEN_RIGHT = 0, SEEN_WRONG = 100 };

static int wake[2]; /* the parent writes, so that waits for a descriptor end */

static int saw(bool right)
{
	if (right)
		return SEEN_RIGHT;
	return SEEN_WRONG + (errno < 100 ? errno : 0);
}

static int wait_by_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	const int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, wake[0], &event);
	return saw(epoll_wait(fd, &event, 1, -1) == 1);
}

static int wait_by_epoll_with_mask(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	const int fd = epoll_create1(0);
	sigset_t none;

	sigemptyset(&none);
	epoll_ctl(fd, EPOLL_CTL_ADD, wake[0], &event);
	return saw(epoll_pwait(fd, &event, 1, -1, &none) == 1);
}

static int wait_for_semaphore(void)
{
	const int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf one = {.sem_op = -1};
	const struct timespec limit = {.tv_nsec = 500000000};
	bool right;

	right = semtimedop(id, &one, 1, &limit) == -1 && errno == EAGAIN;
	semctl(id, 0, IPC_RMID);
	return saw(right);
}

static int wait_for_semaphore_of_parent(void)
{
	const int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf one = {.sem_op = -1}, give = {.sem_op = 1};
	bool right;

	if (fork() == 0) {
		char byte;

		if (read(wake[0], &byte, 1) == 1)
			semop(id, &give, 1);
		_exit(0);
	}
	right = semop(id, &one, 1) == 0;
	semctl(id, 0, IPC_RMID);
	return saw(right);
}

static int wait_for_signal(void)
{
	const struct timespec limit = {.tv_nsec = 500000000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return saw(sigtimedwait(&set, NULL, &limit) == -1 && errno == EAGAIN);
}

static int wait_for_events(void)
{
	aio_context_t context = 0;
	struct timespec limit = {.tv_nsec = 500000000};
	struct io_event event;

	if (syscall(SYS_io_setup, 1, &context) != 0)
		return SEEN_RIGHT; /* not in this kernel */
	return saw(syscall(SYS_io_getevents, context, 1, 1, &event, &limit) == 0);
}

static int wait_for_socket_with_timeout(void)
{
	const struct timeval limit = {.tv_sec = 20};
	char byte;

	setsockopt(wake[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return saw(recv(wake[0], &byte, 1, 0) == 1);
}

static int wait_to_read_with_timeout(void)
{
	const struct timeval limit = {.tv_sec = 20};
	char byte;

	setsockopt(wake[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return saw(read(wake[0], &byte, 1) == 1);
}

static int wait_to_write_with_timeout(void)
{
	const struct timeval limit = {.tv_sec = 20};
	static char bytes[1 << 16];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return SEEN_WRONG;
	while (send(pair[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (fork() == 0) {
		if (read(wake[0], bytes, 1) == 1)
			while (recv(pair[1], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
				;
		_exit(0);
	}
	return saw(send(pair[0], bytes, 1, 0) == 1);
}

/* Calls that the kernel starts again by itself. */
static int wait_by_sleeping(void)
{
	const struct timespec time = {.tv_nsec = 200000000};
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	if (nanosleep(&time, NULL) != 0)
		return SEEN_WRONG;
	clock_gettime(CLOCK_MONOTONIC, &after);
	return saw((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >=
		   time.tv_nsec);
}

/* As in /proc/PID/stat. */
static char state_of(pid_t pid)
{
	char path[64], text[256] = "";
	const char *name_end;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "re");
	if (stat && !fgets(text, sizeof(text), stat))
		text[0] = '\0';
	if (stat)
		fclose(stat);
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '\0';
}

/*
 * Until @child waits, or has ended. How long that takes the other processes of the machine decide.
 */
static void await_rest(pid_t child)
{
	for (int i = 0; i < PATIENCE_MS; i++) {
		char state = state_of(child);

		if (state == 'S' || state == 'Z')
			return;
		usleep(1000);
	}
	fail_msg("process %d does not come to rest: %c", (int)child, state_of(child));
}

static void start(int (*wait)(void), pid_t *ret)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, wake), 0);
	*ret = fork();
	if (*ret == 0)
		_exit(wait());
	await_rest(*ret);
}

static int finish(pid_t child)
{
	int status;

	assert_int_equal(write(wake[1], "x", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(wake[0]);
	close(wake[1]);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Stop it once. Returns whether a call was made again. */
static bool stop(pid_t child, bool repair)
{
	struct user_regs_struct registers;
	bool repeated;
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
	repeated = repair && syscall_restart_repeat(child, &registers);
	if (repeated)
		assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	await_rest(child);
	return repeated;
}

static int stop_in(int (*wait)(void), bool repair, bool *ret_repeated)
{
	pid_t child;

	start(wait, &child);
	for (int i = 0; i < (repair ? STOPS : 1); i++)
		*ret_repeated = stop(child, repair);
	return finish(child);
}

static int (*const failing[])(void) = {
	wait_by_epoll,
	wait_by_epoll_with_mask,
	wait_for_semaphore,
	wait_for_semaphore_of_parent,
	wait_for_signal,
	wait_for_events,
	wait_for_socket_with_timeout,
	wait_to_read_with_timeout,
	wait_to_write_with_timeout,
};

enum { FAILING = sizeof(failing) / sizeof(*failing) };

static void a_call_that_stops_interrupt_is_made_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAILING; i++) {
		bool repeated;
		int seen = stop_in(failing[i], true, &repeated);

		if (seen != SEEN_RIGHT || !repeated)
			fail_msg("call %zu: %d, %srepeated", i, seen, repeated ? "" : "not ");
	}
}

/* If the kernel starts them again some day, nothing here is needed any more. */
static void without_that_the_program_would_see_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAILING; i++) {
		bool repeated;
		int seen = stop_in(failing[i], false, &repeated);

		if (seen != SEEN_WRONG + EINTR)
			fail_msg("call %zu: %d", i, seen);
	}
}

static void what_the_kernel_starts_again_is_left_to_it(void **state)
{
	bool repeated;

	(void)state;
	assert_int_equal(stop_in(wait_by_sleeping, true, &repeated), SEEN_RIGHT);
	assert_false(repeated);
}

static void on_signal(int number)
{
	(void)number;
}

static int wait_with_handler(void)
{
	struct epoll_event event;

	signal(SIGUSR1, on_signal);
	return saw(epoll_wait(epoll_create1(0), &event, 1, -1) == -1 && errno == EINTR);
}

static int wait_while_ignoring(void)
{
	signal(SIGUSR1, SIG_IGN);
	return wait_by_epoll();
}

/* Stop it, send a signal while it is stopped, and let it go. */
static int signal_in_stop(int (*wait)(void), bool *ret_repeated)
{
	struct user_regs_struct registers;
	pid_t child;
	int status;

	start(wait, &child);
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	kill(child, SIGUSR1);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
	*ret_repeated = syscall_restart_repeat(child, &registers);
	assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	await_rest(child);
	return finish(child);
}

static void a_call_that_a_signal_interrupts_fails_as_it_would(void **state)
{
	bool repeated;

	(void)state;
	assert_int_equal(signal_in_stop(wait_with_handler, &repeated), SEEN_RIGHT);
	assert_false(repeated);
}

static void an_ignored_signal_interrupts_nothing(void **state)
{
	bool repeated;

	(void)state;
	assert_int_equal(signal_in_stop(wait_while_ignoring, &repeated), SEEN_RIGHT);
	assert_true(repeated);
}

/* A signal that is told to its tracer, who passes it on. */
static int pass_on(int (*wait)(void), int number, bool *ret_ignored)
{
	struct user_regs_struct registers;
	pid_t child;
	int status;

	start(wait, &child);
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	kill(child, number);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	assert_int_equal(WSTOPSIG(status), number);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
	*ret_ignored = syscall_restart_is_ignored(child, number);
	if (*ret_ignored)
		assert_true(syscall_restart_repeat(child, &registers));
	assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, (long)number), 0);
	await_rest(child); /* in the call again */
	return finish(child);
}

static void nor_does_one_that_only_a_tracer_is_told(void **state)
{
	bool ignored;

	(void)state;
	assert_int_equal(pass_on(wait_while_ignoring, SIGUSR1, &ignored), SEEN_RIGHT);
	assert_true(ignored);
	assert_int_equal(pass_on(wait_by_epoll, SIGWINCH, &ignored), SEEN_RIGHT);
	assert_true(ignored);
	assert_int_equal(pass_on(wait_with_handler, SIGUSR1, &ignored), SEEN_RIGHT);
	assert_false(ignored);
}

static void calls_that_have_done_something_are_not_made_again(void **state)
{
	struct user_regs_struct registers = {
		.cs = 0x33, .rax = (unsigned long)-EINTR, .orig_rax = SYS_close, .rip = 100};

	(void)state;
	assert_false(syscall_restart_is(&registers));
	registers.orig_rax = SYS_epoll_wait;
	assert_true(syscall_restart_is(&registers));
	registers.rax = 0;
	assert_false(syscall_restart_is(&registers));
	registers.rax = (unsigned long)-EINTR;
	registers.orig_rax = (unsigned long)-1; /* in no system call */
	assert_false(syscall_restart_is(&registers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_stops_interrupt_is_made_again),
		cmocka_unit_test(without_that_the_program_would_see_it),
		cmocka_unit_test(what_the_kernel_starts_again_is_left_to_it),
		cmocka_unit_test(a_call_that_a_signal_interrupts_fails_as_it_would),
		cmocka_unit_test(an_ignored_signal_interrupts_nothing),
		cmocka_unit_test(nor_does_one_that_only_a_tracer_is_told),
		cmocka_unit_test(calls_that_have_done_something_are_not_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
