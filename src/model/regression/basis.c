/*
 * Terms, their scaling, and which sets of them are models. basis_shape.c judges their sums,
 * candidate.c chooses.
 */
#include "basis.h"

#include <math.h>

#include "model/data/dataset.h"

/* The largest power of a term, both features together. */
#define POWER_MAX 3

bool basis_term_has(const struct basis_term *term, unsigned feature)
{
	unsigned i;

	for (i = 0; i < term->n; i++)
		if (term->factors[i].feature == feature)
			return true;
	return false;
}

static void add_term(struct basis *basis, struct basis_term term)
{
	if (basis->n_terms < BASIS_TERMS)
		basis->terms[basis->n_terms++] = term;
}

/* The logarithm of no elements is 0; that of a part of one is below 0. */
static bool has_growth(const struct basis_feature *feature, enum growth growth)
{
	const bool is_none = feature->whole && feature->min == 0;

	return (is_none || growth_is_defined(growth, feature->min)) &&
	       (growth == GROWTH_LINEAR || !feature->linear_only);
}

static void init_feature(struct basis_feature *feature)
{
	feature->scale = fmax(fabs(feature->min), fabs(feature->max));
	feature->log_scale = fmax(fabs(log(feature->scale)), 1);
	feature->linear_only |= feature->min < 0;
}

/* The fastest growths are never factors. */
static bool is_product(enum growth a, enum growth b, bool all)
{
	const double left = growth_info(a)->power, right = growth_info(b)->power;

	if (!all)
		return a == GROWTH_LINEAR && b == GROWTH_LINEAR;
	return left + right <= POWER_MAX && left < POWER_MAX && right < POWER_MAX;
}

/* Of the last two features. */
static void add_products(struct basis *basis, bool all)
{
	const unsigned second = basis->n_features - 1;
	const unsigned first = second - 1;
	enum growth a, b;

	if (basis->features[first].min < 0 || basis->features[second].min < 0)
		return;
	for (a = GROWTH_LOG; a < GROWTH_FIXED; a++)
		for (b = GROWTH_LOG; b < GROWTH_FIXED; b++)
			if (is_product(a, b, all) && has_growth(&basis->features[first], a) &&
			    has_growth(&basis->features[second], b))
				add_term(basis, (struct basis_term){2, {{first, a}, {second, b}}});
}

/* The constant, unless present, and the terms of the new features alone. */
static void add_own(struct basis *basis, bool constant)
{
	enum growth growth;
	unsigned i;

	if (!constant)
		add_term(basis, (struct basis_term){.n = 0});
	for (i = basis->n_features - basis->n_new; i < basis->n_features; i++)
		init_feature(&basis->features[i]);
	for (growth = GROWTH_LOG; growth < GROWTH_FIXED; growth++)
		for (i = basis->n_features - basis->n_new; i < basis->n_features; i++)
			if (has_growth(&basis->features[i], growth))
				add_term(basis, (struct basis_term){1, {{i, growth}}});
}

struct basis_feature basis_feature(enum feature_type type, double min, double max, size_t distinct)
{
	return (struct basis_feature){
		.min = min,
		.max = max,
		.whole = type == FEATURE_INT,
		.linear_only = type == FEATURE_BOOL || distinct < DISTINCT_MAX - 1,
	};
}

void basis_init(struct basis *basis, bool products)
{
	basis->n_terms = 0;
	basis->n_fixed = 0;
	basis->n_new = basis->n_features;
	add_own(basis, false);
	if (basis->n_features == 2)
		add_products(basis, products);
}

void basis_init_free(struct basis *basis, enum growth growth)
{
	init_feature(&basis->features[0]);
	basis->n_terms = basis->n_fixed = 0;
	basis->n_new = basis->n_features;
	add_term(basis, (struct basis_term){.n = 0});
	add_term(basis, (struct basis_term){1, {{0, growth}}});
}

static bool same_term(const struct basis_term *a, const struct basis_term *b)
{
	unsigned i = 0;

	while (i < a->n && i < b->n && a->factors[i].feature == b->factors[i].feature &&
	       a->factors[i].growth == b->factors[i].growth)
		i++;
	return i == a->n && i == b->n;
}

/* Multiply @product by the new feature's @growth. */
static void add_widened(struct basis *basis, struct basis_term product, enum growth growth)
{
	const unsigned new = basis->n_features - 1;
	unsigned i;

	product.factors[product.n++] = (struct basis_factor){new, growth};
	for (i = 0; i < basis->n_terms; i++)
		if (same_term(&basis->terms[i], &product))
			return;
	if (has_growth(&basis->features[new], growth))
		add_term(basis, product);
}

/* Products of the new feature with @product, and the plain one of all: noise may bend factors. */
static void add_wider(struct basis *basis, struct basis_term product)
{
	unsigned i;

	add_widened(basis, product, GROWTH_LOG);
	add_widened(basis, product, GROWTH_LINEAR);
	for (i = 0; i < product.n; i++)
		product.factors[i].growth = GROWTH_LINEAR;
	add_widened(basis, product, GROWTH_LINEAR);
}

/* Products of the new feature with each factor of the fixed terms, and each of their products. */
static void add_mixed_products(struct basis *basis)
{
	const unsigned new = basis->n_features - 1;
	enum growth growth;
	unsigned i;

	for (i = 0; i < basis->n_fixed; i++) {
		const struct basis_term term = basis->terms[i];
		const struct basis_factor other = term.factors[0];

		if (basis->features[new].min < 0)
			return;
		if (term.n > 1)
			add_wider(basis, term);
		if (term.n != 1 || basis->features[other.feature].min < 0)
			continue;
		for (growth = GROWTH_LOG; growth < GROWTH_FIXED; growth++)
			if (is_product(other.growth, growth, true) &&
			    has_growth(&basis->features[new], growth))
				add_term(basis, (struct basis_term){2, {other, {new, growth}}});
	}
}

void basis_extend(const struct basis *basis, basis_mask mask, const struct basis_feature *features,
		  unsigned n, struct basis *ret)
{
	struct basis wider = *basis;
	unsigned i;

	wider.n_terms = 0;
	for (i = 0; i < basis->n_terms; i++)
		if (mask & basis_bit(i))
			add_term(&wider, basis->terms[i]);
	wider.n_fixed = wider.n_terms;
	wider.n_new = n;
	for (i = 0; i < n; i++)
		wider.features[wider.n_features++] = features[i];
	add_own(&wider, mask & 1);
	if (n == 2)
		add_products(&wider, true);
	else
		add_mixed_products(&wider);
	*ret = wider;
}

/* @x under @growth, 1 at the feature's scale, or maximum. */
static double factor_value(const struct basis_feature *feature, enum growth growth, double x)
{
	if (growth == GROWTH_POWER)
		return pow(x / feature->scale, feature->power);
	if (growth == GROWTH_EXPONENTIAL)
		return pow(feature->base, x - feature->max);
	return growth_scaled(growth, x, feature->scale, feature->log_scale);
}

/* Undo that scaling of the coefficient @c. */
static double factor_unscale(const struct basis_feature *feature, enum growth growth, double c)
{
	if (growth == GROWTH_POWER)
		return c / pow(feature->scale, feature->power);
	if (growth == GROWTH_EXPONENTIAL)
		return c / pow(feature->base, feature->max);
	return growth_unscale(growth, c, feature->scale, feature->log_scale);
}

double basis_value(const struct basis *basis, unsigned term, const double *x)
{
	double product = 1;
	unsigned i;

	for (i = 0; i < basis->terms[term].n; i++) {
		const struct basis_factor *factor = &basis->terms[term].factors[i];
		const struct basis_feature *feature = &basis->features[factor->feature];

		product *= factor_value(feature, factor->growth, x[factor->feature]);
	}
	return product;
}

bool basis_is_model(const struct basis *basis, basis_mask mask)
{
	unsigned i, j;

	if (!mask)
		return false;
	for (i = 0; i < basis->n_features; i++) {
		for (j = 0; j < basis->n_terms; j++)
			if ((mask & basis_bit(j)) && basis_term_has(&basis->terms[j], i))
				break;
		if (j == basis->n_terms)
			return false;
	}
	return true;
}

/* The term with @growth of @feature alone; 0: none. */
static basis_mask own_term(const struct basis *basis, unsigned feature, enum growth growth)
{
	unsigned i;

	for (i = basis->n_fixed; i < basis->n_terms; i++)
		if (basis_term_is_own(&basis->terms[i], feature) &&
		    basis->terms[i].factors[0].growth == growth)
			return basis_bit(i);
	return 0;
}

enum { SHAPES = 2 * GROWTH_FIXED };

/* The ways to use one feature alone: a growth, or a line and a faster one. */
static unsigned own_shapes(const struct basis *basis, unsigned feature, basis_mask *ret)
{
	const basis_mask line = own_term(basis, feature, GROWTH_LINEAR);
	enum growth growth;
	unsigned n = 0;

	for (growth = GROWTH_LOG; growth < GROWTH_FIXED; growth++) {
		basis_mask own = own_term(basis, feature, growth);

		if (!own)
			continue;
		ret[n++] = own;
		if (line && growth > GROWTH_LINEAR)
			ret[n++] = own | line;
	}
	return n;
}

struct models {
	basis_mask *list;
	size_t n;
};

static void basis_add_model(struct models *models, basis_mask mask)
{
	size_t i;

	for (i = 0; i < models->n; i++)
		if (models->list[i] == mask)
			return;
	if (models->n < BASIS_MODELS)
		models->list[models->n++] = mask;
}

/* Lower terms for a factor of a product: none, a line, the factor itself. */
static unsigned lower_shapes(const struct basis *basis, const struct basis_factor *factor,
			     basis_mask *ret)
{
	unsigned n = 0;

	ret[n++] = 0;
	ret[n++] = own_term(basis, factor->feature, GROWTH_LINEAR);
	if (factor->growth != GROWTH_LINEAR)
		ret[n++] = own_term(basis, factor->feature, factor->growth);
	return n;
}

static void add_product_models(const struct basis *basis, basis_mask with, struct models *models)
{
	unsigned term, i, j;

	for (term = basis->n_fixed; term < basis->n_terms; term++) {
		basis_mask first[3], second[3];
		unsigned n, m;

		if (basis->terms[term].n != 2)
			continue;
		n = lower_shapes(basis, &basis->terms[term].factors[0], first);
		m = lower_shapes(basis, &basis->terms[term].factors[1], second);
		for (i = 0; i < n; i++)
			for (j = 0; j < m; j++)
				basis_add_model(models,
						with | basis_bit(term) | first[i] | second[j]);
	}
}

/* Products of more than two, with some of the @fixed terms and a line of the last. */
static void add_wide_models(const struct basis *basis, basis_mask fixed, basis_mask constant,
			    struct models *models)
{
	unsigned term;

	for (term = basis->n_fixed; term < basis->n_terms; term++) {
		const basis_mask line = own_term(basis, basis->n_features - 1, GROWTH_LINEAR);
		basis_mask kept = fixed;

		if (basis->terms[term].n < 3)
			continue;
		for (;; kept = (kept - 1) & fixed) {
			const basis_mask mask = basis_bit(term) | kept;

			if (basis_is_model(basis, mask)) {
				basis_add_model(models, mask | constant);
				basis_add_model(models, mask | constant | line);
				basis_add_model(models, mask);
			}
			if (!kept)
				break;
		}
	}
}

static void add_sums(const struct basis *basis, basis_mask with, struct models *models)
{
	basis_mask first[SHAPES], second[SHAPES];
	const unsigned last = basis->n_features - 1;
	const unsigned n = own_shapes(basis, last, first);
	unsigned m = 0;
	unsigned i, j;

	if (basis->n_new == 2)
		m = own_shapes(basis, last - 1, second);
	for (i = 0; i < n; i++) {
		if (!m)
			basis_add_model(models, with | first[i]);
		for (j = 0; j < m; j++)
			basis_add_model(models, with | first[i] | second[j]);
	}
}

size_t basis_models(const struct basis *basis, basis_mask *ret)
{
	const basis_mask fixed = basis->n_fixed ? basis_bit(basis->n_fixed) - 1 : 0;
	struct models models = {.list = ret};
	basis_mask constant = 0;
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		if (!basis->terms[i].n)
			constant = basis_bit(i);
	if (!basis->n_features) {
		basis_add_model(&models, constant);
		return models.n;
	}
	add_sums(basis, fixed | constant, &models);
	add_product_models(basis, fixed | constant, &models);
	if (!(fixed & constant)) {
		add_sums(basis, fixed, &models);
		add_product_models(basis, fixed, &models);
	}
	add_wide_models(basis, fixed & ~constant, constant, &models);
	return models.n;
}

enum growth basis_growth(const struct basis *basis, basis_mask mask)
{
	enum growth fastest = GROWTH_CONSTANT;
	unsigned i, j;

	for (i = 0; i < basis->n_terms; i++)
		for (j = 0; (mask & basis_bit(i)) && j < basis->terms[i].n; j++)
			if (basis->terms[i].factors[j].growth > fastest)
				fastest = basis->terms[i].factors[j].growth;
	return fastest;
}

unsigned basis_products(const struct basis *basis, basis_mask mask)
{
	unsigned products = 0;
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		products += (mask & basis_bit(i)) && basis->terms[i].n > 1;
	return products;
}

static enum growth growth_in(const struct basis_term *term, unsigned feature)
{
	unsigned i;

	for (i = 0; i < term->n; i++)
		if (term->factors[i].feature == feature)
			return term->factors[i].growth;
	return GROWTH_CONSTANT;
}

static bool dominates(const struct basis_term *faster, const struct basis_term *slower)
{
	unsigned i;

	for (i = 0; i < slower->n; i++)
		if (growth_in(faster, slower->factors[i].feature) < slower->factors[i].growth)
			return false;
	return true;
}

bool basis_leads(const struct basis *basis, basis_mask mask, unsigned term)
{
	unsigned i;

	if (!basis->terms[term].n)
		return false;
	for (i = 0; i < basis->n_terms; i++)
		if (i != term && (mask & basis_bit(i)) &&
		    dominates(&basis->terms[i], &basis->terms[term]))
			return false;
	return true;
}

bool basis_coefficient(const struct basis *basis, unsigned term, double scaled, double unit,
		       double *ret)
{
	double c = scaled * unit;
	unsigned i;

	for (i = 0; i < basis->terms[term].n; i++) {
		const struct basis_factor *factor = &basis->terms[term].factors[i];
		const struct basis_feature *feature = &basis->features[factor->feature];

		c = factor_unscale(feature, factor->growth, c);
	}
	*ret = c;
	return isfinite(c) && (fabs(c) >= 1e-300 || scaled == 0);
}

void basis_factors(const struct basis *basis, unsigned term, struct term *ret)
{
	unsigned i;

	ret->n_factors = basis->terms[term].n;
	for (i = 0; i < ret->n_factors; i++) {
		const struct basis_factor *factor = &basis->terms[term].factors[i];

		ret->factors[i] = (struct factor){
			.feature = factor->feature,
			.power = factor->growth == GROWTH_POWER
					 ? basis->features[factor->feature].power
					 : growth_info(factor->growth)->power,
			.log = growth_info(factor->growth)->log,
		};
		if (factor->growth == GROWTH_EXPONENTIAL) {
			ret->factors[i].kind = FACTOR_EXPONENTIAL;
			ret->factors[i].power = 1;
			ret->factors[i].base = basis->features[factor->feature].base;
		}
	}
}
