/*
 * What came of a check: the tests of samples against annotations. Plain data; how tests are made is
 * model/'s matter.
 */
#pragma once

#include "core/annotation/annotation.h"

enum check_kind { CHECK_LOCATION, CHECK_SLOPE, CHECK_SPREAD, CHECK_OUTSIDE, CHECK_SHARE };

/* One test. */
struct check_test {
	enum check_kind kind;
	const struct annotation *annotation;
	const struct annotation_case *in; /* NULL: of CHECK_OUTSIDE */
	unsigned model;                   /* of a mixture */
	size_t n;                         /* samples */
	/*
	 * LOCATION: mean cost, of calls that weigh by 1 / expected deviation; SLOPE: cost by
	 * expected cost, which is 1; SPREAD: standard deviation in the same mean; OUTSIDE, SHARE:
	 * part of the calls.
	 */
	double expected, observed;
	/*
	 * Of LOCATION and SLOPE: the term that explains the difference best, and the coefficient it
	 * would need. NULL: none.
	 */
	const struct term *term;
	double coefficient;
	double p; /* of such a difference by chance; 1: it does not matter */
	bool violated;
};

/* What became of one annotation. */
struct check_subject {
	const struct annotation *annotation;
	size_t n_samples; /* with the metric */
	size_t n_unknown; /* of which a feature that is needed was absent */
	size_t n_far;     /* left out */
	const char *
		/*
		 * a feature that the samples do not have at all; then nothing was tested. NULL:
		 * none
		 */
		missing;
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

/*
 * What @subject's tests found out, for people, a line each; @check's violated ones, or with @all
 * every test.
 */
void check_print(const struct check *check, const struct check_subject *subject, bool all,
		 FILE *out);

/* How many of @subject's tests there are, and how many are violated. */
size_t check_count(const struct check *check, const struct check_subject *subject,
		   size_t *ret_violated);
