/* Experiments as a table, and what one of them says by itself. */
#include "experiment.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct experiments *experiment_table_create(const struct causal_progress *progress,
					    size_t n_progress)
{
	struct experiments *experiments = mem_alloc(sizeof(*experiments));
	struct causal_progress *copies;

	experiments->arena = arena_create();
	copies = arena_copy(experiments->arena, progress, n_progress * sizeof(*copies));
	for (size_t i = 0; i < n_progress; i++)
		copies[i].name = arena_strdup(experiments->arena, progress[i].name);
	experiments->progress = copies;
	experiments->n_progress = n_progress;
	experiments->arrival = -1;
	experiments->load = 1;
	experiments->paced = NAN;
	return experiments;
}

void experiment_table_destroy(struct experiments *experiments)
{
	if (!experiments)
		return;
	arena_destroy(experiments->arena);
	free(experiments->units);
	free(experiments->list);
	free(experiments);
}

unsigned experiment_table_add_unit(struct experiments *experiments, const char *name,
				   const char *file, unsigned line)
{
	struct arena *arena = experiments->arena;
	size_t capacity = experiments->n_units;

	experiments->units = mem_grow(experiments->units, &capacity, experiments->n_units + 1,
				      sizeof(*experiments->units));
	experiments->units[experiments->n_units] =
		(struct causal_unit){.name = arena_strdup(arena, name),
				     .file = file ? arena_strdup(arena, file) : NULL,
				     .line = line};
	return (unsigned)experiments->n_units++;
}

static enum experiment_flaw find_flaw(const struct experiments *experiments,
				      const struct experiment *experiment)
{
	const double least = experiments->whole ? 1 : EXPERIMENT_VISITS;

	if (experiment->flaw)
		return experiment->flaw;
	if (experiment_effective_s(experiment) <
	    EXPERIMENT_EFFECTIVE * (experiment->elapsed_s - experiment->waited_s))
		return EXPERIMENT_PAUSES;
	for (size_t i = 0; i < experiments->n_progress; i++)
		if (experiment->seen[i].visits < least)
			return EXPERIMENT_FEW_VISITS;
	return EXPERIMENT_USABLE;
}

void experiment_table_add(struct experiments *experiments, const struct experiment *experiment)
{
	struct experiment *added;

	experiments->list = mem_grow(experiments->list, &experiments->capacity, experiments->n + 1,
				     sizeof(*experiments->list));
	added = &experiments->list[experiments->n++];
	*added = *experiment;
	added->flaw = find_flaw(experiments, experiment);
	added->samples = arena_copy(experiments->arena, experiment->samples,
				    experiment->n_samples * sizeof(*experiment->samples));
	added->seen = arena_copy(experiments->arena, experiment->seen,
				 experiments->n_progress * sizeof(*experiment->seen));
}

double experiment_samples(const struct experiment *experiment, unsigned unit)
{
	return unit < experiment->n_samples ? experiment->samples[unit] : 0;
}

double experiment_effective_s(const struct experiment *experiment)
{
	return experiment->elapsed_s - experiment->inserted_s;
}

double experiment_cost_s(const struct experiments *experiments, const struct experiment *experiment,
			 size_t progress)
{
	const struct progress_seen *seen = &experiment->seen[progress];
	const double between_s = experiment_effective_s(experiment) / seen->visits;

	return experiments->progress[progress].latency ? seen->open * between_s : between_s;
}

bool experiment_is_unstable(const struct experiments *experiments,
			    const struct experiment *experiment, size_t progress)
{
	const struct progress_seen *seen = &experiment->seen[progress];

	return experiments->progress[progress].latency && seen->grown > EXPERIMENT_VISITS &&
	       seen->grown > EXPERIMENT_GROWTH * seen->visits;
}

static bool visits_leave_over(const struct experiments *experiments, const struct experiment *with,
			      const struct experiment *without, size_t progress)
{
	const size_t arrival = (size_t)experiments->arrival;
	const double arrived = with->seen[arrival].visits;
	const double done = with->seen[progress].visits * without->seen[arrival].visits /
			    without->seen[progress].visits;
	const double off = fabs(arrived - done);

	return off > EXPERIMENT_VISITS && off > EXPERIMENT_GROWTH * arrived;
}

bool experiment_leaves_over(const struct experiments *experiments, const struct experiment *with,
			    const struct experiment *without, size_t progress)
{
	const size_t arrival = (size_t)experiments->arrival;

	if (experiments->arrival < 0 || !experiments->units[with->unit].is_load)
		return false;
	if (progress != arrival)
		return !experiments->progress[progress].latency &&
		       visits_leave_over(experiments, with, without, progress);
	for (size_t i = 0; i < experiments->n_progress; i++)
		if (i != arrival && !experiment_is_unstable(experiments, with, i) &&
		    !experiment_leaves_over(experiments, with, without, i))
			return false;
	return experiments->n_progress > 1;
}

const char *experiment_flaw_text(enum experiment_flaw flaw)
{
	switch (flaw) {
	case EXPERIMENT_FEW_VISITS:
		return "fewer than 5 visits";
	case EXPERIMENT_PAUSES:
		return "hardly anything but pauses";
	case EXPERIMENT_UNBALANCED:
		return "threads were paused unequally";
	case EXPERIMENT_PROCESSORS:
		return "more threads could run than processors were free";
	case EXPERIMENT_LATE:
		return "pauses were too long for the time between two waits";
	case EXPERIMENT_USABLE:
	case EXPERIMENT_FLAWS:
		break;
	}
	return "usable";
}
