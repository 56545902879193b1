/*
 * Studies: all that people look at of one metric of one function: its annotation, and how each
 * call, feature and part of the calls stands to it. Made by model/study_build.h; views (tui/) and
 * pictures (report/) show nothing else.
 *
 * Plain data in one arena. Points are the rows of the samples that have the metric; everything is
 * indexed by point, feature or node. What is not known is NAN or STUDY_NONE, never 0.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

#define STUDY_NONE ((unsigned)-1)

/* What a reader may do about a feature before the model is made again. */
enum study_request {
	STUDY_FREE,
	STUDY_PINNED,   /* the model names it, if it explains anything, rather than others */
	STUDY_EXCLUDED, /* the model does without it, and without those that are equivalent */
};

struct study_feature {
	const char *expression; /* of the representative of equivalent ones */
	size_t column;          /* in the samples */
	unsigned
		/* index of the annotation's feature; STUDY_NONE: the model does not use it */
		in_annotation;
	enum feature_type type;
	enum provenance provenance;
	enum study_request wish;
	/*
	 * the part of the variance of the usual costs that it explains alone, 0 to 1; NAN: it never
	 * varied, or is hardly ever there
	 */
	double explains;
	double min, max;            /* over the points that have it; NAN: none has */
	size_t n_present;           /* points that have it */
	const char *const *aliases; /* expressions of equivalent ones */
	size_t n_aliases;
	size_t n_more; /* that were counted only */
};

/* A part of the calls. Nodes are in preorder; the first is the root, of all points. */
struct study_node {
	unsigned parent; /* STUDY_NONE: the root */
	unsigned depth;  /* 0: the root */
	const struct condition *
		/* that parts it from its parent, of the annotation's feature; NULL: the root */
		condition;
	unsigned in_case; /* of a leaf: the annotation's case; else STUDY_NONE */
	size_t n_points;
	double mean, deviation; /* of the metric there; NAN: too few points */
	/*
	 * What the models of the leaves below explain of the variance of the usual costs there
	 * (study_usual_cost()), 0 to 1; NAN: there is nothing to explain.
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
	const double *
		/*
		 * [n_points] by the model that the call is most likely one of; NAN: it is of no
		 * case
		 */
		expected;
	const double *deviation; /* [n_points] what that model says */
	const unsigned *cases;   /* [n_points] STUDY_NONE: none holds, or it has no value there */
	const unsigned *models;  /* [n_points] of the case; STUDY_NONE: of no case */
	const struct study_feature *features; /* those that explain most first */
	size_t n_features;
	const struct study_node *nodes; /* n_nodes is 0 if the annotation has no cases */
	size_t n_nodes;
	size_t n_outside; /* points of no case */
	double total; /* sum of the costs of all calls that were seen, estimated from the points */
};

void study_destroy(struct study *study); /* NULL is fine */

/* The feature @feature of the point @point; its label, NULL if it has none. */
struct value study_value(const struct study *study, size_t feature, size_t point);
const char *study_label(const struct study *study, size_t feature, size_t point);

/*
 * The cost of the point, brought to four deviations from what is expected of it if it is farther
 * away: so a few calls that were preempted do not decide what explains the others.
 */
double study_usual_cost(const struct study *study, size_t point);

/*
 * The features of the point, indexed like the annotation's, as formulas want them; NAN where
 * absent.
 */
void study_arguments(const struct study *study, size_t point, double *ret);

/*
 * The feature to begin with: the first that a formula uses, else the first that the annotation
 * uses, else that which explains most; STUDY_NONE: there is none.
 */
unsigned study_main_feature(const struct study *study);
