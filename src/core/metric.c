/* The table of metrics. */
#include "core/metric.h"

#include <string.h>

static const struct metric_info metrics[METRIC_COUNT] = {
	[METRIC_TIME] = {"time", "us", "µs",
			 "wall-clock time, callees included, the measurement's own time excluded"},
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
