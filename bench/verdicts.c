/*
 * What diffs say of pairs of profiles by a known law, in this process alone.
 *
 * Usage: model_verdicts PAIRS SEED LAW NOISE RUNS SPREAD TOLERANCE TIMES
 *
 * Each side has RUNS runs of 200 calls. A call with n costs what LAW (constant, linear, quadratic,
 * mixture) says, with a relative NOISE; all calls of a run are shifted by a factor that differs by
 * SPREAD. The new ones cost TIMES as much ("n": n / 100 times). Prints a line for each pair: the
 * verdict (worse, better, inconclusive, unchanged), and how many runs a side would tell, or 0.
 */
#include "model_table.h"

#include "core/samples/derived_columns.h"
#include "model/compare/diff_profiles.h"

enum { CALLS = 200 /* of a run */, N_COLUMN = 1 };

enum cost { LAW_CONSTANT, LAW_LINEAR, LAW_QUADRATIC, LAW_MIXTURE, LAWS };

static const char *const law_names[] = {"constant", "linear", "quadratic", "mixture"};

struct row {
	enum cost law;
	double noise, spread, tolerance;
	double times; /* 0: n / 100 */
	int64_t runs;
};

/* Of a mixture a fifth of the calls cost ten times as much, whatever n is. */
static double cost_of(enum cost law, double n, struct table *table)
{
	switch (law) {
	case LAW_CONSTANT:
		return 50;
	case LAW_LINEAR:
		return 2 * n;
	case LAW_QUADRATIC:
		return 0.01 * n * n;
	default:
		return uniform(table, 0, 1) < 0.2 ? 200 : 20;
	}
}

static void add_call(struct table *table, const struct row *row, double times, double shift)
{
	const double n = floor(uniform(table, 10, 1001));
	const double cost = cost_of(row->law, n, table) * (times > 0 ? times : n / 100) * shift;

	set(table, N_COLUMN, n);
	set(table, 0, cost * fmax(1 + row->noise * normal(table), 0.01));
	add_row(table);
}

static void fill(struct table *table, long seed, const struct row *row, double times)
{
	size_t i;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	/* Seeds next to each other begin alike. */
	for (i = 0; i < 10; i++)
		uniform(table, 0, 1);
	for (table->run = 1; table->run <= row->runs; table->run++) {
		const double shift = 1 + row->spread * normal(table);

		for (i = 0; i < CALLS; i++)
			add_call(table, row, times, shift);
	}
	derived_columns_add(table->samples);
}

static const char *word_of(enum diff_verdict verdict)
{
	switch (verdict) {
	case DIFF_WORSE:
		return "worse";
	case DIFF_BETTER:
		return "better";
	case DIFF_INCONCLUSIVE:
		return "inconclusive";
	default:
		return "unchanged";
	}
}

static void judge(long seed, const struct row *row)
{
	const struct diff_options options = {
		.alpha = 0.01, .tolerance = row->tolerance, .run_spread = 0.08};
	struct diff *diff = diff_create();
	const struct diff_subject *subject;
	struct table old, new;
	size_t enough = 0;
	size_t i;

	fill(&old, 2 * seed, row, 1);
	fill(&new, 2 * seed + 1, row, row->times);
	diff_profiles_add(diff, old.samples, new.samples, build(&old), build(&new), &options);
	diff_profiles_decide(diff, &options);
	subject = &diff->subjects[0];
	for (i = 0; i < subject->n_tests; i++)
		if (subject->tests[i].enough > enough)
			enough = subject->tests[i].enough;
	printf("%s %zu\n", word_of(subject->verdict), enough);
	diff_destroy(diff);
	table_deinit(&old);
	table_deinit(&new);
}

int main(int argc, char **argv)
{
	struct row row = {.law = 0};
	long pairs, seed, i;

	if (argc != 9)
		return 2;
	pairs = strtol(argv[1], NULL, 10);
	seed = strtol(argv[2], NULL, 10);
	while (row.law < LAWS && strcmp(law_names[row.law], argv[3]) != 0)
		row.law++;
	row.noise = strtod(argv[4], NULL);
	row.runs = strtol(argv[5], NULL, 10);
	row.spread = strtod(argv[6], NULL);
	row.tolerance = strtod(argv[7], NULL);
	row.times = strcmp(argv[8], "n") != 0 ? strtod(argv[8], NULL) : 0;
	if (row.law == LAWS)
		return 2;
	for (i = 0; i < pairs; i++)
		judge(seed + i, &row);
	return 0;
}
