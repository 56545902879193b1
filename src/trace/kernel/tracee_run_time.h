/*
 * How long a tracee really ran between a resume and its next stop.
 *
 * What the tracer sees is longer: the tracee waits for a processor at first, and at last the tracer
 * is woken, or has others to look after; and with several tracees the tracer takes the processor
 * from one to look after another one. The kernel writes down when threads were put on a processor
 * and taken from it (context_switches.h): so all this is known not to be its own.
 *
 * Where that is not permitted, the kernel's counts must do: how long each thread ran and how often
 * it was put on a processor (/proc/TID/schedstat, Documentation/scheduler/sched-stats.rst). If that
 * was once, it ran without a break, and the rest is known not to be its own. If it was more often,
 * it slept or was driven away: then nothing is known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee_run_time;

struct tracee_run_time *tracee_run_time_create(void);
void tracee_run_time_destroy(struct tracee_run_time *clock); /* NULL is fine */

/* As where switches are not permitted; for tests. */
void tracee_run_time_count_only(struct tracee_run_time *clock);

/* From now on there may be several: it matters when the calling thread, the tracer, runs itself. */
void tracee_run_time_several(struct tracee_run_time *clock);

void tracee_run_time_resumed(struct tracee_run_time *clock, pid_t tid, uint64_t now_ns);

/*
 * The stop of @tid was seen at @seen_ns, and a request to it has succeeded since, so that it surely
 * does not run. How much of the time since it was resumed it did not run; 0: unknown.
 *
 * *@ret_far: the tracer slept, and another processor that slept too was woken for it. That is work
 * of the tracee's processor before the tracee is taken from it, so it is in none of the idle times;
 * where processors are virtual it takes more than 10 µs.
 */
uint64_t tracee_run_time_stopped(struct tracee_run_time *clock, pid_t tid, uint64_t seen_ns,
				 bool *ret_far);
