/*
 * Metrics: the costs that can be measured. A new one needs a place here, a row in metric.c, what
 * measures it in trace/, and the text of -m.
 *
 * Totals, which include callees, come first; behind them, for each total that is a sum, the same
 * without measured callees (self); then the parts of a call that several programs work on, which
 * nobody measures: fathom merge finds them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum metric {
	METRIC_TIME,
	METRIC_CPU,
	METRIC_WAIT,
	METRIC_HOLD,
	METRIC_MEM,
	METRIC_PFAULTS,
	METRIC_MAJOR_PFAULTS,
	METRIC_SWITCHES,
	METRIC_REMOTE,
	METRIC_INSTRUCTIONS,
	METRIC_CYCLES,
	METRIC_CACHE_MISSES,
	METRIC_BRANCH_MISSES,
	METRIC_SUMS,               /* how many totals are sums */
	METRIC_PEAK = METRIC_SUMS, /* the totals that are none are of blocks of the heap */
	METRIC_LEAKS,
	METRIC_LEAKED_BLOCKS,
	METRIC_TOTALS, /* how many totals there are */
	METRIC_SELF = METRIC_TOTALS,
	METRIC_MEASURED = METRIC_SELF + METRIC_SUMS, /* how many can be measured */
	METRIC_OWN = METRIC_MEASURED,                /* of the time: neither of the next two */
	METRIC_NETWORK,
	METRIC_SERVER, /* and behind it, for each total, what servers add to it */
	METRIC_COUNT = METRIC_SERVER + METRIC_TOTALS,
};

_Static_assert((int)METRIC_MEASURED <= 32, "a set of measured metrics is the bits of an unsigned");
_Static_assert((int)METRIC_COUNT <= 64, "and one of all metrics those of a uint64_t");

#define METRIC_BIT(metric) (UINT64_C(1) << (metric))

/* What verdicts are of unless others are asked for: on a busy machine time alone is unfair. */
#define METRICS_JUDGED (METRIC_BIT(METRIC_TIME) | METRIC_BIT(METRIC_CPU))

/* Where the numbers come from: bits, for metric_set_from(). */
enum metric_source {
	METRIC_CLOCK = 1,
	METRIC_PROC = 2,   /* /proc/TID; counted by the kernel where /proc lacks it */
	METRIC_KERNEL = 4, /* counted by the kernel; /proc/TID without permission to count */
	METRIC_PROCESSOR = 8,
	METRIC_LOCKS = 16,   /* calls that lock */
	METRIC_HEAP = 32,    /* calls that allocate */
	METRIC_STREAMS = 64, /* calls that send and receive */
	METRIC_BLOCKS = 128, /* which blocks of the heap are live */
};

struct metric_info {
	const char *keyword;   /* in commands, annotations and profiles */
	const char *unit;      /* "us", "bytes", "count" */
	const char *unit_text; /* for people: "µs" */
	const char *meaning;
	enum metric_source source;
	/*
	 * Rank from 1 on, least noise first, of the metrics whose features the models of the others
	 * prefer; 0: none.
	 */
	unsigned teaches;
	struct {
		unsigned
			/*
			 * rank from 1 on among the causes of longer times, causes before effects;
			 * 0: none
			 */
			place;
		bool of_cpu; /* of processor time, too */
		const char *name,
			*each; /* "page faults", "each"; NULL: waiting is itself part of the time */
		double amount; /* the amount that `each` names */
	} cause;
};

const struct metric_info *metric_info(enum metric metric);

/* The metric of this keyword; METRIC_COUNT if there is none. */
enum metric metric_parse(const char *keyword);
/* The same; parts are none, as calls that are being measured have none. */
enum metric metric_parse_measured(const char *keyword);

/* "time,mem": *@ret gets bits. Else the first word that is none, in @wrong[@size], cut. */
bool metric_parse_list(const char *list, uint64_t *ret, char *wrong, size_t size);

static inline bool metric_is_self(enum metric metric)
{
	return metric >= METRIC_SELF && metric < METRIC_MEASURED;
}

/* The total that a self metric or a part belongs to; a total is its own. */
static inline enum metric metric_total(enum metric metric)
{
	if (metric >= METRIC_SERVER)
		return (enum metric)(metric - METRIC_SERVER);
	if (metric >= METRIC_MEASURED)
		return METRIC_TIME;
	return metric_is_self(metric) ? (enum metric)(metric - METRIC_SELF) : metric;
}

bool metric_is_time(enum metric metric);

/* The program alone decides: neither the machine nor its layout has a part in it. */
bool metric_is_exact(enum metric metric);

/* The bits of the totals that come from @sources. */
unsigned metric_set_from(unsigned sources);

/* The total of rank @place; METRIC_TOTALS: there are fewer. */
enum metric metric_teaching(unsigned place);
enum metric metric_causing(unsigned place);

/* The bits of the totals that must be measured to get @metrics (bits); of parts, none. */
unsigned metric_totals(uint64_t metrics);

/* Amounts of a metric for people: "1.23 ms", "4.5 MiB", "17". */
enum { METRIC_AMOUNT = 32 };
const char *metric_amount(enum metric metric, double amount, char ret[METRIC_AMOUNT]);
