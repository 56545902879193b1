/* The formula of a merged call's time is the sum of those of its parts. */
#include "model_table.h"

#include "model/metric_models.h"

enum { TIME, OWN, NETWORK, SERVER, PARAM };

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
}

static void add_parts(struct table *table, double param, double own, double network, double server)
{
	set(table, TIME, own + network + server);
	set(table, OWN, own);
	set(table, NETWORK, network);
	set(table, SERVER, server);
	set(table, PARAM, param);
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

/* What parts are expected to cost is no formula: how far it is from the time is told. */
static void where_a_part_has_modes_the_distance_is_told(void **state)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct annotation *time;
	struct table table;

	(void)state;
	parts_init(&table, 3);
	for (int i = 0; i < 300; i++)
		add_parts(&table, i % 20, 100 + normal(&table),
			  (uniform(&table, 0, 1) < 0.3 ? 2000 : 100) + 5 * normal(&table),
			  1000 * (i % 20) + 20 * normal(&table));
	assert_int_equal(
		metric_models_build(table.samples, METRIC_BIT(METRIC_TIME), &options, &time), 1);
	assert_true(notes_have(time, "adds up to this but for "));
	annotation_destroy(time);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_scenarios_of_the_seed_add_up),
		cmocka_unit_test(where_a_part_has_modes_the_distance_is_told),
	};

	model_build_prepare();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
