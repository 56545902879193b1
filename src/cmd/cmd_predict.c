/*
 * fathom predict: what annotations expect a call to cost, given feature values. The formulas are
 * evaluated by expectation_find_interval().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/unit.h"
#include "results/annotate.h"
#include "results/annotation_file.h"
#include "cmd.h"
#include "core/annotation/quote.h"
#include "core/annotation/quote_head.h"
#include "core/annotation/string_literal.h"
#include "core/annotation/expectation.h"
#include "core/cxx_name.h"
#include "core/figure/study.h"
#include "core/samples/derived_columns.h"
#include "cli/message.h"
#include "cli/output.h"
#include "report/json.h"

/* An argument NAME=VALUE; either side may be quoted, as in annotations. */
struct given {
	const char *name;
	const char *value;
	bool is_string; /* VALUE was quoted: never a number */
	bool used;      /* an annotation has this feature */
};

struct prediction_list {
	struct json_prediction *list;
	size_t n, capacity;
};

struct predicting {
	const struct options *options;
	struct arena *arena;
	struct annotation_list annotations;
	struct given *given;
	size_t n_given;
	struct prediction_list predictions;
	struct err why;                    /* why the last annotation gave no prediction */
	const struct annotation **matched; /* annotations of the function and metrics */
	size_t n_matched, capacity;
};

/* The last "=" outside quotes: expressions may contain others (operator==). */
static const char *find_equals(const char *word)
{
	const char *end = word + strlen(word);
	const char *found = NULL;

	while (word < end) {
		const char *behind = string_literal_end(word, end);

		if (*word == '=')
			found = word;
		word = behind > word ? behind : word + 1;
	}
	return found;
}

static bool read_given(struct predicting *p, const char *from, const char *to, const char **ret,
		       struct err *err)
{
	*ret = string_literal_is(from, to) ? string_literal_read(p->arena, from, to)
					   : arena_printf(p->arena, "%.*s", (int)(to - from), from);
	return *ret || err_set(err, ERR_USAGE,
			       "%s: escapes within quotes are \\\" \\\\ \\n \\t \\xHH", from);
}

static bool split_given(struct predicting *p, struct err *err)
{
	char **words = p->options->arguments + 2;

	p->n_given = p->options->n_arguments - 2;
	p->given = arena_array(p->arena, struct given, p->n_given);
	for (size_t i = 0; i < p->n_given; i++) {
		const char *equals = find_equals(words[i]);
		const char *end = words[i] + strlen(words[i]);

		if (!equals || equals == words[i] || !equals[1])
			return err_set(
				err, ERR_USAGE,
				"'%s' is not NAME=VALUE: give the value of a feature, like n=1000",
				words[i]);
		p->given[i].is_string = string_literal_is(equals + 1, end);
		if (!read_given(p, words[i], equals, &p->given[i].name, err) ||
		    !read_given(p, equals + 1, end, &p->given[i].value, err))
			return false;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(p->given[j].name, p->given[i].name))
				return err_set(err, ERR_USAGE, "%s is given twice",
					       p->given[i].name);
	}
	return true;
}

static bool parse_argument(const struct annotation_feature *feature, const struct given *given,
			   struct argument *ret, struct err *err)
{
	char *end;

	*ret = (struct argument){.absent = !given->is_string && !strcmp(given->value, "absent")};
	if (ret->absent)
		return true;
	ret->known = true;
	ret->number = unit_number(given->value, &end);
	if (!given->is_string && end != given->value && !*end && isfinite(ret->number))
		return true;
	if (feature->type == FEATURE_BOOL && !strcmp(given->value, "true"))
		ret->number = 1;
	else if (feature->type == FEATURE_BOOL && !strcmp(given->value, "false"))
		ret->number = 0;
	else if (feature->type == FEATURE_ENUM || feature->type == FEATURE_CLASS ||
		 feature->type == FEATURE_STRING)
		*ret = (struct argument){.known = true, .number = NAN, .symbol = given->value};
	else
		return err_set(err, ERR_USAGE, "%s=%s: that is not a number", given->name,
			       given->value);
	return true;
}

/*
 * By short name or expression, or by those of a feature that gives the value; @ret_map: from the
 * feature to what is given.
 */
static bool goes_by_name(const struct annotation_feature *feature, const char *name,
			 struct annotation_affine *ret_map)
{
	return annotation_feature_find(
		feature, strcmp(feature->name, name) ? name : feature->expression, ret_map);
}

/* The feature's value by one of the arguments. */
static bool predict_read(const struct annotation_feature *feature, const struct given *given,
			 const struct annotation_affine *map, struct argument *ret, struct err *err)
{
	const struct argument before = *ret;

	if (!parse_argument(feature, given, ret, err))
		return false;
	if (ret->known && !ret->symbol)
		ret->number = annotation_affine_back(map, ret->number);
	if (before.known && !before.symbol && !ret->symbol &&
	    (ret->absent || before.number != ret->number))
		return err_set(err, ERR_USAGE, "%s=%s: another argument gives %s=%.6g", given->name,
			       given->value, feature->name, before.number);
	return true;
}

/* `hi - lo`, where hi and lo are given by their expressions. */
static bool predict_difference(struct predicting *p, const struct annotation_feature *feature,
			       struct argument *ret, struct err *err)
{
	for (size_t i = 0; i < p->n_given * p->n_given && !ret->known && !ret->absent; i++) {
		struct given *high = &p->given[i / p->n_given], *low = &p->given[i % p->n_given];
		struct argument from, to;

		if (strcmp(arena_printf(p->arena, "%s - %s", high->name, low->name),
			   feature->expression) != 0)
			continue;
		high->used = low->used = true;
		if (!parse_argument(feature, high, &to, err) ||
		    !parse_argument(feature, low, &from, err))
			return false;
		*ret = (struct argument){.known = to.known && from.known,
					 .absent = to.absent || from.absent,
					 .number = to.number - from.number};
	}
	return true;
}

static bool predict_fill(struct predicting *p, const struct annotation *annotation,
			 struct argument *x, struct err *err)
{
	struct annotation_affine map;

	for (size_t i = 0; i < annotation->n_features; i++)
		for (size_t j = 0; j < p->n_given; j++) {
			if (!goes_by_name(&annotation->features[i], p->given[j].name, &map))
				continue;
			p->given[j].used = true;
			if (!predict_read(&annotation->features[i], &p->given[j], &map, &x[i], err))
				return false;
		}
	for (size_t i = 0; i < annotation->n_features; i++)
		if (!predict_difference(p, &annotation->features[i], &x[i], err))
			return false;
	return true;
}

/* A value proves that it could be read, and that no pointer on its way was null. */
static void predict_presence(const struct annotation *annotation, struct argument *x)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		for (size_t j = 0; j < annotation->n_features && !x[i].known; j++)
			if (x[j].known &&
			    derived_columns_proves(annotation->features[j].expression,
						   annotation->features[i].expression))
				x[i] = (struct argument){.known = true, .number = 1};
}

static void say_outside(struct predicting *p, const struct annotation *annotation,
			const struct argument *x, struct json_prediction *prediction)
{
	const char *phrase = expectation_outside_phrase(annotation, x, p->arena);

	prediction->n_outside = expectation_outside(annotation, x, p->arena, &prediction->outside);
	if (phrase && !p->options->quiet)
		message_note("%s", phrase);
}

/* Which of two that went along the cost depends on, samples may not tell. */
static void say_companions(const struct predicting *p, const struct annotation *annotation,
			   const struct argument *x)
{
	for (size_t i = 0; i < annotation->n_features && !p->options->quiet; i++) {
		const struct annotation_feature *feature = &annotation->features[i];

		if (x[i].known && feature->n_kin)
			message_note("%s went along with %s in the samples: this holds only where "
				     "it still does",
				     feature->kin[0], feature->expression);
	}
}

/* Does a curve stand in for formulas: because one is asked for, or there is none? */
static bool is_by_curve(const struct predicting *p, const struct annotation *annotation)
{
	return annotation->curve && (p->options->curve || annotation_is_unexplained(annotation));
}

/* By the curve, which knows nothing beyond its ends. False: see p->why. */
static bool predict_by_curve(struct predicting *p, const struct annotation *annotation,
			     struct json_prediction *ret)
{
	const struct smooth *curve = annotation->curve;
	double at[3];

	for (size_t i = 0; i < p->n_given; i++) {
		struct given *given = &p->given[i];
		char *end;
		const double x = unit_number(given->value, &end);
		bool is_over =
			!strcmp(given->name, curve->over) ||
			(!strcmp(given->name, STUDY_ORDER) && !strcmp(curve->over, STUDY_IN_ORDER));

		for (size_t j = 0; j < annotation->n_features; j++)
			is_over |= !strcmp(annotation->features[j].expression, curve->over) &&
				   !strcmp(annotation->features[j].name, given->name);
		if (!is_over)
			continue;
		given->used = true;
		if (given->is_string || end == given->value || *end || !isfinite(x))
			return err_set(&p->why, ERR_USAGE, "%s=%s: that is not a number",
				       given->name, given->value);
		if (!smooth_at(curve, x, at))
			return err_set(&p->why, ERR_USAGE,
				       "%s=%s: a curve says nothing outside of %.6g to %.6g",
				       given->name, given->value, curve->x[0],
				       curve->x[curve->n - 1]);
		ret->expectation = (struct expectation){
			.mean = at[0], .deviation = NAN, .low = at[1], .high = at[2]};
		ret->curve = curve;
		return true;
	}
	return err_set(&p->why, ERR_USAGE, "a curve over %s: give its value, as \"%s=%.6g\"",
		       curve->over, strcmp(curve->over, STUDY_IN_ORDER) ? curve->over : STUDY_ORDER,
		       curve->x[curve->n / 2]);
}

static bool predict_one(struct predicting *p, const struct annotation *annotation, struct err *err)
{
	struct argument *x = arena_array(p->arena, struct argument, annotation->n_features + 1);
	struct json_prediction prediction = {.annotation = annotation};

	if (!predict_fill(p, annotation, x, err))
		return false;
	predict_presence(annotation, x);
	p->matched = mem_grow(p->matched, &p->capacity, p->n_matched + 1, sizeof(*p->matched));
	p->matched[p->n_matched++] = annotation;
	if (is_by_curve(p, annotation)
		    ? !predict_by_curve(p, annotation, &prediction)
		    : !expectation_find_interval(annotation, &p->annotations, x,
						 &prediction.expectation, &p->why)) {
		err_add(&p->why, "%s",
			quote_head(annotation->arena, annotation->function, annotation->metric));
		return true;
	}
	/* Far outside the observed range a line may fall below 0; a cost cannot. */
	prediction.expectation.mean = fmax(prediction.expectation.mean, 0);
	if (!prediction.curve)
		say_outside(p, annotation, x, &prediction);
	if (!prediction.curve && !p->predictions.n)
		say_companions(p, annotation, x);
	p->predictions.list = mem_grow(p->predictions.list, &p->predictions.capacity,
				       p->predictions.n + 1, sizeof(*p->predictions.list));
	p->predictions.list[p->predictions.n++] = prediction;
	return true;
}

/* The feature that @name goes along with; NULL: none. */
static const struct annotation_feature *predict_find_kin(const struct predicting *p,
							 const char *name)
{
	for (size_t i = 0; i < p->n_matched; i++)
		for (size_t j = 0; j < p->matched[i]->n_features; j++)
			if (annotation_feature_has_kin(&p->matched[i]->features[j], name))
				return &p->matched[i]->features[j];
	return NULL;
}

static bool check_given(const struct predicting *p, struct err *err)
{
	for (size_t i = 0; i < p->n_given; i++) {
		const struct annotation_feature *feature;

		if (p->given[i].used)
			continue;
		feature = predict_find_kin(p, p->given[i].name);
		if (feature)
			return err_set(err, ERR_USAGE,
				       "%s went along with %s in the samples, but does not give "
				       "its value: give %s",
				       p->given[i].name, feature->expression, feature->name);
		return err_set(err, ERR_USAGE, "no annotation of %s has a feature %s",
			       p->options->arguments[1], p->given[i].name);
	}
	return true;
}

static bool refuse_function(const struct predicting *p, struct err *err)
{
	const char *wanted = p->options->arguments[1], *near = NULL;
	size_t distance = SIZE_MAX;

	for (size_t i = 0; i < p->annotations.n; i++)
		if (cxx_name_is_nearer(p->annotations.list[i]->function, wanted, &distance))
			near = p->annotations.list[i]->function;
	return err_set(err, ERR_NOT_FOUND, "%s has no annotation of %s%s%s",
		       p->options->arguments[0], wanted, near ? "; the nearest name is " : "",
		       near ? near : "");
}

static bool predict_all(struct predicting *p, struct err *err)
{
	const char *word = p->options->arguments[1];
	const char *function, *pattern;
	const uint64_t metrics = p->options->metrics;
	bool other = false;     /* the function has annotations of other metrics */
	bool of_others = false; /* or of other calls */

	if (!read_given(p, word, word + strlen(word), &function, err))
		return false;
	pattern = cxx_name_canonical(p->arena, function);
	for (size_t i = 0; i < p->annotations.n; i++) {
		const struct annotation *annotation = p->annotations.list[i];

		if (strcmp(annotation->function, function) != 0 &&
		    !cxx_name_matches(annotation->function, annotation->linkage, pattern))
			continue;
		if (metrics && !(metrics & METRIC_BIT(annotation->metric)))
			other = true;
		else if (p->options->where &&
			 (!annotation->where || strcmp(annotation->where, p->options->where) != 0))
			of_others = true;
		else if (!predict_one(p, annotation, err))
			return false;
	}
	if (!p->n_matched && of_others)
		return err_set(err, ERR_NOT_FOUND,
			       "%s has no annotation of %s that says where: %s, as fathom annotate "
			       "--where writes it",
			       p->options->arguments[0], p->options->arguments[1],
			       p->options->where);
	if (!p->n_matched && other)
		return err_set(err, ERR_NOT_FOUND,
			       "%s has annotations of %s, but not of that metric (-m)",
			       p->options->arguments[0], p->options->arguments[1]);
	if (!p->n_matched)
		return refuse_function(p, err);
	if (!check_given(p, err))
		return false;
	if (p->predictions.n)
		return true;
	*err = p->why;
	return false;
}

static void predict_print(const struct json_prediction *prediction, FILE *out)
{
	const enum metric metric = prediction->annotation->metric;
	const struct metric_info *info = metric_info(metric);
	const struct expectation *expectation = &prediction->expectation;
	enum { LARGE = 1000000 }; /* hard to read in the metric's unit */
	const bool is_large = fabs(expectation->mean) >= LARGE && *info->unit_text;
	char low[METRIC_AMOUNT], amount[METRIC_AMOUNT];

	quote_print_head(prediction->annotation->function, prediction->annotation->metric, out);
	fprintf(out, "%s%s: %.6g%s%s", prediction->annotation->where ? " where " : "",
		prediction->annotation->where ? prediction->annotation->where : "",
		expectation->mean, *info->unit_text ? " " : "", info->unit_text);
	if (is_large)
		fprintf(out, " (%s)", metric_amount(metric, expectation->mean, amount));
	if (prediction->curve)
		fprintf(out, "; by a curve (%s), which is between %.6g and %.6g there",
			smooth_name(prediction->curve->kind), expectation->low, expectation->high);
	else
		fprintf(out, "; 95 %% of the calls between %.6g and %.6g", expectation->low,
			expectation->high);
	if (is_large)
		fprintf(out, " (%s and %s)", metric_amount(metric, fmax(expectation->low, 0), low),
			metric_amount(metric, expectation->high, amount));
	fputc('\n', out);
}

static bool predict_print_all(const struct predicting *p, struct err *err)
{
	const char *inputs[] = {p->options->arguments[0]};
	struct output output;
	bool ok = true;

	if (!output_open(p->options->report, inputs, 1, &output, err))
		return false;
	output_begin(&output);
	if (p->options->json)
		ok = json_predictions(p->predictions.list, p->predictions.n, output.file, err);
	else
		for (size_t i = 0; i < p->predictions.n; i++)
			predict_print(&p->predictions.list[i], output.file);
	return output_close(&output, err) && ok;
}

/* The annotations of the function in a profile, as `annotate` prints them. */
static bool profile_models(const struct options *options, struct annotation_list *ret,
			   struct err *err)
{
	const char *function[] = {options->arguments[1]};
	struct options of_function = *options;
	struct profile *profile;
	char *text = NULL;
	size_t size = 0;
	struct output output = {.file = open_memstream(&text, &size)};
	bool ok = profile_open(options->arguments[0], &profile, err);

	of_function.functions = function;
	of_function.n_functions = 1;
	of_function.json = false;
	of_function.quiet = true;
	of_function.curve = options->curve ? options->curve : SMOOTH_KERNEL;
	if (ok) {
		ok = annotate_profile(profile, &of_function, NULL, &output, err);
		profile_close(profile);
	}
	fclose(output.file);
	ok = ok && annotation_parse(text, size, ret, err);
	free(text);
	return ok;
}

static bool read_annotations(const struct options *options, struct annotation_list *ret,
			     struct err *err)
{
	return annotation_file_is_profile(options->arguments[0])
		       ? profile_models(options, ret, err)
		       : annotation_file_read(options->arguments[0], ret, err);
}

static int cmd_predict_run(const struct options *options)
{
	struct predicting p = {.options = options, .arena = arena_create()};
	struct err err;
	bool ok = split_given(&p, &err) && read_annotations(options, &p.annotations, &err) &&
		  predict_all(&p, &err) && predict_print_all(&p, &err);

	annotation_parse_deinit(&p.annotations);
	free(p.predictions.list);
	free(p.matched);
	arena_destroy(p.arena);
	return message_status(ok, &err);
}

const struct command command_predict = {
	.usage =
		{.name = "predict",
		 .bit = COMMAND_PREDICT,
		 .arguments = "ANNOTATIONS|PROFILE FUNCTION [NAME=VALUE...]",
		 .summary = "What a call will cost, by annotations or a profile",
		 .details =
			 "NAME is a feature's name in the annotation, or its expression. What is a "
			 "string there, in double quotes, may be one here. NAME=absent is a call "
			 "without such a value, as behind a null pointer.",
		 .min_arguments = 2,
		 .max_arguments = 4096},
	.run = cmd_predict_run,
	.confined = true,
};
