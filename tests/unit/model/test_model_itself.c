/*
 * Samples conform to the model that was made of them: nothing is worse, nothing better, also where
 * the measurement tells little, clocks tick, and calls were left out. The model goes through its
 * text, as in a file.
 */
#include "model_table.h"

#include "drawn.h"
#include "model/compare/check_samples.h"

enum { TABLES = 100, CALLS = 300 };

struct itself {
	const char *name;
	double resolution;
	double (*cost)(struct table *table, double n);
};

static double tick(double cost)
{
	return fmax(0.01 * floor(cost / 0.01), 0);
}

static double constant(struct table *table, double n)
{
	(void)n;
	return 0.3 + 0.045 * normal(table);
}

static double line(struct table *table, double n)
{
	return (0.3 + 0.1 * n) * (1 + 0.05 * normal(table));
}

static double ticks(struct table *table, double n)
{
	(void)n;
	return tick(0.3 + 0.02 * normal(table));
}

static double modes(struct table *table, double n)
{
	(void)n;
	return tick((uniform(table, 0, 1) < 0.8 ? 0.3 : 4) * (1 + 0.03 * normal(table)));
}

/* Some calls wait for a processor. */
static double waits(struct table *table, double n)
{
	(void)n;
	return 3 * (1 + 0.02 * normal(table)) +
	       (uniform(table, 0, 1) < 0.03 ? uniform(table, 1, 5000) : 0);
}

static double waiting_line(struct table *table, double n)
{
	return line(table, n) + (uniform(table, 0, 1) < 0.04 ? uniform(table, 1, 5000) : 0);
}

/* Noise of one side, with a long tail. */
static double skewed(struct table *table, double n)
{
	return (1 + 0.1 * n) * exp(0.5 * normal(table));
}

/* A quarter of the calls cost more, a few of them twenty times that. */
static double cold(struct table *table, double n)
{
	const double chance = uniform(table, 0, 1);

	(void)n;
	if (chance < 0.75)
		return tick(0.24 + 0.015 * normal(table));
	return tick(0.24 + 0.3 * exp(normal(table)) * (chance > 0.985 ? 20 : 1));
}

/* Nearly half of the calls lie anywhere above. */
static double trend(struct table *table, double n)
{
	return line(table, n) * (uniform(table, 0, 1) < 0.45 ? uniform(table, 1, 20) : 1);
}

static const struct itself cases[] = {
	{"constant", 0, constant},
	{"constant below the resolution", 4.5, constant},
	{"line", 0, line},
	{"line near the resolution", 3, line},
	{"ticks", 0, ticks},
	{"ticks below the resolution", 0.012, ticks},
	{"modes", 0, modes},
	{"modes above the resolution", 2.4, modes},
	{"modes below the resolution", 6, modes},
	{"waits", 0, waits},
	{"waits below the resolution", 9, waits},
	{"waiting line", 0, waiting_line},
	{"waiting line near the resolution", 2, waiting_line},
	{"skewed", 0, skewed},
	{"cold", 0, cold},
	{"cold, near the resolution", 0.08, cold},
	{"trend", 0, trend},
};

static void fill(struct table *table, const struct itself *itself, long seed)
{
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	table->samples->resolution[METRIC_TIME] = itself->resolution;
	for (i = 0; i < CALLS; i++) {
		const double n = floor(uniform(table, 1, 101));

		set(table, 0, itself->cost(table, n));
		set(table, 1, n);
		add_row(table);
	}
}

static void read_back(const struct annotation *annotation, struct annotation_list *ret)
{
	struct err err = {0};
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	annotation_print(annotation, memory);
	fclose(memory);
	if (!annotation_parse(text, size, ret, &err))
		fail_msg("%s: %s", err.text, text);
	free(text);
}

static size_t count_changes(const struct table *table, bool says)
{
	const struct check_options options = {.alpha = 0.01, .tolerance = 0.1, .strict = true};
	struct annotation_list list = {.n = 0};
	struct annotation *annotation = build(table);
	struct check *check = check_create();
	size_t changed;

	read_back(annotation, &list);
	check_samples_add(check, list.list[0], &list, table->samples, &options);
	changed = check_samples_decide(check, &options);
	assert_true(check->n_tests > 0);
	if (changed && says) {
		annotation_print(annotation, stdout);
		check_print_subject(check, &check->subjects[0], false, stdout);
	}
	annotation_destroy(annotation);
	annotation_parse_deinit(&list);
	check_destroy(check);
	return changed;
}

static void samples_conform_to_their_own_model(void **state)
{
	const unsigned tables = drawn(TABLES);
	unsigned failed = 0, i, j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned before = failed;

		for (j = 0; j < tables; j++) {
			struct table table;

			fill(&table, &cases[i], 1000 + j);
			failed += count_changes(&table, failed == before) > 0;
			table_deinit(&table);
		}
		print_message("%-34s %u of %u do not conform\n", cases[i].name, failed - before,
			      tables);
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_conform_to_their_own_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
