/*
 * The Bayesian information criterion (less is better), in units of -2 log likelihood of costs in
 * the metric's own unit. Source: Schwarz, Estimating the dimension of a model, Annals of Statistics
 * 6 (1978).
 */
#pragma once

#include <stddef.h>

/* The margin that a description with more choices needs. */
#define SCORE_CLEARLY 20.0

/*
 * A returned value follows from what the cost depends on, and comes too late to predict it: it must
 * explain so much more of each row's log variance than an input, half.
 */
#define SCORE_RETURNED 0.7

/* No model is exact: with more rows each misfit would become a term. */
enum { SCORE_ROWS = 300 };

double score_rows(size_t n);   /* the rows of @n that count */
double score_weight(size_t n); /* of each row */

/* What @parameters estimated from @n rows must gain. */
double score_penalty(double parameters, double n);

/* @deviance is -2 log likelihood. */
double score_bic(double deviance, double parameters, double n);

/* The BIC of @n costs, given that of the costs divided by @scale. */
double score_unscale(double bic, size_t n, double scale);
