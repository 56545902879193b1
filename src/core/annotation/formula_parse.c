/*
 * Parsing formulas: expr, term and factor of the grammar, straight into struct formula. The numbers
 * of a product become its coefficient, powers and logarithms of one feature one factor, so that
 * printed text reads back and prints the same.
 */
#include "formula_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "string_literal.h"

enum {
	DEPTH_MAX = 64, /* of parentheses */
	TERMS_MAX = 4096,
	ARGUMENTS_MAX = 16,
	BINDINGS_MAX = 256,
};

/* Terms and bindings while their number is unknown. */
struct terms {
	struct term *list;
	size_t n, capacity;
};

static bool parse_factor(struct scanner *scanner, const struct annotation *annotation, double power,
			 struct term *term);

static bool is_alike(const struct factor *a, const struct factor *b)
{
	return a->kind == FACTOR_FEATURE && b->kind == FACTOR_FEATURE && a->feature == b->feature;
}

/* Remove a factor that is 1. */
static void drop_factor(struct term *term, unsigned index)
{
	const struct factor *factor = &term->factors[index];

	if (factor->power != 0 || factor->log)
		return;
	term->n_factors--;
	memmove(&term->factors[index], &term->factors[index + 1],
		(term->n_factors - index) * sizeof(*term->factors));
}

static bool formula_multiply(struct scanner *scanner, struct term *term,
			     const struct factor *factor)
{
	for (unsigned i = 0; i < term->n_factors; i++)
		if (is_alike(&term->factors[i], factor)) {
			term->factors[i].power += factor->power;
			term->factors[i].log += factor->log;
			drop_factor(term, i);
			return true;
		}
	if (factor->power == 0 && !factor->log)
		return true;
	if (term->n_factors == FACTORS_MAX)
		return scan_refuse(scanner, "a product of more than 8 factors is not understood");
	term->factors[term->n_factors++] = *factor;
	return true;
}

static bool scale(struct scanner *scanner, struct term *term, double number, double power)
{
	double scaled = term->coefficient * pow(number, power);

	if (!isfinite(scaled))
		return scan_refuse(scanner, "this product is not a number");
	term->coefficient = scaled;
	return true;
}

/* ^number, any number of times. */
static bool parse_power(struct scanner *scanner, double *power)
{
	while (scan_accept(scanner, "^")) {
		double sign = scan_accept(scanner, "-") ? -1 : 1;
		double number;

		if (!scan_number(scanner, &number))
			return false;
		*power *= sign * number;
		if (!isfinite(*power))
			return scan_refuse(scanner, "the power is too large");
	}
	return true;
}

/* Is the formula a plain feature? */
static bool is_feature(const struct formula *formula)
{
	const struct term *term = formula->terms;
	const struct factor *factor = term->factors;

	return formula->n_terms == 1 && term->coefficient == 1 && term->n_factors == 1 &&
	       factor->kind == FACTOR_FEATURE && factor->power == 1 && !factor->log;
}

static bool parse_arguments(struct scanner *scanner, const struct annotation *annotation,
			    enum formula_function function, struct factor *ret)
{
	const size_t most =
		function == FUNCTION_MIN || function == FUNCTION_MAX ? ARGUMENTS_MAX : 1;
	struct formula *arguments = arena_array(scanner->arena, struct formula, most);
	size_t n = 0;

	if (!scan_expect(scanner, "("))
		return false;
	do {
		if (n == most)
			return scan_refuse(scanner, "the function has too many arguments");
		if (!formula_parse(scanner, annotation, &arguments[n++]))
			return false;
	} while (scan_accept(scanner, ","));
	ret->arguments = arguments;
	ret->n_arguments = n;
	return scan_expect(scanner, ")");
}

/* Turn logarithms and roots of a feature into factors x^power * log(x)^log. */
static void formula_simplify(struct factor *factor, double outer)
{
	const double power = factor->power;
	unsigned feature;

	if (!is_feature(factor->arguments))
		return;
	feature = factor->arguments[0].terms[0].factors[0].feature;
	if (factor->function == FUNCTION_SQRT)
		*factor = (struct factor){.feature = feature, .power = power / 2};
	else if (factor->function == FUNCTION_LOG && outer > 0 && power >= 1 && power <= 1000 &&
		 power == floor(power))
		*factor = (struct factor){.feature = feature, .log = (unsigned)power};
}

static bool parse_function(struct scanner *scanner, const struct annotation *annotation,
			   enum formula_function function, double outer, struct term *term)
{
	struct factor factor = {.kind = FACTOR_FUNCTION, .function = function, .power = outer};

	if (!parse_arguments(scanner, annotation, function, &factor) ||
	    !parse_power(scanner, &factor.power))
		return false;
	formula_simplify(&factor, outer);
	return formula_multiply(scanner, term, &factor);
}

static bool formula_find_feature(const struct annotation *annotation, const char *name,
				 unsigned *ret)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		if (!strcmp(annotation->features[i].name, name)) {
			*ret = i;
			return true;
		}
	return false;
}

static bool parse_named(struct scanner *scanner, const struct annotation *annotation, double outer,
			struct term *term)
{
	const char *from = scanner->at;
	struct factor factor = {.power = outer};
	enum formula_function function;
	const char *name;

	if (!scan_name(scanner, &name))
		return false;
	function = annotation_function_parse(name, strlen(name));
	if (function != FUNCTION_COUNT)
		return parse_function(scanner, annotation, function, outer, term);
	if (!formula_find_feature(annotation, name, &factor.feature)) {
		scanner->at = from;
		return scan_fail(scanner, "a number, a function or one of the features");
	}
	return parse_power(scanner, &factor.power) && formula_multiply(scanner, term, &factor);
}

/* Merge a product in parentheses into the one around it; a sum stays a group. */
static bool parse_group(struct scanner *scanner, const struct annotation *annotation, double outer,
			struct term *term)
{
	struct formula *inner = arena_new(scanner->arena, struct formula);
	double power = outer;

	if (!formula_parse(scanner, annotation, inner) || !scan_expect(scanner, ")") ||
	    !parse_power(scanner, &power))
		return false;
	if (inner->n_terms != 1 || (power != 1 && inner->terms->n_factors))
		return formula_multiply(scanner, term,
					&(struct factor){.kind = FACTOR_GROUP,
							 .power = power,
							 .arguments = inner,
							 .n_arguments = 1});
	for (unsigned i = 0; i < inner->terms->n_factors; i++)
		if (!formula_multiply(scanner, term, &inner->terms->factors[i]))
			return false;
	return scale(scanner, term, inner->terms->coefficient, power);
}

/* The value for a feature of another annotation, whose name need not be one of ours. */
static bool parse_binding(struct scanner *scanner, const struct annotation *annotation,
			  struct binding *ret)
{
	return scan_name(scanner, &ret->feature) && scan_expect(scanner, ":=") &&
	       formula_parse(scanner, annotation, &ret->value);
}

static bool parse_bindings(struct scanner *scanner, const struct annotation *annotation,
			   struct reference *reference)
{
	struct binding *bindings = NULL;
	size_t capacity = 0;
	bool ok = true;
	size_t n = 0;

	do {
		if (n == BINDINGS_MAX) {
			ok = scan_refuse(scanner, "too many features are set");
			break;
		}
		bindings = mem_grow(bindings, &capacity, n + 1, sizeof(*bindings));
		ok = parse_binding(scanner, annotation, &bindings[n++]);
	} while (ok && scan_accept(scanner, ","));
	if (ok)
		reference->bindings = arena_copy(scanner->arena, bindings, n * sizeof(*bindings));
	reference->n_bindings = n;
	free(bindings);
	return ok && scan_expect(scanner, "]");
}

static const char *reference_end(const struct scanner *scanner)
{
	if (scanner->at < scanner->end && *scanner->at == '"')
		return string_literal_end(scanner->at, scanner->end);
	return scan_function_end(scanner);
}

static bool parse_reference(struct scanner *scanner, const struct annotation *annotation,
			    double outer, struct term *term)
{
	struct reference *reference = arena_new(scanner->arena, struct reference);
	struct factor factor = {.kind = FACTOR_REFERENCE, .power = outer, .reference = reference};
	const char *end;

	scan_space(scanner);
	end = reference_end(scanner);
	if (end == scanner->at)
		return scan_fail(scanner, "the name of a function");
	if (!scan_quotable(scanner, scanner->at, end, &reference->function))
		return false;
	scanner->at = end;
	if (scan_accept(scanner, "[") && !parse_bindings(scanner, annotation, reference))
		return false;
	return parse_power(scanner, &factor.power) && formula_multiply(scanner, term, &factor);
}

/* Behind "number ^", if no number follows. */
static bool parse_exponential(struct scanner *scanner, const struct annotation *annotation,
			      double base, double outer, struct term *term)
{
	struct formula *exponent = arena_new(scanner->arena, struct formula);
	struct term *inner = arena_new(scanner->arena, struct term);

	*inner = (struct term){.coefficient = 1, .std_error = NAN};
	*exponent = (struct formula){inner, 1};
	if (!(base > 0))
		return scan_refuse(scanner, "what is taken to a power must be positive");
	if (!parse_factor(scanner, annotation, 1, inner))
		return false;
	if (!inner->n_factors)
		return scale(scanner, term, base, outer * inner->coefficient);
	return formula_multiply(scanner, term,
				&(struct factor){.kind = FACTOR_EXPONENTIAL,
						 .power = outer,
						 .arguments = exponent,
						 .n_arguments = 1,
						 .base = base});
}

/* Is "^" next, and behind it anything but a number? Then move behind it. */
static bool accept_exponent(struct scanner *scanner)
{
	const char *from = scanner->at;
	const char *behind;

	if (!scan_accept(scanner, "^"))
		return false;
	behind = scanner->at;
	scan_accept(scanner, "-");
	scanner->at = scan_is_number(scanner) ? from : behind;
	return scanner->at == behind;
}

static bool parse_literal(struct scanner *scanner, const struct annotation *annotation,
			  double outer, struct term *term)
{
	double power = outer;
	double number;

	if (!scan_number(scanner, &number))
		return false;
	if (accept_exponent(scanner))
		return parse_exponential(scanner, annotation, number, outer, term);
	return parse_power(scanner, &power) && scale(scanner, term, number, power);
}

static bool parse_plain_factor(struct scanner *scanner, const struct annotation *annotation,
			       double outer, struct term *term)
{
	if (scan_accept(scanner, "-"))
		return scale(scanner, term, -1, 1) &&
		       parse_factor(scanner, annotation, outer, term);
	if (scan_accept(scanner, "("))
		return parse_group(scanner, annotation, outer, term);
	if (scan_accept(scanner, "@"))
		return parse_reference(scanner, annotation, outer, term);
	if (scan_is_number(scanner))
		return parse_literal(scanner, annotation, outer, term);
	if (scan_is_name(scanner))
		return parse_named(scanner, annotation, outer, term);
	return scan_fail(scanner, "a number, a function or one of the features");
}

/* @power: 1, or -1 behind a slash. */
static bool parse_factor(struct scanner *scanner, const struct annotation *annotation, double power,
			 struct term *term)
{
	bool ok;

	if (scanner->depth == DEPTH_MAX)
		return scan_refuse(scanner, "this is nested too deeply");
	scanner->depth++;
	ok = parse_plain_factor(scanner, annotation, power, term);
	scanner->depth--;
	return ok;
}

static bool parse_term(struct scanner *scanner, const struct annotation *annotation, double sign,
		       struct term *ret)
{
	double power = 1;

	*ret = (struct term){.coefficient = sign, .std_error = NAN};
	for (;;) {
		if (!parse_factor(scanner, annotation, power, ret))
			return false;
		if (scan_accept(scanner, "*"))
			power = 1;
		else if (scan_accept(scanner, "/"))
			power = -1;
		else
			return true;
	}
}

static bool parse_terms(struct scanner *scanner, const struct annotation *annotation,
			struct terms *ret)
{
	double sign = 1;

	for (;;) {
		if (ret->n == TERMS_MAX)
			return scan_refuse(scanner, "the sum has too many terms");
		ret->list = mem_grow(ret->list, &ret->capacity, ret->n + 1, sizeof(*ret->list));
		if (!parse_term(scanner, annotation, sign, &ret->list[ret->n++]))
			return false;
		if (scan_accept(scanner, "+"))
			sign = 1;
		else if (scan_accept(scanner, "-"))
			sign = -1;
		else
			return true;
	}
}

bool formula_parse(struct scanner *scanner, const struct annotation *annotation,
		   struct formula *ret)
{
	struct terms terms = {.n = 0};
	bool ok = parse_terms(scanner, annotation, &terms);

	if (ok)
		*ret = (struct formula){
			arena_copy(scanner->arena, terms.list, terms.n * sizeof(*terms.list)),
			terms.n};
	free(terms.list);
	return ok;
}
