/* Bindings become formulas of the features, which are added where they are new. */
#include "compose_write.h"

#include <math.h>
#include <string.h>

#include "model/data/short_name.h"

static unsigned compose_find_feature(const struct annotation *own, const struct column *column)
{
	struct annotation_affine map;
	unsigned i;

	for (i = 0; i < own->n_features; i++)
		if (annotation_feature_find(&own->features[i], column->name, &map) &&
		    map.scale == 1 && map.offset == 0)
			break;
	return i;
}

static void find_range(const struct samples *samples, const struct column *column,
		       struct annotation_feature *ret)
{
	ret->min = ret->max = NAN;
	for (size_t i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT) {
			ret->min = fmin(ret->min, column->numbers[i]);
			ret->max = fmax(ret->max, column->numbers[i]);
		}
}

static void compose_add_feature(struct annotation *own, const struct samples *samples,
				const struct column *column)
{
	const size_t n = own->n_features;
	struct annotation_feature *features =
		arena_array(own->arena, struct annotation_feature, n + 1);
	const char **taken = arena_array(own->arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++) {
		features[i] = own->features[i];
		taken[i] = features[i].name;
	}
	features[n] =
		(struct annotation_feature){.name = short_name(own->arena, column->name, taken, n),
					    .type = column->type,
					    .expression = arena_strdup(own->arena, column->name)};
	find_range(samples, column, &features[n]);
	own->features = features;
	own->n_features = n + 1;
}

/* The terms of @affine times those factors that @like has; returns how many. */
static size_t write_terms(const struct annotation *own, const struct affine *affine,
			  const struct term *like, struct term *ret)
{
	size_t n = 0;

	if (affine->offset != 0) {
		ret[n] = *like;
		ret[n++].coefficient = annotation_number(affine->offset);
	}
	if (affine->of) {
		ret[n] = *like;
		ret[n].coefficient = annotation_number(affine->scale);
		ret[n].factors[ret[n].n_factors++] = (struct factor){
			.feature = compose_find_feature(own, affine->of), .power = 1};
		n++;
	}
	return n;
}

static struct formula write_affine(const struct annotation *own, const struct affine *affine)
{
	const struct term none = {.std_error = NAN};
	struct term *terms = arena_array(own->arena, struct term, 2);

	return (struct formula){terms, write_terms(own, affine, &none, terms)};
}

static struct factor write_reference(const struct annotation *own, const struct annotation *callee,
				     const struct affine *features)
{
	struct reference *reference = arena_new(own->arena, struct reference);
	struct binding *bindings = arena_array(own->arena, struct binding, callee->n_features + 1);

	for (size_t i = 0; i < callee->n_features; i++)
		bindings[i] = (struct binding){arena_strdup(own->arena, callee->features[i].name),
					       write_affine(own, &features[i])};
	*reference = (struct reference){arena_strdup(own->arena, callee->function), bindings,
					callee->n_features};
	return (struct factor){.kind = FACTOR_REFERENCE, .power = 1, .reference = reference};
}

/* At most two for each reference. */
static size_t write_callee(const struct annotation *own, const struct bound_callee *callee,
			   struct term *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < callee->bindings.n; i++) {
		struct term like = {.std_error = NAN, .n_factors = 1};

		like.factors[0] =
			write_reference(own, callee->annotation, callee->bindings.features[i]);
		n += write_terms(own, &callee->bindings.count, &like, ret + n);
	}
	return n;
}

static struct formula add_terms(const struct annotation *own, const struct formula *mean,
				const struct term *terms, size_t n)
{
	struct term *ret = arena_array(own->arena, struct term, mean->n_terms + n + 1);
	size_t n_ret = 0;

	for (size_t i = 0; i < mean->n_terms; i++)
		if (mean->terms[i].coefficient != 0)
			ret[n_ret++] = mean->terms[i];
	memcpy(ret + n_ret, terms, n * sizeof(*ret));
	return (struct formula){ret, n_ret + n};
}

static void compose_add_features(struct annotation *own, const struct samples *samples,
				 const struct bindings *bindings)
{
	const struct column *count = bindings->count.of;

	if (count && compose_find_feature(own, count) == own->n_features)
		compose_add_feature(own, samples, count);
	for (size_t i = 0; i < bindings->n; i++)
		for (size_t j = 0; j < bindings->n_features; j++) {
			const struct column *of = bindings->features[i][j].of;

			if (of && compose_find_feature(own, of) == own->n_features)
				compose_add_feature(own, samples, of);
		}
}

/* Is there a reference of a feature of the caller, or of @feature if that is not NULL? */
static bool follows(const struct bindings *bindings, const struct column *feature)
{
	for (size_t i = 0; i < bindings->n; i++)
		for (size_t j = 0; j < bindings->n_features; j++) {
			const struct column *of = bindings->features[i][j].of;

			if (of && (!feature || of == feature))
				return true;
		}
	return false;
}

/* The fastest growth in one feature of the caller. */
static enum growth callee_growth(const struct bound_callee *callee)
{
	const struct column *count = callee->bindings.count.of;
	enum growth growth = GROWTH_CONSTANT;

	for (size_t i = 0; i < callee->annotation->n_cases && follows(&callee->bindings, NULL); i++)
		for (size_t j = 0; j < callee->annotation->cases[i].n_models; j++)
			if (callee->annotation->cases[i].models[j].growth > growth)
				growth = callee->annotation->cases[i].models[j].growth;
	if (!count || growth >= GROWTH_FIXED)
		return growth;
	if (follows(&callee->bindings, count))
		return growth_of(growth_info(growth)->power + 1, growth_info(growth)->log);
	return growth > GROWTH_LINEAR ? growth : GROWTH_LINEAR;
}

void compose_write(struct annotation *own, const struct samples *samples,
		   const struct bound_callee *callees, size_t n)
{
	struct annotation_case *cases =
		arena_array(own->arena, struct annotation_case, own->n_cases + 1);
	struct term *terms = arena_array(own->arena, struct term, 2 * REFERENCES_MOST * n + 1);
	enum growth growth = GROWTH_CONSTANT;
	size_t n_terms = 0;

	for (size_t i = 0; i < n; i++)
		compose_add_features(own, samples, &callees[i].bindings);
	for (size_t i = 0; i < n; i++) {
		n_terms += write_callee(own, &callees[i], terms + n_terms);
		if (callee_growth(&callees[i]) > growth)
			growth = callee_growth(&callees[i]);
	}
	for (size_t i = 0; i < own->n_cases; i++) {
		struct model *model = arena_copy(own->arena, own->cases[i].models, sizeof(*model));

		model->mean = add_terms(own, &model->mean, terms, n_terms);
		model->growth = growth > model->growth ? growth : model->growth;
		model->is_unexplained &= growth == GROWTH_CONSTANT;
		cases[i] = own->cases[i];
		cases[i].models = model;
	}
	own->cases = cases;
}
