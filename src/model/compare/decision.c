/* Two corrected families of tests, of which both must reject. */
#include "decision.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/data/holm.h"

static void decide_by_calls(struct decision *list, size_t n, double alpha)
{
	double *p = mem_alloc((n + 1) * sizeof(*p));
	bool *is_certain = mem_alloc(n + 1);
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = list[i].p;
	holm_reject(p, n, alpha, is_certain);
	for (i = 0; i < n; i++)
		list[i].by_calls = is_certain[i];
	free(p);
	free(is_certain);
}

void decision_make(struct decision *list, size_t n, size_t n_subjects, double alpha,
		   double alpha_runs)
{
	double *best = mem_alloc((n_subjects + 1) * sizeof(*best));
	bool *is_certain = mem_alloc(n_subjects + 1);
	double most = 0;
	size_t i;

	decide_by_calls(list, n, alpha);
	for (i = 0; i < n_subjects; i++)
		best[i] = 1;
	for (i = 0; i < n; i++)
		if (list[i].by_calls)
			best[list[i].subject] = fmin(best[list[i].subject], list[i].p_runs);
	holm_reject(best, n_subjects, alpha_runs, is_certain);
	for (i = 0; i < n_subjects; i++)
		if (is_certain[i])
			most = fmax(most, best[i]);
	/* What the largest one that was rejected allows, each of its subject's tests may take. */
	for (i = 0; i < n; i++)
		list[i].certain = list[i].by_calls && is_certain[list[i].subject] &&
				  list[i].p_runs <= fmax(most, alpha_runs / (double)n_subjects);
	free(best);
	free(is_certain);
}
