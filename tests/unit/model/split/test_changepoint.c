/*
 * What conditions are judged by: ranks, segments of two curves, and what random orders explain.
 * Closed forms, and R's residual squares.
 */
#include "numbers.h"

#include "model_table.h"

#include "model/split/permutation_null.h"
#include "model/split/split_candidates.h"
#include "model/split/changepoint.h"
#include "random_numbers.h"

enum { ROWS = 60 };

/*
 * A residual of row @i: four of them in turn, equal in size, have nothing in common with a
 * constant or a line.
 */
static double orthogonal(size_t i)
{
	return i % 4 == 0 || i % 4 == 3 ? 1 : -1;
}

/*
 * Calls of the costs @y and one feature, 1 to @n; each is a run of its own, so that none is cold.
 */
struct calls_of {
	struct table table;
	struct dataset *data;
	struct arena *arena;
	struct rank_regression *ranking;
	uint8_t sides[ROWS];
};

static void calls_init(struct calls_of *calls, size_t n, double (*cost)(size_t i))
{
	size_t i;

	table_init(&calls->table, 1);
	add_feature(&calls->table, "x", FEATURE_INT, 0);
	for (i = 0; i < n; i++) {
		const struct sample_key key = {.id = i + 1, .run = i + 1};

		set(&calls->table, 0, cost(i));
		set(&calls->table, 1, i + 1);
		samples_append(calls->table.samples, &key, calls->table.cells);
		calls->sides[i] = SIDE_FIRST;
	}
	calls->data = dataset_create(calls->table.samples, METRIC_TIME);
	calls->arena = arena_create();
	calls->ranking = rank_regression_create(calls->arena, calls->data);
}

static void calls_deinit(struct calls_of *calls)
{
	arena_destroy(calls->arena);
	dataset_destroy(calls->data);
	table_deinit(&calls->table);
}

/* RANKS */

static void ranks_of_equals_are_their_middle(void **state)
{
	struct place places[] = {{4, true}, {2, true}, {0, false}, {1, true}};
	const struct order order = {places, 4};
	double ranks[5];

	(void)state;
	rank_regression_of_order(&order, 5, ranks);
	assert_near(ranks[4], -0.75, 1e-15);
	assert_near(ranks[2], 0, 1e-15);
	assert_near(ranks[0], 0, 1e-15);
	assert_near(ranks[1], 0.75, 1e-15);
	assert_true(ranks[3] == 0);
}

/* b, whose square the cost is, before a, a line with noise; c is of no use. */
static void the_strongest_go_with_the_ranks(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct rank_regression *ranking;
	struct arena *arena = arena_create();
	struct table table;
	struct dataset *data;
	size_t strongest[3], i, j;

	(void)state;
	table_init(&table, 1);
	for (j = 0; j < 3; j++)
		add_feature(&table, names[j], FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		const struct sample_key key = {.id = i + 1, .run = i + 1};
		const double b = (double)i + 1;

		set(&table, 0, 1000 + b * b);
		set(&table, 1, b * b / 25 + 40 * (i % 3));
		set(&table, 2, b);
		set(&table, 3, i * 37 % 11);
		samples_append(table.samples, &key, table.cells);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	ranking = rank_regression_create(arena, data);
	assert_int_equal(rank_regression_strongest(ranking, 2, strongest), 2);
	assert_int_equal(strongest[0], 1);
	assert_int_equal(strongest[1], 0);
	arena_destroy(arena);
	dataset_destroy(data);
	table_deinit(&table);
}

/* SEGMENTS */

static double saw(size_t i)
{
	return (i < 30 ? i + 1.0 : 200 - (i + 1.0)) + orthogonal(i);
}

/* A segmenter of the costs as they are, whose whole leaves 1 of each. */
struct parted {
	struct calls_of calls;
	double ones[ROWS];
	struct changepoint_target target;
	struct changepoint_search *segmenter;
};

static void parted_init(struct parted *parted, double (*cost)(size_t i))
{
	size_t i;

	calls_init(&parted->calls, ROWS, cost);
	for (i = 0; i < ROWS; i++)
		parted->ones[i] = 1;
	parted->target = (struct changepoint_target){
		.y = parted->calls.data->y, .inverse = parted->ones, .residual = parted->ones};
	parted->segmenter =
		changepoint_create(parted->calls.arena, parted->calls.ranking, &parted->target);
}

/*
 * No other place leaves as little.
 * R: i <- 0:59; x <- i + 1; e <- ifelse(i %% 4 == 0 | i %% 4 == 3, 1, -1)
 *    y <- ifelse(x <= 30, x, 200 - x) + e; y <- y / max(y)
 *    fit <- function(s, d) if (d) lm(y[s] ~ poly(x[s], d)) else lm(y[s] ~ 1)
 *    corrected <- function(s, d) deviance(fit(s, d)) * sum(s) / (sum(s) - d - 2)
 *    left <- function(s) min(sapply(0:2, function(d) corrected(s, d)))
 *    (left(x <= 30) + left(x > 30)) / 60
 */
static void two_segments_leave_what_two_regressions_leave(void **state)
{
	struct parted parted;
	struct changepoint segment;
	size_t i;

	(void)state;
	parted_init(&parted, saw);
	assert_true(changepoint_find(parted.segmenter, 0, 10, &segment));
	assert_int_equal(segment.first, 30);
	assert_near_part(segment.left, 3.89025115330531e-05, 1e-9);
	for (i = 0; i < ROWS; i++)
		parted.calls.sides[i] =
			parted.calls.data->predictors[0].x[i] <= 30 ? SIDE_FIRST : SIDE_SECOND;
	assert_near_part(changepoint_judge(parted.segmenter, parted.calls.sides),
			 3.89025115330531e-05, 1e-9);
	/* (left(x <= 20) + left(x > 20 & x <= 50)) / 50 */
	for (i = 0; i < ROWS; i++) {
		const double x = parted.calls.data->predictors[0].x[i];

		parted.calls.sides[i] = x <= 20 ? SIDE_FIRST : x <= 50 ? SIDE_SECOND : SIDE_NONE;
	}
	assert_near_part(changepoint_judge(parted.segmenter, parted.calls.sides),
			 0.0214265960510776, 1e-9);
	assert_false(changepoint_find(parted.segmenter, 0, 31, &segment));
	calls_deinit(&parted.calls);
}

/* CHANCE */

static double noise(size_t i)
{
	struct random random;

	random_init(&random, i);
	return 100 + random_normal(&random);
}

/*
 * The least part that must be explained, as -n log of what is left, that a condition among @tried
 * ones is none by chance.
 */
static double limit(struct permutation_null *chance, size_t tried)
{
	double low = 0, high = 1;
	unsigned i;

	for (i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;

		if (permutation_null_is_beaten(chance, middle, tried))
			low = middle;
		else
			high = middle;
	}
	return -ROWS * log(low);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * What 200 random orders explain, as the source says: the largest fifth of it. Returns the
 * quantile beyond it.
 */
static double draw_tail(struct parted *parted, double *ret_excess)
{
	struct place places[ROWS];
	const struct order order = {places, ROWS};
	struct random random;
	double draws[200], excess = 0;
	size_t i, j;

	random_init(&random, 99);
	for (i = 0; i < ROWS; i++)
		places[i] = (struct place){i, true};
	for (j = 0; j < 200; j++) {
		struct changepoint segment;

		for (i = ROWS; i > 1; i--) {
			const size_t k = i * random_uniform(&random);
			const struct place other = places[i - 1];

			places[i - 1] = places[k];
			places[k] = other;
		}
		assert_true(changepoint_find_in(parted->segmenter, &order, 10, &segment));
		draws[j] = -ROWS * log(segment.left);
	}
	qsort(draws, 200, sizeof(*draws), by_size);
	for (j = 0; j < 40; j++)
		excess += (draws[j] - draws[40]) / 40;
	*ret_excess = excess;
	return draws[40];
}

/*
 * The tail falls exponentially: ten times as many conditions take log 10 mean excesses more, and
 * one condition log(0.2 / 0.0001) of them beyond the quantile of 0.8. Of 200 draws that has an
 * error of sqrt(0.2 * 0.8 / 200) / 0.2 excesses, 0.14, and the excess one of 1 / sqrt(40) of
 * itself. Two estimates differ by sqrt(2) errors, here by at most three of that.
 */
static void a_condition_must_beat_what_random_orders_explain(void **state)
{
	struct parted parted;
	struct permutation_null chance;
	double quantile, excess, slope;

	(void)state;
	parted_init(&parted, noise);
	permutation_null_init(&chance, parted.segmenter, parted.calls.data, 10);
	slope = (limit(&chance, 100) - limit(&chance, 10)) / log(10);
	assert_near(limit(&chance, 1000) - limit(&chance, 100), slope * log(10), 1e-6);
	assert_near(limit(&chance, 0), limit(&chance, 1), 0);
	assert_true(slope >= 2 - 1e-9);
	quantile = draw_tail(&parted, &excess);
	excess = fmax(excess, 2);
	assert_near(slope, excess, 3 * sqrt(2) * excess / sqrt(40));
	assert_near(limit(&chance, 1), quantile + slope * log(2000), 0.6 * excess);
	calls_deinit(&parted.calls);
}

/* CONDITIONS */

static void a_condition_parts_the_rows(void **state)
{
	struct split_candidate trial = {.split = {.kind = SPLIT_AT, .at = 25}};
	struct calls_of calls;
	uint8_t sides[ROWS];
	size_t i;

	(void)state;
	calls_init(&calls, ROWS, saw);
	trial.split.column = calls.data->predictors[0].column;
	assert_true(split_candidates_part(calls.ranking, &trial, sides));
	for (i = 0; i < ROWS; i++)
		assert_int_equal(sides[i],
				 calls.data->predictors[0].x[i] <= 25 ? SIDE_FIRST : SIDE_SECOND);
	trial.split.at = PARTITION_ROWS_MIN;
	assert_true(split_candidates_part(calls.ranking, &trial, sides));
	trial.split.at = PARTITION_ROWS_MIN - 1;
	assert_false(split_candidates_part(calls.ranking, &trial, sides));
	trial.split.at = ROWS - PARTITION_ROWS_MIN + 1;
	assert_false(split_candidates_part(calls.ranking, &trial, sides));
	calls_deinit(&calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_equals_are_their_middle),
		cmocka_unit_test(the_strongest_go_with_the_ranks),
		cmocka_unit_test(two_segments_leave_what_two_regressions_leave),
		cmocka_unit_test(a_condition_must_beat_what_random_orders_explain),
		cmocka_unit_test(a_condition_parts_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
