/* Counts distinct values in the ranges of addresses, of halves of them, and of hashes. */
#include "doubtful_values.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* Two may be signs of something. */
enum { DISTINCT_LEAST = 3 };

/* Addresses, and times in nanoseconds, are above; so are halves of an address, with either sign. */
#define ADDRESS_LEAST 0x1p40
#define HALF_LEAST    0x1p24
/* Hashes of 32 bits fill their range; no sizes do. */
#define HASH_LEAST 0x1p31
#define HASH_PART  0.3
/* Seconds since 1970 are above, and vary by a small part. */
#define TIME_LEAST 1e9
#define TIME_PART  0.01
/* Addresses read as floating-point numbers are subnormal, and memory of anything spreads so far. */
#define FLOAT_SPREAD 1e100

/* Distinct values of one range. */
struct values {
	double seen[DISTINCT_LEAST];
	unsigned distinct;
	size_t n;
};

static void doubtful_add(struct values *values, double x)
{
	unsigned i;

	values->n++;
	for (i = 0; i < values->distinct && values->seen[i] != x; i++)
		;
	if (i == values->distinct && i < DISTINCT_LEAST)
		values->seen[values->distinct++] = x;
}

static bool doubtful_many(const struct values *values)
{
	return values->distinct == DISTINCT_LEAST;
}

static bool doubtful_integers(const struct column *column, const size_t *rows, size_t n)
{
	struct values addresses = {0}, above = {0}, below = {0}, hashes = {0};
	size_t present = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double x = column->numbers[rows[i]];

		if (column->absence[rows[i]] != PRESENT)
			continue;
		present++;
		if (fabs(x) >= ADDRESS_LEAST)
			doubtful_add(&addresses, x);
		if (x >= HALF_LEAST)
			doubtful_add(&above, x);
		if (x <= -HALF_LEAST)
			doubtful_add(&below, x);
		if (x >= HASH_LEAST)
			doubtful_add(&hashes, x);
	}
	return doubtful_many(&addresses) || (doubtful_many(&above) && doubtful_many(&below)) ||
	       (doubtful_many(&hashes) && hashes.n >= HASH_PART * present);
}

static bool doubtful_floats(const struct column *column, const size_t *rows, size_t n)
{
	struct values subnormal = {0};
	double least = INFINITY, most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double size = fabs(column->numbers[rows[i]]);

		if (column->absence[rows[i]] != PRESENT || size == 0)
			continue;
		least = fmin(least, size);
		most = fmax(most, size);
		if (size < DBL_MIN)
			doubtful_add(&subnormal, column->numbers[rows[i]]);
	}
	return doubtful_many(&subnormal) || most > FLOAT_SPREAD * least;
}

bool doubtful_values_are(const struct column *column, double min, double max, const size_t *rows,
			 size_t n)
{
	if (column->provenance == FROM_SYSTEM || column->provenance == FROM_IMPORT)
		return false;
	if (column->type == FEATURE_FLOAT)
		return doubtful_floats(column, rows, n);
	if (column->type != FEATURE_INT || (max < HALF_LEAST && min > -HALF_LEAST))
		return false;
	return (min >= TIME_LEAST && max - min < TIME_PART * min) ||
	       doubtful_integers(column, rows, n);
}

bool doubtful_values_of_enum(const struct column *column, size_t n_rows)
{
	uint64_t bits = 0;
	size_t i;

	if (column->type != FEATURE_ENUM || !column->n_labels || column->provenance == FROM_IMPORT)
		return false;
	for (i = 0; i < column->n_labels; i++)
		if (fabs(column->labels[i].number) < ADDRESS_LEAST)
			bits |= (uint64_t)(int64_t)column->labels[i].number;
	for (i = 0; i < n_rows; i++) {
		const double x = column->numbers[i];

		/* All bits are for "none" or "all". */
		if (column->absence[i] == PRESENT && fabs(x) >= HALF_LEAST && x != UINT32_MAX &&
		    !(fabs(x) < ADDRESS_LEAST && !((uint64_t)(int64_t)x & ~bits)))
			return true;
	}
	return false;
}
