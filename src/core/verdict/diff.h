/*
 * What changed between two profiles: the cost of functions, or the calls made of them. Plain data;
 * model/ does the comparing.
 *
 * Costs are compared by what the formulas say of *typical calls* (real ones from either profile,
 * within the range that both observed) and by the mean residual. Coefficients are compared one by
 * one, too; where terms are alike (n, n log n), that says little.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/annotation/run_spread.h"
#include "method.h"

enum diff_verdict {
	DIFF_WORSE,
	DIFF_INCONCLUSIVE, /* not compared or not decidable: `reason` */
	DIFF_BETTER,
	DIFF_CONFORMS, /* no certain difference beyond the tolerance */
};

enum diff_kind {
	DIFF_CALL,    /* cost of a typical call by the formula */
	DIFF_MEAN,    /* mean cost of the new calls, observed and by the old formula */
	DIFF_SHARE,   /* share of a mixture's part among the case's calls */
	DIFF_CENTRE,  /* mean cost of the calls that most likely belong to the part */
	DIFF_OUTSIDE, /* share of the calls in no case of the old model */
};

/* A number in both profiles. */
struct diff_pair {
	double old, new;
	/* 95 % interval of new / old by the calls, and by the runs if these say so; NAN: none */
	double low, high;
};

/* One test. */
struct diff_test {
	enum diff_kind kind;
	const struct annotation_case *in; /* of the old annotation; NULL for DIFF_OUTSIDE */
	unsigned model;                   /* DIFF_SHARE, DIFF_CENTRE */
	/*
	 * DIFF_CALL: the call's features [n_features of `features`], and which profile it is from.
	 */
	const double *x;
	const struct annotation *features;
	bool from_new;
	double share; /* share of that profile's calls expected to cost less */
	struct diff_pair pair;
	double p; /* p-value of a difference beyond the tolerance, by the calls */
	struct run_spread spread;
	double p_runs; /* of any difference, by the runs; 1: hidden by the tolerance */
	bool is_few;   /* DIFF_MEAN: too few of its calls are independent of each other to tell */
	bool by_calls; /* certain, if runs did not differ */
	bool certain;  /* by calls and by runs */
	size_t enough; /* runs a side that would tell; 0: no number */
};

/* A coefficient, in the metric's unit per unit of the term. */
struct diff_term {
	const struct annotation_case *in;
	const struct term *term;
	struct diff_pair pair;
	double p; /* p-value of a difference beyond the tolerance */
	bool certain;
};

/* A feature of the model in the calls of both profiles. */
struct diff_feature {
	const struct annotation_feature *feature;
	double old[3], new[3]; /* 10 %, 50 %, 90 % quantiles */
	bool moved;
};

/* The share of the calls in a case. */
struct diff_case {
	const struct annotation_case *in;
	double old, new;
	bool moved;
};

/* By how much more a part of merged calls costs, another workload left out. */
struct diff_payer {
	enum metric metric;
	double change; /* in µs a call */
	bool certain;
};

enum { DIFF_PAYERS = 3, DIFF_CALLEES = 8 };

/* A function that the subject's code calls, compared as well and not inconclusive. */
struct diff_callee {
	const char *function;
	bool changed_alike; /* has the same verdict */
};

/* A call in the code of the comparison @side. */
struct diff_call {
	const char *side, *caller, *callee;
};

/* What the runs (or builds) of a side cost: the logarithm of the mean of their calls. */
struct diff_runs {
	const double *costs; /* [n] */
	size_t n;
};

struct diff_subject {
	const char *side; /* as in struct diff */
	const char *function;
	enum metric metric;
	enum diff_verdict verdict;
	const char *reason;                 /* DIFF_INCONCLUSIVE */
	const struct annotation *old, *new; /* owned; NULL: none */
	size_t n_old, n_new;                /* calls with the metric */
	double mean_old, mean_new;          /* their mean cost */
	/*
	 * Ratio of the cost, by the old model, of the new calls to that of the old ones; NAN:
	 * unknown.
	 */
	double workload;
	bool moved;                      /* features or shares of cases did */
	bool other_form;                 /* only the new formula describes the new calls */
	double r2_old_form, r2_new_form; /* if so: on the new calls */
	/* share of the new calls outside of what the old profile observed */
	double beyond;
	struct diff_test *tests;
	size_t n_tests;
	struct diff_term *terms;
	size_t n_terms;
	struct diff_feature *features;
	size_t n_features;
	struct diff_case *cases; /* if there are several */
	size_t n_cases;
	struct diff_runs runs[2]; /* none: they are not known */
	/* of the time of merged calls: who caused its change comes first */
	struct diff_payer payers[DIFF_PAYERS];
	size_t n_payers;
	struct diff_callee callees[DIFF_CALLEES]; /* of a subject that is worse or better */
	size_t n_callees;
};

/*
 * Three sides or more of one function: do they cost the same? F of an analysis of variance of their
 * runs, with (freedom[0], freedom[1]) degrees of freedom.
 */
struct diff_anova {
	const char *function;
	enum metric metric;
	size_t n; /* sides */
	double freedom[2], f, p;
	bool is_permuted; /* p is by permutations: runs are not normal */
};

/* The runs of both sides cost more where a part of the program lies further on, or less. */
struct diff_place {
	const char *side, *function;
	enum metric metric;
	const char *part; /* "layout.stack" */
	size_t n;         /* runs */
	double border, times, p;
};

/*
 * All functions of one metric: is their mean cost another, as far as they agree? F of an analysis
 * of variance within subjects, with (1, n - 1) degrees of freedom, on the logarithms of the ratios.
 */
struct diff_suite {
	const char *side;
	enum metric metric;
	size_t n; /* functions */
	double ratio, f, p;
};

struct diff {
	struct arena *arena;           /* of what subjects point to */
	struct diff_subject *subjects; /* after diff_profiles_decide(): the worst first */
	size_t n_subjects, subjects_capacity;
	const struct diff_suite *suites; /* of metrics that 3 functions or more were compared by */
	size_t n_suites;
	struct diff_anova *anovas;
	size_t n_anovas;
	struct diff_place *places;
	size_t n_places, places_capacity;
	struct diff_call *calls;
	size_t n_calls, calls_capacity;
	struct method_result *results; /* of other methods than tests: then there are no subjects */
	size_t n_results, results_capacity;
	/* of the subjects that are being added: which of several comparisons; NULL: there is one */
	const char *side;
};

struct diff *diff_create(void);
void diff_destroy(struct diff *diff); /* NULL is fine */

/* Add an empty subject; invalidates pointers to others. */
struct diff_subject *diff_add_subject(struct diff *diff, const char *function, enum metric metric);

/* Add an empty result; invalidates pointers to others. */
struct method_result *diff_add_result(struct diff *diff, const char *function, enum metric metric);

/* Takes a copy. */
void diff_add_place(struct diff *diff, const struct diff_place *place);

const char *diff_verdict_name(enum diff_verdict verdict); /* "worse" */
const char *diff_kind_name(enum diff_kind kind);          /* "call" */

/* A difference that runs leave open, or so few calls that are independent of each other. */
bool diff_test_is_open(const struct diff_test *test);

/* The largest certain change of costs: new / old; 1: none. */
double diff_change(const struct diff_subject *subject);

/* New / old of the test that is known best; NAN: none. */
double diff_ratio(const struct diff_subject *subject);

/* To each side, the 95 % interval that is known best of what calls cost now; NAN: none. */
double diff_precision(const struct diff_subject *subject);

/* Print the result for people; @all: also what is not certain. */
void diff_print(const struct diff_subject *subject, bool all, FILE *out);

/* Print a line for each suite, and for each function with several sides. */
void diff_print_suites(const struct diff *diff, FILE *out);

/* Print one line, without a newline: "work(int).time: WORSE, 3.07 times". */
void diff_print_head(const struct diff_subject *subject, FILE *out);
