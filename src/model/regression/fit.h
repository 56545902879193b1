/*
 * The final fit of a selected candidate, on all rows, and whether it is to be believed.
 *
 * Coefficients and their standard errors come from a robust weighted fit and are in plain units; R2
 * and deviation are the plain ones of all rows that were used. A few rows so far away that they
 * would hide the rest are left out and counted. A dependence whose whole effect is less than can be
 * told from nothing is refused.
 */
#pragma once

#include "candidate.h"

enum verdict {
	VERDICT_BELIEVED,
	VERDICT_LOOSE, /* significant, but it explains too little */
	VERDICT_REFUSED,
};

enum { FIT_TERMS = 16 };

struct fit {
	struct candidate candidate;
	const struct column *columns[BASIS_FEATURES]; /* of the candidate's predictors */
	enum verdict verdict;
	unsigned n_terms;
	unsigned terms[FIT_TERMS]; /* of the basis: the constant first, then by growth */
	double coefficients[FIT_TERMS];
	double std_errors[FIT_TERMS]; /* NAN: not estimated */
	double deviation;             /* at least that of the measurement itself */
	/*
	 * Not 0: the deviation of a call is `deviation_base` plus this part of its expected cost.
	 */
	double deviation_part, deviation_base;
	double deviance; /* -2 log likelihood of all rows, in plain units: see struct robust */
	double effect;   /* how far apart the largest and the smallest prediction are */
	double r2, cv_r2, error; /* as in struct model */
	double rank_p; /* the chance that metric and prediction rank the rows alike by accident */
	size_t n_deciding; /* the fewest rows that hold most of what is explained */
	size_t n_used;
	size_t n_absent; /* rows without one of the features */
	size_t n_far;    /* rows left out for being far away */
	bool is_trend;   /* these are more than a few */
	double r2_far;   /* with those */
	/*
	 * Only the calls with the least cost at each size were used; the deviation is that of all
	 * from it (envelope.h).
	 */
	bool is_envelope;
	size_t n_lowest; /* so many */
	double above;    /* what the dearest call costs beyond it */
};

/* Fit @candidate; terms that turn out to be insignificant are dropped. */
void fit_candidate(const struct dataset *data, const struct candidate *candidate, double min_r2,
		   struct fit *ret);

/* The constant model of all rows; there must be one at least. */
void fit_constant(const struct dataset *data, struct fit *ret);

/* What a call costs whose features, in the order of the fit's columns, are @x. */
double fit_value(const struct fit *fit, const double *x);
