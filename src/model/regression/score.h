/*
 * The Bayesian information criterion, by which descriptions of the same calls are compared; less is
 * better.
 *
 * Its unit is that of -2 log likelihood of costs in the metric's own unit.
 * Source: Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978).
 */
#pragma once

#include <stddef.h>

/* What has more to choose from must be better by more. */
#define SCORE_CLEARLY 20.0

/* No model is exact: with more rows every misfit would become a term. */
enum { SCORE_ROWS = 300 };

double score_rows(size_t n);   /* those of @n that count */
double score_weight(size_t n); /* of each of them */

/* What @parameters estimated from @n rows must earn. */
double score_penalty(double parameters, double n);

/* @deviance is -2 log likelihood. */
double score_bic(double deviance, double parameters, double n);

/* The BIC of @n costs, by that of the same costs divided by @scale. */
double score_unscale(double bic, size_t n, double scale);
