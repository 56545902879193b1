/*
 * The final fit of a candidate on all rows, and whether to believe it.
 *
 * Coefficients and standard errors come from a robust weighted fit, in plain units; R2 and
 * deviation are plain ones of all used rows. A few rows so far away that they would hide the rest
 * are left out and counted. A dependence whose whole effect is below the resolution is refused.
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
	double deviation;             /* at least the resolution of measurement */
	/* part not 0: a call's deviation is base + part * its expected cost. */
	double deviation_part, deviation_base;
	double deviance;         /* -2 log likelihood of all rows, in plain units (struct robust) */
	double effect;           /* range of the predictions */
	double r2, cv_r2, error; /* as in struct model */
	double rank_p;           /* p-value of the rank correlation with the metric */
	size_t n_deciding;       /* the fewest rows with most of the explained variance */
	size_t n_used;
	size_t n_absent; /* rows without one of the features */
	size_t n_far;    /* outliers left out */
	double far_mean; /* their cost */
	double far_deviation;
	bool is_trend; /* n_far is more than a few, which modes.c then describes */
	double r2_far; /* R2 including n_far */
	bool is_rest;  /* of the calls that other models of the leaf leave out */
	/*
	 * Only the cheapest calls of each size were used; the deviation is of all from it
	 * (envelope.h).
	 */
	bool is_envelope;
	size_t n_lowest;
	double above;   /* the largest cost above it */
	bool in_spells; /* neighbouring calls cost alike (disturbance.h) */
};

/* The measurement's own deviation: that of a model is at least as large. */
double fit_least_deviation(double resolution);

/* Fit @candidate, dropping insignificant terms. */
void fit_candidate(const struct dataset *data, const struct candidate *candidate, double min_r2,
		   struct fit *ret);

/* The constant model of all rows, of which there is at least one. */
void fit_constant(const struct dataset *data, struct fit *ret);

/* Count a cost among those that are left out: Welford's update of their moments. */
void fit_count_far(struct fit *fit, double y);

/* Does it use a returned value? */
bool fit_is_late(const struct fit *fit);

/* The values of its features in @row of the samples, in @ret. False: not all are there. */
bool fit_read(const struct fit *fit, size_t row, double *ret);

/* The expected cost at @x ([n_features], in the order of columns). */
double fit_value(const struct fit *fit, const double *x);
