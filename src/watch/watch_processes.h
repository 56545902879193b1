/*
 * The processes that are watched: those of given numbers, or all of a name, however often they are
 * started again. Each is measured by a process of ours.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

enum { WATCH_PROCESSES_MAX = 32, WATCH_REFUSED_MAX = 64 };

struct watched_process {
	pid_t pid;
	uint64_t start; /* clock ticks since boot: tells it from others of its number */
	pid_t child;    /* ours */
};

struct watch_processes {
	const char *name; /* NULL: only those that were added */
	/* Measures @pid until it ends, or a SIGTERM; returns the exit status. In a child. */
	int (*measure)(void *context, pid_t pid);
	void *context;
	struct watched_process list[WATCH_PROCESSES_MAX];
	size_t n;
	struct watched_process refused[WATCH_REFUSED_MAX]; /* that could not be measured */
	size_t n_refused;                                  /* in all; old ones are replaced */
	int status;                                        /* of the last child that failed */
};

/* Begin to measure @pid. ERR_USAGE: no such process, or too many; ERR_IO. */
bool watch_processes_add(struct watch_processes *processes, pid_t pid, struct err *err);

/* Take out those that have ended; add new ones of the name, once each. */
void watch_processes_tend(struct watch_processes *processes);

/* End all measurements, and wait for that. */
void watch_processes_end(struct watch_processes *processes);

/* "PID:START PID:START", in @arena. */
const char *watch_processes_text(const struct watch_processes *processes, struct arena *arena);

/* "PID PID". */
const char *watch_processes_pids(const struct watch_processes *processes, struct arena *arena);

/* Is there one in the text @now that is not in the text @before? */
bool watch_processes_are_new(const char *before, const char *now);
