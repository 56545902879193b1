/* Waiting for many tracees at once: children of this process, each of which stops a few times. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "trace/target/ptrace_launch.h"

enum { CHILDREN = 150, TRAPS = 6 };

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

static size_t child_of(const pid_t *children, pid_t pid)
{
	size_t i = 0;

	while (i < CHILDREN && children[i] != pid)
		i++;
	assert_true(i < CHILDREN);
	return i;
}

/* Children 0, 10, 20, … are resumed at once, others when all of a round have been told. */
static void each_stop_of_each_is_told_once(void **state)
{
	char *const argv[] = {"true", NULL};
	pid_t children[CHILDREN], later[CHILDREN];
	size_t traps[CHILDREN] = {0}, ends[CHILDREN] = {0}, n_later = 0, n_ended = 0;
	struct target target;
	struct err err;
	struct stop stop;
	uint64_t now_ns;
	pid_t tid;

	(void)state;
	assert_true(ptrace_launch(&(struct launch){"/bin/true", argv, false}, &target, &tid, &err));
	for (size_t i = 0; i < CHILDREN; i++)
		children[i] = child_start();
	alarm(60);
	while (n_ended < CHILDREN) {
		size_t child;

		assert_int_equal(target.ops->wait(target.self, 0, &stop), WAIT_STOP);
		child = child_of(children, stop.tid);
		if (stop.kind == STOP_EXITED) {
			ends[child]++;
			n_ended++;
			continue;
		}
		assert_int_equal(stop.kind, STOP_SIGNAL);
		assert_int_equal(stop.number, SIGTRAP);
		traps[child]++;
		if (child % 10)
			later[n_later++] = stop.tid;
		else
			assert_true(target.ops->resume(target.self, stop.tid, 0, &now_ns));
		if (n_later < CHILDREN - CHILDREN / 10)
			continue;
		while (n_later)
			assert_true(target.ops->resume(target.self, later[--n_later], 0, &now_ns));
	}
	alarm(0);
	for (size_t i = 0; i < CHILDREN; i++) {
		assert_int_equal(traps[i], TRAPS);
		assert_int_equal(ends[i], 1);
	}
	target.ops->destroy(target.self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stop_of_each_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
