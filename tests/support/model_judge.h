/*
 * Is an annotation the law that its samples were drawn from?
 *
 * Features: exactly those of the law, by any name that is truly equal. Classes: for each feature of
 * a part the fastest growth is the law's, each product of features is one of the law, and what is
 * no lower term of another is there. Scopes: a case for each part, and each call is in the case of
 * its part, thresholds within LAW_THRESHOLD of the range of the feature. Where the law is a
 * mixture, "scopes" means that the shares and the centres are recovered.
 */
#ifndef FATHOM_TESTS_MODEL_JUDGE_H
#define FATHOM_TESTS_MODEL_JUDGE_H

#include "core/annotation/expectation.h"
#include "model_laws.h"

#define LAW_THRESHOLD 0.02

struct judgement {
	bool features, scopes,
		classes; /* classes only if the scopes are right, as they are those of the parts */
};

void law_judge(const struct law_table *law, const struct annotation *annotation,
	       struct judgement *ret);

static inline bool judgement_is_right(const struct judgement *judgement)
{
	return judgement->features && judgement->scopes && judgement->classes;
}

/* What came of many tables of one family. */
struct tally {
	unsigned tables, features, scopes, classes, right, oracle;
	unsigned invented; /* mixtures in tables without one */
};

/*
 * Draw, build and judge @tables of @family, with seeds from @seed on; those that are wrong are
 * printed to @wrong (NULL: not). The table is made anew from its seed alone.
 */
void law_tally(const struct law_family *family, unsigned tables, long seed, FILE *wrong,
	       struct tally *ret);

/*
 * Of @tables tables of laws of one feature and one fixed class each, with seeds from @seed on, how
 * many have a power or an exponential in their model.
 */
unsigned law_count_free(unsigned tables, long seed, FILE *wrong);

/*
 * The values of @annotation's features at row @row, in @ret, which has MODEL_FEATURES_MAX places.
 */
enum { MODEL_FEATURES_MAX = 16 };
bool annotation_arguments(const struct annotation *annotation, const struct samples *samples,
			  size_t row, struct argument *ret);

#endif
