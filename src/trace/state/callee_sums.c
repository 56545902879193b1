/* What a call's own calls cost. */
#include "callee_sums.h"

#include <stdlib.h>

#include "base/mem.h"

bool callee_sums_wanted(const struct session_options *options)
{
	return options->metrics >> METRIC_SELF & ((1u << METRIC_SUMS) - 1);
}

struct callee_sums *callee_sums_create(void)
{
	return mem_alloc(sizeof(struct callee_sums));
}

void callee_sums_destroy(struct callee_sums *sums)
{
	if (sums)
		free(sums->list);
	free(sums);
}

static struct callee_sum *sum_of_function(struct callee_sums *sums, unsigned function)
{
	for (size_t i = 0; i < sums->n; i++)
		if (sums->list[i].function == function)
			return &sums->list[i];
	sums->list = mem_grow(sums->list, &sums->capacity, sums->n + 1, sizeof(*sums->list));
	sums->list[sums->n] = (struct callee_sum){.function = function};
	return &sums->list[sums->n++];
}

void callee_sums_add(struct callee_sums **sums, const struct callee_sum *sum)
{
	struct callee_sum *to;

	if (!*sums)
		*sums = callee_sums_create();
	to = sum_of_function(*sums, sum->function);
	to->calls += sum->calls;
	to->unknown |= sum->unknown;
	for (enum metric metric = 0; metric < METRIC_SUMS; metric++)
		to->costs[metric] += sum->costs[metric];
}
