/*
 * Tables as nobody wants them: whatever the numbers, the outcome is an annotation that prints,
 * reads back and prints the same, without a number that is none, or a note that says why there is
 * no model.
 */
#include "drawn.h"
#include "model_noise.h"

static void assert_survived(struct table *table)
{
	struct annotation *annotation = build(table);

	assert_finite(annotation);
	annotation_destroy(annotation);
	table_deinit(table);
}

static void init(struct table *table, const enum feature_type *types, size_t n)
{
	static const char *const names[] = {"a", "p->b", "c", "p->d", "e", "f", "g", "h"};
	size_t i;

	table_init(table, 77);
	for (i = 0; i < n; i++)
		add_feature(table, names[i], types[i], i % 2);
}

static const enum feature_type two_ints[] = {FEATURE_INT, FEATURE_INT};
static const enum feature_type every_type[] = {FEATURE_BOOL,   FEATURE_INT,  FEATURE_FLOAT,
					       FEATURE_STRING, FEATURE_ENUM, FEATURE_CLASS};

/* Metrics as they come: @numbers in turn, one feature in step with the rows, one constant. */
static void survive_metrics(const double *numbers, size_t n, size_t rows)
{
	struct table table;
	size_t i;

	init(&table, two_ints, 2);
	for (i = 0; i < rows; i++) {
		set(&table, 0, numbers[i % n]);
		set(&table, 1, i);
		set(&table, 2, 5);
		add_row(&table);
	}
	assert_survived(&table);
}

/*
 * The same numbers as a feature of a metric that depends on the row, and on the feature if it can.
 */
static void survive_features(const double *numbers, size_t n, size_t rows)
{
	size_t type;

	for (type = 0; type < sizeof(every_type) / sizeof(*every_type); type++) {
		const enum feature_type types[] = {every_type[type], FEATURE_INT};
		struct table table;
		size_t i;

		init(&table, types, 2);
		for (i = 0; i < rows; i++) {
			set(&table, 1, numbers[i % n]);
			set(&table, 2, i);
			set(&table, 0, 100 + (i % n) * 50 + normal(&table));
			add_row(&table);
		}
		assert_survived(&table);
	}
}

static const size_t row_counts[] = {1, 2, 3, 7, 8, 9, 20, 150};

static void survive_all(const double *numbers, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(row_counts) / sizeof(*row_counts); i++) {
		survive_metrics(numbers, n, row_counts[i]);
		survive_features(numbers, n, row_counts[i]);
	}
}

#define SURVIVE(...)                                                      \
	do {                                                              \
		static const double numbers[] = {__VA_ARGS__};            \
		survive_all(numbers, sizeof(numbers) / sizeof(*numbers)); \
	} while (0)

static void what_is_no_number_is_survived(void **state)
{
	(void)state;
	SURVIVE(NAN);
	SURVIVE(INFINITY, -INFINITY);
	SURVIVE(1, NAN, 3, INFINITY, 5, -INFINITY);
	SURVIVE(NAN, 1, 2, 3, 4, 5, 6, 7, 8, 9);
}

static void negative_metrics_are_survived(void **state)
{
	(void)state;
	SURVIVE(-1);
	SURVIVE(-5, 3, -2, 8, 0);
	SURVIVE(-1e9, 1e9);
}

static void equal_numbers_are_survived(void **state)
{
	(void)state;
	SURVIVE(0);
	SURVIVE(-0.0, 0.0);
	SURVIVE(42);
	SURVIVE(1e300);
	SURVIVE(1e-300);
}

static void extreme_numbers_are_survived(void **state)
{
	(void)state;
	SURVIVE(1e-300, 1e300);
	SURVIVE(-1e300, 1e300);
	SURVIVE(1.7976931348623157e308, -1.7976931348623157e308);
	SURVIVE(5e-324, 1e-320, 2e-310);
	SURVIVE(1e-300, 1e-150, 1, 1e150, 1e300);
	SURVIVE(9223372036854775807.0, -9223372036854775808.0, 18446744073709551615.0);
	SURVIVE(1, 1 + 2.3e-16, 1 - 1.2e-16);
	SURVIVE(1e15, 1e15 + 1, 1e15 + 2);
}

static void nothing_at_all_is_survived(void **state)
{
	struct table table;
	size_t i, j;

	(void)state;
	init(&table, every_type, 6);
	assert_survived(&table);
	for (i = 0; i < sizeof(row_counts) / sizeof(*row_counts); i++) {
		init(&table, every_type, 6);
		for (j = 0; j <= 6; j++)
			set_absent(&table, j);
		for (j = 0; j < row_counts[i]; j++)
			add_row(&table);
		assert_survived(&table);
	}
}

static void absent_features_are_survived(void **state)
{
	struct table table;
	size_t i, j;

	(void)state;
	init(&table, every_type, 6);
	for (j = 1; j <= 6; j++)
		set_absent(&table, j);
	for (i = 0; i < 150; i++) {
		set(&table, 0, 10 + uniform(&table, 0, 1));
		add_row(&table);
	}
	assert_survived(&table);
}

/* Each feature is there where no other is. */
static void features_that_are_never_there_together_are_survived(void **state)
{
	struct table table;
	size_t i, j;

	(void)state;
	init(&table, every_type, 6);
	for (i = 0; i < 150; i++) {
		for (j = 1; j <= 6; j++)
			set_absent(&table, j);
		set(&table, 1 + i % 6, i / 6 % 5);
		set(&table, 0, 10 + 3.0 * (i / 6 % 5) + 100.0 * (i % 6) + normal(&table));
		add_row(&table);
	}
	assert_survived(&table);
}

static void identical_features_are_one(void **state)
{
	const enum feature_type types[] = {FEATURE_INT, FEATURE_INT, FEATURE_ENUM, FEATURE_ENUM};
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	init(&table, types, 4);
	for (i = 0; i < 150; i++) {
		set(&table, 1, floor(uniform(&table, 1, 5000)));
		set(&table, 2, table.cells[1].number);
		set(&table, 3, i % 3);
		set(&table, 4, i % 3);
		set(&table, 0, (50 + 3 * table.cells[1].number) * (1 + 0.02 * normal(&table)));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "a", NULL);
	annotation_destroy(annotation);
	assert_survived(&table);
}

/* Of every type, each value once or nearly so; the cost depends on it, and then does not. */
static void columns_with_a_thousand_values_are_survived(void **state)
{
	size_t type, i, depends;

	(void)state;
	for (type = 0; type < 12; type++) {
		const enum feature_type types[] = {every_type[type % 6], FEATURE_INT};
		struct table table;
		char label[16];

		depends = type / 6;
		init(&table, types, 2);
		for (i = 0; types[0] >= FEATURE_STRING && i < 1000; i++) {
			snprintf(label, sizeof(label), "V%zu", i);
			samples_add_label(table.samples, 1, i, label);
		}
		for (i = 0; i < 1200; i++) {
			double value = floor(uniform(&table, 0, 1000));

			set(&table, 1, value);
			set(&table, 2, i % 7);
			set(&table, 0,
			    500 + (depends ? fmod(value * 37, 101) : 0) + normal(&table));
			add_row(&table);
		}
		assert_survived(&table);
	}
}

/* Of chance all kinds of models may come when there are two hundred features a row. */
static void ten_rows_of_two_thousand_features_are_survived(void **state)
{
	static const size_t rows[] = {1, 2, 5, 10, 12, 25};
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++) {
		const struct noise_shape shape = {rows[i % 6], 2000, i / 6 ? LOGNORMAL : NORMAL};
		struct table table;

		table_init(&table, 5 + i);
		fill_noise(&table, &shape);
		assert_survived(&table);
	}
}

/* As imported tables and templates have them; with a law, so that names are printed. */
static void hostile_names_read_back(void **state)
{
	static const char *const names[] = {
		"a;b",       "a\nb",     "x // y", "x /* y */",     "\"q",
		"n = m;}",   "",         " ",      "f(int).time {", "case",
		"N\xc3\xa9", "\xff\xfe", "[0]",    "{0.5}",         "Norm(1, 2)",
	};
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(names) / sizeof(*names); k++) {
		struct table table;

		table_init(&table, 3);
		add_feature(&table, names[k], FEATURE_INT, 0);
		for (i = 0; i < 100; i++) {
			set(&table, 1, i + 1);
			set(&table, 0, 100 + 5.0 * i + normal(&table));
			add_row(&table);
		}
		assert_survived(&table);
	}
}

static void hostile_names_of_values_read_back(void **state)
{
	static const char *const labels[] = {"A B",           "1x", "a]b",    "\"", "a && b", "",
					     "Ns::Kind<int>", "x;", "n == 1", "\n", "7"};
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(labels) / sizeof(*labels); k++) {
		const enum feature_type types[] = {k % 2 ? FEATURE_ENUM : FEATURE_CLASS,
						   FEATURE_INT};
		struct table table;

		init(&table, types, 2);
		samples_add_label(table.samples, 1, 0, labels[k]);
		samples_add_label(table.samples, 1, 1, "OTHER");
		for (i = 0; i < 150; i++) {
			set(&table, 1, i % 2);
			set(&table, 2, floor(uniform(&table, 1, 1000)));
			set(&table, 0, (i % 2 ? 500 : 9) * (1 + 0.05 * normal(&table)));
			add_row(&table);
		}
		assert_survived(&table);
	}
}

/* All numbers by chance, of all magnitudes, signs and absences; seeds are fixed. */
static void random_tables_are_survived(void **state)
{
	const unsigned tables = drawn(150);
	long seed;

	(void)state;
	for (seed = 0; seed < tables; seed++) {
		struct table table;
		size_t rows, i, j;

		init(&table, every_type, 6);
		srand48_r(seed, &table.random);
		rows = floor(uniform(&table, 1, 60));
		for (i = 0; i < rows; i++) {
			for (j = 0; j <= 6; j++) {
				double u = uniform(&table, 0, 1);

				set(&table, j,
				    pow(10, uniform(&table, -307, 307)) * (u < 0.3 ? -1 : 1));
				if (u > 0.9)
					set_absent(&table, j);
				else if (u > 0.6)
					set(&table, j, floor(10 * u));
			}
			add_row(&table);
		}
		assert_survived(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_number_is_survived),
		cmocka_unit_test(negative_metrics_are_survived),
		cmocka_unit_test(equal_numbers_are_survived),
		cmocka_unit_test(extreme_numbers_are_survived),
		cmocka_unit_test(nothing_at_all_is_survived),
		cmocka_unit_test(absent_features_are_survived),
		cmocka_unit_test(features_that_are_never_there_together_are_survived),
		cmocka_unit_test(identical_features_are_one),
		cmocka_unit_test(columns_with_a_thousand_values_are_survived),
		cmocka_unit_test(ten_rows_of_two_thousand_features_are_survived),
		cmocka_unit_test(hostile_names_read_back),
		cmocka_unit_test(hostile_names_of_values_read_back),
		cmocka_unit_test(random_tables_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
