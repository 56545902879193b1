/*
 * A run: one measurement of one process, and what the measurement itself cost. Plain data; trace/
 * fills it in, profile/ stores it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature.h"
#include "metric.h"

/* A shared library with measured functions. */
struct run_library {
	const char *path;
	const char *build_id;
};

struct calibration;

/*
 * What notices calls: code in the inferior, or stops of its threads, by int3s in their code or by
 * the processor's debug registers, which leaves that alone.
 */
enum session_probes { PROBES_STOPS, PROBES_PADS, PROBES_AUTO, PROBES_HARDWARE };

/* What is known when a run starts; strings are borrowed. */
struct run {
	int64_t number;         /* in a profile; 0, or if another run has it: the next one */
	const char *command;    /* the command line, quoted for a shell */
	const char *executable; /* absolute path */
	const char *build_id;
	const char *host, *kernel, *cpu;
	int64_t started; /* seconds since the epoch */
	const struct run_library *libraries;
	size_t n_libraries;
	/* The request. */
	uint64_t metrics;    /* bits 1 << enum metric; time is always measured */
	bool branches;       /* outcomes of conditional branches were recorded */
	double max_overhead; /* share of the program's time; 0: no limit */
	size_t samples;      /* at most, per function and period; 0: all */
	unsigned period_ms;  /* 0: the whole run */
	bool other_build;    /* it may be of another build than those before */
	const char *probes;  /* what was used: as on the command line; NULL: unknown */
	const struct calibration *calibration; /* NULL: none */
};

/* How the inferior ended. */
struct ending {
	enum { ENDED_UNKNOWN, ENDED_EXITED, ENDED_SIGNALLED, ENDED_DETACHED } how;
	int number; /* exit status or signal */
};

/* The account of one function in one run. */
struct function_account {
	uint64_t calls; /* seen from entry to end */
	/* Of all of these, samples or not, waits included; below 0 if it drowns in noise. */
	int64_t time_ns;
	uint64_t untimed; /* of `calls`: their time is not known, nor in `time_ns` */
	/* seen to start, without an end that could be measured (exception, longjmp, exit) */
	uint64_t abandoned;
	uint64_t unended; /* of `abandoned`: open as their thread, or measuring, ended */
	uint64_t kept;    /* of `calls`: became samples; chance left out the rest */
	uint64_t stops;   /* breakpoint stops of its own and of what was probed within its calls */
	uint64_t stopped_ns; /* time in them, as far as the tracer sees */
	double doubt;        /* standard error of samples' mean time / that mean; 0: not known */
	uint64_t open_ns;    /* how long its probes were in place while the program ran */
};

/* The resolution, in standard deviations of the apparent cost of an empty call. */
enum { RESOLUTION_DEVIATIONS = 3 };

/* A stop costs more when its thread has run that long since the one before. */
enum { CALIBRATED_LATE_US = 400 };

/* The same for calls that pads measure, in µs of time. All zero: unknown, or there are no pads. */
struct pad_calibration {
	double pair;   /* of a call's own time */
	double call;   /* that a call adds to its caller's time, besides `pair` */
	double record; /* more for one that becomes a record */
	double drawn;  /* and more if only some do: the processor cannot foresee which */
	double word;   /* more for each word of it */
	double resolution;
	double heap;                 /* that an allocation adds to the innermost call's time, */
	double heap_inner;           /* and one within another */
	double lock;                 /* that an operation of a lock adds likewise */
	double ended[METRIC_TOTALS]; /* of a call that a stop ended, in the metric's unit */
	double begun[METRIC_TOTALS]; /* of one that a stop began, and a pad ended */
	double late; /* more where its thread ran for CALIBRATED_LATE_US before it */
};

/*
 * By how much measured values exceed the true ones, in the metric's unit, and how certainly: found
 * with an empty function on this machine. All zero: unknown, nothing is subtracted.
 */
struct calibration {
	double pair[METRIC_TOTALS]; /* for the two stops that begin and end a call */
	double stop[METRIC_TOTALS]; /* for each further stop within it */
	/* added for each stop that woke the tracer on another, sleeping processor */
	double far[METRIC_TOTALS];
	double resolution[METRIC_TOTALS];     /* less cannot be distinguished from 0; 0: exact */
	double far_resolution[METRIC_TOTALS]; /* the same for calls with such stops */
	double stop_cost_ns;                  /* what a stop costs the program in all */
	struct pad_calibration pads;
};

/* Where parts of a launched program lie, which a layout of its own for each run changes. */
struct run_layout {
	bool arranged; /* else nothing is known, and nothing to be done */
	/*
	 * Asked for: bytes by which stack and heap are moved, multiples of 16 below a page. As it
	 * was: where in their page they begin. Of the environment: bytes added to it; of pages: do
	 * they lie at random?
	 */
	unsigned bytes[LAYOUT_PARTS];
};

/* The run's account of the measurement. */
struct account {
	uint64_t stops;      /* stops of threads by our breakpoints */
	uint64_t far_stops;  /* of these: woke another, sleeping processor */
	uint64_t stopped_ns; /* time of threads in them, as far as the tracer sees */
	uint64_t reads;      /* system calls for reading features from the inferior's memory */
	struct calibration calibration; /* what was subtracted beyond `stopped_ns` */
	int64_t duration_ns;            /* of the run */
	/* part of the processors' time that the hypervisor gave to other machines; -1: not known */
	double stolen;
	struct run_layout layout;
	uint64_t let_go; /* child processes of the inferior that were not measured */
};
