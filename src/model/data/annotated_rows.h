/*
 * The columns of samples that are the features of an annotation, and the case and model that a row
 * belongs to.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/annotation/expectation.h"
#include "core/samples/samples.h"

struct annotated_rows {
	const struct annotation *annotation;
	const struct samples *samples;
	const struct column *metric;
	const struct column **columns; /* [n_features] */
	/* The first of metric and features that the samples lack; NULL: none. */
	const char *missing;
};

/*
 * Find features by their expressions or aliases. False: one is missing (@ret->missing). @ret lives
 * in @arena and borrows the others.
 */
bool annotated_rows_find(const struct annotation *annotation, const struct samples *samples,
			 struct arena *arena, struct annotated_rows *ret);

/* One cell; unknown if @column is NULL. */
struct argument annotated_rows_argument(const struct column *column, size_t row);

/* The features of @row in @ret ([n_features]), as arguments or as numbers (absent: NAN). */
void annotated_rows_arguments(const struct annotated_rows *annotated, size_t row,
			      struct argument *ret);
void annotated_rows_numbers(const struct annotated_rows *annotated, size_t row, double *ret);

/* The first case that holds for @x ([n_features]); n_cases: none does. */
size_t annotated_rows_case(const struct annotated_rows *annotated, const struct argument *x);

/*
 * The value of @term without its coefficient at @x; NAN if undefined there, or if it has a
 * reference.
 */
double annotated_rows_term(const struct term *term, const double *x);

/*
 * How many of the case's models verdicts are about: the first ones, without the rest, and of a
 * main trend only itself. Other calls waited for something, as the machine was busy.
 */
size_t annotated_rows_judged(const struct annotation_case *in);

/* A model of a case, and the cost that it expects. */
struct annotated_model {
	unsigned at;
	double mean, deviation;
};

/* The model of @in most likely to have produced @cost at the features @x. */
struct annotated_model annotated_rows_model(const struct annotation_case *in, const double *x,
					    double cost);

/*
 * The probability of each model, in @ret ([n_models]), given each one's mean and deviation; they
 * sum to 1.
 */
void annotated_rows_parts(const struct annotation_case *in, const double *means,
			  const double *deviations, double cost, double *ret);

/*
 * Raise deviations that are tiny for their cost, so that no call dominates when calls weigh by the
 * inverse. False: all were 0, and become 1.
 */
bool annotated_rows_weigh(const double *expected, double *deviations, size_t n);
