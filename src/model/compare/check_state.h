/*
 * Private to check*.c: the check of one annotation, while it lasts, and the calls of one of its
 * models.
 */
#pragma once

#include "model/data/annotated_rows.h"
#include "check_samples.h"

enum { CHECKER_SAMPLES_MIN = 8 /* fewer say nothing about a case */ };

struct check_state {
	struct check *check;
	const struct annotation *annotation;
	const struct annotation_list *all;
	const struct check_options *options;
	struct check_subject *subject;
	struct annotated_rows annotated;
	struct arena *arena; /* for the time of check_samples_add() */
};

/* Another test, which is not violated. */
struct check_test *check_tests_add(struct check_state *checker, enum check_kind kind,
				   const struct annotation_case *in, double n);

/*
 * The chance of a difference @away that has the standard error @error in the new samples alone,
 * when as many as @n of them speak and @n_model samples are what the model was made from (0: that
 * is not known, and it is taken for exact). 1 if the difference does not matter.
 */
double check_tests_chance(double away, double tolerance, double error, double n, size_t n_model);

/* The rows of one model of one case, in the order of the calls. */
struct check_rows {
	double *expected, *residual;
	double *deviation; /* more than 0: what residuals are weighed by */
	double *part;  /* how likely the call is one of this model; of a case with one model 1 */
	size_t *index; /* of the row in the samples */
	size_t n;
	double n_parts; /* sum of the parts */
	bool exact;     /* the model knows no noise: rows weigh the same */
};

void check_rows_init(struct check_rows *rows, struct arena *arena, size_t capacity);

/* A call of the cost @cost, when @mean is expected with the deviation @deviation, 0 or more. */
void check_rows_add(struct check_rows *rows, size_t index, double cost, double mean,
		    double deviation, double part);

/*
 * When all were added: a few residuals that are far away from the others are left out, and
 * deviations that are next to nothing for what a call costs are raised, so that no call weighs as
 * much as all others. Returns how many were left out.
 */
size_t check_rows_finish(struct check_rows *rows, enum heuristic heuristic);

/* The location, the slope and the spread of finished rows. */
void check_tests_run(struct check_state *checker, const struct annotation_case *in,
		     const struct model *model, const struct check_rows *rows);
