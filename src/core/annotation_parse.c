/*
 * Annotations: heads, features, scopes, distributions, and the comments that belong to them. Formulas are
 * formula_parse.c's.
 */
#include "core/annotation_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/formula_parse.h"

enum { FEATURES_MAX = 4096, CLAUSES_MAX = 65536, CONDITIONS_MAX = 256 };

/* What the probabilities of one scope may exceed 1 by: they were rounded. */
#define ROUNDING 1e-6

/* A case while its models are read. */
struct open_case {
	struct condition *scope;
	size_t n_conditions;
	struct model *models;
	size_t n_models, capacity;
	double probability; /* of the models so far, if they have one */
	bool continues;     /* more models may follow */
};

struct reader {
	struct scanner scanner;
	struct annotation *annotation;
	struct open_case *cases;
	size_t n_cases, capacity;
	const char **notes;
	size_t n_notes, notes_capacity;
};

static void add_note(struct reader *reader, const char *text)
{
	reader->notes = mem_grow(reader->notes, &reader->notes_capacity, reader->n_notes + 1,
				 sizeof(*reader->notes));
	reader->notes[reader->n_notes++] = text;
}

/* "It is in PATH." says where; the rest are notes. */
static void take_note(struct reader *reader, const char *text)
{
	static const char where[] = "It is in ";
	const size_t before = sizeof(where) - 1;
	size_t n = strlen(text);

	if (!strncmp(text, where, before) && n > before + 1 && text[n - 1] == '.')
		reader->annotation->module =
			scan_text(&reader->scanner, text + before, text + n - 1);
	else if (n)
		add_note(reader, text);
}

static void take_notes(struct reader *reader, size_t from)
{
	size_t i;

	for (i = from; i < reader->scanner.n_comments; i++)
		take_note(reader, reader->scanner.comments[i].text);
	scan_drop_comments(&reader->scanner);
}

/* "1000 .. 199864" */
static bool is_range(const char *text, double *ret_min, double *ret_max)
{
	char *end;
	double min = strtod(text, &end);
	const char *dots = end;
	double max;

	if (end == text || strncmp(dots, " .. ", 4))
		return false;
	max = strtod(dots + 4, &end);
	if (end == dots + 4 || *end || !isfinite(min) || !isfinite(max))
		return false;
	*ret_min = min;
	*ret_max = max;
	return true;
}

/* " and 4 more" at the end of @text is cut off. */
static size_t cut_more(char *text)
{
	char *at = strrchr(text, ' ');
	char *and;
	size_t n;
	int length = 0;

	if (!at || strcmp(at, " more"))
		return 0;
	*at = '\0';
	and = strrchr(text, ' ');
	if (and&&sscanf(and, " %zu%n", &n, &length) == 1 && !and[length] && and-text >= 4 &&
	    !strncmp(and-4, " and", 4)) {
		and[-4] = '\0';
		return n;
	}
	*at = ' ';
	return 0;
}

/* Expressions with ", " between, outside of brackets. */
static void take_aliases(struct reader *reader, struct annotation_feature *feature,
			 const char *text)
{
	struct scanner list = reader->scanner;
	char *copy = arena_strdup(list.arena, text);
	const char **aliases;

	feature->n_more = cut_more(copy);
	aliases = arena_array(list.arena, const char *, strlen(copy) / 2 + 1);
	for (list.at = copy, list.end = copy + strlen(copy); list.at < list.end; list.at++) {
		const char *end = scan_until(&list, ",");

		end = end ? end : list.end;
		aliases[feature->n_aliases++] = scan_text(&list, list.at, end);
		list.at = end;
	}
	feature->aliases = aliases;
}

static void take_feature_comments(struct reader *reader, struct annotation_feature *feature)
{
	static const char same[] = "the same as ";
	size_t i;

	scan_space(&reader->scanner);
	for (i = 0; i < reader->scanner.n_comments; i++) {
		const struct comment *comment = &reader->scanner.comments[i];

		if (!comment->own_line && is_range(comment->text, &feature->min, &feature->max))
			continue;
		if (comment->own_line && !feature->n_aliases &&
		    !strncmp(comment->text, same, sizeof(same) - 1))
			take_aliases(reader, feature, comment->text + sizeof(same) - 1);
		else
			take_note(reader, comment->text);
	}
	scan_drop_comments(&reader->scanner);
}

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

static bool is_known(const struct annotation *annotation, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
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
	if (is_known(reader->annotation, ret->name, reader->annotation->n_features))
		return scan_refuse(scanner, "there is a feature of this name already");
	if (function_parse(ret->name, strlen(ret->name)) != FUNCTION_COUNT)
		return scan_refuse(scanner, "a feature cannot be called like a function");
	if (!scan_expect(scanner, "="))
		return false;
	scan_space(scanner);
	end = scan_until(scanner, ";");
	if (!end)
		return scan_fail(scanner, "an expression that ends with ';'");
	ret->expression = scan_text(scanner, scanner->at, end);
	scanner->at = end + 1;
	take_feature_comments(reader, ret);
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
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (scan_accept(scanner, all[i].text))
			return all[i].comparison;
	return IS_TRUE;
}

/* An enumerator or a class: whatever stands there up to the next condition. */
static bool parse_symbol(struct scanner *scanner, struct condition *ret)
{
	const char *end = scan_until(scanner, "&];\n");

	if (!end || (*end != '&' && *end != ']'))
		return scan_fail(scanner, "a number, an enumerator or a class");
	if (ret->comparison != EQUAL && ret->comparison != NOT_EQUAL)
		return scan_fail(scanner, "a number: names have no order");
	ret->symbol = scan_text(scanner, scanner->at, end);
	scanner->at = end;
	return true;
}

static bool parse_value(struct scanner *scanner, struct condition *ret)
{
	const char *from;
	double sign;

	scan_space(scanner);
	from = scanner->at;
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

static bool parse_condition(struct reader *reader, struct condition *ret)
{
	struct scanner *scanner = &reader->scanner;
	const struct annotation *annotation = reader->annotation;
	const bool negated = scan_accept(scanner, "!");
	const char *from;
	const char *name;

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
	ret->comparison = negated ? IS_FALSE : parse_comparison(scanner);
	return ret->comparison == IS_TRUE || ret->comparison == IS_FALSE ||
	       parse_value(scanner, ret);
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

/* ", NAME 0.99" in @text. */
static double find_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	char *end;
	double number = at ? strtod(at + strlen(name), &end) : NAN;

	return at && end != at + strlen(name) && isfinite(number) ? number : NAN;
}

/* "n log n: 150 samples, R² 0.993, cross-validated 0.992, median error 2.1 %" */
static bool take_support(const char *text, struct model *model)
{
	const char *colon = strchr(text, ':');
	enum growth growth;

	for (growth = 0; colon && growth < GROWTH_COUNT; growth++) {
		const char *phrase = growth_phrase(growth);

		if (strlen(phrase) != (size_t)(colon - text) ||
		    strncmp(phrase, text, colon - text) != 0)
			continue;
		if (sscanf(colon, ": %zu sample", &model->n_samples) != 1)
			return false;
		model->growth = growth;
		model->r2 = find_number(colon, ", R² ");
		model->cv_r2 = find_number(colon, ", cross-validated ");
		model->error = find_number(colon, ", median error ") / 100;
		return true;
	}
	return false;
}

static void take_model_comments(struct reader *reader, struct model *model)
{
	size_t first = 0;

	scan_space(&reader->scanner);
	if (reader->scanner.n_comments && !reader->scanner.comments[0].own_line)
		first = take_support(reader->scanner.comments[0].text, model);
	take_notes(reader, first);
}

/* One that follows from features may become negative far away from what was observed: then it is 0. */
static bool is_negative(const struct formula *formula)
{
	size_t i;

	for (i = 0; i < formula->n_terms; i++)
		if (formula->terms[i].n_factors || formula->terms[i].coefficient >= 0)
			return false;
	return formula->n_terms > 0;
}

static bool parse_distribution(struct reader *reader, double probability, struct model *ret)
{
	struct scanner *scanner = &reader->scanner;

	*ret = (struct model){.probability = probability, .spread = NAN, .r2 = NAN, .cv_r2 = NAN, .error = NAN};
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
	ret->growth = formula_growth(&ret->mean);
	take_model_comments(reader, ret);
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

static bool add_model(struct reader *reader, struct open_case *to, double probability)
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
		    !add_model(reader, to, probability))
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

/* A clause that has a probability and no scope belongs to the case before it, if that is not complete. */
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
		return add_model(reader, to ? to : open_case(reader), 1);
	if (!scan_is_number(scanner))
		return parse_mixture(reader, to ? to : open_case(reader));
	if (!parse_probability(scanner, &probability))
		return false;
	to = case_of_probability(reader, has_scope);
	to->continues = true;
	return add_model(reader, to, probability);
}

/*
 * The place in @text of ".time {" and the like, with the metric. What comes before is the function's name, which may hold
 * nearly anything.
 */
static const char *find_metric(const struct scanner *scanner, enum metric *ret,
			       const char **ret_end)
{
	const char *at;

	for (at = scanner->at; at < scanner->end; at++) {
		struct scanner rest = {.start = at, .at = at + 1, .end = scanner->end};
		const char *end = at + 1;
		char word[32];

		if (*at != '.')
			continue;
		while (end < scanner->end &&
		       ((*end >= 'a' && *end <= 'z') || *end == 'P' || *end == '.'))
			end++;
		if ((size_t)(end - at - 1) >= sizeof(word))
			continue;
		memcpy(word, at + 1, end - at - 1);
		word[end - at - 1] = '\0';
		*ret = metric_parse(word);
		rest.at = end;
		while (rest.at < rest.end && strchr(" \t\r\n", *rest.at) && *rest.at)
			rest.at++;
		if (*ret != METRIC_COUNT && rest.at < rest.end && *rest.at == '{') {
			*ret_end = rest.at + 1;
			return at;
		}
	}
	return NULL;
}

static bool parse_head(struct reader *reader)
{
	struct scanner *scanner = &reader->scanner;
	const char *end;
	const char *dot = find_metric(scanner, &reader->annotation->metric, &end);

	if (!dot || dot == scanner->at)
		return scan_fail(scanner, "a function, '.', a metric and '{'");
	reader->annotation->function = scan_text(scanner, scanner->at, dot);
	scanner->at = end;
	if (!*reader->annotation->function)
		return scan_fail(scanner, "a function, '.', a metric and '{'");
	if (!scan_accept_word(scanner, "features"))
		return scan_fail(scanner, "'features:'");
	return scan_expect(scanner, ":");
}

static bool parse_body(struct reader *reader)
{
	scan_space(&reader->scanner);
	take_notes(reader, 0);
	while (!scan_accept(&reader->scanner, "}")) {
		if (reader->scanner.at == reader->scanner.end)
			return scan_fail(&reader->scanner, "'}'");
		if (!parse_clause(reader))
			return false;
		scan_space(&reader->scanner);
		take_notes(reader, 0);
	}
	return true;
}

static void close_cases(struct reader *reader)
{
	struct annotation *annotation = reader->annotation;
	struct arena *arena = annotation->arena;
	struct annotation_case *cases = arena_array(arena, struct annotation_case, reader->n_cases);
	size_t i, j;

	for (i = 0; i < reader->n_cases; i++) {
		const struct open_case *from = &reader->cases[i];

		cases[i] = (struct annotation_case){
			.scope = arena_copy(arena, from->scope,
					    from->n_conditions * sizeof(*from->scope)),
			.n_conditions = from->n_conditions,
			.models = arena_copy(arena, from->models,
					     from->n_models * sizeof(*from->models)),
			.n_models = from->n_models,
		};
		for (j = 0; j < from->n_models; j++)
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
	size_t i;

	for (i = 0; i < reader->n_cases; i++) {
		free(reader->cases[i].scope);
		free(reader->cases[i].models);
	}
	free(reader->cases);
	free(reader->notes);
	scanner_deinit(&reader->scanner);
}

/* One annotation at @scanner's place, which moves behind it. NULL: an error. */
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

static bool parse_all(struct scanner *scanner, struct annotation_list *ret)
{
	for (;;) {
		struct annotation *annotation;

		scan_space(scanner);
		scan_drop_comments(scanner);
		if (scanner->at == scanner->end)
			return true;
		annotation = parse_one(scanner);
		if (!annotation)
			return false;
		ret->list = mem_grow(ret->list, &ret->capacity, ret->n + 1, sizeof(*ret->list));
		ret->list[ret->n++] = annotation;
	}
}

bool annotations_parse(const char *text, size_t n, struct annotation_list *ret, struct err *err)
{
	struct arena *arena = arena_create();
	struct scanner scanner = {
		.start = text, .at = text, .end = text + n, .arena = arena, .err = err};
	const size_t before = ret->n;
	bool ok = parse_all(&scanner, ret);

	while (!ok && ret->n > before)
		annotation_destroy(ret->list[--ret->n]);
	scanner_deinit(&scanner);
	arena_destroy(arena);
	return ok;
}

void annotation_list_deinit(struct annotation_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		annotation_destroy(list->list[i]);
	free(list->list);
	*list = (struct annotation_list){.n = 0};
}
