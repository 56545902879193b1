/*
 * Annotations whose texts are anything: they read back as they were.
 */
#ifndef FATHOM_TESTS_ANNOTATION_TEXTS_H
#define FATHOM_TESTS_ANNOTATION_TEXTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/annotation/annotation_parse.h"

enum annotation_text {
	TEXT_FUNCTION,
	TEXT_EXPRESSION,
	TEXT_FIRST_ALIAS,
	TEXT_LAST_ALIAS,
	TEXT_FIRST_SYMBOL,
	TEXT_LAST_SYMBOL,
	TEXT_REFERENCE,
	TEXT_MODULE,
	TEXT_FIRST_NOTE,
	TEXT_LAST_NOTE,
	ANNOTATION_TEXTS,
};

struct annotation_texts {
	const char *all[ANNOTATION_TEXTS];
	size_t n_more; /* aliases */
};

static inline char *print_annotation(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	annotation_print(annotation, out);
	fclose(out);
	return text;
}

/* A range and aliases behind the expression, two conditions, a reference with a power, notes. */
static inline char *print_texts(const struct annotation_texts *texts, enum metric metric)
{
	const char *const *t = texts->all;
	const struct annotation_feature features[] = {
		{"a", FEATURE_CLASS, t[TEXT_EXPRESSION], 1, 20, &t[TEXT_FIRST_ALIAS], 2,
		 texts->n_more},
		{.name = "b", .type = FEATURE_INT, .expression = "b", .min = NAN, .max = NAN},
	};
	const struct reference reference = {.function = t[TEXT_REFERENCE]};
	const struct term terms[] = {
		{.coefficient = 2,
		 .n_factors = 1,
		 .factors = {{.kind = FACTOR_REFERENCE, .power = 2, .reference = &reference}}},
		{.coefficient = 1, .n_factors = 1, .factors = {{.feature = 1, .power = 1}}},
	};
	const struct model model = {.probability = 1,
				    .mean = {terms, 2},
				    .n_samples = 5,
				    .r2 = NAN,
				    .cv_r2 = NAN,
				    .error = NAN};
	const struct condition scope[] = {
		{.comparison = EQUAL, .symbol = t[TEXT_FIRST_SYMBOL]},
		{.comparison = NOT_EQUAL, .symbol = t[TEXT_LAST_SYMBOL]},
	};
	const struct annotation_case one = {scope, 2, &model, 1};
	const struct annotation annotation = {
		.function = t[TEXT_FUNCTION],
		.linkage = "",
		.module = t[TEXT_MODULE],
		.metric = metric,
		.features = features,
		.n_features = 2,
		.cases = &one,
		.n_cases = 1,
		.notes = &t[TEXT_FIRST_NOTE],
		.n_notes = 2,
	};

	return print_annotation(&annotation);
}

/* Those of an annotation that print_texts() wrote; false: it has others. */
static inline bool find_texts(const struct annotation *annotation, struct annotation_texts *ret)
{
	const struct annotation_feature *feature = annotation->features;
	const struct annotation_case *one = annotation->cases;
	const struct term *terms;

	if (annotation->n_features != 2 || feature->n_aliases != 2 || feature->min != 1 ||
	    feature->max != 20 || annotation->n_cases != 1 || one->n_conditions != 2 ||
	    !one->scope[0].symbol || !one->scope[1].symbol || one->n_models != 1 ||
	    one->models->n_samples != 5 || one->models->mean.n_terms != 2 || !annotation->module ||
	    annotation->n_notes != 2)
		return false;
	terms = one->models->mean.terms;
	terms += terms->factors->kind != FACTOR_REFERENCE;
	*ret = (struct annotation_texts){
		.n_more = feature->n_more,
		.all = {
			annotation->function,
			feature->expression,
			feature->aliases[0],
			feature->aliases[1],
			one->scope[0].symbol,
			one->scope[1].symbol,
			terms->factors->reference ? terms->factors->reference->function : "",
			annotation->module,
			annotation->notes[0],
			annotation->notes[1],
		}};
	return true;
}

static inline bool is_safe(const char *printed)
{
	while (*printed) {
		size_t n = *printed == '\n' ? 1 : text_printable_length(printed);

		if (!n)
			return false;
		printed += n;
	}
	return true;
}

static inline bool are_same(const struct annotation *annotation,
			    const struct annotation_texts *texts, enum metric metric,
			    const char *printed)
{
	struct annotation_texts found;
	char *again = print_annotation(annotation);
	bool ok = !strcmp(again, printed) && annotation->metric == metric &&
		  find_texts(annotation, &found) && found.n_more == texts->n_more;
	size_t i;

	for (i = 0; ok && i < ANNOTATION_TEXTS; i++)
		ok = !strcmp(found.all[i], texts->all[i]);
	if (!ok)
		fprintf(stderr, "became:\n%s", again);
	free(again);
	return ok;
}

/*
 * Printed, they are safe for a terminal, and read back as they are; if not, the text is on standard
 * error.
 */
static inline bool texts_read_back(const struct annotation_texts *texts, enum metric metric)
{
	struct annotation_list list = {.n = 0};
	struct err err = {0};
	char *printed = print_texts(texts, metric);
	bool ok = is_safe(printed) && annotation_parse(printed, strlen(printed), &list, &err) &&
		  list.n == 1 && are_same(list.list[0], texts, metric, printed);

	if (!ok)
		fprintf(stderr, "%s\nin:\n%s", err.text, printed);
	annotation_parse_deinit(&list);
	free(printed);
	return ok;
}

#endif
