/*
 * Metrics: the costs that can be measured. To add one: its place here, a row in metric.c, what
 * measures it in trace/, the text of -m.
 *
 * The first ones are totals: callees are included. Behind them stands, for each total that is a
 * sum, what a call costs without its measured callees.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum metric {
	METRIC_TIME,
	METRIC_CPU,
	METRIC_WAIT,
	METRIC_HOLD,
	METRIC_MEM,
	METRIC_PFAULTS,
	METRIC_MAJOR_PFAULTS,
	METRIC_SWITCHES,
	METRIC_INSTRUCTIONS,
	METRIC_CYCLES,
	METRIC_CACHE_MISSES,
	METRIC_BRANCH_MISSES,
	METRIC_SUMS, /* so many totals are sums */
	METRIC_PEAK = METRIC_SUMS,
	METRIC_TOTALS, /* so many totals are there */
	METRIC_SELF = METRIC_TOTALS,
	METRIC_COUNT = METRIC_SELF + METRIC_SUMS,
};

_Static_assert((int)METRIC_COUNT <= 32, "a set of metrics is the bits of an unsigned");

/* Where the numbers come from: bits, for metric_set_from(). */
enum metric_source {
	METRIC_CLOCK = 1,
	METRIC_PROC = 2,   /* /proc/TID, and counted by the kernel where that does not tell it */
	METRIC_KERNEL = 4, /* counted by the kernel, in /proc/TID for whoever may not ask it */
	METRIC_PROCESSOR = 8,
	METRIC_LOCKS = 16, /* calls that lock */
	METRIC_HEAP = 32,  /* calls that allocate */
};

struct metric_info {
	const char *keyword;   /* in commands, annotations and profiles */
	const char *unit;      /* "us", "bytes", "count" */
	const char *unit_text; /* for people: "µs" */
	const char *meaning;
	enum metric_source source;
	/* Its place from 1 on, the least noise first, among those whose features others prefer. */
	unsigned teaches;
	struct {
		unsigned
			place; /* among what makes times longer, causes before effects, from 1 on */
		bool of_cpu;   /* also the time on a processor */
		const char *name,
			*each; /* "page faults", "each"; NULL: waiting is a part of the time */
		double amount; /* of it that is called each */
	} cause;
};

const struct metric_info *metric_info(enum metric metric);

/* The metric called @keyword; METRIC_COUNT if there is none. */
enum metric metric_parse(const char *keyword);

static inline bool metric_is_self(enum metric metric)
{
	return metric >= METRIC_SELF;
}

/* The total that @metric, one without callees, is a part of; a total is its own. */
static inline enum metric metric_total(enum metric metric)
{
	return metric_is_self(metric) ? (enum metric)(metric - METRIC_SELF) : metric;
}

/* "us" is its unit. */
bool metric_is_time(enum metric metric);

/* The bits of the totals that come from @sources. */
unsigned metric_set_from(unsigned sources);

/* The total with that place; METRIC_TOTALS: there are fewer. */
enum metric metric_teaching(unsigned place);
enum metric metric_causing(unsigned place);

/* The bits of the totals that must be measured for the metrics with the bits @metrics. */
unsigned metric_totals(unsigned metrics);
