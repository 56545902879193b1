/*
 * Metrics: the costs that can be measured, one row a metric. To add one: a row here, and a source
 * in trace/.
 */
#ifndef FATHOM_CORE_METRIC_H
#define FATHOM_CORE_METRIC_H

#include <stddef.h>

enum metric {
	METRIC_TIME,
	METRIC_COUNT,
};

struct metric_info {
	const char *keyword;   /* in commands, annotations and profiles */
	const char *unit;      /* "us", "bytes", "count" */
	const char *unit_text; /* for people: "µs" */
	const char *meaning;
};

const struct metric_info *metric_info(enum metric metric);

/* The metric called @keyword; METRIC_COUNT if there is none. */
enum metric metric_parse(const char *keyword);

#endif
