/*
 * Candidates: the best believable model of a few given predictors, and a score to compare them.
 *
 * The score is a BIC relative to the constant model on the same rows (0), so rows without a
 * predictor count as unexplained; less is better. Terms and faster growth must pay. The rows that
 * count are limited (score.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
	double free_low, free_high; /* as in struct model; 0: none */
};

/* Buffers of evaluations. */
struct chooser {
	const struct dataset *data;
	struct lsq *lsq;
	struct robust *robust;
	size_t n;     /* rows of the last evaluation */
	size_t *rows; /* [n] indices of choice rows */
	double *y;
	double *key;
	double *ones;
	const double *columns[BASIS_TERMS]; /* of the terms: a factor's, or a product */
	/* [n_choice] each, allocated as needed: x over its scale, its logarithm, growths. */
	double *x[BASIS_FEATURES], *log_x[BASIS_FEATURES];
	double *factors[BASIS_FEATURES][GROWTH_FIXED];
	double *products[BASIS_TERMS];
	/* what scores so much is of no use to the caller, and gets less care; INFINITY: all is */
	double useless;
	double null_deviance; /* of all choice rows; NAN: not yet known */
	basis_mask models[BASIS_MODELS];
};

struct chooser *candidate_chooser_create(const struct dataset *data);
void candidate_chooser_destroy(struct chooser *chooser); /* NULL is fine */

double candidate_chooser_rows(const struct chooser *chooser);

/*
 * Evaluate one or two predictors; leaves the model's rows and residuals in the chooser. Of two,
 * only straight lines are multiplied unless @products. False: none is believable.
 */
bool candidate_evaluate(struct chooser *chooser, const size_t *predictors, unsigned n,
			bool products, struct candidate *ret);

/* The same of @base, whose terms stay, with one or two more predictors. */
bool candidate_extend(struct chooser *chooser, const struct candidate *base,
		      const size_t *predictors, unsigned n, struct candidate *ret);

/* The part of the rows that have each of its features, at most. */
double candidate_presence(const struct dataset *data, const struct candidate *candidate);

bool candidate_has(const struct candidate *candidate, size_t predictor);

/* Add @predictor to @list [@n], which has room, unless it is there. Returns the new length. */
size_t candidate_list_once(size_t *list, size_t n, size_t predictor);

/* Put rows and residuals of @candidate into the chooser. */
bool candidate_revisit(struct chooser *chooser, const struct candidate *candidate);

/*
 * Copy @values to @ret ([n]; may be @values); those farther from the median than @clip times its
 * distance from the 10 % or 90 % quantile are moved there.
 */
void candidate_clip(const double *values, size_t n, double clip, double *ret);
#define CANDIDATE_CLIP 5.0
