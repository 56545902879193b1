/* Reading /proc about sleeping threads; the caller judges what that means for open calls. */
#include "trace/sleepers.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "trace/kernel/proc.h"

enum { NS_IN_MS = 1000000, START_FIELD = 22 };

bool sleepers_switches(pid_t tid, uint64_t *ret)
{
	if (!proc_state(tid))
		return false;
	*ret = (uint64_t)proc_status(tid, "voluntary_ctxt_switches:");
	return true;
}

/* When the task was last accounted for, by its processor's clock. False: unknown. */
static bool last_ran(pid_t tid, uint64_t *ret)
{
	struct proc_lines sched;
	const char *line;
	uint64_t ms, rest;
	bool found = false;

	proc_lines_open(&sched, tid, "sched");
	while (!found && (line = proc_lines_next(&sched)))
		found = sscanf(line, "se.exec_start : %" SCNu64 ".%6" SCNu64, &ms, &rest) == 2;
	proc_lines_close(&sched);
	if (found)
		*ret = ms * NS_IN_MS + rest;
	return found;
}

/* The clock of @processor, readable only by threads that run on it. */
static bool processor_clock(int processor, uint64_t *ret)
{
	cpu_set_t one;

	if (processor < 0 || processor >= CPU_SETSIZE)
		return false;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0 && last_ran(gettid(), ret);
}

/* How long @tid has not run; 0: unknown. */
static uint64_t slept_ns(pid_t tid)
{
	uint64_t ran, now;

	if (!last_ran(tid, &ran) || !processor_clock(proc_processor(tid), &now))
		return 0;
	return now > ran ? now - ran : 0;
}

static uint64_t age_ns(pid_t tid)
{
	const uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	char text[PROC_STAT];
	uint64_t ticks, began;

	proc_read(tid, "stat", text, sizeof(text));
	if (!proc_number(proc_stat_field(text, START_FIELD), 10, &ticks))
		return UINT64_MAX;
	began = ticks / hertz * 1000000000 + ticks % hertz * 1000000000 / hertz;
	return now > began ? now - began : 0;
}

static bool is_state_asleep(char state)
{
	return state == 'S' || state == 'D' || state == 'T';
}

/* It slept throughout if its count of sleeps has not changed. */
static bool read_one(pid_t tid, struct sleeper *ret)
{
	uint64_t after;

	*ret = (struct sleeper){.tid = tid};
	if (!sleepers_switches(tid, &ret->switches))
		return false;
	/*
	 * In this order: slept_ns covers at least what is read before, age_ns at most what is read
	 * after.
	 */
	ret->slept_ns = slept_ns(tid);
	ret->at_ns = clock_now_ns();
	ret->age_ns = age_ns(tid);
	ret->is_asleep = is_state_asleep(proc_state(tid)) && sleepers_switches(tid, &after) &&
			 after == ret->switches;
	if (!ret->is_asleep)
		ret->slept_ns = 0;
	return true;
}

size_t sleepers_read(pid_t pid, struct sleeper **ret)
{
	cpu_set_t own;
	const bool has_own = sched_getaffinity(0, sizeof(own), &own) == 0;
	size_t n = 0;
	pid_t *tids;
	const size_t n_tids = proc_threads(pid, &tids);

	*ret = mem_alloc((n_tids + 1) * sizeof(**ret));
	for (size_t i = 0; i < n_tids; i++)
		n += read_one(tids[i], &(*ret)[n]);
	if (has_own)
		sched_setaffinity(0, sizeof(own), &own);
	free(tids);
	return n;
}

const struct sleeper *sleepers_find(const struct sleeper *list, size_t n, pid_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].tid == tid)
			return &list[i];
	return NULL;
}
