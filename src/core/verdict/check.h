/*
 * Results of a check: the tests of samples against annotations. Plain data; model/ does the
 * testing.
 */
#pragma once

#include "core/annotation/annotation.h"

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
	/*
	 * LOCATION, SLOPE: the term that explains the difference best, and the coefficient it would
	 * need. NULL: none.
	 */
	const struct term *term;
	double coefficient;
	double p;      /* p-value of the difference; 1: below the tolerance */
	bool is_worse; /* the difference, if it is one */
	bool changed;  /* it is one */
	bool violated;
};

/* The result for one annotation. */
struct check_subject {
	const struct annotation *annotation;
	size_t n_samples; /* with the metric */
	size_t n_unknown; /* of these: a needed feature was absent */
	size_t n_far;     /* left out as outliers */
	/* a needed feature that the samples lack: nothing was tested; NULL: none */
	const char *missing;
};

struct check {
	struct arena *arena;
	struct check_test *tests;
	size_t n_tests, tests_capacity;
	struct check_subject *subjects;
	size_t n_subjects, subjects_capacity;
};

struct check *check_create(void);
void check_destroy(struct check *check); /* NULL is fine */

const char *check_kind_name(enum check_kind kind); /* "location" */

/* Print @subject's changes, or with @all every test, for people, one per line. */
void check_print(const struct check *check, const struct check_subject *subject, bool all,
		 FILE *out);

/* The number of @subject's tests, of the violated ones, and of other changes: for the better. */
size_t check_count(const struct check *check, const struct check_subject *subject,
		   size_t *ret_violated, size_t *ret_better);
