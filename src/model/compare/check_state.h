/* Private to check_*.c: the check of one annotation, and the calls of one of its models. */
#pragma once

#include "model/data/annotated_rows.h"
#include "check_samples.h"
#include "model/data/run_effect.h"

enum { CHECKER_SAMPLES_MIN = 8 /* fewer decide nothing about a case */ };

struct check_state {
	struct check *check;
	const struct annotation *annotation;
	const struct annotation_list *all;
	const struct check_options *options;
	struct check_subject *subject;
	struct annotated_rows annotated;
	double resolution;         /* of the samples */
	struct run_means sides[2]; /* of the annotation, and of the samples of what is tested */
	struct run_spread spread;
	struct arena *arena; /* freed at the end of check_samples_add() */
};

/* Add a test, not violated yet. */
struct check_test *check_tests_add(struct check_state *checker, enum check_kind kind,
				   const struct annotation_case *in, double n);

/* A difference of the new samples from a model that was made from @n_model (0: taken as exact). */
struct check_away {
	double away, tolerance;
	double least;    /* what the resolution hides; 0: exact */
	double error, n; /* standard error in the new samples alone, and their effective size */
	size_t n_model;
	double whole; /* what differs, to which runs' differences are relative */
};

/* Set how much the runs of @rows differ. */
void check_tests_spread(struct check_state *checker, const struct run_rows *rows);

/* Set the p-values of @test; 1 if the difference is within the tolerance, or hidden. */
void check_tests_judge(const struct check_state *checker, const struct check_away *difference,
		       struct check_test *test);

/* The rows of one model of one case, in the order of the calls. */
struct check_rows {
	double *expected, *residual;
	double *deviation; /* more than 0; scales the residuals */
	double *part;  /* probability that the call is of this model; 1 in a case with one model */
	size_t *index; /* row in the samples */
	size_t n;
	double n_parts; /* sum of `part` */
	bool exact;     /* the model has no noise: rows weigh the same */
};

void check_rows_init(struct check_rows *rows, struct arena *arena, size_t capacity);

/* Add a call of cost @cost; the model expects @mean with the deviation @deviation, 0 or more. */
void check_rows_add(struct check_rows *rows, size_t index, double cost, double mean,
		    double deviation, double part);

/*
 * Finish, after all rows of the model @model of @in were added: leave out far ones as they were
 * left out of the model, and raise deviations that are tiny against a call's cost, so that no call
 * outweighs all others. Returns how many were left out.
 */
size_t check_rows_finish(struct check_rows *rows, const struct annotation_case *in,
			 const struct model *model, double resolution);

/* Test the location, slope and spread of finished rows. */
void check_tests_run(struct check_state *checker, const struct annotation_case *in,
		     const struct model *model, const struct check_rows *rows);
