/*
 * Models beside features of the system, of globals and of returned values: what drifts with time is
 * not named for it, and what programmers would rather name is.
 */
#include "drawn.h"
#include "model_table.h"

enum { ROWS = 300, CALL = 1, LOAD, MEMORY, CLOCK, THREADS, OWN };

static void add_from(struct table *table, const char *name, enum provenance provenance)
{
	const struct column column = {.name = name,
				      .role = COLUMN_FEATURE,
				      .type = FEATURE_INT,
				      .provenance = provenance};

	samples_add_column(table->samples, &column);
}

static void add_system(struct table *table)
{
	enum system_value value;

	add_from(table, feature_system_info(SYSTEM_CALL)->expression, FROM_SYSTEM);
	add_from(table, feature_system_info(SYSTEM_LOAD)->expression, FROM_SYSTEM);
	add_from(table, feature_system_info(SYSTEM_FREE_MEMORY)->expression, FROM_SYSTEM);
	add_from(table, feature_system_info(SYSTEM_CPU_CLOCK)->expression, FROM_SYSTEM);
	add_from(table, feature_system_info(SYSTEM_THREADS)->expression, FROM_SYSTEM);
	for (value = 0; value < SYSTEM_VALUE_COUNT; value++)
		assert_true(feature_system_info(value)->is_asked ||
			    samples_find_column(table->samples, COLUMN_FEATURE,
						feature_system_info(value)->expression) <
				    table->samples->n_columns);
}

/* As a machine has them: the load and the memory walk, the clock jumps, threads stay. */
static void set_system(struct table *table, size_t row)
{
	set(table, CALL, row);
	set(table, LOAD, row % 20 ? table->cells[LOAD].number : uniform(table, 0, 2));
	set(table, MEMORY,
	    (row ? table->cells[MEMORY].number : 8e9) - 4096 * floor(uniform(table, -20, 80)));
	set(table, CLOCK, 2600 + floor(uniform(table, -50, 50)));
	set(table, THREADS, 1);
}

static struct annotation *annotate(struct table *table)
{
	struct annotation *annotation = build(table);

	table_deinit(table);
	return annotation;
}

static void noise_names_no_feature_of_the_system(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;
	const unsigned tables = drawn(20);
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		table_init(&table, seed);
		add_system(&table);
		for (i = 0; i < ROWS; i++) {
			set_system(&table, i);
			set(&table, 0, 100 + 5 * normal(&table));
			add_row(&table);
		}
		annotation = annotate(&table);
		assert_features(annotation, 0, NULL, NULL);
		annotation_destroy(annotation);
	}
}

/* A drift of 20 % over the run under noise of 5 %: the drift is 0.57 of the variance. */
static void a_cost_that_drifts_is_not_explained_by_what_drifts_too(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;
	const unsigned tables = drawn(20);
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		table_init(&table, seed);
		add_system(&table);
		for (i = 0; i < ROWS; i++) {
			set_system(&table, i);
			set(&table, 0, 100 + 20.0 * i / ROWS + 5 * normal(&table));
			add_row(&table);
		}
		annotation = annotate(&table);
		assert_features(annotation, 0, NULL, NULL);
		assert_false(has_note(annotation, "system."));
		annotation_destroy(annotation);
	}
}

/* Residuals drift by 10 %; a second feature of the program would do with as much. */
static void a_law_stays_alone_when_costs_drift(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;
	const unsigned tables = drawn(10);
	long seed;

	(void)state;
	for (seed = 1; seed <= tables; seed++) {
		table_init(&table, seed);
		add_system(&table);
		add_from(&table, "n", FROM_PARAMETER);
		for (i = 0; i < ROWS; i++) {
			double n = floor(uniform(&table, 100, 5000));
			double drift = 1 + 0.1 * i / ROWS;

			set_system(&table, i);
			set(&table, OWN, n);
			set(&table, 0, linear_law(n) * drift * (1 + 0.03 * normal(&table)));
			add_row(&table);
		}
		annotation = annotate(&table);
		assert_features(annotation, 1, "n", NULL);
		annotation_destroy(annotation);
	}
}

/* n grows from call to call, so the number of calls is nearly as good. */
static void a_parameter_is_preferred_to_the_calls_that_it_is_in_step_with(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 3);
	add_system(&table);
	add_from(&table, "n", FROM_PARAMETER);
	for (i = 0; i < ROWS; i++) {
		double n = 10 * i + floor(uniform(&table, 0, 60));

		set_system(&table, i);
		set(&table, OWN, n);
		set(&table, 0, linear_law(n) * (1 + 0.05 * normal(&table)));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_growth(annotation, GROWTH_LINEAR);
	annotation_destroy(annotation);
}

static void what_only_the_system_explains_is_named(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 4);
	add_system(&table);
	for (i = 0; i < ROWS; i++) {
		double threads = 1 + floor(uniform(&table, 0, 8));

		set_system(&table, i);
		set(&table, THREADS, threads);
		set(&table, 0, (5 + 20 * threads) * (1 + 0.05 * normal(&table)));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_features(annotation, 1, "system.threads", NULL);
	annotation_destroy(annotation);
}

/* One law in columns that all say the same; the first of @wanted must be the one that is named. */
static void check_preference(const struct column *columns, size_t n, const char *wanted)
{
	struct annotation *annotation;
	struct table table;
	size_t i, j;

	table_init(&table, 5);
	for (j = 0; j < n; j++)
		samples_add_column(table.samples, &columns[j]);
	for (i = 0; i < ROWS; i++) {
		double x = floor(uniform(&table, 10, 1000));

		for (j = 0; j < n; j++)
			set(&table, 1 + j, x);
		set(&table, 0, linear_law(x) * (1 + 0.03 * normal(&table)));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_features(annotation, 1, wanted, NULL);
	assert_int_equal(has_note(annotation, "known only when the call ends"),
			 !strcmp(wanted, "$return"));
	annotation_destroy(annotation);
}

#define FEATURE(name_, provenance_, depth_)                                 \
	{                                                                   \
		.name = name_, .role = COLUMN_FEATURE, .type = FEATURE_INT, \
		.provenance = provenance_, .depth = depth_                  \
	}

static void of_equal_features_the_one_a_programmer_would_name_is_taken(void **state)
{
	static const struct column all[] = {
		FEATURE("system.call", FROM_SYSTEM, 0), FEATURE("$return", FROM_RETURN, 0),
		FEATURE("count", FROM_GLOBAL, 0),       FEATURE("p->deep", FROM_PARAMETER, 2),
		FEATURE("shallow", FROM_PARAMETER, 0),
	};

	(void)state;
	check_preference(all, 5, "shallow");
	check_preference(all, 4, "p->deep");
	check_preference(all, 3, "count");
	check_preference(all, 2, "$return");
	check_preference(all, 1, "system.call");
}

/* Equal but for a few rows, so that they are not aliases, and both are tried. */
static void a_law_in_a_parameter_wins_beside_a_global_that_is_nearly_equal(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_from(&table, "a_global_count", FROM_GLOBAL);
	add_from(&table, "p", FROM_PARAMETER);
	for (i = 0; i < ROWS; i++) {
		double n = floor(uniform(&table, 10, 1000));

		set(&table, 1, n + floor(uniform(&table, 0, 20)));
		set(&table, 2, n);
		set(&table, 0, linear_law(n) * (1 + 0.05 * normal(&table)));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_features(annotation, 1, "p", NULL);
	annotation_destroy(annotation);
}

/* A function of a and b whose cost is @law of them and of what it returns, and what that is. */
struct returning {
	double (*law)(double a, double b, double returned);
	double (*returned)(double a, double b, double chance);
};

static struct annotation *annotate_returning(struct returning function)
{
	struct table table;
	size_t i;

	table_init(&table, 8);
	add_from(&table, "a", FROM_PARAMETER);
	add_from(&table, "b", FROM_PARAMETER);
	add_from(&table, "$return", FROM_RETURN);
	for (i = 0; i < ROWS; i++) {
		double a = floor(uniform(&table, 1, 300));
		double b = floor(uniform(&table, 1, 300));
		double returned = function.returned(a, b, uniform(&table, 0, 1));

		set(&table, 1, a);
		set(&table, 2, b);
		set(&table, 3, returned);
		set(&table, 0, function.law(a, b, returned) * (1 + 0.03 * normal(&table)));
		add_row(&table);
	}
	return annotate(&table);
}

static double square_of_a(double a, double b, double chance)
{
	(void)b;
	(void)chance;
	return a * a;
}

static double product(double a, double b, double chance)
{
	(void)chance;
	return a * b;
}

static double power_of_a(double a, double b, double chance)
{
	(void)b;
	(void)chance;
	return floor(pow(2, a / 10));
}

static double anything(double a, double b, double chance)
{
	(void)a;
	(void)b;
	return floor(1000 * chance);
}

static double law_of_returned(double a, double b, double returned)
{
	(void)a;
	(void)b;
	return 30 + 0.02 * returned;
}

static double law_of_root(double a, double b, double returned)
{
	(void)a;
	(void)b;
	return 30 + 2 * sqrt(returned);
}

static double law_of_both(double a, double b, double returned)
{
	(void)b;
	return 30 + a + 0.1 * returned;
}

/* Returned values grow by a plain line with the cost, which no parameter does. */
static void what_follows_from_parameters_does_not_displace_them(void **state)
{
	struct annotation *annotation;

	(void)state;
	annotation = annotate_returning((struct returning){law_of_returned, square_of_a});
	assert_features(annotation, 1, "a", NULL);
	annotation_destroy(annotation);
	annotation = annotate_returning((struct returning){law_of_returned, product});
	assert_features(annotation, 2, "a", "b");
	annotation_destroy(annotation);
	/* An exponential, which is no growth of a that is tried with returned values. */
	annotation = annotate_returning((struct returning){law_of_root, power_of_a});
	assert_features(annotation, 1, "a", NULL);
	annotation_destroy(annotation);
}

/* Two laws, of sums and of pairs, by an input: the sum that is returned follows both. */
static void a_returned_value_hides_no_condition(void **state)
{
	unsigned seed, i;

	(void)state;
	for (seed = 1; seed <= 10; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_from(&table, "n", FROM_PARAMETER);
		add_from(&table, "squares", FROM_PARAMETER);
		add_from(&table, "$return", FROM_RETURN);
		for (i = 0; i < 400; i++) {
			const double n = floor(uniform(&table, 10, 700));
			const bool squares = uniform(&table, 0, 1) < 0.5;
			const double steps = squares ? n * n : n;

			set(&table, 1, n);
			set(&table, 2, squares);
			set(&table, 3, floor(500 * steps * (1 + 0.01 * normal(&table))));
			set(&table, 0,
			    (50 + 0.35 * steps) * (1 + 0.04 * normal(&table)) +
				    (uniform(&table, 0, 1) < 0.03 ? 40000 : 0));
			add_row(&table);
		}
		annotation = annotate(&table);
		assert_int_equal(annotation->n_features, 2);
		for (i = 0; i < 2; i++)
			assert_string_not_equal(annotation->features[i].expression, "$return");
		annotation_destroy(annotation);
	}
}

static void what_only_a_returned_value_explains_is_named(void **state)
{
	struct annotation *annotation;

	(void)state;
	annotation = annotate_returning((struct returning){law_of_returned, anything});
	assert_features(annotation, 1, "$return", NULL);
	annotation_destroy(annotation);
	annotation = annotate_returning((struct returning){law_of_both, anything});
	assert_features(annotation, 2, "a", "$return");
	annotation_destroy(annotation);
}

/* Costs are those of a thread, whose stack the argument of unknown meaning lies in. */
static void addresses_are_no_sizes(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 9);
	add_from(&table, "$rdi", FROM_PARAMETER);
	for (i = 0; i < ROWS; i++) {
		set(&table, 1, i % 2 ? 140115000000000 : 140737000000000);
		set(&table, 0, (i % 2 ? 10 : 30) + normal(&table));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_features(annotation, 0, NULL, NULL);
	assert_true(has_note(annotation, "not used: $rdi, as large in every call as addresses"));
	annotation_destroy(annotation);
}

/* The columns of the system must not push features of the program off the list of those tried. */
static void a_product_is_found_beside_features_of_the_system(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 7);
	add_system(&table);
	add_from(&table, "rows", FROM_PARAMETER);
	add_from(&table, "cols", FROM_PARAMETER);
	for (i = 0; i < ROWS; i++) {
		double a = floor(uniform(&table, 1, 300));
		double b = floor(uniform(&table, 1, 300));

		set_system(&table, i);
		set(&table, OWN, a);
		set(&table, OWN + 1, b);
		set(&table, 0, (30 + 0.02 * a * b) * (1 + 0.05 * normal(&table)));
		add_row(&table);
	}
	annotation = annotate(&table);
	assert_int_equal(annotation->n_features, 2);
	assert_null(strstr(annotation->features[0].expression, "system"));
	assert_null(strstr(annotation->features[1].expression, "system"));
	annotation_destroy(annotation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_names_no_feature_of_the_system),
		cmocka_unit_test(a_cost_that_drifts_is_not_explained_by_what_drifts_too),
		cmocka_unit_test(a_law_stays_alone_when_costs_drift),
		cmocka_unit_test(a_parameter_is_preferred_to_the_calls_that_it_is_in_step_with),
		cmocka_unit_test(what_only_the_system_explains_is_named),
		cmocka_unit_test(of_equal_features_the_one_a_programmer_would_name_is_taken),
		cmocka_unit_test(a_law_in_a_parameter_wins_beside_a_global_that_is_nearly_equal),
		cmocka_unit_test(what_follows_from_parameters_does_not_displace_them),
		cmocka_unit_test(a_returned_value_hides_no_condition),
		cmocka_unit_test(what_only_a_returned_value_explains_is_named),
		cmocka_unit_test(addresses_are_no_sizes),
		cmocka_unit_test(a_product_is_found_beside_features_of_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
