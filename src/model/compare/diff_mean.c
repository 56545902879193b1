/* Residuals of both profiles from the old formula. */
#include "diff_state.h"

#include <math.h>
#include <string.h>

#include "model/data/stats.h"
#include "model/regression/far_rows.h"
#include "run_shape.h"

/* Residuals beyond FAR robust deviations are left out if at most FAR_PART of both profiles. */
#define FAR      12.0
#define FAR_PART 0.02

/* Calls depend on each other if fewer than this part of them are independent. */
#define INDEPENDENT_PART 0.5

/* Residuals and the mean of the terms, weighted by 1 / deviation with mean weight 1. */
struct leftover {
	double *residual;
	size_t n, n_all;           /* without and with far ones */
	double *away, *deviations; /* [n] residuals not weighted, and what is expected of them */
	bool has_noise;            /* else there is no such deviation */
	double terms[LSQ_COLUMNS];
};

/* The expected deviation at @x; a mixture has none around its mean. */
static double leftover_deviation_at(const struct annotation_case *in, const double *x)
{
	const double deviation = annotation_value(&in->models[0].deviation, x);

	return annotated_rows_judged(in) == 1 && deviation > 0 ? deviation : 0;
}

static void find_leftover(const struct diff_state *differ, const struct refit_cases *rows_of,
			  size_t at, struct leftover *ret)
{
	const struct refit_case *old = &differ->old.cases[at];
	const struct refit_case *one = &rows_of->cases[at];
	const size_t *rows = one->n_inside ? one->inside : one->rows;
	const size_t n = one->n_inside ? one->n_inside : one->n_rows;
	double *x =
		arena_array(differ->arena, double, old->p + rows_of->seen.annotation->n_features);
	double *weights = arena_array(differ->arena, double, n + 1);
	double *expected = arena_array(differ->arena, double, n + 1);
	double values[LSQ_COLUMNS], ignored, mean;
	unsigned j;
	size_t i;

	*ret = (struct leftover){.n = n, .n_all = n};
	ret->residual = arena_array(differ->arena, double, n + 1);
	ret->away = arena_array(differ->arena, double, n + 1);
	ret->deviations = arena_array(differ->arena, double, n + 1);
	for (i = 0; i < n; i++) {
		annotated_rows_numbers(&rows_of->seen, rows[i], x);
		expected[i] = refit_cases_cost(old, x, &ignored);
		weights[i] = leftover_deviation_at(old->in, x);
	}
	ret->has_noise = annotated_rows_weigh(expected, weights, n);
	for (i = 0; i < n; i++) {
		ret->deviations[i] = weights[i];
		weights[i] = 1 / weights[i];
	}
	mean = stats_mean(weights, n);
	for (i = 0; i < n; i++) {
		const double weight = weights[i] / mean;

		annotated_rows_numbers(&rows_of->seen, rows[i], x);
		refit_cases_terms(old, x, values);
		for (j = 0; j < old->p; j++)
			ret->terms[j] += weight * values[j] / (double)n;
		ret->away[i] = rows_of->seen.metric->numbers[rows[i]] - expected[i];
		ret->residual[i] = weight * ret->away[i];
	}
}

/* Move outliers to the end; returns how many others there are. */
static size_t part_far(const struct diff_state *differ, struct leftover *one)
{
	const double middle = stats_median(one->residual, one->n);
	const double limit = FAR * 1.4826 * stats_median_distance(one->residual, one->n, middle);
	size_t kept = 0;
	size_t i;
	double *far = arena_array(differ->arena, double, one->n + 1);
	size_t n_far = 0;

	for (i = 0; i < one->n; i++)
		if (limit > 0 && fabs(one->residual[i] - middle) > limit)
			far[n_far++] = one->residual[i];
		else
			one->residual[kept++] = one->residual[i];
	memcpy(&one->residual[kept], far, n_far * sizeof(*far));
	return kept;
}

/* Leave out a few calls that waited for something, in both profiles or in neither. */
static void leftover_leave_out_far(const struct diff_state *differ, struct leftover *old,
				   struct leftover *new)
{
	double *before[2];
	size_t kept[2];

	before[0] = arena_copy(differ->arena, old->residual, (old->n + 1) * sizeof(double));
	before[1] = arena_copy(differ->arena, new->residual, (new->n + 1) * sizeof(double));
	kept[0] = part_far(differ, old);
	kept[1] = part_far(differ, new);
	if ((double)kept[0] >= (1 - FAR_PART) * (double)old->n &&
	    (double)kept[1] >= (1 - FAR_PART) * (double)new->n) {
		old->n = kept[0];
		new->n = kept[1];
		return;
	}
	old->residual = before[0];
	new->residual = before[1];
}

/* Are the new calls, few of which may be independent, all too far away for it to matter? */
static void mean_judge_beyond(const struct diff_state *differ, const struct leftover *new,
			      double level, struct diff_test *test)
{
	const bool by_runs = !metric_is_exact(differ->subject->metric) || differ->spread.error > 0;
	const double border =
		fmax(DIFFER_BORDER * differ->options->tolerance * fabs(level), differ->resolution);
	const double side = test->pair.new > test->pair.old ? 1 : -1;
	struct far_beyond beyond;
	double p_runs;
	size_t i;

	if (!new->has_noise)
		return;
	for (i = 0; i < new->n_all; i++)
		new->away[i] = (side * new->away[i] - border) / new->deviations[i];
	beyond = far_rows_beyond(new->away, new->n_all, test->in->models[0].n_samples);
	test->p = fmin(test->p, far_rows_chance(&beyond, 1));
	p_runs = far_rows_chance(&beyond, 0.5) +
		 (by_runs ? run_shape_half(differ->sides, &differ->spread,
					   log(test->pair.new / test->pair.old))
			  : 0);
	test->p_runs = fmin(test->p_runs, p_runs);
}

void diff_mean_test(struct diff_state *differ, size_t at)
{
	struct leftover old, new;
	double away, expected, freedom, error[2], step;
	struct diff_test *test;
	unsigned j;

	find_leftover(differ, &differ->old, at, &old);
	find_leftover(differ, &differ->new, at, &new);
	if (old.n < REFIT_ROWS_MIN || new.n < REFIT_ROWS_MIN)
		return;
	step = refit_step_error(&differ->old.cases[at].refit, old.terms, new.terms);
	leftover_leave_out_far(differ, &old, &new);
	away = stats_mean(new.residual, new.n) - stats_mean(old.residual, old.n);
	error[0] = hypot(stats_error(old.residual, old.n), step);
	error[1] = stats_error(new.residual, new.n);
	freedom = fmin(stats_effective(old.residual, old.n), stats_effective(new.residual, new.n)) -
		  1;
	for (expected = 0, j = 0; j < differ->old.cases[at].p; j++)
		expected += differ->old.cases[at].refit.coefficients[j] * new.terms[j];
	expected += stats_mean(old.residual, old.n);
	test = diff_tests_add(differ, DIFF_MEAN, differ->old.cases[at].in);
	diff_tests_judge(differ, test, expected, error[0], expected + away, error[1], freedom);
	if (test->p >= 1)
		return;
	mean_judge_beyond(differ, &new, expected, test);
	test->is_few = freedom + 1 < REFIT_ROWS_MIN &&
		       freedom + 1 < INDEPENDENT_PART * (double)(old.n < new.n ? old.n : new.n);
}
