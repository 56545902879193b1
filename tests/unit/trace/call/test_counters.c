/*
 * Counters: what calls cost by them, on a scripted target; what the files of /proc say; and the
 * counters of threads of this very process. Real programs are tests/cli/counters.sh's matter.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scripted_target.h"
#include "trace/kernel/proc_counters.h"
#include "trace/counters.h"
#include "trace/state/engine.h"
#include "trace/target/ptrace_launch.h"
#include "trace/session/session_inner.h"

/*
 * f: from CODE+0x200, ret at CODE+0x210; g: from CODE+0x300, ret at CODE+0x310. CFAs are the stack
 * pointer and 8.
 */
enum { F = CODE + 0x200, F_RET = CODE + 0x210, G = CODE + 0x300, G_RET = CODE + 0x310 };
enum { TOP = STACK + 0x1000 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range f_range = {F - CODE, G - CODE};
static const struct address_range g_range = {G - CODE, G - CODE + 0x100};
static const struct exit_site f_exit = {F_RET - CODE, EXIT_RETURN};
static const struct exit_site g_exit = {G_RET - CODE, EXIT_RETURN};
static const struct function functions[] = {
	{.name = "f",
	 .linkage = "f",
	 .ranges = &f_range,
	 .n_ranges = 1,
	 .probe_addr = F - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = &f_exit,
	 .n_exits = 1},
	{.name = "g",
	 .linkage = "g",
	 .ranges = &g_range,
	 .n_ranges = 1,
	 .probe_addr = G - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = &g_exit,
	 .n_exits = 1},
};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {
	.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 2};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

static void play(struct fixture *f, unsigned metrics, const struct scripted_stop *script, size_t n)
{
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	f->target.code[F_RET - CODE] = 0xc3;
	f->target.code[G_RET - CODE] = 0xc3;
	assert_true(session_create(&catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   &(struct session_options){.metrics = metrics}, &f->session,
				   &err));
}

static struct call_record next_call(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	assert_int_equal(event.kind, SESSION_CALL);
	return event.call;
}

static void finish(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	assert_int_equal(event.kind, SESSION_ENDED);
	session_destroy(f->session);
}

#define HIT(pc, sp, at, counts_)                                                         \
	{                                                                                \
		.stop = {.tid = 1, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		.now_ns = at, .counts = counts_                                          \
	}
#define STOP(kind_, at, counts_)                                                                 \
	{                                                                                        \
		.stop = {.tid = 1, .kind = kind_, .number = 19}, .now_ns = at, .counts = counts_ \
	}
#define WOKEN(at, counts_)                                                                   \
	{                                                                                    \
		.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = 17, .sleeps_again = true}, \
		.now_ns = at, .counts = counts_                                              \
	}
#define START HIT(ENTRY, TOP, 0, NULL)
#define EXIT                                                            \
	{                                                               \
		.stop = {.tid = 1, .kind = STOP_EXITED}, .now_ns = 9000 \
	}
#define PLAY(f, metrics, ...)                                \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, metrics, script, sizeof(script) / sizeof(script[0]))

static void assert_number(const struct call_record *call, enum metric metric, double number)
{
	assert_int_equal(call->metrics[metric].absence, PRESENT);
	assert_true(call->metrics[metric].number == number);
}

static const unsigned all = 1u << METRIC_CPU | 1u << METRIC_PFAULTS | 1u << METRIC_MAJOR_PFAULTS |
			    1u << METRIC_SWITCHES | 1u << METRIC_CYCLES;

static const struct thread_counts at_entry = {
	.opening = 1,
	.known = 1u << METRIC_CPU | 1u << METRIC_PFAULTS | 1u << METRIC_SWITCHES |
		 1u << METRIC_CYCLES,
	.numbers = {[METRIC_CPU] = 5000,
		    [METRIC_PFAULTS] = 7,
		    [METRIC_SWITCHES] = 30,
		    [METRIC_CYCLES] = 100},
};

/* @at_entry, and so much more. */
static struct thread_counts later(uint64_t cpu_ns, uint64_t pfaults, uint64_t switches,
				  uint64_t cycles)
{
	struct thread_counts counts = at_entry;

	counts.numbers[METRIC_CPU] += cpu_ns;
	counts.numbers[METRIC_PFAULTS] += pfaults;
	counts.numbers[METRIC_SWITCHES] += switches;
	counts.numbers[METRIC_CYCLES] += cycles;
	return counts;
}

static void test_a_call_costs_what_was_counted_from_its_beginning_to_its_end(void **state)
{
	const struct thread_counts end = later(2500, 3, 5, 42);
	struct call_record call;
	struct fixture f;
	PLAY(&f, all, START, HIT(F, TOP - 8, 1000, &at_entry), HIT(F_RET, TOP - 8, 5000, &end),
	     EXIT);

	(void)state;
	call = next_call(&f);
	assert_number(&call, METRIC_CPU, 2.5);
	assert_number(&call, METRIC_PFAULTS, 3);
	assert_number(&call, METRIC_CYCLES, 42);
	assert_number(&call, METRIC_SELF + METRIC_CPU, 2.5);
	finish(&f);
}

static void test_stops_are_no_switches_of_the_program_unless_it_is_stopped(void **state)
{
	const struct thread_counts end = later(0, 0, 9, 0);
	struct call_record call;
	struct fixture f;
	/* A signal, a stopped process that goes on, and the end: three of nine. */
	PLAY(&f, all, START, HIT(F, TOP - 8, 1000, &at_entry), STOP(STOP_SIGNAL, 2000, NULL),
	     STOP(STOP_GROUP, 3000, NULL), STOP(STOP_EVENT, 4000, NULL),
	     HIT(F_RET, TOP - 8, 5000, &end), EXIT);

	(void)state;
	call = next_call(&f);
	assert_number(&call, METRIC_SWITCHES, 9 - 3);
	finish(&f);
}

/*
 * It sleeps and is woken by two signals at once; sleeps again and is woken; and then ends without
 * having slept.
 */
static void test_a_sleep_that_is_taken_up_again_for_our_sake_is_one_sleep(void **state)
{
	const struct thread_counts first = later(0, 0, 2, 0);
	const struct thread_counts second = later(0, 0, 3, 0);
	const struct thread_counts third = later(0, 0, 5, 0);
	const struct thread_counts end = later(0, 0, 6, 0);
	struct call_record call;
	struct fixture f;
	PLAY(&f, all, START, HIT(F, TOP - 8, 1000, &at_entry), WOKEN(2000, &first),
	     WOKEN(2001, &second), WOKEN(3000, &third), HIT(F_RET, TOP - 8, 5000, &end), EXIT);

	(void)state;
	call = next_call(&f);
	assert_number(&call, METRIC_SWITCHES, 1);
	finish(&f);
}

static void test_what_callees_cost_is_left_out_of_self(void **state)
{
	const struct thread_counts g_begin = later(1000, 1, 1, 0);
	const struct thread_counts g_end = later(4000, 6, 4, 0);
	const struct thread_counts end = later(4500, 8, 6, 0);
	struct call_record inner, outer;
	struct fixture f;
	PLAY(&f, all, START, HIT(F, TOP - 8, 1000, &at_entry), HIT(G, TOP - 40, 2000, &g_begin),
	     HIT(G_RET, TOP - 40, 5000, &g_end), HIT(F_RET, TOP - 8, 6000, &end), EXIT);

	(void)state;
	inner = next_call(&f);
	assert_number(&inner, METRIC_CPU, 3);
	assert_number(&inner, METRIC_PFAULTS, 5);
	assert_number(&inner, METRIC_SWITCHES, 2);
	outer = next_call(&f);
	assert_number(&outer, METRIC_CPU, 4.5);
	assert_number(&outer, METRIC_SELF + METRIC_CPU, 1.5);
	assert_number(&outer, METRIC_SELF + METRIC_PFAULTS, 3);
	assert_number(&outer, METRIC_SWITCHES, 3);
	assert_number(&outer, METRIC_SELF + METRIC_SWITCHES, 1);
	finish(&f);
}

static void assert_not_counted(enum metric metric, const struct thread_counts *begin,
			       const struct thread_counts *end, enum absence absence)
{
	struct call_record call;
	struct fixture f;
	PLAY(&f, all, START, HIT(F, TOP - 8, 1000, begin), HIT(F_RET, TOP - 8, 5000, end), EXIT);

	call = next_call(&f);
	assert_int_equal(call.metrics[metric].absence, absence);
	assert_int_equal(call.metrics[METRIC_SELF + metric].absence, absence);
	finish(&f);
}

static void test_what_was_not_counted_all_the_time_is_absent(void **state)
{
	struct thread_counts end = later(2500, 3, 5, 42);
	struct thread_counts begin = at_entry;

	(void)state;
	assert_not_counted(METRIC_MAJOR_PFAULTS, &begin, &end, ABSENT_NOT_COUNTED);
	assert_not_counted(METRIC_CPU, NULL, &end, ABSENT_NOT_COUNTED);
	assert_not_counted(METRIC_CPU, &begin, NULL, ABSENT_NOT_COUNTED);
	end.uncounted_ns =
		/* the processor had no room for hardware events, which is nothing to the others */
		1;
	assert_not_counted(METRIC_CYCLES, &begin, &end, ABSENT_NOT_COUNTED);
	assert_not_counted(METRIC_CPU, &begin, &end, PRESENT);
	end = later(2500, 3, 5, 42);
	end.opening = 2; /* another thread of the same number */
	assert_not_counted(METRIC_CPU, &begin, &end, ABSENT_NOT_COUNTED);
}

static void test_nothing_is_counted_that_was_not_asked_for(void **state)
{
	const struct thread_counts end = later(2500, 3, 5, 42);
	struct call_record call;
	struct fixture f;
	PLAY(&f, 1u << METRIC_TIME, START, HIT(F, TOP - 8, 1000, &at_entry),
	     HIT(F_RET, TOP - 8, 5000, &end), EXIT);

	(void)state;
	call = next_call(&f);
	assert_int_equal(call.metrics[METRIC_CPU].absence, ABSENT_NOT_MEASURED);
	assert_null(strstr(f.target.log, "counters"));
	finish(&f);
}

static void test_a_total_is_counted_for_its_own_part(void **state)
{
	const struct thread_counts end = later(2500, 3, 5, 42);
	struct call_record call;
	struct fixture f;
	PLAY(&f, 1u << (METRIC_SELF + METRIC_CPU), START, HIT(F, TOP - 8, 1000, &at_entry),
	     HIT(F_RET, TOP - 8, 5000, &end), EXIT);

	(void)state;
	call = next_call(&f);
	assert_number(&call, METRIC_SELF + METRIC_CPU, 2.5);
	assert_non_null(strstr(f.target.log, "counters 1 2\n")); /* 1 << METRIC_CPU */
	finish(&f);
}

static void test_the_files_are_read_whatever_the_program_is_called(void **state)
{
	uint64_t numbers[METRIC_SUMS] = {0};

	(void)state;
	assert_true(proc_counters_parse(
		COUNTER_STAT, "12 (a) R 1 2 3 (b c) S 1 1 1 0 -1 4194560 1234 5 67 8 9 10",
		numbers));
	assert_int_equal(numbers[METRIC_PFAULTS], 1234);
	assert_int_equal(numbers[METRIC_MAJOR_PFAULTS], 67);
	assert_true(proc_counters_parse(COUNTER_STATUS,
					"Name:\tvoluntary_ctxt_switches:\\n9\nTgid:\t1\n"
					"voluntary_ctxt_switches:\t150\n"
					"nonvoluntary_ctxt_switches:\t545\n",
					numbers));
	assert_int_equal(numbers[METRIC_SWITCHES], 695);
	assert_true(proc_counters_parse(COUNTER_SCHEDSTAT, "36239 141062 1\n", numbers));
	assert_int_equal(numbers[METRIC_CPU], 36239);
}

static void test_a_file_that_says_nothing_is_no_zero(void **state)
{
	uint64_t numbers[METRIC_SUMS];

	(void)state;
	assert_false(proc_counters_parse(COUNTER_STAT, "", numbers));
	assert_false(proc_counters_parse(COUNTER_STAT, "12 (a) S 1 1", numbers));
	assert_false(proc_counters_parse(COUNTER_STATUS, "voluntary_ctxt_switches:\t1", numbers));
	assert_false(proc_counters_parse(
		COUNTER_STATUS, "\nvoluntary_ctxt_switches:\n\nnonvoluntary_ctxt_switches:\tx",
		numbers));
	assert_false(proc_counters_parse(COUNTER_SCHEDSTAT, "0 0 0\n", numbers));
	assert_false(proc_counters_parse(COUNTER_SCHEDSTAT, "", numbers));
}

static void touch(size_t n)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	volatile char *memory =
		mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	madvise((void *)memory, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		memory[i * page] = 1;
	munmap((void *)memory, n * page);
}

static const unsigned software = 1u << METRIC_CPU | 1u << METRIC_PFAULTS | 1u << METRIC_SWITCHES;

static void test_a_thread_is_charged_for_its_faults_but_not_for_those_in_between(void **state)
{
	struct counters *counters = counters_create();
	struct thread_counts before, after;

	(void)state;
	touch(1); /* what is cold */
	counters_read(counters, gettid(), software, &before);
	counters_read(counters, gettid(), software, &before);
	touch(37);
	counters_suspend(counters, gettid());
	touch(1000);
	counters_continue(counters, gettid());
	touch(5);
	usleep(1000); /* a thread that runs is charged when it stops */
	counters_read(counters, gettid(), software, &after);
	assert_int_equal(after.known, software);
	assert_int_equal(after.opening, before.opening);
	assert_in_range(after.numbers[METRIC_PFAULTS] - before.numbers[METRIC_PFAULTS], 42, 60);
	assert_true(after.numbers[METRIC_CPU] > before.numbers[METRIC_CPU]);
	counters_destroy(counters);
}

static void test_what_a_thread_is_made_to_call_for_us_is_not_counted(void **state)
{
	char *argv[] = {"true", NULL};
	struct remote_call call = {.number = SYS_getppid};
	struct thread_counts before, after;
	struct user_regs_struct registers;
	struct target target;
	struct err err;
	int64_t parent;
	pid_t tid;
	int i;

	(void)state;
	assert_true(ptrace_launch(&(struct launch){"/bin/true", argv, false}, &target, &tid, &err));
	assert_true(target.ops->get_registers(target.self, tid, &registers));
	call.code = registers.rip;
	/*
	 * Behind exec(2) the kernel still sets what that returns, so this one is read(0, NULL, 0).
	 */
	assert_true(target.ops->system_call(target.self, tid, &call, &parent));
	target.ops->counters(target.self, tid, software, &before);
	for (i = 0; i < 3; i++) {
		assert_true(target.ops->system_call(target.self, tid, &call, &parent));
		assert_int_equal(parent, getpid());
	}
	target.ops->counters(target.self, tid, software, &after);
	assert_int_equal(after.known, software);
	assert_int_equal(after.numbers[METRIC_SWITCHES], before.numbers[METRIC_SWITCHES]);
	assert_int_equal(after.numbers[METRIC_PFAULTS], before.numbers[METRIC_PFAULTS]);
	assert_int_equal(after.numbers[METRIC_CPU], before.numbers[METRIC_CPU]);
	target.ops->destroy(target.self);
}

/* What files this process has open. */
static unsigned open_files(void)
{
	unsigned n = 0;
	int fd;

	for (fd = 0; fd < 1000; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

static void test_a_thread_that_is_gone_leaves_no_file_open(void **state)
{
	const unsigned before = open_files();
	struct counters *counters = counters_create();
	struct thread_counts first, second;

	(void)state;
	counters_read(counters, gettid(), software, &first);
	assert_true(counters_is_open(counters, gettid()));
	assert_true(open_files() > before);
	counters_forget(counters, gettid());
	assert_false(counters_is_open(counters, gettid()));
	assert_int_equal(open_files(), before);
	counters_read(counters, gettid(), software, &second);
	assert_int_not_equal(second.opening, first.opening);
	counters_destroy(counters);
	assert_int_equal(open_files(), before);
}

static void test_nobody_who_does_not_exist_is_counted(void **state)
{
	struct counters *counters = counters_create();
	struct thread_counts counts;

	(void)state;
	counters_read(counters, 0x3fffffff, software, &counts);
	assert_int_equal(counts.known, 0);
	counters_destroy(counters);
}

/* In a child of its own: what a process may open cannot be more again. */
static int count_with_limit(rlim_t soft, rlim_t hard)
{
	struct rlimit limit = {soft, hard};
	struct counters *counters = counters_create();
	struct thread_counts counts;

	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 99;
	counters_read(counters, gettid(), software, &counts);
	getrlimit(RLIMIT_NOFILE, &limit);
	counters_destroy(counters);
	return (counts.known == software) + 2 * (limit.rlim_cur > soft);
}

static int status_with_limit(rlim_t soft, rlim_t hard)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(count_with_limit(soft, hard));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_files_are_left_to_others_and_the_limit_is_raised_only_when_it_must_be(void **state)
{
	(void)state;
	assert_int_equal(status_with_limit(256, 512), 1);
	assert_int_equal(status_with_limit(12, 512), 1 + 2);
	assert_int_equal(status_with_limit(12, 12), 0);
}

static void assert_refused(int number, const char *words)
{
	struct err err;

	assert_false(counters_refused(METRIC_CACHE_MISSES, number, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "cachemisses cannot be measured"));
	assert_non_null(strstr(err.text, words));
}

static void test_a_refusal_says_what_to_do(void **state)
{
	(void)state;
	assert_refused(ENOENT, "no hardware counter for it; leave it out");
	assert_refused(EOPNOTSUPP, "no hardware counter for it; leave it out");
	assert_refused(EACCES, "perf_event_paranoid");
	assert_refused(EPERM, "perf_event_paranoid");
	assert_refused(ENOSYS, "no perf_event_open");
	assert_refused(EINVAL, "ask for fewer");
	assert_refused(EMFILE, "open files");
}

static void test_what_needs_no_counter_is_never_refused(void **state)
{
	const char *note;
	struct err err;

	(void)state;
	assert_true(counters_check(1u << METRIC_TIME, &note, &err));
	assert_null(note);
	assert_true(
		counters_check(1u << METRIC_CPU | 1u << (METRIC_SELF + METRIC_CPU), &note, &err));
	assert_null(note);
	assert_true(counters_check(software, &note, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_costs_what_was_counted_from_its_beginning_to_its_end),
		cmocka_unit_test(test_stops_are_no_switches_of_the_program_unless_it_is_stopped),
		cmocka_unit_test(test_a_sleep_that_is_taken_up_again_for_our_sake_is_one_sleep),
		cmocka_unit_test(test_what_callees_cost_is_left_out_of_self),
		cmocka_unit_test(test_what_was_not_counted_all_the_time_is_absent),
		cmocka_unit_test(test_nothing_is_counted_that_was_not_asked_for),
		cmocka_unit_test(test_a_total_is_counted_for_its_own_part),
		cmocka_unit_test(test_the_files_are_read_whatever_the_program_is_called),
		cmocka_unit_test(test_a_file_that_says_nothing_is_no_zero),
		cmocka_unit_test(
			test_a_thread_is_charged_for_its_faults_but_not_for_those_in_between),
		cmocka_unit_test(test_what_a_thread_is_made_to_call_for_us_is_not_counted),
		cmocka_unit_test(test_a_thread_that_is_gone_leaves_no_file_open),
		cmocka_unit_test(test_nobody_who_does_not_exist_is_counted),
		cmocka_unit_test(
			test_files_are_left_to_others_and_the_limit_is_raised_only_when_it_must_be),
		cmocka_unit_test(test_a_refusal_says_what_to_do),
		cmocka_unit_test(test_what_needs_no_counter_is_never_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
