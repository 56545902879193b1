/*
 * Tables of samples with known laws, for the tests of models; every generator has a seed.
 * Functions of this header are inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_MODEL_TABLE_H
#define FATHOM_TESTS_MODEL_TABLE_H

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/annotation/annotation_parse.h"
#include "model/model_build.h"

enum { COLUMNS_MAX = 64 };

/* A table under construction: one metric and features. */
struct table {
	struct samples *samples;
	struct drand48_data random;
	struct value cells[COLUMNS_MAX + 1];
	int64_t run; /* of the rows to come */
};

static inline void table_init(struct table *table, long seed)
{
	const struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};

	memset(table, 0, sizeof(*table));
	table->samples = samples_create("f(int)", "_Z1fi", "f.cc", 7);
	samples_add_column(table->samples, &time);
	srand48_r(seed, &table->random);
}

static inline void table_deinit(struct table *table)
{
	samples_destroy(table->samples);
}

static inline void add_feature(struct table *table, const char *name, enum feature_type type,
			       unsigned depth)
{
	const struct column column = {.name = name,
				      .role = COLUMN_FEATURE,
				      .type = type,
				      .provenance = FROM_PARAMETER,
				      .depth = depth};

	samples_add_column(table->samples, &column);
}

static inline void set(struct table *table, size_t column, double number)
{
	table->cells[column] = (struct value){number, PRESENT};
}

static inline void set_absent(struct table *table, size_t column)
{
	table->cells[column] = (struct value){0, ABSENT_NULL};
}

static inline void add_row(struct table *table)
{
	const struct sample_key key = {.id = table->samples->n_rows + 1, .run = table->run};

	samples_append(table->samples, &key, table->cells);
}

static inline double uniform(struct table *table, double low, double high)
{
	double u;

	drand48_r(&table->random, &u);
	return low + u * (high - low);
}

/* Standard normal, by Box and Muller. */
static inline double normal(struct table *table)
{
	double radius = sqrt(-2 * log(1 - uniform(table, 0, 1)));

	return radius * cos(2 * M_PI * uniform(table, 0, 1));
}

static inline struct annotation *build(const struct table *table)
{
	const struct model_options options = {.min_r2 = 0.75};

	return model_build(table->samples, METRIC_TIME, &options);
}

static inline char *text_of(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	annotation_print(annotation, out);
	fclose(out);
	return text;
}

/* The annotation's text can be read, and what is read prints the same. */
static inline void assert_reads_back(const struct annotation *annotation)
{
	struct annotation_list list = {.n = 0};
	char *text = text_of(annotation), *again;
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s\nin: %s", err.text, text);
	assert_int_equal(list.n, 1);
	again = text_of(list.list[0]);
	assert_string_equal(again, text);
	free(again);
	free(text);
	annotation_parse_deinit(&list);
}

static inline void assert_formula_finite(const struct formula *formula)
{
	size_t i;

	for (i = 0; i < formula->n_terms; i++)
		assert_true(isfinite(formula->terms[i].coefficient));
}

/* Is @word in @text, and no part of a longer one ("not finite")? */
static inline bool has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);
	size_t i;

	for (i = 0; text[i]; i++)
		if (!strncmp(text + i, word, length) &&
		    (!i || !isalpha((unsigned char)text[i - 1])) &&
		    !isalpha((unsigned char)text[i + length]))
			return true;
	return false;
}

/*
 * A model, or a note that says why not, and no number that is not one: neither in the text, which
 * reads back, nor in what it is made from.
 */
static inline void assert_finite(const struct annotation *annotation)
{
	char *text = text_of(annotation);
	size_t i, j;

	assert_true(annotation->n_cases || annotation->n_notes);
	assert_false(has_word(text, "nan"));
	assert_false(has_word(text, "inf"));
	free(text);
	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++) {
			const struct model *model = &annotation->cases[i].models[j];

			assert_true(isfinite(model->probability));
			assert_formula_finite(&model->mean);
			assert_formula_finite(&model->deviation);
		}
	assert_reads_back(annotation);
}

static inline const struct model *only_model(const struct annotation *annotation)
{
	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 1);
	return &annotation->cases[0].models[0];
}

static inline void assert_growth(const struct annotation *annotation, enum growth growth)
{
	assert_string_equal(growth_name(only_model(annotation)->growth), growth_name(growth));
}

/* The annotation has exactly these features. */
static inline void assert_features(const struct annotation *annotation, size_t n, const char *first,
				   const char *second)
{
	assert_int_equal(annotation->n_features, n);
	if (n > 0)
		assert_string_equal(annotation->features[0].expression, first);
	if (n > 1)
		assert_string_equal(annotation->features[1].expression, second);
}

static inline bool has_note(const struct annotation *annotation, const char *part)
{
	size_t i;

	for (i = 0; i < annotation->n_notes; i++)
		if (strstr(annotation->notes[i], part))
			return true;
	return false;
}

enum { SHUFFLED_MAX = 1000 };

static inline void copy_labels(const struct column *from, struct samples *to, size_t column)
{
	size_t i;

	for (i = 0; i < from->n_labels; i++)
		samples_add_label(to, column, from->labels[i].number, from->labels[i].name);
}

/* Write the rows and columns of @from in another order. */
static inline void shuffle(const struct table *from, struct table *to, long seed)
{
	const struct samples *samples = from->samples;
	size_t columns[COLUMNS_MAX + 1], rows[SHUFFLED_MAX];
	size_t i, j;

	assert_in_range(samples->n_rows, 0, SHUFFLED_MAX);
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
	for (j = 1; j < samples->n_columns; j++)
		copy_labels(&samples->columns[columns[j - 1]], to->samples, j);
	for (i = 0; i < samples->n_rows; i++) {
		for (j = 0; j < samples->n_columns; j++) {
			size_t column = j ? columns[j - 1] : 0;

			to->cells[j].number = samples->columns[column].numbers[rows[i]];
			to->cells[j].absence = samples->columns[column].absence[rows[i]];
		}
		samples_append(to->samples, &samples->keys[rows[i]], to->cells);
	}
}

static inline void assert_same_in_any_order(const struct table *table, long orders)
{
	struct annotation *annotation = build(table);
	char *expected = text_of(annotation);
	long seed;

	for (seed = 1; seed <= orders; seed++) {
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

static inline double linear_law(double n)
{
	return 12 + 0.35 * n;
}

static inline double nlogn_law(double n)
{
	return 20 + 0.0178 * n * log(n);
}

static inline double quadratic_law(double n)
{
	return 15 + 0.004 * n * n;
}

/* Caches: elements get dearer in steps, as measured when sorting lists. */
static inline double cached_law(double n)
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
static inline void fill_law(struct table *table, const struct law *law, size_t rows)
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

static inline void fill_two(struct table *table, bool product)
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

#endif
