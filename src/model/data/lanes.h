/*
 * Loops over columns of doubles, eight rows at a time.
 *
 * A function marked LANES is compiled for several processors; the best is taken when the program
 * starts. Sums have eight lanes, added in one order, and products are never fused into them
 * (-ffp-contract=off): so all processors give the same numbers.
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

typedef double lanes_row __attribute__((vector_size(LANES_WIDE * sizeof(double))));
typedef uint64_t lanes_bits __attribute__((vector_size(LANES_WIDE * sizeof(uint64_t))));

/* Eight doubles at any address. */
static LANES_INLINE void lanes_load(const double *from, lanes_row *ret)
{
	memcpy(ret, from, sizeof(*ret));
}

/* The first @n < 8 of them; the rest is @rest. */
static LANES_INLINE void lanes_load_some(const double *from, size_t n, double rest, lanes_row *ret)
{
	double some[LANES_WIDE];
	size_t i;

	for (i = 0; i < LANES_WIDE; i++)
		some[i] = i < n ? from[i] : rest;
	memcpy(ret, some, sizeof(*ret));
}

static LANES_INLINE double lanes_total(const lanes_row *sums)
{
	typedef double half __attribute__((vector_size(sizeof(lanes_row) / 2)));
	typedef double quarter __attribute__((vector_size(sizeof(lanes_row) / 4)));
	half halves[2];
	quarter quarters[2];

	memcpy(halves, sums, sizeof(halves));
	halves[0] += halves[1];
	memcpy(quarters, halves, sizeof(quarters));
	quarters[0] += quarters[1];
	return quarters[0][0] + quarters[0][1];
}

/*
 * Sums of logarithms of positive normal numbers: exponents are added, mantissas, from 1 to 2,
 * multiplied; so there is one logarithm in a thousand numbers.
 */
struct lanes_logs {
	lanes_row mantissas;
	lanes_bits exponents;
	unsigned n; /* multiplied since the last logarithm */
	double sum;
};

static LANES_INLINE void lanes_logs_init(struct lanes_logs *logs)
{
	*logs = (struct lanes_logs){.mantissas = {1, 1, 1, 1, 1, 1, 1, 1}};
}

static LANES_INLINE void lanes_logs_fold(struct lanes_logs *logs)
{
	const double *m = (const double *)&logs->mantissas;
	double product = 1;
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++)
		product *= m[i];
	logs->sum += log(product);
	logs->mantissas = (lanes_row){1, 1, 1, 1, 1, 1, 1, 1};
	logs->n = 0;
}

static LANES_INLINE void lanes_logs_add(struct lanes_logs *logs, const lanes_row *numbers)
{
	/* The product of as many mantissas of each lane stays below 2^1024. */
	enum { FOLD = 127 };
	const lanes_bits bits = (lanes_bits)*numbers;

	logs->exponents += bits >> 52;
	logs->mantissas *= (lanes_row)((bits & 0xfffffffffffff) | 0x3ff0000000000000);
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
