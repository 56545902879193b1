/*
 * What tests of conditions share: which ones a table has.
 */
#ifndef FATHOM_TESTS_PARTITION_TABLE_H
#define FATHOM_TESTS_PARTITION_TABLE_H

#include "model_table.h"

#include "model/split/split_candidates.h"
#include "model/split/partition.h"
#include "model/data/equivalents.h"

enum { SPLITS = 4 };

struct found {
	struct dataset *data;
	struct split splits[SPLITS];
	size_t n;
};

static inline void find(const struct table *table, struct found *ret)
{
	ret->data = dataset_create(table->samples, METRIC_TIME);
	equivalents_screen(ret->data, &(struct model_options){0});
	ret->n = partition_find(ret->data, ret->splits, SPLITS);
}

/* The best condition of @table is this one. */
static inline void assert_best(const struct table *table, const char *name, enum split_kind kind,
			       double at)
{
	struct found found;

	find(table, &found);
	assert_true(found.n > 0);
	assert_string_equal(found.splits[0].column->name, name);
	assert_int_equal(found.splits[0].kind, kind);
	assert_true(found.splits[0].at == at);
	assert_true(found.splits[0].gain > 0);
	dataset_destroy(found.data);
}

static inline size_t count_conditions(const struct table *table)
{
	struct found found;

	find(table, &found);
	dataset_destroy(found.data);
	return found.n;
}

static inline void add_branch(struct table *table, const char *name)
{
	const struct column column = {.name = name, .role = COLUMN_BRANCH};

	samples_add_column(table->samples, &column);
}

/*
 * test_linear_branches: if (a > 10) cost = b * b; else cost = 587 * c. With the branch, if @branch.
 */
static inline void fill_linear_branches(struct table *table, bool branch)
{
	size_t i;

	add_feature(table, "a", FEATURE_INT, 0);
	add_feature(table, "b", FEATURE_INT, 0);
	add_feature(table, "c", FEATURE_INT, 0);
	if (branch)
		add_branch(table, "f.cc:3");
	for (i = 0; i < 150; i++) {
		double a = floor(uniform(table, 0, 21));
		double b = floor(uniform(table, 1, 1000));
		double c = floor(uniform(table, 1, 1000));

		set(table, 1, a);
		set(table, 2, b);
		set(table, 3, c);
		set(table, 4, a > 10);
		set(table, 0, (a > 10 ? b * b : 587 * c) * (1 + .05 * normal(table)));
		add_row(table);
	}
}

#endif
