/*
 * A real tracee, stopped: the processor that is shared with it, how long it ran, and its registers.
 */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/target/cpu_affinity.h"
#include "trace/target/register_cache.h"
#include "trace/kernel/tracee_run_time.h"

/* A child that is stopped, and would go on to exit with 7. */
static pid_t stopped_child(void)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static cpu_set_t affinity_of(pid_t tid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(tid, sizeof(set), &set), 0);
	return set;
}

static void begin(struct cpu_affinity *share, pid_t pid)
{
	memset(share, 0, sizeof(*share));
	cpu_affinity_share_begin(share, pid, 1);
	if (share->active)
		return;
	end(pid);
	skip(); /* a real-time priority is not permitted */
}

static void assert_affinity(pid_t tid, cpu_set_t expected)
{
	cpu_set_t set = affinity_of(tid);

	assert_true(CPU_EQUAL(&set, &expected));
}

static void a_shared_tracee_gets_its_affinity_back(void **state)
{
	struct cpu_affinity share;
	pid_t pid = stopped_child();
	cpu_set_t all = affinity_of(pid);
	cpu_set_t narrowed;

	(void)state;
	begin(&share, pid);
	if (CPU_COUNT(&all) == 1) {
		cpu_affinity_share_end(&share);
		end(pid);
		skip();
	}
	assert_true(cpu_affinity_share_before(&share, pid, 2));
	narrowed = affinity_of(pid);
	assert_int_equal(CPU_COUNT(&narrowed), 1);
	assert_true(CPU_ISSET(share.processor, &narrowed));
	assert_true(CPU_ISSET(share.processor, &all));
	cpu_affinity_share_after(&share, pid);
	assert_affinity(pid, all);
	cpu_affinity_share_end(&share);
	end(pid);
}

static void a_tracee_with_one_processor_keeps_it_until_it_has_more(void **state)
{
	const uint64_t later = 1000000000;
	struct cpu_affinity share;
	pid_t pid = stopped_child();
	cpu_set_t all = affinity_of(pid);
	cpu_set_t one;

	(void)state;
	begin(&share, pid);
	CPU_ZERO(&one);
	CPU_SET(share.processor, &one);
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
	assert_false(cpu_affinity_share_before(&share, pid, 2));
	assert_affinity(pid, one);
	assert_int_equal(sched_setaffinity(pid, sizeof(all), &all), 0);
	assert_false(cpu_affinity_share_before(&share, pid, 3)); /* not looked up yet */
	assert_affinity(pid, all);
	if (CPU_COUNT(&all) > 1) {
		assert_true(cpu_affinity_share_before(&share, pid, later));
		cpu_affinity_share_after(&share, pid);
		assert_affinity(pid, all);
	}
	cpu_affinity_share_end(&share);
	end(pid);
}

static void a_tracee_with_a_real_time_priority_is_left_alone(void **state)
{
	const struct sched_param high = {.sched_priority = 2};
	struct cpu_affinity share;
	pid_t pid = stopped_child();
	cpu_set_t all = affinity_of(pid);

	(void)state;
	begin(&share, pid);
	if (sched_setscheduler(pid, SCHED_FIFO, &high) == 0) {
		assert_false(cpu_affinity_share_before(&share, pid, 2));
		assert_affinity(pid, all);
	}
	cpu_affinity_share_end(&share);
	end(pid);
}

static void the_tracer_is_scheduled_as_before_when_it_shares_no_more(void **state)
{
	struct cpu_affinity share;
	pid_t pid = stopped_child();
	cpu_set_t own = affinity_of(0);
	int policy = sched_getscheduler(0);

	(void)state;
	begin(&share, pid);
	assert_int_equal(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
	cpu_affinity_share_end(&share);
	assert_int_equal(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, policy);
	assert_affinity(0, own);
	end(pid);
}

static void what_the_tracer_forks_has_no_priority(void **state)
{
	struct cpu_affinity share;
	pid_t pid = stopped_child();
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	pid_t other;

	(void)state;
	begin(&share, pid);
	other = stopped_child();
	assert_int_equal(sched_getscheduler(other), policy);
	cpu_affinity_share_end(&share);
	end(other);
	end(pid);
}

/* Stops again and again; does @between in between. */
static pid_t child_that_stops(void (*between)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		for (;;) {
			raise(SIGSTOP);
			between();
		}
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return pid;
}

static void do_nothing(void)
{
}

static void sleep_a_while(void)
{
	usleep(2000);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* The idle time from a resume to a stop that is looked at late. */
static uint64_t idle_of(struct tracee_run_time *clock, pid_t pid, useconds_t late_us)
{
	bool is_far;
	int status;

	tracee_run_time_resumed(clock, pid, now_ns());
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	usleep(late_us);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
}

static struct tracee_run_time *clock_of(bool counts_only)
{
	struct tracee_run_time *clock = tracee_run_time_create();

	if (counts_only)
		tracee_run_time_count_only(clock);
	return clock;
}

/* By counts it may be driven away now and then on a busy machine. */
static void check_seen_late(bool counts_only)
{
	struct tracee_run_time *clock = clock_of(counts_only);
	pid_t pid = child_that_stops(do_nothing);
	uint64_t idle_ns = 0;
	int i;
	bool is_far;

	assert_int_equal(tracee_run_time_stopped(clock, pid, now_ns(), &is_far),
			 0); /* nothing to compare with */
	for (i = 0; i < 100 && !idle_ns; i++)
		idle_ns = idle_of(clock, pid, 20000);
	tracee_run_time_destroy(clock);
	end(pid);
	if (!idle_ns)
		skip(); /* the kernel does not count */
	assert_in_range(idle_ns, 15000000, 10000000000);
}

static void a_stop_that_is_seen_late_is_known_to_have_been_earlier(void **state)
{
	(void)state;
	check_seen_late(false);
}

static void so_it_is_where_only_counts_are_known(void **state)
{
	(void)state;
	check_seen_late(true);
}

/* It sleeps for 2 ms at least, whatever else is known. */
/* Another with the same lower bits of its number: many have come between. */
static pid_t child_that_collides(pid_t first)
{
	for (;;) {
		const pid_t pid = child_that_stops(do_nothing);

		if ((pid - first) % 128 == 0)
			return pid;
		end(pid);
	}
}

static void of_each_of_many_tracees_that_stop_in_turn_it_is_known(void **state)
{
	struct tracee_run_time *clock = clock_of(false);
	const pid_t first = child_that_stops(do_nothing), second = child_that_collides(first);
	uint64_t first_ns = 0, second_ns = 0;
	bool is_far;

	(void)state;
	tracee_run_time_stopped(clock, first, now_ns(), &is_far);
	tracee_run_time_stopped(clock, second, now_ns(), &is_far);
	for (int i = 0; i < 100 && (!first_ns || !second_ns); i++) {
		first_ns += idle_of(clock, first, 2000);
		second_ns += idle_of(clock, second, 2000);
	}
	tracee_run_time_destroy(clock);
	end(first);
	end(second);
	if (!first_ns)
		skip(); /* the kernel does not count */
	assert_true(second_ns > 0);
}

static void that_a_tracee_slept_is_its_own_time(void **state)
{
	struct tracee_run_time *clock = clock_of(false);
	pid_t pid = child_that_stops(sleep_a_while);
	int i;
	bool is_far;

	(void)state;
	tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
	for (i = 0; i < 5; i++) {
		const uint64_t begin_ns = now_ns();
		const uint64_t idle_ns = idle_of(clock, pid, 10);

		assert_true(now_ns() - begin_ns >= 2000000 + idle_ns);
	}
	tracee_run_time_destroy(clock);
	end(pid);
}

static void of_a_tracee_that_slept_counts_tell_nothing(void **state)
{
	struct tracee_run_time *clock = clock_of(true);
	pid_t pid = child_that_stops(sleep_a_while);
	int i;
	bool is_far;

	(void)state;
	tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
	for (i = 0; i < 5; i++)
		assert_int_equal(idle_of(clock, pid, 10), 0);
	tracee_run_time_destroy(clock);
	end(pid);
}

/* Of the processor, not of the clock. */
static void spin_ms(unsigned ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
	       ms * 1000000);
}

static void spin_a_while(void)
{
	spin_ms(20);
}

/*
 * Both need one processor, the tracee for 20 ms, the tracer for 3 ms of the time until it has seen
 * the stop: whoever comes first, these are not the tracee's.
 */
static void what_the_tracer_took_from_a_tracees_processor_is_known(void **state)
{
	const cpu_set_t own = affinity_of(0);
	struct tracee_run_time *clock = clock_of(false);
	uint64_t idle_ns;
	cpu_set_t one;
	pid_t pid;
	int status;
	bool is_far;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid = child_that_stops(spin_a_while);
	tracee_run_time_several(clock);
	tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
	tracee_run_time_resumed(clock, pid, now_ns());
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	usleep(5000);
	spin_ms(3);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	idle_ns = tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
	sched_setaffinity(0, sizeof(own), &own);
	tracee_run_time_destroy(clock);
	end(pid);
	if (!idle_ns)
		skip(); /* switches are not permitted */
	assert_in_range(idle_ns, 3000000, 10000000000);
}

/* Of both that need one processor. */
static struct {
	atomic_ulong turns; /* of the rival's loop */
	uint64_t ran_ns;    /* the tracee surely has */
} * rivals;

/* Spins on the tracee's processor until it is killed. */
static pid_t rival(void)
{
	const pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	while (!pid)
		rivals->turns++;
	return pid;
}

/* Two switches between one look at the clock and the next would take longer. */
static void spin_until_the_rival_ran(void)
{
	enum { SURELY_RAN_NS = 500 };
	const unsigned long turns = rivals->turns;
	uint64_t before = now_ns();

	rivals->ran_ns = 0;
	while (rivals->turns == turns) {
		const uint64_t now = now_ns();

		rivals->ran_ns += now - before <= SURELY_RAN_NS ? now - before : 0;
		before = now;
	}
}

/*
 * Another process has its processor meanwhile, in turns: what it waited and what it ran is not more
 * than all of the time in between.
 */
static void that_others_had_its_processor_is_known(void **state)
{
	const cpu_set_t own = affinity_of(0);
	struct tracee_run_time *clock = clock_of(false);
	uint64_t begin_ns, end_ns, waited_ns, waited_before_ns;
	cpu_set_t one;
	pid_t pid, other;
	int status;
	bool is_far, known;

	(void)state;
	rivals = mmap(NULL, sizeof(*rivals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(rivals != MAP_FAILED);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid = child_that_stops(spin_until_the_rival_ran);
	other = rival();
	sched_setaffinity(0, sizeof(own), &own);
	tracee_run_time_stopped(clock, pid, now_ns(), &is_far);
	waited_before_ns = tracee_run_time_waited(clock, pid, 0, now_ns());
	begin_ns = now_ns();
	tracee_run_time_resumed(clock, pid, begin_ns);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	end_ns = now_ns();
	known = tracee_run_time_stopped(clock, pid, end_ns, &is_far) > 0;
	waited_ns = tracee_run_time_waited(clock, pid, begin_ns, end_ns);
	assert_int_equal(tracee_run_time_waited(clock, pid, end_ns, end_ns + 1000000), 0);
	tracee_run_time_destroy(clock);
	kill(other, SIGKILL);
	waitpid(other, &status, 0);
	end(pid);
	assert_int_equal(waited_before_ns, 0);
	if (!known)
		skip(); /* switches are not permitted */
	assert_true(waited_ns > 0);
	assert_true(end_ns - begin_ns >= rivals->ran_ns + waited_ns);
	munmap(rivals, sizeof(*rivals));
}

static void check_gone(bool counts_only)
{
	struct tracee_run_time *clock = clock_of(counts_only);
	pid_t pid = child_that_stops(do_nothing);
	bool is_far;

	tracee_run_time_stopped(clock, pid, 1, &is_far);
	tracee_run_time_resumed(clock, pid, 2);
	end(pid);
	assert_int_equal(tracee_run_time_stopped(clock, pid, 3, &is_far), 0);
	tracee_run_time_destroy(clock);
}

static void of_a_tracee_that_is_gone_nothing_is_known(void **state)
{
	(void)state;
	check_gone(false);
	check_gone(true);
}

static struct user_regs_struct registers_of(pid_t pid)
{
	struct user_regs_struct registers;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &registers), 0);
	return registers;
}

static void registers_are_set_whatever_of_them_changes(void **state)
{
	struct register_cache cache = {0};
	struct user_regs_struct registers, now;
	pid_t pid = stopped_child();

	(void)state;
	assert_true(register_cache_get(&cache, pid, &registers));
	registers.rip = 0x1234;
	assert_true(register_cache_set(&cache, pid, &registers));
	now = registers_of(pid);
	assert_memory_equal(&now, &registers, sizeof(now));
	registers.rip = 0x5678;
	registers.rbx = 42;
	assert_true(register_cache_set(&cache, pid, &registers));
	now = registers_of(pid);
	assert_memory_equal(&now, &registers, sizeof(now));
	end(pid);
}

static void registers_of_another_tracee_and_of_one_that_ran_are_not_known(void **state)
{
	struct register_cache cache = {0};
	struct user_regs_struct registers, other, now;
	pid_t first = stopped_child();
	pid_t second = stopped_child();

	(void)state;
	assert_true(register_cache_get(&cache, first, &registers));
	other = registers_of(second);
	other.r12 = 12;
	assert_int_equal(ptrace(PTRACE_SETREGS, second, NULL, &other), 0);
	assert_true(register_cache_set(&cache, second, &registers));
	now = registers_of(second);
	assert_int_equal(now.r12, registers.r12);

	assert_true(register_cache_get(&cache, first, &registers));
	register_cache_forget(&cache);
	other = registers;
	other.r12 = 12;
	assert_int_equal(ptrace(PTRACE_SETREGS, first, NULL, &other), 0);
	assert_true(register_cache_set(&cache, first, &registers));
	now = registers_of(first);
	assert_int_equal(now.r12, registers.r12);
	end(first);
	end(second);
}

static void registers_of_what_is_gone_cannot_be_had(void **state)
{
	struct register_cache cache = {0};
	struct user_regs_struct registers;
	pid_t pid = stopped_child();

	(void)state;
	assert_true(register_cache_get(&cache, pid, &registers));
	end(pid);
	registers.rip++;
	assert_false(register_cache_set(&cache, pid, &registers));
	assert_false(register_cache_get(&cache, pid, &registers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shared_tracee_gets_its_affinity_back),
		cmocka_unit_test(a_tracee_with_one_processor_keeps_it_until_it_has_more),
		cmocka_unit_test(a_tracee_with_a_real_time_priority_is_left_alone),
		cmocka_unit_test(the_tracer_is_scheduled_as_before_when_it_shares_no_more),
		cmocka_unit_test(what_the_tracer_forks_has_no_priority),
		cmocka_unit_test(a_stop_that_is_seen_late_is_known_to_have_been_earlier),
		cmocka_unit_test(so_it_is_where_only_counts_are_known),
		cmocka_unit_test(of_each_of_many_tracees_that_stop_in_turn_it_is_known),
		cmocka_unit_test(that_a_tracee_slept_is_its_own_time),
		cmocka_unit_test(of_a_tracee_that_slept_counts_tell_nothing),
		cmocka_unit_test(that_others_had_its_processor_is_known),
		cmocka_unit_test(what_the_tracer_took_from_a_tracees_processor_is_known),
		cmocka_unit_test(of_a_tracee_that_is_gone_nothing_is_known),
		cmocka_unit_test(registers_are_set_whatever_of_them_changes),
		cmocka_unit_test(registers_of_another_tracee_and_of_one_that_ran_are_not_known),
		cmocka_unit_test(registers_of_what_is_gone_cannot_be_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
