/* Figures of studies with known laws: points, curves, bands, bars; axes and their numbers. */
#include "study_check.h"

enum { N = 1, M, KIND, ROWS = 300 };
enum { LIST = 0, TREE = 7 };

#define NOISE 0.05

static double law(bool is_list, double n, double m)
{
	return is_list ? 20 + 2 * n : 50 + 5 * m;
}

/* Calls of lists cost by n, of trees by m. */
static void fill_kinds(struct table *table)
{
	size_t i;

	table_init(table, 1);
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "m", FEATURE_INT, 0);
	add_feature(table, "kind", FEATURE_ENUM, 0);
	samples_add_label(table->samples, KIND, LIST, "LIST");
	samples_add_label(table->samples, KIND, TREE, "TREE");
	for (i = 0; i < ROWS; i++) {
		const bool is_list = uniform(table, 0, 1) < 0.5;
		const double n = floor(uniform(table, is_list ? 100 : 0, is_list ? 1000 : 2000));
		const double m = floor(uniform(table, 1, 100));

		set(table, 0, law(is_list, n, m) * (1 + NOISE * normal(table)));
		set(table, N, n);
		set(table, M, m);
		set(table, KIND, is_list ? LIST : TREE);
		add_row(table);
	}
}

struct fixture {
	struct table table;
	struct study *study;
	unsigned n, m, kind;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fill_kinds(&fixture.table);
	fixture.study = build_study(&fixture.table);
	fixture.n = feature_called(fixture.study, "n");
	fixture.m = feature_called(fixture.study, "m");
	fixture.kind = feature_called(fixture.study, "kind");
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	study_destroy(fixture->study);
	table_deinit(&fixture->table);
	return 0;
}

static void a_scatter_has_all_points_by_case_with_their_names(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_scatter(fixture->study, fixture->n, &figure_default);
	size_t which, i, n = 0;

	assert_string_equal(figure->title, "f(int).time");
	assert_string_equal(figure->x.title, "n");
	assert_string_equal(figure->y.title, "time");
	assert_string_equal(figure->y.unit, "µs");
	assert_null(figure->x.unit);
	for (which = 0; which < 2; which++) {
		const struct figure_series *points = series_of(figure, FIGURE_POINTS, which);

		assert_string_equal(points->name, which ? "kind == TREE" : "kind == LIST");
		assert_int_equal(points->group, which);
		n += points->n;
		for (i = 0; i < points->n; i++) {
			assert_int_equal(fixture->study->cases[points->points[i]], which);
			assert_true(points->y[i] == fixture->study->costs[points->points[i]]);
		}
	}
	assert_int_equal(n, ROWS);
	assert_null(series_of(figure, FIGURE_POINTS, 2));
	assert_figure_sound(figure);
}

/* A curve is as near to the law as the line of 150 calls: 4 standard errors, twice at the ends. */
static void curves_follow_the_law_where_the_case_has_points(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_scatter(fixture->study, fixture->n, &figure_default);
	const struct figure_series *curve = series_of(figure, FIGURE_CURVE, 0);
	const struct figure_series *band = series_of(figure, FIGURE_BAND, 0);
	size_t i;

	assert_int_equal(curve->group, 0);
	assert_int_equal(curve->n, 200);
	assert_true(curve->x[0] >= 100 && curve->x[199] <= 1000);
	for (i = 0; i < curve->n; i++) {
		const double mean = law(true, curve->x[i], 0);

		assert_true(fabs(curve->y[i] - mean) < 8 * NOISE / sqrt(150) * mean);
		assert_true(band->x[i] == curve->x[i]);
		assert_true(band->y[i] < curve->y[i] && band->y2[i] > curve->y[i]);
	}
	assert_true(series_of(figure, FIGURE_CURVE, 1)->x[199] > 1500);
	figure_destroy(figure);
}

/* 95 of 100 calls, by five standard errors of that part. */
static void bands_hold_95_percent_of_the_calls(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_scatter(fixture->study, fixture->n, &figure_default);
	const struct figure_series *points = series_of(figure, FIGURE_POINTS, 0);
	const struct figure_series *band = series_of(figure, FIGURE_BAND, 0);
	size_t i, j, within = 0;

	for (i = 0; i < points->n; i++) {
		for (j = 0; j + 1 < band->n && band->x[j + 1] < points->x[i]; j++)
			;
		within += points->y[i] >= band->y[j] && points->y[i] <= band->y2[j];
	}
	assert_true(fabs((double)within / points->n - 0.95) < 5 * sqrt(0.05 * 0.95 / points->n));
	figure_destroy(figure);
}

/* Trees cost by m, of which the curve over n knows the middle only. */
static void other_features_are_held_at_their_median_and_that_is_said(void **state)
{
	const struct fixture *fixture = *state;
	const struct study *study = fixture->study;
	struct figure *figure = figure_scatter(study, fixture->n, &figure_default);
	const struct figure_series *curve = series_of(figure, FIGURE_CURVE, 1);
	double m;
	size_t i, below = 0, above = 0, n = 0;

	assert_non_null(figure->caption);
	assert_int_equal(sscanf(figure->caption, "curves of kind == TREE at m = %lf", &m), 1);
	for (i = 0; i < study->n_points; i++) {
		if (study->cases[i] != 1)
			continue;
		below += study_value(study, fixture->m, i).number < m;
		above += study_value(study, fixture->m, i).number > m;
		n++;
	}
	assert_true(2 * below <= n && 2 * above <= n);
	assert_true(curve->y[0] == curve->y[199]);
	assert_true(fabs(curve->y[0] - law(false, 0, m)) < 0.05 * law(false, 0, m));
	figure_destroy(figure);
}

static void categories_have_places_and_names(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_scatter(fixture->study, fixture->kind, &figure_default);
	const struct figure_series *trees = series_of(figure, FIGURE_POINTS, 1);
	const struct figure_series *curve = series_of(figure, FIGURE_CURVE, 1);

	assert_int_equal(figure->x.n_labels, 2);
	assert_string_equal(figure->x.labels[0].name, "LIST");
	assert_string_equal(figure->x.labels[1].name, "TREE");
	assert_true(figure->x.low == -0.5 && figure->x.high == 1.5);
	assert_true(trees->x[0] == 1);
	assert_true(curve->x[0] > 0.5 && curve->x[curve->n - 1] < 1.5);
	assert_figure_sound(figure);
}

static void over_the_order_of_calls_all_have_their_turn(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_scatter(fixture->study, STUDY_NONE, &figure_default);
	const struct figure_series *lists = series_of(figure, FIGURE_POINTS, 0);
	size_t i;

	for (i = 0; i < lists->n; i++)
		assert_true(lists->x[i] == lists->points[i] + 1);
	assert_null(series_of(figure, FIGURE_CURVE, 0));
	assert_figure_sound(figure);
}

static void residuals_are_what_is_left(void **state)
{
	const struct fixture *fixture = *state;
	const struct study *study = fixture->study;
	struct figure *figure = figure_residuals(study, STUDY_NONE, &figure_default);
	const struct figure_series *points = series_of(figure, FIGURE_POINTS, 0);
	const struct figure_series *zero = series_of(figure, FIGURE_CURVE, 0);
	size_t i;

	assert_string_equal(figure->x.title, "expected");
	assert_string_equal(figure->y.title, "time - expected");
	for (i = 0; i < points->n; i++) {
		const size_t at = points->points[i];

		assert_true(points->x[i] == study->expected[at]);
		assert_true(points->y[i] == study->costs[at] - study->expected[at]);
	}
	assert_true(zero->y[0] == 0 && zero->y[1] == 0);
	assert_figure_sound(figure);
	assert_figure_sound(figure_residuals(study, fixture->n, &figure_default));
}

static double sum_of(const struct figure_series *series)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < series->n; i++)
		sum += series->y[i];
	return sum;
}

/* The area under a curve, in calls: it is the expected number in a bin around each step. */
static double area_of(const struct figure_series *curve, double width)
{
	double area = 0;
	size_t i;

	for (i = 1; i < curve->n; i++)
		area += (curve->y[i] + curve->y[i - 1]) / 2 * (curve->x[i] - curve->x[i - 1]);
	return area / width;
}

static void a_histogram_counts_every_call_once(void **state)
{
	const struct fixture *fixture = *state;
	struct figure *figure = figure_histogram(fixture->study, &figure_default);
	const struct figure_series *bars = series_of(figure, FIGURE_BARS, 0);
	double area = 0;
	size_t i;

	assert_true(sum_of(bars) == ROWS);
	for (i = 1; i < bars->n; i++)
		assert_true(fabs(bars->x[i] - bars->x2[i - 1]) < 1e-9 * bars->x[i]);
	for (i = 0; i < 2; i++)
		area += area_of(series_of(figure, FIGURE_CURVE, i), bars->x2[0] - bars->x[0]);
	/* Some of what is expected lies beyond the least and the largest cost. */
	assert_true(area > 0.9 * ROWS && area < 1.01 * ROWS);
	assert_figure_sound(figure);
}

/*
 * Calls of two modes: the curve of each has its part of the calls under it, and is highest where
 * the mode is.
 */
static void a_histogram_shows_the_components_of_a_mixture(void **state)
{
	struct table table;
	struct study *study;
	struct figure *figure;
	const struct figure_series *curve;
	size_t which, i, most;

	(void)state;
	table_init(&table, 2);
	for (i = 0; i < 300; i++) {
		set(&table, 0, (i % 3 ? 100 : 200) + 10 * normal(&table));
		add_row(&table);
	}
	study = build_study(&table);
	figure = figure_histogram(study, &figure_default);
	assert_string_equal(series_of(figure, FIGURE_CURVE, 0)->name, "66.7 % of the calls");
	for (which = 0; which < 2; which++) {
		curve = series_of(figure, FIGURE_CURVE, which);
		for (i = most = 0; i < curve->n; i++)
			most = curve->y[i] > curve->y[most] ? i : most;
		assert_true(fabs(curve->x[most] - (which ? 200 : 100)) < 5);
	}
	assert_figure_sound(figure);
	study_destroy(study);
	table_deinit(&table);
}

/*
 * Modes of a deviation of 5 that are 200 apart: each is a hump of several bars, at most a deviation
 * wide, and bars remain few.
 */
static void bins_are_as_narrow_as_modes(void **state)
{
	struct figure_options logarithmic = figure_default;
	struct table table;
	struct study *study;
	unsigned round;
	size_t i;

	(void)state;
	logarithmic.log_x = true;
	table_init(&table, 4);
	for (i = 0; i < 300; i++) {
		set(&table, 0, (i % 3 ? 100 : 300) + 5 * normal(&table));
		add_row(&table);
	}
	study = build_study(&table);
	for (round = 0; round < 2; round++) {
		struct figure *figure =
			figure_histogram(study, round ? &logarithmic : &figure_default);
		const struct figure_series *bars = series_of(figure, FIGURE_BARS, 0);
		unsigned low = 0, high = 0;

		for (i = 0; i < bars->n; i++) {
			low += bars->y[i] > 0 && bars->x2[i] < 200;
			high += bars->y[i] > 0 && bars->x[i] > 200;
		}
		/*
		 * Of 100 calls all four deviations around the middle have some; there are seldom
		 * any three away from it. By logarithms the lower mode is three times as wide.
		 */
		assert_in_range(low, 4, round ? 20 : 8);
		assert_in_range(high, 4, 8);
		assert_true(bars->n <= 120);
		assert_true(sum_of(bars) == 300);
		assert_figure_sound(figure);
	}
	study_destroy(study);
	table_deinit(&table);
}

static void bins_of_whole_numbers_are_whole(void **state)
{
	struct table table;
	struct study *study;
	struct figure *figure;
	const struct figure_series *bars;
	size_t i;

	(void)state;
	table_init(&table, 3);
	for (i = 0; i < 300; i++) {
		set(&table, 0, floor(uniform(&table, 0, 5)));
		add_row(&table);
	}
	study = build_study(&table);
	figure = figure_histogram(study, &figure_default);
	bars = series_of(figure, FIGURE_BARS, 0);
	assert_int_equal(bars->n, 5);
	for (i = 0; i < bars->n; i++) {
		assert_true(bars->x[i] == i - 0.5 && bars->x2[i] == i + 0.5);
		assert_true(bars->y[i] > 0);
	}
	assert_figure_sound(figure);
	study_destroy(study);
	table_deinit(&table);
}

static void the_part_that_is_asked_for_is_shown(void **state)
{
	const struct fixture *fixture = *state;
	struct figure_options options = figure_default;
	struct figure *figure;
	const struct figure_series *points;
	size_t i;

	options.x_low = 200;
	options.x_high = 300;
	options.n_curve = 20;
	figure = figure_scatter(fixture->study, fixture->n, &options);
	points = series_of(figure, FIGURE_POINTS, 0);
	assert_true(figure->x.low == 200 && figure->x.high == 300);
	for (i = 0; i < points->n; i++)
		assert_true(points->x[i] >= 200 && points->x[i] <= 300);
	assert_int_equal(series_of(figure, FIGURE_CURVE, 0)->n, 20);
	assert_true(series_of(figure, FIGURE_CURVE, 0)->x[0] >= 200);
	assert_non_null(strstr(figure->caption, "outside of the part that is shown"));
	assert_figure_sound(figure);
}

static void logarithmic_axes_leave_out_what_they_do_not_have_and_say_so(void **state)
{
	const struct fixture *fixture = *state;
	struct figure_options options = figure_default;
	struct figure *figure;
	size_t i, n = 0;
	char text[64];

	options.log_x = options.log_y = true;
	for (i = 0; i < ROWS; i++)
		n += study_value(fixture->study, fixture->n, i).number <= 0;
	figure = figure_scatter(fixture->study, fixture->n, &options);
	assert_true(figure->x.is_log && figure->y.is_log);
	snprintf(text, sizeof(text), "%zu call%s not above 0", n, n == 1 ? "" : "s");
	assert_int_equal(n > 0, strstr(figure->caption, text) != NULL);
	assert_figure_sound(figure);
	assert_figures_sound(fixture->study, &options);
}

static bool has_point(const struct figure *figure, size_t point)
{
	size_t i, j;

	for (i = 0; i < figure->n_series; i++)
		for (j = 0; figure->series[i].points && j < figure->series[i].n; j++)
			if (figure->series[i].points[j] == point)
				return true;
	return false;
}

/* One of 3000 calls waited for a processor. */
static void thinning_keeps_the_extremes_and_says_so(void **state)
{
	struct figure_options options = figure_default;
	struct table table;
	struct study *study;
	struct figure *figure;
	size_t i;

	(void)state;
	table_init(&table, 4);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 3000; i++) {
		const double n = floor(uniform(&table, 1, 1000));

		set(&table, 0, (20 + n) * (1 + NOISE * normal(&table)) + (i == 1234 ? 9000 : 0));
		set(&table, 1, n);
		add_row(&table);
	}
	study = build_study(&table);
	options.max_points = 100;
	figure = figure_scatter(study, 0, &options);
	assert_int_equal(series_of(figure, FIGURE_POINTS, 0)->n, 99); /* and a far one */
	assert_true(has_point(figure, 1234));
	assert_non_null(strstr(figure->caption, "100 of 3000 calls are shown"));
	assert_figure_sound(figure);
	study_destroy(study);
	table_deinit(&table);
}

static void calls_without_the_feature_are_counted(void **state)
{
	struct table table;
	struct study *study;
	struct figure *figure;
	size_t i;

	(void)state;
	fill_kinds(&table);
	for (i = 0; i < 7; i++)
		table.samples->columns[N].absence[10 * i] = ABSENT_NULL;
	study = build_study(&table);
	figure = figure_scatter(study, feature_called(study, "n"), &figure_default);
	assert_non_null(strstr(figure->caption, "7 calls without n"));
	assert_figure_sound(figure);
	study_destroy(study);
	table_deinit(&table);
}

static bool says_squeezed(const struct table *table)
{
	struct study *study = build_study(table);
	struct figure *figure = figure_scatter(study, 0, &figure_default);
	const bool says =
		figure->caption && strstr(figure->caption, "99 % of the calls have time up to");

	assert_figure_sound(figure);
	study_destroy(study);
	return says;
}

static void a_few_calls_that_squeeze_the_others_are_told(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 300; i++) {
		set(&table, 0, 100 + normal(&table));
		set(&table, 1, floor(uniform(&table, 1, 1000)));
		add_row(&table);
	}
	assert_false(says_squeezed(&table));
	table.samples->columns[0].numbers[7] = 1e5;
	assert_true(says_squeezed(&table));
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scatter_has_all_points_by_case_with_their_names),
		cmocka_unit_test(curves_follow_the_law_where_the_case_has_points),
		cmocka_unit_test(bands_hold_95_percent_of_the_calls),
		cmocka_unit_test(other_features_are_held_at_their_median_and_that_is_said),
		cmocka_unit_test(categories_have_places_and_names),
		cmocka_unit_test(over_the_order_of_calls_all_have_their_turn),
		cmocka_unit_test(residuals_are_what_is_left),
		cmocka_unit_test(a_histogram_counts_every_call_once),
		cmocka_unit_test(a_histogram_shows_the_components_of_a_mixture),
		cmocka_unit_test(bins_are_as_narrow_as_modes),
		cmocka_unit_test(bins_of_whole_numbers_are_whole),
		cmocka_unit_test(the_part_that_is_asked_for_is_shown),
		cmocka_unit_test(logarithmic_axes_leave_out_what_they_do_not_have_and_say_so),
		cmocka_unit_test(thinning_keeps_the_extremes_and_says_so),
		cmocka_unit_test(calls_without_the_feature_are_counted),
		cmocka_unit_test(a_few_calls_that_squeeze_the_others_are_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
