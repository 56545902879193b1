/*
 * Stops of the live target, fetched from the kernel. waitpid(2) for any tracee walks through all of
 * them, twice a stop, which is dear where thousands sleep. Of many tracees SIGCHLD tells which has
 * stopped; as one that comes while another is pending is lost, those that stopped lately are asked
 * each time, and all are walked through now and then.
 *
 * SIGCHLD is blocked meanwhile, and taken by sigtimedwait(2): delivered, each would stop us for our
 * supervisor.
 */
#include "ptrace_target.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"

enum {
	MANY = 256,         /* tracees */
	WALK_PART = 8,      /* a walk has this part of the time, at most */
	RECENT_MISSES = 16, /* asked so often in vain, it is no recent one */
};

static const uint64_t ALARM_AGAIN_NS = 10000000;
static const uint64_t ASK_NS = 250; /* takes asking one, about */
static const uint64_t WALK_SOON_NS = 50000;
static const uint64_t WALK_LATE_NS = 250000000;

void ptrace_fetch_add(struct ptrace_target *live, pid_t tid)
{
	struct tracee_news *news = &live->news;

	news->tids = mem_grow(news->tids, &news->capacity, news->n + 1, sizeof(*news->tids));
	news->tids[news->n++] = tid;
}

void ptrace_fetch_remove(struct ptrace_target *live, pid_t tid)
{
	struct tracee_news *news = &live->news;

	for (size_t i = 0; i < news->n; i++)
		if (news->tids[i] == tid) {
			news->tids[i] = news->tids[--news->n];
			return;
		}
}

static uint64_t walk_gap_ns(const struct tracee_news *news)
{
	return WALK_SOON_NS + WALK_PART * news->walk_ns;
}

void ptrace_fetch_soon(struct ptrace_target *live)
{
	struct tracee_news *news = &live->news;
	const uint64_t soon_ns = clock_now_ns() + walk_gap_ns(news);

	news->gap_ns = 0;
	if (news->due_ns > soon_ns)
		news->due_ns = soon_ns;
}

static void stop_append(struct ptrace_target *live, const struct stop *stop)
{
	live->stops = mem_grow(live->stops, &live->stops_capacity,
			       live->first_stop + live->n_stops + 1, sizeof(*live->stops));
	live->stops[live->first_stop + live->n_stops++] = *stop;
}

void ptrace_fetch_keep_stop(struct ptrace_target *live, const struct stop *stop)
{
	struct stop *const stops = live->stops + live->first_stop;
	size_t kept = 0;

	for (size_t i = 0; i < live->n_stops; i++)
		if (stops[i].tid != stop->tid)
			stops[kept++] = stops[i];
	live->n_stops = kept;
	stop_append(live, stop);
}

/* Returns its thread, as waitpid() does, which @tid is for. */
static pid_t see_stop(struct ptrace_target *live, pid_t tid, int flags)
{
	struct stop stop;
	int status;

	tid = waitpid(tid, &status, __WALL | flags);
	if (tid <= 0)
		return tid;
	stop = wait_status_decode(tid, status);
	recovery_set_stopped_otherwise(live->guard, tid,
				       stop.kind != STOP_SIGNAL || stop.number != SIGTRAP);
	stop.when_ns = clock_now_ns();
	/* Whoever is stopped hits no breakpoint: it has no earlier stop. */
	if (stop.kind == STOP_SIGNAL && stop.number == SIGTRAP)
		stop_append(live, &stop);
	else
		ptrace_fetch_keep_stop(live, &stop);
	return tid;
}

/* All that can be seen now, so that none starves. */
static enum wait_result see_stops(struct ptrace_target *live, int flags)
{
	const pid_t tid = see_stop(live, -1, flags);

	if (tid <= 0)
		return tid < 0 && errno == ECHILD ? WAIT_NOBODY : WAIT_NOTHING;
	while (!live->alone && see_stop(live, -1, WNOHANG) > 0)
		;
	return WAIT_STOP;
}

static enum wait_result fetch_of_few(struct ptrace_target *live, uint64_t until_ns)
{
	const struct timespec nap = {.tv_nsec = 200000};
	enum wait_result result;

	if (clock_timer_set(&live->alarm, until_ns, ALARM_AGAIN_NS))
		return see_stops(live, 0);
	while ((result = see_stops(live, WNOHANG)) == WAIT_NOTHING && clock_now_ns() < until_ns)
		nanosleep(&nap, NULL);
	return result;
}

static sigset_t child_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

static void news_begin(struct ptrace_target *live)
{
	struct tracee_news *news = &live->news;
	const struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, NULL, &before);
	news->was_blocked = sigismember(&before, SIGCHLD);
	sigaction(SIGCHLD, &action, &news->action);
	news->on = true;
	news->due_ns = 0;
	clock_timer_set(&live->alarm, 0, 0);
}

static void news_end(struct tracee_news *news)
{
	const sigset_t set = child_signal();

	sigaction(SIGCHLD, &news->action, NULL);
	if (!news->was_blocked)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	news->on = false;
}

void ptrace_fetch_deinit(struct ptrace_target *live)
{
	if (live->news.on)
		news_end(&live->news);
	free(live->news.tids);
}

static void recent_add(struct tracee_news *news, pid_t tid)
{
	size_t i = 0;

	while (i < news->n_recent && news->recent[i].tid != tid)
		i++;
	if (i == RECENT_MOST)
		return;
	if (i == news->n_recent)
		news->n_recent++;
	news->recent[i] = (struct recent_tracee){.tid = tid};
}

static void ask_recent(struct ptrace_target *live)
{
	struct tracee_news *news = &live->news;
	size_t kept = 0;

	for (size_t i = 0; i < news->n_recent; i++) {
		struct recent_tracee recent = news->recent[i];

		if (see_stop(live, recent.tid, WNOHANG) > 0)
			recent.missed = 0;
		else if (++recent.missed == RECENT_MISSES)
			continue;
		news->recent[kept++] = recent;
	}
	news->n_recent = kept;
}

/* All are looked at without asking these. */
static void recent_age(struct tracee_news *news)
{
	size_t kept = 0;

	for (size_t i = 0; i < news->n_recent; i++)
		if (++news->recent[i].missed < RECENT_MISSES)
			news->recent[kept++] = news->recent[i];
	news->n_recent = kept;
}

static void ask_all(struct ptrace_target *live)
{
	for (size_t i = 0; i < live->news.n; i++)
		see_stop(live, live->news.tids[i], WNOHANG);
}

/*
 * Each stop that is found takes a walk; when they have taken as long as asking all would, all are
 * asked. False: there is nobody else.
 */
static bool walk(struct ptrace_target *live)
{
	struct tracee_news *news = &live->news;
	const uint64_t began_ns = clock_now_ns();
	uint64_t gap_ns = 2 * news->gap_ns, taken_ns = 0;
	size_t n = 0;
	pid_t tid = 1;

	recent_age(news);
	while (taken_ns <= news->n * ASK_NS && tid > 0) {
		tid = see_stop(live, -1, WNOHANG);
		taken_ns = clock_now_ns() - began_ns;
		if (tid > 0)
			recent_add(news, tid);
		n++;
	}
	if (tid < 0 && n == 1)
		return false;
	news->walk_ns = taken_ns / n;
	if (tid > 0)
		ask_all(live);
	if (gap_ns < walk_gap_ns(news))
		gap_ns = walk_gap_ns(news);
	news->gap_ns = gap_ns < WALK_LATE_NS ? gap_ns : WALK_LATE_NS;
	news->due_ns = clock_now_ns() + news->gap_ns;
	return true;
}

/* False, with errno: there was none until then. */
static bool take_news(struct ptrace_target *live, uint64_t wait_ns)
{
	const struct timespec wait = clock_timespec(wait_ns);
	const sigset_t set = child_signal();
	siginfo_t info;

	if (sigtimedwait(&set, &info, &wait) < 0)
		return false;
	if (info.si_pid > 0 && see_stop(live, info.si_pid, WNOHANG) > 0)
		recent_add(&live->news, info.si_pid);
	return true;
}

/*
 * What is lost was there when the pending one was taken. So those that stopped lately are asked
 * then, or all are walked through if that is cheaper. Otherwise the tracer sleeps at once: while it
 * runs it may have the processor that a resumed tracee wants. Returns whether another signal came.
 */
static bool wait_for_news(struct ptrace_target *live, uint64_t until_ns)
{
	const uint64_t now_ns = clock_now_ns();

	if (!take_news(live, until_ns > now_ns ? until_ns - now_ns : 0))
		return errno != EAGAIN;
	for (size_t i = 0; i < MANY && take_news(live, 0); i++)
		;
	if (live->news.n_recent * ASK_NS < live->news.walk_ns)
		ask_recent(live);
	else
		live->news.due_ns = now_ns;
	return false;
}

static enum wait_result fetch_of_many(struct ptrace_target *live, uint64_t until_ns)
{
	const uint64_t end_ns = until_ns ? until_ns : UINT64_MAX;
	const struct tracee_news *news = &live->news;
	const sigset_t set = child_signal();
	bool over = false, is_alone = false;

	pthread_sigmask(SIG_BLOCK, &set, NULL); /* whatever masks were set meanwhile */
	while (!live->n_stops && !over && !is_alone) {
		over = wait_for_news(live, end_ns < news->due_ns ? end_ns : news->due_ns);
		is_alone = clock_now_ns() >= news->due_ns && !walk(live);
		over |= clock_now_ns() >= end_ns;
	}
	if (live->n_stops) {
		ptrace_fetch_soon(live);
		return WAIT_STOP;
	}
	return is_alone ? WAIT_NOBODY : WAIT_NOTHING;
}

enum wait_result ptrace_fetch(struct ptrace_target *live, uint64_t until_ns)
{
	if (!live->news.on && live->news.n >= MANY)
		news_begin(live);
	else if (live->news.on && live->news.n < MANY / 2)
		news_end(&live->news);
	return live->news.on ? fetch_of_many(live, until_ns) : fetch_of_few(live, until_ns);
}
