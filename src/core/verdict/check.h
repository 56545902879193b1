/*
 * Results of a check: the tests of samples against annotations. Plain data; model/ does the
 * testing.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/annotation/run_spread.h"

enum check_kind { CHECK_LOCATION, CHECK_SLOPE, CHECK_SPREAD, CHECK_OUTSIDE, CHECK_SHARE };

/* One test. */
struct check_test {
	enum check_kind kind;
	const struct annotation *annotation;
	const struct annotation_case *in; /* NULL for CHECK_OUTSIDE */
	unsigned model;                   /* index within a mixture */
	size_t n;                         /* samples */
	/*
	 * LOCATION: mean cost of calls weighted by 1 / expected deviation; SLOPE: cost by expected
	 * cost, which is 1; SPREAD: standard deviation with the same weights; OUTSIDE, SHARE: share
	 * of the calls.
	 */
	double expected, observed;
	double error; /* LOCATION: standard error of `observed`, by these calls; else 0 */
	/*
	 * LOCATION, SLOPE: the term that explains the difference best, and the coefficient it would
	 * need. NULL: none.
	 */
	const struct term *term;
	double coefficient;
	double p; /* p-value of the difference by its calls; 1: below the tolerance */
	struct run_spread spread;
	double p_runs; /* by the runs */
	bool is_worse; /* the difference, if it is one */
	bool by_calls; /* it is one, if runs did not differ */
	bool beyond;   /* most calls are far beyond what the model describes */
	bool changed;  /* it is one */
	bool violated;
	size_t enough; /* runs a side that would tell; 0: no number */
};

struct gate;

/* The result for one annotation. */
struct check_subject {
	const struct annotation *annotation;
	size_t n_samples; /* with the metric */
	size_t n_unknown; /* of these: a needed feature was absent */
	size_t n_far;     /* left out as outliers */
	/* a needed feature that the samples lack: nothing was tested; NULL: none */
	const char *missing;
	const char *where; /* the condition that its calls fulfil; NULL: none */
	/* of the samples, for reports */
	const char *file; /* NULL: not known */
	unsigned line;
	double mean;                  /* NAN: not known */
	const struct annotation *now; /* made of them; owned; NULL: none */
};

struct check {
	struct arena *arena;
	struct check_test *tests;
	size_t n_tests, tests_capacity;
	struct check_subject *subjects;
	size_t n_subjects, subjects_capacity;
	const struct gate *gates; /* (gate.h) borrowed */
	size_t n_gates;
	bool gates_decide; /* nothing else does */
	bool is_of_itself; /* by the profile's own models: only what the gates say is told */
};

struct check *check_create(void);
void check_destroy(struct check *check); /* NULL is fine */

const char *check_kind_name(enum check_kind kind); /* "location" */

/* Print a line on @subject, and its changes, or with @all every test, one per line. */
void check_print_subject(const struct check *check, const struct check_subject *subject, bool all,
			 FILE *out);

enum check_verdict {
	CHECK_UNTESTED,
	CHECK_CONFORMS,
	CHECK_WORSE,
	CHECK_BETTER,
	CHECK_INCONCLUSIVE, /* its calls differ, but no more than runs may, or too few may tell */
};

/* @ret_tests: the number of @subject's tests; @ret_violated: of the violated ones. */
enum check_verdict check_verdict(const struct check *check, const struct check_subject *subject,
				 size_t *ret_tests, size_t *ret_violated);

const char *check_verdict_name(enum check_verdict verdict); /* "worse" */
