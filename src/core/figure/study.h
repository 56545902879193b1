/*
 * Studies: everything to look at of one metric of one function: its annotation, and how each call,
 * feature and part of the calls relates to it. Made by model/study_build.h; tui/ and report/ show
 * nothing else.
 *
 * Plain data in one arena. Points are the rows of the samples that have the metric; everything is
 * indexed by point, feature or node. Unknown is NAN or STUDY_NONE, never 0.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

#define STUDY_NONE ((unsigned)-1)

/* The order of calls, where a feature may be named; and as a title. */
#define STUDY_ORDER    "order"
#define STUDY_IN_ORDER "calls in their order"

/* What a reader may request of a feature for the next model. */
enum study_request {
	STUDY_FREE,
	STUDY_PINNED,   /* preferred to others if it explains anything */
	STUDY_EXCLUDED, /* not used, nor its equivalents */
};

struct study_feature {
	const char *expression; /* of the representative of equivalent ones */
	size_t column;          /* in the samples */
	unsigned in_annotation; /* index in the annotation; STUDY_NONE: the model does not use it */
	enum feature_type type;
	enum provenance provenance;
	enum study_request wish;
	/*
	 * share of the variance of the usual costs that it explains alone, 0 to 1; NAN: it never
	 * varied, or is almost always absent
	 */
	double explains;
	double min, max;                      /* over the points that have it; NAN: none */
	size_t n_present;                     /* points that have it */
	const char *const *aliases;           /* expressions of those that give its value */
	const struct annotation_affine *maps; /* [n_aliases] to each; NULL: all are equal */
	size_t n_aliases;
	size_t n_more; /* further ones, only counted */
};

/* A part of the calls. Nodes are in preorder; the first is the root with all points. */
struct study_node {
	unsigned parent; /* STUDY_NONE: the root */
	unsigned depth;  /* 0: the root */
	/* what separates it from its parent, on the annotation's feature; NULL: the root */
	const struct condition *condition;
	unsigned in_case; /* of a leaf: the annotation's case; else STUDY_NONE */
	size_t n_points;
	double mean, deviation; /* of the metric; NAN: too few points */
	/*
	 * Share of the variance of the usual costs (study_usual_cost()) that the models of the
	 * leaves below explain, 0 to 1; NAN: nothing to explain.
	 */
	double r2;
};

struct study {
	struct arena *arena;           /* owns everything below but the next two */
	const struct samples *samples; /* borrowed */
	struct annotation *annotation; /* owned */
	enum metric metric;
	size_t n_points;
	const size_t *rows;  /* [n_points] of the samples, ascending */
	const double *costs; /* [n_points] */
	/* [n_points] by the call's most likely model; NAN: it is in no case */
	const double *expected;
	const double *deviation; /* [n_points] of that model */
	const unsigned *cases;   /* [n_points] STUDY_NONE: none holds, or without value there */
	const unsigned *models;  /* [n_points] index within the case; STUDY_NONE: in no case */
	const struct study_feature *features; /* [n_features] those that explain most first */
	size_t n_features;
	const struct study_node *nodes; /* [n_nodes] 0 if the annotation has no cases */
	size_t n_nodes;
	size_t n_outside;       /* points of no case */
	enum smooth_kind curve; /* that a reader asks for */
	const char *over; /* borrowed: a feature that pictures are to be over; NULL: the main one */
	double total;     /* cost of all calls seen, in sum: known for times, else estimated */
};

void study_destroy(struct study *study); /* NULL is fine */

/* Feature @feature of point @point; and its label, NULL if it has none. */
struct value study_value(const struct study *study, size_t feature, size_t point);
const char *study_label(const struct study *study, size_t feature, size_t point);

/*
 * The cost of the point, winsorised to four deviations from its expectation, so that a few
 * preempted calls do not decide what explains the others.
 */
double study_usual_cost(const struct study *study, size_t point);

/* The point's features in the annotation's order, for formulas, in @ret; NAN where absent. */
void study_arguments(const struct study *study, size_t point, double *ret);

/* Is there a feature with that expression, or is it the order of calls? */
bool study_has(const struct study *study, const char *over);

/*
 * The feature to show first: that of `over` if there is one (STUDY_NONE for "order", the order of
 * calls), else the first that a formula uses, else the first of the annotation, else
 * the one that explains most; STUDY_NONE: none.
 */
unsigned study_main_feature(const struct study *study);
