/* From the kernel's records of each thread to one account of all, and from that to pauses. */
#include "causal_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "causal_watch.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/proc_file.h"
#include "trace/session_halt.h"

/* Shorter pauses cost more than they are. */
static const int64_t PAUSE_LEAST_NS = 200000;
/* A debt that is as good as paid. */
static const int64_t PAID_NS = 50000;

/* Of the stack in a sample: callers beyond that are not known. */
enum { STACK_BYTES = 4096 };

struct causal_moment {
	struct context_switch what; /* without the stack */
	size_t watch;
	int unit, pass;
	uint64_t times; /* that it passed */
};

static struct causal_watch *find_watch(struct causal_threads *threads, pid_t tid)
{
	size_t i;

	for (i = 0; i < threads->n; i++)
		if (threads->list[i].tid == tid)
			return &threads->list[i];
	return NULL;
}

static bool watch_thread(struct causal_threads *threads, pid_t tid, struct err *err)
{
	int schedstat;
	const struct switch_samples samples = {.period_ns = CAUSAL_SAMPLE_NS,
					       .stack = STACK_BYTES,
					       .addresses = threads->addresses,
					       .n_addresses = threads->n_addresses};
	struct context_switches *switches = context_switches_open_sampled(tid, &samples);

	if (!switches && errno == ESRCH)
		return true;
	if (!switches && (errno == ENOSPC || errno == EINVAL) && threads->n_addresses)
		return err_set_errno(
			err, ERR_UNSUPPORTED, errno,
			"the processor's debug registers, by which lines are counted, and "
			"arrivals at functions without a pad, are not to be had here: "
			"name a function instead, or fewer points");
	if (!switches)
		return err_set_errno(err, ERR_UNSUPPORTED, errno,
				     "the kernel does not let threads be sampled (as root: sysctl "
				     "kernel.perf_event_paranoid=2; in a container also allow "
				     "perf_event_open; of many threads: ulimit -l)");
	threads->list =
		mem_grow(threads->list, &threads->capacity, threads->n + 1, sizeof(*threads->list));
	if (!proc_open(tid, "schedstat", O_RDONLY, &schedstat))
		schedstat = -1;
	threads->list[threads->n++] =
		(struct causal_watch){.tid = tid,
				      .process = (pid_t)proc_status(tid, "Tgid:"),
				      .switches = switches,
				      .schedstat = schedstat,
				      .wait.until_ns = UINT64_MAX,
				      .seen = true};
	causal_account_add(&threads->account, tid, 0);
	return true;
}

static void drop_watch(struct causal_threads *threads, size_t i)
{
	causal_account_remove(&threads->account, threads->list[i].tid);
	context_switches_close(threads->list[i].switches);
	if (threads->list[i].schedstat >= 0)
		close(threads->list[i].schedstat);
	threads->list[i] = threads->list[--threads->n];
}

/* Threads come and go. */
static bool update_list(struct causal_threads *threads, struct err *err)
{
	pid_t tids[CAUSAL_THREADS_MAX];
	const size_t n = session_threads(threads->session, tids, CAUSAL_THREADS_MAX);
	struct causal_watch *watch;
	size_t i;

	for (i = 0; i < threads->n; i++)
		threads->list[i].seen = false;
	for (i = 0; i < n; i++) {
		watch = find_watch(threads, tids[i]);
		if (watch)
			watch->seen = true;
		else if (!watch_thread(threads, tids[i], err))
			return false;
	}
	for (i = threads->n; i-- > 0;)
		if (!threads->list[i].seen)
			drop_watch(threads, i);
	return true;
}

static int compare_moments(const void *a, const void *b)
{
	const struct causal_moment *left = a, *right = b;

	return (left->what.when_ns > right->what.when_ns) -
	       (left->what.when_ns < right->what.when_ns);
}

/* The stack is there only until the next record is taken. */
static int sample_unit(struct causal_threads *threads, const struct causal_watch *watch,
		       const struct context_switch *what)
{
	const struct user_stack *stack = what->stack;
	const struct causal_sample sample = {.process = watch->process,
					     .thread = watch->tid,
					     .pc = what->pc,
					     .registers = stack ? stack->registers : NULL,
					     .stack = stack ? stack->bytes : NULL,
					     .stack_size = stack ? stack->size : 0};

	return what->is_sample ? threads->sight.unit_of(threads->sight.self, &sample)
			       : CAUSAL_NO_UNIT;
}

static int pass_of(const struct causal_threads *threads, const struct context_switch *what)
{
	size_t i;

	for (i = 0; what->is_pass && i < threads->n_addresses; i++)
		if (threads->addresses[i] == what->pc)
			return (int)i;
	return -1;
}

static void collect_moment(struct causal_threads *threads, const struct causal_moment *moment)
{
	threads->moments = mem_grow(threads->moments, &threads->moments_capacity,
				    threads->n_moments + 1, sizeof(*threads->moments));
	threads->moments[threads->n_moments++] = *moment;
}

static void collect_of(struct causal_threads *threads, size_t i)
{
	struct context_switch what;

	while (context_switches_take(threads->list[i].switches, &what))
		collect_moment(threads,
			       &(struct causal_moment){
				       what, i, sample_unit(threads, &threads->list[i], &what),
				       pass_of(threads, &what), what.is_pass});
	threads->lost |= context_switches_lost(threads->list[i].switches);
}

/* Calls of a function that began since the last look did so just now. */
static void collect_begun(struct causal_threads *threads, size_t i, uint64_t now_ns)
{
	struct causal_watch *watch = &threads->list[i];

	for (size_t k = 0; k < threads->n_functions; k++) {
		const uint64_t begun =
			session_begun_in(threads->session, threads->functions[k], watch->tid);

		if (begun == watch->begun[k])
			continue;
		collect_moment(threads,
			       &(struct causal_moment){{.when_ns = now_ns, .is_pass = true},
						       i,
						       CAUSAL_NO_UNIT,
						       CAUSAL_ADDRESSES_MAX + (int)k,
						       begun - watch->begun[k]});
		threads->begun[k] += begun - watch->begun[k];
		watch->begun[k] = begun;
	}
}

/* In threads that have ended, and in stops. */
static void take_others_begun(struct causal_threads *threads, uint64_t now_ns)
{
	for (size_t k = 0; k < threads->n_functions; k++) {
		const uint64_t begun = session_begun(threads->session, threads->functions[k]);
		const struct causal_seen seen = {.when_ns = now_ns,
						 .unit = CAUSAL_NO_UNIT,
						 .pass = CAUSAL_ADDRESSES_MAX + (int)k,
						 .times = begun - threads->begun[k]};

		if (begun <= threads->begun[k])
			continue;
		threads->sight.seen(threads->sight.self, &seen);
		threads->begun[k] = begun;
	}
}

static void collect_moments(struct causal_threads *threads)
{
	const uint64_t now_ns = clock_now_ns();
	size_t i;

	if (threads->n_functions)
		session_count(threads->session);
	threads->n_moments = 0;
	for (i = 0; i < threads->n; i++) {
		collect_of(threads, i);
		collect_begun(threads, i, now_ns);
	}
	take_others_begun(threads, now_ns);
	qsort(threads->moments, threads->n_moments, sizeof(*threads->moments), compare_moments);
}

static void take_off(struct causal_threads *threads, struct causal_watch *watch,
		     struct causal_thread *thread, const struct context_switch *what)
{
	causal_between_off(&watch->stretch, what->when_ns);
	if (what->preempted)
		return;
	watch->off_ns = what->when_ns;
	if (watch->asked_asleep)
		return;
	if (watch->asked && what->when_ns >= watch->asked_ns) {
		if (!watch->paused_ns)
			watch->paused_ns = what->when_ns;
		return;
	}
	watch->known = false;
	causal_account_block(&threads->account, thread, what->when_ns);
}

/* Of a wait that is over: what is of this experiment. */
static uint64_t waited_since(const struct causal_threads *threads,
			     const struct causal_thread *thread, uint64_t when_ns)
{
	const uint64_t began_ns = threads->processors.began_ns;
	const uint64_t since_ns =
		thread->blocked_at_ns > began_ns ? thread->blocked_at_ns : began_ns;

	return when_ns > since_ns ? when_ns - since_ns : 0;
}

static void take_on(struct causal_threads *threads, struct causal_watch *watch,
		    struct causal_thread *thread, const struct context_switch *what)
{
	const bool in_time =
		!watch->known || watch->wait.sleeps || what->when_ns < watch->wait.until_ns;
	const enum causal_wake by = in_time ? watch->wait.by : CAUSAL_WAKE_OUTSIDE;

	causal_between_on(&watch->stretch, what->when_ns);
	if (watch->released_ns && what->when_ns > watch->released_ns) {
		watch->late_ns += what->when_ns - watch->released_ns;
		watch->released_ns = 0;
	}
	if (watch->asked_asleep)
		return;
	if (thread->blocked && watch->known && watch->wait.paced && in_time)
		watch->maybe_paced_ns += waited_since(threads, thread, what->when_ns);
	if (thread->blocked && watch->known && by == CAUSAL_WAKE_PACED)
		watch->paced_ns += waited_since(threads, thread, what->when_ns);
	if (thread->blocked && by == CAUSAL_WAKE_THREAD)
		causal_between_waited(&threads->between, &watch->stretch);
	causal_account_wake(&threads->account, thread, what->when_ns, by);
}

static void take_seen(struct causal_threads *threads, struct causal_watch *watch,
		      struct causal_thread *thread, const struct causal_moment *moment)
{
	const struct causal_seen seen = {.thread = watch->tid,
					 .when_ns = moment->what.when_ns,
					 .unit = moment->unit,
					 .pass = moment->pass,
					 .times = moment->times};
	int64_t gain_ns;

	watch->samples += moment->what.is_sample;
	if (seen.pass >= 0 && threads->arrivals >> seen.pass & 1) {
		watch->arrival_ns =
			seen.when_ns - (uint64_t)causal_account_inserted(&threads->account);
		watch->arrived_ns = watch->arrivals ? watch->arrived_ns : watch->arrival_ns;
		watch->arrivals += seen.times;
	}
	gain_ns = threads->sight.seen(threads->sight.self, &seen);
	if (moment->what.is_sample)
		causal_account_sample(&threads->account, thread, seen.when_ns, gain_ns);
	else if (gain_ns)
		causal_account_gain(&threads->account, thread, gain_ns);
}

static void take_moment(struct causal_threads *threads, const struct causal_moment *moment)
{
	struct causal_watch *watch = &threads->list[moment->watch];
	struct causal_thread *thread = causal_account_find(&threads->account, watch->tid);

	if (moment->what.is_sample || moment->what.is_pass)
		take_seen(threads, watch, thread, moment);
	else if (moment->what.off)
		take_off(threads, watch, thread, &moment->what);
	else
		take_on(threads, watch, thread, &moment->what);
}

size_t causal_threads_processes(const struct causal_threads *threads, pid_t ret[CAUSAL_THREADS_MAX])
{
	size_t i, j, n = 0;

	for (i = 0; i < threads->n && n < CAUSAL_THREADS_MAX; i++) {
		for (j = 0; j < n && ret[j] != threads->list[i].process; j++)
			continue;
		ret[j] = threads->list[i].process;
		n += j == n;
	}
	return n;
}

static void look_at_wait(struct causal_threads *threads, struct causal_watch *watch,
			 const struct causal_thread *thread)
{
	pid_t ours[CAUSAL_THREADS_MAX];
	const size_t n = causal_threads_processes(threads, ours);

	if (causal_wait_look(watch->tid, watch->process, thread->blocked_at_ns, &threads->ends,
			     ours, n, &watch->wait))
		watch->known = true;
	if (watch->known && watch->wait.until &&
	    causal_wait_keeps_pace(&watch->pace, watch->wait.until_ns))
		watch->wait.by = CAUSAL_WAKE_PACED;
}

/* A processor that has to be woken for it takes a while, which is no wait for a processor. */
static void count_late(struct causal_watch *watch, struct causal_thread *thread, uint64_t waited_ns)
{
	if (watch->late_ns > waited_ns)
		causal_account_pause(thread, (int64_t)(watch->late_ns - waited_ns));
	watch->late_ns = 0;
}

/*
 * A thread that waits for a processor is delayed as if it were paused, so all others are to be,
 * too: what others do on this machine then hardly changes who comes first.
 */
static void count_waiting(struct causal_threads *threads, struct causal_watch *watch,
			  struct causal_thread *thread)
{
	uint64_t ran_ns, waited_ns;
	char text[128];
	const ssize_t n = pread(watch->schedstat, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (!proc_number(proc_number(text, 10, &ran_ns), 10, &waited_ns))
		return;
	if (watch->ran_ns && ran_ns > watch->ran_ns)
		threads->ran_ns += ran_ns - watch->ran_ns;
	watch->ran_ns = ran_ns;
	count_late(watch, thread, waited_ns - watch->waited_ns);
	if (waited_ns <= watch->waited_ns)
		return;
	if (watch->waited_ns) {
		threads->waited_ns += waited_ns - watch->waited_ns;
		if (threads->pauses)
			causal_account_gain(&threads->account, thread,
					    (int64_t)(waited_ns - watch->waited_ns));
	}
	watch->waited_ns = waited_ns;
}

bool causal_threads_look(struct causal_threads *threads, struct err *err)
{
	struct causal_thread *thread;
	size_t i;

	if (!update_list(threads, err))
		return false;
	collect_moments(threads);
	for (i = 0; i < threads->n_moments; i++)
		take_moment(threads, &threads->moments[i]);
	for (i = 0; i < threads->n; i++) {
		thread = causal_account_find(&threads->account, threads->list[i].tid);
		count_waiting(threads, &threads->list[i], thread);
		if (thread->blocked && !threads->list[i].known)
			look_at_wait(threads, &threads->list[i], thread);
	}
	return true;
}

static void release_watch(struct causal_threads *threads, struct causal_watch *watch)
{
	watch->released_ns = watch->asked ? clock_now_ns() : 0;
	watch->asked = watch->asked_asleep = false;
	watch->paused_ns = 0;
	session_release(threads->session, watch->tid);
}

/* It is asked, and has stopped: count what it has paid, let it go if that is all. */
static void tend_pause(struct causal_threads *threads, struct causal_watch *watch,
		       struct causal_thread *thread, uint64_t now_ns)
{
	int64_t due_ns;

	if (!watch->paused_ns)
		watch->paused_ns = now_ns;
	causal_account_pause(thread, (int64_t)(now_ns - watch->paused_ns));
	watch->paused_ns = now_ns;
	due_ns = causal_account_due(&threads->account, thread, now_ns);
	watch->release_ns = now_ns + (uint64_t)due_ns;
	if (due_ns <= PAID_NS)
		release_watch(threads, watch);
}

static void begin_pause(struct causal_threads *threads, struct causal_watch *watch, uint64_t now_ns)
{
	watch->asked = session_hold(threads->session, watch->tid);
	watch->asked_ns = now_ns;
	watch->paused_ns = 0;
	watch->release_ns = UINT64_MAX;
}

/*
 * Who sleeps until a time is to pay as soon as that is over: it may run for a shorter time than
 * passes between two looks. So it is held in its sleep, which that does not make longer.
 */
static void hold_sleeper(struct causal_threads *threads, struct causal_watch *watch,
			 const struct causal_thread *thread, uint64_t now_ns)
{
	if (thread->blocked && watch->known && watch->wait.sleeps &&
	    watch->wait.until_ns > now_ns &&
	    causal_account_owed(&threads->account, thread) >= PAUSE_LEAST_NS)
		watch->asked_asleep = session_hold(threads->session, watch->tid);
}

/* From the end of its sleep on, or from when it stopped after that, it is paused. */
static void pause_sleeper(struct causal_threads *threads, struct causal_watch *watch,
			  struct causal_thread *thread)
{
	const uint64_t until_ns = watch->wait.until_ns;

	causal_account_wake(&threads->account, thread, until_ns, watch->wait.by);
	watch->asked_asleep = false;
	watch->asked = true;
	watch->asked_ns = watch->paused_ns = watch->off_ns > until_ns ? watch->off_ns : until_ns;
}

uint64_t causal_threads_pause(struct causal_threads *threads)
{
	const uint64_t now_ns = clock_now_ns();
	uint64_t next_ns = UINT64_MAX;
	size_t i;

	for (i = 0; i < threads->n; i++) {
		struct causal_watch *watch = &threads->list[i];
		struct causal_thread *thread = causal_account_find(&threads->account, watch->tid);

		if (!watch->asked_asleep && !watch->asked)
			hold_sleeper(threads, watch, thread, now_ns);
		else if (watch->asked_asleep && watch->wait.until_ns <= now_ns &&
			 session_is_held(threads->session, watch->tid))
			pause_sleeper(threads, watch, thread);
		if (watch->asked_asleep && watch->wait.until_ns < next_ns)
			next_ns = watch->wait.until_ns;
		if (watch->asked && session_is_held(threads->session, watch->tid))
			tend_pause(threads, watch, thread, now_ns);
		else if (!watch->asked && !thread->blocked &&
			 causal_account_debt(&threads->account, thread) >= PAUSE_LEAST_NS)
			begin_pause(threads, watch, now_ns);
		if (watch->asked && watch->release_ns < next_ns)
			next_ns = watch->release_ns;
	}
	return next_ns;
}

void causal_threads_release(struct causal_threads *threads)
{
	size_t i;

	for (i = 0; i < threads->n; i++)
		if (threads->list[i].asked || threads->list[i].asked_asleep)
			release_watch(threads, &threads->list[i]);
}

void causal_threads_deinit(struct causal_threads *threads)
{
	causal_threads_release(threads);
	while (threads->n)
		drop_watch(threads, threads->n - 1);
	free(threads->list);
	free(threads->moments);
	other_end_forget(&threads->ends);
	causal_account_deinit(&threads->account);
}
