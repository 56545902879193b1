/*
 * An annotation's formulas refitted to other samples, case by case.
 *
 * Terms stay; coefficients are those of the samples. Of a mixture the mean is fitted, by the terms
 * of all of its parts.
 */
#pragma once

#include "model/data/annotated_rows.h"
#include "model/data/run_effect.h"
#include "refit.h"

/* The range low..high of each feature in both tables; unordered features have none. */
struct refit_range {
	double *low, *high; /* [n_features] */
};

struct refit_case {
	const struct annotation_case *in;
	const struct term *terms[LSQ_COLUMNS];
	unsigned p;   /* 0: too many terms, or some have no value */
	size_t *rows; /* rows of the samples with all features, ascending */
	size_t n_rows;
	size_t *inside; /* those of `rows` within the range */
	size_t n_inside;
	bool fitted; /* to `inside` if these are many, else to `rows` */
	bool uses_inside;
	struct refit refit;
};

struct refit_cases {
	struct annotated_rows seen;
	struct refit_case *cases; /* [n_cases] */
	size_t n_outside;         /* rows in no case, though all features are known */
	size_t n_known;           /* rows with the metric and all features */
	size_t n_beyond;          /* of these, outside the range */
};

/* Set the common range of two tables that both have the features. */
void refit_cases_range_find(const struct annotated_rows *a, const struct annotated_rows *b,
			    struct arena *arena, struct refit_range *ret);
bool refit_cases_range_has(const struct refit_range *range, const struct annotation *annotation,
			   const double *x);

/* Fit the annotation of @seen, which has all columns, to its samples; allocates in @arena. */
void refit_cases_fit(const struct annotated_rows *seen, const struct refit_range *range,
		     struct arena *arena, struct refit_cases *ret);

/* The values of the case's terms for the features @x. */
void refit_cases_terms(const struct refit_case *one, const double *x, double *ret);

/* The expected cost for the features @x, and its standard error; the case was fitted. */
double refit_cases_cost(const struct refit_case *one, const double *x, double *ret_error);

/*
 * The runs of the case @at, which was fitted: what they differ from its formula; @by_parts: each
 * call from that of its part of the mixture.
 */
void refit_cases_runs(const struct refit_cases *of, size_t at, bool by_parts, struct arena *arena,
		      struct run_means *ret);

/* The part of the variance that the formulas leave of the rows within the range; NAN: none. */
double refit_cases_left(const struct refit_cases *fits, struct arena *arena);

/* Is a formula that leaves the part @now another one than that which leaves @old? */
bool refit_cases_is_other(double now, double old);
