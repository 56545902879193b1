/*
 * Private to diff*.c: the comparison of one metric of one function, while it lasts, and its tests.
 */
#pragma once

#include "diff_profiles.h"
#include "refit_cases.h"

struct diff_state {
	struct diff *diff;
	struct diff_subject *subject;
	const struct diff_options *options;
	struct arena *arena; /* for the time of diff_profiles_add() */
	double resolution;
	struct refit_cases old, new; /* of the old annotation, in both profiles */
	struct refit_range range;
	struct refit_cases own; /* of the new annotation in the new profile */
	bool has_own;
	struct annotated_rows
		own_old; /* the new annotation in the old profile; its columns may be missing */
	struct refit_range own_range;
	struct refit_cases own_past; /* of the new annotation in the old profile */
	bool has_past;               /* it describes the old calls as well as the old one does */
};

enum {
	DIFFER_TYPICAL = 2, /* calls of each profile and case */
	DIFFER_CASE_TESTS = 2 * DIFFER_TYPICAL + 1,
	DIFFER_PART_TESTS = 2, /* of a part of a mixture */
};

/* Another test of the subject, which has room for it. */
struct diff_test *diff_tests_add(struct diff_state *differ, enum diff_kind kind,
				 const struct annotation_case *in);

/*
 * The chance to see such a difference as @pair's, when in truth it is half the tolerance at most,
 * or @least, less than which cannot be told from nothing; 1 if it is within the tolerance. Errors
 * are standard errors.
 */
double diff_tests_chance(const struct diff_state *differ, const struct diff_pair *pair,
			 double old_error, double new_error, double freedom, double least);

/* Of positive numbers, by the errors of their logarithms. */
struct diff_pair diff_tests_pair(double old, double old_error, double new, double new_error,
				 double freedom);

/* Compare the typical calls of one profile within the case @at, whose old law was fitted. */
void diff_calls_test(struct diff_state *differ, size_t at, bool from_new);

/*
 * What the new calls cost in the mean beyond what the old law says of them: this finds also what
 * only some calls pay, and what has no place in the formula.
 */
void diff_mean_test(struct diff_state *differ, size_t at);

/* The coefficients of a formula in both profiles, if all could be told. */
void diff_calls_terms(struct diff_state *differ, size_t at);

/* The share and the centre of the part @model of a mixture. */
void diff_tests_part(struct diff_state *differ, size_t at, unsigned model);

/* Calls that are in no case of the old model, of which there were none or few. */
void diff_tests_outside(struct diff_state *differ);
