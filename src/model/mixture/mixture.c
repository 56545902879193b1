/*
 * Mixtures of constants: EM on the sorted numbers, joining neighbours by BIC. mixture_refine.c does
 * those of curves.
 *
 * Many numbers are summarised by the means and variances of small groups of neighbours; the last
 * rounds, and the likelihood, use every number.
 */
#include "mixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/run.h"
#include "model/data/row_order.h"
#include "model/data/stats.h"
#include "model/regression/score.h"

enum {
	GROUPS_MAX = 2048, /* more numbers are grouped in most rounds */
	ROUNDS = 200,
	ROUNDS_ALL = 3, /* with every number, after the grouped rounds */
};

/*
 * A deviation is at least this part of its starting value, so that EM does not collapse onto a few
 * equal numbers. The largest number is 1; less than LEAST is rounding.
 */
#define LEAST_OF_BEGINNING 1e-3
#define LEAST              1e-9
/* Stop when a round improves the log likelihood of a number by less. */
#define CONVERGED 1e-9
/* Numbers beside all components: the part of them that EM starts with, and the largest. */
#define REST_BEGINNING 0.1
#define REST_MOST      0.25
/* One so many times wider than another, whose mean is within so many of its deviations, spans it */
#define SPANS_WIDER  5.0
#define SPANS_WITHIN 1.0
/* Standard deviation over median absolute deviation, for a normal distribution. */
#define NORMAL_MEDIAN 1.4826
/* A component with fewer numbers is lost. */
#define NUMBERS_MIN 1.5

struct group {
	double weight; /* numbers */
	double mean, variance;
};

struct groups {
	size_t n;
	double total; /* numbers */
	struct group *of;
	const double *numbers; /* instead: each alone is a group */
};

struct normal {
	double share, mean, deviation;
	double least; /* deviation */
};

struct normals {
	unsigned n;
	struct normal of[CLUSTERS_MAX];
	double rest;           /* share of numbers that are anywhere, evenly; 0: none */
	double range;          /* of all numbers */
	double resolution;     /* of the scaled numbers */
	double log_likelihood; /* of these, too */
};

static inline struct group group_at(const struct groups *groups, size_t i)
{
	return groups->of ? groups->of[i] : (struct group){1, groups->numbers[i], 0};
}

/* The rising numbers @y in at most GROUPS_MAX groups. */
static void make_groups(const double *y, size_t n, struct groups *ret)
{
	size_t count = n < GROUPS_MAX ? n : GROUPS_MAX;
	size_t i, j;

	ret->n = count;
	ret->total = n;
	for (i = 0; i < count; i++) {
		size_t begin = i * n / count, end = (i + 1) * n / count;
		double mean = 0, square = 0;

		for (j = begin; j < end; j++)
			mean += y[j] / (end - begin);
		for (j = begin; j < end; j++)
			square += (y[j] - mean) * (y[j] - mean);
		ret->of[i] = (struct group){end - begin, mean, square / (end - begin)};
	}
}

static struct normal make_normal(double share, double mean, double square, double resolution)
{
	const double least = fmax(resolution / RESOLUTION_DEVIATIONS, LEAST);
	double deviation = fmax(sqrt(square), least);

	return (struct normal){share, mean, deviation, fmax(LEAST_OF_BEGINNING * deviation, least)};
}

struct sums {
	double weight, first, second; /* about the component's previous mean */
};

/* The log densities of the components at their means, and of the rest, without 1 / sqrt(2 pi). */
static void find_heights(const struct normals *normals, double *ret)
{
	unsigned k;

	for (k = 0; k < normals->n; k++)
		ret[k] = log(normals->of[k].share / normals->of[k].deviation);
	if (normals->rest > 0)
		ret[k] = log(normals->rest / normals->range) + 0.5 * log(2 * M_PI);
}

/*
 * Sets @parts to the parts of the components, and of the rest, in a number at @x; returns its log
 * density.
 */
static double mixture_share_out(const struct normals *normals, const double *heights, double x,
				double *parts)
{
	const unsigned n = normals->n + (normals->rest > 0);
	double most = -INFINITY;
	double sum = 0;
	unsigned k;

	for (k = 0; k < n; k++) {
		const struct normal *one = &normals->of[k];
		double z = k < normals->n ? (x - one->mean) / one->deviation : 0;

		parts[k] = heights[k] - 0.5 * z * z;
		most = fmax(most, parts[k]);
	}
	for (k = 0; k < n; k++) {
		parts[k] = exp(parts[k] - most);
		sum += parts[k];
	}
	for (k = 0; k < n; k++)
		parts[k] /= sum;
	return most + log(sum) - 0.5 * log(2 * M_PI);
}

/* The numbers of component @k are of the rest. */
static void mixture_drop(struct normals *normals, unsigned k)
{
	normals->rest += normals->of[k].share;
	normals->n--;
	memmove(&normals->of[k], &normals->of[k + 1], (normals->n - k) * sizeof(*normals->of));
}

/*
 * One round; sets the log likelihood of the state before it. False: a component lost its numbers,
 * and there is no rest that has them.
 */
static bool mixture_improve(const struct groups *groups, struct normals *normals)
{
	struct sums sums[CLUSTERS_MAX] = {{0}};
	double heights[CLUSTERS_MAX + 1], parts[CLUSTERS_MAX + 1];
	double followed = 0;
	unsigned k;
	size_t i;

	normals->log_likelihood = 0;
	find_heights(normals, heights);
	for (i = 0; i < groups->n; i++) {
		const struct group group = group_at(groups, i);

		normals->log_likelihood +=
			group.weight * mixture_share_out(normals, heights, group.mean, parts);
		for (k = 0; k < normals->n; k++) {
			double w = group.weight * parts[k];
			double d = group.mean - normals->of[k].mean;

			sums[k].weight += w;
			sums[k].first += w * d;
			sums[k].second += w * (d * d + group.variance);
		}
	}
	for (k = 0; k < normals->n; k++) {
		double move = sums[k].first / sums[k].weight;
		double square = sums[k].second / sums[k].weight - move * move;

		if (!(sums[k].weight >= NUMBERS_MIN) && normals->n > 1) {
			if (normals->rest > 0)
				mixture_drop(normals, k);
			return normals->rest > 0;
		}
		followed += sums[k].weight / groups->total;
		normals->of[k].share = sums[k].weight / groups->total;
		normals->of[k].mean += move;
		normals->of[k].deviation = fmax(sqrt(fmax(square, 0)), normals->of[k].least);
	}
	if (normals->rest > 0)
		normals->rest = fmax(1 - followed, DBL_EPSILON);
	return true;
}

static bool mixture_converge(const struct groups *groups, unsigned rounds, struct normals *normals)
{
	unsigned n = normals->n;
	double before = -INFINITY;
	unsigned round;

	for (round = 0; round < rounds; round++) {
		if (!mixture_improve(groups, normals))
			return false;
		if (normals->n == n && normals->log_likelihood - before < CONVERGED * groups->total)
			break;
		before = normals->n == n ? normals->log_likelihood : -INFINITY;
		n = normals->n;
	}
	return true;
}

static double log_likelihood(const struct groups *all, const struct normals *normals)
{
	double heights[CLUSTERS_MAX + 1], parts[CLUSTERS_MAX + 1];
	double sum = 0;
	size_t i;

	find_heights(normals, heights);
	for (i = 0; i < all->n; i++)
		sum += mixture_share_out(normals, heights, all->numbers[i], parts);
	return sum;
}

/* Component @k and the one above it as one, with their mean and variance. */
static void mixture_join(const struct normals *from, unsigned k, struct normals *ret)
{
	const struct normal *a = &from->of[k], *b = &from->of[k + 1];
	double share = a->share + b->share;
	double part = a->share / share;
	double apart = b->mean - a->mean;
	double square = part * a->deviation * a->deviation +
			(1 - part) * b->deviation * b->deviation +
			part * (1 - part) * apart * apart;

	*ret = *from;
	ret->of[k] = make_normal(share, a->mean + (1 - part) * apart, square, from->resolution);
	memmove(&ret->of[k + 1], &from->of[k + 2], (from->n - k - 2) * sizeof(*from->of));
	ret->n--;
}

/* With @log_likelihood of @total numbers. */
static double bic_with(const struct normals *normals, double log_likelihood, double total)
{
	return score_bic(-2 * log_likelihood, 3 * normals->n - 1 + (normals->rest > 0), total);
}

static double bic(const struct normals *normals, double total)
{
	return bic_with(normals, normals->log_likelihood, total);
}

static int mixture_compare(const void *a, const void *b)
{
	const struct normal *one = a, *two = b;

	return (one->mean > two->mean) - (one->mean < two->mean);
}

/* Run EM from the starting values in @normals; sorts them. */
static bool mixture_settle(const struct groups *some, const struct groups *all,
			   struct normals *normals)
{
	if (!mixture_converge(some, ROUNDS, normals))
		return false;
	if (some->n < all->n && !mixture_converge(all, ROUNDS_ALL, normals))
		return false;
	/* Narrow ones may have passed each other. */
	qsort(normals->of, normals->n, sizeof(*normals->of), mixture_compare);
	normals->log_likelihood = log_likelihood(all, normals);
	return isfinite(normals->log_likelihood);
}

/* The best with one component less, by the groups; false: none. */
static bool join_best(const struct groups *some, const struct groups *all,
		      const struct normals *from, struct normals *ret)
{
	bool found = false;
	unsigned k;

	for (k = 0; k + 1 < from->n; k++) {
		struct normals one;

		mixture_join(from, k, &one);
		if (!mixture_converge(some, ROUNDS, &one))
			continue;
		if (!found || one.log_likelihood > ret->log_likelihood)
			*ret = one;
		found = true;
	}
	return found && mixture_settle(some, all, ret);
}

/* The first with less than the part @least; n: none. */
static unsigned find_few(const struct normals *normals, double least)
{
	unsigned k = 0;

	while (k < normals->n && normals->of[k].share >= least)
		k++;
	return k;
}

/*
 * The first neighbours that cannot be told from each other, or of which one has less than the part
 * @least; n: none.
 */
static unsigned find_needless(const struct normals *normals, double least)
{
	const struct normal *of = normals->of;
	unsigned k;

	for (k = 0; k + 1 < normals->n; k++)
		if (of[k + 1].mean - of[k].mean < normals->resolution)
			return k;
	k = find_few(normals, least);
	return k && k < normals->n &&
			       (k + 1 == normals->n ||
				of[k].mean - of[k - 1].mean < of[k + 1].mean - of[k].mean)
		       ? k - 1
		       : k;
}

/* Those that are alike are joined, as are few with a neighbour, unless they may be of the rest. */
static bool mixture_simplify(const struct normals *from, double least, struct normals *ret)
{
	const bool has_rest = from->rest > 0;
	const unsigned few = has_rest ? find_few(from, least) : from->n;
	const unsigned needless = find_needless(from, has_rest ? 0 : least);

	if (from->n < 2)
		return false;
	*ret = *from;
	if (few < from->n)
		mixture_drop(ret, few);
	else if (needless < from->n)
		mixture_join(from, needless, ret);
	return few < from->n || needless < from->n;
}

/* Join while one component less is better, neighbours are alike or few, or EM fails. */
static void mixture_choose(const struct groups *some, const struct groups *all, double least,
			   struct normals *normals)
{
	struct normals before = *normals;
	struct normals less;

	while (!mixture_settle(some, all, normals)) {
		mixture_join(&before, 0, normals);
		before = *normals;
	}
	while (normals->n > 1 && join_best(some, all, normals, &less) &&
	       bic(&less, all->total) <= bic(normals, all->total))
		*normals = less;
	for (before = *normals; mixture_simplify(&before, least, normals); before = *normals) {
		less = *normals;
		if (mixture_settle(some, all, &less))
			*normals = less;
		else
			normals->log_likelihood = log_likelihood(all, normals);
	}
}

/* Start with the middles of the numbers between the borders, and how far most of them are away. */
static void mixture_begin(const struct groups *all, const struct clusters *clusters,
			  double resolution, double rest, struct normals *ret)
{
	size_t begin = 0, end = 0;

	*ret = (struct normals){.resolution = resolution, .rest = rest};
	ret->range = all->numbers[all->n - 1] - all->numbers[0];
	for (unsigned k = 0; k < clusters->n; k++, begin = end) {
		const double limit = k + 1 < clusters->n ? clusters->borders[k] : INFINITY;
		const double *of = all->numbers + begin;
		double middle, deviation;

		while (end < all->n && all->numbers[end] < limit)
			end++;
		if (end == begin)
			continue;
		middle = stats_median(of, end - begin);
		deviation = NORMAL_MEDIAN * stats_median_distance(of, end - begin, middle);
		ret->of[ret->n++] = make_normal((1 - rest) * (end - begin) / all->n, middle,
						deviation * deviation, resolution);
	}
}

static void write_mixture(const struct normals *normals, size_t n, double scale,
			  struct mixture *ret)
{
	double followed = 0;
	unsigned k;

	*ret = (struct mixture){.n = normals->n};
	for (k = 0; k < normals->n; k++)
		followed += normals->of[k].share;
	for (k = 0; k < normals->n; k++) {
		const struct normal *one = &normals->of[k];

		ret->components[k] = (struct mixture_component){
			.probability = one->share / followed,
			.deviation = one->deviation * scale,
			.p = 1,
			.coefficients = {one->mean * scale},
		};
	}
	ret->log_likelihood = normals->log_likelihood - n * log(scale);
	ret->bic = bic_with(normals, ret->log_likelihood, n);
}

struct sorted {
	double scale;
	double *rising; /* over the scale */
	struct groups all, some;
};

static void sorted_init(const double *y, size_t n, struct sorted *ret)
{
	*ret = (struct sorted){.rising = mem_alloc((n + 1) * sizeof(*ret->rising))};
	for (size_t i = 0; i < n; i++)
		ret->scale = fmax(ret->scale, fabs(y[i]));
	if (!(ret->scale > 0))
		ret->scale = 1;
	for (size_t i = 0; i < n; i++)
		ret->rising[i] = y[i] / ret->scale;
	row_order_sort_numbers(ret->rising, n);
	ret->all = (struct groups){.n = n, .total = n, .numbers = ret->rising};
	ret->some = (struct groups){.of = mem_alloc(GROUPS_MAX * sizeof(*ret->some.of))};
	make_groups(ret->rising, n, &ret->some);
}

static void sorted_deinit(struct sorted *sorted)
{
	free(sorted->some.of);
	free(sorted->rising);
}

void mixture_find(const double *y, size_t n, double resolution, double least, struct mixture *ret)
{
	struct clusters clusters;
	struct normals normals;
	struct sorted sorted;

	*ret = (struct mixture){0};
	if (!n)
		return;
	sorted_init(y, n, &sorted);
	density_clusters_find(sorted.rising, n, &clusters);
	mixture_begin(&sorted.all, &clusters, resolution / sorted.scale, 0, &normals);
	mixture_choose(&sorted.some, &sorted.all, least / n, &normals);
	write_mixture(&normals, n, sorted.scale, ret);
	sorted_deinit(&sorted);
}

/* A component that spans another one, which is what a rest looks like; n: none. */
static unsigned find_spanning(const struct mixture *mixture)
{
	const struct mixture_component *of = mixture->components;

	for (unsigned k = 0; k < mixture->n; k++)
		for (unsigned j = 0; j < mixture->n; j++)
			if (of[k].deviation > SPANS_WIDER * of[j].deviation &&
			    fabs(of[k].coefficients[0] - of[j].coefficients[0]) <
				    SPANS_WITHIN * of[k].deviation)
				return k;
	return mixture->n;
}

/* Choose components; what spans others is of the rest, if that can be. */
static void choose_beside(const struct sorted *sorted, double least, struct normals *normals,
			  struct mixture *ret)
{
	const size_t n = sorted->all.n;
	unsigned k;

	mixture_choose(&sorted->some, &sorted->all, least, normals);
	write_mixture(normals, n, sorted->scale, ret);
	while ((k = find_spanning(ret)) < ret->n && ret->n > 2 &&
	       normals->rest + normals->of[k].share <= REST_MOST) {
		mixture_drop(normals, k);
		mixture_choose(&sorted->some, &sorted->all, least, normals);
		write_mixture(normals, n, sorted->scale, ret);
	}
}

bool mixture_find_beside(const double *y, size_t n, double resolution, double least,
			 const struct mixture *plain, struct mixture *ret, unsigned char *ret_rest)
{
	double heights[CLUSTERS_MAX + 1], parts[CLUSTERS_MAX + 1];
	struct clusters clusters;
	struct normals normals;
	struct sorted sorted;
	bool found;

	sorted_init(y, n, &sorted);
	density_clusters_find(sorted.rising, n - (size_t)(REST_BEGINNING * n), &clusters);
	found = clusters.n > 1;
	if (found) {
		mixture_begin(&sorted.all, &clusters, resolution / sorted.scale, REST_BEGINNING,
			      &normals);
		choose_beside(&sorted, least / n, &normals, ret);
		found = normals.n > 1 && normals.rest <= REST_MOST &&
			ret->bic + (ret->n < plain->n ? 0 : SCORE_CLEARLY) < plain->bic;
	}
	if (found)
		find_heights(&normals, heights);
	for (size_t i = 0; found && i < n; i++) {
		mixture_share_out(&normals, heights, y[i] / sorted.scale, parts);
		ret_rest[i] = parts[normals.n] > 0.5;
	}
	sorted_deinit(&sorted);
	return found;
}

unsigned mixture_most_likely(const struct mixture *mixture, double y)
{
	double best = -INFINITY;
	unsigned found = 0;
	unsigned i;

	for (i = 0; i < mixture->n; i++) {
		const struct mixture_component *one = &mixture->components[i];
		const double z = (y - one->coefficients[0]) / one->deviation;
		const double likelihood = log(one->probability / one->deviation) - z * z / 2;

		if (likelihood > best) {
			best = likelihood;
			found = i;
		}
	}
	return found;
}
