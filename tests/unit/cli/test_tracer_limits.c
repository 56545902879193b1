/* What a tracer does about limits of its shell, in children, as limits cannot be taken back. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
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

/* Either it was lifted, or a SIGXCPU comes a tenth and 4 s before, and that is said. */
static bool is_lifted_or_told(struct arena *arena)
{
	struct rlimit limit = {3000, 3000};
	const char *note;

	setrlimit(RLIMIT_CPU, &limit);
	note = tracer_limits_lift(arena);
	getrlimit(RLIMIT_CPU, &limit);
	if (!note)
		return limit.rlim_cur == RLIM_INFINITY && limit.rlim_max == RLIM_INFINITY;
	return limit.rlim_cur == 2696 && limit.rlim_max == 3000 && strstr(note, "2696 s");
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
	struct tracer_urgency urgency = {0};
	const char *note;

	setpriority(PRIO_PROCESS, 0, program + 3);
	note = tracer_limits_hurry(&urgency, getppid(), arena);
	if (getpriority(PRIO_PROCESS, 0) != program + (note ? 3 : 0))
		return false;
	tracer_limits_release(&urgency);
	return getpriority(PRIO_PROCESS, 0) == program + 3;
}

/* A program that waits, @less less urgent than this. */
static pid_t program_start(int less)
{
	const int ours = getpriority(PRIO_PROCESS, 0);
	const pid_t child = fork();

	if (child == 0) {
		setpriority(PRIO_PROCESS, 0, ours + less);
		for (;;)
			pause();
	}
	while (getpriority(PRIO_PROCESS, (id_t)child) != ours + less)
		usleep(1000);
	return child;
}

static bool stays_more_urgent(struct arena *arena)
{
	const int ours = getpriority(PRIO_PROCESS, 0);
	const pid_t child = program_start(2);
	struct tracer_urgency urgency = {0};
	const bool same = !tracer_limits_hurry(&urgency, child, arena) &&
			  getpriority(PRIO_PROCESS, 0) == ours;

	kill(child, SIGKILL);
	return same;
}

/* Without rights neither of them may. */
static bool becomes_as_urgent_as_its_program(struct arena *arena)
{
	const int ours = getpriority(PRIO_PROCESS, 0);
	const pid_t child = program_start(3);
	struct tracer_urgency urgency = {0};
	bool holds;

	setpriority(PRIO_PROCESS, 0, ours + 3);
	holds = !tracer_limits_hurry(&urgency, child, arena) && !tracer_limits_is_due(&urgency);
	urgency.looked_ns = 1;
	holds &= tracer_limits_is_due(&urgency);
	if (setpriority(PRIO_PROCESS, (id_t)child, ours) == 0) {
		holds &= !tracer_limits_hurry_as(&urgency, &child, 1, arena) &&
			 getpriority(PRIO_PROCESS, 0) == ours;
		tracer_limits_release(&urgency);
		holds &= getpriority(PRIO_PROCESS, 0) == ours + 3;
	}
	kill(child, SIGKILL);
	return holds;
}

static bool becomes_real_time_as_its_program(struct arena *arena)
{
	const struct sched_param fifth = {.sched_priority = 5};
	const pid_t child = program_start(0);
	struct tracer_urgency urgency = {0};
	struct sched_param own;
	bool holds = !tracer_limits_hurry(&urgency, child, arena);

	if (sched_setscheduler(child, SCHED_FIFO, &fifth) == 0) {
		holds &= !tracer_limits_hurry_as(&urgency, &child, 1, arena) &&
			 sched_getparam(0, &own) == 0 && own.sched_priority == 5;
		tracer_limits_release(&urgency);
		holds &= sched_getscheduler(0) == SCHED_OTHER;
	}
	kill(child, SIGKILL);
	return holds;
}

static bool is_not_idle_or_told(struct arena *arena)
{
	const struct sched_param none = {0};
	const pid_t child = program_start(0);
	struct tracer_urgency urgency = {0};
	const char *note;
	bool holds;

	sched_setscheduler(0, SCHED_IDLE, &none);
	note = tracer_limits_hurry(&urgency, child, arena);
	holds = sched_getscheduler(0) == (note ? SCHED_IDLE : SCHED_OTHER) &&
		(!note || strstr(note, "less urgent (SCHED_IDLE, the program has nice "));
	tracer_limits_release(&urgency);
	holds &= sched_getscheduler(0) == SCHED_IDLE;
	kill(child, SIGKILL);
	return holds;
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
	struct tracer_urgency urgency = {0};
	int ready[2];
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
	note = tracer_limits_hurry(&urgency, child, arena);
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
	in_child(is_not_idle_or_told);
}

static void a_tracer_becomes_as_urgent_as_its_program_has_become(void **state)
{
	(void)state;
	in_child(becomes_as_urgent_as_its_program);
	in_child(becomes_real_time_as_its_program);
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
		cmocka_unit_test(a_tracer_becomes_as_urgent_as_its_program_has_become),
		cmocka_unit_test(the_end_of_the_time_interrupts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
