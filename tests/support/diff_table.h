/*
 * Pairs of tables by known laws, and their diffs. Functions are inline so that a test may leave
 * some of them unused.
 */
#ifndef FATHOM_TESTS_DIFF_TABLE_H
#define FATHOM_TESTS_DIFF_TABLE_H

#include "model_table.h"

#include "core/annotation/annotation_parse.h"
#include "model/compare/diff_profiles.h"

/* What a call with the size x costs, and which sizes there are. */
struct cost_law {
	double constant, linear, nlogn, quadratic;
	double even, relative; /* standard deviation of the noise, and as a part of the cost */
	double low, high;      /* sizes, spread evenly over their logarithms */
	double alike;          /* correlation of a call's noise with that of the one before */
	double dear;           /* this part of the calls costs ten times as much */
};

static const struct cost_law usual = {
	.constant = 100, .linear = 2, .even = 20, .low = 10, .high = 1000};
static const struct cost_law sorting = {
	.constant = 50, .nlogn = 0.3, .relative = 0.2, .low = 10, .high = 2000};

enum { N_COLUMN = 1, OTHER_COLUMN = 2, ROWS = 200 };

static inline double cost_at(const struct cost_law *law, double x)
{
	return law->constant + law->linear * x + law->nlogn * x * log(x) + law->quadratic * x * x;
}

static inline void fill(struct table *table, long seed, size_t n, const struct cost_law *law)
{
	double noise = 0;
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "flags", FEATURE_INT, 0);
	for (i = 0; i < n; i++) {
		const double x = floor(law->low * pow(law->high / law->low, uniform(table, 0, 1)));
		const double cost = cost_at(law, x);

		noise = law->alike * noise + sqrt(1 - law->alike * law->alike) * normal(table);
		set(table, N_COLUMN, x);
		set(table, OTHER_COLUMN, floor(uniform(table, 0, 4)));
		set(table, 0,
		    (cost + noise * (law->even + law->relative * cost)) *
			    (uniform(table, 0, 1) < law->dear ? 10 : 1));
		add_row(table);
	}
}

static inline struct annotation *parsed(const char *text)
{
	struct annotation_list list = {.n = 0};
	struct annotation *annotation;
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s", err.text);
	annotation = list.list[0];
	free(list.list);
	return annotation;
}

/* The diff of two tables; @model: of both, NULL: each has its own. */
static inline struct diff *compare(const struct table *old, const struct table *new,
				   const char *model, double alpha, double tolerance)
{
	const struct diff_options options = {alpha, tolerance};
	struct diff *diff = diff_create();

	diff_profiles_add(diff, old->samples, new->samples, model ? parsed(model) : build(old),
			  model ? parsed(model) : build(new), &options);
	diff_profiles_decide(diff, &options);
	return diff;
}

static inline struct cost_law slower(struct cost_law law, double times)
{
	law.constant *= times;
	law.linear *= times;
	law.nlogn *= times;
	law.quadratic *= times;
	return law;
}

#endif
