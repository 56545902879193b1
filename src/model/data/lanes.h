/*
 * Loops over columns of doubles, eight rows at a time.
 *
 * A function marked LANES is compiled for several processors; the best is taken when the program
 * starts. Sums have eight lanes, added in one order, and products are never fused into them
 * (-ffp-contract=off): so all processors give the same numbers. Lanes are plain arrays, whose loops
 * of eight become instructions; vectors wider than a processor's would pass through memory.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sanitizers are not ready when the dynamic linker chooses; clang 14 has no such choice. */
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LANES
#else
#define LANES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

#define LANES_INLINE inline __attribute__((always_inline))

enum { LANES_WIDE = 8 };

typedef double lanes_row[LANES_WIDE];

/* The first @n < 8 of them; the rest is @rest. */
static LANES_INLINE void lanes_load_some(const double *from, size_t n, double rest, double *ret)
{
	size_t i;

	for (i = 0; i < LANES_WIDE; i++)
		ret[i] = i < n ? from[i] : rest;
}

static LANES_INLINE void lanes_add(double *sums, const double *some)
{
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++)
		sums[i] += some[i];
}

static LANES_INLINE void lanes_add_products(double *sums, const double *a, const double *b)
{
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++)
		sums[i] += a[i] * b[i];
}

static LANES_INLINE double lanes_total(const double *sums)
{
	return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
	       ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/*
 * Sums of logarithms of positive normal numbers: exponents are added, mantissas, from 1 to 2,
 * multiplied; so there is one logarithm in a thousand numbers.
 */
struct lanes_logs {
	lanes_row mantissas;
	uint64_t exponents[LANES_WIDE];
	unsigned n; /* multiplied since the last logarithm */
	double sum;
};

static LANES_INLINE void lanes_logs_init(struct lanes_logs *logs)
{
	*logs = (struct lanes_logs){.mantissas = {1, 1, 1, 1, 1, 1, 1, 1}};
}

static LANES_INLINE void lanes_logs_fold(struct lanes_logs *logs)
{
	double product = 1;
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++) {
		product *= logs->mantissas[i];
		logs->mantissas[i] = 1;
	}
	logs->sum += log(product);
	logs->n = 0;
}

static LANES_INLINE void lanes_logs_add(struct lanes_logs *logs, const double *numbers)
{
	/* The product of as many mantissas of each lane stays below 2^1024. */
	enum { FOLD = 127 };
	uint64_t bits[LANES_WIDE];
	lanes_row mantissas;
	unsigned i;

	memcpy(bits, numbers, sizeof(bits));
	for (i = 0; i < LANES_WIDE; i++) {
		logs->exponents[i] += bits[i] >> 52;
		bits[i] = (bits[i] & 0xfffffffffffff) | 0x3ff0000000000000;
	}
	memcpy(mantissas, bits, sizeof(bits));
	for (i = 0; i < LANES_WIDE; i++)
		logs->mantissas[i] *= mantissas[i];
	if (++logs->n == FOLD)
		lanes_logs_fold(logs);
}

/* @count: of the numbers added. */
static LANES_INLINE double lanes_logs_total(struct lanes_logs *logs, size_t count)
{
	double exponents = -1023.0 * count;
	unsigned i;

	lanes_logs_fold(logs);
	for (i = 0; i < LANES_WIDE; i++)
		exponents += (double)logs->exponents[i];
	return logs->sum + exponents * M_LN2;
}

double lanes_sum(const double *numbers, size_t n);
double lanes_dot(const double *a, const double *b, size_t n);

/* Their correlation, 0 if one does not vary. Source: as moments.h, in two passes. */
double lanes_correlation(const double *x, const double *y, size_t n);

void lanes_multiply(const double *a, const double *b, size_t n, double *ret);

/* The sum of logarithms of positive normal numbers. */
double lanes_sum_of_logs(const double *numbers, size_t n);
