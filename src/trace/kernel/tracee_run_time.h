/*
 * How long a tracee really ran between a resume and its next stop.
 *
 * The tracer sees more: at first the tracee waits for a processor; at last the tracer wakes up, or
 * is busy with others, for which it may also take the tracee's processor. The kernel's switch
 * records (context_switches.h) tell all this.
 *
 * Where those are not permitted, counts must do: how long each thread ran and how often it was put
 * on a processor (/proc/TID/schedstat, Documentation/scheduler/sched-stats.rst). If once, it ran
 * without a break, and the rest was idle. If more often, it slept or was preempted: nothing is
 * known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee_run_time;

struct tracee_run_time *tracee_run_time_create(void);
void tracee_run_time_destroy(struct tracee_run_time *clock); /* NULL is fine */

/* Use counts only, as where switches are not permitted; for tests. */
void tracee_run_time_count_only(struct tracee_run_time *clock);

/*
 * From now on there may be several tracees: also record when the calling thread, the tracer, runs.
 */
void tracee_run_time_several(struct tracee_run_time *clock);

/* From now on how late processors came after sleeps is not asked: waits are where others ran. */
void tracee_run_time_certain(struct tracee_run_time *clock);

void tracee_run_time_resumed(struct tracee_run_time *clock, pid_t tid, uint64_t now_ns);

/*
 * Returns how long @tid did not run since its resume; 0: unknown. Its stop was seen at @seen_ns,
 * and a request to it has succeeded since, so that it surely does not run.
 *
 * *@ret_far: the tracer slept, and was woken on another sleeping processor. That is work of the
 * tracee's processor before the tracee is taken off, so no idle time includes it; on virtual
 * processors it takes more than 10 µs.
 */
uint64_t tracee_run_time_stopped(struct tracee_run_time *clock, pid_t tid, uint64_t seen_ns,
				 bool *ret_far);

/* It has ended: its place is another's when one is wanted; what is known of it stays until then. */
void tracee_run_time_ended(struct tracee_run_time *clock, pid_t tid);

/* Take what the kernel has recorded of tracees that run for long. To be called often. */
void tracee_run_time_update(struct tracee_run_time *clock);

/* Of what that returned last for @tid: the time after it had stopped. */
uint64_t tracee_run_time_late(struct tracee_run_time *clock, pid_t tid);

/*
 * How long, of the time from @from_ns to @to_ns, @tid could have run, but others than the tracer
 * had its processor; what the kernel has recorded so far, which is from the first call for @tid on.
 * 0 also where switches are not permitted, or the time is long ago. How late processors came after
 * sleeps is known for all sleeps between two looks together; the longest are shortened by it.
 */
uint64_t tracee_run_time_waited(struct tracee_run_time *clock, pid_t tid, uint64_t from_ns,
				uint64_t to_ns);
