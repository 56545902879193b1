/*
 * Laws: what an annotation's formulas become when they are fitted to samples again, case by case.
 *
 * The terms stay, their coefficients are the samples' own. A mixture is fitted as a whole: its
 * mean, by the terms of all of its parts.
 */
#pragma once

#include "model/data/annotated_rows.h"
#include "refit.h"

/*
 * The values of each feature that two tables both reach: low .. high. Features without an order are
 * not bounded.
 */
struct refit_range {
	double *low, *high; /* [n_features] */
};

struct refit_case {
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

struct refit_cases {
	struct annotated_rows seen;
	struct refit_case *cases; /* [n_cases] */
	size_t n_outside;         /* rows that are in no case, though all features are known */
	size_t n_known;           /* rows with the metric and all features */
	size_t n_beyond;          /* of these: not within the range */
};

/* The common range of two tables that both have the features. */
void refit_cases_range_find(const struct annotated_rows *a, const struct annotated_rows *b,
			    struct arena *arena, struct refit_range *ret);
bool refit_cases_range_has(const struct refit_range *range, const struct annotation *annotation,
			   const double *x);

/* Fit @seen's annotation to its samples. @seen has all columns; everything lives in @arena. */
void refit_cases_fit(const struct annotated_rows *seen, const struct refit_range *range,
		     struct arena *arena, struct refit_cases *ret);

/* The values of the case's terms where the features are @x. */
void refit_cases_terms(const struct refit_case *one, const double *x, double *ret);

/* The expected cost there, and its standard error; the case was fitted. */
double refit_cases_cost(const struct refit_case *one, const double *x, double *ret_error);
