/*
 * How long does a model take? One table of samples, one model, in this process alone.
 *
 * Usage: model_speed ROWS FEATURES law|split|noise|mixture|independent [SEED]
 *
 * Prints: seconds of the processor and of the clock for the model (not for the table), the peak of
 * the process's memory in bytes, that of the table alone, how many features and cases the model
 * has. Tables are like measured ones: features come in groups that are nearly the same or are the
 * same, some never vary, some are absent in a part of the rows, a few are categorical, addresses or
 * count calls.
 *
 * law: n log n of one feature and 5 % noise; split: two slopes, by an enumeration; noise: nothing
 * explains anything; mixture: two modes that nothing explains; independent: the law, and every
 * other feature on its own, so that none stands for others.
 */
#include <sys/resource.h>
#include <time.h>

#include "model_table.h"

enum shape { SHAPE_LAW, SHAPE_SPLIT, SHAPE_NOISE, SHAPE_MIXTURE, SHAPE_INDEPENDENT, SHAPES };

static const char *const shape_names[] = {"law", "split", "noise", "mixture", "independent"};

enum kind {
	COMMON,
	SAME,
	CONSTANT,
	SMALL,
	BOOLEAN,
	ENUMERATION,
	ADDRESS,
	COUNTER,
	NULLABLE,
	KINDS
};

enum { GROUP = 8 /* columns of one origin */, TRUE_COLUMNS = 2 };

/* What the columns of one group have in common in a row. */
static double origin_of(struct table *table, size_t group)
{
	return floor(pow(10, uniform(table, 0, 2 + group % 4)));
}

static enum kind kind_of(size_t column)
{
	static const enum kind kinds[] = {COMMON,  COMMON, SMALL,    COMMON, NULLABLE, BOOLEAN,
					  COMMON,  SAME,   CONSTANT, COMMON, COMMON,   ENUMERATION,
					  ADDRESS, COMMON, COUNTER,  COMMON, SMALL};

	return kinds[column % (sizeof(kinds) / sizeof(*kinds))];
}

static void add_columns(struct table *table, size_t n)
{
	char name[64];
	size_t i, k;

	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "kind", FEATURE_ENUM, 0);
	for (i = TRUE_COLUMNS; i < n; i++) {
		enum kind kind = kind_of(i);
		enum feature_type type = kind == BOOLEAN       ? FEATURE_BOOL
					 : kind == ENUMERATION ? FEATURE_ENUM
							       : FEATURE_INT;

		snprintf(name, sizeof(name), "this->part%zu->field%zu", i / GROUP, i);
		add_feature(table, name, type, 2 + i % 3);
	}
	for (i = 1; i <= n; i++)
		for (k = 0; table->samples->columns[i].type == FEATURE_ENUM && k < 4; k++)
			samples_add_label(table->samples, i, k,
					  (const char *[]){"A", "B", "C", "D"}[k]);
}

static struct value draw_cell(struct table *table, size_t row, size_t column, double origin)
{
	struct value value = {origin, PRESENT};

	switch (kind_of(column)) {
	case COMMON: /* nearly the origin */
	case KINDS:
		value.number = floor(origin * (1 + 0.1 * uniform(table, 0, 1)) + column);
		break;
	case SAME:
		value.number = 2 * origin + 1;
		break;
	case CONSTANT:
		value.number = column;
		break;
	case SMALL:
		value.number = floor(uniform(table, 0, 12));
		break;
	case BOOLEAN:
		value.number = uniform(table, 0, 1) < 0.4;
		break;
	case ENUMERATION:
		value.number = floor(uniform(table, 0, 4));
		break;
	case ADDRESS:
		value.number = 0x7f0000000000 + 16 * floor(uniform(table, 0, 1e6));
		break;
	case COUNTER:
		value.number = row * 3 + column;
		break;
	case NULLABLE:
		if (uniform(table, 0, 1) < 0.3)
			value = (struct value){0, ABSENT_NULL};
		break;
	}
	return value;
}

static double draw_cost(struct table *table, enum shape shape, double n, double kind)
{
	double z = normal(table);

	switch (shape) {
	case SHAPE_LAW:
	case SHAPE_INDEPENDENT:
		return (200 + 0.3 * n * log(n)) * (1 + 0.05 * z);
	case SHAPE_SPLIT:
		return (200 + (kind == 2 ? 7 : 2) * n) * (1 + 0.05 * z);
	case SHAPE_NOISE:
	case SHAPES:
		return 5000 * (1 + 0.1 * z);
	case SHAPE_MIXTURE:
		return (uniform(table, 0, 1) < 0.3 ? 9000 : 4000) + 200 * z;
	}
	return 0;
}

static void fill(struct table *table, size_t rows, size_t features, enum shape shape)
{
	struct value *cells = calloc(features + 1, sizeof(*cells));
	double origin = 0;
	size_t i, j;

	add_columns(table, features);
	for (i = 0; i < rows; i++) {
		const struct sample_key key = {.id = i + 1, .run = 1};
		double n = floor(pow(10, uniform(table, 1, 4)));
		double kind = floor(uniform(table, 0, 4));

		cells[0] = (struct value){draw_cost(table, shape, n, kind), PRESENT};
		cells[1] = (struct value){n, PRESENT};
		cells[2] = (struct value){kind, PRESENT};
		for (j = TRUE_COLUMNS; j < features; j++) {
			if (j % GROUP == 0 || j == TRUE_COLUMNS)
				origin = origin_of(table, j / GROUP);
			cells[j + 1] = shape == SHAPE_INDEPENDENT
					       ? (struct value){origin_of(table, j), PRESENT}
					       : draw_cell(table, i, j, origin);
		}
		samples_append(table->samples, &key, cells);
	}
	free(cells);
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss * 1024.0;
}

static enum shape shape_called(const char *name)
{
	enum shape shape = SHAPE_LAW;

	while (shape < SHAPES && strcmp(shape_names[shape], name) != 0)
		shape++;
	return shape;
}

int main(int argc, char **argv)
{
	size_t rows = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t features = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	enum shape shape = argc > 3 ? shape_called(argv[3]) : SHAPES;
	double table_bytes, cpu, wall;
	struct annotation *annotation;
	struct table table;

	if (!rows || features < TRUE_COLUMNS || shape == SHAPES) {
		fprintf(stderr,
			"usage: %s ROWS FEATURES law|split|noise|mixture|independent [SEED]\n",
			*argv);
		return 2;
	}
	table_init(&table, argc > 4 ? strtol(argv[4], NULL, 10) : 1);
	fill(&table, rows, features, shape);
	table_bytes = peak_bytes();
	model_build_prepare();
	cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds_of(CLOCK_MONOTONIC);
	annotation = build(&table);
	printf("%.4f %.4f %.0f %.0f %zu %zu\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
	       seconds_of(CLOCK_MONOTONIC) - wall, peak_bytes(), table_bytes,
	       annotation->n_features, annotation->n_cases);
	annotation_destroy(annotation);
	table_deinit(&table);
	return 0;
}
