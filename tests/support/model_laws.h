/*
 * Laws of cost, drawn by chance from families, and tables of samples that follow them.
 *
 * A family says which classes of growth a law is made of and what parts it; coefficients, sizes,
 * intercepts and noise are drawn, with a seed. Laws are identifiable: who knew the features, the
 * parts and the noise could tell each class from all others, and they explain enough of the
 * variance to be believed at the usual limit. Else the tables would measure luck.
 */
#ifndef FATHOM_TESTS_MODEL_LAWS_H
#define FATHOM_TESTS_MODEL_LAWS_H

#include "model_table.h"

enum { LAW_ROWS = 150, LAW_FEATURES = 3, LAW_TERMS = 3, LAW_PARTS = 4, LAW_IRRELEVANT = 10 };

/* What decides of which part a call is. */
enum law_choice {
	LAW_WHOLE,   /* there is one part */
	LAW_BY_ENUM, /* 2 to 4 enumerators; the last parts have one each, the first the rest */
	LAW_BY_FEW,  /* the same by 3 or 4 whole numbers */
	LAW_BY_BOOL,
	LAW_BY_CLASS, /* of run time */
	LAW_BY_SIZE,  /* a threshold of the first feature */
	LAW_BY_LIMIT, /* a threshold of another feature */
	LAW_BY_NULL,  /* the first feature is absent in the last part */
	LAW_BY_CHANCE,
};

enum law_noise {
	LAW_RELATIVE,  /* normal */
	LAW_ADDITIVE,  /* normal, the same everywhere; a part of the middle cost */
	LAW_POSITIVE,  /* exponential and only added; a part of the middle cost */
	LAW_PREEMPTED, /* relative; two calls of a hundred cost about ten times as much */
	LAW_FAR,       /* relative; ten calls of a hundred are far away */
	LAW_FAR_MANY,  /* relative; a third of the calls is far away */
	LAW_SCATTERED, /* relative; of a hundred calls fifteen cost a third to three times as much */
	LAW_BURIED,    /* exponential and only added; a part of the law's own range: hides it */
};

/* How the parts on both sides of a threshold meet. */
enum law_join { LAW_FREE, LAW_KINK, LAW_JUMP };

/* A product: of each feature a class, GROWTH_CONSTANT where it is no factor. */
struct law_term {
	enum growth growth[LAW_FEATURES];
};

struct law_part {
	unsigned n_terms; /* beside the intercept; 0: a constant */
	struct law_term terms[LAW_TERMS];
};

struct law_family {
	const char *name;
	unsigned n_parts;
	struct law_part parts[LAW_PARTS];
	enum law_choice choice;
	enum law_join join;
	bool evenly; /* sizes are spread evenly, not over the decades */
	bool any;    /* also laws that are not identifiable: compare with the oracle */
	enum law_noise noise;
	double part; /* the noise's standard deviation */
	/* LAW_BY_CHANCE and LAW_BY_NULL: of each part but the first; 0: the usual one */
	double share;
	double steps
		/*
		 * how many times as dear a part is as the one before: from, to; 0: the usual ones
		 */
		[2];
	unsigned
		/* so many percent of the tables must be modelled rightly; 0: no figure was set */
		least;
};

/* The families, with the figures that are promised. */
extern const struct law_family law_families[];
extern const size_t n_law_families;

const struct law_family *law_family_find(const char *name); /* NULL: there is none */

/* A drawn law with its rows. */
struct law_table {
	struct table table;
	const struct law_family *family;
	double low[LAW_FEATURES], high[LAW_FEATURES];
	double intercepts[LAW_PARTS];
	double coefficients[LAW_PARTS][LAW_TERMS];
	double threshold; /* the first number of the last part is above it */
	unsigned n_values;
	double x[LAW_ROWS][LAW_FEATURES];
	double decider[LAW_ROWS]; /* the number of the feature that decides */
	unsigned part[LAW_ROWS];
	double mean[LAW_ROWS], sigma[LAW_ROWS], y[LAW_ROWS];
};

void law_table_init(struct law_table *law, const struct law_family *family, long seed);
void law_table_deinit(struct law_table *law);

/* The names of the columns that laws are made of. */
const char *law_feature(const struct law_family *family, unsigned i);
const char *law_decider(const struct law_family *family); /* NULL: none */

bool law_uses(const struct law_part *part, unsigned feature);

/* What a call of @part with the sizes @x costs. */
double law_mean(const struct law_table *law, unsigned part, const double *x);

/* Other calls of @law, whose costs are multiplied by @times; the features are drawn anew. */
void law_table_init_again(struct law_table *again, const struct law_table *law, long seed,
			  double times);

/* x in the class: 1, log x, ... */
double law_growth_value(enum growth growth, double x);

/*
 * Could one who knows all but the class of each part tell it? By weighted least squares, on the
 * costs as they came. Parts with one feature only; others are taken for granted.
 */
bool law_oracle(const struct law_table *law);

/* Could he before the noise was drawn, beyond doubt; and would the law be believed? */
bool law_is_identifiable(const struct law_table *law);

/* The law as a text, for people. */
void law_print(const struct law_table *law, FILE *out);

#endif
