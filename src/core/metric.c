/* The table of metrics, and questions that it answers. What measures them is in trace/. */
#include "metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SERVER(metric, keyword, unit, text, meaning)                        \
	[METRIC_SERVER + METRIC_##metric] = {keyword ".server", unit, text, \
					     meaning ", of servers that worked for the call"}
#define SUM(metric, keyword, unit, text, meaning, ...)                                         \
	[METRIC_##metric] = {keyword, unit, text, meaning, __VA_ARGS__},                       \
	[METRIC_SELF + METRIC_##metric] = {"self." keyword, unit, text,                        \
					   meaning ", without measured callees", __VA_ARGS__}, \
	SERVER(metric, keyword, unit, text, meaning)

static const struct metric_info metrics[METRIC_COUNT] = {
	SUM(TIME, "time", "us", "µs",
	    "wall-clock time, callees included, the measurement's own time excluded", METRIC_CLOCK,
	    .teaches = 7),
	SUM(CPU, "cpu", "us", "µs",
	    "time on a processor, in system calls included, the measurement's own excluded",
	    METRIC_PROC, .teaches = 6),
	SUM(WAIT, "wait", "us", "µs",
	    "time waiting to acquire locks, for conditions and semaphores", METRIC_LOCKS,
	    .cause = {1}),
	SUM(HOLD, "hold", "us", "µs", "time holding at least one lock", METRIC_LOCKS),
	SUM(MEM, "mem", "bytes", "bytes", "heap memory allocated during the call", METRIC_HEAP,
	    .teaches = 2, .cause = {5, true, "allocated memory", "each KiB", 1024}),
	SUM(PFAULTS, "pfaults", "count", "",
	    "minor page faults, those within system calls included", METRIC_KERNEL, .teaches = 4,
	    .cause = {3, true, "page faults", "each", 1}),
	SUM(MAJOR_PFAULTS, "Pfaults", "count", "",
	    "major page faults (the disk was read), those within system calls included",
	    METRIC_KERNEL, .teaches = 5, .cause = {2, false, "major page faults", "each", 1}),
	SUM(SWITCHES, "switches", "count", "",
	    "context switches, voluntary and not, the measurement's own excluded", METRIC_KERNEL,
	    .cause = {4, false, "context switches", "each", 1}),
	SUM(REMOTE, "remote", "us", "µs",
	    "time from sending to peers until the last of their answer was there", METRIC_STREAMS),
	SUM(INSTRUCTIONS, "instructions", "count", "", "instructions executed in user mode",
	    METRIC_PROCESSOR, .teaches = 1),
	SUM(CYCLES, "cycles", "count", "", "processor cycles in user mode", METRIC_PROCESSOR),
	SUM(CACHE_MISSES, "cachemisses", "count", "", "cache misses in user mode",
	    METRIC_PROCESSOR),
	SUM(BRANCH_MISSES, "branchmisses", "count", "", "mispredicted branches in user mode",
	    METRIC_PROCESSOR),
	[METRIC_PEAK] =
		{"peak", "bytes", "bytes",
		 "the most heap memory, of what was allocated during the call, that was live at "
		 "once",
		 METRIC_HEAP | METRIC_BLOCKS, .teaches = 3},
	SERVER(PEAK, "peak", "bytes", "bytes", "the most heap memory that was live at once"),
	[METRIC_LEAKS] = {"leaks", "bytes", "bytes",
			  "heap memory that was allocated during the call and is live at its end",
			  METRIC_HEAP | METRIC_BLOCKS},
	SERVER(LEAKS, "leaks", "bytes", "bytes", "heap memory that calls left behind"),
	[METRIC_LEAKED_BLOCKS] = {"leaks.blocks", "count", "", "and in how many blocks that is",
				  METRIC_HEAP | METRIC_BLOCKS},
	SERVER(LEAKED_BLOCKS, "leaks.blocks", "count", "", "blocks that calls left behind"),
	[METRIC_OWN] = {"time.own", "us", "µs",
			"of the time of a merged call: outside of its requests"},
	[METRIC_NETWORK] = {"time.network", "us", "µs",
			    "of the time of a merged call: in requests, but not in servers"},
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

enum metric metric_parse_measured(const char *keyword)
{
	const enum metric metric = metric_parse(keyword);

	return metric < METRIC_MEASURED ? metric : METRIC_COUNT;
}

unsigned metric_totals(uint64_t chosen)
{
	unsigned totals = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_MEASURED; metric++)
		if (chosen & METRIC_BIT(metric))
			totals |= 1u << metric_total(metric);
	return totals;
}

unsigned metric_set_from(unsigned sources)
{
	unsigned totals = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		if (sources & metrics[metric].source)
			totals |= 1u << metric;
	return totals;
}

bool metric_is_exact(enum metric metric)
{
	return metrics[metric].source & METRIC_HEAP || metric_total(metric) == METRIC_INSTRUCTIONS;
}

bool metric_is_time(enum metric metric)
{
	return !strcmp(metrics[metric].unit, "us");
}

enum metric metric_teaching(unsigned place)
{
	enum metric metric = 0;

	while (metric < METRIC_TOTALS && metrics[metric].teaches != place)
		metric++;
	return metric;
}

enum metric metric_causing(unsigned place)
{
	enum metric metric = 0;

	while (metric < METRIC_TOTALS && metrics[metric].cause.place != place)
		metric++;
	return metric;
}

struct amount_scale {
	double from; /* the least amount, in the metric's unit */
	double unit;
	const char *name;
};

static const struct amount_scale times[] = {
	{86400e6, 86400e6, "days"}, {3600e6, 3600e6, "h"}, {60e6, 60e6, "min"}, {1e6, 1e6, "s"},
	{1e3, 1e3, "ms"},           {1, 1, "\xc2\xb5s"},   {0, 1e-3, "ns"},
};
static const struct amount_scale sizes[] = {
	{1073741824, 1073741824, "GiB"},
	{1048576, 1048576, "MiB"},
	{1024, 1024, "KiB"},
	{0, 1, "B"},
};

const char *metric_amount(enum metric metric, double amount, char ret[METRIC_AMOUNT])
{
	const char *unit = metric_info(metric)->unit;
	const struct amount_scale *scale = !strcmp(unit, "us") ? times : sizes;

	if (strcmp(unit, "us") != 0 && strcmp(unit, "bytes") != 0) {
		snprintf(ret, METRIC_AMOUNT, "%.6g", amount);
		return ret;
	}
	while (fabs(amount) < scale->from)
		scale++;
	snprintf(ret, METRIC_AMOUNT, "%.3g %s", amount / scale->unit, scale->name);
	return ret;
}

bool metric_parse_list(const char *list, uint64_t *ret, char *wrong, size_t size)
{
	uint64_t bits = 0;
	size_t n;

	for (;; list += n + 1) {
		enum metric metric;

		n = strcspn(list, ",");
		snprintf(wrong, size, "%.*s", (int)n, list);
		metric = n < size ? metric_parse(wrong) : METRIC_COUNT;
		if (metric == METRIC_COUNT)
			return false;
		bits |= METRIC_BIT(metric);
		if (!list[n])
			break;
	}
	*ret = bits;
	return true;
}
