/* Private to diff_*.c: the comparison of one metric of one function, and its tests. */
#pragma once

#include "diff_profiles.h"
#include "refit_cases.h"
#include "model/data/run_effect.h"

/* The null's difference, in parts of the tolerance; the observed one must exceed all of it. */
#define DIFFER_BORDER 0.5

struct diff_state {
	struct diff *diff;
	struct diff_subject *subject;
	const struct diff_options *options;
	struct arena *arena; /* freed at the end of diff_profiles_add() */
	double resolution;
	struct machine_load load[2]; /* of old and new */
	struct refit_cases old, new; /* of the old annotation, in both profiles */
	struct refit_range range;
	struct refit_cases own; /* of the new annotation in the new profile */
	bool has_own;
	struct annotated_rows
		own_old; /* the new annotation in the old profile; columns may be missing */
	struct refit_range own_range;
	struct refit_cases own_past; /* of the new annotation in the old profile */
	struct run_means sides[2];   /* the runs of the case, or its part, that is tested */
	struct run_spread spread;
	bool has_past; /* `own_past` describes the old calls as well as `old` does */
};

enum {
	DIFFER_TYPICAL = 2, /* typical calls of each profile and case */
	DIFFER_CASE_TESTS = 2 * DIFFER_TYPICAL + 1,
	DIFFER_PART_TESTS = 2, /* tests of a part of a mixture */
};

/* Add a test to the subject, which has room for it. */
struct diff_test *diff_tests_add(struct diff_state *differ, enum diff_kind kind,
				 const struct annotation_case *in);

/*
 * The p-value of @pair's difference if the truth is at most half the tolerance, or @least, the
 * resolution; 1 if the difference is within the tolerance. Errors are standard errors.
 */
double diff_tests_chance(const struct diff_state *differ, const struct diff_pair *pair,
			 double old_error, double new_error, double freedom, double least);

/* Set @test's pair of costs with these standard errors, and its p-values. */
void diff_tests_judge(const struct diff_state *differ, struct diff_test *test, double old,
		      double old_error, double new, double new_error, double freedom);

/* Find how much runs differ within the case @at, or set what is known of both sides. */
void diff_runs_find(struct diff_state *differ, size_t at);
void diff_runs_set(struct diff_state *differ, const struct run_means *old,
		   const struct run_means *new);

/* A pair of positive numbers, with the standard errors of their logarithms. */
struct diff_pair diff_tests_pair(double old, double old_error, double new, double new_error,
				 double freedom);

/* Compare the typical calls of one profile within the case @at, whose old terms were fitted. */
void diff_calls_test(struct diff_state *differ, size_t at, bool from_new);

/*
 * Test the mean residual of the new calls from the old formula: finds costs that only some calls
 * pay, or that the formula has no term for.
 */
void diff_mean_test(struct diff_state *differ, size_t at);

/* Record the coefficients of a formula in both profiles, if all could be fitted. */
void diff_calls_terms(struct diff_state *differ, size_t at);

/* Compare the share and the centre of the part @model of a mixture. */
void diff_tests_part(struct diff_state *differ, size_t at, unsigned model);

/* Test the share of calls in no case of the old model, which had none or few. */
void diff_tests_outside(struct diff_state *differ);
