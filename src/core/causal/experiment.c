/* Experiments as a table, and what one of them says by itself. */
#include "experiment.h"

#include <stdlib.h>

#include "base/mem.h"

struct experiments *experiment_table_create(const char *point, bool latency)
{
	struct experiments *experiments = mem_alloc(sizeof(*experiments));

	experiments->arena = arena_create();
	experiments->point = arena_strdup(experiments->arena, point);
	experiments->latency = latency;
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

static enum experiment_flaw find_flaw(const struct experiment *experiment)
{
	if (experiment->flaw)
		return experiment->flaw;
	if (experiment_effective_s(experiment) < EXPERIMENT_EFFECTIVE * experiment->elapsed_s)
		return EXPERIMENT_PAUSES;
	return experiment->visits < EXPERIMENT_VISITS ? EXPERIMENT_FEW_VISITS : EXPERIMENT_USABLE;
}

void experiment_table_add(struct experiments *experiments, const struct experiment *experiment)
{
	struct experiment *added;

	experiments->list = mem_grow(experiments->list, &experiments->capacity, experiments->n + 1,
				     sizeof(*experiments->list));
	added = &experiments->list[experiments->n++];
	*added = *experiment;
	added->flaw = find_flaw(experiment);
	added->samples = arena_copy(experiments->arena, experiment->samples,
				    experiments->n_units * sizeof(*experiment->samples));
}

double experiment_effective_s(const struct experiment *experiment)
{
	return experiment->elapsed_s - experiment->inserted_s;
}

double experiment_cost_s(const struct experiment *experiment, bool latency)
{
	const double between_s = experiment_effective_s(experiment) / experiment->visits;

	return latency ? experiment->open * between_s : between_s;
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
	case EXPERIMENT_INTERRUPTED:
		return "not to the end";
	case EXPERIMENT_USABLE:
	case EXPERIMENT_FLAWS:
		break;
	}
	return "usable";
}
