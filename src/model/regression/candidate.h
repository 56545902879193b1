/*
 * Candidates: the best believable model of a few given predictors, and a score to compare
 * them by.
 *
 * The score is a Bayesian information criterion relative to the constant model on the same rows
 * (so that rows in which a predictor is absent count as unexplained); less is better, the constant
 * model has 0. More terms and faster growth must earn their places. The number of rows that counts
 * is limited (score.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/annotation/annotation.h"
#include "basis.h"
#include "model/data/dataset.h"
#include "lsq.h"
#include "robust.h"

struct candidate {
	struct basis basis;
	size_t predictors[BASIS_FEATURES]; /* indices in the data */
	basis_mask mask;                   /* terms */
	double coefficients[BASIS_TERMS];  /* scaled */
	double score;
	bool blind; /* one feature: linear and n log n fit about equally well */
};

/* What evaluating needs, allocated once. */
struct chooser {
	const struct dataset *data;
	struct lsq *lsq;
	struct robust *robust;
	size_t n;     /* rows of the last evaluation */
	size_t *rows; /* their numbers among the choice rows */
	double *y;
	double *key;
	double *ones;
	double *columns[BASIS_TERMS]; /* as many as were needed */
	basis_mask models[BASIS_MODELS];
};

struct chooser *candidate_chooser_create(const struct dataset *data);
void candidate_chooser_destroy(struct chooser *chooser); /* NULL is fine */

/* The number of rows that counts in scores. */
double candidate_chooser_rows(const struct chooser *chooser);

/*
 * Evaluate one or two predictors; the chooser's rows and its robust fit's residuals are then those
 * of the model. Of two, only straight lines are multiplied unless @products. False: nothing
 * believable.
 */
bool candidate_evaluate(struct chooser *chooser, const size_t *predictors, unsigned n,
			bool products, struct candidate *ret);

/* The same of @base, whose terms stay, with @n predictors more: one or two. */
bool candidate_extend(struct chooser *chooser, const struct candidate *base,
		      const size_t *predictors, unsigned n, struct candidate *ret);

/* The rows and the residuals of @candidate as it is, in the chooser. */
bool candidate_revisit(struct chooser *chooser, const struct candidate *candidate);

/* @values with everything far outside their middle brought to its edge, in @ret. */
void candidate_clip(const double *values, size_t n, double *ret);
