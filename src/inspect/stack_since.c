/*
 * Combines what the rounds of stack_capture.c saw of threads' sleeps; trace/sleepers.h reads them.
 */
#include "stack_since.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/sleepers.h"

enum {
	ROUNDS_MAX = 64,  /* kept: a busy machine needs many, and the first knows most */
	LONGER = 100,     /* times the stops: a sleep that lasted so long counts as continued */
	SWITCHES_MAX = 2, /* from stop to stop: back to its sleep, and stopped */
	CALL_SIZE = 2,    /* bytes of the system call instruction */
	PC = 16,
	SP = 7,
};

/* A stopped thread that was in a system call. */
struct stack_since_thread {
	pid_t tid;
	uint64_t switches;
	uint64_t pc, sp, call;
	uint64_t arguments[6];
};

struct stack_since_round {
	struct sleeper *sleepers; /* before the stop */
	size_t n_sleepers;
	struct stack_since_thread *threads;
	size_t n_threads;
	uint64_t began_ns, held_ns;
};

struct stack_since {
	pid_t pid;
	struct stack_since_round rounds[ROUNDS_MAX];
	size_t n;
};

struct stack_since *stack_since_create(pid_t pid)
{
	struct stack_since *since = mem_alloc(sizeof(*since));

	since->pid = pid;
	return since;
}

static void round_deinit(struct stack_since_round *round)
{
	free(round->sleepers);
	free(round->threads);
}

void stack_since_destroy(struct stack_since *since)
{
	if (!since)
		return;
	for (size_t i = 0; i < since->n; i++)
		round_deinit(&since->rounds[i]);
	free(since);
}

void stack_since_before(struct stack_since *since)
{
	struct stack_since_round *round;

	if (since->n == ROUNDS_MAX) {
		round_deinit(&since->rounds[0]);
		memmove(since->rounds, since->rounds + 1, --since->n * sizeof(*since->rounds));
	}
	round = &since->rounds[since->n++];
	*round = (struct stack_since_round){.n_sleepers = 0};
	round->n_sleepers = sleepers_read(since->pid, &round->sleepers);
}

static const struct sleeper *sleeper_of(const struct stack_since_round *round, pid_t tid)
{
	return sleepers_find(round->sleepers, round->n_sleepers, tid);
}

void stack_since_held(struct stack_since *since, const struct snapshot *snapshot)
{
	struct stack_since_round *round = &since->rounds[since->n - 1];

	round->began_ns = snapshot->began_ns;
	round->threads = mem_alloc((snapshot->n_threads + 1) * sizeof(*round->threads));
	for (size_t i = 0; i < snapshot->n_threads && !snapshot_is_late(snapshot); i++) {
		const struct stopped_thread *stopped = &snapshot->threads[i];
		struct stack_since_thread *thread = &round->threads[round->n_threads];

		*thread = (struct stack_since_thread){
			.tid = stopped->tid,
			.pc = stopped->registers[PC],
			.sp = stopped->registers[SP],
			.call = stopped->call,
		};
		memcpy(thread->arguments, stopped->arguments, sizeof(thread->arguments));
		round->n_threads +=
			stopped->is_calling && sleepers_switches(stopped->tid, &thread->switches);
	}
}

void stack_since_after(struct stack_since *since, const struct snapshot *snapshot)
{
	since->rounds[since->n - 1].held_ns = snapshot->held_ns;
}

static const struct stack_since_thread *thread_of(const struct stack_since_round *round, pid_t tid)
{
	for (size_t i = 0; i < round->n_threads; i++)
		if (round->threads[i].tid == tid)
			return &round->threads[i];
	return NULL;
}

/* Did it sleep until the stop? The stop itself counts as one switch. */
static bool slept_into(const struct stack_since_round *round, pid_t tid)
{
	const struct stack_since_thread *thread = thread_of(round, tid);
	const struct sleeper *sleeper = sleeper_of(round, tid);

	return thread && sleeper && sleeper->is_asleep && thread->switches <= sleeper->switches + 1;
}

/* Is it in the same system call, and slept again only once after the stop of @earlier? */
static bool sleep_goes_on(const struct stack_since_round *earlier,
			  const struct stack_since_round *later, pid_t tid)
{
	const struct stack_since_thread *a = thread_of(earlier, tid), *b = thread_of(later, tid);

	/* One that is about to restart the call is at the instruction, not behind it. */
	return a && b && b->switches <= a->switches + SWITCHES_MAX &&
	       (a->pc == b->pc || a->pc == b->pc + CALL_SIZE || a->pc + CALL_SIZE == b->pc) &&
	       a->sp == b->sp && a->call == b->call &&
	       !memcmp(a->arguments, b->arguments, sizeof(a->arguments));
}

double stack_since_at_most(const struct stack_since *since, pid_t tid)
{
	const struct stack_since_round *last = since->n ? &since->rounds[since->n - 1] : NULL;
	const struct sleeper *sleeper = last ? sleeper_of(last, tid) : NULL;

	if (!sleeper || sleeper->age_ns == UINT64_MAX)
		return NAN;
	return (double)(sleeper->age_ns + (last->began_ns + last->held_ns - sleeper->at_ns)) / 1e3;
}

/* How long @tid, which slept into the round, had slept at @until_ns. */
static uint64_t slept_until(const struct stack_since_round *round, pid_t tid, uint64_t until_ns)
{
	const struct sleeper *sleeper = sleeper_of(round, tid);

	return sleeper->slept_ns + (until_ns - sleeper->at_ns);
}

double stack_since_at_least(const struct stack_since *since, pid_t tid)
{
	const struct stack_since_round *last = since->n ? &since->rounds[since->n - 1] : NULL;
	uint64_t held_ns = 0;
	double most = NAN;

	if (last && slept_into(last, tid))
		most = (double)slept_until(last, tid, last->began_ns);
	for (size_t i = since->n; i-- > 1 && sleep_goes_on(&last[-1], last, tid); last--) {
		const struct stack_since_round *earlier = last - 1;

		held_ns += earlier->held_ns;
		if (slept_into(earlier, tid) &&
		    sleeper_of(earlier, tid)->slept_ns >= LONGER * held_ns)
			most = fmax(most,
				    (double)slept_until(earlier, tid,
							since->rounds[since->n - 1].began_ns));
	}
	/* Clocks of a migrated virtual machine may disagree. */
	return most / 1e3 > stack_since_at_most(since, tid) ? NAN : most / 1e3;
}
