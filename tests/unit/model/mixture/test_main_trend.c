/*
 * Main trends that are half of the calls while nothing is known of the others; and none where costs
 * follow nothing.
 */
#include "core/metric.h"
#include "drawn.h"
#include "model_table.h"

enum { CALLS = 150 };

static void add_columns(struct table *table)
{
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "p->state", FEATURE_INT, 1);
	add_feature(table, "p->weight", FEATURE_FLOAT, 1);
}

typedef double (*cost_law)(struct table *table, double n);

static struct annotation *build_calls(cost_law cost, long seed)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	table_init(&table, seed);
	add_columns(&table);
	for (i = 0; i < CALLS; i++) {
		double n = floor(uniform(&table, 1, 26));

		set(&table, 1, n);
		set(&table, 2, floor(uniform(&table, 0, 9)));
		set(&table, 3, normal(&table));
		set(&table, 0, cost(&table, n));
		add_row(&table);
	}
	annotation = build(&table);
	table_deinit(&table);
	return annotation;
}

/* A quarter is dear, a quarter costs next to nothing. */
static double half_on_a_line(struct table *table, double n)
{
	double kind = uniform(table, 0, 1);

	if (kind < 0.25)
		return uniform(table, 3000, 3500);
	return kind < 0.5 ? uniform(table, 1, 50) : 60 * n * (1 + 0.02 * normal(table));
}

static double three_clusters(struct table *table, double n)
{
	double kind = uniform(table, 0, 1);

	(void)n;
	return (kind < 0.3 ? 900 : kind < 0.7 ? 600 : 300) * (1 + 0.02 * normal(table));
}

static double anything(struct table *table, double n)
{
	(void)n;
	return uniform(table, 1, 3000);
}

/*
 * Is there a model in proportion to n, 60 a piece? A slope of 60 calls with 2 % noise is known to
 * 0.3 %.
 */
static bool has_line(const struct annotation *annotation)
{
	size_t i, k;

	for (i = 0; i < annotation->cases[0].n_models; i++) {
		const struct formula *mean = &annotation->cases[0].models[i].mean;

		for (k = 0; k < mean->n_terms; k++)
			if (mean->terms[k].n_factors == 1 &&
			    fabs(mean->terms[k].coefficient - 60) < 3)
				return true;
	}
	return false;
}

static void half_of_the_calls_on_a_line_are_told(void **state)
{
	const unsigned tables = draws_few() ? 5 : 20;
	unsigned found = 0;
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		struct annotation *annotation = build_calls(half_on_a_line, seed);

		assert_int_equal(annotation->n_cases, 1);
		found += has_line(annotation);
		annotation_destroy(annotation);
	}
	/*
	 * Less than 40 % of 150 calls are on the line in 1 % of the tables; more than 2 of 20 such
	 * tables come in 0.1 % of the cases.
	 */
	assert_in_range(found, least_by_chance(tables, 0.99, 0.0011), tables);
}

static unsigned count_invented(cost_law cost, long seeds)
{
	unsigned invented = 0;
	long seed;

	for (seed = 1; seed <= seeds; seed++) {
		struct annotation *annotation = build_calls(cost, seed);

		invented += annotation->n_features > 0;
		annotation_destroy(annotation);
	}
	return invented;
}

static void costs_that_follow_nothing_have_no_trend(void **state)
{
	const unsigned tables = drawn(100), most = most_by_chance(tables, 0.01, 0.004);

	(void)state;
	/* One in a hundred is promised. */
	assert_in_range(count_invented(three_clusters, tables), 0, most);
	assert_in_range(count_invented(anything, tables), 0, most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_calls_on_a_line_are_told),
		cmocka_unit_test(costs_that_follow_nothing_have_no_trend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
