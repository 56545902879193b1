/* Sums up the parts of merged calls. */
#include "call_parts.h"

#include <stdio.h>

/* Sums of @metric and of the time over the calls in which both are present; returns how many. */
static size_t sum_up(const struct samples *samples, enum metric metric, double *ret,
		     double *ret_time)
{
	const size_t part =
		samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword);
	const size_t time = samples_find_column(samples, COLUMN_METRIC, "time");
	size_t n = 0;

	*ret = *ret_time = 0;
	if (part == samples->n_columns || time == samples->n_columns)
		return 0;
	for (size_t i = 0; i < samples->n_rows; i++) {
		if (samples->columns[part].absence[i] != PRESENT ||
		    samples->columns[time].absence[i] != PRESENT)
			continue;
		*ret += samples->columns[part].numbers[i];
		*ret_time += samples->columns[time].numbers[i];
		n++;
	}
	return n;
}

bool call_parts_text(const struct samples *samples, char ret[CALL_PARTS_TEXT], size_t *ret_n)
{
	double server, network, time;

	*ret_n = sum_up(samples, METRIC_SERVER + METRIC_TIME, &server, &time);
	if (!*ret_n || !(time > 0))
		return false;
	server *= 100 / time;
	if (!sum_up(samples, METRIC_NETWORK, &network, &time)) {
		snprintf(ret, CALL_PARTS_TEXT, "server %.0f %% + own and network %.0f %%", server,
			 100 - server);
		return true;
	}
	network *= 100 / time;
	snprintf(ret, CALL_PARTS_TEXT, "own %.0f %% + server %.0f %% + network %.0f %%",
		 100 - server - network, server, network);
	return true;
}
