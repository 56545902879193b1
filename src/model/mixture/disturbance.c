/*
 * Overlap, and the runs test for two kinds of calls, by the normal approximation.
 * Source: Wald, Wolfowitz, On a test whether two samples are from the same population, Annals of
 * Mathematical Statistics 11 (1940).
 */
#include "disturbance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/metric.h"
#include "model/data/call_drift.h"

/* A busy core, cache or a lower frequency makes a call take so many times as long at most. */
#define DISTURBED_TIMES 2.0
/* So many deviations fewer changes than without order, and at most such a part of them. */
#define SPELL_DEVIATIONS 4.0
#define SPELL_CHANGES    0.8
/*
 * Nearly all of one kind waited for a processor, and few of the other: more than what takes up to
 * twice as long would have it.
 */
#define WAITED_ALL 0.9
#define WAITED_FEW 0.4
/* Modes are so many deviations of both apart. */
#define APART 2.0

/* How many of the calls in order are of another kind than the call before. */
static size_t disturbance_changes(const struct call_drift *calls, const unsigned char *kinds)
{
	size_t changes = 0;

	for (size_t i = 1; i < calls->n; i++)
		changes += kinds[calls->order[i]] != kinds[calls->order[i - 1]];
	return changes;
}

static bool disturbance_is_ordered(double changes, double one, double other)
{
	const double n = one + other;
	const double expected = 2 * one * other / n;
	const double deviation = sqrt(expected * (expected - 1) / (n - 1));

	return changes < expected - SPELL_DEVIATIONS * deviation &&
	       changes <= SPELL_CHANGES * expected;
}

bool disturbance_in_spells(const struct dataset *data, const unsigned char *belongs, unsigned a,
			   unsigned b)
{
	struct arena *arena = arena_create();
	unsigned char *kinds = arena_array(arena, unsigned char, data->samples->n_rows);
	size_t *rows = arena_array(arena, size_t, data->n_rows);
	struct call_drift calls;
	size_t n = 0, of_b = 0;
	bool found;

	for (size_t i = 0; i < data->n_rows; i++) {
		if (belongs[i] != a && belongs[i] != b)
			continue;
		kinds[data->order[i]] = belongs[i];
		rows[n++] = data->order[i];
		of_b += belongs[i] == b;
	}
	calls = call_drift_in_order(arena, data->samples, rows, n);
	found = metric_is_time(data->metric->metric) && of_b && of_b < n &&
		disturbance_is_ordered((double)disturbance_changes(&calls, kinds),
				       (double)(n - of_b), (double)of_b);
	arena_destroy(arena);
	return found;
}

/*
 * Have nearly all calls of one component waited for a processor that others had, and few of the
 * other? What they waited is subtracted, but not what they lost by it.
 */
static bool disturbance_waited(const struct dataset *data, const unsigned char *belongs, unsigned a,
			       unsigned b)
{
	double n[2] = {0}, waited[2] = {0};

	for (size_t i = 0; i < data->n_rows; i++) {
		if (belongs[i] != a && belongs[i] != b)
			continue;
		n[belongs[i] == b]++;
		waited[belongs[i] == b] += data->samples->keys[data->order[i]].waited_ns > 0;
	}
	for (unsigned k = 0; k < 2; k++)
		if (waited[k] >= WAITED_ALL * n[k] && waited[!k] <= WAITED_FEW * n[!k])
			return n[k] > 0;
	return false;
}

bool disturbance_is_near(double low, double high)
{
	return low > 0 && high < DISTURBED_TIMES * low;
}

/* Make components @a and @a + 1 one, of the same mean and deviation. */
static void disturbance_make_one(struct mixture *mixture, unsigned a)
{
	struct mixture_component *one = &mixture->components[a];
	const struct mixture_component *other = one + 1;
	const double probability = one->probability + other->probability;
	const double part = other->probability / probability;
	const double apart = other->coefficients[0] - one->coefficients[0];
	const double square = (1 - part) * one->deviation * one->deviation +
			      part * other->deviation * other->deviation +
			      part * (1 - part) * apart * apart;

	one->probability = probability;
	one->coefficients[0] += part * apart;
	one->deviation = sqrt(square);
	mixture->n--;
	memmove(one + 1, one + 2, (mixture->n - a - 1) * sizeof(*one));
}

static bool disturbance_overlaps(const struct mixture_component *a,
				 const struct mixture_component *b)
{
	return b->coefficients[0] - a->coefficients[0] < APART * (a->deviation + b->deviation);
}

/* How many times the next one's costs are those of @one. */
static double disturbance_ratio(const struct mixture_component *one)
{
	return one[1].coefficients[0] / one->coefficients[0];
}

/* Joins the nearest two that are a disturbance of each other. */
static bool disturbance_join_two(const struct dataset *data, struct mixture *mixture,
				 bool *ret_spells)
{
	unsigned char *belongs = mem_alloc(data->n_rows + 1);
	unsigned found = mixture->n;
	bool of_spells = false;

	for (size_t i = 0; i < data->n_rows; i++)
		belongs[i] = mixture_most_likely(mixture, data_cost(data, i));
	for (unsigned a = 0; a + 1 < mixture->n; a++) {
		const struct mixture_component *one = &mixture->components[a];
		bool in_spells;

		if (!disturbance_is_near(one->coefficients[0], one[1].coefficients[0]) ||
		    (found < mixture->n &&
		     disturbance_ratio(one) >= disturbance_ratio(&mixture->components[found])))
			continue;
		in_spells = disturbance_in_spells(data, belongs, a, a + 1);
		if (!in_spells && !disturbance_overlaps(one, one + 1) &&
		    !disturbance_waited(data, belongs, a, a + 1))
			continue;
		of_spells = in_spells;
		found = a;
	}
	free(belongs);
	if (found == mixture->n)
		return false;
	*ret_spells |= of_spells;
	disturbance_make_one(mixture, found);
	return true;
}

bool disturbance_join(const struct dataset *data, struct mixture *mixture, bool *ret_spells)
{
	const unsigned before = mixture->n;

	*ret_spells = false;
	while (mixture->n > 1 && metric_is_time(data->metric->metric) &&
	       disturbance_join_two(data, mixture, ret_spells))
		;
	return mixture->n < before;
}
