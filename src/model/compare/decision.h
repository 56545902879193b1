/*
 * Which differences are certain: beyond what calls differ by, and beyond what runs do.
 *
 * Calls: Holm's correction keeps one rate of false alarms for all tests. Runs shift all tests of a
 * subject (a metric of a function) together, so there the subjects are what is many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct decision {
	size_t subject;
	double p;      /* by its calls */
	double p_runs; /* by its runs; 1 is no difference */
	bool by_calls; /* certain, if runs did not differ */
	bool certain;
};

/*
 * Set the last two of @list[@n], whose subjects are numbered from 0 to @n_subjects - 1, at the
 * rates @alpha by calls and @alpha_runs by runs.
 */
void decision_make(struct decision *list, size_t n, size_t n_subjects, double alpha,
		   double alpha_runs);
