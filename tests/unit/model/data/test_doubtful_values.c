/*
 * Values as of addresses, hashes and memory that was never written: no formula and no scope is made
 * of them, unless they rank the calls. Seeds are fixed.
 */
#include "model/data/doubtful_values.h"
#include "model_table.h"

enum { ROWS = 300 };

/* A feature drawn by @draw, and costs by @cost of a hidden kind of calls. */
struct garbage {
	const char *name;
	double (*draw)(struct table *table, unsigned kind);
	bool doubtful;
	enum feature_type type;
};

static double address_halves(struct table *table, unsigned kind)
{
	static const double around[] = {-1.6e9, 0.1e9, 1.7e9};

	return floor(around[kind] + uniform(table, -1e8, 1e8));
}

static double hashes(struct table *table, unsigned kind)
{
	return floor(uniform(table, kind, kind + 1) * 0x1p32 / 3);
}

static double addresses_or_small(struct table *table, unsigned kind)
{
	return kind ? 0x7f0000000000 + kind * 0x1000000 + 16 * floor(uniform(table, 0, 1000))
		    : floor(uniform(table, 0, 100));
}

static double negative_addresses(struct table *table, unsigned kind)
{
	return -0x1p47 + kind * 0x1p40 + floor(uniform(table, 0, 0x1p38));
}

static double floats(struct table *table, unsigned kind)
{
	return pow(10, uniform(table, -300, -200) + 200 * kind);
}

static double subnormals(struct table *table, unsigned kind)
{
	return (kind + uniform(table, 0, 1)) * 1e-310;
}

static double times(struct table *table, unsigned kind)
{
	return 1.7e9 + 1000 * kind + floor(uniform(table, 0, 900));
}

static double small_floats(struct table *table, unsigned kind)
{
	return (kind + uniform(table, 0, 1)) * 1e-200;
}

static double sizes(struct table *table, unsigned kind)
{
	return floor(10 * pow(100, kind + uniform(table, 0, 1)));
}

static double differences(struct table *table, unsigned kind)
{
	return floor(uniform(table, -4e6, -2e6)) + kind * 2e6;
}

/* Two signs, of no limit and of an unknown one. */
static double limits(struct table *table, unsigned kind)
{
	double u = uniform(table, 0, 1);

	return u < 0.2 ? 0x1p64 : u < 0.3 ? -0x1p31 : 1000 * kind + floor(uniform(table, 0, 900));
}

static const struct garbage all[] = {
	{"address_halves", address_halves, true, FEATURE_INT},
	{"hashes", hashes, true, FEATURE_INT},
	{"addresses_or_small", addresses_or_small, true, FEATURE_INT},
	{"negative_addresses", negative_addresses, true, FEATURE_INT},
	{"times", times, true, FEATURE_INT},
	{"floats", floats, true, FEATURE_FLOAT},
	{"subnormals", subnormals, true, FEATURE_FLOAT},
	{"small_floats", small_floats, false, FEATURE_FLOAT},
	{"sizes", sizes, false, FEATURE_INT},
	{"differences", differences, false, FEATURE_INT},
	{"limits", limits, false, FEATURE_INT},
};

/* Costs of three kinds of calls, 5 % of noise, which the feature goes along with. */
static void fill_garbage(struct table *table, const struct garbage *garbage)
{
	static const double costs[] = {100, 550, 1000};
	size_t i;

	table_init(table, 11);
	add_feature(table, garbage->name, garbage->type, 1);
	for (i = 0; i < ROWS; i++) {
		const unsigned kind = floor(uniform(table, 0, 3));

		set(table, 0, costs[kind] * (1 + 0.05 * normal(table)));
		set(table, 1, garbage->draw(table, kind));
		add_row(table);
	}
}

static void garbage_is_told_from_sizes(void **state)
{
	size_t i, row;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		size_t rows[ROWS];
		double min = INFINITY, max = -INFINITY;
		struct table table;

		fill_garbage(&table, &all[i]);
		for (row = 0; row < ROWS; row++) {
			rows[row] = row;
			min = fmin(min, table.samples->columns[1].numbers[row]);
			max = fmax(max, table.samples->columns[1].numbers[row]);
		}
		print_message("%s\n", all[i].name);
		assert_int_equal(
			doubtful_values_are(&table.samples->columns[1], min, max, rows, ROWS),
			all[i].doubtful);
		table_deinit(&table);
	}
}

static void garbage_is_in_no_model_and_that_is_told(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct annotation *annotation;
		struct table table;

		fill_garbage(&table, &all[i]);
		annotation = build(&table);
		print_message("%s\n", all[i].name);
		assert_int_equal(annotation->n_features > 0, !all[i].doubtful);
		assert_int_equal(has_note(annotation, "whose values look like"), all[i].doubtful);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void a_large_size_that_ranks_the_calls_is_believed(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 12);
	add_feature(&table, "bytes", FEATURE_INT, 0);
	for (i = 0; i < ROWS; i++) {
		const double bytes = floor(pow(2, uniform(&table, 20, 44)));

		set(&table, 0, (1000 + 1e-6 * bytes) * (1 + 0.05 * normal(&table)));
		set(&table, 1, bytes);
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "bytes", NULL);
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].models[0].growth, GROWTH_LINEAR);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* An enumeration of calls of three kinds, of which one has the number @third. */
static struct annotation *build_enumeration(struct table *table, double third)
{
	static const double costs[] = {100, 550, 1000};
	size_t i;

	table_init(table, 13);
	add_feature(table, "mode", FEATURE_ENUM, 1);
	samples_add_label(table->samples, 1, 1, "READ");
	samples_add_label(table->samples, 1, 0x2000000, "WRITE");
	for (i = 0; i < ROWS; i++) {
		const double numbers[] = {1, 0x2000000, third};

		set(table, 0, costs[i % 3] * (1 + 0.05 * normal(table)));
		set(table, 1, numbers[i % 3]);
		add_row(table);
	}
	return build(table);
}

static void an_enumeration_with_what_is_none_of_its_numbers_is_doubted(void **state)
{
	static const struct {
		double third;
		bool doubtful;
	} all_thirds[] = {
		{472109928, true}, {-1.5e9, true},      {0x2000001, false},
		{7, false},        {UINT32_MAX, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all_thirds) / sizeof(*all_thirds); i++) {
		struct table table;
		struct annotation *annotation = build_enumeration(&table, all_thirds[i].third);

		print_message("%.0f\n", all_thirds[i].third);
		assert_int_equal(annotation->n_features > 0, !all_thirds[i].doubtful);
		assert_int_equal(has_note(annotation, "not used: mode, whose values look like"),
				 all_thirds[i].doubtful);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Who pins a feature knows what it is. */
static void a_pinned_feature_is_not_doubted(void **state)
{
	static const char *const pinned[] = {"address_halves"};
	const struct model_options options = {.min_r2 = 0.75, .pinned = pinned, .n_pinned = 1};
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill_garbage(&table, &all[0]);
	annotation = model_build(table.samples, METRIC_TIME, &options);
	assert_features(annotation, 1, "address_halves", NULL);
	annotation_destroy(annotation);
	table_deinit(&table);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(garbage_is_told_from_sizes),
		cmocka_unit_test(garbage_is_in_no_model_and_that_is_told),
		cmocka_unit_test(a_large_size_that_ranks_the_calls_is_believed),
		cmocka_unit_test(a_pinned_feature_is_not_doubted),
		cmocka_unit_test(an_enumeration_with_what_is_none_of_its_numbers_is_doubted),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
