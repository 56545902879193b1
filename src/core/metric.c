/* The table of metrics. */
#include "core/metric.h"

#include <string.h>

#define SUM(metric, keyword, unit, text, meaning)           \
	[METRIC_##metric] = {keyword, unit, text, meaning}, \
	[METRIC_SELF + METRIC_##                            \
		metric] = {"self." keyword, unit, text, meaning ", without measured callees"}

static const struct metric_info metrics[METRIC_COUNT] = {
	SUM(TIME, "time", "us", "µs",
	    "wall-clock time, callees included, the measurement's own time excluded"),
	SUM(CPU, "cpu", "us", "µs",
	    "time on a processor, in system calls included, the measurement's own excluded"),
	SUM(WAIT, "wait", "us", "µs",
	    "time waiting to acquire locks, for conditions and semaphores"),
	SUM(HOLD, "hold", "us", "µs", "time holding at least one lock"),
	SUM(MEM, "mem", "bytes", "bytes", "heap memory allocated during the call"),
	SUM(PFAULTS, "pfaults", "count", "",
	    "minor page faults, those within system calls included"),
	SUM(MAJOR_PFAULTS, "Pfaults", "count", "",
	    "major page faults (the disk was read), those within system calls included"),
	SUM(SWITCHES, "switches", "count", "",
	    "context switches, voluntary and not, the measurement's own excluded"),
	SUM(INSTRUCTIONS, "instructions", "count", "", "instructions executed in user mode"),
	SUM(CYCLES, "cycles", "count", "", "processor cycles in user mode"),
	SUM(CACHE_MISSES, "cachemisses", "count", "", "cache misses in user mode"),
	SUM(BRANCH_MISSES, "branchmisses", "count", "", "mispredicted branches in user mode"),
	[METRIC_PEAK] =
		{"peak", "bytes", "bytes",
		 "the most heap memory, of what was allocated during the call, that was live at once"},
};

const struct metric_info *metric_info(enum metric metric)
{
	return &metrics[metric];
}

enum metric metric_parse(const char *keyword)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (!strcmp(metrics[metric].keyword, keyword))
			break;
	return metric;
}

unsigned metric_totals(unsigned chosen)
{
	unsigned totals = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (chosen & 1u << metric)
			totals |= 1u << metric_total(metric);
	return totals;
}
