/*
 * One walk over an annotation both writes and reads: numbers as hexadecimal texts, texts with their
 * lengths, arrays with their numbers of items. What was read is checked.
 */
#include "annotation_store.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Whoever adds a field to one of these adds it to the walk, too; `curve` is made anew. */
_Static_assert(sizeof(struct annotation) == 232 && sizeof(struct annotation_feature) == 112 &&
		       sizeof(struct annotation_case) == 32 && sizeof(struct model) == 128 &&
		       sizeof(struct condition) == 32 && sizeof(struct term) == 536,
	       "all fields are stored");

enum { ITEMS_MOST = 4096 };

struct walk {
	FILE *out; /* NULL: reading */
	const char *at, *end;
	struct arena *arena;
	bool failed;
};

/* The token that begins here, up to a blank; NULL: none. */
static const char *store_token(struct walk *walk)
{
	const char *blank = walk->failed ? NULL : memchr(walk->at, ' ', walk->end - walk->at);
	const char *token = walk->at;

	if (!blank) {
		walk->failed = true;
		return NULL;
	}
	walk->at = blank + 1;
	return token;
}

static void store_number(struct walk *walk, double *number)
{
	const char *token;
	char *end;

	if (walk->out) {
		fprintf(walk->out, "%a ", *number);
		return;
	}
	token = store_token(walk);
	if (!token)
		return;
	*number = strtod(token, &end);
	walk->failed |= end != walk->at - 1 || end == token;
}

/* At most @most. */
static void store_size(struct walk *walk, size_t *size, size_t most)
{
	const char *token;
	char *end;

	if (walk->out) {
		fprintf(walk->out, "%zu ", *size);
		walk->failed |= *size > most;
		return;
	}
	token = store_token(walk);
	if (!token)
		return;
	*size = strtoull(token, &end, 10);
	walk->failed |= end != walk->at - 1 || end == token || *token == '-' || *size > most;
	if (walk->failed)
		*size = 0;
}

/* An enumeration, or a truth. Its type has the size of an unsigned, or of a bool. */
#define STORE_WHOLE(walk, field, most)                                   \
	do {                                                             \
		size_t store_whole_ = (walk)->out ? (size_t)(field) : 0; \
                                                                         \
		store_size(walk, &store_whole_, most);                   \
		(field) = store_whole_;                                  \
	} while (0)

/* NULL is another text than "". */
static void store_text(struct walk *walk, const char **text)
{
	size_t length = walk->out && *text ? strlen(*text) + 1 : 0;

	store_size(walk, &length, walk->out ? SIZE_MAX : (size_t)(walk->end - walk->at));
	if (walk->failed || !length) {
		if (!walk->out)
			*text = NULL;
		return;
	}
	length--;
	if (walk->out) {
		fwrite(*text, 1, length, walk->out);
		return;
	}
	walk->failed |= memchr(walk->at, '\0', length) != NULL;
	*text = arena_printf(walk->arena, "%.*s", (int)length, walk->at);
	walk->at += length;
}

/* The items of an array, whose number is @n; reading makes zeroed ones. */
#define STORE_ITEMS(walk, type, items, n, visit)                                                  \
	do {                                                                                      \
		type *store_items_ = (type *)(items);                                             \
                                                                                                  \
		store_size(walk, &(n), ITEMS_MOST);                                               \
		if (!(walk)->out)                                                                 \
			(items) = store_items_ = arena_array((walk)->arena, type, (n) + 1);       \
		for (size_t store_item_ = 0; store_item_ < (n) && !(walk)->failed; store_item_++) \
			visit(walk, &store_items_[store_item_]);                                  \
	} while (0)

static void store_affine(struct walk *walk, struct annotation_affine *affine)
{
	store_text(walk, &affine->expression);
	store_number(walk, &affine->scale);
	store_number(walk, &affine->offset);
	walk->failed |= !affine->expression;
}

static void store_name(struct walk *walk, const char **name)
{
	store_text(walk, name);
	walk->failed |= !*name;
}

static void store_feature(struct walk *walk, struct annotation_feature *feature)
{
	store_name(walk, &feature->name);
	STORE_WHOLE(walk, feature->type, FEATURE_TYPE_COUNT - 1);
	store_name(walk, &feature->expression);
	store_number(walk, &feature->min);
	store_number(walk, &feature->max);
	STORE_ITEMS(walk, const char *, feature->aliases, feature->n_aliases, store_name);
	store_size(walk, &feature->n_more, SIZE_MAX);
	STORE_ITEMS(walk, struct annotation_affine, feature->affine, feature->n_affine,
		    store_affine);
	store_size(walk, &feature->n_affine_more, SIZE_MAX);
	STORE_ITEMS(walk, const char *, feature->kin, feature->n_kin, store_name);
	store_size(walk, &feature->n_kin_more, SIZE_MAX);
}

static const struct factor *store_plain_feature(const struct formula *formula)
{
	return &formula->terms->factors[0];
}

/* A feature: models have no other exponents. */
static void store_exponent(struct walk *walk, struct factor *factor)
{
	struct factor plain = {.power = 1};
	struct term *term;
	struct formula *exponent;

	if (walk->out) {
		const struct formula *from = factor->arguments;

		plain = *store_plain_feature(from);
		walk->failed |= from->n_terms != 1 || from->terms->n_factors != 1 ||
				from->terms->coefficient != 1 || plain.kind != FACTOR_FEATURE ||
				plain.power != 1 || plain.log;
	}
	STORE_WHOLE(walk, plain.feature, UINT32_MAX);
	if (walk->out)
		return;
	term = arena_new(walk->arena, struct term);
	exponent = arena_new(walk->arena, struct formula);
	*term = (struct term){.coefficient = 1, .std_error = NAN, .n_factors = 1};
	term->factors[0] = plain;
	*exponent = (struct formula){term, 1};
	factor->arguments = exponent;
	factor->n_arguments = 1;
}

static void store_factor(struct walk *walk, struct factor *factor)
{
	STORE_WHOLE(walk, factor->feature, UINT32_MAX);
	store_number(walk, &factor->power);
	STORE_WHOLE(walk, factor->log, UINT32_MAX);
	STORE_WHOLE(walk, factor->kind, FACTOR_EXPONENTIAL);
	store_number(walk, &factor->base);
	if (factor->kind == FACTOR_EXPONENTIAL)
		store_exponent(walk, factor);
	else
		walk->failed |= factor->kind != FACTOR_FEATURE;
}

static void store_term(struct walk *walk, struct term *term)
{
	unsigned i;

	store_number(walk, &term->coefficient);
	store_number(walk, &term->std_error);
	STORE_WHOLE(walk, term->n_factors, FACTORS_MAX);
	for (i = 0; i < term->n_factors && !walk->failed; i++)
		store_factor(walk, &term->factors[i]);
}

static void store_formula(struct walk *walk, struct formula *formula)
{
	STORE_ITEMS(walk, struct term, formula->terms, formula->n_terms, store_term);
}

static void store_model(struct walk *walk, struct model *model)
{
	store_number(walk, &model->probability);
	STORE_WHOLE(walk, model->heuristic, HEURISTIC_TREND);
	store_formula(walk, &model->mean);
	store_formula(walk, &model->deviation);
	store_number(walk, &model->spread);
	STORE_WHOLE(walk, model->growth, GROWTH_COUNT - 1);
	store_number(walk, &model->free_low);
	store_number(walk, &model->free_high);
	STORE_WHOLE(walk, model->is_unexplained, 1);
	STORE_WHOLE(walk, model->is_rest, 1);
	store_number(walk, &model->low);
	store_number(walk, &model->high);
	store_size(walk, &model->n_samples, SIZE_MAX);
	store_number(walk, &model->r2);
	store_number(walk, &model->cv_r2);
	store_number(walk, &model->error);
}

static void store_condition(struct walk *walk, struct condition *condition)
{
	STORE_WHOLE(walk, condition->feature, UINT32_MAX);
	STORE_WHOLE(walk, condition->comparison, IS_ABSENT);
	store_number(walk, &condition->number);
	store_text(walk, &condition->symbol);
	STORE_WHOLE(walk, condition->of_pair, 1);
	STORE_WHOLE(walk, condition->other, UINT32_MAX);
}

static void store_case(struct walk *walk, struct annotation_case *one)
{
	STORE_ITEMS(walk, struct condition, one->scope, one->n_conditions, store_condition);
	STORE_ITEMS(walk, struct model, one->models, one->n_models, store_model);
	walk->failed |= !one->n_models;
}

static void store_annotation(struct walk *walk, struct annotation *annotation)
{
	store_name(walk, &annotation->function);
	store_text(walk, &annotation->linkage);
	store_text(walk, &annotation->file);
	STORE_WHOLE(walk, annotation->line, UINT32_MAX);
	store_text(walk, &annotation->module);
	STORE_WHOLE(walk, annotation->metric, METRIC_COUNT - 1);
	store_text(walk, &annotation->where);
	store_size(walk, &annotation->where_kept, SIZE_MAX);
	store_size(walk, &annotation->where_of, SIZE_MAX);
	store_size(walk, &annotation->n_samples, SIZE_MAX);
	store_size(walk, &annotation->n_runs, SIZE_MAX);
	store_number(walk, &annotation->run_deviation);
	store_number(walk, &annotation->load.threads);
	store_number(walk, &annotation->load.preempted);
	store_number(walk, &annotation->load.stolen);
	store_number(walk, &annotation->load.resolution);
	STORE_ITEMS(walk, struct annotation_feature, annotation->features, annotation->n_features,
		    store_feature);
	STORE_ITEMS(walk, struct annotation_case, annotation->cases, annotation->n_cases,
		    store_case);
	STORE_WHOLE(walk, annotation->left_out.is_known, 1);
	store_size(walk, &annotation->left_out.n_far, SIZE_MAX);
	store_size(walk, &annotation->left_out.n_unread, SIZE_MAX);
	store_number(walk, &annotation->left_out.cost);
	store_number(walk, &annotation->left_out.share);
	STORE_ITEMS(walk, const char *, annotation->notes, annotation->n_notes, store_name);
}

char *annotation_store_write(const struct annotation *annotation, size_t *ret_size)
{
	struct annotation copy = *annotation; /* writing changes nothing that it points to */
	struct walk walk = {.arena = annotation->arena};
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, ret_size);

	walk.out = out;
	store_annotation(&walk, &copy);
	fclose(out);
	if (!walk.failed)
		return bytes;
	free(bytes);
	return NULL;
}

static unsigned factor_feature(const struct factor *factor)
{
	return factor->kind == FACTOR_EXPONENTIAL ? store_plain_feature(factor->arguments)->feature
						  : factor->feature;
}

static bool formula_fits(const struct annotation *annotation, const struct formula *formula)
{
	size_t i;
	unsigned j;

	for (i = 0; i < formula->n_terms; i++)
		for (j = 0; j < formula->terms[i].n_factors; j++)
			if (factor_feature(&formula->terms[i].factors[j]) >= annotation->n_features)
				return false;
	return true;
}

static bool case_fits(const struct annotation *annotation, const struct annotation_case *one)
{
	size_t i;

	for (i = 0; i < one->n_conditions; i++)
		if (one->scope[i].feature >= annotation->n_features ||
		    one->scope[i].other >= annotation->n_features)
			return false;
	for (i = 0; i < one->n_models; i++)
		if (!formula_fits(annotation, &one->models[i].mean) ||
		    !formula_fits(annotation, &one->models[i].deviation))
			return false;
	return true;
}

struct annotation *annotation_store_read(const char *bytes, size_t size)
{
	struct annotation *annotation = annotation_create();
	char *copy = arena_array(annotation->arena, char,
				 size_sum(size, 1)); /* with a zero at its end */
	struct walk walk = {.at = copy, .end = copy + size, .arena = annotation->arena};
	size_t i;

	memcpy(copy, bytes, size);
	store_annotation(&walk, annotation);
	for (i = 0; i < annotation->n_cases && !walk.failed; i++)
		walk.failed = !case_fits(annotation, &annotation->cases[i]);
	if (!walk.failed && walk.at == walk.end)
		return annotation;
	annotation_destroy(annotation);
	return NULL;
}
