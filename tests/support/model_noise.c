/*
 * Draws tables of noise, and counts the models that see something in them.
 */
#include "model_noise.h"

#include "core/samples/derived_columns.h"

/* What a feature's numbers are like. */
enum feature_kind {
	KIND_SMALL,
	KIND_SIZE,
	KIND_FLOAT,
	KIND_SKEWED,
	KIND_BOOL,
	KIND_RARE,
	KIND_ENUM,
	KIND_COUNTER,
	KIND_WALK,
	KIND_PART_ABSENT,
	KINDS,
};

enum { FIVE = 5 };

static const enum feature_type types[] = {
	[KIND_SMALL] = FEATURE_INT,   [KIND_SIZE] = FEATURE_INT,
	[KIND_FLOAT] = FEATURE_FLOAT, [KIND_SKEWED] = FEATURE_FLOAT,
	[KIND_BOOL] = FEATURE_BOOL,   [KIND_RARE] = FEATURE_BOOL,
	[KIND_ENUM] = FEATURE_ENUM,   [KIND_COUNTER] = FEATURE_INT,
	[KIND_WALK] = FEATURE_FLOAT,  [KIND_PART_ABSENT] = FEATURE_INT,
};

static double draw_metric(struct table *table, enum metric_noise noise)
{
	double z = normal(table), s;

	switch (noise) {
	case NORMAL:
	case METRIC_NOISES:
		break;
	case LOGNORMAL:
		return 100 * exp(z);
	case EXPONENTIAL:
		return -100 * log(1 - uniform(table, 0, 1));
	case STUDENT:
		s = pow(normal(table), 2) + pow(normal(table), 2) + pow(normal(table), 2);
		return fabs(500 + 10 * z / sqrt(s / 3));
	case HUGE_FEW:
		return (100 + 5 * z) * (uniform(table, 0, 1) < 0.02 ? 100 : 1);
	}
	return 500 + 20 * z;
}

static void add_noise_columns(struct table *table, size_t n, bool absent)
{
	char name[64];
	size_t i, k;

	for (i = 0; i < n; i++) {
		size_t at = table->samples->n_columns;
		enum feature_type type = types[i % KINDS];

		if (absent)
			snprintf(name, sizeof(name), "p%zu->f%zu", i / FIVE, i);
		else
			snprintf(name, sizeof(name), i % 3 ? "p->f%zu" : "f%zu", i);
		add_feature(table, name, type, i % 3 ? 1 : 0);
		for (k = 0; type == FEATURE_ENUM && k < 4; k++)
			samples_add_label(table->samples, at, k,
					  (const char *[]){"A", "B", "C", "D"}[k]);
	}
}

static struct value draw_feature(struct table *table, size_t row, enum feature_kind kind,
				 double *walk)
{
	struct value value = {0, PRESENT};

	switch (kind) {
	case KIND_SMALL:
	case KINDS:
		value.number = floor(uniform(table, 0, 9));
		break;
	case KIND_SIZE:
		value.number = floor(pow(10, uniform(table, 0, 6)));
		break;
	case KIND_FLOAT:
		value.number = normal(table);
		break;
	case KIND_SKEWED:
		value.number = exp(2 * normal(table));
		break;
	case KIND_BOOL:
		value.number = uniform(table, 0, 1) < 0.5;
		break;
	case KIND_RARE:
		value.number = uniform(table, 0, 1) < 0.1;
		break;
	case KIND_ENUM:
		value.number = floor(uniform(table, 0, 4));
		break;
	case KIND_COUNTER:
		value.number = row * (*walk > 0 ? 1 : 2) + floor(uniform(table, 0, 20));
		break;
	case KIND_WALK:
		value.number = *walk += normal(table);
		break;
	case KIND_PART_ABSENT:
		value.number = floor(uniform(table, 0, 1000));
		if (uniform(table, 0, 1) < 0.3)
			value = (struct value){0, ABSENT_NULL};
		break;
	}
	return value;
}

/* Make cells of @row absent; a five of features has a share of its own. */
static void draw_absence(struct table *table, const struct noise_shape *shape, struct value *cells,
			 bool *is_absent)
{
	size_t i;

	for (i = 0; i < shape->features; i++) {
		const double share = 0.02 + 0.93 * fmod((i / FIVE + 1) * M_SQRT2, 1);

		if (i % FIVE == 0)
			*is_absent = uniform(table, 0, 1) < share;
		if (*is_absent)
			cells[i] = (struct value){0, ABSENT_NULL};
	}
}

void fill_noise(struct table *table, const struct noise_shape *shape)
{
	const size_t n = shape->features;
	struct value *cells = calloc(n + 1, sizeof(*cells));
	double *walks = calloc(n, sizeof(*walks));
	bool is_absent = false;
	size_t i, j;

	add_noise_columns(table, n, shape->absent);
	for (i = 0; i < shape->rows; i++) {
		const struct sample_key key = {.id = i + 1};

		cells[0] = (struct value){draw_metric(table, shape->noise), PRESENT};
		for (j = 0; j < n; j++)
			cells[j + 1] = draw_feature(table, i, j % KINDS, &walks[j]);
		if (shape->absent)
			draw_absence(table, shape, cells + 1, &is_absent);
		samples_append(table->samples, &key, cells);
	}
	if (shape->absent)
		derived_columns_add(table->samples);
	free(walks);
	free(cells);
}

void count_inventions(const struct noise_shape *shape, unsigned tables, long seed, FILE *wrong,
		      struct inventions *ret)
{
	struct noise_shape one = *shape;
	unsigned i;

	*ret = (struct inventions){.tables = tables};
	for (i = 0; i < tables; i++) {
		struct annotation *annotation;
		struct table table;

		one.noise = i % METRIC_NOISES;
		table_init(&table, seed + i);
		fill_noise(&table, &one);
		annotation = build(&table);
		ret->features += annotation->n_features > 0;
		if (one.noise == NORMAL)
			ret->modes +=
				annotation->n_cases != 1 || annotation->cases[0].n_models != 1;
		if (wrong && (annotation->n_features || annotation->cases[0].n_models != 1)) {
			fprintf(wrong, "seed %ld, noise %u:\n", seed + i, one.noise);
			annotation_print(annotation, wrong);
		}
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}
