/*
 * Models from samples with known laws. Generators have fixed seeds; what a test allows follows from the standard
 * error that the model itself reports, or is said where it is used.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/build.h"
#include "model/short_name.h"

enum { COLUMNS_MAX = 64 };

/* A table under construction: one metric and features. */
struct table {
	struct samples *samples;
	struct drand48_data random;
	struct value cells[COLUMNS_MAX + 1];
};

static void table_init(struct table *table, long seed)
{
	const struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};

	memset(table, 0, sizeof(*table));
	table->samples = samples_create("f(int)", "_Z1fi", "f.cc", 7);
	samples_add_column(table->samples, &time);
	srand48_r(seed, &table->random);
}

static void table_deinit(struct table *table)
{
	samples_destroy(table->samples);
}

static void add_feature(struct table *table, const char *name, enum feature_type type,
			unsigned depth)
{
	const struct column column = {.name = name,
				      .role = COLUMN_FEATURE,
				      .type = type,
				      .provenance = FROM_PARAMETER,
				      .depth = depth};

	samples_add_column(table->samples, &column);
}

static void set(struct table *table, size_t column, double number)
{
	table->cells[column] = (struct value){number, PRESENT};
}

static void set_absent(struct table *table, size_t column)
{
	table->cells[column] = (struct value){0, ABSENT_NULL};
}

static void add_row(struct table *table)
{
	const struct sample_key key = {.id = table->samples->n_rows + 1};

	samples_append(table->samples, &key, table->cells);
}

static double uniform(struct table *table, double low, double high)
{
	double u;

	drand48_r(&table->random, &u);
	return low + u * (high - low);
}

/* Standard normal, by Box and Muller. */
static double normal(struct table *table)
{
	double radius = sqrt(-2 * log(1 - uniform(table, 0, 1)));

	return radius * cos(2 * M_PI * uniform(table, 0, 1));
}

static struct annotation *build(const struct table *table)
{
	const struct model_options options = {.min_r2 = 0.75};

	return model_build(table->samples, METRIC_TIME, &options);
}

static char *text_of(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	annotation_print(annotation, out);
	fclose(out);
	return text;
}

/* No number that is not one: neither in the text nor in what it is made from. */
static void assert_finite(const struct annotation *annotation)
{
	char *text = text_of(annotation);
	size_t i, j;

	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	free(text);
	for (i = 0; i < annotation->n_cases; i++) {
		const struct model *model = annotation->cases[i].models;

		assert_true(isfinite(model->deviation.terms[0].coefficient));
		for (j = 0; j < model->mean.n_terms; j++)
			assert_true(isfinite(model->mean.terms[j].coefficient));
	}
}

static const struct model *only_model(const struct annotation *annotation)
{
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 1);
	return &annotation->cases[0].models[0];
}

static void assert_growth(const struct annotation *annotation, enum growth growth)
{
	assert_string_equal(growth_name(only_model(annotation)->growth), growth_name(growth));
}

/* The annotation has exactly these features. */
static void assert_features(const struct annotation *annotation, size_t n, const char *first,
			    const char *second)
{
	assert_int_equal(annotation->n_features, n);
	if (n > 0)
		assert_string_equal(annotation->features[0].expression, first);
	if (n > 1)
		assert_string_equal(annotation->features[1].expression, second);
}

static bool has_note(const struct annotation *annotation, const char *part)
{
	size_t i;

	for (i = 0; i < annotation->n_notes; i++)
		if (strstr(annotation->notes[i], part))
			return true;
	return false;
}

static double linear_law(double n)
{
	return 12 + 0.35 * n;
}

static double nlogn_law(double n)
{
	return 20 + 0.0178 * n * log(n);
}

static double quadratic_law(double n)
{
	return 15 + 0.004 * n * n;
}

/* Caches: elements get dearer in steps, as measured when sorting lists. */
static double cached_law(double n)
{
	double step = n < 8000 ? 1 : n < 16000 ? 1.15 : n < 30000 ? 1.35 : n < 130000 ? 1.55 : 1.7;

	return 0.0107 * n * log(n) * step;
}

enum noise { NOISE_EVEN, NOISE_GROWING, NOISE_PREEMPTED };

struct law {
	double (*mean)(double);
	double low, high;
	enum noise noise;
	double part; /* the noise's standard deviation, of the cost or of the middle cost */
};

/* Sizes and costs by a law, with eight features that have nothing to do with it. */
static void fill_law(struct table *table, const struct law *law, size_t rows)
{
	static const char *const names[] = {"p->a", "p->b", "p->c", "p->d",
					    "p->e", "p->f", "p->g", "p->h"};
	double middle = law->mean((law->low + law->high) / 2);
	size_t i, j;

	add_feature(table, "p->n_items", FEATURE_INT, 1);
	for (j = 0; j < 8; j++)
		add_feature(table, names[j], j % 2 ? FEATURE_INT : FEATURE_FLOAT, 1);
	for (i = 0; i < rows; i++) {
		double n = floor(uniform(table, law->low, law->high));
		double y = law->mean(n);

		y += normal(table) * law->part * (law->noise == NOISE_EVEN ? middle : y);
		if (law->noise == NOISE_PREEMPTED && uniform(table, 0, 1) < 0.02)
			y += uniform(table, 4000, 20000);
		set(table, 0, y);
		set(table, 1, n);
		for (j = 0; j < 8; j++)
			set(table, j + 2, j % 2 ? floor(uniform(table, 0, 50)) : normal(table));
		add_row(table);
	}
}

static void assert_law(const struct law *law, enum growth growth, double min_r2)
{
	long seed;

	for (seed = 1; seed <= 8; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		fill_law(&table, law, 150);
		annotation = build(&table);
		assert_growth(annotation, growth);
		assert_features(annotation, 1, "p->n_items", NULL);
		assert_true(only_model(annotation)->r2 >= min_r2);
		assert_true(only_model(annotation)->cv_r2 >= min_r2 - 0.01);
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void a_linear_cost_is_linear_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_EVEN, 0.05}, GROWTH_LINEAR, 0.98);
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_GROWING, 0.1}, GROWTH_LINEAR, 0.93);
	assert_law(&(struct law){linear_law, 1, 2000, NOISE_PREEMPTED, 0.05}, GROWTH_LINEAR, 0.98);
}

static void an_nlogn_cost_is_nlogn_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_EVEN, 0.02}, GROWTH_NLOGN, 0.99);
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_GROWING, 0.05}, GROWTH_NLOGN, 0.98);
	assert_law(&(struct law){nlogn_law, 1000, 200000, NOISE_PREEMPTED, 0.05}, GROWTH_NLOGN,
		   0.96);
}

static void an_nlogn_cost_stays_nlogn_when_caches_overflow(void **state)
{
	(void)state;
	assert_law(&(struct law){cached_law, 1000, 200000, NOISE_GROWING, 0.05}, GROWTH_NLOGN,
		   0.98);
}

static void a_quadratic_cost_is_quadratic_under_every_noise(void **state)
{
	(void)state;
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_EVEN, 0.1}, GROWTH_QUADRATIC, 0.98);
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_GROWING, 0.1}, GROWTH_QUADRATIC,
		   0.93);
	assert_law(&(struct law){quadratic_law, 1, 2000, NOISE_PREEMPTED, 0.05}, GROWTH_QUADRATIC,
		   0.97);
}

/*
 * Each of 40 estimates lies within 4 of its standard errors (the chance that one does not is 0.3 % when all
 * is well), and two in three within 1.5 (expected: 87 %).
 */
static void standard_errors_cover_the_true_slope(void **state)
{
	unsigned close = 0;
	long seed;

	(void)state;
	for (seed = 100; seed < 140; seed++) {
		const struct law law = {linear_law, 1, 2000, seed % 2 ? NOISE_EVEN : NOISE_GROWING,
					0.05};
		struct annotation *annotation;
		const struct model *model;
		const struct term *slope;
		struct table table;

		table_init(&table, seed);
		fill_law(&table, &law, 200);
		annotation = build(&table);
		model = only_model(annotation);
		slope = &model->mean.terms[model->mean.n_terms - 1];
		assert_true(slope->std_error > 0);
		assert_true(fabs(slope->coefficient - 0.35) < 4 * slope->std_error);
		close += fabs(slope->coefficient - 0.35) < 1.5 * slope->std_error;
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	assert_true(close >= 27);
}

/* The deviation estimates a standard deviation of 10 from 400 rows: its own standard error is 10 / sqrt(2 * 400) = 0.35. */
static void the_deviation_is_that_of_the_noise(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 400; i++) {
		set(&table, 1, i);
		set(&table, 0, 100 + 2.0 * i + 10 * normal(&table));
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_float_equal(only_model(annotation)->deviation.terms[0].coefficient, 10, 4 * 0.35);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void fill_two(struct table *table, bool product)
{
	size_t i;

	add_feature(table, "rows", FEATURE_INT, 0);
	add_feature(table, "cols", FEATURE_INT, 0);
	add_feature(table, "other", FEATURE_INT, 0);
	for (i = 0; i < 200; i++) {
		double a = floor(uniform(table, 1, 300));
		double b = floor(uniform(table, 1, 300));
		double y = product ? 30 + 0.02 * a * b : 30 + 2 * a + 0.5 * b;

		set(table, 1, a);
		set(table, 2, b);
		set(table, 3, floor(uniform(table, 0, 9)));
		set(table, 0, y * (1 + 0.05 * normal(table)));
		add_row(table);
	}
}

static void a_product_of_two_features_is_found(void **state)
{
	struct annotation *annotation;
	const struct model *model;
	struct table table;

	(void)state;
	table_init(&table, 3);
	fill_two(&table, true);
	annotation = build(&table);
	model = only_model(annotation);
	assert_int_equal(annotation->n_features, 2);
	assert_int_equal(model->mean.terms[model->mean.n_terms - 1].n_factors, 2);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_true(model->r2 > 0.97);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_second_feature_that_explains_little_alone_is_found(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 4);
	fill_two(&table, false);
	annotation = build(&table);
	assert_int_equal(annotation->n_features, 2);
	assert_int_equal(only_model(annotation)->mean.n_terms, 3);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* The aim is one false feature in a hundred; two in 60 would come by chance once in nine times, four once in 300. */
static void noise_alone_gives_a_constant(void **state)
{
	unsigned named = 0;
	long seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		struct annotation *annotation;
		struct table table;
		char names[50][8];
		size_t i, j;

		table_init(&table, seed);
		for (j = 0; j < 50; j++) {
			snprintf(names[j], sizeof(names[j]), "f%zu", j);
			add_feature(&table, names[j], FEATURE_FLOAT, 0);
		}
		for (i = 0; i < (seed % 2 ? 12 : 100); i++) {
			double z = normal(&table);

			set(&table, 0, seed % 3 ? 100 + 10 * z : exp(2 * z));
			for (j = 0; j < 50; j++)
				set(&table, j + 1,
				    j % 2 ? normal(&table) : exp(1.5 * normal(&table)));
			add_row(&table);
		}
		annotation = build(&table);
		named += annotation->n_features > 0;
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	assert_true(named < 4);
}

/* Write the rows and columns of @from in another order. */
static void shuffle(const struct table *from, struct table *to, long seed)
{
	const struct samples *samples = from->samples;
	size_t columns[COLUMNS_MAX + 1], rows[1000];
	size_t i, j;

	table_init(to, seed);
	for (i = 0; i < samples->n_rows; i++) {
		rows[i] = i;
		j = uniform(to, 0, i + 1);
		rows[i] = rows[j];
		rows[j] = i;
	}
	for (i = 0; i + 1 < samples->n_columns; i++) {
		j = uniform(to, 0, i + 1);
		columns[i] = columns[j];
		columns[j] = i + 1;
	}
	for (i = 0; i + 1 < samples->n_columns; i++)
		samples_add_column(to->samples, &samples->columns[columns[i]]);
	for (i = 0; i < samples->n_rows; i++) {
		for (j = 0; j < samples->n_columns; j++) {
			size_t column = j ? columns[j - 1] : 0;

			to->cells[j].number = samples->columns[column].numbers[rows[i]];
			to->cells[j].absence = samples->columns[column].absence[rows[i]];
		}
		add_row(to);
	}
}

static void assert_same_in_any_order(const struct table *table)
{
	struct annotation *annotation = build(table);
	char *expected = text_of(annotation);
	long seed;

	for (seed = 1; seed <= 5; seed++) {
		struct annotation *other;
		struct table shuffled;
		char *text;

		shuffle(table, &shuffled, seed);
		other = build(&shuffled);
		text = text_of(other);
		assert_string_equal(text, expected);
		free(text);
		annotation_destroy(other);
		table_deinit(&shuffled);
	}
	free(expected);
	annotation_destroy(annotation);
}

static void the_order_of_rows_and_columns_does_not_matter(void **state)
{
	const struct law law = {nlogn_law, 1000, 200000, NOISE_PREEMPTED, 0.1};
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 9);
	fill_law(&table, &law, 150);
	for (i = 0; i < 150; i += 7)
		table.samples->columns[1].absence[i] = ABSENT_NULL;
	assert_same_in_any_order(&table);
	table_deinit(&table);
	table_init(&table, 9);
	fill_two(&table, true);
	assert_same_in_any_order(&table);
	table_deinit(&table);
}

static void equivalent_features_are_named_as_a_programmer_would(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "v->finish", FEATURE_INT, 1);
	add_feature(&table, "v->d->size", FEATURE_INT, 2);
	add_feature(&table, "v->item_count", FEATURE_INT, 1);
	add_feature(&table, "same", FEATURE_INT, 1);
	for (i = 0; i < 100; i++) {
		double n = floor(uniform(&table, 1, 5000));

		set(&table, 0, (50 + 3 * n) * (1 + 0.02 * normal(&table)));
		set(&table, 1, 4096 + 8 * n);
		set(&table, 2, n);
		set(&table, 3, n);
		set(&table, 4, n + (i % 2));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "v->item_count", NULL);
	assert_string_equal(annotation->features[0].name, "item_count");
	assert_int_equal(annotation->features[0].n_aliases, 3);
	assert_string_equal(annotation->features[0].aliases[0], "same");
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* As in a parser: the cost follows the text's length; a member nearly follows it, and others are not always there. */
static void a_parameter_near_length_wins_over_accidents(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 2);
	add_feature(&table, "pParse->db->aDb->pSchema->cookie", FEATURE_INT, 3);
	add_feature(&table, "strlen(zSql)", FEATURE_INT, 1);
	add_feature(&table, "pParse->nTab", FEATURE_INT, 1);
	add_feature(&table, "pParse->pOuter->nTab", FEATURE_INT, 2);
	for (i = 0; i < 300; i++) {
		double n = floor(uniform(&table, 40, 60000));

		set(&table, 0, (8 + 0.02 * n) * (1 + 0.05 * normal(&table)));
		set(&table, 1, n * (1 + 0.03 * normal(&table)));
		set(&table, 2, n);
		set(&table, 3, i % 3);
		if (i % 4)
			set(&table, 4, n);
		else
			set_absent(&table, 4);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_features(annotation, 1, "strlen(zSql)", NULL);
	assert_string_equal(annotation->features[0].name, "len_zSql");
	assert_int_equal(only_model(annotation)->n_samples, 300);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void rows_without_the_feature_are_left_out_and_counted(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 1, i);
		set(&table, 0, 10 + 5.0 * i + normal(&table));
		if (i % 10 == 3)
			set_absent(&table, 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_samples, 90);
	assert_true(has_note(annotation, "10 of 100 samples were left out"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void far_rows_are_left_out_and_counted(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 1, i);
		set(&table, 0, 10 + 5.0 * i + normal(&table) + (i % 40 == 7 ? 9000 : 0));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_samples, 97);
	assert_true(has_note(annotation, "3 of 100 samples, far away"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_rarely_present_feature_is_noted_not_used(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "p->n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 0, 10 + 5.0 * i);
		set(&table, 1, i);
		if (i % 5)
			set_absent(&table, 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 0, NULL, NULL);
	assert_true(has_note(annotation,
			     "p->n goes with the cost, but could be read in only 20 of 100"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void features_that_never_varied_are_named_up_to_three(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	for (i = 0; i < 5; i++)
		add_feature(&table, (const char *[]){"e", "d", "c", "b", "a"}[i], FEATURE_INT, 0);
	for (i = 0; i < 5; i++)
		set(&table, i + 1, i);
	for (i = 0; i < 20; i++) {
		set(&table, 0, i);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_true(has_note(annotation, "a, b, c and 2 more never varied."));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_narrow_range_is_said_to_hide_the_growth(void **state)
{
	const struct law law = {nlogn_law, 1000, 3000, NOISE_GROWING, 0.05};
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 8);
	fill_law(&table, &law, 150);
	annotation = build(&table);
	assert_features(annotation, 1, "p->n_items", NULL);
	assert_true(has_note(annotation, "too narrow to tell n from n log n"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void no_samples_give_no_cases_and_a_note(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 0);
	assert_true(has_note(annotation, "no samples"));
	annotation_destroy(annotation);
	set_absent(&table, 0);
	set(&table, 1, 3);
	add_row(&table);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 0);
	assert_true(has_note(annotation, "has this metric"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void few_samples_give_a_constant_and_a_note(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 1; i <= 7; i++) {
		struct annotation *annotation;

		set(&table, 0, 10.0 * i);
		set(&table, 1, i);
		add_row(&table);
		annotation = build(&table);
		assert_growth(annotation, GROWTH_CONSTANT);
		assert_float_equal(only_model(annotation)->mean.terms[0].coefficient, 5.0 * (i + 1),
				   1e-9);
		assert_true(has_note(annotation, "too few"));
		assert_finite(annotation);
		annotation_destroy(annotation);
	}
	table_deinit(&table);
}

static void an_unchanging_metric_is_constant_without_deviation(void **state)
{
	const double levels[] = {0, 42, 1e-300, 1e300};
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(levels) / sizeof(*levels); k++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, 1);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (i = 0; i < 50; i++) {
			set(&table, 0, levels[k]);
			set(&table, 1, i);
			add_row(&table);
		}
		annotation = build(&table);
		assert_growth(annotation, GROWTH_CONSTANT);
		assert_true(only_model(annotation)->deviation.terms[0].coefficient == 0);
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Any scale of metric and feature gives the law, as far as its coefficients are numbers. */
static void extreme_values_do_no_harm(void **state)
{
	const double scales[] = {1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300};
	size_t i, j, k;

	(void)state;
	for (j = 0; j < 6; j++)
		for (k = 0; k < 6; k++) {
			struct annotation *annotation;
			struct table table;

			table_init(&table, 1);
			add_feature(&table, "n", FEATURE_FLOAT, 0);
			add_feature(&table, "m", FEATURE_FLOAT, 0);
			for (i = 0; i < 60; i++) {
				set(&table, 0, scales[j] * (1 + i + 0.1 * normal(&table)));
				set(&table, 1, scales[k] * (1 + i));
				set(&table, 2, i % 2 ? -1e300 : 1e300);
				add_row(&table);
			}
			annotation = build(&table);
			assert_finite(annotation);
			if (j > 0 && j < 5 && k > 0 && k < 5)
				assert_int_equal(annotation->n_features, 1);
			annotation_destroy(annotation);
			table_deinit(&table);
		}
}

static void more_columns_than_rows_and_empty_columns_are_survived(void **state)
{
	struct annotation *annotation;
	struct table table;
	char names[60][8];
	size_t i, j;

	(void)state;
	table_init(&table, 12);
	for (j = 0; j < 60; j++) {
		snprintf(names[j], sizeof(names[j]), "f%zu", j);
		add_feature(&table, names[j], j % 5 ? FEATURE_INT : FEATURE_STRING, 0);
	}
	for (i = 0; i < 10; i++) {
		set(&table, 0, uniform(&table, 1, 2));
		for (j = 0; j < 60; j++)
			if (j % 3)
				set(&table, j + 1, floor(uniform(&table, 0, 9)));
			else
				set_absent(&table, j + 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_finite(annotation);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void an_exact_law_is_found_exactly(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "twice", FEATURE_INT, 0);
	for (i = 0; i < 64; i++) {
		set(&table, 0, 16 + 24.0 * i);
		set(&table, 1, i);
		set(&table, 2, 2 * i);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(only_model(annotation)->mean.n_terms, 2);
	assert_float_equal(only_model(annotation)->mean.terms[0].coefficient, 16, 1e-6);
	assert_float_equal(only_model(annotation)->mean.terms[1].coefficient, 24, 1e-8);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void short_names_are_identifiers_and_unique(void **state)
{
	static const struct {
		const char *expression, *name;
	} cases[] = {
		{"this->_M_impl._M_node._M_size", "size"},
		{"strlen(zSql)", "len_zSql"},
		{"thd->m_query_string.len", "len"},
		{"*t", "t"},
		{"a->log", "a_log"},
		{"b->size", "b_size"},
		{"b.size", "size_2"},
		{"system.load", "load"},
		{"x[3]", "x"},
		{"return", "return_2"},
		{"int", "int_2"},
		{"\xc3\xa9", "x_2"},
		{"_1", "_1"},
		{"___", "x_3"},
	};
	const char *taken[sizeof(cases) / sizeof(*cases)];
	struct arena *arena = arena_create();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		taken[i] = short_name(arena, cases[i].expression, taken, i);
		assert_string_equal(taken[i], cases[i].name);
	}
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_linear_cost_is_linear_under_every_noise),
		cmocka_unit_test(an_nlogn_cost_is_nlogn_under_every_noise),
		cmocka_unit_test(an_nlogn_cost_stays_nlogn_when_caches_overflow),
		cmocka_unit_test(a_quadratic_cost_is_quadratic_under_every_noise),
		cmocka_unit_test(standard_errors_cover_the_true_slope),
		cmocka_unit_test(the_deviation_is_that_of_the_noise),
		cmocka_unit_test(a_product_of_two_features_is_found),
		cmocka_unit_test(a_second_feature_that_explains_little_alone_is_found),
		cmocka_unit_test(noise_alone_gives_a_constant),
		cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter),
		cmocka_unit_test(equivalent_features_are_named_as_a_programmer_would),
		cmocka_unit_test(a_parameter_near_length_wins_over_accidents),
		cmocka_unit_test(rows_without_the_feature_are_left_out_and_counted),
		cmocka_unit_test(far_rows_are_left_out_and_counted),
		cmocka_unit_test(a_rarely_present_feature_is_noted_not_used),
		cmocka_unit_test(features_that_never_varied_are_named_up_to_three),
		cmocka_unit_test(a_narrow_range_is_said_to_hide_the_growth),
		cmocka_unit_test(no_samples_give_no_cases_and_a_note),
		cmocka_unit_test(few_samples_give_a_constant_and_a_note),
		cmocka_unit_test(an_unchanging_metric_is_constant_without_deviation),
		cmocka_unit_test(extreme_values_do_no_harm),
		cmocka_unit_test(more_columns_than_rows_and_empty_columns_are_survived),
		cmocka_unit_test(an_exact_law_is_found_exactly),
		cmocka_unit_test(short_names_are_identifiers_and_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
