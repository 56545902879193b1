/*
 * Values that each run has for itself, such as the number of its process: they are no cause of what
 * runs differ by anyway, and one of what they do not. Seeds are fixed.
 */
#include "model_table.h"

/* Runs of a program whose feature @name is values[run] in all calls, which cost times[run] as much. */
struct runs {
	const char *name;
	enum feature_type type;
	size_t n, calls;
	double values[24], times[24];
};

static void fill_runs(struct table *table, const struct runs *runs, double noise)
{
	table_init(table, 7);
	add_feature(table, runs->name, runs->type, 0);
	add_feature(table, "n", FEATURE_INT, 0);
	for (size_t run = 0; run < runs->n; run++)
		for (size_t call = 0; call < runs->calls; call++) {
			const double n = floor(uniform(table, 10, 1000));

			table->run = (int64_t)run + 1;
			set(table, 1, runs->values[run]);
			set(table, 2, n);
			set(table, 0, runs->times[run] * (50 + n) * (1 + noise * normal(table)));
			add_row(table);
		}
}

static bool uses(const struct annotation *annotation, const char *name)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		if (!strcmp(annotation->features[i].expression, name))
			return true;
	return false;
}

/* Is the value in a model? If not, it is told that it was not used. */
static void assert_used(const struct runs *runs, bool used)
{
	struct annotation *annotation;
	struct table table;

	fill_runs(&table, runs, 0.02);
	annotation = build(&table);
	print_message("%s of %zu runs\n", runs->name, runs->n);
	assert_int_equal(uses(annotation, runs->name), used);
	assert_true(uses(annotation, "n"));
	if (runs->type == FEATURE_INT)
		assert_int_equal(has_note(annotation, "which differs between runs only"), !used);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void the_number_of_a_process_is_no_cause_of_what_runs_differ_by(void **state)
{
	static const struct runs pid = {"pid", FEATURE_INT,        3,
					200,   {4023, 4711, 5002}, {1, 1.15, 1.2}};
	static const struct runs seed = {"seed", FEATURE_ENUM, 2, 200, {3, 8}, {1, 1.2}};

	(void)state;
	assert_used(&pid, false);
	assert_used(&seed, false);
}

static void a_value_of_runs_that_cost_twice_as_much_is_a_cause(void **state)
{
	static const struct runs mode = {"mode", FEATURE_INT, 2, 200, {0, 1}, {1, 2}};
	static const struct runs kind = {"kind", FEATURE_ENUM, 3, 200, {3, 5, 8}, {1, 1, 2}};

	(void)state;
	assert_used(&mode, true);
	assert_used(&kind, true);
}

/* Of two dozen runs permutations tell. */
static void many_runs_tell_what_depends_on_their_value(void **state)
{
	struct runs runs = {"place", FEATURE_INT, 24, 40, {0}, {0}};

	(void)state;
	for (size_t i = 0; i < runs.n; i++) {
		runs.values[i] = (double)(i * 7 % 24);
		runs.times[i] = runs.values[i] < 12 ? 1 : 1.25;
	}
	assert_used(&runs, true);
	for (size_t i = 0; i < runs.n; i++)
		runs.times[i] = i % 3 ? 1 : 1.25;
	assert_used(&runs, false);
}

/* Who measures one call a run chose what it is of. */
static void of_one_call_a_run_calls_are_what_there_is(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 3);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (size_t i = 0; i < 10; i++) {
		table.run = (int64_t)i + 1;
		set(&table, 1, (double)i);
		set(&table, 0, (100 + (double)i) * (1 + 0.001 * normal(&table)));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	annotation_destroy(annotation);
	table_deinit(&table);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_of_a_process_is_no_cause_of_what_runs_differ_by),
		cmocka_unit_test(a_value_of_runs_that_cost_twice_as_much_is_a_cause),
		cmocka_unit_test(many_runs_tell_what_depends_on_their_value),
		cmocka_unit_test(of_one_call_a_run_calls_are_what_there_is),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
