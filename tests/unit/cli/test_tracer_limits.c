/* What a tracer does about limits of its shell, in children, as limits cannot be taken back. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/interrupt.h"
#include "cli/tracer_limits.h"

static void in_child(bool (*holds)(struct arena *arena))
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		_exit(holds(arena_create()) ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Either it was lifted, or a SIGXCPU comes a tenth before, and that is said. */
static bool is_lifted_or_told(struct arena *arena)
{
	struct rlimit limit = {3000, 3000};
	const char *note;

	setrlimit(RLIMIT_CPU, &limit);
	note = tracer_limits_lift(arena);
	getrlimit(RLIMIT_CPU, &limit);
	if (!note)
		return limit.rlim_cur == RLIM_INFINITY && limit.rlim_max == RLIM_INFINITY;
	return limit.rlim_cur == 2699 && limit.rlim_max == 3000 && strstr(note, "2699 s");
}

static bool is_raised_to_infinity(struct arena *arena)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CPU, &limit);
	if (limit.rlim_max != RLIM_INFINITY)
		return true; /* this test has a limit itself */
	limit.rlim_cur = 3000;
	setrlimit(RLIMIT_CPU, &limit);
	return !tracer_limits_lift(arena) && getrlimit(RLIMIT_CPU, &limit) == 0 &&
	       limit.rlim_cur == RLIM_INFINITY;
}

static void processor_time_is_lifted_as_far_as_allowed(void **state)
{
	(void)state;
	in_child(is_lifted_or_told);
	in_child(is_raised_to_infinity);
}

static bool is_as_urgent_or_told(struct arena *arena)
{
	const int program = getpriority(PRIO_PROCESS, getppid());
	int before;
	const char *note;

	setpriority(PRIO_PROCESS, 0, program + 3);
	note = tracer_limits_hurry(getppid(), arena, &before);
	if (before != program + 3 || getpriority(PRIO_PROCESS, 0) != program + (note ? 3 : 0))
		return false;
	tracer_limits_release(before);
	return getpriority(PRIO_PROCESS, 0) == program + 3;
}

static bool stays_more_urgent(struct arena *arena)
{
	const pid_t child = fork();
	int before, ours = getpriority(PRIO_PROCESS, 0);
	bool same;

	if (child == 0) {
		setpriority(PRIO_PROCESS, 0, ours + 2);
		for (;;)
			pause();
	}
	while (getpriority(PRIO_PROCESS, child) == ours)
		usleep(1000);
	same = !tracer_limits_hurry(child, arena, &before) &&
	       getpriority(PRIO_PROCESS, 0) == ours && before == ours;
	kill(child, SIGKILL);
	return same;
}

static void *wait_by_itself(void *ready)
{
	if (write(*(int *)ready, "", 1) == 1)
		pause();
	return NULL;
}

/* Its first thread is less urgent than another one, which keeps what it was born with. */
static bool is_as_urgent_as_any_thread(struct arena *arena)
{
	const int program = getpriority(PRIO_PROCESS, 0);
	int ready[2], before;
	const char *note;
	pthread_t thread;
	pid_t child;
	bool holds;
	char byte;

	if (pipe(ready) != 0)
		return false;
	child = fork();
	if (child == 0) {
		setpriority(PRIO_PROCESS, 0, program);
		pthread_create(&thread, NULL, wait_by_itself, &ready[1]);
		while (setpriority(PRIO_PROCESS, 0, program + 3) != 0 || pause() != 0)
			continue;
	}
	holds = read(ready[0], &byte, 1) == 1;
	while (getpriority(PRIO_PROCESS, (id_t)child) == program)
		usleep(1000);
	setpriority(PRIO_PROCESS, 0, program + 3);
	note = tracer_limits_hurry(child, arena, &before);
	holds &= getpriority(PRIO_PROCESS, 0) == program + (note ? 3 : 0);
	holds &= !note || strstr(note, "which is less urgent");
	kill(child, SIGKILL);
	return holds;
}

static void a_tracer_is_no_less_urgent_than_its_program(void **state)
{
	(void)state;
	in_child(is_as_urgent_or_told);
	in_child(is_as_urgent_as_any_thread);
	in_child(stays_more_urgent);
}

/* The kernel repeats it each second, which is no second Ctrl-C. */
static void the_end_of_the_time_interrupts_once(void **state)
{
	(void)state;
	interrupt_start(INTERRUPT_BY_TERMINAL, 0);
	raise(SIGXCPU);
	assert_int_equal(interrupt_count(), 1);
	assert_true(interrupt_is_pending());
	raise(SIGXCPU);
	assert_int_equal(interrupt_count(), 1);
	raise(SIGINT);
	assert_int_equal(interrupt_count(), 2);
	interrupt_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processor_time_is_lifted_as_far_as_allowed),
		cmocka_unit_test(a_tracer_is_no_less_urgent_than_its_program),
		cmocka_unit_test(the_end_of_the_time_interrupts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
