/*
 * What changed between two profiles: the cost of functions, or the calls that were made of them.
 * Plain data; how it is found out is model/'s matter.
 *
 * A cost function is compared by what it says of *typical calls*, real ones from either profile
 * that are within what both observed, and by the mean of what it leaves over. Coefficients are
 * compared one by one, too; where terms are alike (n, n log n), that says little.
 */
#pragma once

#include "core/annotation/annotation.h"

enum diff_verdict {
	DIFF_WORSE,
	DIFF_UNKNOWN, /* not compared, or it cannot be told what changed: `reason` */
	DIFF_BETTER,
	DIFF_SAME, /* no difference beyond the tolerance that is certain */
};

enum diff_kind {
	DIFF_CALL,    /* a typical call: its cost by the formula */
	DIFF_MEAN,    /* the mean cost of the new calls, and what the old formula says of them */
	DIFF_SHARE,   /* of a part of a mixture, among all calls of the case */
	DIFF_CENTRE,  /* the mean cost of the calls that are most likely of that part */
	DIFF_OUTSIDE, /* the part of the calls that is in no case of the old model */
};

/* A number in both profiles. */
struct diff_pair {
	double old, new;
	double low, high; /* 95 % interval of new / old; NAN: there is none */
};

/* One test. */
struct diff_test {
	enum diff_kind kind;
	const struct annotation_case *in; /* of the old annotation; NULL: of DIFF_OUTSIDE */
	unsigned model;                   /* of DIFF_SHARE and DIFF_CENTRE */
	/*
	 * Of DIFF_CALL: the call's features, as in the annotation that has them, and where it comes
	 * from.
	 */
	const double *x;
	const struct annotation *features;
	bool from_new;
	double share; /* of the calls of that profile that are expected to cost less */
	struct diff_pair pair;
	double p; /* of a difference beyond the tolerance, by chance */
	bool certain;
};

/* A coefficient, in the metric's unit per unit of the term. */
struct diff_term {
	const struct annotation_case *in;
	const struct term *term;
	struct diff_pair pair;
	double p; /* of a difference beyond the tolerance, by chance */
	bool certain;
};

/* A feature of the model in the calls of both profiles. */
struct diff_feature {
	const struct annotation_feature *feature;
	double old[3], new[3]; /* 10 %, 50 %, 90 % of the calls have less */
	bool moved;
};

/* The part of the calls that is in a case. */
struct diff_case {
	const struct annotation_case *in;
	double old, new;
	bool moved;
};

struct diff_subject {
	const char *function;
	enum metric metric;
	enum diff_verdict verdict;
	const char *reason;                 /* of DIFF_UNKNOWN */
	const struct annotation *old, *new; /* owned; NULL: there is none */
	size_t n_old, n_new;                /* calls with the metric */
	double mean_old, mean_new;          /* what they cost */
	/*
	 * So many times the cost, by the old model, for the new calls in place of the old ones;
	 * NAN: not known.
	 */
	double workload;
	bool moved;      /* features did, or the parts of the cases */
	bool other_form; /* the old formula does not describe the new calls; the new one does */
	double r2_old_form, r2_new_form; /* then: of the new calls */
	/* the part of the new calls that is outside of what the old profile observed */
	double beyond;
	struct diff_test *tests;
	size_t n_tests;
	struct diff_term *terms;
	size_t n_terms;
	struct diff_feature *features;
	size_t n_features;
	struct diff_case *cases; /* if there are several */
	size_t n_cases;
};

struct diff {
	struct arena *arena;           /* of what subjects point to */
	struct diff_subject *subjects; /* after diff_profiles_decide(): the worst first */
	size_t n_subjects, subjects_capacity;
};

struct diff *diff_create(void);
void diff_destroy(struct diff *diff); /* NULL is fine */

/* Add an empty one; pointers to others are void then. */
struct diff_subject *diff_add_subject(struct diff *diff, const char *function, enum metric metric);

const char *diff_verdict_name(enum diff_verdict verdict); /* "worse" */
const char *diff_kind_name(enum diff_kind kind);          /* "call" */

/* The largest certain change of what calls cost: new / old; 1 if there is none. */
double diff_change(const struct diff_subject *subject);

/* What was found out about @subject, for people, with @all also what is not certain. */
void diff_print(const struct diff_subject *subject, bool all, FILE *out);

/* In a line: "work(int).time: WORSE, 3.07 times"; without a newline. */
void diff_print_head(const struct diff_subject *subject, FILE *out);
