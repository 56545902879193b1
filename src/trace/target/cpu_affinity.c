/* Affinities of tracer and tracee, and the tracer's priority. */
#include "cpu_affinity.h"

#include "recovery.h"
#include "trace/kernel/proc.h"

static const uint64_t CHECK_NS = 20000000;

static void only(int processor, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	CPU_SET(processor, ret);
}

/* Pin the tracer to where the tracee was last. */
static bool affinity_follow(struct cpu_affinity *share, pid_t tid, uint64_t now_ns)
{
	int processor = proc_processor(tid);
	cpu_set_t one;

	share->checked_ns = now_ns;
	share->fixed = false;
	if (processor < 0 || processor >= CPU_SETSIZE)
		return false;
	if (share->active && processor == share->processor)
		return true;
	only(processor, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		return false;
	share->processor = processor;
	return true;
}

static bool run_first(void)
{
	const struct sched_param least = {.sched_priority = 1};

	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

/* Only a privileged process may clear SCHED_RESET_ON_FORK again. */
static void run_as_before(const struct cpu_affinity *share)
{
	if (sched_setscheduler(0, share->policy, &share->priority) != 0)
		sched_setscheduler(0, share->policy | SCHED_RESET_ON_FORK, &share->priority);
}

void cpu_affinity_share_begin(struct cpu_affinity *share, pid_t tid, uint64_t now_ns)
{
	if (share->active || sched_getaffinity(0, sizeof(share->own), &share->own) != 0 ||
	    sched_getparam(0, &share->priority) != 0)
		return;
	share->policy = sched_getscheduler(0);
	share->active = affinity_follow(share, tid, now_ns);
	if (share->active && !run_first())
		cpu_affinity_share_end(share);
}

void cpu_affinity_share_end(struct cpu_affinity *share)
{
	if (!share->active)
		return;
	sched_setaffinity(0, sizeof(share->own), &share->own);
	run_as_before(share);
	share->active = false;
}

/* A tracee with a real-time priority of its own could run before its affinity is given back. */
static bool can_wait(pid_t tid)
{
	int policy = sched_getscheduler(tid);

	return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

static bool narrow(struct cpu_affinity *share, pid_t tid)
{
	cpu_set_t one;

	if (sched_getaffinity(tid, sizeof(share->tracees), &share->tracees) != 0 ||
	    !CPU_ISSET(share->processor, &share->tracees))
		return false;
	share->fixed = CPU_COUNT(&share->tracees) == 1;
	if (share->fixed || !can_wait(tid))
		return false;
	only(share->processor, &one);
	recovery_set_affinity(share->guard, tid, &share->tracees);
	return sched_setaffinity(tid, sizeof(one), &one) == 0;
}

/* The scheduler may have moved the tracee; then the tracer follows. */
bool cpu_affinity_share_before(struct cpu_affinity *share, pid_t tid, uint64_t now_ns)
{
	if (!share->active)
		return false;
	if (now_ns - share->checked_ns > CHECK_NS && !affinity_follow(share, tid, now_ns)) {
		cpu_affinity_share_end(share);
		return false;
	}
	return !share->fixed && narrow(share, tid);
}

void cpu_affinity_share_after(struct cpu_affinity *share, pid_t tid)
{
	sched_setaffinity(tid, sizeof(share->tracees), &share->tracees);
	recovery_set_affinity(share->guard, 0, NULL);
}
