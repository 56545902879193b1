/* The parts of a call's time are subjects of their own. */
#include "diff_payers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum metric payers[DIFF_PAYERS] = {METRIC_SERVER + METRIC_TIME, METRIC_NETWORK,
						METRIC_OWN};

static bool payer_is_of(const struct diff_subject *part, const struct diff_subject *time)
{
	const bool one_side = part->side && time->side ? !strcmp(part->side, time->side)
						       : part->side == time->side;

	return one_side && !strcmp(part->function, time->function);
}

static const struct diff_subject *payer_subject(const struct diff *diff,
						const struct diff_subject *time, enum metric metric)
{
	for (size_t i = 0; i < diff->n_subjects; i++)
		if (diff->subjects[i].metric == metric && payer_is_of(&diff->subjects[i], time))
			return &diff->subjects[i];
	return NULL;
}

/* Of the mean cost, but for what the new calls would have cost before. NAN: not known. */
static double part_change(const struct diff_subject *part)
{
	const double workload = isfinite(part->workload) ? part->workload : 1;

	return part->mean_new - part->mean_old * workload;
}

static int compare_increases(const void *a, const void *b)
{
	const struct diff_payer *x = a;
	const struct diff_payer *y = b;

	return (x->change < y->change) - (x->change > y->change);
}

static int compare_decreases(const void *a, const void *b)
{
	return compare_increases(b, a);
}

static void payers_rank(const struct diff *diff, struct diff_subject *time)
{
	for (size_t i = 0; i < DIFF_PAYERS; i++) {
		const struct diff_subject *part = payer_subject(diff, time, payers[i]);
		const double change = part ? part_change(part) : NAN;

		if (!isnan(change))
			time->payers[time->n_payers++] = (struct diff_payer){
				payers[i], change,
				part->verdict == DIFF_WORSE || part->verdict == DIFF_BETTER};
	}
	qsort(time->payers, time->n_payers, sizeof(*time->payers),
	      time->verdict == DIFF_BETTER ? compare_decreases : compare_increases);
}

void diff_payers_find(struct diff *diff)
{
	for (size_t i = 0; i < diff->n_subjects; i++)
		if (diff->subjects[i].metric == METRIC_TIME)
			payers_rank(diff, &diff->subjects[i]);
}
