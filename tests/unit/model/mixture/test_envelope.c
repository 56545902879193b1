/*
 * Calls on one law among others: lower envelopes, main trends, and the components of a mixture.
 * Tables are made of known laws.
 */
#include "numbers.h"

#include "model_table.h"

#include "model/mixture/mixture_formulas.h"
#include "model/mixture/envelope.h"
#include "model/data/equivalents.h"
#include "model/mixture/main_trend.h"
#include "random_numbers.h"

/* A residual of row @i: four of them in turn have nothing in common with a constant or a line. */
static double orthogonal(size_t i)
{
	return i % 4 == 0 || i % 4 == 3 ? 1 : -1;
}

static struct dataset *data_of(struct table *table, size_t n, double (*size)(size_t i),
			       double (*cost)(size_t i))
{
	struct dataset *data;
	size_t i;

	table_init(table, 1);
	add_feature(table, "x", FEATURE_INT, 0);
	for (i = 0; i < n; i++) {
		set(table, 1, size(i));
		set(table, 0, cost(i));
		add_row(table);
	}
	data = dataset_create(table->samples, METRIC_TIME);
	equivalents_screen(data, &(struct model_options){0});
	return data;
}

/* ENVELOPES */

/* Twenty sizes in turn, 20 calls of each, in an order that is no order of time. */
static double twenty_sizes(size_t i)
{
	return 10 * (i * 7 % 20 + 1.0);
}

/*
 * 100 + 5 x, and added what an exponential distribution's 20 even parts have, from 12 to 1844;
 * one of the first size 100 more.
 */
static double added_to(size_t i)
{
	return 100 + 5 * twenty_sizes(i) - 500 * log1p(-(i / 20 + 0.5) / 20) + (i == 380 ? 100 : 0);
}

/*
 * The cheapest of each size costs 100 + 5 x and what the first twentieth's middle adds, -500
 * log(1 - 1 / 40) or 12.66. All are above it; the deviation is the root mean square of the
 * distances from it.
 */
static void the_cheapest_calls_are_the_envelope(void **state)
{
	const double least = -500 * log1p(-0.5 / 20), most = -500 * log1p(-19.5 / 20) - least;
	struct model_options options = {.min_r2 = 0.75};
	struct table table;
	struct dataset *data = data_of(&table, 400, twenty_sizes, added_to);
	double square = 0;
	struct fit fit;
	size_t i;

	(void)state;
	assert_true(envelope_find(data, &options, &fit));
	assert_true(fit.is_envelope);
	assert_int_equal(fit.n_lowest, 20);
	assert_int_equal(fit.n_used, 400);
	assert_near(fit_value(&fit, (double[]){10}), 150 + least, 1e-6);
	assert_near(fit_value(&fit, (double[]){200}), 1100 + least, 1e-6);
	for (i = 0; i < 20; i++)
		square += pow(-500 * log1p(-(i + 0.5) / 20) - least, 2) / 20;
	square += (pow(most + 100, 2) - pow(most, 2)) / 400;
	assert_near(fit.deviation, sqrt(square), 1e-6);
	assert_near(fit.above, most + 100, 1e-6);
	dataset_destroy(data);
	table_deinit(&table);
}

static double unrelated(size_t i)
{
	return 100 + i * 389 % 1009;
}

static void costs_that_follow_nothing_have_no_envelope(void **state)
{
	struct model_options options = {.min_r2 = 0.75};
	struct table table;
	struct dataset *data = data_of(&table, 400, twenty_sizes, unrelated);
	struct fit fit;

	(void)state;
	assert_false(envelope_find(data, &options, &fit));
	dataset_destroy(data);
	table_deinit(&table);
}

/* TRENDS */

static double sixty_sizes(size_t i)
{
	return i * 37 % 100 + 1.0;
}

static bool is_on_line(size_t i)
{
	return i % 20 < 11;
}

/*
 * Eleven of twenty calls cost 500 + 60 x to 1 %, one of them 8 % more, the others something that
 * is never within 10 % of it.
 */
static double on_a_line(size_t i)
{
	const double mean = 500 + 60 * sixty_sizes(i);

	if (is_on_line(i))
		return mean * (i % 20 == 5 ? 1.08 : 1 + 0.01 * orthogonal(i));
	return mean * (i % 2 ? 2.5 + i % 7 : 0.3);
}

static void calls_near_the_law_are_told_from_others(void **state)
{
	unsigned char others[200];
	struct table table;
	struct dataset *data = data_of(&table, 200, sixty_sizes, on_a_line);
	unsigned wrong = 0;
	size_t i;

	(void)state;
	assert_true(main_trend_find(data, others));
	for (i = 0; i < 200; i++)
		wrong += others[i] != !is_on_line(data->order[i]);
	assert_int_equal(wrong, 0);
	dataset_destroy(data);
	table_deinit(&table);
}

static void costs_that_follow_nothing_have_no_law(void **state)
{
	unsigned char others[200];
	struct table table;
	struct dataset *data = data_of(&table, 200, sixty_sizes, unrelated);

	(void)state;
	assert_false(main_trend_find(data, others));
	dataset_destroy(data);
	table_deinit(&table);
	data = data_of(&table, 39, sixty_sizes, on_a_line);
	assert_false(main_trend_find(data, others));
	dataset_destroy(data);
	table_deinit(&table);
}

/* COMPONENTS */

static double normal_at(size_t i)
{
	struct random random;

	random_init(&random, 100 + i);
	return random_normal(&random);
}

/*
 * Every fourth call, four of each in turn, costs 2000 + 3 x, the others 100 + 2 x; with a
 * deviation of 5.
 */
static double of_two_lines(size_t i)
{
	const double x = sixty_sizes(i);

	return (i / 4 % 4 ? 100 + 2 * x : 2000 + 3 * x) + 5 * normal_at(i);
}

/* -2 log likelihood of a regression on the calls of the component @which. */
static double deviance_of_line(const struct dataset *data, const unsigned char *belongs,
			       unsigned which)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
	size_t i;

	for (i = 0; i < 400; i++) {
		const double size = sixty_sizes(data->order[i]) - 50;
		const double cost = of_two_lines(data->order[i]);

		if (belongs[i] != which)
			continue;
		n++;
		x += size;
		y += cost;
		xx += size * size;
		xy += size * cost;
		yy += cost * cost;
	}
	yy -= y * y / n;
	yy -= pow(xy - x * y / n, 2) / (xx - x * x / n);
	return n * (log(2 * M_PI * yy / n) + 1);
}

/* The line of a component, whose calls have errors of 5. */
static void assert_line(const struct tree_model *model, double part, double constant, double slope)
{
	const double n = part * 400;

	assert_near(model->probability, part, 1e-6);
	/* Three standard errors of 5 in n calls; x has a deviation of 29 around 50. */
	assert_near(fit_value(&model->fit, (double[]){50}), constant + 50 * slope, 3 * 5 / sqrt(n));
	assert_near(fit_value(&model->fit, (double[]){100}) - fit_value(&model->fit, (double[]){0}),
		    100 * slope, 3 * 5 / sqrt(n) / 29 * 100);
	assert_near(model->fit.deviation, 5, 3 * 5 / sqrt(2 * n));
}

/*
 * Two lines so far apart that every call is of one: the likelihood is that of two regressions and
 * of the shares, and seven parameters (two coefficients and a deviation each, one probability)
 * cost log 400 each. EM begins with robust fits and ends when it gains next to nothing: 0.1 is a
 * fiftieth of a parameter.
 */
static void components_are_lines_and_their_bic_is_that_of_two_regressions(void **state)
{
	struct model_options options = {.min_r2 = 0.75};
	struct mixture_formulas *found = calloc(1, sizeof(*found));
	unsigned char belongs[400];
	struct table table;
	struct dataset *data = data_of(&table, 400, sixty_sizes, of_two_lines);
	double expected;
	size_t i;

	(void)state;
	for (i = 0; i < 400; i++)
		belongs[i] = data->order[i] / 4 % 4 == 0;
	mixture_formulas_find(data, &options, belongs, 2, found);
	assert_int_equal(found->n, 2);
	assert_true(found->has_formula);
	assert_line(&found->models[0], 0.75, 100, 2);
	assert_line(&found->models[1], 0.25, 2000, 3);
	expected = deviance_of_line(data, belongs, 0) + deviance_of_line(data, belongs, 1) -
		   600 * log(0.75) - 200 * log(0.25) + 7 * log(400);
	assert_near(found->bic, expected, 0.1);
	assert_near(mixture_formulas_mean(data, &found->models[0].fit, 0),
		    100 + 2 * sixty_sizes(data->order[0]), 2);
	free(found);
	dataset_destroy(data);
	table_deinit(&table);
}

static double of_a_line_and_a_constant(size_t i)
{
	return i / 4 % 4 ? 100 + 2 * sixty_sizes(i) + 5 * normal_at(i) : 2000 + 5 * normal_at(i);
}

/* EM sorts components; each keeps its formula. */
static void each_component_has_its_own_formula(void **state)
{
	struct model_options options = {.min_r2 = 0.75};
	struct mixture_formulas *found = calloc(1, sizeof(*found));
	unsigned char belongs[400];
	struct table table;
	struct dataset *data = data_of(&table, 400, sixty_sizes, of_a_line_and_a_constant);
	size_t i;

	(void)state;
	for (i = 0; i < 400; i++)
		belongs[i] = data->order[i] / 4 % 4 != 0;
	mixture_formulas_find(data, &options, belongs, 2, found);
	assert_int_equal(found->n, 2);
	assert_line(&found->models[0], 0.75, 100, 2);
	assert_int_equal(found->models[1].fit.n_terms, 1);
	assert_int_equal(found->models[1].fit.n_used, 100);
	assert_near(found->models[1].fit.coefficients[0], 2000, 3 * 0.5);
	free(found);
	dataset_destroy(data);
	table_deinit(&table);
}

static double of_two_constants(size_t i)
{
	return (i / 4 % 4 ? 100 : 2000) + 5 * normal_at(i);
}

static void without_a_formula_components_are_the_means_of_their_calls(void **state)
{
	struct model_options options = {.min_r2 = 0.75};
	struct mixture_formulas *found = calloc(1, sizeof(*found));
	unsigned char belongs[400];
	struct table table;
	struct dataset *data = data_of(&table, 400, sixty_sizes, of_two_constants);
	size_t i;

	(void)state;
	for (i = 0; i < 400; i++)
		belongs[i] = data->order[i] / 4 % 4 == 0;
	mixture_formulas_find(data, &options, belongs, 3, found);
	assert_true(found->n == 2 && !found->has_formula && isnan(found->bic));
	assert_near(found->models[0].probability, 0.75, 1e-12);
	assert_near(found->models[0].fit.coefficients[0], 100, 3 * 5 / sqrt(300));
	assert_near(found->models[1].fit.coefficients[0], 2000, 3 * 0.5);
	free(found);
	dataset_destroy(data);
	table_deinit(&table);
}

/* Three components of which two are one line are joined to two. */
static void components_of_one_line_are_joined(void **state)
{
	struct model_options options = {.min_r2 = 0.75};
	struct mixture_formulas *found = calloc(1, sizeof(*found));
	unsigned char belongs[400];
	struct table table;
	struct dataset *data = data_of(&table, 400, sixty_sizes, of_two_lines);
	size_t i;

	(void)state;
	for (i = 0; i < 400; i++)
		belongs[i] = data->order[i] / 4 % 4 == 0 ? 2 : data->order[i] % 2;
	mixture_formulas_find(data, &options, belongs, 3, found);
	mixture_formulas_join(data, &options, belongs, 3, found);
	assert_int_equal(found->n, 2);
	for (i = 0; i < 400; i++)
		assert_int_equal(belongs[i], data->order[i] / 4 % 4 == 0);
	free(found);
	dataset_destroy(data);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cheapest_calls_are_the_envelope),
		cmocka_unit_test(costs_that_follow_nothing_have_no_envelope),
		cmocka_unit_test(calls_near_the_law_are_told_from_others),
		cmocka_unit_test(costs_that_follow_nothing_have_no_law),
		cmocka_unit_test(components_are_lines_and_their_bic_is_that_of_two_regressions),
		cmocka_unit_test(each_component_has_its_own_formula),
		cmocka_unit_test(without_a_formula_components_are_the_means_of_their_calls),
		cmocka_unit_test(components_of_one_line_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
