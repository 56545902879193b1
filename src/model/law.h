/*
 * Laws: what an annotation's formulas become when they are fitted to samples again, case by case.
 *
 * The terms stay, their coefficients are the samples' own. A mixture is fitted as a whole: its mean, by the terms of all of its parts.
 */
#ifndef FATHOM_MODEL_LAW_H
#define FATHOM_MODEL_LAW_H

#include "model/annotated.h"
#include "model/refit.h"

/* The values of each feature that two tables both reach: low .. high. Features without an order are not bounded. */
struct law_range {
	double *low, *high; /* [n_features] */
};

struct law_case {
	const struct annotation_case *in;
	const struct term *terms[LSQ_COLUMNS];
	unsigned p;   /* 0: there are more than can be fitted, or some have no value */
	size_t *rows; /* of the samples, in their order: all whose features are known */
	size_t n_rows;
	size_t *inside; /* of these, those within the range */
	size_t n_inside;
	bool fitted; /* to those inside if they are many, else to all */
	bool uses_inside;
	struct refit refit;
};

struct law {
	struct annotated seen;
	struct law_case *cases; /* [n_cases] */
	size_t n_outside;       /* rows that are in no case, though all features are known */
	size_t n_known;         /* rows with the metric and all features */
	size_t n_beyond;        /* of these: not within the range */
};

/* The common range of two tables that both have the features. */
void law_range_find(const struct annotated *a, const struct annotated *b, struct arena *arena,
		    struct law_range *ret);
bool law_range_has(const struct law_range *range, const struct annotation *annotation,
		   const double *x);

/* Fit @seen's annotation to its samples. @seen has all columns; everything lives in @arena. */
void law_fit(const struct annotated *seen, const struct law_range *range, struct arena *arena,
	     struct law *ret);

/* The values of the case's terms where the features are @x. */
void law_terms(const struct law_case *one, const double *x, double *ret);

/* The expected cost there, and its standard error; the case was fitted. */
double law_cost(const struct law_case *one, const double *x, double *ret_error);

#endif
