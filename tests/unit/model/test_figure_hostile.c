/*
 * Studies and figures of samples that nobody would draw: all finite, or a reason why there is
 * nothing.
 */
#include "base/mem.h"
#include "study_check.h"

#include <float.h>

enum { OPTIONS = 5 };

static void fill_options(struct figure_options options[OPTIONS])
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		options[i] = figure_default;
	options[1].log_x = options[1].log_y = true;
	options[1].max_points = 3;
	options[2].x_low = 1e300;
	options[2].y_high = -1e300;
	options[2].n_curve = 1;
	options[3].x_low = options[3].x_high = 5;
	options[3].y_low = 7;
	options[3].y_high = 6;
	options[3].log_y = true;
	options[4].log_x = options[4].log_y = true;
	options[4].x_low = -1;
	options[4].x_high = 1e-320;
	options[4].y_low = INFINITY;
	options[4].n_curve = 3;
	options[4].max_points = 1;
}

/* The study of the table, and all its figures with all options. Takes @table. */
static void assert_all_sound(struct table *table)
{
	struct figure_options options[OPTIONS];
	struct study *study = build_study(table);
	size_t i;

	fill_options(options);
	assert_study_sound(study);
	for (i = 0; i < OPTIONS; i++)
		assert_figures_sound(study, &options[i]);
	study_destroy(study);
	table_deinit(table);
}

/* A feature of each type. */
static void init(struct table *table)
{
	static const struct {
		const char *name;
		enum feature_type type;
	} features[] = {{"n", FEATURE_INT},     {"ratio", FEATURE_FLOAT}, {"flag", FEATURE_BOOL},
			{"kind", FEATURE_ENUM}, {"name", FEATURE_STRING}, {"*this", FEATURE_CLASS}};
	size_t i;

	table_init(table, 1);
	for (i = 0; i < sizeof(features) / sizeof(*features); i++)
		add_feature(table, features[i].name, features[i].type, 0);
}

enum { FEATURES = 6 };

static void few_calls_have_figures(void **state)
{
	size_t rows, i, j;

	(void)state;
	for (rows = 0; rows <= 9; rows++) {
		struct table table;

		init(&table);
		for (i = 0; i < rows; i++) {
			for (j = 0; j <= FEATURES; j++)
				set(&table, j, floor(uniform(&table, 0, 3)));
			add_row(&table);
		}
		assert_all_sound(&table);
	}
}

static void all_the_same_has_figures(void **state)
{
	static const double numbers[] = {0,       -1,       5,       DBL_TRUE_MIN, -DBL_TRUE_MIN,
					 DBL_MIN, -DBL_MAX, DBL_MAX, 1e-300,       1e16};
	size_t k, i, j;

	(void)state;
	for (k = 0; k < sizeof(numbers) / sizeof(*numbers); k++) {
		struct table table;

		init(&table);
		for (i = 0; i < 30; i++) {
			for (j = 0; j <= FEATURES; j++)
				set(&table, j, numbers[k]);
			add_row(&table);
		}
		assert_all_sound(&table);
	}
}

/* Numbers of any magnitude, in columns that are about of one or of all. */
static double any_number(struct table *table, unsigned kind)
{
	switch (kind) {
	case 0:
		return uniform(table, -1, 1) * DBL_MAX;
	case 1:
		return uniform(table, 0, 1) * DBL_MIN;
	case 2:
		return pow(10, uniform(table, -320, 308));
	case 3:
		return floor(uniform(table, -3, 3));
	case 4:
		return uniform(table, 0, 1) < 0.02 ? 1e300 : uniform(table, 0, 1);
	case 5:
		return uniform(table, 0, 1) < 0.5 ? DBL_MAX : -DBL_MAX;
	default:
		return 1e16 + floor(uniform(table, 0, 4)) * 2;
	}
}

static void numbers_of_any_magnitude_have_figures(void **state)
{
	unsigned cost, kind;
	size_t i, j;

	(void)state;
	for (cost = 0; cost < 7; cost++)
		for (kind = 0; kind < 7; kind += 2) {
			struct table table;

			init(&table);
			for (i = 0; i < 60; i++) {
				set(&table, 0, any_number(&table, cost));
				for (j = 1; j <= FEATURES; j++)
					set(&table, j, any_number(&table, (kind + j) % 7));
				add_row(&table);
			}
			assert_all_sound(&table);
		}
}

static void a_law_of_any_magnitude_has_figures(void **state)
{
	static const double scales[] = {1e-300, 1e-9, 1e290};
	size_t k, i, j;

	(void)state;
	for (k = 0; k < sizeof(scales) / sizeof(*scales); k++) {
		struct table table;

		init(&table);
		for (i = 0; i < 100; i++) {
			const double n = floor(uniform(&table, 1, 1000));

			for (j = 2; j <= FEATURES; j++)
				set(&table, j, floor(uniform(&table, 0, 2)));
			set(&table, 0, scales[k] * (20 + n) * (1 + 0.05 * normal(&table)));
			set(&table, 1, n * scales[k]);
			add_row(&table);
		}
		assert_all_sound(&table);
	}
}

static void what_is_absent_everywhere_or_here_and_there_is_survived(void **state)
{
	struct table table;
	size_t i, j;

	(void)state;
	init(&table);
	for (i = 0; i < 80; i++) {
		for (j = 0; j <= FEATURES; j++) {
			set(&table, j, floor(uniform(&table, 0, 50)));
			if (j == 1 || uniform(&table, 0, 1) < 0.3)
				set_absent(&table, j);
		}
		add_row(&table);
	}
	assert_all_sound(&table);
}

/* Names are told as they are: who draws makes them harmless. */
static void names_of_any_length_and_kind_are_survived(void **state)
{
	enum { LENGTH = 10000 };
	static const char start[] = "\x1b[31m%s%n<script>\"'\n\xff\xc3";
	char *name = mem_alloc(LENGTH + 1);
	struct table table;
	size_t i;

	(void)state;
	memset(name, 'x', LENGTH);
	memcpy(name, start, sizeof(start) - 1);
	table_init(&table, 1);
	add_feature(&table, name, FEATURE_INT, 0);
	name[LENGTH - 1] = '%';
	add_feature(&table, name, FEATURE_ENUM, 0);
	add_feature(&table, "", FEATURE_STRING, 0);
	samples_add_label(table.samples, 2, 1, name);
	for (i = 0; i < 60; i++) {
		const double n = floor(uniform(&table, 0, 100));
		const double kind = floor(uniform(&table, 0, 2));

		set(&table, 0, 10 + n + 300 * kind + normal(&table));
		set(&table, 1, n);
		set(&table, 2, kind);
		set(&table, 3, i % 7);
		if (i % 9 == 0)
			set_absent(&table, 1);
		add_row(&table);
	}
	free(name);
	assert_all_sound(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_calls_have_figures),
		cmocka_unit_test(all_the_same_has_figures),
		cmocka_unit_test(numbers_of_any_magnitude_have_figures),
		cmocka_unit_test(a_law_of_any_magnitude_has_figures),
		cmocka_unit_test(what_is_absent_everywhere_or_here_and_there_is_survived),
		cmocka_unit_test(names_of_any_length_and_kind_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
