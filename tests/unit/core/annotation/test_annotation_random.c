/*
 * Whatever an annotation says, its text says: random ones are printed, parsed, and compared, as
 * trees and by what they predict. Order of terms, and texts that are not names, are the printer's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../support/annotation_texts.h"

enum { FEATURES = 4, ROUNDS = 1000, POINTS = 5 };

static const char *const functions[] = {
	"main",
	"A::~A()",
	"operator<<(std::ostream&, P const&)",
	"operator \"\" _km(long double)",
	"void f<(K)2, &g>(int (*)(char), void (S::*)() const) const &",
	"(anonymous namespace)::g[abi:cxx11](std::map<int, P>::iterator)",
	"main::{lambda(int, auto:1)#2}::operator()(int) const",
	"operator&&(X, Y)",
	"bool operator->*<A, B>(A, B)",
	"bool (*pick<'a', -1>())(int)",
	"größe(数 const*)",
	"$a_b.isra.0",
	"operator new[](unsigned long)",
	"T<&(x.y)>::operator bool()",
	"f() [clone .cold]",
	"@odd = {\"x\"; // y\n}",
};

static const char *const expressions[] = {
	"n",
	"this->_M_impl._M_node._M_size",
	"*(*p)->next",
	"names[3].length()",
	"p != NULL",
	"((struct list *)self)->n",
	"größe",
	"strlen(s) / 2",
	"index[\"a\"]",
	"a // b;",
	"T<int, 2>::count",
	"\\d+",
};

static unsigned long long seed = 1;

static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static const char *text_of(const char *const *texts, size_t n)
{
	return texts[below((unsigned)n)];
}

#define ANY(texts) text_of(texts, sizeof(texts) / sizeof(*(texts)))

static double number(void)
{
	switch (below(4)) {
	case 0:
		return 1 + below(20);
	case 1:
		return (below(2000000) + 1) / 7.0;
	case 2:
		return ldexp(1 + below(1000) / 999.0, (int)below(80) - 40);
	}
	return 1;
}

static double signed_number(void)
{
	return below(2) ? number() : -number();
}

static struct formula formula_of(struct arena *arena, unsigned depth);

static const struct reference *reference_of(struct arena *arena, unsigned depth)
{
	struct reference *reference = arena_array(arena, struct reference, 1);
	struct binding *bindings = arena_array(arena, struct binding, 2);

	reference->function = ANY(functions);
	reference->bindings = bindings;
	reference->n_bindings = below(3);
	for (size_t i = 0; i < reference->n_bindings; i++)
		bindings[i] = (struct binding){i ? "m" : "k", formula_of(arena, depth + 1)};
	return reference;
}

static struct factor factor_of(struct arena *arena, unsigned depth)
{
	static const double powers[] = {1, 1, 2, 3, 0.5, 1.25, -1, -2, -1.5};
	const unsigned kind = below(depth < 2 ? 8 : 3);
	struct factor factor = {.kind = kind < 4 ? FACTOR_FEATURE : kind - 3,
				.power = powers[below(sizeof(powers) / sizeof(*powers))],
				.feature = below(FEATURES)};
	struct formula *arguments;

	if (factor.kind == FACTOR_FEATURE) {
		factor.log = below(3) ? 0 : 1 + below(3);
		if (factor.log && below(2))
			factor.power = 0;
		return factor;
	}
	if (factor.kind == FACTOR_REFERENCE) {
		factor.reference = reference_of(arena, depth);
		return factor;
	}
	factor.function = below(FUNCTION_COUNT);
	factor.n_arguments =
		factor.kind == FACTOR_FUNCTION && factor.function >= FUNCTION_MIN ? 2 : 1;
	factor.arguments = arguments = arena_array(arena, struct formula, 2);
	for (size_t i = 0; i < factor.n_arguments; i++)
		arguments[i] = formula_of(arena, factor.kind == FACTOR_EXPONENTIAL ? 2 : depth + 1);
	if (factor.kind == FACTOR_EXPONENTIAL) {
		factor.base = 1 + (below(90) + 1) / 10.0;
		factor.power = 1;
	}
	return factor;
}

/* In another, no sum cancels, where order would count, or is constant, which may be no number. */
static struct formula formula_of(struct arena *arena, unsigned depth)
{
	const size_t n = depth ? 1 + below(2) : below(4);
	struct term *terms = arena_array(arena, struct term, n + 1);

	for (size_t i = 0; i < n; i++) {
		const bool varies = depth && i + 1 == n;

		terms[i].coefficient = depth && n > 1 ? number() : signed_number();
		terms[i].n_factors = varies + below(4 - varies);
		for (unsigned j = 0; j < terms[i].n_factors; j++)
			terms[i].factors[j] = factor_of(arena, depth);
		if (varies) /* other powers do not cancel it */
			terms[i].factors[0] = (struct factor){.power = 0.7};
	}
	return (struct formula){terms, n};
}

/* A deviation that is a constant below 0 is refused. */
static struct formula deviation_of(struct arena *arena)
{
	const struct formula formula = formula_of(arena, 0);

	for (size_t i = 0; i < formula.n_terms; i++)
		((struct term *)formula.terms)[i].coefficient = fabs(formula.terms[i].coefficient);
	return formula;
}

static const enum feature_type types[FEATURES] = {FEATURE_INT, FEATURE_FLOAT, FEATURE_CLASS,
						  FEATURE_BOOL};

static struct condition condition_of(void)
{
	struct condition condition = {.feature = below(FEATURES)};

	condition.comparison = IS_DEFINED + below(2);
	if (!below(4))
		return condition;
	if (types[condition.feature] == FEATURE_BOOL) {
		condition.comparison = IS_TRUE + below(2);
	} else if (types[condition.feature] == FEATURE_CLASS) {
		condition.comparison = EQUAL + below(2);
		condition.symbol = ANY(functions);
	} else {
		condition.comparison = below(NOT_EQUAL + 1);
		condition.number = signed_number();
		if (condition.comparison < EQUAL && !below(3)) {
			condition.of_pair = true;
			condition.other = !condition.feature;
			condition.number = number() + 0.5;
		}
	}
	return condition;
}

static void fill_case(struct arena *arena, struct annotation_case *one)
{
	struct condition *scope = arena_array(arena, struct condition, 4);
	struct model *models = arena_array(arena, struct model, 3);
	double left = 1;

	one->n_conditions = below(4);
	one->scope = scope;
	for (size_t i = 0; i < one->n_conditions; i++)
		scope[i] = condition_of();
	one->n_models = 1 + below(3);
	one->models = models;
	for (size_t i = 0; i < one->n_models; i++) {
		models[i] = (struct model){.probability = i + 1 < one->n_models ? left / 4 : left,
					   .heuristic = below(HEURISTIC_TREND + 1),
					   .mean = formula_of(arena, 0),
					   .deviation = deviation_of(arena),
					   .spread = NAN,
					   .r2 = NAN,
					   .cv_r2 = NAN,
					   .error = NAN};
		left -= models[i].probability;
	}
}

static struct annotation *random_annotation(void)
{
	static const char *const names[FEATURES] = {"a", "size_2", "kind", "b"};
	struct annotation *annotation = annotation_create();
	struct annotation_feature *features =
		arena_array(annotation->arena, struct annotation_feature, FEATURES);
	struct annotation_case *cases = arena_array(annotation->arena, struct annotation_case, 3);

	annotation->function = ANY(functions);
	annotation->metric = below(METRIC_COUNT);
	for (size_t i = 0; i < FEATURES; i++)
		features[i] = (struct annotation_feature){.name = names[i],
							  .type = types[i],
							  .expression = ANY(expressions),
							  .min = NAN,
							  .max = NAN};
	annotation->features = features;
	annotation->n_features = FEATURES;
	annotation->n_cases = 1 + below(3);
	annotation->cases = cases;
	for (size_t i = 0; i < annotation->n_cases; i++)
		fill_case(annotation->arena, &cases[i]);
	return annotation;
}

/* A number of its name and of what is bound. */
static double of_reference(const struct formula_context *context, const struct reference *reference)
{
	double value = 1 + (double)strlen(reference->function);

	for (size_t i = 0; i < reference->n_bindings; i++)
		value += fabs(annotation_value_in(&reference->bindings[i].value, context)) *
			 (1 + reference->bindings[i].feature[0] % 7);
	return value;
}

static bool is_near(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Sums of terms in another order may differ by what cancels: values are compared term by term. */
static double magnitude(const struct formula *formula, const struct formula_context *context)
{
	double sum = 0;

	for (size_t i = 0; i < formula->n_terms; i++)
		sum += fabs(annotation_value_in(&(struct formula){&formula->terms[i], 1}, context));
	return sum;
}

static unsigned n_compared, n_finite;

static bool same_formula(const struct formula *a, const struct formula *b)
{
	for (unsigned i = 0; i < POINTS; i++) {
		const double x[FEATURES] = {1 + below(9), 1 + below(900) / 100.0, 1 + below(3),
					    1 + below(2)};
		const struct formula_context context = {.x = x, .reference = of_reference};
		const double one = annotation_value_in(a, &context);
		const double other = annotation_value_in(b, &context);

		n_compared++;
		n_finite += isfinite(one) != 0;
		if (!is_near(one, other) && !(fabs(one - other) <= 1e-9 * magnitude(a, &context)))
			return false;
	}
	return a->n_terms == b->n_terms || !a->n_terms;
}

static bool same_condition(const struct condition *a, const struct condition *b)
{
	return a->feature == b->feature && a->comparison == b->comparison &&
	       a->number == b->number && !a->symbol == !b->symbol &&
	       (!a->symbol || !strcmp(a->symbol, b->symbol)) && a->of_pair == b->of_pair &&
	       a->other == b->other;
}

static bool same_case(const struct annotation_case *a, const struct annotation_case *b)
{
	bool same = a->n_conditions == b->n_conditions && a->n_models == b->n_models;

	for (size_t i = 0; same && i < a->n_conditions; i++)
		same = same_condition(&a->scope[i], &b->scope[i]);
	for (size_t i = 0; same && i < a->n_models; i++)
		same = a->models[i].probability == b->models[i].probability &&
		       a->models[i].heuristic == b->models[i].heuristic &&
		       same_formula(&a->models[i].mean, &b->models[i].mean) &&
		       same_formula(&a->models[i].deviation, &b->models[i].deviation);
	return same;
}

static bool same_annotation(const struct annotation *a, const struct annotation *b)
{
	bool same = !strcmp(a->function, b->function) && a->metric == b->metric &&
		    a->n_features == b->n_features && a->n_cases == b->n_cases;

	for (size_t i = 0; same && i < a->n_features; i++)
		same = !strcmp(a->features[i].name, b->features[i].name) &&
		       a->features[i].type == b->features[i].type &&
		       !strcmp(a->features[i].expression, b->features[i].expression);
	for (size_t i = 0; same && i < a->n_cases; i++)
		same = same_case(&a->cases[i], &b->cases[i]);
	return same;
}

/* Powers of a feature in a term are one when they are read: what is read then prints as it is. */
static struct annotation *read_back(const char *printed, struct annotation_list *list)
{
	struct err err = {0};

	if (annotation_parse(printed, strlen(printed), list, &err) && list->n == 1)
		return list->list[0];
	fprintf(stderr, "%s\nin:\n%s", err.text, printed);
	fail();
	return NULL;
}

static void what_is_printed_means_the_same(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct annotation *annotation = random_annotation();
		struct annotation_list once = {.n = 0}, twice = {.n = 0};
		char *printed = print_annotation(annotation);
		const struct annotation *read = read_back(printed, &once);
		char *again = print_annotation(read);
		char *at_last = print_annotation(read_back(again, &twice));

		if (!same_annotation(annotation, read) || strcmp(again, at_last) != 0) {
			fprintf(stderr, "round %u:\n%s\nbecame:\n%s\nand:\n%s", round, printed,
				again, at_last);
			fail();
		}
		free(at_last);
		free(again);
		free(printed);
		annotation_parse_deinit(&twice);
		annotation_parse_deinit(&once);
		annotation_destroy(annotation);
	}
	assert_true(n_finite > n_compared / 2); /* the others are not numbers on both sides */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_means_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
