/*
 * Extrapolates the upper tail of the permutation null as exponential, with the mean excess over a
 * high quantile.
 */
#include "permutation_null.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "base/random.h"

enum { DRAWS = 200, TAIL = DRAWS / 5 };

/* The probability of any condition on pure noise. */
#define ALPHA 0.0001
/* Minimum mean excess: that of a likelihood ratio. */
#define EXCESS_LEAST 2.0
/* If most costs are equal, a handful makes the tail: heavier than so few draws show. */
#define EXCESS_TIED 2.0
/* Bound for an exact description. */
#define LEFT_LEAST 1e-12

static void shuffle(struct place *places, size_t n, struct random_state *random)
{
	size_t i;

	for (i = n; i > 1; i--) {
		size_t j = random_next(random) % i;
		struct place other = places[i - 1];

		places[i - 1] = places[j];
		places[j] = other;
	}
}

/* The gain in -2 log likelihood. */
static double permutation_explained(const struct permutation_null *null, double left)
{
	return -(double)null->n * log(fmax(left, LEFT_LEAST));
}

/* Do more than half of the calls, in metric order, cost the same? */
static bool is_tied(const struct dataset *data)
{
	size_t n = data->n_choice;
	size_t i;

	for (i = 0; i + n / 2 < n; i++)
		if (data->y[i] == data->y[i + n / 2])
			return true;
	return false;
}

static void permutation_draw(struct permutation_null *null)
{
	size_t n = null->n;
	struct place *places = mem_alloc(n * sizeof(*places));
	const struct order order = {places, n};
	double draws[DRAWS] = {0};
	struct random_state random = {.state = 1};
	size_t i;

	for (i = 0; i < n; i++)
		places[i] = (struct place){i, true};
	for (i = 0; i < DRAWS; i++) {
		struct changepoint segment;

		shuffle(places, n, &random);
		if (changepoint_find_in(null->search, &order, null->least_rows, &segment))
			draws[i] = permutation_explained(null, segment.left);
	}
	numbers_sort(draws, DRAWS);
	null->quantile = draws[DRAWS - 1 - TAIL];
	for (i = DRAWS - 1; i > DRAWS - 1 - TAIL; i--)
		null->excess += (draws[i] - null->quantile) / TAIL;
	null->excess = fmax(null->excess, EXCESS_LEAST);
	if (is_tied(null->data))
		null->excess *= EXCESS_TIED;
	null->is_drawn = true;
	free(places);
}

void permutation_null_init(struct permutation_null *null, struct changepoint_search *search,
			   const struct dataset *data, size_t least_rows)
{
	*null = (struct permutation_null){
		.n = data->n_choice, .search = search, .data = data, .least_rows = least_rows};
}

bool permutation_null_is_beaten(struct permutation_null *null, double left, size_t tried)
{
	double rarity = (double)(tried ? tried : 1) * TAIL / DRAWS / ALPHA;

	if (permutation_explained(null, left) <= EXCESS_LEAST * log(rarity))
		return false;
	if (!null->is_drawn)
		permutation_draw(null);
	return permutation_explained(null, left) > null->quantile + null->excess * log(rarity);
}
