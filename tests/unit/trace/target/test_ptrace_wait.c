/*
 * Waiting for many tracees at once, each of which stops a few times: children of this process, which
 * are found by waitpid(2), and threads of one process, which SIGCHLD tells.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <unistd.h>

#include "trace/target/ptrace_launch.h"
#include "trace/target/target.h"

enum { CROWD = 300, TRAPS = 6 };

/* Those that stop: the first @n of @tids. */
struct crowd {
	pid_t tids[CROWD];
	size_t n;
};

static pid_t child_start(void)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	for (int i = 0; i < TRAPS; i++)
		raise(SIGTRAP);
	_exit(0);
}

static size_t member_of(const struct crowd *crowd, pid_t tid)
{
	size_t i = 0;

	while (i < crowd->n && crowd->tids[i] != tid)
		i++;
	return i;
}

/*
 * Of @n_all tracees; the others just end. Members 0, 10, 20, … are resumed at once, others when all
 * of a round have been told.
 */
static void each_stop_is_told_once(const struct target *target, const struct crowd *crowd,
				   size_t n_all)
{
	size_t traps[CROWD] = {0}, ends[CROWD + 1] = {0}, n_later = 0, n_ended = 0;
	const size_t n_waits = crowd->n - (crowd->n + 9) / 10;
	pid_t later[CROWD];
	struct stop stop;
	uint64_t now_ns;

	alarm(60);
	while (n_ended < n_all) {
		size_t member;

		assert_int_equal(target->ops->wait(target->self, 0, &stop), WAIT_STOP);
		member = member_of(crowd, stop.tid);
		if (stop.kind == STOP_EXITED) {
			ends[member]++;
			n_ended++;
			continue;
		}
		assert_true(member < crowd->n);
		assert_int_equal(stop.kind, STOP_SIGNAL);
		assert_int_equal(stop.number, SIGTRAP);
		traps[member]++;
		if (member % 10)
			later[n_later++] = stop.tid;
		else
			assert_true(target->ops->resume(target->self, stop.tid, 0, &now_ns));
		if (n_later < n_waits)
			continue;
		while (n_later)
			assert_true(
				target->ops->resume(target->self, later[--n_later], 0, &now_ns));
	}
	alarm(0);
	for (size_t i = 0; i < crowd->n; i++) {
		assert_int_equal(traps[i], TRAPS);
		assert_int_equal(ends[i], 1);
	}
}

static void of_children(void **state)
{
	char *const argv[] = {"true", NULL};
	struct crowd crowd = {.n = CROWD};
	struct target target;
	struct err err;
	pid_t tid;

	(void)state;
	assert_true(ptrace_launch(&(struct launch){"/bin/true", argv, false}, &target, &tid, &err));
	for (size_t i = 0; i < CROWD; i++)
		crowd.tids[i] = child_start();
	each_stop_is_told_once(&target, &crowd, CROWD);
	target.ops->destroy(target.self);
}

struct thread_begin {
	int ids,
		start; /* pipes: its id goes to the first; nothing comes from the second but its end */
	bool stops;
};

static void *thread_run(void *self)
{
	const struct thread_begin *begin = self;
	const pid_t id = begin->stops ? gettid() : 0;
	char byte;

	if (write(begin->ids, &id, sizeof(id)) != sizeof(id))
		abort();
	if (read(begin->start, &byte, 1) != 0)
		abort();
	for (int i = 0; begin->stops && i < TRAPS; i++)
		raise(SIGTRAP);
	while (!begin->stops)
		pause();
	return NULL;
}

/* A process of CROWD threads, of which @n stop, when the pipe @ret_start is closed. */
static pid_t threads_start(size_t n, struct crowd *ret, int *ret_start)
{
	int ids[2], start[2];
	pid_t pid;

	assert_int_equal(pipe(ids), 0);
	assert_int_equal(pipe(start), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct thread_begin stops = {ids[1], start[0], true}, sleeps = stops;
		pthread_t threads[CROWD];

		close(start[1]);
		sleeps.stops = false;
		for (size_t i = 0; i < CROWD; i++)
			if (pthread_create(&threads[i], NULL, thread_run,
					   i < n ? &stops : &sleeps) != 0)
				abort();
		if (read(start[0], ret, 1) != 0)
			abort();
		for (size_t i = 0; i < n; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	close(ids[1]);
	close(start[0]);
	ret->n = 0;
	for (size_t i = 0; i < CROWD; i++) {
		pid_t id;

		assert_int_equal(read(ids[0], &id, sizeof(id)), sizeof(id));
		if (id)
			ret->tids[ret->n++] = id;
	}
	close(ids[0]);
	*ret_start = start[1];
	return pid;
}

static bool hears_of_children(void)
{
	struct sigaction action;
	sigset_t set;

	assert_int_equal(sigaction(SIGCHLD, NULL, &action), 0);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &set), 0);
	return !(action.sa_flags & SA_NOCLDSTOP) && sigismember(&set, SIGCHLD);
}

/* As the supervisor starts the tracer: children that stop are not told. */
static void of_threads(size_t n)
{
	const struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	struct target target;
	struct crowd crowd;
	struct stop stop;
	struct err err;
	sigset_t none;
	pid_t pid, *tids;
	size_t n_tids;
	int start;

	assert_int_equal(sigaction(SIGCHLD, &quiet, NULL), 0);
	pid = threads_start(n, &crowd, &start);
	assert_true(ptrace_target_attach(pid, &target, &tids, &n_tids, &err));
	assert_int_equal(n_tids, CROWD + 1);
	assert_int_equal(target.ops->wait(target.self, 1, &stop), WAIT_NOTHING);
	assert_true(hears_of_children());
	/* Somebody restores a mask of before. */
	assert_int_equal(sigemptyset(&none), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &none, NULL), 0);
	assert_int_equal(target.ops->wait(target.self, 1, &stop), WAIT_NOTHING);
	assert_true(hears_of_children());
	close(start);
	each_stop_is_told_once(&target, &crowd, n_tids);
	assert_int_equal(target.ops->wait(target.self, 0, &stop), WAIT_NOBODY);
	assert_false(hears_of_children());
	target.ops->destroy(target.self);
	free(tids);
}

static void of_threads_that_all_stop(void **state)
{
	(void)state;
	of_threads(CROWD);
}

static void of_few_threads_beside_many(void **state)
{
	(void)state;
	of_threads(3);
}

static void hear(int number)
{
	(void)number;
}

/* The time that a wait is given ends it; so does a signal. */
static void a_wait_beside_many_ends(void **state)
{
	const struct timeval often = {.tv_usec = 10000};
	const struct itimerval alarms = {often, often}, no_alarms = {.it_interval = {0}};
	const struct sigaction heard = {.sa_handler = hear};
	struct target target;
	struct crowd crowd;
	struct stop stop;
	struct err err;
	pid_t pid, *tids;
	size_t n_tids;
	int start;

	(void)state;
	pid = threads_start(0, &crowd, &start);
	assert_true(ptrace_target_attach(pid, &target, &tids, &n_tids, &err));
	for (uint64_t ms = 0; ms < 20; ms += 5) {
		const uint64_t until_ns = target.ops->now_ns(target.self) + ms * 1000000;

		assert_int_equal(target.ops->wait(target.self, until_ns, &stop), WAIT_NOTHING);
		assert_true(target.ops->now_ns(target.self) >= until_ns);
	}
	assert_int_equal(sigaction(SIGALRM, &heard, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &alarms, NULL), 0);
	assert_int_equal(target.ops->wait(target.self, 0, &stop), WAIT_NOTHING);
	assert_int_equal(setitimer(ITIMER_REAL, &no_alarms, NULL), 0);
	signal(SIGALRM, SIG_DFL);
	kill(pid, SIGKILL);
	for (size_t i = 0; i < n_tids; i++)
		assert_int_equal(target.ops->wait(target.self, 0, &stop), WAIT_STOP);
	assert_int_equal(target.ops->wait(target.self, 0, &stop), WAIT_NOBODY);
	target.ops->destroy(target.self);
	assert_false(hears_of_children());
	close(start);
	free(tids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_children),
		cmocka_unit_test(of_threads_that_all_stop),
		cmocka_unit_test(of_few_threads_beside_many),
		cmocka_unit_test(a_wait_beside_many_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
