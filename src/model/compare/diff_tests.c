/* What tests share, and those of mixtures and of calls in no case. */
#include "diff_state.h"
#include "run_shape.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "model/data/stats.h"

/* Tolerated part of calls in no case. */
#define OUTSIDE_MOST 0.01

/* Equal costs may differ by rounding. */
#define ROUNDING 1e-9

#define INTERVAL 0.95

double diff_tests_chance(const struct diff_state *differ, const struct diff_pair *pair,
			 double old_error, double new_error, double freedom, double least)
{
	const double tolerance = differ->options->tolerance;
	const double old = pair->old;
	const double new = pair->new;
	const double border = DIFFER_BORDER * tolerance;
	const double side = new > old ? 1 + border : 1 - border;
	const double allowed = fmax((border + ROUNDING) * fabs(old), least);

	if (fabs(new - old) <= (tolerance + ROUNDING) * fabs(old))
		return 1;
	return stats_chance(new - old, allowed, hypot(new_error, side * old_error), freedom);
}

struct diff_pair diff_tests_pair(double old, double old_error, double new, double new_error,
				 double freedom)
{
	struct diff_pair pair = {.old = old, .new = new, .low = NAN, .high = NAN};
	const double error = hypot(old_error / old, new_error / new);

	if (old > 0 && new > 0 && error < 0.5) {
		const double t = gsl_cdf_tdist_Pinv(0.5 + INTERVAL / 2, fmax(freedom, 1));

		pair.low = new / old *exp(-t * error);
		pair.high = new / old *exp(t * error);
	}
	return pair;
}

/* What runs say of a difference that calls may be certain of; @error: relative, by its calls. */
static void judge_runs(const struct diff_state *differ, struct diff_test *test, double away,
		       double error, double freedom)
{
	test->spread = differ->spread;
	test->p_runs = test->p;
	if ((metric_is_exact(differ->subject->metric) && !(differ->spread.error > 0)) ||
	    !isfinite(away) || test->p >= 1)
		return;
	test->p_runs = fmax(run_effect_chance(&differ->spread, away, error, freedom),
			    run_shape_chance(differ->sides, &differ->spread, away));
	test->enough = run_effect_enough(&differ->spread, away, error, differ->options->alpha);
}

void diff_tests_judge(const struct diff_state *differ, struct diff_test *test, double old,
		      double old_error, double new, double new_error, double freedom)
{
	const double error = hypot(old_error / old, new_error / new);
	const struct run_spread *spread = &differ->spread;
	const bool by_runs = spread->error > 0 && !spread->is_assumed;

	test->pair = diff_tests_pair(
		old, hypot(old_error, by_runs ? spread->error * old : 0), new, new_error,
		by_runs ? run_effect_freedom(spread, error, freedom) : freedom);
	test->p = diff_tests_chance(differ, &test->pair, old_error, new_error, freedom,
				    differ->resolution);
	judge_runs(differ, test, old > 0 && new > 0 ? log(new / old) : NAN, error, freedom);
}

struct diff_test *diff_tests_add(struct diff_state *differ, enum diff_kind kind,
				 const struct annotation_case *in)
{
	struct diff_test *test = &differ->subject->tests[differ->subject->n_tests++];

	*test = (struct diff_test){.kind = kind, .in = in, .p = 1, .p_runs = 1};
	return test;
}

/* A part of a mixture in one profile: its share and its calls' cost. */
struct part {
	double share, share_error, cost, cost_error, freedom;
	size_t n;
	struct run_means shares, costs; /* of the runs */
};

static void find_part(struct diff_state *differ, const struct refit_cases *fits, size_t at,
		      unsigned model, struct part *ret)
{
	const struct refit_case *one = &fits->cases[at];
	const struct sample_key *keys = fits->seen.samples->keys;
	const bool by_build = run_effect_of_builds(fits->seen.samples);
	double *x = arena_array(differ->arena, double, fits->seen.annotation->n_features + 1);
	double *is_in = arena_array(differ->arena, double, one->n_inside + 1);
	double *costs = arena_array(differ->arena, double, one->n_inside + 1);
	struct run_rows shares = run_effect_rows(differ->arena, one->n_inside);
	struct run_rows of_costs = run_effect_rows(differ->arena, one->n_inside);
	size_t i;

	*ret = (struct part){.freedom = 1};
	for (i = 0; i < one->n_inside; i++) {
		const size_t row = one->inside[i];
		const double cost = fits->seen.metric->numbers[row];
		const int64_t run = by_build ? keys[row].build : keys[row].run;
		struct annotated_model like;

		annotated_rows_numbers(&fits->seen, row, x);
		like = annotated_rows_model(one->in, x, cost);
		is_in[i] = like.at == model;
		run_effect_add(&shares, is_in[i] - one->in->models[model].probability, 1, run);
		if (like.at != model)
			continue;
		costs[ret->n++] = cost;
		run_effect_add(&of_costs, cost - like.mean, fabs(like.mean), run);
	}
	ret->share = stats_mean(is_in, one->n_inside);
	ret->share_error = stats_error(is_in, one->n_inside);
	ret->freedom = fmax((double)ret->n - 1, 1);
	ret->cost = stats_mean(costs, ret->n);
	ret->cost_error = stats_error(costs, ret->n);
	run_effect_means(&shares, differ->arena, &ret->shares);
	run_effect_means(&of_costs, differ->arena, &ret->costs);
	ret->shares.of_builds = ret->costs.of_builds = by_build;
}

void diff_tests_part(struct diff_state *differ, size_t at, unsigned model)
{
	const double tolerance = differ->options->tolerance;
	struct part old, new;
	struct diff_test *test;

	find_part(differ, &differ->old, at, model, &old);
	find_part(differ, &differ->new, at, model, &new);
	test = diff_tests_add(differ, DIFF_SHARE, differ->old.cases[at].in);
	test->model = model;
	test->pair = (struct diff_pair){old.share, new.share, NAN, NAN};
	test->p = stats_chance(new.share - old.share, tolerance,
			       hypot(old.share_error, new.share_error),
			       (double)differ->old.cases[at].n_inside - 1);
	diff_runs_set(differ, &old.shares, &new.shares);
	judge_runs(differ, test, new.share - old.share, hypot(old.share_error, new.share_error),
		   (double)differ->old.cases[at].n_inside - 1);
	if (old.n < REFIT_ROWS_MIN || new.n < REFIT_ROWS_MIN)
		return;
	test = diff_tests_add(differ, DIFF_CENTRE, differ->old.cases[at].in);
	test->model = model;
	diff_runs_set(differ, &old.costs, &new.costs);
	diff_tests_judge(differ, test, old.cost, old.cost_error, new.cost, new.cost_error,
			 fmin(old.freedom, new.freedom));
}

void diff_tests_outside(struct diff_state *differ)
{
	const double old = (double)differ->old.n_outside / fmax((double)differ->old.n_known, 1);
	const double new = (double)differ->new.n_outside / fmax((double)differ->new.n_known, 1);
	const double most = fmax(old, OUTSIDE_MOST);
	struct diff_test *test;

	if (differ->new.n_known < REFIT_ROWS_MIN || !(new > most))
		return;
	test = diff_tests_add(differ, DIFF_OUTSIDE, NULL);
	test->pair = (struct diff_pair){old, new, NAN, NAN};
	test->p = gsl_cdf_binomial_Q((unsigned)differ->new.n_outside - 1, most,
				     (unsigned)differ->new.n_known);
	test->p_runs = test->p;
}
