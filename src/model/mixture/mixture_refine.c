/*
 * Mixtures of curves: EM, each curve by least squares, weighted by the rows' parts.
 *
 * Relative noise is in proportion to the mean of the round before, so a round may lower the
 * likelihood; the best round is kept.
 */
#include "mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/regression/lsq.h"
#include "model/regression/score.h"

_Static_assert((int)MIXTURE_COLUMNS <= (int)LSQ_COLUMNS, "a design holds a component");

enum { ROUNDS = 100 };

/* Stop when a round improves the log likelihood of a row by less. */
#define CONVERGED 1e-6
/* Rows that a component needs beyond its columns. */
#define ROWS_MIN 1.5
/* The floor of relative noise where a mean vanishes, in parts of the typical cost. */
#define FLOOR 1e-3

struct refiner {
	const double *y;
	size_t n;
	double least;   /* deviation */
	double typical; /* mean of |y| */
	struct lsq *lsq;
	double *ones;
	double *root;                /* of the rows' weights */
	double *parts[CLUSTERS_MAX]; /* components' parts in the rows */
	double *means[CLUSTERS_MAX]; /* components' means at the rows */
};

static void refiner_init(struct refiner *refiner, const double *y, size_t n, double least)
{
	size_t i;

	*refiner = (struct refiner){.y = y, .n = n, .least = least, .lsq = lsq_create()};
	refiner->ones = mem_alloc((2 + 2 * CLUSTERS_MAX) * n * sizeof(double));
	refiner->root = refiner->ones + n;
	for (i = 0; i < CLUSTERS_MAX; i++) {
		refiner->parts[i] = refiner->ones + (2 + 2 * i) * n;
		refiner->means[i] = refiner->ones + (3 + 2 * i) * n;
	}
	for (i = 0; i < n; i++) {
		refiner->ones[i] = 1;
		refiner->typical += fabs(y[i]) / n;
	}
}

static void refiner_deinit(struct refiner *refiner)
{
	free(refiner->ones);
	lsq_destroy(refiner->lsq);
}

static const double *column(const struct refiner *refiner, const struct mixture_component *one,
			    unsigned j)
{
	return one->columns[j] ? one->columns[j] : refiner->ones;
}

static void set_means(const struct refiner *refiner, const struct mixture *mixture)
{
	unsigned k, j;
	size_t i;

	for (k = 0; k < mixture->n; k++) {
		const struct mixture_component *one = &mixture->components[k];

		memset(refiner->means[k], 0, refiner->n * sizeof(double));
		for (j = 0; j < one->p; j++)
			for (i = 0; i < refiner->n; i++)
				refiner->means[k][i] +=
					one->coefficients[j] * column(refiner, one, j)[i];
	}
}

/* The factor of the deviation at a row whose mean is @mean. */
static double refine_spread(const struct refiner *refiner, const struct mixture_component *one,
			    double mean)
{
	return one->relative ? fmax(fabs(mean), FLOOR * refiner->typical) : 1;
}

/* The E step; sets the log likelihood. */
static void refine_share_out(const struct refiner *refiner, struct mixture *mixture)
{
	double sum = 0;
	unsigned k;
	size_t i;

	for (i = 0; i < refiner->n; i++) {
		double most = -INFINITY;
		double total = 0;

		for (k = 0; k < mixture->n; k++) {
			const struct mixture_component *one = &mixture->components[k];
			double mean = refiner->means[k][i];
			double deviation = one->deviation * refine_spread(refiner, one, mean);
			double z = (refiner->y[i] - mean) / deviation;

			refiner->parts[k][i] = log(one->probability / deviation) - 0.5 * z * z;
			most = fmax(most, refiner->parts[k][i]);
		}
		for (k = 0; k < mixture->n; k++) {
			refiner->parts[k][i] = exp(refiner->parts[k][i] - most);
			total += refiner->parts[k][i];
		}
		for (k = 0; k < mixture->n; k++)
			refiner->parts[k][i] /= total;
		sum += most + log(total);
	}
	mixture->log_likelihood = sum - 0.5 * refiner->n * log(2 * M_PI);
}

/* Fit component @k by least squares. False: its rows do not determine it. */
static bool fit_curve(const struct refiner *refiner, struct mixture *mixture, unsigned k)
{
	struct mixture_component *one = &mixture->components[k];
	struct lsq_design design = {.n = refiner->n, .p = one->p, .y = refiner->y};
	struct lsq_solution solution;
	unsigned j;
	size_t i;

	for (j = 0; j < one->p; j++)
		design.columns[j] = column(refiner, one, j);
	for (i = 0; i < refiner->n; i++)
		refiner->root[i] = sqrt(refiner->parts[k][i]) /
				   refine_spread(refiner, one, refiner->means[k][i]);
	if (!lsq_reduce(refiner->lsq, &design, refiner->root) ||
	    !lsq_solve_all(refiner->lsq, &solution))
		return false;
	memcpy(one->coefficients, solution.coefficients, one->p * sizeof(*one->coefficients));
	return true;
}

static void fit_deviation(const struct refiner *refiner, struct mixture *mixture, unsigned k,
			  double weight)
{
	struct mixture_component *one = &mixture->components[k];
	double least = one->relative ? refiner->least / refiner->typical : refiner->least;
	double sum = 0;
	size_t i;

	for (i = 0; i < refiner->n; i++) {
		double mean = refiner->means[k][i];
		double z = (refiner->y[i] - mean) / refine_spread(refiner, one, mean);

		sum += refiner->parts[k][i] * z * z;
	}
	one->deviation = fmax(sqrt(sum / weight), least);
	one->probability = weight / refiner->n;
}

static bool refine_improve(const struct refiner *refiner, struct mixture *mixture)
{
	double weights[CLUSTERS_MAX] = {0};
	unsigned k;
	size_t i;

	for (k = 0; k < mixture->n; k++) {
		for (i = 0; i < refiner->n; i++)
			weights[k] += refiner->parts[k][i];
		if (!(weights[k] >= mixture->components[k].p + ROWS_MIN) ||
		    !fit_curve(refiner, mixture, k))
			return false;
	}
	set_means(refiner, mixture);
	for (k = 0; k < mixture->n; k++)
		fit_deviation(refiner, mixture, k, weights[k]);
	refine_share_out(refiner, mixture);
	return isfinite(mixture->log_likelihood);
}

/* Run EM from the starting values in @mixture. */
static bool refine_converge(const struct refiner *refiner, struct mixture *mixture)
{
	struct mixture now = *mixture;
	unsigned round;

	set_means(refiner, &now);
	refine_share_out(refiner, &now);
	mixture->log_likelihood = -INFINITY;
	for (round = 0; round < ROUNDS; round++) {
		double before = mixture->log_likelihood;

		if (!refine_improve(refiner, &now))
			return false;
		if (now.log_likelihood > before)
			*mixture = now;
		if (now.log_likelihood - before < CONVERGED * refiner->n)
			break;
	}
	return true;
}

/* Set all noise relative, or none. */
static void set_relative(const struct refiner *refiner, struct mixture *mixture, bool relative)
{
	unsigned k;
	size_t i;

	set_means(refiner, mixture);
	for (k = 0; k < mixture->n; k++) {
		struct mixture_component *one = &mixture->components[k];
		double typical = 0;

		for (i = 0; i < refiner->n; i++)
			typical += fabs(refiner->means[k][i]) / refiner->n;
		typical = fmax(typical, FLOOR * refiner->typical);
		if (relative && !one->relative)
			one->deviation /= typical;
		else if (!relative && one->relative)
			one->deviation *= typical;
		one->relative = relative;
	}
}

static bool has_curve(const struct mixture *mixture)
{
	unsigned k;

	for (k = 0; k < mixture->n; k++)
		if (mixture->components[k].p > 1 || mixture->components[k].columns[0])
			return true;
	return false;
}

/* Keep the likelier of even and relative noise. */
static bool refine_settle(const struct refiner *refiner, struct mixture *mixture)
{
	struct mixture relative = *mixture;
	bool found;

	set_relative(refiner, mixture, false);
	found = refine_converge(refiner, mixture);
	if (!has_curve(mixture) || !(refiner->typical > 0))
		return found;
	set_relative(refiner, &relative, true);
	if (!refine_converge(refiner, &relative))
		return found;
	if (!found || relative.log_likelihood > mixture->log_likelihood)
		*mixture = relative;
	return true;
}

static double centre(const struct refiner *refiner, unsigned k)
{
	double weight = 0, sum = 0;
	size_t i;

	for (i = 0; i < refiner->n; i++) {
		weight += refiner->parts[k][i];
		sum += refiner->parts[k][i] * refiner->means[k][i];
	}
	return weight > 0 ? sum / weight : 0;
}

/* Sort the components by their centres. */
static void order(const struct refiner *refiner, struct mixture *mixture)
{
	double centres[CLUSTERS_MAX];
	unsigned k, j;

	for (k = 0; k < mixture->n; k++)
		centres[k] = centre(refiner, k);
	for (k = 1; k < mixture->n; k++) {
		for (j = k; j && centres[j] < centres[j - 1]; j--) {
			struct mixture_component one = mixture->components[j];
			double at = centres[j];

			mixture->components[j] = mixture->components[j - 1];
			mixture->components[j - 1] = one;
			centres[j] = centres[j - 1];
			centres[j - 1] = at;
		}
	}
}

static void refine_look_again(const struct refiner *refiner, struct mixture *mixture)
{
	set_means(refiner, mixture);
	refine_share_out(refiner, mixture);
}

static void refine_tell(const struct refiner *refiner, const struct mixture *mixture,
			unsigned char *belongs)
{
	unsigned k;
	size_t i;

	for (i = 0; i < refiner->n; i++) {
		belongs[i] = 0;
		for (k = 1; k < mixture->n; k++)
			if (refiner->parts[k][i] > refiner->parts[belongs[i]][i])
				belongs[i] = k;
	}
}

static unsigned count_parameters(const struct mixture *mixture)
{
	unsigned count = 2 * mixture->n - 1;
	unsigned k;

	for (k = 0; k < mixture->n; k++)
		count += mixture->components[k].p;
	return count;
}

bool mixture_refine(const double *y, size_t n, double least, struct mixture *mixture,
		    unsigned char *belongs)
{
	struct refiner refiner;
	bool found;

	refiner_init(&refiner, y, n, least);
	found = n && mixture->n && refine_settle(&refiner, mixture);
	if (found) {
		refine_look_again(&refiner, mixture);
		order(&refiner, mixture);
		refine_look_again(&refiner, mixture);
		mixture->bic =
			score_bic(-2 * mixture->log_likelihood, count_parameters(mixture), n);
		if (belongs)
			refine_tell(&refiner, mixture, belongs);
	}
	refiner_deinit(&refiner);
	return found;
}
