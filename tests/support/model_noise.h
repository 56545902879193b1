/*
 * Tables in which the metric has nothing to do with any feature.
 */
#ifndef FATHOM_TESTS_MODEL_NOISE_H
#define FATHOM_TESTS_MODEL_NOISE_H

#include "model_table.h"

enum metric_noise { NORMAL, LOGNORMAL, EXPONENTIAL, STUDENT, HUGE_FEW, METRIC_NOISES };

struct noise_shape {
	size_t rows, features;
	enum metric_noise noise;
	/* features are absent in the same rows by fives, each five in 2 % to 95 % of the rows */
	bool absent;
};

/* A metric of the noise and features of all kinds; @table is initialised, with its seed. */
void fill_noise(struct table *table, const struct noise_shape *shape);

/*
 * Of @tables tables from the seed @seed on, the kinds of noise in turn; the texts of those with a
 * feature to @wrong, or NULL.
 */
struct inventions {
	unsigned tables;
	unsigned features; /* tables with a feature in a formula or scope */
	unsigned modes;    /* tables of normal noise with several cases or a mixture */
};

void count_inventions(const struct noise_shape *shape, unsigned tables, long seed, FILE *wrong,
		      struct inventions *ret);

#endif
