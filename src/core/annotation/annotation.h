/*
 * Annotations: what a metric of a function costs, as cases of formula or mixture.
 *
 * An annotation has features and cases. A case holds where its scope does; scopes partition the
 * domain. A case has one model, or several whose probabilities sum to 1 (a mixture). A model is a
 * normal distribution of the metric with `mean` and standard `deviation`, both in the metric's
 * unit. A formula is a sum of terms; a term is a coefficient times a product of factors. In models
 * that fathom made, a factor is x^power * log(x)^log of a feature x, or base^x; people may also
 * write functions, sums in parentheses, and references to other annotations. A term without
 * factors is the constant.
 *
 * Plain data in one arena; features are named by index.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "machine_load.h"
#include "base/arena.h"
#include "core/feature.h"
#include "core/growth.h"
#include "core/metric.h"
#include "core/smooth.h"

enum factor_kind {
	FACTOR_FEATURE,
	FACTOR_FUNCTION,    /* of its arguments, to a power */
	FACTOR_GROUP,       /* its only argument, to a power */
	FACTOR_EXPONENTIAL, /* its base to its only argument, to a power */
	FACTOR_REFERENCE,   /* the expected value of another annotation, to a power */
};

enum formula_function {
	FUNCTION_LOG, /* natural */
	FUNCTION_LOG2,
	FUNCTION_SQRT,
	FUNCTION_EXP,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_COUNT,
};

struct formula;
struct reference;

struct factor {
	unsigned feature; /* FACTOR_FEATURE, as is `log` */
	double power;     /* not 0, unless there is a logarithm */
	unsigned log;     /* power of the natural logarithm */
	enum factor_kind kind;
	enum formula_function function;
	const struct formula *arguments;
	size_t n_arguments;
	const struct reference *reference;
	double base; /* FACTOR_EXPONENTIAL; positive */
};

enum { FACTORS_MAX = 8 };

struct term {
	double coefficient;
	double std_error; /* of the coefficient, in its unit; NAN: not estimated */
	unsigned n_factors;
	struct factor factors[FACTORS_MAX];
};

struct formula {
	const struct term *terms;
	size_t n_terms; /* 0: the formula is 0 */
};

/* The value given to a feature of the annotation referred to. */
struct binding {
	const char *feature;
	struct formula value;
};

/* Refers to the same metric's annotation of @function, named with or without parameters. */
struct reference {
	const char *function;
	const struct binding *bindings;
	size_t n_bindings;
};

enum heuristic {
	HEURISTIC_NONE,
	HEURISTIC_ENVELOPE, /* R: additive noise was removed; a lower envelope */
	HEURISTIC_TREND,    /* M: only the main trend was modelled */
};

struct model {
	double probability;
	enum heuristic heuristic;
	struct formula mean;
	struct formula deviation;
	double spread;      /* root mean square of the residuals; NAN if not known */
	enum growth growth; /* of the fastest-growing factor of `mean` */
	bool is_rest;       /* of the calls that the other models of its case leave out */
	/* A constant for want of anything better: the cost varies, 90 % of it within these. */
	bool is_unexplained;
	double low, high;
	/*
	 * GROWTH_POWER and GROWTH_EXPONENTIAL: between these is the exponent, or the base, but for
	 * one table in a hundred; 0 or NAN: not estimated.
	 */
	double free_low, free_high;
	size_t n_samples;
	double r2;    /* NAN for constant models: nothing to explain */
	double cv_r2; /* from cross-validation; NAN: not estimated */
	double error; /* median relative error in cross-validation; NAN: not estimated */
};

enum comparison {
	LESS,
	LESS_EQUAL,
	GREATER,
	GREATER_EQUAL,
	EQUAL,
	NOT_EQUAL,
	IS_TRUE,
	IS_FALSE,
	IS_DEFINED, /* the feature has a value */
	IS_ABSENT,
};

struct condition {
	unsigned feature;
	enum comparison comparison;
	double number;      /* for ordered features, and for EQUAL and NOT_EQUAL */
	const char *symbol; /* an enumerator or class name instead of a number, or NULL */
	/* Compared are `number` times the feature and another one, "8*n > free_memory". */
	bool of_pair;
	unsigned other;
};

struct annotation_case {
	const struct condition *scope; /* [n_conditions] all must hold; none: always */
	size_t n_conditions;
	const struct model *models; /* [n_models] at least one */
	size_t n_models;
};

/* In every sample, offset + scale * a feature; scale is finite and not 0. */
struct annotation_affine {
	const char *expression;
	double scale, offset;
};

struct annotation_feature {
	const char *name; /* short, unique within the annotation */
	enum feature_type type;
	const char *expression;
	double min, max;            /* as observed; NAN if not known */
	const char *const *aliases; /* [n_aliases] expressions of equal features */
	size_t n_aliases;
	size_t n_more;                          /* further aliases, only counted */
	const struct annotation_affine *affine; /* [n_affine] features that give its value, too */
	size_t n_affine, n_affine_more;
	const char *const *kin; /* [n_kin] of correlated ones, which do not: they are no names */
	size_t n_kin, n_kin_more;
};

/* Calls that no case describes. */
struct annotation_left_out {
	bool is_known;   /* by those who made the models; not by those who read them */
	size_t n_far;    /* too far away from all others */
	size_t n_unread; /* without a feature that their case needs */
	double cost;     /* of both, in sum, in the metric's unit */
	double share;    /* of the cost of all samples, 0 to 1 */
};

struct annotation {
	struct arena *arena; /* owns everything below */
	const char *function;
	const char *linkage;
	const char *file; /* NULL if not known */
	unsigned line;
	const char *module; /* the library or other program it is in, or NULL */
	enum metric metric;
	/*
	 * The condition that calls fulfil, of which alone this is (shell/condition.h has the
	 * grammar; one line); NULL: of all. `where_kept` of `where_of` samples did; 0: not known.
	 */
	const char *where;
	size_t where_kept, where_of;
	size_t n_samples;     /* that the models were made from */
	size_t n_runs;        /* that these are of; 0: not known */
	double run_deviation; /* how much the costs of runs differ (run_spread.h); NAN: not known */
	struct machine_load load;                  /* meanwhile */
	const struct annotation_feature *features; /* [n_features] those that the cases use */
	size_t n_features;
	const struct annotation_case *cases;
	size_t n_cases;
	struct annotation_left_out left_out;
	const char *const *notes; /* [n_notes] a sentence each, for people */
	size_t n_notes;
	const struct smooth *curve; /* through the calls; NULL: nobody asked for one */
};

struct annotation *annotation_create(void);             /* empty, with an arena */
void annotation_destroy(struct annotation *annotation); /* NULL is fine */

/*
 * The map from the feature to one whose value gives its value: itself, an equal or an affine one.
 * False: @expression is none of them.
 */
bool annotation_feature_find(const struct annotation_feature *feature, const char *expression,
			     struct annotation_affine *ret);
/* Is @name its name, or that of a feature that gives its value? */
bool annotation_feature_is(const struct annotation_feature *feature, const char *name);
/* The feature's value where the other is @number. */
double annotation_affine_back(const struct annotation_affine *affine, double number);
enum { ANNOTATION_PHRASE = 80 };
/* For people: " (4096 + 8 times this)"; nothing if the other is equal. */
void annotation_affine_phrase(const struct annotation_affine *affine, char ret[ANNOTATION_PHRASE]);
/* Does it merely go along with the feature? */
bool annotation_feature_has_kin(const struct annotation_feature *feature, const char *expression);

/* Of x^power * log(x)^log, rounded up to the next class; constant if it is no feature's. */
enum growth annotation_factor_growth(const struct factor *factor);

/* The growth of the fastest factor; GROWTH_CONSTANT without factors. */
enum growth annotation_growth(const struct formula *formula);

/* The formula's value for @x[n_features]; NAN if it has a reference or is not defined there. */
double annotation_value(const struct formula *formula, const double *x);

/* The values of features and references. */
struct formula_context {
	const double *x;
	double (*reference)(const struct formula_context *context,
			    const struct reference *reference); /* NULL: NAN */
	void *self;
};

double annotation_value_in(const struct formula *formula, const struct formula_context *context);

/* Is there a cost that varies, and nothing was found that explains it? */
bool annotation_is_unexplained(const struct annotation *annotation);

/* Does the formula itself use the feature? */
bool annotation_formula_uses(const struct formula *formula, unsigned feature);

/* Does any model of the case? */
bool annotation_case_uses(const struct annotation_case *one, unsigned feature);

/* @number rounded to the six digits that models are printed with, so that text and JSON agree. */
double annotation_number(double number);

/* "log2"; and back: FUNCTION_COUNT if there is none. */
const char *annotation_function_name(enum formula_function function);
enum formula_function annotation_function_parse(const char *name, size_t length);

/* Write the annotation in the language, with a newline at the end. */
void annotation_print(const struct annotation *annotation, FILE *out);
/* Write the scope of @one and a blank; nothing without a scope. */
void annotation_print_scope(const struct annotation *annotation, const struct annotation_case *one,
			    FILE *out);

/* "number 2 of the mixture", or "the rest". */
void annotation_print_component(const struct annotation_case *one, unsigned model, FILE *out);
/* Write one formula of @annotation. */
void annotation_print_formula(const struct annotation *annotation, const struct formula *formula,
			      FILE *out);
