/*
 * Conditions that samples suggest: branches of the code, values of categorical features.
 * changepoint.c finds thresholds by cost alone.
 */
#pragma once

#include "rank_regression.h"
#include "split.h"

/* The origin of a condition, the better first. */
enum origin {
	ORIGIN_BRANCH,
	ORIGIN_VALUE,
	ORIGIN_THRESHOLD,
	ORIGIN_PAIR, /* two features of one unit */
	ORIGIN_COUNT,
};

enum { NO_PREDICTOR = -1, CONDITIONS_MAX = 512 /* of each origin */ };

struct split_candidate {
	struct split split;
	enum origin origin;
	int predictor;  /* of the column; NO_PREDICTOR: categorical */
	double left;    /* share of squares that two curves leave */
	uint64_t parts; /* hash of the partition */
};

struct split_candidates {
	struct split_candidate *all;
	size_t n, capacity;
	size_t tried[ORIGIN_COUNT];
};

void split_candidates_deinit(struct split_candidates *conditions);

void split_candidates_add(struct split_candidates *conditions, const struct split_candidate *trial);

/* Add all conditions from branches and values, without duplicates of an origin. */
void split_candidates_find(struct split_candidates *conditions,
			   const struct rank_regression *ranking);

/*
 * The side of each choice row ([n_choice]); SIDE_NONE: absent. False: too few rows on a side, or
 * too many on none.
 */
bool split_candidates_part(const struct rank_regression *ranking,
			   const struct split_candidate *trial, uint8_t *ret);
