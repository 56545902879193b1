/* Arithmetic of the criterion. Callers add their own margins. */
#include "score.h"

#include <math.h>

double score_rows(size_t n)
{
	return fmin((double)n, SCORE_ROWS);
}

double score_weight(size_t n)
{
	return fmin(1, SCORE_ROWS / (double)n);
}

double score_penalty(double parameters, double n)
{
	return parameters * log(n);
}

double score_bic(double deviance, double parameters, double n)
{
	return deviance + score_penalty(parameters, n);
}

double score_unscale(double bic, size_t n, double scale)
{
	return bic + 2 * (double)n * log(scale);
}
