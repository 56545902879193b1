/*
 * Parsing annotations: heads, features, scopes and distributions. formula_parse.c parses formulas,
 * annotation_comments.c comments.
 */
#include "annotation_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "annotation_comments.h"
#include "string_literal.h"
#include "formula_parse.h"

enum { FEATURES_MAX = 4096, CLAUSES_MAX = 65536, CONDITIONS_MAX = 256 };

/* By how much the rounded probabilities of a scope may sum to more than 1. */
#define ROUNDING 1e-6

static bool parse_type(struct scanner *scanner, enum feature_type *ret)
{
	const char *from;
	const char *name;

	scan_space(scanner);
	from = scanner->at;
	if (!scan_is_name(scanner) || !scan_name(scanner, &name))
		return scan_fail(scanner, "'annotations:' or the type of a feature");
	*ret = feature_type_parse(name);
	if (*ret != FEATURE_TYPE_COUNT)
		return true;
	scanner->at = from;
	return scan_fail(scanner, "a type (bool, int, float, string, enum or class)");
}

static bool annotation_is_known(const struct annotation *annotation, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(annotation->features[i].name, name))
			return true;
	return false;
}

static bool parse_feature(struct reader *reader, struct annotation_feature *ret)
{
	struct scanner *scanner = &reader->scanner;
	const char *end;

	*ret = (struct annotation_feature){.min = NAN, .max = NAN};
	if (!parse_type(scanner, &ret->type) || !scan_name(scanner, &ret->name))
		return false;
	if (annotation_is_known(reader->annotation, ret->name, reader->annotation->n_features))
		return scan_refuse(scanner, "there is a feature of this name already");
	if (annotation_function_parse(ret->name, strlen(ret->name)) != FUNCTION_COUNT)
		return scan_refuse(scanner, "a feature cannot be called like a function");
	if (!scan_expect(scanner, "="))
		return false;
	scan_space(scanner);
	end = scan_until(scanner, ";");
	if (!end)
		return scan_fail(scanner, "an expression that ends with ';'");
	if (!scan_quotable(scanner, scanner->at, end, &ret->expression))
		return false;
	scanner->at = end + 1;
	annotation_comments_feature(reader, ret);
	return true;
}

static bool parse_features(struct reader *reader)
{
	struct annotation *annotation = reader->annotation;
	struct annotation_feature *features = NULL;
	size_t capacity = 0;
	bool ok = true;

	while (ok && !scan_accept_word(&reader->scanner, "annotations")) {
		if (annotation->n_features == FEATURES_MAX) {
			ok = scan_refuse(&reader->scanner, "there are too many features");
			break;
		}
		features = mem_grow(features, &capacity, annotation->n_features + 1,
				    sizeof(*features));
		annotation->features = features;
		ok = parse_feature(reader, &features[annotation->n_features]);
		annotation->n_features += ok;
	}
	annotation->features =
		arena_copy(annotation->arena, features, annotation->n_features * sizeof(*features));
	free(features);
	return ok && scan_expect(&reader->scanner, ":");
}

static enum comparison parse_comparison(struct scanner *scanner)
{
	static const struct {
		const char *text;
		enum comparison comparison;
	} all[] = {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL},
		   {"!=", NOT_EQUAL},  {"<", LESS},           {">", GREATER}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (scan_accept(scanner, all[i].text))
			return all[i].comparison;
	return IS_TRUE;
}

/* An enumerator or a class: all up to the next condition. */
static bool parse_symbol(struct scanner *scanner, struct condition *ret)
{
	const char *end = scan_until(scanner, "&];\n");

	if (!end || (*end != '&' && *end != ']'))
		return scan_fail(scanner, "a number, an enumerator or a class");
	if (ret->comparison != EQUAL && ret->comparison != NOT_EQUAL)
		return scan_fail(scanner, "a number: names have no order");
	if (!scan_quotable(scanner, scanner->at, end, &ret->symbol))
		return false;
	scanner->at = end;
	return true;
}

static bool is_named(enum feature_type type)
{
	return type == FEATURE_ENUM || type == FEATURE_CLASS || type == FEATURE_STRING;
}

/* The feature whose name is next, as a whole word; n_features: none, and nothing is read. */
static unsigned accept_feature(struct reader *reader)
{
	const struct annotation *annotation = reader->annotation;
	unsigned i = 0;

	while (i < annotation->n_features &&
	       !scan_accept_word(&reader->scanner, annotation->features[i].name))
		i++;
	return i;
}

/* Another feature. What has names is compared with names, which may be those of features. */
static bool accept_other(struct reader *reader, double factor, struct condition *ret)
{
	const struct annotation *annotation = reader->annotation;
	const char *from = reader->scanner.at;
	unsigned other;

	if (is_named(annotation->features[ret->feature].type))
		return false;
	other = accept_feature(reader);
	if (other == annotation->n_features || is_named(annotation->features[other].type)) {
		reader->scanner.at = from;
		return false;
	}
	ret->number = factor;
	ret->other = other;
	ret->of_pair = true;
	return true;
}

/* What @factor times a feature is compared with. */
static bool parse_value(struct reader *reader, double factor, struct condition *ret)
{
	struct scanner *scanner = &reader->scanner;
	const char *from;
	double sign;

	scan_space(scanner);
	from = scanner->at;
	if (accept_other(reader, factor, ret))
		return true;
	if (factor != 1)
		return scan_fail(scanner, "a feature to compare a multiple with");
	sign = scan_accept(scanner, "-") ? -1 : 1;
	if (scan_is_number(scanner)) {
		if (!scan_number(scanner, &ret->number))
			return false;
		ret->number *= sign;
		return true;
	}
	scanner->at = from;
	return parse_symbol(scanner, ret);
}

/* "defined(": a feature may have that name, too. */
static bool accept_defined(struct scanner *scanner)
{
	const char *from = scanner->at;

	if (scan_accept_word(scanner, "defined") && scan_accept(scanner, "("))
		return true;
	scanner->at = from;
	return false;
}

static bool parse_condition(struct reader *reader, struct condition *ret)
{
	struct scanner *scanner = &reader->scanner;
	const struct annotation *annotation = reader->annotation;
	const bool negated = scan_accept(scanner, "!");
	const bool of_presence = accept_defined(scanner);
	double factor = 1;
	const char *from;
	const char *name;

	if (!negated && !of_presence && scan_is_number(scanner) &&
	    (!scan_number(scanner, &factor) || !scan_expect(scanner, "*")))
		return false;
	if (!(factor > 0))
		return scan_refuse(scanner, "a multiple of a feature is above 0");
	scan_space(scanner);
	from = scanner->at;
	if (!scan_name(scanner, &name))
		return false;
	*ret = (struct condition){.feature = 0};
	while (ret->feature < annotation->n_features &&
	       strcmp(annotation->features[ret->feature].name, name) != 0)
		ret->feature++;
	if (ret->feature == annotation->n_features) {
		scanner->at = from;
		return scan_fail(scanner, "one of the features");
	}
	if (of_presence) {
		ret->comparison = negated ? IS_ABSENT : IS_DEFINED;
		return scan_expect(scanner, ")");
	}
	ret->comparison = negated ? IS_FALSE : parse_comparison(scanner);
	if (ret->comparison < IS_TRUE)
		return parse_value(reader, factor, ret);
	return factor == 1 || scan_fail(scanner, "a comparison with another feature");
}

/* Behind the bracket. */
static bool parse_scope(struct reader *reader, struct open_case *ret)
{
	size_t capacity = 0;

	do {
		if (ret->n_conditions == CONDITIONS_MAX)
			return scan_refuse(&reader->scanner, "the scope has too many conditions");
		ret->scope =
			mem_grow(ret->scope, &capacity, ret->n_conditions + 1, sizeof(*ret->scope));
		if (!parse_condition(reader, &ret->scope[ret->n_conditions++]))
			return false;
	} while (scan_accept(&reader->scanner, "&&"));
	return scan_expect(&reader->scanner, "]");
}

/*
 * Only a negative constant: one with features may go negative far outside the observed range, where
 * it counts as 0.
 */
static bool is_negative(const struct formula *formula)
{
	for (size_t i = 0; i < formula->n_terms; i++)
		if (formula->terms[i].n_factors || formula->terms[i].coefficient >= 0)
			return false;
	return formula->n_terms > 0;
}

static bool parse_distribution(struct reader *reader, double probability, struct model *ret)
{
	struct scanner *scanner = &reader->scanner;

	*ret = (struct model){
		.probability = probability, .spread = NAN, .r2 = NAN, .cv_r2 = NAN, .error = NAN};
	if (scan_accept_word(scanner, "R"))
		ret->heuristic = HEURISTIC_ENVELOPE;
	else if (scan_accept_word(scanner, "M"))
		ret->heuristic = HEURISTIC_TREND;
	if (!scan_accept_word(scanner, "Norm"))
		return scan_fail(scanner, "'Norm'");
	if (!scan_expect(scanner, "(") || !formula_parse(scanner, reader->annotation, &ret->mean) ||
	    !scan_expect(scanner, ",") ||
	    !formula_parse(scanner, reader->annotation, &ret->deviation))
		return false;
	if (is_negative(&ret->deviation))
		return scan_refuse(scanner, "a standard deviation is not below 0");
	if (!scan_expect(scanner, ")") || !scan_expect(scanner, ";"))
		return false;
	ret->growth = annotation_growth(&ret->mean);
	annotation_comments_model(reader, ret);
	return true;
}

/* Behind the brace. */
static bool parse_probability(struct scanner *scanner, double *ret)
{
	if (!scan_number(scanner, ret))
		return false;
	if (!(*ret > 0 && *ret <= 1))
		return scan_refuse(scanner, "a probability is above 0 and at most 1");
	return scan_expect(scanner, "}");
}

static bool annotation_add_model(struct reader *reader, struct open_case *to, double probability)
{
	if (probability + to->probability > 1 + ROUNDING * (double)(to->n_models + 1))
		return scan_refuse(&reader->scanner, "the probabilities exceed 1");
	to->probability += probability;
	to->models = mem_grow(to->models, &to->capacity, to->n_models + 1, sizeof(*to->models));
	return parse_distribution(reader, probability, &to->models[to->n_models++]);
}

/* { {p} Norm(...); ... } behind the first brace. */
static bool parse_mixture(struct reader *reader, struct open_case *to)
{
	struct scanner *scanner = &reader->scanner;
	double probability;

	do {
		if (!scan_expect(scanner, "{") || !parse_probability(scanner, &probability) ||
		    !annotation_add_model(reader, to, probability))
			return false;
	} while (!scan_accept(scanner, "}"));
	to->continues = false;
	return true;
}

static struct open_case *open_case(struct reader *reader)
{
	reader->cases = mem_grow(reader->cases, &reader->capacity, reader->n_cases + 1,
				 sizeof(*reader->cases));
	return &reader->cases[reader->n_cases++];
}

/* A clause with a probability but no scope belongs to the previous case, if that is incomplete. */
static struct open_case *case_of_probability(struct reader *reader, bool has_scope)
{
	struct open_case *last = reader->n_cases ? &reader->cases[reader->n_cases - 1] : NULL;

	if (has_scope)
		return last;
	if (last && last->continues && last->probability < 1 - ROUNDING)
		return last;
	return open_case(reader);
}

static bool parse_clause(struct reader *reader)
{
	struct scanner *scanner = &reader->scanner;
	const bool has_scope = scan_accept(scanner, "[");
	struct open_case *to = has_scope ? open_case(reader) : NULL;
	double probability;

	if (reader->n_cases > CLAUSES_MAX)
		return scan_refuse(scanner, "there are too many cases");
	if (has_scope && !parse_scope(reader, to))
		return false;
	if (!scan_accept(scanner, "{"))
		return annotation_add_model(reader, to ? to : open_case(reader), 1);
	if (!scan_is_number(scanner))
		return parse_mixture(reader, to ? to : open_case(reader));
	if (!parse_probability(scanner, &probability))
		return false;
	to = case_of_probability(reader, has_scope);
	to->continues = true;
	return annotation_add_model(reader, to, probability);
}

/* The place of ".time {" or another metric: behind a leading string, or else the first one. */
static const char *find_metric(const struct scanner *scanner, struct scan_metric *ret)
{
	struct scanner behind = *scanner;

	behind.at = string_literal_end(scanner->at, scanner->end);
	if (string_literal_is(scanner->at, behind.at)) {
		scan_blanks(&behind);
		if (scan_find_metric(&behind, ret) == behind.at)
			return behind.at;
	}
	return scan_find_metric(scanner, ret);
}

/* Behind the word. */
static bool parse_where(struct reader *reader)
{
	struct scanner *scanner = &reader->scanner;
	const char *end = NULL;
	char quote = 0;

	if (!scan_expect(scanner, ":"))
		return false;
	scan_blanks(scanner);
	for (const char *at = scanner->at; at < scanner->end && !end; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			break;
		if (*at == ';' && !quote)
			end = at;
		else if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '`'))
			quote = *at;
	}
	if (!end || end == scanner->at)
		return scan_fail(scanner, "a condition that ends with ';'");
	reader->annotation->where = arena_printf(reader->annotation->arena, "%.*s",
						 (int)(end - scanner->at), scanner->at);
	scanner->at = end + 1;
	annotation_comments_where(reader);
	return true;
}

static bool parse_head(struct reader *reader)
{
	struct scanner *scanner = &reader->scanner;
	struct annotation *annotation = reader->annotation;
	struct scan_metric found;
	const char *dot = find_metric(scanner, &found);

	if (!dot || dot == scanner->at)
		return scan_fail(scanner, "a function, '.', a metric and '{'");
	if (!scan_quotable(scanner, scanner->at, dot, &annotation->function))
		return false;
	annotation->metric = found.metric;
	annotation->function = arena_printf(annotation->arena, "%s%.*s", annotation->function,
					    (int)found.place_length, found.place);
	scanner->at = found.end;
	if (scan_accept_word(scanner, "where") && !parse_where(reader))
		return false;
	if (!scan_accept_word(scanner, "features"))
		return scan_fail(scanner, "'features:'");
	return scan_expect(scanner, ":");
}

static bool parse_body(struct reader *reader)
{
	scan_space(&reader->scanner);
	annotation_comments_notes(reader, 0);
	while (!scan_accept(&reader->scanner, "}")) {
		if (reader->scanner.at == reader->scanner.end)
			return scan_fail(&reader->scanner, "'}'");
		if (!parse_clause(reader))
			return false;
		scan_space(&reader->scanner);
		annotation_comments_notes(reader, 0);
	}
	return true;
}

static void close_cases(struct reader *reader)
{
	struct annotation *annotation = reader->annotation;
	struct arena *arena = annotation->arena;
	struct annotation_case *cases = arena_array(arena, struct annotation_case, reader->n_cases);

	for (size_t i = 0; i < reader->n_cases; i++) {
		const struct open_case *from = &reader->cases[i];

		cases[i] = (struct annotation_case){
			.scope = arena_copy(arena, from->scope,
					    from->n_conditions * sizeof(*from->scope)),
			.n_conditions = from->n_conditions,
			.models = arena_copy(arena, from->models,
					     from->n_models * sizeof(*from->models)),
			.n_models = from->n_models,
		};
		for (size_t j = 0; j < from->n_models; j++)
			annotation->n_samples += from->models[j].n_samples;
	}
	annotation->cases = cases;
	annotation->n_cases = reader->n_cases;
	annotation->notes =
		arena_copy(arena, reader->notes, reader->n_notes * sizeof(*reader->notes));
	annotation->n_notes = reader->n_notes;
}

static void reader_deinit(struct reader *reader)
{
	for (size_t i = 0; i < reader->n_cases; i++) {
		free(reader->cases[i].scope);
		free(reader->cases[i].models);
	}
	free(reader->cases);
	free(reader->notes);
	scan_deinit(&reader->scanner);
}

/* Parse one annotation at @place and move behind it. NULL: an error. */
static struct annotation *parse_one(struct scanner *place)
{
	struct reader reader = {.scanner = *place, .annotation = annotation_create()};
	bool ok;

	reader.scanner.arena = reader.annotation->arena;
	reader.scanner.comments = NULL;
	reader.scanner.n_comments = reader.scanner.capacity = 0;
	reader.annotation->linkage = "";
	ok = parse_head(&reader) && parse_features(&reader) && parse_body(&reader);
	if (ok)
		close_cases(&reader);
	place->at = reader.scanner.at;
	reader_deinit(&reader);
	if (ok)
		return reader.annotation;
	annotation_destroy(reader.annotation);
	return NULL;
}

static bool take_budget(struct scanner *scanner, struct annotation_list *ret)
{
	const char *from = scanner->at + sizeof("budget") - 1;
	const char *end = memchr(from, ';', (size_t)(scanner->end - from));

	if (!end)
		return scan_fail(scanner, "';' behind the budget");
	while (from < end && strchr(" \t\r\n", *from))
		from++;
	ret->budgets = mem_grow(ret->budgets, &ret->budgets_capacity, ret->n_budgets + 1,
				sizeof(*ret->budgets));
	ret->budgets[ret->n_budgets++] = strndup(from, (size_t)(end - from));
	scanner->at = end + 1;
	return true;
}

static bool annotation_parse_all(struct scanner *scanner, struct annotation_list *ret)
{
	for (;;) {
		struct annotation *annotation;

		scan_space(scanner);
		scan_drop_comments(scanner);
		if (scanner->at == scanner->end)
			return true;
		if (scan_is_budget(scanner)) {
			if (!take_budget(scanner, ret))
				return false;
			continue;
		}
		annotation = parse_one(scanner);
		if (!annotation)
			return false;
		ret->list = mem_grow(ret->list, &ret->capacity, ret->n + 1, sizeof(*ret->list));
		ret->list[ret->n++] = annotation;
	}
}

bool annotation_parse(const char *text, size_t n, struct annotation_list *ret, struct err *err)
{
	struct arena *arena = arena_create();
	struct scanner scanner = {
		.start = text, .at = text, .end = text + n, .arena = arena, .err = err};
	const size_t before = ret->n, budgets = ret->n_budgets;
	bool ok = annotation_parse_all(&scanner, ret);

	while (!ok && ret->n > before)
		annotation_destroy(ret->list[--ret->n]);
	while (!ok && ret->n_budgets > budgets)
		free(ret->budgets[--ret->n_budgets]);
	scan_deinit(&scanner);
	arena_destroy(arena);
	return ok;
}

void annotation_parse_deinit(struct annotation_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		annotation_destroy(list->list[i]);
	for (size_t i = 0; i < list->n_budgets; i++)
		free(list->budgets[i]);
	free(list->budgets);
	free(list->list);
	*list = (struct annotation_list){.n = 0};
}
