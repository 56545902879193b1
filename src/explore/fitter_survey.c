/*
 * What needs no model, which takes long: shares, sums, percentiles, and who calls whom.
 * explore/explorer_source.c reads the samples.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fitter_state.h"

/* Time of all calls: as it was summed up, else extrapolated from the samples; NAN: neither. */
static double total_time(const struct samples *samples)
{
	const size_t time = samples_find_column(samples, COLUMN_METRIC, "time");
	const struct column *column = &samples->columns[time];
	double sum = 0;
	size_t n = 0;

	if (isfinite(samples->total_us))
		return fmax(samples->total_us, 0);
	if (time >= samples->n_columns)
		return NAN;
	for (size_t i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT) {
			sum += column->numbers[i];
			n++;
		}
	return n ? sum / n * samples->n_calls : NAN;
}

/* Duration of all runs, in µs. */
static double duration_us(struct fitter *fitter, bool settled)
{
	const double so_far = (clock_now_ms() - fitter->started_ms) / 1000.0;
	double seconds = explorer_source_duration(fitter->source);

	if (fitter->source->is_growing && !settled)
		seconds = (isnan(seconds) ? 0 : seconds) + so_far;
	return seconds * 1e6;
}

/* What needs no model of the entries [first, end), of one function. False: abandoned. */
static bool survey_function(struct fitter *fitter, size_t first, size_t end, double duration,
			    struct call_graph_maker *maker)
{
	struct explorer_list *list = fitter->list;
	struct samples *samples;
	double total;
	struct err err;
	bool ok;

	if (!fitter_begin_reading(fitter))
		return false;
	ok = explorer_source_load(fitter->source, list->keys[first], LOAD_FEW, &samples, &err);
	fitter_end_reading(fitter);
	if (!ok) {
		fitter_say_trouble(fitter, &err);
		return true;
	}
	total = total_time(samples);
	pthread_mutex_lock(&fitter->lock);
	for (size_t i = first; i < end; i++) {
		if (isnan(list->entries[i].share) || fitter->source->is_growing)
			list->entries[i].share = fmin(fmax(total / duration, 0), 1);
		if (isnan(total / duration))
			list->entries[i].share = NAN;
		explorer_source_costs(samples, total, &list->entries[i]);
		explorer_source_before(fitter->source, list->keys[first], &list->entries[i]);
	}
	pthread_mutex_unlock(&fitter->lock);
	call_graph_add(maker, samples, total, list->entries[first].share);
	samples_destroy(samples);
	return true;
}

/* Time without measured callees, where that was not measured itself. */
static void note_self(struct explorer_list *list, const struct call_graph *graph)
{
	size_t end, node = 0;

	for (size_t first = 0; first < list->n && node < graph->n; first = end) {
		end = fitter_function_end(list, first);
		if (strcmp(graph->nodes[node].name, list->entries[first].function) != 0)
			continue; /* it could not be read */
		for (size_t i = first; i < end; i++)
			if (list->entries[i].metric == METRIC_TIME &&
			    isnan(list->entries[i].costs.self))
				list->entries[i].costs.self = graph->nodes[node].self_us;
		node++;
	}
}

static void publish_graph(struct fitter *fitter, struct call_graph *graph)
{
	struct call_graph *before;

	pthread_mutex_lock(&fitter->lock);
	note_self(fitter->list, graph);
	before = fitter->graph;
	fitter->graph = graph;
	pthread_mutex_unlock(&fitter->lock);
	call_graph_destroy(before);
	fitter_publish(fitter);
}

static void survey_call(void *self, const char *caller, const char *callee)
{
	call_graph_add_code(self, caller, callee);
}

/* False: the fitter was abandoned. */
bool fitter_survey(struct fitter *fitter, bool settled)
{
	const struct explorer_list *list = fitter->list;
	struct call_graph_maker *maker = call_graph_begin();
	bool ok = fitter_begin_reading(fitter);
	double duration = NAN;
	size_t end;

	if (ok) {
		duration = duration_us(fitter, settled);
		fitter_end_reading(fitter);
	}
	for (size_t first = 0; ok && first < list->n; first = end) {
		end = fitter_function_end(list, first);
		ok = survey_function(fitter, first, end, duration, maker);
		if (ok && clock_now_ms() - fitter->published_ms >= FITTER_PUBLISH_MS)
			fitter_publish(fitter);
	}
	if (ok && (ok = fitter_begin_reading(fitter))) {
		explorer_source_calls(fitter->source, survey_call, maker);
		fitter_end_reading(fitter);
	}
	if (ok)
		publish_graph(fitter, call_graph_end(maker));
	else
		call_graph_destroy(call_graph_end(maker));
	return ok;
}
