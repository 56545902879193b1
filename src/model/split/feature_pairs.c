/* Tells units by words of names, and pairs the predictors of one unit. */
#include "feature_pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WORD_MAX = 16 };

static const struct {
	enum feature_unit unit;
	const char *words; /* with a blank around each */
} units[] = {
	{UNIT_AMOUNT,
	 " size len length count cnt num n m k i j capacity cap used free avail available max "
	 "min limit fill filled need needed want wanted room left remaining elements elems "
	 "items entries pos position off offset head tail idx index begin end first last "
	 "threshold quota pending queued total rows cols columns lines chars words nodes edges "
	 "keys values slots buckets blocks pages width height depth hi lo high low top bottom "
	 "left right from to start stop "},
	{UNIT_BYTES, " bytes memory mem heap ram "},
	{UNIT_DURATION, " time ns us ms sec seconds deadline timeout elapsed expires "},
};

static enum feature_unit unit_of_word(const char *word, size_t n)
{
	char sought[WORD_MAX + 3] = " ";

	if (!n || n > WORD_MAX)
		return UNIT_NONE;
	for (size_t i = 0; i < n; i++)
		sought[1 + i] = (char)tolower((unsigned char)word[i]);
	sought[1 + n] = ' ';
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strstr(units[i].words, sought))
			return units[i].unit;
	return UNIT_NONE;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* That of the last word of the last name that has one: maxItems, free_memory, v.size(). */
enum feature_unit feature_pairs_unit(const char *expression)
{
	size_t end = strlen(expression), begin;
	enum feature_unit unit = UNIT_NONE;

	while (end && !is_of_name(expression[end - 1]))
		end--;
	while (end && is_of_name(expression[end - 1]) && !unit) {
		for (begin = end; begin && isalnum((unsigned char)expression[begin - 1]); begin--)
			if (begin < end && isupper((unsigned char)expression[begin]) &&
			    islower((unsigned char)expression[begin - 1]))
				break;
		unit = unit_of_word(expression + begin, end - begin);
		end = begin;
		while (end && expression[end - 1] == '_')
			end--;
	}
	return unit;
}

/* A predictor that may be compared. */
struct paired {
	size_t predictor;
	enum feature_unit unit;
	bool of_system;
};

static bool pairs_may_have(const struct rank_regression *ranking, size_t i)
{
	const struct predictor *predictor = &ranking->data->predictors[i];

	return (predictor->column->type == FEATURE_INT ||
		predictor->column->type == FEATURE_FLOAT) &&
	       !predictor->column->is_derived && !predictor->doubtful && !predictor->returned &&
	       rank_regression_covers(ranking, i) && feature_pairs_unit(predictor->column->name);
}

static size_t pairs_add(struct feature_pair *ret, size_t n, size_t left, size_t right, double times)
{
	if (n < FEATURE_PAIRS_MAX)
		ret[n++] = (struct feature_pair){left, right, times};
	return n;
}

/* A pair of one unit, or of a number of things and bytes: then things of several sizes. */
static size_t pair_features(const struct paired *a, const struct paired *b,
			    struct feature_pair *ret, size_t n)
{
	static const double sizes[] = {1, 2, 4, 8, 16, 24, 32, 64};

	if (a->of_system && b->of_system)
		return n;
	if (a->unit == b->unit)
		return pairs_add(ret, n, a->predictor, b->predictor, 1);
	if (a->unit == UNIT_DURATION || b->unit == UNIT_DURATION)
		return n;
	if (a->unit == UNIT_BYTES)
		return pair_features(b, a, ret, n);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		n = pairs_add(ret, n, a->predictor, b->predictor, sizes[i]);
	return n;
}

size_t feature_pairs_find(const struct rank_regression *ranking,
			  struct feature_pair ret[FEATURE_PAIRS_MAX])
{
	struct paired *features = mem_alloc((ranking->data->n_predictors + 1) * sizeof(*features));
	size_t n = 0, n_pairs = 0;

	for (size_t i = 0; i < ranking->data->n_predictors; i++) {
		const struct predictor *predictor = &ranking->data->predictors[i];

		if (pairs_may_have(ranking, i))
			features[n++] =
				(struct paired){i, feature_pairs_unit(predictor->column->name),
						predictor->of_system};
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && n_pairs < FEATURE_PAIRS_MAX; j++)
			n_pairs = pair_features(&features[i], &features[j], ret, n_pairs);
	free(features);
	return n_pairs;
}
