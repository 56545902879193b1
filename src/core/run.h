/*
 * A run: one measurement of one process, and what the measurement itself cost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metric.h"

/* A shared library of which functions are measured. */
struct run_library {
	const char *path;
	const char *build_id;
};

struct calibration;

/* What is known when a run starts. Strings are borrowed from whoever fills this in. */
struct run {
	const char *command;    /* the command line, quoted for a shell */
	const char *executable; /* absolute path */
	const char *build_id;
	const char *host, *kernel, *cpu;
	int64_t started; /* seconds since the epoch */
	const struct run_library *libraries;
	size_t n_libraries;
	/* What was asked for. */
	unsigned metrics;                      /* bits 1 << enum metric, beside time */
	bool branches;                         /* outcomes of conditional branches were looked at */
	double max_overhead;                   /* as a part of the program's time; 0: no limit */
	size_t samples;                        /* of a function and period, at most; 0: all */
	unsigned period_ms;                    /* 0: all of the run */
	const struct calibration *calibration; /* NULL: there was none */
};

/* How the inferior ended. */
struct ending {
	enum { ENDED_UNKNOWN, ENDED_EXITED, ENDED_SIGNALLED, ENDED_DETACHED } how;
	int number; /* exit status or signal */
};

/* The account of one function in one run. */
struct function_account {
	uint64_t calls; /* seen from entry to end */
	uint64_t
		/* seen to start; no end that could be measured (exception, longjmp, exit) */
		abandoned;
	uint64_t kept;  /* of `calls`: became samples; the rest left them by chance */
	uint64_t stops; /* for its sake: its own, and those of what was probed within its calls */
	uint64_t stopped_ns; /* time in them, as far as the tracer sees it */
	uint64_t open_ns;    /* how long its probes were in place while the program ran */
};

/* The resolution is so many standard deviations of what a call of nothing seems to cost. */
enum { RESOLUTION_DEVIATIONS = 3 };

/*
 * What a measured value exceeds the true one by, in the metric's unit, and how well it is known:
 * found with an empty function on this machine. All zero: nothing is known, and nothing subtracted.
 */
struct calibration {
	double pair[METRIC_TOTALS]; /* for the stops that begin and end a call */
	double stop[METRIC_TOTALS]; /* for each further stop within it */
	double far
		/* for each that woke the tracer on another, sleeping processor, additionally */
		[METRIC_TOTALS];
	double resolution[METRIC_TOTALS];     /* less cannot be told from nothing; 0: exact */
	double far_resolution[METRIC_TOTALS]; /* the same where such stops occurred */
	double stop_cost_ns;                  /* what a stop costs the program, all in all */
};

/* The measurement's account of itself. */
struct account {
	uint64_t stops;      /* times that a thread was stopped by a breakpoint of ours */
	uint64_t far_stops;  /* of these: another, sleeping processor had to be woken */
	uint64_t stopped_ns; /* time that threads spent in them, as far as the tracer sees it */
	uint64_t reads; /* system calls that reading features from the inferior's memory took */
	struct calibration calibration; /* what of that was subtracted beyond `stopped_ns` */
	int64_t duration_ns;            /* of the run */
	uint64_t let_go; /* processes that the inferior started and that were not measured */
};
