/* Causal profiles as JSON. */
#include <math.h>

#include "json.h"
#include "json_value.h"

static json_t *causal_make_point(const struct causal_gains *gains, const struct gain_point *point,
				 bool is_load)
{
	json_t *object = json_object();
	const double times = 1 / (1 - point->speedup);

	if (is_load) {
		json_object_set_new(object, "load", json_value_number(times));
		json_object_set_new(object, "arithmetic",
				    json_value_number(1 - 1 / causal_gains_served(gains, times)));
	}

	json_object_set_new(object, "speedup", json_value_number(point->speedup));
	json_object_set_new(object, "gain", json_value_number(point->gain));
	json_object_set_new(object, "low", json_value_number(point->low));
	json_object_set_new(object, "high", json_value_number(point->high));
	json_object_set_new(object, "experiments", json_integer((json_int_t)(2 * point->pairs)));
	return object;
}

static json_t *causal_make_points(const struct causal_gains *gains, const struct causal_gain *gain)
{
	const bool is_load = gains->experiments->units[gain->unit].is_load;
	json_t *array = json_array();

	for (size_t i = 0; i < gain->n_points; i++)
		json_array_append_new(array, causal_make_point(gains, &gain->points[i], is_load));
	return array;
}

static json_t *causal_make_gain(const struct causal_gains *gains, const struct causal_gain *gain)
{
	const struct experiments *experiments = gains->experiments;
	const struct causal_unit *unit = &experiments->units[gain->unit];
	json_t *object = json_object();

	json_object_set_new(object, "progress",
			    json_value_text(experiments->progress[gains->progress].name));
	json_object_set_new(object, "unit", json_value_text(unit->name));
	json_object_set_new(object, "file", json_value_text(unit->file));
	json_object_set_new(object, "line", unit->line ? json_integer(unit->line) : json_null());
	json_object_set_new(object, "slope", json_value_number(gain->slope));
	json_object_set_new(object, "low", json_value_number(gain->low));
	json_object_set_new(object, "high", json_value_number(gain->high));
	json_object_set_new(object, "certain", json_boolean(gain->certain));
	json_object_set_new(object, "upto", json_value_number(gain->upto));
	json_object_set_new(object, "then",
			    gain->then < 0 ? json_null()
					   : json_value_text(experiments->units[gain->then].name));
	json_object_set_new(object, "active", json_value_number(gain->active));
	json_object_set_new(object, "points", causal_make_points(gains, gain));
	return object;
}

static json_t *causal_make_unused(const struct causal_gains *gains)
{
	json_t *object = json_object();

	for (size_t i = EXPERIMENT_USABLE + 1; i < EXPERIMENT_FLAWS; i++)
		json_object_set_new(object, experiment_flaw_text((enum experiment_flaw)i),
				    json_integer((json_int_t)gains->flaws[i]));
	json_object_set_new(object, "more work came than was done",
			    json_integer((json_int_t)(2 * gains->unstable)));
	return object;
}

bool json_causal(const struct causal_gains *const *gains, size_t n, const char *refused, FILE *out,
		 struct err *err)
{
	const struct experiments *experiments = gains[0]->experiments;
	json_t *root = json_object(), *array = json_array();
	double elapsed_s, paused_s;

	causal_gains_times(experiments, &elapsed_s, &paused_s);

	for (size_t i = 0; i < n && !refused; i++)
		for (size_t j = 0; j < gains[i]->n; j++)
			json_array_append_new(array,
					      causal_make_gain(gains[i], &gains[i]->list[j]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "progress", json_value_text(experiments->progress[0].name));
	json_object_set_new(root, "causal", array);
	json_object_set_new(root, "experiments", json_integer((json_int_t)experiments->n));
	json_object_set_new(root, "unused", causal_make_unused(gains[0]));
	json_object_set_new(root, "elapsed_s", json_value_number(elapsed_s));
	json_object_set_new(root, "paused_s", json_value_number(paused_s));
	json_object_set_new(root, "load", json_value_number(experiments->load));
	json_object_set_new(root, "waits_for_outside", json_value_number(experiments->paced));
	json_object_set_new(root, "refused", json_value_text(refused));
	return json_value_write(root, out, err);
}
