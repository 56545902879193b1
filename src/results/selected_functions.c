/* Matches functions against -f or a filter, and loads their samples for the caller's visitor. */
#include "selected_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "core/cxx_name.h"
#include "core/samples/samples_named.h"
#include "core/samples/part_columns.h"
#include "cli/message.h"
#include "pins.h"
#include "where.h"

enum { NAMING_CELLS = 64 }; /* only the function's name is wanted */

struct model_options selected_functions_options(const struct options *options)
{
	return (struct model_options){.min_r2 = options->min_r2,
				      .correlation = options->correlation,
				      .curve = options->curve,
				      .over = options->over};
}

double selected_functions_share(struct profile *profile, double duration,
				const struct samples *samples, const char *key)
{
	double share = samples->total_us / (duration * 1e6);
	struct err ignored;

	if (!isfinite(share) && !profile_function_share(profile, key, &share, &ignored))
		share = NAN;
	return isfinite(share) ? fmax(0, fmin(share, 1)) : NAN;
}

uint64_t selected_functions_metrics(const struct samples *samples, const struct options *options)
{
	uint64_t metrics = 0;
	enum metric metric;

	if (options->metrics)
		return options->metrics;
	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (samples_metric(samples, metric))
			metrics |= METRIC_BIT(metric);
	return metrics;
}

static bool is_asked_for(const struct samples *samples, const struct chosen *chosen,
			 struct arena *arena)
{
	const struct options *options = chosen->options;
	struct samples function = *samples;

	function.function = part_columns_function(samples->function, arena);
	function.linkage = part_columns_function(samples->linkage, arena);
	if (chosen->filter)
		return chosen->filter->has(chosen->filter->self, &function);
	for (size_t i = 0; i < options->n_functions; i++)
		if (samples_named_by(samples, options->functions[i], arena))
			return true;
	return options->n_functions == 0;
}

enum { SURE_S = 2 }; /* before that the time left is anybody's guess */

/* Only when models are made, which takes long: as if all functions took as long as those so far. */
static void say_progress(const struct chosen *chosen, const struct samples *samples, size_t i,
			 size_t n, double began_ms)
{
	const double so_far_s = ((double)clock_now_ms() - began_ms) / 1e3;
	const double left_s = i ? so_far_s / (double)i * (double)(n - i) : NAN;
	char left[64] = "";

	if (chosen->max_cells || chosen->options->quiet)
		return;
	if (left_s >= 1 && so_far_s >= SURE_S)
		snprintf(left, sizeof(left), ", about %.0f %s left",
			 left_s < 100 ? ceil(left_s) : left_s / 60, left_s < 100 ? "s" : "min");
	message_progress("%zu %%, %zu of %zu functions%s: %s", 100 * i / n, i + 1, n, left,
			 samples->function);
}

struct dear_key {
	const char *key;
	double seconds; /* NAN: not known */
	size_t place;
};

/* Those of unknown cost come last; by name what costs as much. */
static int selected_compare_costs(const void *a, const void *b)
{
	const struct dear_key *x = a, *y = b;

	if (x->seconds > y->seconds || (isnan(y->seconds) && !isnan(x->seconds)))
		return -1;
	if (y->seconds > x->seconds || (isnan(x->seconds) && !isnan(y->seconds)))
		return 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The profile's keys, in @arena. */
static bool order_keys(const struct chosen *chosen, struct arena *arena,
		       const struct dear_key **ret, size_t *ret_n, struct err *err)
{
	const char *const *keys;
	struct dear_key *order;
	size_t n;

	if (chosen->without_sites)
		n = profile_functions(chosen->profile, &keys);
	else if (!profile_subjects(chosen->profile, &keys, &n, err))
		return false;
	order = arena_array(arena, struct dear_key, n + 1);
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct dear_key){keys[i], NAN, i};
		if (chosen->by_cost &&
		    !profile_function_time(chosen->profile, keys[i], &order[i].seconds, err))
			return false;
	}
	qsort(order, n, sizeof(*order), selected_compare_costs);
	*ret = order;
	*ret_n = n;
	return true;
}

bool selected_functions_visit(const struct chosen *chosen, chosen_visitor visit, void *self,
			      struct err *err)
{
	const size_t max_cells = chosen->max_cells ? chosen->max_cells : SELECTED_CELLS;
	const double began_ms = (double)clock_now_ms();
	struct arena *arena = arena_create();
	const struct dear_key *keys;
	struct samples *samples;
	size_t n = 0, n_visited = 0, n_left = 0;
	struct pins_seen seen = {0};
	bool ok = order_keys(chosen, arena, &keys, &n, err);

	for (size_t i = 0; i < n && ok; i++) {
		ok = profile_load(chosen->profile, keys[i].key, max_cells, &samples, err);
		if (!ok)
			break;
		if (!is_asked_for(samples, chosen, arena)) {
			samples_destroy(samples);
			continue;
		}
		say_progress(chosen, samples, i, n, began_ms);
		if (!chosen->max_cells)
			pins_see(&seen, chosen->options, samples);
		ok = chosen->max_cells || where_select(samples, chosen->options->where, NULL, err);
		n_visited += ok;
		if (ok) {
			ok = visit(self, keys[i].key, samples, err);
			continue;
		}
		samples_destroy(samples);
		ok = err->code == ERR_NOT_FOUND;
		n_left++;
	}
	if (ok && n && !chosen->max_cells)
		ok = pins_check(&seen, chosen->options, err);
	if (ok && n_left && !n_visited)
		ok = false; /* err says why of the last */
	else if (ok && n_left && !chosen->options->quiet)
		message_note("%zu function%s left out: %s", n_left, n_left == 1 ? " is" : "s are",
			     err->text);
	if (!chosen->max_cells && !chosen->options->quiet)
		message_progress_end();
	arena_destroy(arena);
	return ok;
}

bool selected_functions_refuse(struct profile *profile, const struct options *options,
			       const char *name, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(profile, &keys);
	size_t distance = SIZE_MAX;
	char near[128] = "";

	for (size_t i = 0; i < n && options->n_functions; i++) {
		struct samples *samples;
		struct err ignored;

		if (!profile_load(profile, keys[i], NAMING_CELLS, &samples, &ignored))
			continue;
		if (cxx_name_is_nearer(samples->function, options->functions[0], &distance))
			snprintf(near, sizeof(near), "%s", samples->function);
		samples_destroy(samples);
	}
	return err_set(err, ERR_NOT_FOUND, "%s holds no samples of such a function%s%s%s", name,
		       *near ? "; the nearest name is " : "", near,
		       options->n_functions ? ": fathom annotate without -f shows all" : "");
}
