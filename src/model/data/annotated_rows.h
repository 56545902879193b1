/*
 * Samples as an annotation sees them: the columns that are its features, and the case that a row
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
	const char *
		/* a metric or a feature that the samples do not have; NULL: they have all */
		missing;
};

/*
 * Find the columns; features by their expressions, or those that are equivalent. False: one is
 * missing, the first of them is told.
 * @ret lives in @arena and borrows the others.
 */
bool annotated_rows_find(const struct annotation *annotation, const struct samples *samples,
			 struct arena *arena, struct annotated_rows *ret);

/*
 * The features of the row @row, indexed like the annotation's: as arguments, or as numbers, NAN
 * where they are absent.
 */
void annotated_rows_arguments(const struct annotated_rows *annotated, size_t row,
			      struct argument *ret);
void annotated_rows_numbers(const struct annotated_rows *annotated, size_t row, double *ret);

/* The first case that holds for @x; n_cases: none does. */
size_t annotated_rows_case(const struct annotated_rows *annotated, const struct argument *x);

/*
 * The value of @term without its coefficient where the features are @x; NAN if it has none there,
 * or has a reference.
 */
double annotated_rows_term(const struct term *term, const double *x);

/*
 * The model of @in that a call of the cost @cost is most likely one of, when they expect @means
 * with the deviations
 * @deviations.
 */
unsigned annotated_rows_model(const struct annotation_case *in, const double *means,
			      const double *deviations, double cost);

/* How likely it is one of each, in @ret; they sum to 1. */
void annotated_rows_parts(const struct annotation_case *in, const double *means,
			  const double *deviations, double cost, double *ret);

/*
 * Raise deviations that are next to nothing for what a call costs, so that no call weighs as much
 * as all others when calls weigh by their inverse. False: there are none, and all become 1.
 */
bool annotated_rows_weigh(const double *expected, double *deviations, size_t n);
