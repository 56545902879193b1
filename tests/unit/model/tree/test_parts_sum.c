/* The formula of a merged call's time is the sum of those of its parts. */
#include "model_table.h"

#include "model/metric_models.h"

enum { TIME, OWN, NETWORK, SERVER, PARAM, KIND };

static void parts_init(struct table *table, long seed)
{
	static const enum metric parts[] = {METRIC_OWN, METRIC_NETWORK,
					    METRIC_SERVER + METRIC_TIME};

	table_init(table, seed);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		samples_add_column(table->samples,
				   &(struct column){.name = metric_info(parts[i])->keyword,
						    .role = COLUMN_METRIC,
						    .metric = parts[i]});
	add_feature(table, "param", FEATURE_INT, 0);
	add_feature(table, "kind", FEATURE_BOOL, 0);
}

static void add_parts(struct table *table, double param, double own, double network, double server)
{
	set(table, TIME, own + network + server);
	set(table, OWN, own);
	set(table, NETWORK, network);
	set(table, SERVER, server);
	set(table, PARAM, param);
	set(table, KIND, (double)(table->samples->n_rows % 3 == 0));
	add_row(table);
}

static struct annotation *annotation_of(struct annotation *const *list, size_t n,
					enum metric metric)
{
	for (size_t i = 0; i < n; i++)
		if (list[i]->metric == metric)
			return list[i];
	fail();
	return NULL;
}

static double expected_at(const struct annotation *annotation, double param)
{
	const double x[] = {param, param, param, param};

	assert_int_equal(annotation->n_cases, 1);
	assert_int_equal(annotation->cases[0].n_models, 1);
	return annotation_value(&annotation->cases[0].models[0].mean, x);
}

static bool notes_have(const struct annotation *annotation, const char *text)
{
	for (size_t i = 0; i < annotation->n_notes; i++)
		if (strstr(annotation->notes[i], text))
			return true;
	return false;
}

/* Models all, and asserts that the formulas add up for parameters also beyond those seen. */
static void assert_adds_up(const struct table *table, enum growth growth)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct annotation *list[METRIC_COUNT], *alone;
	const struct annotation *time;
	const size_t n = metric_models_build(table->samples,
					     METRIC_BIT(METRIC_TIME) | METRIC_BIT(METRIC_OWN) |
						     METRIC_BIT(METRIC_NETWORK) |
						     METRIC_BIT(METRIC_SERVER + METRIC_TIME),
					     &options, list);

	assert_int_equal(n, 4);
	time = annotation_of(list, n, METRIC_TIME);
	assert_true(notes_have(time, "the sum of the formulas of its parts"));
	assert_int_equal(time->cases[0].models[0].growth, growth);
	for (double param = 0; param <= 100; param += 10) {
		const double sum =
			expected_at(annotation_of(list, n, METRIC_OWN), param) +
			expected_at(annotation_of(list, n, METRIC_NETWORK), param) +
			expected_at(annotation_of(list, n, METRIC_SERVER + METRIC_TIME), param);

		assert_float_equal(expected_at(time, param), sum, 1e-4 * sum);
	}
	assert_int_equal(
		metric_models_build(table->samples, METRIC_BIT(METRIC_TIME), &options, &alone), 1);
	assert_float_equal(expected_at(alone, 50), expected_at(time, 50), 1e-9);
	annotation_destroy(alone);
	for (size_t i = 0; i < n; i++)
		annotation_destroy(list[i]);
}

/* The seed's two scenarios: requests that sleep 0 to param ms, or one that sleeps param ms. */
static void the_scenarios_of_the_seed_add_up(void **state)
{
	struct table quadratic, linear;

	(void)state;
	parts_init(&quadratic, 1);
	parts_init(&linear, 2);
	for (int i = 0; i < 200; i++) {
		const double k = i % 20;

		add_parts(&quadratic, k, 100 + 3 * normal(&quadratic),
			  (k + 1) * (150 + 10 * normal(&quadratic)),
			  500 * k * (k + 1) + 30 * (k + 1) + 20 * normal(&quadratic));
		add_parts(&linear, k, 100 + 3 * normal(&linear), 150 + 10 * normal(&linear),
			  1000 * k + 30 + 20 * normal(&linear));
	}
	assert_adds_up(&quadratic, GROWTH_QUADRATIC);
	assert_adds_up(&linear, GROWTH_LINEAR);
	table_deinit(&quadratic);
	table_deinit(&linear);
}

/* @time has the cases and modes of @part, each with what the other two parts cost besides. */
static void assert_has_shape(const struct annotation *time, const struct annotation *part,
			     const struct annotation *a, const struct annotation *b)
{
	assert_true(notes_have(time, "the sum of the formulas of its parts"));
	assert_int_equal(time->n_cases, part->n_cases);
	for (size_t i = 0; i < part->n_cases; i++) {
		const struct annotation_case *one = &time->cases[i], *from = &part->cases[i];

		assert_int_equal(one->n_conditions, from->n_conditions);
		assert_int_equal(one->n_models, from->n_models);
		for (size_t k = 0; k < one->n_conditions; k++) {
			assert_string_equal(time->features[one->scope[k].feature].expression,
					    part->features[from->scope[k].feature].expression);
			assert_int_equal(one->scope[k].comparison, from->scope[k].comparison);
		}
		for (size_t j = 0; j < one->n_models; j++) {
			const double x[] = {10, 10, 10, 10};
			const double sum = annotation_value(&from->models[j].mean, x) +
					   expected_at(a, 10) + expected_at(b, 10);

			assert_float_equal(one->models[j].probability, from->models[j].probability,
					   0);
			assert_float_equal(annotation_value(&one->models[j].mean, x), sum,
					   1e-4 * sum);
			assert_true(one->models[j].spread < 60);
		}
	}
}

static const uint64_t all_parts = METRIC_BIT(METRIC_TIME) | METRIC_BIT(METRIC_OWN) |
				  METRIC_BIT(METRIC_NETWORK) |
				  METRIC_BIT(METRIC_SERVER + METRIC_TIME);

/* One part's modes, or cases, are those of the whole. */
static void the_modes_and_cases_of_one_part_are_those_of_the_time(void **state)
{
	const struct model_options options = {.min_r2 = 0.75};
	const struct annotation *time, *own, *server, *network;
	struct annotation *list[METRIC_COUNT];
	struct table table;

	(void)state;
	for (int cases = 0; cases < 2; cases++) {
		parts_init(&table, 3);
		for (int i = 0; i < 300; i++)
			add_parts(&table, i % 20, 100 + normal(&table),
				  (!cases && uniform(&table, 0, 1) < 0.3 ? 2000 : 100) +
					  5 * normal(&table),
				  (cases && i % 3 == 0 ? 5000 : 0) + 1000 * (i % 20) +
					  20 * normal(&table));
		assert_int_equal(metric_models_build(table.samples, all_parts, &options, list), 4);
		time = annotation_of(list, 4, METRIC_TIME);
		own = annotation_of(list, 4, METRIC_OWN);
		network = annotation_of(list, 4, METRIC_NETWORK);
		server = annotation_of(list, 4, METRIC_SERVER + METRIC_TIME);
		if (cases) {
			assert_int_equal(server->n_cases, 2);
			assert_has_shape(time, server, own, network);
		} else {
			assert_int_equal(network->cases[0].n_models, 2);
			assert_has_shape(time, network, own, server);
		}
		for (size_t i = 0; i < 4; i++)
			annotation_destroy(list[i]);
		table_deinit(&table);
	}
}

/* Which modes of two parts go together is not known: how far the sum is from the time is told. */
static void where_two_parts_have_modes_the_distance_is_told(void **state)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct annotation *time;
	struct table table;

	(void)state;
	parts_init(&table, 3);
	for (int i = 0; i < 300; i++)
		add_parts(&table, i % 20, 100 + normal(&table),
			  (uniform(&table, 0, 1) < 0.3 ? 2000 : 100) + 5 * normal(&table),
			  (uniform(&table, 0, 1) < 0.4 ? 9000 : 500) + 20 * normal(&table));
	assert_int_equal(
		metric_models_build(table.samples, METRIC_BIT(METRIC_TIME), &options, &time), 1);
	assert_true(notes_have(time, "adds up to this but for "));
	annotation_destroy(time);
	table_deinit(&table);
}

/* Two modes of a small part are nothing beside what the others vary by. */
static void modes_that_vanish_in_the_time_are_not_its(void **state)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct annotation *time;
	struct table table;

	(void)state;
	parts_init(&table, 5);
	for (int i = 0; i < 300; i++)
		add_parts(&table, i % 20, (uniform(&table, 0, 1) < 0.3 ? 40 : 5) + normal(&table),
			  100 + normal(&table), 5000 + 400 * normal(&table));
	assert_int_equal(
		metric_models_build(table.samples, METRIC_BIT(METRIC_TIME), &options, &time), 1);
	assert_int_equal(time->cases[0].n_models, 1);
	assert_true(notes_have(time, "adds up to this but for "));
	annotation_destroy(time);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_scenarios_of_the_seed_add_up),
		cmocka_unit_test(the_modes_and_cases_of_one_part_are_those_of_the_time),
		cmocka_unit_test(modes_that_vanish_in_the_time_are_not_its),
		cmocka_unit_test(where_two_parts_have_modes_the_distance_is_told),
	};

	model_build_prepare();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
