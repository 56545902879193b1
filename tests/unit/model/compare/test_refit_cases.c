/*
 * What annotations say of samples (row_expectation.c), what becomes of their formulas when they are
 * fitted again (refit_cases.c), and how calls of two profiles differ (workload.c). Sums of some
 * tens of numbers: 1e-9 is far above their rounding.
 */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

#include "core/annotation/annotation_parse.h"
#include "model/data/row_expectation.h"
#include "model/compare/refit_cases.h"
#include "model/compare/workload.h"

enum { ROWS = 60 };

static struct annotation *parsed(const char *text)
{
	struct annotation_list list = {.n = 0};
	struct annotation *annotation;
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s", err.text);
	annotation = list.list[0];
	free(list.list);
	return annotation;
}

/* Two cases: a line to 30, a square beyond. */
static const char two_cases[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
	"  [n <= 30] Norm(100 + 2*n, 20);\n  [n > 30] Norm(5*n^2, 3*n);\n}\n";

/* A residual of row @i: four of them in turn have nothing in common with a constant or a line. */
static double orthogonal(size_t i)
{
	return i % 4 == 0 || i % 4 == 3 ? 1 : -1;
}

static void add_row(struct samples *samples, struct value n, double cost)
{
	const struct sample_key key = {.id = samples->n_rows + 1};
	const struct value cells[] = {{cost, PRESENT}, n};

	samples_append(samples, &key, cells);
}

/* n from @from on; 7 + 4 n with residuals of 1 up to 30, and 6 n^2. */
static struct samples *fill(size_t from, size_t n)
{
	const struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};
	const struct column feature = {.name = "n",
				       .role = COLUMN_FEATURE,
				       .type = FEATURE_INT,
				       .provenance = FROM_PARAMETER};
	struct samples *samples = samples_create("f(int)", "_Z1fi", "f.cc", 7);
	size_t i;

	samples_add_column(samples, &time);
	samples_add_column(samples, &feature);
	for (i = 0; i < n; i++) {
		const double x = from + i;

		add_row(samples, (struct value){x, PRESENT},
			x <= 30 ? 7 + 4 * x + orthogonal(i) : 6 * x * x);
	}
	return samples;
}

static void what_is_expected_is_the_formula_of_the_case(void **state)
{
	struct annotation *annotation = parsed(two_cases);
	double means[ROWS + 1], deviations[ROWS + 1];
	struct samples *samples = fill(1, ROWS);
	size_t i;

	(void)state;
	add_row(samples, (struct value){0, ABSENT_NULL}, 1);
	row_expectation_find(annotation, samples, means, deviations);
	for (i = 0; i < ROWS; i++) {
		const double x = i + 1;

		assert_near_part(means[i], x <= 30 ? 100 + 2 * x : 5 * x * x, 1e-12);
		assert_near_part(deviations[i], x <= 30 ? 20 : 3 * x, 1e-12);
	}
	assert_true(isnan(means[ROWS]) && isnan(deviations[ROWS]));
	row_expectation_find(annotation, samples, means, NULL);
	assert_near_part(means[0], 102, 1e-12);
	samples_destroy(samples);
	annotation_destroy(annotation);
}

struct seen {
	struct annotation *annotation;
	struct samples *samples;
	struct arena *arena;
	struct annotated_rows annotated;
};

static void seen_init(struct seen *seen, const char *text, size_t from, size_t n)
{
	seen->annotation = parsed(text);
	seen->arena = arena_create();
	seen->samples = fill(from, n);
	assert_true(annotated_rows_find(seen->annotation, seen->samples, seen->arena,
					&seen->annotated));
}

static void seen_deinit(struct seen *seen)
{
	arena_destroy(seen->arena);
	samples_destroy(seen->samples);
	annotation_destroy(seen->annotation);
}

/*
 * The terms of each case get the samples' own coefficients: 28 rows from 3 to 30 have residuals
 * that do not move a line, since they are equal and orthogonal; weights are met by iterations, to
 * 1e-3 of an error (test_candidate.c). The error has the correction for the weights, 5 / 3:
 * R: x <- 3:30; X <- cbind(1, x); h <- hatvalues(lm(x^2 ~ x)); B <- solve(crossprod(X))
 *    sqrt(c(1, 20) %*% B %*% crossprod(X / (1 - h)) %*% B %*% c(1, 20)) * 5 / 3
 */
static void a_law_is_fitted_case_by_case(void **state)
{
	const double at = 20, beyond = 50;
	struct refit_range range;
	struct seen seen;
	struct refit_cases law;
	double error;

	(void)state;
	seen_init(&seen, two_cases, 3, ROWS);
	refit_cases_range_find(&seen.annotated, &seen.annotated, seen.arena, &range);
	assert_true(range.low[0] == 3 && range.high[0] == ROWS + 2);
	refit_cases_fit(&seen.annotated, &range, seen.arena, &law);
	assert_true(law.n_known == ROWS && law.n_outside == 0 && law.n_beyond == 0);
	assert_true(law.cases[0].fitted && law.cases[0].n_rows == 28 && law.cases[0].p == 2);
	assert_near(refit_cases_cost(&law.cases[0], &at, &error), 87, 1e-3);
	assert_near_part(error, 0.37219582043872, 4e-3);
	assert_true(law.cases[1].fitted && law.cases[1].n_rows == 32 && law.cases[1].p == 1);
	assert_near_part(law.cases[1].refit.coefficients[0], 6, 1e-9);
	assert_near_part(refit_cases_cost(&law.cases[1], &beyond, &error), 15000, 1e-9);
	seen_deinit(&seen);
}

/* Both models of a mixture have a constant and a line, and one a square, too: three terms. */
static void a_mixture_is_fitted_by_the_terms_of_all_models(void **state)
{
	static const char mixture[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
				      "  {0.5} Norm(100 + 2*n, 20);\n"
				      "  {0.5} Norm(50 + n + n^2, 20);\n}\n";
	struct refit_range range;
	struct seen seen;
	struct refit_cases law;

	(void)state;
	seen_init(&seen, mixture, 1, ROWS);
	refit_cases_range_find(&seen.annotated, &seen.annotated, seen.arena, &range);
	refit_cases_fit(&seen.annotated, &range, seen.arena, &law);
	assert_true(law.cases[0].fitted && law.cases[0].p == 3);
	seen_deinit(&seen);
}

/* Of two tables the common range is used, where it has rows enough: 30 and 10 for each term. */
static void a_law_is_fitted_to_what_both_tables_reach(void **state)
{
	static const char line[] = "f(int).time {\nfeatures:\n  int n = n;\nannotations:\n"
				   "  Norm(7 + 4*n, 1);\n}\n";
	struct seen one, other;
	struct refit_range range;
	struct refit_cases law;

	(void)state;
	seen_init(&one, line, 1, ROWS);
	seen_init(&other, line, 11, ROWS);
	refit_cases_range_find(&one.annotated, &other.annotated, one.arena, &range);
	assert_true(range.low[0] == 11 && range.high[0] == 60);
	assert_true(refit_cases_range_has(&range, one.annotation, (double[]){11}));
	assert_false(refit_cases_range_has(&range, one.annotation, (double[]){10.9}));
	assert_false(refit_cases_range_has(&range, one.annotation, (double[]){61}));
	refit_cases_fit(&one.annotated, &range, one.arena, &law);
	assert_int_equal(law.n_beyond, 10);
	assert_int_equal(law.cases[0].n_inside, 50);
	assert_true(law.cases[0].uses_inside && law.cases[0].refit.n == 50);
	seen_deinit(&other);
	seen_init(&other, line, 12, ROWS);
	refit_cases_range_find(&one.annotated, &other.annotated, one.arena, &range);
	refit_cases_fit(&one.annotated, &range, one.arena, &law);
	assert_false(law.cases[0].uses_inside);
	assert_int_equal(law.cases[0].refit.n, ROWS);
	seen_deinit(&one);
	seen_deinit(&other);
}

static void compare_tables(struct seen *old, struct seen *new, struct diff *diff)
{
	const struct diff_options options = {.alpha = 0.01, .tolerance = 0.1};
	struct diff_subject *subject = diff_add_subject(diff, "f(int)", METRIC_TIME);

	subject->old = old->annotation;
	workload_compare(diff, subject, &old->annotated, &new->annotated, &options);
	/* The annotation is the test's. */
	subject->old = NULL;
}

/*
 * The old model of n from 1 to 60 expects 30 calls of 100 + 2 n, and 30 of 5 n^2; of n from 31 to
 * 60 the latter only.
 * R: f <- function(n) mean(ifelse(n <= 30, 100 + 2 * n, 5 * n^2)); f(31:60) / f(1:60)
 *    quantile(1:60, c(.1, .5)); quantile(31:60, .9)
 */
static void a_workload_is_what_the_old_model_expects(void **state)
{
	struct diff *diff = diff_create();
	struct seen old, new;
	double mean;

	(void)state;
	seen_init(&old, two_cases, 1, ROWS);
	seen_init(&new, two_cases, 31, 30);
	compare_tables(&old, &new, diff);
	assert_near_part(diff->subjects[0].workload, 1.97586773307134, 1e-12);
	assert_near(diff->subjects[0].features[0].old[0], 6.9, 1e-12);
	assert_near(diff->subjects[0].features[0].old[1], 30.5, 1e-12);
	assert_near(diff->subjects[0].features[0].new[2], 57.1, 1e-12);
	assert_true(diff->subjects[0].features[0].moved);
	assert_int_equal(diff->subjects[0].n_cases, 2);
	assert_near(diff->subjects[0].cases[0].old, 0.5, 1e-12);
	assert_near(diff->subjects[0].cases[0].new, 0, 1e-12);
	assert_true(diff->subjects[0].cases[0].moved && diff->subjects[0].moved);
	assert_int_equal(workload_mean(old.samples, METRIC_TIME, &mean), ROWS);
	/*
	 * mean(c(7 + 4 * 1:30, 6 * (31:60)^2)), and residuals of 2 signs in 30 rows that sum to 0
	 * or 2
	 */
	assert_near(mean, 6470, 2. / 60);
	assert_int_equal(workload_mean(old.samples, METRIC_MEM, &mean), 0);
	assert_true(isnan(mean));
	seen_deinit(&old);
	seen_deinit(&new);
	diff_destroy(diff);
}

/*
 * Kolmogorov and Smirnov: shifted by s of 60 the distribution functions differ by s / 60, times
 * sqrt(30) is more than 1.63 from 18 on;
 * R: 1 - 2 * sum((-1)^(0:9) * exp(-2 * (1:10)^2 * 1.63^2)) is 0.99.
 */
static void a_feature_has_moved_if_its_distribution_has(void **state)
{
	static const struct {
		size_t by;
		bool moved;
	} shifts[] = {{17, false}, {18, true}};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct diff *diff = diff_create();
		struct seen old, new;

		seen_init(&old, two_cases, 1, ROWS);
		seen_init(&new, two_cases, 1 + shifts[i].by, ROWS);
		compare_tables(&old, &new, diff);
		assert_int_equal(diff->subjects[0].features[0].moved, shifts[i].moved);
		seen_deinit(&old);
		seen_deinit(&new);
		diff_destroy(diff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_expected_is_the_formula_of_the_case),
		cmocka_unit_test(a_law_is_fitted_case_by_case),
		cmocka_unit_test(a_mixture_is_fitted_by_the_terms_of_all_models),
		cmocka_unit_test(a_law_is_fitted_to_what_both_tables_reach),
		cmocka_unit_test(a_workload_is_what_the_old_model_expects),
		cmocka_unit_test(a_feature_has_moved_if_its_distribution_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
