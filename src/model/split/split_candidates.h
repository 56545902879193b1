/*
 * Conditions that the samples name themselves: by branches of the code, by the values of
 * categorical features, and by clusters of the metric. Places that only costs tell are
 * changepoint.c's matter.
 */
#pragma once

#include "model/density/density_clusters.h"
#include "rank_regression.h"
#include "split.h"

/* Where a condition comes from, the better first. */
enum origin {
	ORIGIN_BRANCH,
	ORIGIN_VALUE,
	ORIGIN_CLUSTER,
	ORIGIN_THRESHOLD,
	ORIGIN_COUNT,
};

enum { NO_PREDICTOR = -1, CONDITIONS_MAX = 512 /* of each origin */ };

struct split_candidate {
	struct split split;
	enum origin origin;
	int predictor;  /* that it is about; NO_PREDICTOR: a categorical column */
	double left;    /* the part of the squares that two curves leave */
	uint64_t parts; /* the same number for conditions that part the rows alike */
};

struct split_candidates {
	struct split_candidate *all;
	size_t n, capacity;
	size_t tried[ORIGIN_COUNT];
};

void split_candidates_deinit(struct split_candidates *conditions);

void split_candidates_add(struct split_candidates *conditions, const struct split_candidate *trial);

/* Add all that branches and values name; none twice of one origin. */
void split_candidates_find(struct split_candidates *conditions,
			   const struct rank_regression *ranking);

/* The same of features that set a cluster of the metric, data->y, apart from the others. */
void split_candidates_clusters(struct split_candidates *conditions,
			       const struct rank_regression *ranking,
			       const struct clusters *clusters);

/*
 * On which side each choice row is; SIDE_NONE: the column is absent. False: a side has too few
 * rows, or too many are on none.
 */
bool split_candidates_part(const struct rank_regression *ranking,
			   const struct split_candidate *trial, uint8_t *ret);
