/*
 * Conditions of probes: checks that their names exist, and finds the values of the names for a
 * call. shell/condition.h parses and evaluates.
 */
#include "prompt_condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "core/cxx_name.h"
#include "core/text_pool.h"
#include "cli/message.h"
#include "model/data/short_name.h"
#include "prompt_predictions.h"
#include "shell/condition_filter.h"

enum { NEAR_MAX = 3, NEAR_LENGTH = 100, NAME_LENGTH = 256 };

static size_t condition_find_feature(const struct function *function, const char *expression)
{
	size_t i = 0;

	while (i < function->n_features &&
	       strcmp(function->features[i].expression, expression) != 0)
		i++;
	return i;
}

/* The run-time class of @object (or object != 0), or of what it points to; @none: there is none. */
static size_t find_class(const struct function *function, const char *object, size_t none)
{
	const char *test = strstr(object, " != 0");
	const size_t n = test ? (size_t)(test - object) : strlen(object);

	for (size_t i = 0; i < function->n_features; i++) {
		const char *text = function->features[i].expression;

		if (function->features[i].type != FEATURE_CLASS || strncmp(text, "typeid(", 7) != 0)
			continue;
		text += text[7] == '*' ? 8 : 7;
		if (!strncmp(text, object, n) && !strcmp(text + n, ")"))
			return i;
	}
	return none;
}

/* The feature called @name, else "NAME != 0" of a pointer; n_features: none. */
static size_t find_named(const struct function *function, const struct condition_name *name)
{
	const size_t length = strlen(name->expression);
	size_t at = condition_find_feature(function, name->expression);

	if (name->symbol && (at == function->n_features || !function->features[at].n_labels))
		at = find_class(function, name->expression, at);
	if (name->is_amount && strstr(name->expression, " != 0"))
		return function->n_features; /* of a pointer that was meant as a number */
	if (at < function->n_features || name->is_amount)
		return at;
	for (at = 0; at < function->n_features; at++)
		if (!strncmp(function->features[at].expression, name->expression, length) &&
		    !strcmp(function->features[at].expression + length, " != 0"))
			break;
	return at;
}

/* The existing names nearest to a misspelt one, nearest first. */
struct nearest {
	const char *names[NEAR_MAX];
	size_t distances[NEAR_MAX];
	size_t n;
};

static void condition_consider(struct nearest *nearest, const char *wanted, const char *name)
{
	const size_t limit = strlen(wanted) / 2 + 2;
	const size_t distance = strstr(name, wanted) ? 1 : cxx_name_distance(name, wanted, limit);
	size_t at = 0;

	if (distance > limit || strlen(name) > NEAR_LENGTH) /* cut, it would be refused itself */
		return;
	for (size_t i = 0; i < nearest->n; i++)
		if (!strcmp(nearest->names[i], name))
			return;
	while (at < nearest->n && nearest->distances[at] <= distance)
		at++;
	if (at == NEAR_MAX)
		return;
	nearest->n += nearest->n < NEAR_MAX;
	for (size_t i = nearest->n - 1; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = name;
	nearest->distances[at] = distance;
}

static const char *condition_phrase(struct prompt *prompt, const struct nearest *nearest)
{
	const char *ret = "";

	for (size_t i = 0; i < nearest->n; i++)
		ret = arena_printf(prompt->spare, "%s%s%s", ret,
				   i ? ", " : "; near: ", nearest->names[i]);
	return ret;
}

static bool refuse_feature(struct prompt *prompt, const struct prompt_probe *probe,
			   const char *expression, struct err *err)
{
	const char *test = strstr(expression, " != 0");
	struct nearest nearest = {.n = 0};

	if (test)
		return err_set(err, ERR_USAGE,
			       "%.*s is a pointer: of it, conditions only know whether it is 0",
			       (int)(test - expression), expression);
	for (size_t i = 0; i < probe->catalogue->n_functions; i++) {
		const struct function *function = &probe->catalogue->functions[i];

		for (size_t j = 0; j < function->n_features; j++)
			if (!probe->is_break || function->features[j].provenance != FROM_RETURN)
				condition_consider(&nearest, expression,
						   function->features[j].expression);
	}
	/* A break is decided where the call begins, before it cost anything. */
	for (enum metric metric = 0; !probe->is_break && metric < METRIC_MEASURED; metric++)
		condition_consider(&nearest, expression, metric_info(metric)->keyword);
	return err_set(err, ERR_NOT_FOUND,
		       "%.100s has no feature %.100s%s: info features lists them", probe->pattern,
		       expression, condition_phrase(prompt, &nearest));
}

/* Is @symbol a value of the feature? Adds the similar values to @nearest. */
static bool has_symbol(const struct catalogue *catalogue, const struct feature *feature,
		       const char *symbol, struct nearest *nearest)
{
	bool found = false;

	for (size_t i = 0; i < feature->n_labels; i++) {
		found |= !strcmp(feature->labels[i].name, symbol);
		condition_consider(nearest, symbol, feature->labels[i].name);
	}
	for (size_t i = 0; feature->type == FEATURE_CLASS && i < catalogue->n_classes; i++) {
		found |= !strcmp(catalogue->classes[i].name, symbol);
		condition_consider(nearest, symbol, catalogue->classes[i].name);
	}
	return found;
}

/* Is @feature whether the pointer to a text is null? */
static bool has_text(const struct catalogue *catalogue, const struct feature *feature)
{
	const char *test = strstr(feature->expression, " != 0");
	char length[NAME_LENGTH];
	const int n = test ? snprintf(length, sizeof(length), "strlen(%.*s)",
				      (int)(test - feature->expression), feature->expression)
			   : NAME_LENGTH;

	for (size_t i = 0; n < NAME_LENGTH && i < catalogue->n_functions; i++)
		if (condition_find_feature(&catalogue->functions[i], length) <
		    catalogue->functions[i].n_features)
			return true;
	return false;
}

static bool check_symbol(struct prompt *prompt, const struct prompt_probe *probe,
			 const struct feature *feature, const char *symbol, struct err *err)
{
	struct nearest nearest = {.n = 0};

	if (feature->type == FEATURE_STRING)
		return true; /* any text may come */
	if (has_text(probe->catalogue, feature))
		return err_set(err, ERR_USAGE,
			       "%.100s tells a text from none; the text is read with the session's "
			       "option --strings",
			       feature->expression);
	if (feature->type != FEATURE_ENUM && feature->type != FEATURE_CLASS)
		return err_set(
			err, ERR_USAGE,
			"%.100s is a number, and %.100s is none: a feature goes in parentheses, "
			"(%.100s)",
			feature->expression, symbol, symbol);
	if (has_symbol(probe->catalogue, feature, symbol, &nearest))
		return true;
	return err_set(err, ERR_NOT_FOUND, "%.100s has no value that is called %.100s%s",
		       feature->expression, symbol, condition_phrase(prompt, &nearest));
}

static bool check_feature(struct prompt *prompt, const struct prompt_probe *probe,
			  const struct condition_name *name, struct err *err)
{
	for (size_t i = 0; i < probe->catalogue->n_functions; i++) {
		const struct function *function = &probe->catalogue->functions[i];
		const size_t at = find_named(function, name);

		if (at == function->n_features)
			continue;
		return !name->symbol ||
		       check_symbol(prompt, probe, &function->features[at], name->symbol, err);
	}
	return refuse_feature(prompt, probe, name->expression, err);
}

/* Measures @metric from the next launch on. ERR_USAGE: the process runs without it. */
static bool check_metric(struct prompt *prompt, enum metric metric, struct err *err)
{
	const uint64_t bit = METRIC_BIT(metric);
	const char *keyword = metric_info(metric)->keyword;

	if ((prompt->options.metrics | METRIC_BIT(METRIC_TIME)) & bit)
		return true;
	if (prompt->m)
		return err_set(
			err, ERR_USAGE,
			"%s is not measured in this process: metric %s, then launch or attach "
			"again",
			keyword, keyword);
	prompt->options.metrics |= bit;
	message_note("%s is measured, too", keyword);
	return true;
}

bool prompt_check_condition(struct prompt *prompt, const struct prompt_probe *probe,
			    struct err *err)
{
	const struct condition_name *names;
	const size_t n = condition_names(probe->parsed, &names);

	for (size_t i = 0; i < n; i++) {
		switch (names[i].kind) {
		case CONDITION_FEATURE:
			if (!check_feature(prompt, probe, &names[i], err))
				return false;
			break;
		case CONDITION_METRIC:
		case CONDITION_PREDICTED:
		case CONDITION_SURPRISING:
			if (!check_metric(prompt, names[i].metric, err))
				return false;
			break;
		case CONDITION_ELAPSED:
			break;
		}
	}
	return true;
}

static const char *class_name(const struct catalogue *catalogue, double number)
{
	for (size_t i = 0; i < catalogue->n_classes; i++)
		if ((double)catalogue->classes[i].number == number)
			return catalogue->classes[i].name;
	return NULL;
}

const char *prompt_label(const struct prompt_call *call, size_t index)
{
	const struct feature *feature = &call->function->features[index];
	const double number = call->features[index].number;

	if (call->features[index].absence != PRESENT)
		return NULL;
	if (feature->type == FEATURE_CLASS)
		return class_name(call->catalogue, number);
	if (feature->type == FEATURE_STRING)
		return call->catalogue->texts
			       ? text_pool_find(call->catalogue->texts, (uint64_t)number)
			       : NULL;
	for (size_t i = 0; i < feature->n_labels; i++)
		if (feature->labels[i].number == number)
			return feature->labels[i].name;
	return NULL;
}

static const struct value unknown = {.absence = ABSENT_NOT_MEASURED};

static struct value feature_value(const struct prompt_call *call, const struct condition_name *name)
{
	const size_t at = find_named(call->function, name);
	const char *label;

	if (at == call->function->n_features || call->features[at].absence != PRESENT ||
	    !name->symbol)
		return at < call->function->n_features ? call->features[at] : unknown;
	label = prompt_label(call, at);
	return (struct value){.number = label && !strcmp(label, name->symbol), .absence = PRESENT};
}

static struct value condition_value_of(struct prompt *prompt, const struct prompt_call *call,
				       const struct condition_name *name)
{
	struct value value = {.absence = PRESENT};
	const char *source;

	switch (name->kind) {
	case CONDITION_FEATURE:
		return feature_value(call, name);
	case CONDITION_METRIC:
		return call->metrics ? call->metrics[name->metric] : unknown;
	case CONDITION_PREDICTED:
		if (!prompt_expect(prompt, call, name->metric, &value.number, &source))
			return unknown;
		return value;
	case CONDITION_SURPRISING:
		return call->metrics && prompt_surprise(prompt, call, &value.number) ? value
										     : unknown;
	case CONDITION_ELAPSED:
		value.number = call->elapsed_us;
		return isnan(call->elapsed_us) ? unknown : value;
	}
	return unknown;
}

static void condition_say_unknown(struct prompt_probe *probe, const struct prompt_call *call,
				  const struct condition_name *names, const struct value *values,
				  size_t n)
{
	size_t i = 0;

	while (i < n && values[i].absence == PRESENT)
		i++;
	probe->said_unknown = true;
	if (i == n)
		message_note("probe %u: its condition divides by zero for a call of %s; it is "
			     "passed over (said once)",
			     probe->number, call->function->name);
	else if (names[i].kind == CONDITION_PREDICTED || names[i].kind == CONDITION_SURPRISING)
		message_note(
			"probe %u: nothing is predicted of a call of %s yet; it is passed over "
			"(said once)",
			probe->number, call->function->name);
	else
		message_note(
			"probe %u: its condition cannot be decided for a call of %s%s%s; it is "
			"passed over (said once)",
			probe->number, call->function->name,
			names[i].kind == CONDITION_FEATURE ? ", which lacks " : "",
			names[i].kind == CONDITION_FEATURE ? names[i].expression : "");
}

bool prompt_holds(struct prompt *prompt, struct prompt_probe *probe, const struct prompt_call *call)
{
	const struct condition_name *names;
	enum condition_answer answer;
	struct value *values;
	size_t n;

	if (!probe->parsed)
		return true;
	n = condition_names(probe->parsed, &names);
	values = mem_alloc((n + 1) * sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i] = condition_value_of(prompt, call, &names[i]);
	answer = condition_holds(probe->parsed, values);
	if (answer == CONDITION_UNKNOWN && !probe->said_unknown && (call->metrics || call->begins))
		condition_say_unknown(probe, call, names, values, n);
	free(values);
	return answer == CONDITION_YES;
}

bool prompt_is_at_entry(const struct prompt_probe *probe, const struct function *function)
{
	const struct condition_name *names;
	const size_t n = probe->parsed ? condition_names(probe->parsed, &names) : 0;

	for (size_t i = 0; i < n; i++) {
		const size_t at = names[i].kind == CONDITION_FEATURE
					  ? find_named(function, &names[i])
					  : function->n_features;

		if (at == function->n_features || function->features[at].provenance == FROM_RETURN)
			return false;
	}
	return n > 0 || probe->is_break;
}

/* A symbol of no value, as of another function's enumeration, never holds. */
static struct condition_reading reading_of(const struct function *function,
					   const struct condition_name *name)
{
	const struct feature *feature = &function->features[find_named(function, name)];
	struct condition_reading reading = {.plan = &feature->plan, .symbol = NAN};

	for (size_t i = 0; name->symbol && i < feature->n_labels; i++)
		if (!strcmp(feature->labels[i].name, name->symbol))
			reading.symbol = (double)feature->labels[i].number;
	return reading;
}

bool prompt_filter(const struct prompt_probe *probe, const struct function *function,
		   struct arena *arena, struct read_plan *ret)
{
	struct condition_reading *readings;
	const struct condition_name *names;
	bool ok;
	size_t n;

	if (!probe->parsed || !prompt_is_at_entry(probe, function))
		return false;
	n = condition_names(probe->parsed, &names);
	readings = mem_alloc(n * sizeof(*readings));
	for (size_t i = 0; i < n; i++)
		readings[i] = reading_of(function, &names[i]);
	ok = condition_filter(probe->parsed, readings, arena, ret);
	free(readings);
	return ok;
}

struct known_name {
	const char *name, *expression;
	UT_hash_handle hh;
};

struct known_names {
	struct arena *arena;
	struct known_name *list; /* a hash, in the order of adding */
};

static void known_add(struct known_names *known, const char *name, const char *expression)
{
	struct known_name *found;

	HASH_FIND_STR(known->list, name, found);
	if (found)
		return;
	found = arena_new(known->arena, struct known_name);
	found->name = name;
	found->expression = expression;
	HASH_ADD_KEYPTR(hh, known->list, name, strlen(name), found);
}

static void known_add_annotated(struct known_names *known, const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		known_add(known, annotation->features[i].name, annotation->features[i].expression);
}

/* Names of @function's features as a model would choose them: alone, and beside namesakes. */
static void known_add_short(struct known_names *known, const struct function *function)
{
	for (size_t i = 0; i < function->n_features; i++) {
		const char *expression = function->features[i].expression;
		const char *name = short_name(known->arena, expression, NULL, 0);

		known_add(known, name, expression);
		known_add(known, short_name(known->arena, expression, &name, 1), expression);
	}
}

struct condition_known prompt_known_names(const struct prompt *prompt,
					  const struct catalogue *catalogue, struct arena *arena)
{
	struct known_names known = {.arena = arena};
	struct condition_known ret = {.n = 0};
	struct condition_feature *list;

	for (size_t i = 0; i < catalogue->n_functions; i++)
		for (size_t j = 0; j < catalogue->functions[i].n_features; j++)
			known_add(&known, catalogue->functions[i].features[j].expression,
				  catalogue->functions[i].features[j].expression);
	for (size_t i = 0; i < catalogue->n_functions; i++)
		for (size_t j = 0; j < prompt->annotations.n; j++)
			if (!strcmp(prompt->annotations.list[j]->function,
				    catalogue->functions[i].name))
				known_add_annotated(&known, prompt->annotations.list[j]);
	for (size_t i = 0; i < catalogue->n_functions; i++)
		known_add_short(&known, &catalogue->functions[i]);
	ret.list = list = arena_array(arena, struct condition_feature, HASH_COUNT(known.list));
	for (const struct known_name *each = known.list; each; each = each->hh.next)
		list[ret.n++] = (struct condition_feature){each->name, each->expression};
	HASH_CLEAR(hh, known.list);
	return ret;
}
