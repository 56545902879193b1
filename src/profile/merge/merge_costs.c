/* What the servers' own calls say of it, and when they were. */
#include "merge_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "critical_path.h"

/* What of the @time of a call was for its answer; that may be known where @time is not (NAN). */
static double served_us(const struct merge_matched *matched, size_t served, double time)
{
	const struct message *message = &matched->servers->messages[served];
	const double worked = (double)message->worked_ns / 1000;

	return message->worked_ns && !(worked >= time) ? worked : time;
}

bool merge_costs_answered(const struct merge_matched *matched, size_t served)
{
	const struct message *message = &matched->servers->messages[served];

	return message->ended_ns > message->began_ns;
}

double merge_costs_served(const struct merge_matched *matched, size_t served, enum metric metric)
{
	const struct served_call *call = &matched->servers->calls[served];
	const double cost = merge_side_number(call->samples, call->row, COLUMN_METRIC,
					      metric_info(metric)->keyword);

	return metric == METRIC_TIME ? served_us(matched, served, cost) : cost;
}

double merge_costs_of(const struct merge_matched *matched, const struct match *match,
		      enum metric metric)
{
	double sum = 0;

	for (size_t i = match->first; i < match->first + match->n; i++) {
		const double cost =
			merge_costs_served(matched, matched->pairs.list[i].served, metric);

		if (metric != METRIC_PEAK)
			sum += cost;
		else
			sum = cost <= sum ? sum : cost;
	}
	return sum;
}

/* What stops, and others who had their processor, added to one that served: no cost of its. */
static double served_lost_us(const struct merge_matched *matched, size_t served)
{
	const struct served_call *call = &matched->servers->calls[served];
	const struct sample_key *key = &call->samples->keys[call->row];
	const struct message *message = &matched->servers->messages[served];
	double lost_ns = (double)key->stopped_ns + (double)key->waited_ns;

	if (message->worked_ns)
		return (double)message->lost_ns / 1000;
	if (key->stops > 1) /* the calls' own times are calibrated likewise */
		lost_ns += (double)(key->stops - 1) * (double)call->stop_ns;
	return lost_ns / 1000;
}

static double lost_us(const struct merge_matched *matched, const struct match *match)
{
	double lost = 0;

	for (size_t i = match->first; i < match->first + match->n; i++)
		lost += served_lost_us(matched, matched->pairs.list[i].served);
	return lost;
}

/* Of differences below it nobody knows whether they are there. */
double merge_costs_tolerance_us(const struct samples *samples)
{
	const double resolution = samples_resolution(samples, METRIC_TIME);

	return resolution > 1 ? resolution : 1;
}

double merge_costs_elapsed_us(const struct merge_matched *matched, size_t row)
{
	struct message asked[MESSAGE_ASKED_MOST];
	uint64_t began = UINT64_MAX, ended = 0;

	merge_side_asked(matched->client, row, NULL, asked);
	for (size_t i = 0; i < MESSAGE_ASKED_MOST; i++) {
		if (!asked[i].peers)
			continue;
		if (!asked[i].ended_ns)
			return NAN;
		began = asked[i].began_ns < began ? asked[i].began_ns : began;
		ended = asked[i].ended_ns > ended ? asked[i].ended_ns : ended;
	}
	return ended > began ? (double)(ended - began) / 1000 : NAN;
}

/* Of the clocks of the call @row and of one that served. */
bool merge_costs_clocks(const struct merge_matched *matched, size_t row, size_t served,
			struct clock_fit *ret)
{
	const struct served_call *call = &matched->servers->calls[served];

	return merge_clocks_fit(&matched->clocks, merge_side_clock(matched->client, row),
				call->clock, ret);
}

/* Was a request made before another one was answered? */
static bool asks_at_once(const struct merge_matched *matched, const struct match *match)
{
	const struct merge_pair *list = matched->pairs.list + match->first;
	uint64_t until[MESSAGE_ASKED_MOST];
	uint64_t since[MESSAGE_ASKED_MOST];
	size_t n = 0;

	for (size_t i = 0; i < match->n; i++) {
		if (i && list[i].asked.stream == list[i - 1].asked.stream)
			continue;
		for (size_t j = 0; j < n; j++)
			if (list[i].asked.began_ns < until[j] && since[j] < list[i].asked.ended_ns)
				return true;
		since[n] = list[i].asked.began_ns;
		until[n++] = list[i].asked.ended_ns;
	}
	return false;
}

/* When that call worked, by the client's clock since it first asked. False: not known. */
static bool served_stretch(const struct merge_matched *matched, size_t row, size_t served,
			   uint64_t since_ns, struct path_stretch *ret)
{
	const struct served_call *call = &matched->servers->calls[served];
	const struct message *message = &matched->servers->messages[served];
	const double time = merge_side_number(call->samples, call->row, COLUMN_METRIC, "time");
	struct clock_fit fit;

	if (!merge_costs_answered(matched, served) || !message->worked_ns ||
	    !merge_costs_clocks(matched, row, served, &fit))
		return false;
	ret->worked_us = served_us(matched, served, time);
	ret->lost_us = served_lost_us(matched, served);
	ret->ended_us = ((double)(int64_t)(message->ended_ns - since_ns) -
			 clock_fit_ahead(&fit, (int64_t)since_ns)) /
			1000;
	ret->began_us = ret->ended_us - ret->worked_us - ret->lost_us;
	return true;
}

/*
 * Servers that work at once are awaited once; false: it is not known when they worked. @ret has the
 * sums.
 */
static bool await_once(const struct merge_matched *matched, size_t row, const struct match *match,
		       double *each, struct merge_worked *ret)
{
	const struct merge_pair *list = matched->pairs.list + match->first;
	struct path_stretch *path = mem_alloc(match->n * sizeof(*path));
	const double sum = ret->worked_us;
	bool ok = true;

	for (size_t i = 0; ok && i < match->n; i++) {
		path[i].of = i;
		ok = served_stretch(matched, row, list[i].served, list->asked.began_ns, &path[i]);
	}
	if (ok)
		critical_path_find(path, match->n, &ret->worked_us, &ret->lost_us);
	for (size_t i = 0; ok && i < match->n; i++)
		each[path[i].of] = path[i].awaited_us;
	free(path);
	ret->at_once = ok && sum > ret->worked_us + merge_costs_tolerance_us(matched->client);
	return ok;
}

void merge_costs_time(const struct merge_matched *matched, size_t row, const struct match *match,
		      double *each, struct merge_worked *ret)
{
	for (size_t i = 0; i < match->n; i++)
		each[i] = merge_costs_served(matched, matched->pairs.list[match->first + i].served,
					     METRIC_TIME);
	*ret = (struct merge_worked){.worked_us = merge_costs_of(matched, match, METRIC_TIME),
				     .lost_us = lost_us(matched, match)};
	if (asks_at_once(matched, match) && !await_once(matched, row, match, each, ret))
		ret->worked_us = NAN;
}
