/* Sums up the parts of merged calls. */
#include "call_parts.h"

#include <stdio.h>
#include <string.h>

#include "part_columns.h"

enum { FUNCTIONS_TEXT = 300, NAME_SHOWN = 60 };

/* Sums of column @part and of the time over the calls in which both are present; how many. */
static size_t sum_up_column(const struct samples *samples, size_t part, double *ret,
			    double *ret_time)
{
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

static size_t sum_up(const struct samples *samples, enum metric metric, double *ret,
		     double *ret_time)
{
	return sum_up_column(
		samples, samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword),
		ret, ret_time);
}

/* " (handle 90 %, look_up 7 %)", as many as there is room for; "" if only one worked. */
static void functions_text(const struct samples *samples, char ret[FUNCTIONS_TEXT])
{
	size_t length = 0;
	double server, time;

	*ret = '\0';
	for (size_t i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];
		const char *name = column->name + strlen("time" PART_COLUMN_SERVER);

		if (column->role != COLUMN_KEY ||
		    strncmp(column->name, "time" PART_COLUMN_SERVER,
			    strlen("time" PART_COLUMN_SERVER)) != 0 ||
		    !sum_up_column(samples, i, &server, &time) || !(time > 0) ||
		    length + NAME_SHOWN + 20 > FUNCTIONS_TEXT)
			continue;
		length += (size_t)snprintf(ret + length, FUNCTIONS_TEXT - length, "%s%.*s %.0f %%",
					   length ? ", " : " (",
					   (int)strnlen(name, NAME_SHOWN + 1) - 1, name,
					   100 * server / time);
	}
	if (length)
		snprintf(ret + length, FUNCTIONS_TEXT - length, ")");
}

bool call_parts_text(const struct samples *samples, char ret[CALL_PARTS_TEXT], size_t *ret_n)
{
	char functions[FUNCTIONS_TEXT];
	double server, network, time;

	functions_text(samples, functions);
	*ret_n = sum_up(samples, METRIC_SERVER + METRIC_TIME, &server, &time);
	if (!*ret_n || !(time > 0))
		return false;
	server *= 100 / time;
	if (!sum_up(samples, METRIC_NETWORK, &network, &time)) {
		snprintf(ret, CALL_PARTS_TEXT, "server %.0f %%%s + own and network %.0f %%", server,
			 functions, 100 - server);
		return true;
	}
	network *= 100 / time;
	snprintf(ret, CALL_PARTS_TEXT, "own %.0f %% + server %.0f %%%s + network %.0f %%",
		 100 - server - network, server, functions, network);
	return true;
}
