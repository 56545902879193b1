/*
 * Compares annotations with the laws that their samples were drawn from; see the header.
 */
#include "model_judge.h"

/* Terms */

/* The growth of @feature in a term; GROWTH_COUNT: one that no law has. */
static enum growth term_growth(const struct term *term, unsigned feature)
{
	enum growth growth = GROWTH_CONSTANT;
	unsigned i;

	for (i = 0; i < term->n_factors; i++) {
		if (term->factors[i].kind != FACTOR_FEATURE)
			return GROWTH_COUNT;
		if (term->factors[i].feature == feature)
			growth = growth == GROWTH_CONSTANT
					 ? annotation_factor_growth(&term->factors[i])
					 : GROWTH_COUNT;
	}
	return growth;
}

/* Which of the law's features each of an annotation's is; -1: none of them. */
struct naming {
	int feature[MODEL_FEATURES_MAX];
};

static bool is_same_product(const struct annotation *annotation, const struct naming *naming,
			    const struct term *term, const struct law_term *law)
{
	enum growth found[LAW_FEATURES] = {GROWTH_CONSTANT};
	unsigned i;

	for (i = 0; i < annotation->n_features; i++) {
		enum growth growth = term_growth(term, i);

		if (growth != GROWTH_CONSTANT && naming->feature[i] < 0)
			return false;
		if (growth != GROWTH_CONSTANT)
			found[naming->feature[i]] = growth;
	}
	for (i = 0; i < LAW_FEATURES; i++)
		if (found[i] != law->growth[i])
			return false;
	return true;
}

/* Is @term a lower one of @other, like a of a*b? */
static bool is_lower(const struct law_term *term, const struct law_term *other)
{
	unsigned i;

	for (i = 0; i < LAW_FEATURES; i++)
		if (term->growth[i] > other->growth[i])
			return false;
	return term != other;
}

static bool is_leading(const struct law_part *part, const struct law_term *term)
{
	unsigned i;

	for (i = 0; i < part->n_terms; i++)
		if (is_lower(term, &part->terms[i]))
			return false;
	return true;
}

static bool products_are_true(const struct annotation *annotation, const struct naming *naming,
			      const struct formula *mean, const struct law_part *part)
{
	size_t i;
	unsigned j;

	for (i = 0; i < mean->n_terms; i++) {
		if (mean->terms[i].n_factors < 2)
			continue;
		for (j = 0; j < part->n_terms; j++)
			if (is_same_product(annotation, naming, &mean->terms[i], &part->terms[j]))
				break;
		if (j == part->n_terms)
			return false;
	}
	return true;
}

static bool leading_terms_are_there(const struct annotation *annotation,
				    const struct naming *naming, const struct formula *mean,
				    const struct law_part *part)
{
	unsigned j;
	size_t i;

	for (j = 0; j < part->n_terms; j++) {
		if (!is_leading(part, &part->terms[j]))
			continue;
		for (i = 0; i < mean->n_terms; i++)
			if (is_same_product(annotation, naming, &mean->terms[i], &part->terms[j]))
				break;
		if (i == mean->n_terms)
			return false;
	}
	return true;
}

static enum growth fastest(const struct formula *mean, unsigned feature)
{
	enum growth growth = GROWTH_CONSTANT;
	size_t i;

	for (i = 0; i < mean->n_terms; i++) {
		enum growth one = term_growth(&mean->terms[i], feature);

		growth = one > growth ? one : growth;
	}
	return growth;
}

static enum growth law_fastest(const struct law_part *part, unsigned feature)
{
	enum growth growth = GROWTH_CONSTANT;
	unsigned i;

	for (i = 0; i < part->n_terms; i++)
		if (part->terms[i].growth[feature] > growth)
			growth = part->terms[i].growth[feature];
	return growth;
}

static bool classes_are_right(const struct annotation *annotation, const struct naming *naming,
			      const struct model *model, const struct law_part *part)
{
	unsigned i;

	for (i = 0; i < annotation->n_features; i++) {
		enum growth growth = fastest(&model->mean, i);
		enum growth law = naming->feature[i] < 0 ? GROWTH_CONSTANT
							 : law_fastest(part, naming->feature[i]);

		if (growth != law)
			return false;
	}
	return products_are_true(annotation, naming, &model->mean, part) &&
	       leading_terms_are_there(annotation, naming, &model->mean, part);
}

/* Features */

static bool has_feature(const struct annotation *annotation, const char *expression)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (strcmp(annotation->features[i].expression, expression) == 0)
			return true;
	return false;
}

/*
 * A feature of the scopes alone; whether the first size is there its pointer tells, in whatever
 * form.
 */
static bool decides(const struct law_family *family, const char *expression)
{
	const char *decider = law_decider(family);

	if (family->choice == LAW_BY_NULL)
		return strstr(expression, "list") &&
		       strcmp(expression, law_feature(family, 0)) != 0;
	return decider && strcmp(expression, decider) == 0;
}

static bool part_uses(const struct law_family *family, unsigned feature)
{
	unsigned i;

	for (i = 0; i < family->n_parts; i++)
		if (law_uses(&family->parts[i], feature))
			return true;
	return false;
}

/* Are the annotation's features those of the law? Fills in @naming either way. */
static bool features_are_right(const struct law_family *family, const struct annotation *annotation,
			       struct naming *naming)
{
	const char *decider = law_decider(family);
	bool right = true;
	size_t i;
	int j;

	for (i = 0; i < annotation->n_features; i++) {
		const char *expression = annotation->features[i].expression;

		naming->feature[i] = -1;
		for (j = 0; j < LAW_FEATURES; j++)
			if (part_uses(family, j) && strcmp(expression, law_feature(family, j)) == 0)
				naming->feature[i] = j;
		if (naming->feature[i] < 0 && !decides(family, expression))
			right = false;
	}
	for (j = 0; j < LAW_FEATURES; j++)
		if (part_uses(family, j) && !has_feature(annotation, law_feature(family, j)))
			right = false;
	return right && (!decider || has_feature(annotation, decider));
}

/* Scopes */

bool annotation_arguments(const struct annotation *annotation, const struct samples *samples,
			  size_t row, struct argument *ret)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++) {
		size_t at = samples_find_column(samples, COLUMN_FEATURE,
						annotation->features[i].expression);
		const struct column *column = &samples->columns[at];

		ret[i] = (struct argument){.known = false};
		if (at == samples->n_columns)
			return false;
		if (column->absence[row] == PRESENT) {
			ret[i].known = true;
			ret[i].number = column->numbers[row];
			ret[i].symbol = samples_label(column, ret[i].number);
		}
	}
	return true;
}

/*
 * What a feature that samples do not have is at @row: it tells whether the first size is there, as
 * @sense.
 */
static void set_derived(const struct law_table *law, const struct annotation *annotation,
			size_t row, double sense, struct argument *x)
{
	const struct samples *samples = law->table.samples;
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (samples_find_column(samples, COLUMN_FEATURE,
					annotation->features[i].expression) == samples->n_columns) {
			x[i].known = true;
			x[i].number =
				samples->columns[1].absence[row] == PRESENT ? sense : 1 - sense;
		}
}

static size_t case_of(const struct annotation *annotation, const struct argument *x)
{
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (expectation_case_holds(&annotation->cases[i], x))
			return i;
	return annotation->n_cases;
}

enum { CASES_MAX = 8 };

/*
 * The part of each case, by its calls; false: there are more cases than parts, or a case without
 * one, or calls of another part, except those near a threshold.
 */
static bool match_cases(const struct law_table *law, const struct annotation *annotation,
			double sense, unsigned *part_of)
{
	size_t counts[CASES_MAX][LAW_PARTS] = {{0}};
	size_t i, wrong = 0;
	unsigned j;

	for (i = 0; i < LAW_ROWS; i++) {
		struct argument x[MODEL_FEATURES_MAX];
		size_t in;

		annotation_arguments(annotation, law->table.samples, i, x);
		set_derived(law, annotation, i, sense, x);
		in = case_of(annotation, x);
		if (in == annotation->n_cases)
			return false;
		counts[in][law->part[i]]++;
	}
	for (i = 0; i < annotation->n_cases; i++) {
		part_of[i] = 0;
		for (j = 1; j < law->family->n_parts; j++)
			if (counts[i][j] > counts[i][part_of[i]])
				part_of[i] = j;
		if (!counts[i][part_of[i]])
			return false;
		for (j = 0; j < law->family->n_parts; j++)
			wrong += j == part_of[i] ? 0 : counts[i][j];
	}
	return wrong == 0 || law->family->choice == LAW_BY_SIZE ||
	       law->family->choice == LAW_BY_LIMIT;
}

/* Every condition is near the law's threshold, and about its feature. */
static bool thresholds_are_near(const struct law_table *law, const struct annotation *annotation)
{
	const bool by_size = law->family->choice == LAW_BY_SIZE;
	double range = by_size ? law->high[0] - law->low[0] : 1000;
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_conditions; j++) {
			const struct condition *condition = &annotation->cases[i].scope[j];
			const char *about = annotation->features[condition->feature].expression;

			if (strcmp(about, law_decider(law->family)) != 0 || condition->symbol)
				return false;
			if (fabs(condition->number - law->threshold) > LAW_THRESHOLD * range)
				return false;
		}
	return true;
}

static bool parts_are_all_there(const struct annotation *annotation, const unsigned *part_of,
				unsigned n_parts)
{
	unsigned seen = 0;
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		seen |= 1u << part_of[i];
	return seen == (1u << n_parts) - 1;
}

static bool scopes_are_right(const struct law_table *law, const struct annotation *annotation,
			     unsigned *part_of)
{
	const enum law_choice choice = law->family->choice;
	const bool by_value =
		choice == LAW_BY_ENUM || choice == LAW_BY_FEW || choice == LAW_BY_CLASS;
	size_t most = by_value ? law->n_values : law->family->n_parts;

	if (annotation->n_cases < law->family->n_parts || annotation->n_cases > most)
		return false;
	if (!match_cases(law, annotation, 1, part_of) && !match_cases(law, annotation, 0, part_of))
		return false;
	if (law->family->choice == LAW_BY_SIZE || law->family->choice == LAW_BY_LIMIT)
		if (!thresholds_are_near(law, annotation))
			return false;
	return parts_are_all_there(annotation, part_of, law->family->n_parts);
}

/* So many calls are far away that they stand beside the law, as the last model of its case. */
static bool has_rest(const struct law_family *family)
{
	return family->noise == LAW_FAR || family->noise == LAW_FAR_MANY ||
	       family->noise == LAW_SCATTERED;
}

static void judge_parts(const struct law_table *law, const struct annotation *annotation,
			const struct naming *naming, struct judgement *ret)
{
	unsigned part_of[CASES_MAX];
	size_t i;

	ret->scopes = scopes_are_right(law, annotation, part_of);
	ret->classes = ret->scopes;
	for (i = 0; ret->classes && i < annotation->n_cases; i++)
		ret->classes = annotation->cases[i].n_models <= (has_rest(law->family) ? 2 : 1) &&
			       classes_are_right(annotation, naming, annotation->cases[i].models,
						 &law->family->parts[part_of[i]]);
}

/* Mixtures */

static double middle_of(const struct law_table *law, const struct annotation *annotation,
			const struct naming *naming, const struct formula *mean)
{
	double x[MODEL_FEATURES_MAX] = {0};
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (naming->feature[i] >= 0)
			x[i] = sqrt(law->low[naming->feature[i]] * law->high[naming->feature[i]]);
	return annotation_value(mean, x);
}

/*
 * A share, of @whole, within four standard deviations of the part of the rows, a centre within 5 %.
 */
static bool is_component(const struct law_table *law, unsigned part, const struct model *model,
			 double whole, double middle)
{
	double n = 0, share, x[LAW_FEATURES];
	size_t i;

	for (i = 0; i < LAW_ROWS; i++)
		n += law->part[i] == part;
	for (i = 0; i < LAW_FEATURES; i++)
		x[i] = sqrt(law->low[i] * law->high[i]);
	share = n / LAW_ROWS;
	return fabs(model->probability / whole - share) <=
		       4 * sqrt(share * (1 - share) / LAW_ROWS) &&
	       fabs(middle / law_mean(law, part, x) - 1) <= 0.05;
}

static void judge_mixture(const struct law_table *law, const struct annotation *annotation,
			  const struct naming *naming, struct judgement *ret)
{
	const struct annotation_case *one = annotation->cases;
	const struct model *last = &one->models[one->n_models - 1];
	const bool rest = last->is_rest && has_rest(law->family);
	const double whole = rest ? 1 - last->probability : 1;
	unsigned i, j, seen = 0;

	ret->scopes = annotation->n_cases == 1 && !one->n_conditions &&
		      one->n_models == law->family->n_parts + rest;
	ret->classes = ret->scopes;
	for (i = 0; ret->scopes && i < law->family->n_parts; i++) {
		double middle = middle_of(law, annotation, naming, &one->models[i].mean);

		for (j = 0; j < law->family->n_parts; j++)
			if (is_component(law, j, &one->models[i], whole, middle))
				break;
		if (j == law->family->n_parts)
			ret->scopes = ret->classes = false;
		else if (!classes_are_right(annotation, naming, &one->models[i],
					    &law->family->parts[j]))
			ret->classes = false;
		seen |= 1u << j;
	}
	if (seen != (1u << law->family->n_parts) - 1)
		ret->scopes = ret->classes = false;
}

void law_judge(const struct law_table *law, const struct annotation *annotation,
	       struct judgement *ret)
{
	struct naming naming;

	*ret = (struct judgement){0};
	if (annotation->n_features > MODEL_FEATURES_MAX || annotation->n_cases > CASES_MAX)
		return;
	ret->features = features_are_right(law->family, annotation, &naming);
	if (law->family->choice == LAW_BY_CHANCE)
		judge_mixture(law, annotation, &naming, ret);
	else
		judge_parts(law, annotation, &naming, ret);
}

static bool has_mixture(const struct annotation *annotation)
{
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (annotation->cases[i].n_models > 1)
			return true;
	return false;
}

void law_tally(const struct law_family *family, unsigned tables, long seed, FILE *wrong,
	       struct tally *ret)
{
	unsigned i;

	*ret = (struct tally){.tables = tables};
	for (i = 0; i < tables; i++) {
		struct annotation *annotation;
		struct judgement judgement;
		struct law_table law;

		law_table_init(&law, family, seed + i);
		annotation = build(&law.table);
		law_judge(&law, annotation, &judgement);
		ret->features += judgement.features;
		ret->scopes += judgement.scopes;
		ret->classes += judgement.classes;
		ret->right += judgement_is_right(&judgement);
		ret->oracle += law_oracle(&law);
		ret->invented += family->choice != LAW_BY_CHANCE && !has_rest(family) &&
				 has_mixture(annotation);
		if (wrong && !judgement_is_right(&judgement)) {
			fprintf(wrong, "seed %ld: features %s, scopes %s, classes %s\n", seed + i,
				judgement.features ? "right" : "wrong",
				judgement.scopes ? "right" : "wrong",
				judgement.classes ? "right" : "wrong");
			law_print(&law, wrong);
			annotation_print(annotation, wrong);
		}
		annotation_destroy(annotation);
		law_table_deinit(&law);
	}
}

static bool is_free(const struct annotation *annotation)
{
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++)
			if (annotation->cases[i].models[j].growth >= GROWTH_FIXED)
				return true;
	return false;
}

static bool is_of_one_feature(const struct law_family *family)
{
	return family->choice == LAW_WHOLE && family->parts[0].n_terms == 1 &&
	       !law_uses(&family->parts[0], 1);
}

unsigned law_count_free(unsigned tables, long seed, FILE *wrong)
{
	unsigned found = 0, drawn = 0;
	size_t i;

	for (i = 0; drawn < tables; i++) {
		const struct law_family *family = &law_families[i % n_law_families];
		struct annotation *annotation;
		struct law_table law;

		if (!is_of_one_feature(family))
			continue;
		law_table_init(&law, family, seed + drawn++);
		annotation = build(&law.table);
		found += is_free(annotation);
		if (wrong && is_free(annotation)) {
			law_print(&law, wrong);
			annotation_print(annotation, wrong);
		}
		annotation_destroy(annotation);
		law_table_deinit(&law);
	}
	return found;
}
